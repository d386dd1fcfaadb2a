// SPDX-License-Identifier: Apache-2.0
// Where files are dropped or chosen: they are copied into the project, looked at, and shown.

import { button, element } from "../report/dom";
import { post } from "./api";
import { jobs } from "./jobs";
import { uploadAll } from "./project";
import { go } from "./router";
import { guarded, primary, tellTrouble } from "./widgets";

// Files of the project, looked at by the data doctor; the page of that job shows what it found.
export async function lookAt(paths: string[]): Promise<void> {
  const job = await jobs.submit("inspect", { files: paths });
  go(["data", job.id]);
}

async function take(files: File[], words: HTMLElement): Promise<void> {
  if (files.length === 0) return;
  const before = words.textContent;
  try {
    await lookAt(await uploadAll(files, (text) => (words.textContent = text)));
  } catch (error) {
    tellTrouble(error);
  } finally {
    words.textContent = before;
  }
}

const anything = "Bench tables and workbooks, time signals, frequency responses, universal files, MATLAB, HDF5, FE decks, multibody models.";

// `examples` stand below the button; without any the cab mount is offered.
export function dropZone(examples: HTMLButtonElement[] = [], takes = anything): HTMLElement {
  const words = element("p", { class: "drop-words" }, "Drop files here");
  const input = element("input", { type: "file", multiple: "", hidden: "", "aria-label": "Measurement files" });
  input.addEventListener("change", () => void take([...(input.files ?? [])], words).then(() => (input.value = "")));
  const choose = primary("Choose files", "Choose measurement files of this machine", () => input.click());
  const example = button("Open the example", "A cab mount: map, static loop and transient", () =>
    void guarded(example, async () => {
      const { files } = await post<{ files: string[] }>("api/examples/cab_mount", {});
      await lookAt(files);
    }),
  );
  const zone = element(
    "section",
    { class: "drop", "aria-label": "Drop files" },
    words,
    element("p", { class: "soft" }, `${takes} They are copied into the project and never leave this machine.`),
    element("div", { class: "row centre" }, choose, ...(examples.length > 0 ? [] : [example]), input),
    examples.length > 0 && element("div", { class: "row centre examples" }, element("span", { class: "soft" }, examples.length > 1 ? "or try an example:" : "or try the example:"), ...examples),
  );
  return zone;
}

// The whole window takes files, on every page.
export function takeDropsEverywhere(): void {
  let depth = 0;
  const mark = () => document.body.classList.toggle("dropping", depth > 0);
  const hasFiles = (event: DragEvent) => [...(event.dataTransfer?.types ?? [])].includes("Files");
  window.addEventListener("dragenter", (event) => hasFiles(event) && (++depth, mark()));
  window.addEventListener("dragleave", (event) => hasFiles(event) && ((depth = Math.max(0, depth - 1)), mark()));
  window.addEventListener("dragover", (event) => event.preventDefault());
  window.addEventListener("drop", (event) => {
    event.preventDefault();
    depth = 0;
    mark();
    void take([...(event.dataTransfer?.files ?? [])], element("p"));
  });
}
