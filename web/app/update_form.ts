// SPDX-License-Identifier: Apache-2.0
// An updating job set up from what the project has: an FE file and its units, measurements, what of the FE model is uncertain, and which points
// only check the result.

import { element } from "../report/dom";
import { boxOf } from "../report/mesh";
import type { AnimationBlock } from "../report/model";
import type { Vector } from "../report/view3d";
import { post, readFile, type Json, type JsonObject } from "./api";
import { pictureOf } from "./document_view";
import { jobs } from "./jobs";
import { projectFiles, type ProjectFile } from "./project";
import { addressOf } from "./router";
import { ScenePick, type Mark } from "./scene_pick";
import { guarded, jobAddress, primary } from "./widgets";

// What kdyn inspect says a deck holds, by label.
interface Deck {
  bushings: number[];
  shells: number[];
  materials: number[];
  picture: AnimationBlock | undefined;
  places: { name: string; kind: string; at: Vector }[];
  size: number; // of what is drawn, in units of the deck; 0 where nothing is
}

// What of it can be calibrated, and how `kdyn update` calls it.
const offers: { of: "bushings" | "shells" | "materials"; kind: string; label: string }[] = [
  { of: "bushings", kind: "bushing", label: "Stiffnesses of bushing" },
  { of: "shells", kind: "thickness", label: "Thickness of shell property" },
  { of: "materials", kind: "young", label: "Modulus of material" },
  { of: "materials", kind: "density", label: "Density of material" },
];

interface DeckUnits {
  name: string;
  label: string;
  length_m: number;
  mass_kg: number;
}

const deckUnits: DeckUnits[] = [
  { name: "m_kg", label: "m, kg, N", length_m: 1, mass_kg: 1 },
  { name: "mm_t", label: "mm, t, N", length_m: 1e-3, mass_kg: 1e3 },
  { name: "mm_kg", label: "mm, kg, mN", length_m: 1e-3, mass_kg: 1 },
];
const largestInMetres = 30; // structures that are tested are smaller

const axes = ["x", "y", "z", "rx", "ry", "rz"];
const isModel = ({ path }: ProjectFile): boolean => /\.(bdf|dat|nas|fem)$/i.test(path);
const isData = ({ path }: ProjectFile): boolean => /\.(uff|unv|h5|hdf5|mat|csv)$/i.test(path);

interface InspectedFile {
  path: string;
  kind: string;
  deck?: Pick<Deck, "bushings" | "shells" | "materials">;
  places?: Deck["places"];
}

// Files are inspected when they are dropped; one that has changed since is inspected again.
async function inspected({ path, changed }: ProjectFile, again: boolean): Promise<(InspectedFile & { job: string }) | undefined> {
  const earlier = jobs.list().find((job) => job.operation === "inspect" && job.has_result && (job.options.files as Json[]).includes(path) && Date.parse(job.created) / 1000 + 1 > changed);
  if (!earlier && !again) return undefined;
  const job = earlier ?? (await jobs.resultOf("inspect", { files: [path] }));
  const { files } = await readFile<{ files: InspectedFile[] }>(`${job.folder}/result.json`);
  const found = files.find((file) => file.path === path);
  return found && { ...found, job: job.id };
}

async function deckOf(file: ProjectFile): Promise<Deck> {
  const found = await inspected(file, true);
  const job = found && jobs.get(found.job);
  const picture = job && (await pictureOf(job, file.path));
  const { low, high } = boxOf([picture?.points ?? []]);
  const size = picture ? Math.max(...[0, 1, 2].map((axis) => high[axis]! - low[axis]!)) : 0;
  return { ...(found?.deck ?? { bushings: [], shells: [], materials: [] }), places: found?.places ?? [], picture, size };
}

// Where measured points are: in the geometry file that has all their names, in metres; else the nodes of the deck that are called so.
async function pointsOf(names: string[], deck: Deck, perMetre: number): Promise<Map<string, Vector>> {
  const found = new Map<string, Vector>();
  const take = (block: AnimationBlock | undefined, factor: number): boolean => {
    const at = new Map(block?.point_names.map((name, i) => [name, block.points.slice(3 * i, 3 * i + 3).map((x) => factor * x) as Vector]));
    if (names.length === 0 || !names.every((name) => at.has(name))) return false;
    names.forEach((name) => found.set(name, at.get(name)!));
    return true;
  };
  for (const file of (await projectFiles("data")).filter(isData)) {
    const seen = await inspected(file, false);
    const job = seen?.kind === "geometry" ? jobs.get(seen.job) : undefined;
    if (job && take(await pictureOf(job, file.path), perMetre)) return found;
  }
  take(deck.picture, 1);
  return found;
}

