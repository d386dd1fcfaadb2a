// SPDX-License-Identifier: Apache-2.0
// Any operation: its options as a form, then a run. #/run/modal?from=0007-modal starts from the options of an earlier run.

import { element } from "../report/dom";
import type { JsonObject } from "./api";
import { buildForm, commandOf } from "./form";
import { jobs } from "./jobs";
import { titleOf } from "./operation_words";
import { appInfo, fullKdyn, operationInfo, type OperationInfo } from "./project";
import { addressOf, type Page, type Place } from "./router";
import { settings } from "./settings";
import { guarded, jobAddress, primary, troubleCard } from "./widgets";

export async function operationPage(place: Place): Promise<Page> {
  const name = place.parts[1] ?? "";
  const info = await operationInfo(name);
  if (!info) {
    const isElsewhere = (await appInfo()).elsewhere?.includes(name);
    const trouble = isElsewhere ? { message: `${titleOf(name)} is not part of kdyn in the browser`, remedy: fullKdyn } : { message: `There is no operation ${name}`, remedy: "choose one in the list" };
    return { title: "Not found", section: "run", node: troubleCard(trouble) };
  }
  const earlier = jobs.get(place.query.get("from") ?? "");
  const given: JsonObject = { ...(earlier?.options ?? {}) };
  for (const field of info.fields) {
    const values = place.query.getAll(field.name);
    if (values.length > 0) given[field.name] = field.kind.startsWith("list") ? values : values[0]!;
  }
  let form = buildForm(info.fields, given);
  const holder = element("div", {}, form.node);
  const command = element("code", {});
  const showCommand = () => {
    try {
      command.textContent = commandOf(name, form.values());
    } catch (error) {
      command.textContent = (error as Error).message;
    }
  };
  const run = primary("Run", "Start this operation", () =>
    void guarded(run, async () => {
      location.hash = jobAddress(await jobs.submit(name, form.values()));
    }),
  );
  const node = element(
    "div",
    { class: "narrow" },
    element("p", { class: "kicker" }, "Operation"),
    element("h1", {}, titleOf(name)),
    element("p", { class: "lead" }, info.summary),
    holder,
    element("div", { class: "row sticky" }, run, element("details", { class: "command" }, element("summary", {}, "The same as a command"), command)),
  );
  for (const event of ["input", "change", "click"]) node.addEventListener(event, showCommand);
  showCommand();
  // What was filled in stays when the units change; what cannot be read yet is asked for again.
  const dispose = settings.onUnits(() => {
    let now = given;
    try {
      now = form.values();
    } catch {
      // half-written
    }
    form = buildForm(info.fields, now);
    holder.replaceChildren(form.node);
  });
  return { title: titleOf(name), section: "run", node, dispose };
}

export function operationTile({ operation, summary }: OperationInfo): HTMLElement {
  return element("a", { class: "tile", href: addressOf(["run", operation]) }, element("b", {}, titleOf(operation)), element("span", {}, summary));
}

export async function operationsPage(): Promise<Page> {
  const { operations, elsewhere } = await appInfo();
  const node = element(
    "div",
    {},
    element("h1", {}, "Operations"),
    element("p", { class: "lead" }, "Everything kdyn can do, each with all its options."),
    element("div", { class: "tiles" }, ...operations.map(operationTile)),
    elsewhere && element("p", { class: "soft" }, `Not here: ${elsewhere.map(titleOf).join(", ")}. ${fullKdyn}`),
  );
  return { title: "Operations", section: "run", node };
}
