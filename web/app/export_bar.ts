// SPDX-License-Identifier: Apache-2.0
// Every format a model can leave in, one tile each: what it loses stands there before it is pressed. The formats are those of the operation
// `export`, the figures come from a dry run of it; the sine at which files with one damper are right is asked for beside them.

import { button, element } from "../report/dom";
import { renderFindings } from "../report/findings";
import { formatShort } from "../report/format";
import type { Finding } from "../report/model";
import { downloadFile, post, readFile, type JsonObject, type Trouble } from "./api";
import { outputFiles } from "./run_parts";
import { jobs, type Job } from "./jobs";
import { settings } from "./settings";
import { guarded, tell, troubleOf } from "./widgets";

const words: Record<string, [string, string]> = {
  ubf: ["UBF", "Universal bushing file with all parameters"],
  bus: ["BUS", "Adams bushing property file: static curve and equivalent damping"],
  gbs: ["GBS", "General bushing file: static curve and equivalent damping"],
  c: ["C source", "The law as C header and C++17 source"],
  fmu2: ["FMU 2.0", "Functional mock-up unit, FMI 2.0"],
  fmu3: ["FMU 3.0", "Functional mock-up unit, FMI 3.0"],
};

export interface Exported {
  formats: string[];
  job: Job;
  model: () => JsonObject; // with the present values
  isChanged: () => boolean; // whether they differ from the fit's
  axis: "translation" | "rotation" | "all"; // all: a bushing has its directions itself
}

export interface ExportBar {
  node: HTMLElement;
  changed: () => void; // values have moved: what would be lost is asked anew
}

interface Loss {
  words: string;
  severity: "none" | "note" | "warning" | "serious";
}

const quiet = 700; // ms without a change before losses are asked for
const qualities = { none: "good", note: "good", warning: "fair", serious: "poor" };

let serial = 0;

