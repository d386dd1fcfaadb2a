// SPDX-License-Identifier: Apache-2.0
// Any operation: its options as a form, then a run. #/run/modal?from=0007-modal starts from the options of an earlier run.

import { element } from "../report/dom";
import type { JsonObject } from "./api";
import { buildForm } from "./form";
import { jobs } from "./jobs";
import { appInfo, operationInfo } from "./project";
import { addressOf, type Page, type Place } from "./router";
import { guarded, jobAddress, primary, troubleCard } from "./widgets";

export async function operationPage(place: Place): Promise<Page> {
  const name = place.parts[1] ?? "";
  const info = await operationInfo(name);
  if (!info) {
    return { title: "Not found", section: "run", node: troubleCard({ message: `There is no operation ${name}`, remedy: "choose one in the list" }) };
  }
  const earlier = jobs.get(place.query.get("from") ?? "");
  const given: JsonObject = { ...(earlier?.options ?? {}) };
  for (const field of info.fields) {
    const values = place.query.getAll(field.name);
    if (values.length > 0) given[field.name] = field.kind.startsWith("list") ? values : values[0]!;
  }
  const form = buildForm(info.fields, given);
  const run = primary("Run", "Start this operation", () =>
    void guarded(run, async () => {
      location.hash = jobAddress(await jobs.submit(name, form.values()));
    }),
  );
  const node = element(
    "div",
    { class: "narrow" },
    element("p", { class: "kicker" }, "Operation"),
    element("h1", {}, name),
    element("p", { class: "lead" }, info.summary),
    form.node,
    element("div", { class: "row sticky" }, run, element("code", { class: "soft" }, info.example)),
  );
  return { title: name, section: "run", node };
}

export async function operationsPage(): Promise<Page> {
  const { operations } = await appInfo();
  const node = element(
    "div",
    {},
    element("h1", {}, "Operations"),
    element("p", { class: "lead" }, "Everything kdyn can do, with the same names as on the command line."),
    element(
      "div",
      { class: "tiles" },
      ...operations.map(({ operation, summary }) =>
        element("a", { class: "tile", href: addressOf(["run", operation]) }, element("b", {}, operation), element("span", {}, summary)),
      ),
    ),
  );
  return { title: "Operations", section: "run", node };
}
