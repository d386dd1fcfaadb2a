// SPDX-License-Identifier: Apache-2.0
// What was recognised in dropped files: kind, units, findings, a picture; and what can be done with them.

import { button, element } from "../report/dom";
import { pretty } from "../report/format";
import { renderBlock } from "../report/blocks";
import { renderFindings } from "../report/findings";
import type { Finding } from "../report/model";
import { assessSetup } from "./assess_form";
import { post, readFile, type JsonObject, type Trouble } from "./api";
import { pictureOf, placePlots, readDocument } from "./document_view";
import { headOf, endCard } from "./run_parts";
import { isOver, jobs, type Job } from "./jobs";
import { responseBrowser } from "./modal_tabs";
import { MountPlots, seriesDetail, type Measured } from "./mount_plots";
import { importWizard, type TableFile } from "./import_wizard";
import { partTable } from "./part_table";
import { channelsOf, insituSetup, type Place as ModelPlace, type Record as Measurement } from "./insitu_form";
import { pageWords, placeWords } from "./page_words";
import { appInfo } from "./project";
import { updateSetup } from "./update_form";
import { vehicleSetup } from "./vehicle_form";
import { addressOf, type Page, type Place } from "./router";
import { settings } from "./settings";
import { titleOf } from "./operation_words";
import { guarded, jobAddress, primary, progressCard, troubleCard, troubleOf } from "./widgets";

interface InspectedFile extends TableFile {
  kind: string;
  format?: string;
  rows?: number;
  summary?: string[];
  conversions?: { column: string; unit: string; si_unit: string; factor: number }[];
  findings: Finding[];
  operations?: string[]; // that take the options of a job
  suggests?: { operation: string; because: string };
  operation?: string; // of a job file or a result
  places?: ModelPlace[]; // of bushings and sensors
  part?: string;
  direction?: string;
  sets?: { kind?: string; sheet?: string; mapping?: Record<string, string>; part?: string; direction?: string }[]; // measurements of several parts or directions in one file
}

// Measurements of a mount; a record of a motion alone, such as a road, is none.
const isBench = (file: InspectedFile): boolean => (file.rows !== undefined || (file.sets ?? []).length > 0) && !isMotion(file);
const isMotion = (file: InspectedFile): boolean => file.kind === "series" && (file.summary ?? []).some((line) => /^no force/.test(line));

