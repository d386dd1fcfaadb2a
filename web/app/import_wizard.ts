// SPDX-License-Identifier: Apache-2.0
// What the columns of a table are, told by its user: quantity and unit of each, by dragging the quantity onto the column or from a menu; values
// that hold for all rows; part and direction. The curves that this gives are drawn at once, by the reader that every fit uses. What is told can be
// remembered for files with the same header. kdyn writes a copy with a header that it knows into the project; the file as it was dropped stays.

import { button, element } from "../report/dom";
import { post, type JsonObject, type Trouble } from "./api";
import { jobs } from "./jobs";
import { lookAt } from "./drop_zone";
import { MountPlots, type Measured } from "./mount_plots";
import { pageWords } from "./page_words";
import { guarded, primary, tell, troubleOf } from "./widgets";

// As kdyn inspect shows a column: its title, what that says, and the first cells.
export interface Column {
  title: string;
  meaning: string;
  unit: string;
  cells: string[];
}

export interface TableFile {
  path: string;
  columns?: Column[];
  sheets?: { name: string; columns: Column[] }[]; // of a workbook with several
  mapping?: Record<string, string>; // what the columns were taken for
  sets?: { sheet?: string; mapping?: Record<string, string> }[];
}

// Meanings as kdyn calls them, and as people do; the colour says what kind of quantity a column is.
const labels: Record<string, [string, string]> = {
  time: ["Time", "axis"],
  frequency: ["Frequency", "axis"],
  amplitude: ["Amplitude", "level"],
  preload: ["Preload", "level"],
  temperature: ["Temperature", "level"],
  displacement: ["Displacement or angle", "motion"],
  force: ["Force or moment", "load"],
  k_dyn: ["Dynamic stiffness", "load"],
  loss_angle: ["Loss angle", "phase"],
  loss_factor: ["Loss factor (tan δ)", "phase"],
  storage_stiffness: ["Storage stiffness (real part)", "load"],
  loss_stiffness: ["Loss stiffness (imaginary part)", "phase"],
  damping: ["Damping", "phase"],
  part: ["Part", "label"],
  direction: ["Direction", "label"],
};
const constants: [string, string, string][] = [
  ["amplitude", "Amplitude", "0.1 mm"],
  ["preload", "Preload", "850 N"],
  ["frequency", "Frequency", "10 Hz"],
  ["temperature", "Temperature", "23 °C"],
];
export const directionNames = ["x", "y", "z", "rx", "ry", "rz", "radial", "axial", "torsional", "cardanic"];

const dragged = "text/kdyn-quantity";
const quiet = 350; // ms without a change before curves are asked for

// How one table is to be read.
interface Mapping {
  columns: { name: string; unit: string; i: number; title: string }[];
  fixed: Record<string, string>; // "amplitude" -> "=0.1 mm"
  part: string;
  direction: string;
  decimal: string;
}

class TableMapper {
  readonly node = element("div");
  private readonly choices: { select: HTMLSelectElement; unit: HTMLInputElement; cells: HTMLElement[]; column: Column }[];
  private readonly fixed = new Map<string, HTMLInputElement>();
  private readonly part = element("input", { type: "text", class: "short", "aria-label": "Part of all rows", placeholder: "as told" });
  private readonly direction = element("select", { "aria-label": "Direction of all rows" }, element("option", { value: "" }, "as told"), ...directionNames.map((name) => element("option", { value: name }, name)));
  private readonly decimal = element("select", { "aria-label": "Decimal sign" }, ...[["", "as found"], ["comma", "comma"], ["point", "point"]].map(([value, label]) => element("option", { value: value! }, label!)));
  private readonly chips: HTMLButtonElement[] = [];
  private armed = "";

  constructor(
    columns: Column[],
    mapping: Record<string, string>,
    private readonly onChange: () => void,
  ) {
    const used = new Set<string>();
    const told = Object.fromEntries(Object.entries(mapping).map(([meaning, title]) => [title, meaning]));
    this.choices = columns.map((column) => {
      const select = element("select", { "aria-label": `Quantity of ${column.title}` }, element("option", { value: "" }, "not used"), ...Object.entries(labels).map(([name, [label]]) => element("option", { value: name }, label)));
      const meaning = told[column.title] ?? column.meaning;
      if (meaning in labels && !used.has(meaning)) select.value = meaning;
      used.add(meaning);
      const unit = element("input", { type: "text", value: column.unit, size: "7", placeholder: "unit", "aria-label": `Unit of ${column.title}` });
      return { select, unit, cells: [], column };
    });
    this.build();
    this.colour();
  }