// Directions of bushings one by one: held, each its own, or several with one value.
class Directions {
  readonly node = element("details", { class: "inner directions" });
  private readonly cells: { bushing: number; axis: string; select: HTMLSelectElement }[] = [];

  constructor(bushings: number[], private readonly isChosen: (bushing: number) => boolean) {
    const choices: [string, string][] = [["", "as in the file"], ["own", "unknown"], ["A", "shared A"], ["B", "shared B"], ["C", "shared C"]];
    const rows = bushings.map((bushing) =>
      element(
        "tr",
        {},
        element("th", { scope: "row", class: "left" }, String(bushing)),
        ...axes.map((axis) => {
          const select = element("select", { "aria-label": `${bushing} ${axis}` }, ...choices.map(([value, words]) => element("option", { value }, words)));
          select.value = axis.startsWith("r") ? "" : "own";
          this.cells.push({ bushing, axis, select });
          return element("td", {}, select);
        }),
      ),
    );
    const head = element("tr", {}, element("th", { class: "left", scope: "col" }, "Bushing"), ...axes.map((axis) => element("th", { class: "left", scope: "col" }, axis)));
    this.node.append(
      element("summary", {}, "Directions of the bushings one by one"),
      element("p", { class: "hint" }, "Directions that move alike cannot be distinguished: give them the same letter, and one value stands for both."),
      element("div", { class: "table-scroll" }, element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows))),
    );
  }

  get isUsed(): boolean {
    return this.node.open;
  }

  parameters(): JsonObject[] {
    const out: JsonObject[] = [];
    for (const axis of axes) {
      const column = this.cells.filter((cell) => cell.axis === axis && this.isChosen(cell.bushing));
      for (const { bushing, select } of column) if (select.value === "own") out.push({ kind: "spring", name: `k_${bushing}_${axis}`, labels: [bushing], component: axis });
      for (const letter of ["A", "B", "C"]) {
        const labels = column.filter(({ select }) => select.value === letter).map(({ bushing }) => bushing);
        if (labels.length > 0) out.push({ kind: "spring", name: `k_${letter}_${axis}`, labels, component: axis });
      }
    }
    return out;
  }
}

// Flexible bodies of multibody models end so more often than decks to calibrate.
const isBody = ({ path }: ProjectFile): boolean => path.endsWith(".fem");

export interface UpdatePreset {
  model: string;
  data: string[];
}