// The directions that were measured, by part; "" where the files name no part. What stands alone lends its name to those that tell none, as
// every fit takes it.
function directionsByPart(files: InspectedFile[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  const sets = files.filter(isBench).flatMap((file): { part?: string; direction?: string }[] => ((file.sets ?? []).length > 0 ? file.sets! : [file]));
  const names = new Set(sets.flatMap(({ part }) => (part ? [part] : [])));
  const only = names.size === 1 ? [...names][0]! : "";
  for (const { part = only, direction = "" } of sets) {
    const known = found.get(part) ?? [];
    found.set(part, direction === "" || known.includes(direction) ? known : [...known, direction]);
  }
  return found;
}

// Signals of a modal test are named by points and directions (13+Z); others are a drive.
const isModalTest = ({ kind, summary = [] }: InspectedFile): boolean => kind === "signals" && summary.some((line) => /'\w+[+-][XYZ]'/.test(line));

const kindWords: Record<string, string> = {
  map: "dynamic-stiffness map",
  static: "static loop",
  series: "transient",
  model: "model",
  frequency_response: "frequency responses",
  multibody: "multibody model",
  deck: "FE model",
  matrices: "matrices",
  flexible_body: "flexible body",
  mount_file: "bushing property file",
  signals: "signals",
  decays: "free decays of a vehicle",
  job: "job",
  result: "result",
  geometry: "points in space",
  active_mount_frf: "responses of an active mount",
  layout: "layout of columns",
  manifest: "description of data",
  fmu: "FMU",
  tyre: "tyre property file",
  unknown: "not recognised",
};

// What was found. Several measurements in one file (sheets of a workbook) are a list each.
function summaryOf(lines: string[]): HTMLElement {
  const list = (some: string[]) => element("ul", { class: "summary" }, ...some.map((line) => element("li", {}, pretty(line))));
  const starts = lines.flatMap((line, i) => (/^(part|direction) .*\(from /.test(line) ? [i] : []));
  if (starts.length < 2) return list(lines);
  const groups = starts.map((from, k) => lines.slice(from, starts[k + 1]));
  return element("div", { class: "summaries" }, ...(starts[0]! > 0 ? [list(lines.slice(0, starts[0]))] : []), ...groups.map(list));
}

function fileCard(file: InspectedFile, all: InspectedFile[]): HTMLElement {
  const unknown = file.kind === "unknown";
  const card = element(
    "section",
    { class: "card" },
    element(
      "div",
      { class: "card-head" },
      element("h2", {}, file.path.split("/").pop()!),
      element("span", { class: `state ${unknown ? "poor" : "good"}` }, kindWords[file.kind] ?? file.kind.replaceAll("_", " ")),
    ),
    summaryOf(file.summary ?? []),
  );
  if (file.conversions && file.conversions.length > 0) {
    const rows = file.conversions.map(({ column, unit, si_unit, factor }) =>
      element("tr", {}, element("td", {}, element("code", {}, column)), element("td", {}, unit), element("td", { class: "soft" }, factor === 1 ? si_unit : `${si_unit} × ${Number(factor.toPrecision(6))}`)),
    );
    const head = element("tr", {}, ...["Column", "Unit", "Read as"].map((title) => element("th", { class: "left" }, title)));
    card.append(element("details", {}, element("summary", {}, "Columns and units"), element("div", { class: "table-scroll" }, element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows)))));
  }
  card.append(renderFindings({ kind: "findings", findings: file.findings, when_empty: "Nothing unusual." }));
  // Tables can be told what their columns are; other formats say so themselves.
  const columns = file.columns ?? [];
  if ((columns.length > 0 || (file.sheets ?? []).length > 0) && (unknown || file.kind === "table" || isBench(file))) {
    const place = element("div");
    const edit = button(unknown ? "Assign the columns" : "Change columns or units", "Name the quantity and unit of each column", () =>
      void guarded(edit, async () => {
        place.replaceChildren(importWizard(file, all));
        edit.hidden = true;
      }),
    );
    if (unknown) edit.classList.add("primary");
    card.append(element("div", { class: "row" }, edit), place);
  }
  return card;
}