  // What the user said; throws where it cannot be meant.
  mapping(): Mapping {
    const columns = this.choices.map(({ select, unit, column }, i) => ({ name: select.value, unit: unit.value.trim(), i, title: column.title })).filter(({ name }) => name !== "");
    const twice = columns.find(({ name }, k) => columns.some((other, l) => l < k && other.name === name));
    if (twice) throw new Error(`${twice.name.replaceAll("_", " ")} is chosen twice`);
    const fixed: Record<string, string> = {};
    for (const [name, input] of this.fixed) if (input.value.trim() !== "") fixed[name] = `=${input.value.trim()}`;
    const both = columns.find(({ name }) => name in fixed);
    if (both) throw new Error(`${both.name.replaceAll("_", " ")} is a column and a value for all rows`);
    if (columns.length < 2) throw new Error("choose at least two columns: displacement and force, or frequency, amplitude, stiffness and loss angle");
    return { columns, fixed, part: this.part.value.trim(), direction: this.direction.value, decimal: this.decimal.value };
  }

  private build(): void {
    const hold = (name: string) => {
      this.armed = this.armed === name ? "" : name;
      for (const chip of this.chips) chip.setAttribute("aria-pressed", String(chip.dataset.quantity === this.armed));
      this.node.classList.toggle("armed", this.armed !== "");
    };
    for (const [name, [label, kind]] of Object.entries(labels)) {
      const chip = button(label, "Drag it onto its column; or press it, then press the column", () => hold(name));
      chip.className = `chip quantity q-${kind}`;
      chip.draggable = true;
      chip.dataset.quantity = name;
      chip.setAttribute("aria-pressed", "false");
      chip.addEventListener("dragstart", (event) => event.dataTransfer?.setData(dragged, name));
      this.chips.push(chip);
    }
    const put = (at: number, name: string) => {
      // A quantity stands in one column.
      this.choices.forEach(({ select }, i) => i !== at && select.value === name && (select.value = ""));
      this.choices[at]!.select.value = name;
      if (this.armed !== "") hold(this.armed);
      this.colour();
      this.onChange();
    };
    const takes = (node: HTMLElement, at: number) => {
      node.addEventListener("dragover", (event) => {
        if (!event.dataTransfer?.types.includes(dragged)) return;
        event.preventDefault();
        this.choices[at]!.cells.forEach((cell) => cell.classList.add("over"));
      });
      node.addEventListener("dragleave", () => this.choices[at]!.cells.forEach((cell) => cell.classList.remove("over")));
      node.addEventListener("drop", (event) => {
        const name = event.dataTransfer?.getData(dragged) ?? "";
        this.choices[at]!.cells.forEach((cell) => cell.classList.remove("over"));
        if (name === "") return;
        event.preventDefault();
        event.stopPropagation();
        put(at, name);
      });
      node.addEventListener("click", () => this.armed !== "" && put(at, this.armed));
      this.choices[at]!.cells.push(node);
    };
    const head = element("tr", {});
    this.choices.forEach(({ select, unit, column }, i) => {
      const cell = element("th", { class: "left" }, element("div", {}, column.title || `column ${i + 1}`), select, unit);
      select.addEventListener("change", () => {
        this.colour();
        this.onChange();
      });
      unit.addEventListener("input", () => this.onChange());
      takes(cell, i);
      head.append(cell);
    });
    const body = element("tbody", {});
    for (let row = 0; row < (this.choices[0]?.column.cells.length ?? 0); ++row) {
      const line = element("tr", {});
      this.choices.forEach(({ column }, i) => {
        const cell = element("td", {}, column.cells[row] ?? "");
        takes(cell, i);
        line.append(cell);
      });
      body.append(line);
    }
    const fixed = constants.map(([name, label, sample]) => {
      const input = element("input", { type: "text", class: "short", placeholder: sample, "aria-label": `${label} of all rows` });
      this.fixed.set(name, input);
      input.addEventListener("input", () => this.onChange());
      return element("label", { class: "setting" }, element("span", {}, label), input);
    });
    for (const input of [this.part, this.direction, this.decimal]) input.addEventListener("input", () => this.onChange());
    const setting = (label: string, input: HTMLElement) => element("label", { class: "setting" }, element("span", {}, label), input);
    this.node.append(
      element("div", { class: "chips quantities", role: "group", "aria-label": "Quantities" }, ...this.chips),
      element("div", { class: "table-scroll" }, element("table", {}, element("thead", {}, head), body)),
      element("div", { class: "row for-all" }, element("b", {}, "For all rows"), ...fixed, setting("Part", this.part), setting("Direction", this.direction), setting("Decimal sign", this.decimal)),
    );
  }