export async function updateSetup(preset?: UpdatePreset): Promise<HTMLElement> {
  const files = await projectFiles("data");
  const models = files.filter(isModel).sort((a, b) => Number(b.path === preset?.model) - Number(a.path === preset?.model) || Number(isBody(a)) - Number(isBody(b)));
  // What is known to be something else, such as a map of a mount, is not offered.
  const data: ProjectFile[] = [];
  const unseen: string[] = [];
  for (const file of files.filter(isData)) if (models.length > 0 && !(await inspected(file, false))) unseen.push(file.path);
  if (unseen.length > 0) await jobs.finished((await jobs.submit("inspect", { files: unseen })).id); // those that cannot be read are not offered
  for (const file of files.filter(isData)) if (preset?.data.includes(file.path) || (await inspected(file, false))?.kind === "frequency_response") data.push(file);
  data.sort((a, b) => a.path.localeCompare(b.path, "en", { numeric: true }));
  if (models.length === 0 || data.length === 0)
    return element(
      "section",
      { class: "card" },
      element("h2", {}, "Set up an update"),
      element("p", { class: "hint" }, models.length === 0 ? "Drop an FE file (Nastran bulk data) above, and the measured frequency responses of the part." : "The FE file is there. Drop the measured frequency responses as well: one file for each part."),
    );
  const model = element("select", { "aria-label": "FE file" }, ...models.map(({ path }) => element("option", { value: path }, path)));
  const units = element("select", { "aria-label": "Units of the FE file" }, element("option", { value: "" }, "choose …"), ...deckUnits.map(({ name, label }) => element("option", { value: name }, label)));
  const unitWords = element("p", { class: "hint" });
  const measured = data.map(({ path }) => ({ path, box: element("input", { type: "checkbox" }) }));
  for (const { path, box } of measured) box.checked = preset ? preset.data.includes(path) : data.length === 1;
  const parameters = element("div");
  let chosen: { kind: string; label: number; box: HTMLInputElement }[] = [];
  let directions: Directions | undefined;
  const sight = element("div");
  let picture: ScenePick | undefined;
  let deck: Deck | undefined;
  let points: { name: string; box: HTMLInputElement }[] = [];
  const boxOfMark = ({ kind, id }: Mark) => (kind === "bushing" ? chosen.find((one) => one.kind === "bushing" && String(one.label) === id)?.box : points.find(({ name }) => name === id)?.box);
  // The surface of a shell property; a deck with one property has one surface without a name of its own.
  const shellOf = (surface: number): HTMLInputElement | undefined => {
    const label = /^Property (\d+)$/.exec(deck?.picture?.surfaces[surface]?.name ?? "")?.[1];
    const shells = chosen.filter(({ kind }) => kind === "thickness");
    return (label ? shells.find((one) => String(one.label) === label) : shells.length === 1 ? shells[0] : undefined)?.box;
  };
  const flip = (box: HTMLInputElement | undefined) => {
    if (!box) return;
    box.checked = !box.checked;
    box.dispatchEvent(new Event("change"));
  };
  const draw = async () => {
    const unit = deckUnits.find(({ name }) => name === units.value);
    const block = deck?.picture;
    if (!deck || !block) return sight.replaceChildren();
    const measuredAt = await pointsOf(points.map(({ name }) => name), deck, 1 / (unit?.length_m ?? 1)).catch(() => new Map<string, Vector>());
    const marks: Mark[] = [...deck.places.filter(({ kind }) => kind === "bushing").map(({ name, at }): Mark => ({ id: name, kind: "bushing", at })), ...[...measuredAt].map(([id, at]): Mark => ({ id, kind: "point", at }))];
    picture = new ScenePick({
      title: "Structure and measured points",
      block,
      marks,
      isOn: (mark) => boxOfMark(mark)?.checked ?? false,
      words: ({ kind }) => (kind === "bushing" ? "its stiffnesses are uncertain" : "only checks the result"),
      onMark: (mark) => flip(boxOfMark(mark)),
      isSurfaceOn: (i) => shellOf(i)?.checked ?? false,
      onSurface: (i) => flip(shellOf(i)),
      caption: "Squares are bushings: filled ones are calibrated. Discs are measured points: filled ones only check the result. A click on a shell takes its thickness in.",
    });
    sight.replaceChildren(picture.node);
  };
  const read = async () => {
    deck = await deckOf(models.find(({ path }) => path === model.value)!);
    const { size } = deck;
    chosen = offers.flatMap(({ of, kind }) => deck![of].map((label) => ({ kind, label, box: element("input", { type: "checkbox" }) })));
    for (const one of chosen) {
      one.box.checked = one.kind === "bushing";
      one.box.addEventListener("change", () => picture?.draw());
    }
    directions = deck.bushings.length > 0 ? new Directions(deck.bushings, (bushing) => chosen.some(({ kind, label, box }) => kind === "bushing" && label === bushing && box.checked)) : undefined;
    parameters.replaceChildren(
      element("div", { class: "choices" }, ...chosen.map(({ kind, label, box }) => element("label", { class: "check" }, box, `${offers.find((offer) => offer.kind === kind)!.label} ${label}`))),
      ...(directions ? [directions.node] : []),
    );
    if (chosen.length === 0) parameters.append(element("p", { class: "hint" }, "This file has no bushings, shells or materials that could be calibrated."));
    const round = Number(size.toPrecision(3));
    units.value = size === 0 ? "" : size > largestInMetres ? "mm_t" : "m_kg";
    unitWords.textContent = size === 0 ? "A deck does not say its units." : `A deck does not say its units. This structure is ${round} long: ${size > largestInMetres ? "millimetres" : "metres"}, it seems.`;
    await draw();
  };
  units.addEventListener("change", () => void draw());
  model.addEventListener("change", () => void guarded(null, read));
  const validation = element("div", { class: "choices points" });
  const readPoints = async () => {
    const paths = measured.filter(({ box }) => box.checked).map(({ path }) => path);
    const { channels } = paths.length > 0 ? await post<{ channels: { output: string }[] }>("api/responses", { files: paths.slice(0, 1) }) : { channels: [] };
    const names = [...new Set(channels.map(({ output }) => output.replace(/[+-]?R?[XYZ]$/i, "")))];
    const before = new Set(points.filter(({ box }) => box.checked).map(({ name }) => name));
    points = names.map((name) => ({ name, box: element("input", { type: "checkbox" }) }));
    for (const { name, box } of points) {
      box.checked = before.has(name);
      box.addEventListener("change", () => picture?.draw());
    }
    validation.replaceChildren(...points.map(({ name, box }) => element("label", { class: "check" }, box, `Point ${name}`)));
    await draw();
  };
  for (const { box } of measured) box.addEventListener("change", () => void guarded(null, readPoints));
  const band = element("input", { type: "text", placeholder: "30, 260", "aria-label": "Band in Hz" });
  const starts = element("input", { type: "text", value: "3", "aria-label": "Starts" });
  const run = primary("Update", "Calibrate the chosen parameters by the measurements", () =>
    void guarded(run, async () => {
      const unit = deckUnits.find(({ name }) => name === units.value);
      if (!unit) throw new Error("choose the units of the FE file");
      const paths = measured.filter(({ box }) => box.checked).map(({ path }) => path);
      if (paths.length === 0) throw new Error("choose at least one file of measured responses");
      const free = chosen.filter(({ kind, box }) => box.checked && !(kind === "bushing" && directions?.isUsed));
      const list: Json[] = free.map(({ kind, label }) => ({ kind, name: kind === "bushing" ? "k" : `${kind}_${label}`, labels: [label] }));
      if (directions?.isUsed) list.push(...directions.parameters());
      if (list.length === 0) throw new Error("choose at least one parameter");
      const count = Number(starts.value);
      if (!Number.isInteger(count) || count < 1) throw new Error("the number of starts is a whole number from 1");
      const options: JsonObject = { model: [model.value], parameters: list, starts: count };
      if (unit.length_m !== 1) options.length_m = unit.length_m;
      if (unit.mass_kg !== 1) options.mass_kg = unit.mass_kg;
      if (paths.length === 1) options.data = paths;
      else options.parts = paths.map((path) => ({ name: path.split("/").pop()!.replace(/\.[^.]*$/, ""), data: [path] }));
      const kept = points.filter(({ box }) => box.checked).map(({ name }) => name);
      if (kept.length > 0) options.validation = kept;
      if (band.value.trim() !== "") {
        const ends = band.value.split(/[,;\s]+/).map(Number);
        if (ends.length !== 2 || !(ends[0]! < ends[1]!)) throw new Error("the band is two frequencies in Hz, the lower one first");
        options.band_hz = ends;
      }
      location.hash = jobAddress(await jobs.submit("update", options));
    }),
  );
  await read();
  await readPoints().catch(() => undefined);
  const row = (label: string, hint: string | HTMLElement, ...content: Node[]) => element("div", { class: "field" }, element("span", { class: "field-name" }, label), element("div", {}, ...content, typeof hint === "string" ? element("p", { class: "hint" }, hint) : hint));
  return element(
    "section",
    { class: "card setup" },
    element("h2", {}, "Set up an update"),
    row("FE file", "A Nastran deck.", model),
    row("Its units", unitWords, units),
    sight,
    row("Measurements", "One file for each part; several parts are also looked at as a population.", element("div", { class: "choices" }, ...measured.map(({ path, box }) => element("label", { class: "check" }, box, path)))),
    row("What is uncertain", "Everything else stays as the FE file has it.", parameters),
    row("Validation points", "Measured, but not used: they check the result.", validation),
    row("Band", "Lowest and highest frequency in Hz; by default all lines.", band),
    row("Starts", "How many initial guesses are tried.", starts),
    element("div", { class: "row" }, run, element("a", { class: "button", href: addressOf(["run", "update"], { model: [model.value], data: data.map(({ path }) => path) }) }, "All options")),
  );
}
