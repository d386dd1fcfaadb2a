// SPDX-License-Identifier: Apache-2.0
// An updating job set up from what the project has: an FE file, measurements, and what of the FE model is uncertain.

import { element } from "../report/dom";
import { readFile, type Json, type JsonObject } from "./api";
import { jobs } from "./jobs";
import { projectFiles, type ProjectFile } from "./project";
import { guarded, jobAddress, primary } from "./widgets";

// What kdyn inspect says a deck holds, by label.
interface Deck {
  bushings: number[];
  shells: number[];
  materials: number[];
}

// Decks have no units.
const deckUnits: { words: string; options: JsonObject }[] = [
  { words: "m, kg, N", options: {} },
  { words: "mm, t, N", options: { length_m: 0.001, mass_kg: 1000 } },
  { words: "mm, kg, mN", options: { length_m: 0.001 } },
];

// What of it can be calibrated, and how `kdyn update` calls it.
const offers: { of: keyof Deck; kind: string; label: string }[] = [
  { of: "bushings", kind: "bushing", label: "Stiffnesses of bushing" },
  { of: "shells", kind: "thickness", label: "Thickness of shell property" },
  { of: "materials", kind: "young", label: "Modulus of material" },
  { of: "materials", kind: "density", label: "Density of material" },
];

const isModel = ({ path }: ProjectFile): boolean => /\.(bdf|dat|nas|fem)$/i.test(path);
const isData = ({ path }: ProjectFile): boolean => /\.(uff|unv|h5|hdf5|mat|csv)$/i.test(path);

// Decks are inspected when they are dropped; one that has changed since is inspected again.
async function deckOf({ path, changed }: ProjectFile): Promise<Deck> {
  const earlier = jobs.list().find((job) => job.operation === "inspect" && job.has_result && (job.options.files as Json[]).includes(path) && Date.parse(job.created) / 1000 > changed);
  const job = earlier ?? (await jobs.finished((await jobs.submit("inspect", { files: [path] })).id));
  if (!job.has_result) throw new Error(job.error?.message ?? `${path} could not be inspected`);
  const { files } = await readFile<{ files: { path: string; deck?: Deck }[] }>(`${job.folder}/result.json`);
  return files.find((file) => file.path === path)?.deck ?? { bushings: [], shells: [], materials: [] };
}

export async function updateSetup(): Promise<HTMLElement> {
  const files = await projectFiles("data");
  const models = files.filter(isModel);
  const data = files.filter(isData);
  if (models.length === 0 || data.length === 0)
    return element(
      "section",
      { class: "card" },
      element("h2", {}, "Set up an update"),
      element("p", { class: "hint" }, models.length === 0 ? "Drop an FE file (Nastran bulk data) above, and the measured frequency responses of the part." : "The FE file is there. Drop the measured frequency responses as well: one file for each part."),
    );
  const model = element("select", { "aria-label": "FE file" }, ...models.map(({ path }) => element("option", { value: path }, path)));
  const measured = data.map(({ path }) => ({ path, box: element("input", { type: "checkbox" }) }));
  const parameters = element("div", { class: "choices" });
  let chosen: { kind: string; label: number; box: HTMLInputElement }[] = [];
  const read = async () => {
    const deck = await deckOf(models.find(({ path }) => path === model.value)!);
    chosen = offers.flatMap(({ of, kind }) => deck[of].map((label) => ({ kind, label, box: element("input", { type: "checkbox" }) })));
    for (const one of chosen) one.box.checked = one.kind === "bushing";
    parameters.replaceChildren(
      ...chosen.map(({ kind, label, box }) => element("label", { class: "check" }, box, `${offers.find((offer) => offer.kind === kind)!.label} ${label}`)),
    );
    if (chosen.length === 0) parameters.append(element("p", { class: "hint" }, "This file has no bushings, shells or materials that could be calibrated."));
  };
  model.addEventListener("change", () => void guarded(null, read));
  const units = element(
    "select",
    { "aria-label": "Units of the deck" },
    ...deckUnits.map(({ words }, i) => element("option", { value: String(i) }, words)),
  );
  const band = element("input", { type: "text", placeholder: "30, 260", "aria-label": "Band in Hz" });
  const starts = element("input", { type: "text", value: "3", "aria-label": "Starts" });
  const run = primary("Update", "Calibrate the chosen parameters by the measurements", () =>
    void guarded(run, async () => {
      const paths = measured.filter(({ box }) => box.checked).map(({ path }) => path);
      if (paths.length === 0) throw new Error("choose at least one file of measured responses");
      const free = chosen.filter(({ box }) => box.checked);
      if (free.length === 0) throw new Error("choose at least one parameter");
      const list: Json = free.map(({ kind, label }) => ({ kind, name: kind === "bushing" ? "k" : `${kind}_${label}`, labels: [label] }));
      const options: JsonObject = { model: [model.value], parameters: list, starts: Number(starts.value), ...deckUnits[Number(units.value)]!.options };
      if (paths.length === 1) options.data = paths;
      else options.parts = paths.map((path) => ({ name: path.split("/").pop()!.replace(/\.[^.]*$/, ""), data: [path] }));
      if (band.value.trim() !== "") options.band_hz = band.value.split(/[,;\s]+/).map(Number);
      location.hash = jobAddress(await jobs.submit("update", options));
    }),
  );
  await read();
  const row = (label: string, hint: string, ...content: Node[]) => element("div", { class: "field" }, element("label", {}, label), element("div", {}, ...content, element("p", { class: "hint" }, hint)));
  return element(
    "section",
    { class: "card" },
    element("h2", {}, "Set up an update"),
    row("FE file", "A Nastran deck.", model),
    row("Units", "Those in which the numbers of the deck are written; a deck does not tell.", units),
    row("Measurements", "One file for each part; several parts are also looked at as a population.", element("div", { class: "choices" }, ...measured.map(({ path, box }) => element("label", { class: "check" }, box, path)))),
    row("What is uncertain", "Everything else stays as the FE file has it.", parameters),
    row("Band", "Lowest and highest frequency in Hz; by default all lines.", band),
    row("Starts", "How many start points are tried.", starts),
    element("div", { class: "row" }, run),
  );
}
