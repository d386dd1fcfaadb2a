// SPDX-License-Identifier: Apache-2.0
// The first page of a field of work: what it is for, an example, its operations, and what was run before.

import { button, element } from "../report/dom";
import { post } from "./api";
import { dropZone } from "./drop_zone";
import { jobTable } from "./jobs_page";
import { jobs } from "./jobs";
import { operationTile } from "./operation_page";
import { appInfo, fullKdyn } from "./project";
import { resultPage } from "./result_page";
import type { Page, PageMaker, Place } from "./router";
import type { Example, Study } from "./studies";
import { guarded, jobAddress } from "./widgets";

export const studyPage =
  (study: Study): PageMaker =>
  (place: Place) =>
    place.parts[1] ? resultPage(place) : landing(study);

export function exampleButton(example: Example): HTMLButtonElement {
  const node = button(example.label, example.title, () =>
    void guarded(node, async () => {
      const { files } = await post<{ files: string[] }>(`api/examples/${example.name}`, {});
      location.hash = jobAddress(await jobs.submit(example.operation, await example.options(files)));
    }),
  );
  return node;
}

async function landing(study: Study): Promise<Page> {
  const { operations, elsewhere } = await appInfo();
  const known = study.operations.flatMap((name) => operations.filter(({ operation }) => operation === name));
  const examples = study.examples.filter((one) => operations.some(({ operation }) => operation === one.operation));
  const recent = element("div");
  const update = () => {
    const list = jobs.list().filter(({ operation }) => study.operations.includes(operation)).slice(0, 12);
    recent.replaceChildren(...(list.length > 0 ? [element("h2", {}, "Runs"), jobTable(list)] : []));
  };
  update();
  const node = element(
    "div",
    {},
    element("h1", {}, study.title),
    element("p", { class: "lead" }, study.lead),
    dropZone(examples.map(exampleButton), study.takes),
    element("ol", { class: "steps" }, ...study.steps.map((text) => element("li", {}, text))),
    recent,
    known.length > 0 && (await study.setup?.()),
    element("h2", {}, "Set up a run"),
    known.length > 0
      ? element("div", { class: "tiles" }, ...known.map(operationTile))
      : element("p", { class: "nothing" }, elsewhere ? fullKdyn : "This kdyn was built without these operations."),
  );
  return { title: study.title, section: study.name, node, dispose: jobs.onChange(update) };
}
