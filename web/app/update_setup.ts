// SPDX-License-Identifier: Apache-2.0
// An updating job set up from what the project has: an FE file, measurements, and what of the FE model is uncertain.

import { element } from "../report/dom";
import { fileAddress, getText, type Json, type JsonObject } from "./api";
import { jobs } from "./jobs";
import { projectFiles, type ProjectFile } from "./project";
import { guarded, jobAddress, primary } from "./widgets";

// What a deck offers to calibrate: the card that carries it, and how `kdyn update` calls it.
const offers: { card: string; kind: string; label: string }[] = [
  { card: "CBUSH", kind: "bushing", label: "Stiffnesses of bushing" },
  { card: "PSHELL", kind: "thickness", label: "Thickness of shell property" },
  { card: "MAT1", kind: "young", label: "Modulus of material" },
  { card: "MAT1", kind: "density", label: "Density of material" },
];

const isModel = ({ path }: ProjectFile): boolean => /\.(bdf|dat|nas|fem)$/i.test(path);
const isData = ({ path }: ProjectFile): boolean => /\.(uff|unv|h5|hdf5|mat|csv)$/i.test(path);

function labelsOf(deck: string, card: string): number[] {
  const found = deck.matchAll(new RegExp(`^${card}\\*?[\\s,]+(\\d+)`, "gm"));
  return [...new Set([...found].map(([, label]) => Number(label)))];
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
    const deck = await getText(fileAddress(model.value));
    chosen = offers.flatMap(({ card, kind }) => labelsOf(deck, card).map((label) => ({ kind, label, box: element("input", { type: "checkbox" }) })));
    for (const one of chosen) one.box.checked = one.kind === "bushing";
    parameters.replaceChildren(
      ...chosen.map(({ kind, label, box }) => element("label", { class: "check" }, box, `${offers.find((offer) => offer.kind === kind)!.label} ${label}`)),
    );
    if (chosen.length === 0) parameters.append(element("p", { class: "hint" }, "This file has no bushings, shells or materials that could be calibrated."));
  };
  model.addEventListener("change", () => void guarded(null, read));
  const band = element("input", { type: "text", placeholder: "30, 260", "aria-label": "Band in Hz" });
  const starts = element("input", { type: "text", value: "3", "aria-label": "Starts" });
  const run = primary("Update", "Calibrate the chosen parameters by the measurements", () =>
    void guarded(run, async () => {
      const paths = measured.filter(({ box }) => box.checked).map(({ path }) => path);
      if (paths.length === 0) throw new Error("choose at least one file of measured responses");
      const free = chosen.filter(({ box }) => box.checked);
      if (free.length === 0) throw new Error("choose at least one parameter");
      const list: Json = free.map(({ kind, label }) => ({ kind, name: kind === "bushing" ? "k" : `${kind}_${label}`, labels: [label] }));
      const options: JsonObject = { model: [model.value], parameters: list, starts: Number(starts.value) };
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
    row("FE file", "A Nastran deck; its units are taken as SI (all options: below).", model),
    row("Measurements", "One file for each part; several parts are also looked at as a population.", element("div", { class: "choices" }, ...measured.map(({ path, box }) => element("label", { class: "check" }, box, path)))),
    row("What is uncertain", "Everything else stays as the FE file has it.", parameters),
    row("Band", "Lowest and highest frequency in Hz; by default all lines.", band),
    row("Starts", "How many start points are tried.", starts),
    element("div", { class: "row" }, run),
  );
}