  private colour(): void {
    for (const { select, unit, cells } of this.choices) {
      unit.hidden = select.value === "" || select.value === "part" || select.value === "direction";
      const kind = labels[select.value]?.[1];
      for (const cell of cells) {
        cell.classList.forEach((name) => name.startsWith("q-") && cell.classList.remove(name));
        if (kind) cell.classList.add(`q-${kind}`);
      }
    }
    const taken = new Set(this.choices.map(({ select }) => select.value));
    for (const chip of this.chips) chip.classList.toggle("placed", taken.has(chip.dataset.quantity!));
  }
}

// The options of a reader. Columns by number: titles may repeat.
function hintsOf(mapping: Mapping, sheet: string | undefined, labelled: boolean): JsonObject {
  const columns: JsonObject = { ...Object.fromEntries(mapping.columns.map(({ name, i }) => [name, String(i + 1)])), ...mapping.fixed };
  if (labelled && mapping.part) columns.part = `=${mapping.part}`;
  if (labelled && mapping.direction) columns.direction = `=${mapping.direction}`;
  const units = mapping.columns.filter(({ unit, name }) => unit !== "" && name !== "part" && name !== "direction");
  return {
    columns,
    units: Object.fromEntries(units.map(({ name, unit }) => [name, unit])),
    ...(mapping.decimal ? { decimal: mapping.decimal } : {}),
    ...(sheet !== undefined ? { sheets: [sheet] } : {}),
    layout: "none",
  };
}

export const plainName = (path: string): string => path.split("/").pop()!.split(".").slice(0, -1).join(".");

