// SPDX-License-Identifier: Apache-2.0
// A text field for paths with a list of what the project has, and a place to drop more.

import { button, element } from "../report/dom";
import { jobName, jobs } from "./jobs";
import { projectFiles, uploadAll, type FieldInfo } from "./project";
import { guarded } from "./widgets";

export function withFiles(field: FieldInfo, text: HTMLInputElement): HTMLElement {
  const isList = field.kind === "list of texts";
  const menu = element("div", { class: "file-menu", hidden: "" });
  const put = (paths: string[]) => {
    const before = isList ? text.value.split(",").map((word) => word.trim()).filter(Boolean) : [];
    text.value = (isList ? [...new Set([...before, ...paths])] : paths.slice(0, 1)).join(", ");
    text.dispatchEvent(new Event("input", { bubbles: true }));
    if (!isList) menu.hidden = true;
  };
  const choose = button("Choose", "Choose among the files of the project", () =>
    void guarded(choose, async () => {
      menu.hidden = !menu.hidden;
      if (menu.hidden) return;
      const [data, models] = await Promise.all([projectFiles("data"), projectFiles("models")]);
      const results = jobs.list().filter((job) => job.has_result);
      const entry = (path: string, words: string) => button(words, path, () => put([path]));
      menu.replaceChildren(
        ...[...data, ...models].map(({ path }) => entry(path, path)),
        ...results.map((job) => entry(`${job.folder}/result.json`, `${job.operation}: ${jobName(job)} (${job.id})`)),
      );
      if (menu.childElementCount === 0) menu.append(element("p", { class: "soft" }, "The project has no files yet: drop some here."));
    }),
  );
  const box = element("div", { class: "file-field" }, element("div", { class: "row" }, text, choose), menu);
  box.addEventListener("drop", (event) => {
    event.preventDefault();
    event.stopPropagation();
    document.body.classList.remove("dropping");
    void guarded(null, async () => put(await uploadAll([...(event.dataTransfer?.files ?? [])], () => {})));
  });
  return box;
}
