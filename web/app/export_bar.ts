// SPDX-License-Identifier: Apache-2.0
// Every format a model can leave in, one button each. The formats are those of the operation `export`.

import { button, element } from "../report/dom";
import { renderFindings } from "../report/findings";
import type { Finding } from "../report/model";
import { downloadFile, post, readFile, type JsonObject } from "./api";
import { outputFiles } from "./run_parts";
import { jobs, type Job } from "./jobs";
import { guarded, tell, troubleCard } from "./widgets";

const words: Record<string, [string, string]> = {
  ubf: ["UBF", "Universal bushing file with all parameters"],
  bus: ["BUS", "Bushing property file: static curve and equivalent damping"],
  gbs: ["GBS", "General bushing file: static curve and equivalent damping"],
  c: ["C source", "The law as C99 source"],
  fmu2: ["FMU 2.0", "Functional mock-up unit, FMI 2.0"],
  fmu3: ["FMU 3.0", "Functional mock-up unit, FMI 3.0"],
};

export function exportBar(formats: string[], job: Job, model: () => JsonObject, isChanged: () => boolean): HTMLElement {
  // The fit's own model file, or the present values saved as a new one.
  const modelFile = async (): Promise<string> => {
    if (!isChanged()) return `${job.folder}/model.json`;
    return (await post<{ path: string }>("api/models", { name: job.id, model: model() })).path;
  };
  const run = (node: HTMLButtonElement, format: string) =>
    guarded(node, async () => {
      const submitted = await jobs.submit("export", { models: [await modelFile()], to: format });
      const done = await jobs.finished(submitted.id);
      if (!done.has_result) return tell(troubleCard(done.error ?? { message: "the export did not come to its end" }), "poor");
      const files = (await outputFiles(done)).filter(({ path }) => !/\/(result\.json|report\.html)$/.test(path));
      for (const { path } of files) downloadFile(path);
      const names = files.map(({ path }) => path.split("/").pop()).join(", ");
      // What the format cannot hold stays on the page: a message that goes away is overlooked.
      const findings = ((await readFile<{ findings?: Finding[] }>(`${done.folder}/result.json`)).findings ?? []).filter(({ severity }) => severity !== "note");
      losses.replaceChildren(...(findings.length > 0 ? [element("h3", {}, `What ${names} does not hold`), renderFindings({ kind: "findings", findings, when_empty: "" })] : []));
      tell(findings.length > 0 ? `Exported ${names}. Read below what it loses.` : `Exported ${names}; it holds the whole model.`);
    });
  const losses = element("div", { class: "export-losses", "aria-live": "polite" });
  const bar = element("div", { class: "row export-bar", role: "group", "aria-label": "Export" }, element("span", { class: "soft" }, "Export"));
  const plain = button("Model file", "The model as JSON: for the virtual rig and the command line", () => void guarded(plain, async () => downloadFile(await modelFile())));
  bar.append(plain);
  for (const format of formats) {
    const [label, title] = words[format] ?? [format, `Export as ${format}`];
    const node = button(label, title, () => void run(node, format));
    bar.append(node);
  }
  return element("div", {}, bar, losses);
}