// `others`: files of the same page, of which those with the same header can be read alike.
export function importWizard(file: TableFile, others: TableFile[]): HTMLElement {
  const { path } = file;
  const tables = (file.sheets ?? []).length > 1 ? file.sheets!.map(({ name, columns }) => ({ sheet: name as string | undefined, columns })) : [{ sheet: undefined as string | undefined, columns: file.columns ?? [] }];
  const preview = element("div", { class: "wizard-preview", "aria-live": "polite" });
  let timer = 0;
  let asked = 0;
  let current = 0;
  const touched = new Set<number>();

  // What to do stands above: the columns and their units.
  const notYet = ({ message }: Trouble) => preview.replaceChildren(element("p", { class: "hint" }, element("b", {}, "No curves yet: "), pageWords(message)));
  const draw = async (): Promise<void> => {
    const mine = ++asked;
    try {
      const { measured, trouble } = await post<{ measured?: Measured; trouble?: Trouble }>("api/workbench/preview", { files: [path], read: hintsOf(mappers[current]!.mapping(), tables[current]!.sheet, false) });
      if (mine !== asked) return;
      if (!measured) return notYet(trouble ?? { message: "nothing was read" });
      const { preloads_n: preloads, curves } = measured.map;
      const counts = [curves.length > 0 && `${curves.length} ${curves.length === 1 ? "curve" : "curves"} of a map${preloads.length > 1 ? ` at ${preloads.length} preloads` : ""}`, measured.loops.length > 0 && "a static loop", measured.series.length > 0 && "a time record"].filter(Boolean);
      preview.replaceChildren(
        element("p", { class: "hint" }, element("b", {}, "These columns give "), `${counts.join(", ")}.`),
        ...(preloads.length > 0 ? preloads : [0]).slice(0, 3).map((_, p) => new MountPlots(p === 0 ? measured : { ...measured, loops: [], series: [] }, p, undefined, { namePreload: true }).node),
      );
    } catch (error) {
      if (mine !== asked) return;
      notYet(troubleOf(error));
    }
  };
  const later = () => {
    touched.add(current);
    clearTimeout(timer);
    timer = window.setTimeout(() => preview.isConnected && void draw(), quiet);
  };
  const toldOf = (sheet: string | undefined) => (sheet === undefined ? file.mapping : file.sets?.find((set) => set.sheet === sheet)?.mapping) ?? {};
  const mappers = tables.map(({ sheet, columns }) => new TableMapper(columns, toldOf(sheet), later));

  const place = element("div");
  const show = (at: number) => {
    current = at;
    place.replaceChildren(mappers[at]!.node);
    tabs.forEach((tab, i) => tab.setAttribute("aria-pressed", String(i === at)));
    void draw();
  };
  const tabs = tables.length > 1 ? tables.map(({ sheet }, i) => button(sheet!, `Columns of the sheet ${sheet}`, () => show(i))) : [];

  // The same header in other files of the page: told once.
  const head = (one: TableFile) => JSON.stringify((one.columns ?? []).map(({ title }) => title));
  const alike = tables.length > 1 ? [] : others.filter((one) => one.path !== path && (one.sheets ?? []).length < 2 && head(one) === head(file));
  const forAll = element("input", { type: "checkbox" });
  forAll.checked = alike.length > 0;
  const remember = element("input", { type: "checkbox" });
  const name = element("input", { type: "text", class: "keep", "aria-label": "Name of the template", placeholder: "name, such as our 831", hidden: "" });
  const where = element("select", { "aria-label": "Where the template is kept", hidden: "" }, element("option", { value: "project" }, "in this project"), element("option", { value: "user" }, "in all my projects"));
  remember.addEventListener("change", () => {
    name.hidden = where.hidden = !remember.checked;
    if (remember.checked) name.focus();
  });

  const keep = async (mapping: Mapping, sheet: string | undefined) => {
    const titles = mapping.columns.map(({ title }) => title);
    if (titles.some((title) => title.trim() === "") || new Set(titles).size < titles.length) throw new Error("columns without a title, or with the same one, cannot be known again: no template can be kept");
    const hints = hintsOf(mapping, sheet, false);
    delete hints.layout;
    hints.columns = { ...Object.fromEntries(mapping.columns.map(({ name: meaning, title }) => [meaning, title])), ...mapping.fixed };
    await jobs.resultOf("inspect", { files: [path], ...hints, save_layout: name.value.trim(), layout_for_user: where.value === "user" });
    tell(`Kept as “${name.value.trim()}”: files with these columns are read by it.`);
  };

  const save = primary("Use these columns", "Put a copy with these columns into the project and look at it", () =>
    void guarded(save, async () => {
      if (remember.checked && name.value.trim() === "") throw new Error("give the template a name");
      const outputs: string[] = [];
      // Of a workbook: every sheet that has columns enough; one that was touched must be right.
      const chosen = mappers.flatMap((mapper, at) => {
        try {
          return [{ mapping: mapper.mapping(), sheet: tables[at]!.sheet }];
        } catch (error) {
          if (tables.length === 1 || touched.has(at)) throw error;
          return [];
        }
      });
      if (chosen.length === 0) throw new Error("no sheet has two columns that are told");
      for (const { mapping, sheet } of chosen)
        for (const one of [path, ...(forAll.checked ? alike.map((other) => other.path) : [])]) {
          const output = `data/${plainName(one)}${sheet === undefined ? "" : `_${sheet.replace(/[^\p{L}\p{N}_-]+/gu, "_")}`}_columns.csv`;
          await jobs.resultOf("convert", { input: one, output, ...hintsOf(mapping, sheet, true) });
          outputs.push(output);
        }
      if (remember.checked) await keep(chosen[0]!.mapping, chosen[0]!.sheet);
      const done = new Set([path, ...(forAll.checked ? alike.map((other) => other.path) : [])]);
      await lookAt([...others.filter((one) => !done.has(one.path)).map((one) => one.path), ...outputs]);
    }),
  );
  show(0);
  return element(
    "div",
    { class: "columns" },
    element("p", { class: "hint" }, "Drag each quantity onto its column, or choose it in the menu there; units as mm, kN, N/mm, deg. What stands in no column but holds for all rows is written below."),
    tabs.length > 0 && element("div", { class: "row sheets", role: "group", "aria-label": "Sheets" }, ...tabs),
    place,
    preview,
    element(
      "div",
      { class: "row" },
      save,
      alike.length > 0 && element("label", { class: "check" }, forAll, `also for ${alike.length} ${alike.length === 1 ? "file" : "files"} with this header`),
      element("label", { class: "check" }, remember, "remember for files with this header"),
      name,
      where,
    ),
  );
}