export function exportBar({ formats, job, model, isChanged, axis }: Exported): ExportBar {
  const rotation = axis === "rotation";
  const said = (): string => {
    const told = model().axis;
    return typeof told === "string" && /^[ft][xyz]$/.test(told) ? told : rotation ? "tx" : "fz";
  };
  const directions = rotation ? ["tx", "ty", "tz"] : ["fx", "fy", "fz"];
  const direction = element("select", { "aria-label": "Axis of the export" }, ...directions.map((name) => element("option", { value: name }, name)));
  const number = (label: string, value: string) => element("input", { type: "text", class: "short", "aria-label": label, value });
  const frequency = number("Frequency at which the damping is right", "10");
  const unit = () => settings.shown(rotation ? "rad" : "m");
  const amplitude = number("Amplitude at which the damping is right", formatShort(1e-3 * unit().factor, 3));
  const wrong = element("span", { class: "wrong" });
  if (axis !== "all") direction.value = said();

  // What the operation is asked for, by format; throws where a number is none.
  const options = (format: string): JsonObject => {
    const out: JsonObject = { to: format };
    const read = (input: HTMLInputElement, what: string): number => {
      const value = Number(input.value.trim().replace(",", "."));
      if (!(value > 0) || !Number.isFinite(value)) throw new Error(`${what} must be a number above zero`);
      return value;
    };
    out.frequency_hz = read(frequency, "the frequency");
    out.amplitude = read(amplitude, "the amplitude") / unit().factor;
    if (axis !== "all") out.directions = [direction.value];
    return out;
  };
  // The fit's own model file, or the present values saved as a new one.
  const modelFile = async (): Promise<string> => {
    if (!isChanged()) return `${job.folder}/model.json`;
    return (await post<{ path: string }>("api/models", { name: job.id, model: model() })).path;
  };
  const run = (node: HTMLButtonElement, format: string) =>
    guarded(node, async () => {
      const done = await jobs.resultOf("export", { models: [await modelFile()], ...options(format) });
      const files = (await outputFiles(done)).filter(({ path }) => !/\/(result\.json|report\.html)$/.test(path));
      for (const { path } of files) downloadFile(path);
      const names = files.map(({ path }) => path.split("/").pop()).join(", ");
      // What the format cannot hold stays on the page: a message that goes away is overlooked.
      const findings = ((await readFile<{ findings?: Finding[] }>(`${done.folder}/result.json`)).findings ?? []).filter(({ severity }) => severity !== "note");
      losses.replaceChildren(...(findings.length > 0 ? [element("h3", {}, `What ${names} does not hold`), renderFindings({ kind: "findings", findings, when_empty: "" })] : []));
      tell(findings.length > 0 ? `Exported ${names}. Read below what it loses.` : `Exported ${names}; it holds the whole model.`);
    });
  const losses = element("div", { class: "export-losses", "aria-live": "polite" });
  const tiles = element("div", { class: "export-tiles", role: "group", "aria-label": "Export" });
  // The button is the format; what it loses stands below and describes it.
  const tile = (label: string, title: string, onClick: (node: HTMLButtonElement) => void) => {
    const id = `export-${++serial}`;
    const loss = element("span", { class: "loss", id: `${id}-loss` });
    const node = button(label, title, () => onClick(node));
    node.setAttribute("aria-describedby", `${id}-loss`);
    tiles.append(element("div", { class: "export-tile" }, node, loss));
    return loss;
  };
  const own = tile("Model file", "The model as JSON: for the virtual rig and the command line", (node) => void guarded(node, async () => downloadFile(await modelFile())));
  own.textContent = "whole model, for kdyn";
  own.classList.add("good");
  const shown = formats.map((format) => {
    const [label, title] = words[format] ?? [format, `Export as ${format}`];
    return { format, loss: tile(label, title, (node) => void run(node, format)) };
  });

  // Asked one after the other, the newest question only: a dry run of a hydro mount takes a while.
  let asked = 0;
  let pause = 0;
  const ask = async (): Promise<void> => {
    const mine = ++asked;
    for (const { format, loss } of shown) {
      try {
        const body = { options: options(format), ...(isChanged() ? { model: model() } : { file: `${job.folder}/model.json` }) };
        wrong.textContent = "";
        if (!loss.textContent) loss.textContent = "…";
        const { loss: found, trouble } = await post<{ loss?: Loss; trouble?: Trouble }>("api/workbench/losses", body);
        if (mine !== asked) return;
        if (trouble) throw new Error(trouble.message);
        loss.textContent = found?.words ?? "";
        loss.className = `loss ${qualities[found?.severity ?? "none"]}`;
      } catch (error) {
        if (mine !== asked) return;
        loss.textContent = "";
        wrong.textContent = troubleOf(error).message;
      }
    }
    tiles.classList.remove("stale");
  };
  const later = (delay: number) => {
    clearTimeout(pause);
    tiles.classList.add("stale"); // what stands there is of other values
    pause = window.setTimeout(() => tiles.isConnected && void ask(), delay);
  };
  for (const input of [direction, frequency, amplitude]) input.addEventListener("input", () => later(quiet));
  later(50);
  const node = element(
    "section",
    { class: "export-bar", "aria-label": "Export of the model" },
    element(
      "div",
      { class: "row export-head" },
      element("h2", {}, "Export"),
      axis !== "all" && element("label", { class: "setting", title: "Where the file carries the model" }, element("span", {}, "direction"), direction),
      element("label", { class: "setting", title: "BUS and GBS hold one damping value: that of this sine. C source and FMUs carry a check of it." }, element("span", {}, "damping right at"), frequency, element("span", {}, "Hz")),
      element("label", { class: "setting", title: "Amplitude of that sine" }, element("span", {}, "and"), amplitude, element("span", {}, unit().unit)),
      wrong,
    ),
    tiles,
    losses,
  );
  return { node, changed: () => later(quiet) };
}