// What fits what was found. Every operation is offered with the files filled in; those for a mount start at once.
// Where a set-up below asks for more, nothing above it is the first choice.
function actionsFor(files: InspectedFile[], known: Set<string>, asked: boolean): Node[] {
  const bench = files.filter(isBench).map((file) => file.path);
  // A road that comes with a model is what drives it, not something to assess.
  const rest = files.filter((file) => !isBench(file) && file.kind !== "unknown" && !isMotion(file));
  const actions: Node[] = [];
  const parts = directionsByPart(files);
  const several = [...parts].filter(([, directions]) => directions.length > 1);
  // All directions of a part are one bushing; a single fit never mixes them.
  for (const [part, directions] of several) {
    const label = `Fit the bushing${part === "" ? "" : ` ${part}`} (${directions.join(", ")})`;
    const node = primary(label, "Identify all directions and make one six-axis bushing of them", () =>
      void guarded(node, async () => {
        location.hash = jobAddress(await jobs.submit("fit bushing", { data: bench, ...(part === "" || parts.size < 2 ? {} : { part }) }));
      }),
    );
    actions.push(node);
  }
  if (several.length > 0) actions.push(element("a", { class: "button", href: addressOf(["run", "fit bushing"], { data: bench }) }, "Fit with options"));
  else if (bench.length > 0) {
    const suggestion = files.find(({ suggests }) => suggests)?.suggests;
    const hydro = suggestion?.operation === "fit hydromount";
    const fit = (operation: string, label: string, title: string, recommended: boolean) => {
      const node = (recommended ? primary : button)(label, title, () =>
        void guarded(node, async () => {
          location.hash = jobAddress(await jobs.submit(operation, { data: bench }));
        }),
      );
      return node;
    };
    actions.push(
      fit("fit elastomer", "Fit an elastomer mount", "Identify the rubber law with confidence intervals", !hydro),
      fit("fit hydromount", "Fit a hydro mount", "Identify a mount with fluid", hydro),
      element("a", { class: "button", href: addressOf(["run", suggestion?.operation ?? "fit elastomer"], { data: bench }) }, "Fit with options"),
      element("a", { class: "button", href: addressOf(["run", "fit compare"], { data: bench }) }, "Compare laws"),
    );
    if (suggestion) actions.push(element("p", { class: "suggestion" }, element("b", {}, hydro ? "Looks like a hydro mount: " : "Looks like rubber: "), suggestion.because));
  }
  // What needs no more than the files starts at once; the rest begins with its form.
  const offers: { kinds: string[]; operation: string; field: string; list: boolean; label: string; atOnce: boolean }[] = [
    { kinds: ["frequency_response"], operation: "modal", field: "data", list: true, label: "Identify modes", atOnce: true },
    { kinds: ["multibody"], operation: "simulate", field: "model", list: false, label: "Simulate", atOnce: true },
    { kinds: ["signals"], operation: "frf", field: "data", list: true, label: "Estimate responses", atOnce: false },
    { kinds: ["signals"], operation: "assess", field: "file", list: false, label: "Assess comfort and damage", atOnce: true },
    { kinds: ["model"], operation: "rig", field: "model", list: false, label: "Run on the virtual rig", atOnce: false },
    { kinds: ["deck", "matrices"], operation: "fe", field: "files", list: true, label: "Find the modes of the FE model", atOnce: true },
    { kinds: ["bushing", "mount_file"], operation: "import", field: "file", list: false, label: "Import models", atOnce: true },
  ];
  if (!rest.some(isModalTest)) offers.splice(2, 2, offers[3]!, offers[2]!);
  for (const { kinds, operation, field, list, label, atOnce } of offers) {
    if (!known.has(operation)) continue;
    const paths = rest.filter((file) => kinds.includes(file.kind) && !(operation === "assess" && isModalTest(file))).map((file) => file.path);
    if (paths.length === 0) continue;
    const shapes = ["modal", "frf"].includes(operation) ? rest.filter((file) => file.kind === "geometry").map((file) => file.path).slice(0, 1) : [];
    const second = operation === "assess" && paths.length === 2 ? [paths[1]!] : []; // two drives are compared
    const more = { ...(shapes.length > 0 ? { geometry: shapes } : {}), ...(second.length > 0 ? { compare: second } : {}) };
    const form = addressOf(["run", operation], { [field]: second.length > 0 ? [paths[0]!] : paths, ...more });
    const first = actions.length === 0 && !asked;
    if (!atOnce) {
      actions.push(element("a", { class: first ? "button primary" : "button", href: form }, label));
      continue;
    }
    const node = (first ? primary : button)(label, "Start with the usual options", () =>
      void guarded(node, async () => {
        const options: JsonObject = { [field]: list ? paths : paths[0]!, ...Object.fromEntries(Object.entries(more).map(([name, [path]]) => [name, path!])) };
        location.hash = jobAddress(await jobs.submit(operation, options));
      }),
    );
    actions.push(node, element("a", { class: "button", href: form }, `${label} with options`));
  }
  // A job file has all options: it runs as it is, with the files it names beside it.
  for (const { path, operation, operations = [] } of rest.filter(({ kind }) => kind === "job")) {
    const name = operation ?? (operations.length === 1 ? operations[0]! : undefined);
    if (name === undefined || !known.has(name)) continue;
    const node = (actions.length === 0 ? primary : button)(`Run ${path.split("/").pop()!}`, titleOf(name), () =>
      void guarded(node, async () => {
        location.hash = jobAddress(await jobs.submit(name, { job: path }));
      }),
    );
    actions.push(node);
  }
  const active = rest.filter(({ kind }) => kind === "active_mount_frf").map(({ path }) => path);
  const activeModel = rest.find(({ kind, summary }) => kind === "model" && summary?.some((line) => /active/i.test(line)));
  if (active.length > 0 && activeModel) {
    const node = primary("Fit the active mount", "Its parameters from the measured responses", () =>
      void guarded(node, async () => {
        location.hash = jobAddress(await jobs.submit("fit activemount", { data: active, model: activeModel.path }));
      }),
    );
    actions.push(node);
  }
  if (rest.some(({ kind }) => kind === "deck") && known.has("update")) actions.push(element("a", { class: "button", href: addressOf(["update"]) }, "Set up an update"));
  return actions;
}

