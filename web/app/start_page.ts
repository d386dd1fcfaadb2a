// SPDX-License-Identifier: Apache-2.0
// The first page: drop files, open the example, go on with what was done before.

import { element } from "../report/dom";
import { dropZone } from "./drop_zone";
import { jobTable } from "./jobs_page";
import { jobs } from "./jobs";
import { appInfo } from "./project";
import { addressOf, type Page } from "./router";
import { studies } from "./studies";

export async function startPage(): Promise<Page> {
  const { operations } = await appInfo();
  const recent = element("div");
  const update = () => {
    const list = jobs.list().slice(0, 6);
    recent.replaceChildren(...(list.length > 0 ? [element("h2", {}, "Recent runs"), jobTable(list)] : []));
  };
  update();
  const steps = element(
    "ol",
    { class: "steps" },
    ...["Drop the files of a mount", "See what was recognised", "Fit a model", "Adjust its parameters", "Export it"].map((text) => element("li", {}, text)),
  );
  const tools = element(
    "div",
    { class: "tiles" },
    ...operations
      .filter(({ operation }) => operation !== "inspect" && !studies.some((study) => study.operations.includes(operation)))
      .map(({ operation, summary }) =>
        element("a", { class: "tile", href: addressOf(["run", operation]) }, element("b", {}, operation), element("span", {}, summary)),
      ),
  );
  const node = element(
    "div",
    {},
    element("h1", {}, "From a measurement to a model"),
    dropZone(),
    steps,
    recent,
    element("h2", {}, "Workflows"),
    element("div", { class: "tiles" }, ...studies.map(({ name, title, lead }) => element("a", { class: "tile", href: addressOf([name]) }, element("b", {}, title), element("span", {}, lead)))),
    element("h2", {}, "Everything else"),
    element("p", { class: "lead" }, "Operations of kdyn with their options; the same words as on the command line."),
    tools,
  );
  return { title: "Start", section: "start", node, dispose: jobs.onChange(update) };
}