// Titles without their units: "a1.x [m/s^2]" is a1.x.
const columnsOf = ({ columns = [], conversions = [] }: InspectedFile): string[] =>
  (columns.length > 0 ? columns.map(({ title }) => title) : conversions.map(({ column }) => column)).map((title) => title.replace(/\s*[[(].*$/, "").trim()).filter((title) => title !== "" && !/^time/i.test(title));

// Jobs that need more than the files: asked for here, with what the files say filled in.
async function setupsFor(files: InspectedFile[], known: Set<string>, job: Job): Promise<{ setups: Node[]; drawn: Set<string> }> {
  const of = (kind: string) => files.filter((file) => file.kind === kind);
  const out: Node[] = [];
  const drawn = new Set<string>(); // files whose picture a set-up has
  const decays = of("decays").map(({ path }) => path);
  if (decays.length > 0 && known.has("vehicle")) out.push(vehicleSetup(decays, of("decays").flatMap(columnsOf)));
  const drives = of("signals").filter((file) => !isModalTest(file));
  if (drives.length > 0 && drives.length < 3 && of("multibody").length === 0 && known.has("assess")) out.push(assessSetup(drives.map((file) => ({ path: file.path, columns: columnsOf(file), accelerations: (file.summary ?? []).flatMap((line) => /'([^']+)'.*\/s(?:\^2|²)?$/.exec(line)?.[1] ?? []) }))));
  const [model] = of("multibody");
  if (model && known.has("insitu")) {
    const channels = channelsOf(await readFile<JsonObject>(model.path));
    const records = files.filter((file) => file !== model && columnsOf(file).some((title) => channels.includes(title)));
    const measured = records.map((file): Measurement => ({ path: file.path, columns: columnsOf(file) }));
    const block = measured.length > 0 ? await pictureOf(job, model.path) : undefined;
    if (block) drawn.add(model.path);
    for (const one of measured.slice(0, 1)) out.push(await insituSetup(model.path, one, block && { block, places: model.places ?? [] }));
  }
  const responses = of("frequency_response").map(({ path }) => path);
  const [deck] = of("deck");
  if (deck && responses.length > 0 && known.has("update")) {
    out.push(await updateSetup({ model: deck.path, data: responses }));
    for (const { path } of [deck, ...of("geometry")]) drawn.add(path);
  }
  return { setups: out, drawn };
}

export function dataPage(place: Place): Page {
  const id = place.parts[1] ?? "";
  const node = element("div");
  const disposers: (() => void)[] = [];

  const pictures = async (job: Job, files: InspectedFile[], drawnBelow: Set<string>): Promise<HTMLElement> => {
    const holder = element("div");
    const structures = element("div", { class: "pair structures" });
    holder.append(structures);
    // Structures: what the files hold in space, drawn as in the report.
    const { sections } = await readDocument(job);
    for (const section of sections)
      for (const block of section.blocks) {
        // Several files: each picture says whose it is.
        const name = sections.length > 1 ? section.title.split("/").pop()! : "";
        if (block.kind === "animation" && !drawnBelow.has(section.title)) structures.append(renderBlock(name === "" ? block : { ...block, title: `${block.title}: ${name}` }, placePlots));
      }
    const responses = files.filter((file) => file.kind === "frequency_response").map((file) => file.path);
    if (responses.length > 0) {
      try {
        holder.append(await responseBrowser(responses));
      } catch (error) {
        holder.append(troubleCard(troubleOf(error)));
      }
    }
    const bench = files.filter(isBench).map((file) => file.path);
    if (bench.length === 0) return holder;
    const groups = [...directionsByPart(files).values()];
    if (groups.length > 1 || groups.some((directions) => directions.length > 1)) {
      // One after the other, as in the report: the workbench holds one part and direction.
      for (const block of sections.flatMap(({ blocks }) => blocks)) if (block.kind === "plot_row") holder.append(renderBlock(block, placePlots));
      return holder;
    }
    try {
      // Files that do not belong together are no error of the page: whose they are can be said below.
      const { measured, trouble } = await post<{ measured?: Measured; trouble?: Trouble }>("api/workbench/preview", { files: bench });
      if (!measured) {
        holder.append(element("p", { class: "hint" }, element("b", {}, "Not drawn together: "), `${pageWords(trouble?.message ?? "")} ${placeWords(trouble?.where ?? "")}`));
        for (const block of sections.flatMap(({ blocks }) => blocks)) if (block.kind === "plot_row") holder.append(renderBlock(block, placePlots));
        return holder;
      }
      const { preloads_n: preloads } = measured.map;
      const rest = { ...measured, loops: [], series: [] };
      const curves = element("div");
      holder.append(curves);
      const draw = () =>
        curves.replaceChildren(
          ...(preloads.length > 0 ? preloads : [0]).map((_, p) => new MountPlots(p === 0 ? measured : rest, p, undefined, { namePreload: true, detail: seriesDetail(bench, {}) }).node),
        );
      draw();
      disposers.push(settings.onUnits(draw));
    } catch (error) {
      holder.append(troubleCard(troubleOf(error)));
    }
    return holder;
  };

  const show = async (): Promise<void> => {
    let job: Job | undefined = jobs.get(id);
    if (!job) return node.replaceChildren(troubleCard({ message: `There is no run ${id} in this project`, remedy: "drop the files again" }));
    if (!isOver(job)) {
      const progress = progressCard(id);
      disposers.push(progress.dispose);
      node.replaceChildren(headOf(job, "Data"), progress.node);
      job = await jobs.finished(id);
    }
    const trouble = endCard(job);
    if (!job.has_result) return node.replaceChildren(headOf(job, "Data"), ...(trouble ? [trouble] : []));
    const { files } = await readFile<{ files: InspectedFile[] }>(`${job.folder}/result.json`);
    const known = new Set((await appInfo()).operations.map(({ operation }) => operation));
    const { setups, drawn } = await setupsFor(files, known, job);
    node.replaceChildren(
      headOf(job, "What was recognised"),
      element("div", { class: "row actions-bar" }, ...actionsFor(files, known, setups.length > 0)),
      await pictures(job, files, drawn),
      ...setups,
      partTable(files.filter(isBench), files) ?? "",
      element("div", { class: "cards" }, ...files.map((file) => fileCard(file, files))),
    );
  };
  void show().catch((error: unknown) => node.replaceChildren(troubleCard(troubleOf(error))));
  return { title: "Data", section: "start", node, dispose: () => disposers.forEach((dispose) => dispose()) };
}
