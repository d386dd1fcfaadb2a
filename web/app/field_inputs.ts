// SPDX-License-Identifier: Apache-2.0
// One input for each kind of field: numbers in the user's units, lists, tables of names and values, and fields with fields of their own.
// What is typed is checked at once; nobody has to write JSON.

import { button, element } from "../report/dom";
import { formatShort, unitText } from "../report/format";
import type { Json, JsonObject } from "./api";
import { choiceOf, labelOf, meaningOf, shownUnit } from "./field_words";
import { withFiles } from "./file_input";
import type { FieldInfo } from "./project";

export interface Input {
  field: FieldInfo;
  node: HTMLElement;
  read: () => Json | undefined; // undefined: default; throws Error that says what is wrong
}

const takesFiles = (field: FieldInfo): boolean => field.path === "input" || field.path === "job";

export function limitsOf(field: FieldInfo): string {
  const { factor } = shownUnit(field);
  const number = (value: number) => formatShort(value * factor, 6);
  const parts: string[] = [];
  if (field.above !== undefined) parts.push(`above ${number(field.above)}`);
  else if (field.minimum !== undefined) parts.push(`from ${number(field.minimum)}`);
  // Bounds that only keep nonsense out need no words.
  if (field.maximum !== undefined && Math.max(field.maximum, field.maximum * factor) < 1e5) parts.push(`to ${number(field.maximum)}`);
  return parts.length > 0 ? ` (${parts.join(" ")})` : "";
}

let serial = 0;

export function inputOf(field: FieldInfo, given: Json | undefined, id = `part-${++serial}`): Input {
  switch (field.kind) {
    case "choice":
      return choiceInput(field, given, id);
    case "true or false": {
      const box = element("input", { id, type: "checkbox" });
      box.checked = Boolean(given ?? field.default);
      return { field, node: box, read: () => (box.checked === Boolean(field.default) ? undefined : box.checked) };
    }
    case "object of numbers":
    case "object of texts":
    case "object of [lower, upper] pairs":
      return namedValues(field, given, id);
    case "list of [x, y] pairs":
      return pairs(field, given, id);
    case "object":
      return field.fields ? group(field, given, id) : textInput(field, given, id);
    case "list of objects":
    case "object of objects":
      return field.fields ? listOfGroups(field, given, id) : textInput(field, given, id);
    case "any":
      if (isObject(given ?? (field.default as Json))) return namedValues(field, given, id);
      if (Array.isArray(field.default)) return fromFilesOnly(field, given, id);
      return textInput(field, given, id);
    default:
      return textInput(field, given, id);
  }
}

const isObject = (value: Json | undefined): boolean => typeof value === "object" && value !== null && !Array.isArray(value);

// Too much for a line: such options are read from a job file, and go along when a run is changed.
function fromFilesOnly(field: FieldInfo, given: Json | undefined, id: string): Input {
  const words = given === undefined ? "Job files can have this." : "As in the earlier run.";
  return { field, node: element("p", { class: "soft", id }, words), read: () => given };
}

function choiceInput(field: FieldInfo, given: Json | undefined, id: string): Input {
  const select = element("select", { id }, ...(field.choices ?? []).map((choice) => element("option", { value: choice }, choiceOf(choice))));
  select.value = String(given ?? field.default);
  return { field, node: select, read: () => (select.value === field.default ? undefined : select.value) };
}

function shown(value: unknown, factor: number, digits = 10): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return formatShort(value * factor, digits);
  if (typeof value === "string") return value;
  if (Array.isArray(value)) {
    if (value.every((one) => Array.isArray(one))) return value.map((row) => shown(row, factor).replaceAll(", ", " ")).join("; ");
    if (value.every((one) => typeof one === "string" || typeof one === "number")) return value.map((one) => shown(one, factor)).join(", ");
  }
  return "";
}

// A decimal comma is meant when it stands alone between digits.
function numberOf(word: string, field: FieldInfo, factor: number): number {
  const value = Number(/^[^,]*\d,\d[^,]*$/.test(word) ? word.replace(",", ".") : word) / factor;
  if (word === "" || !Number.isFinite(value)) throw new Error(`"${word}" is not a number`);
  const whole = field.kind === "whole number" || field.kind === "list of whole numbers";
  if (whole && !Number.isInteger(value)) throw new Error(`"${word}" is not a whole number`);
  const hair = 1e-12 * Math.abs(value);
  const low = field.above !== undefined ? value <= field.above : field.minimum !== undefined && value < field.minimum - hair;
  if (low || (field.maximum !== undefined && value > field.maximum + hair)) throw new Error(`${word} is out of range${limitsOf(field)}`);
  return value;
}

// A length or an angle, whichever the axis asks for: only its unit says which.
const byUnit: Record<string, number> = { m: 1, mm: 1e-3, µm: 1e-6, um: 1e-6, rad: 1, mrad: 1e-3, deg: Math.PI / 180, "°": Math.PI / 180 };
const isEither = ({ unit }: FieldInfo): boolean => unit === "m or rad";
const eitherText = (value: number): string => `${formatShort(1e3 * value, 6)} mm or ${formatShort((180 / Math.PI) * value, 3)} deg`;

function eitherOf(text: string, field: FieldInfo): number {
  const [, number = "", unit = ""] = /^(\S*?)\s*([a-zµ°]+)$/i.exec(text) ?? [];
  const factor = byUnit[unit];
  if (factor === undefined) throw new Error(`"${text}" needs its unit, such as 1 mm or 0.5 deg`);
  return numberOf(number, field, 1 / factor);
}

function parse(field: FieldInfo, text: string, factor: number): Json {
  const list = () => text.split(/[;\s]+|,\s*/).filter((word) => word !== "");
  switch (field.kind) {
    case "number":
    case "number or null":
    case "whole number":
      if (isEither(field)) return eitherOf(text, field);
      return numberOf(text, field, factor);
    case "list of numbers":
    case "list of whole numbers":
      return list().map((word) => numberOf(word, field, factor));
    case "list of texts":
      return text.split(",").map((word) => word.trim()).filter(Boolean);
    case "text":
      return text;
    default: {
      // Any value: numbers, rows of numbers divided by semicolons, or words.
      const rows = text.split(";").map((row) => row.split(/[,\s]+/).filter(Boolean));
      const numbers = rows.every((row) => row.every((word) => Number.isFinite(Number(word))));
      if (!numbers) return text;
      const values = rows.map((row) => row.map(Number));
      return values.length > 1 ? values : values[0]!.length > 1 ? values[0]! : values[0]![0]!;
    }
  }
}

// What is typed is judged as it is typed; the words stand below the input.
function checked(text: HTMLInputElement, read: () => unknown): HTMLElement {
  const words = element("p", { class: "wrong", "aria-live": "polite" });
  words.hidden = true;
  const judge = () => {
    let wrong = "";
    try {
      read();
    } catch (error) {
      wrong = (error as Error).message;
    }
    words.hidden = wrong === "";
    words.textContent = wrong;
    text.setAttribute("aria-invalid", String(wrong !== ""));
  };
  text.addEventListener("input", judge);
  return words;
}

function textInput(field: FieldInfo, given: Json | undefined, id: string): Input {
  const { factor } = shownUnit(field);
  const text = element("input", { id, type: "text", autocomplete: "off", spellcheck: "false", placeholder: isEither(field) && typeof field.default === "number" ? eitherText(field.default) : shown(field.default, factor, 6) });
  const start = given === undefined ? "" : shown(given, factor);
  text.value = start;
  const read = (): Json | undefined => {
    const now = text.value.trim();
    // What cannot be shown in a line, or was not touched, stays as it came.
    if (given !== undefined && now === start) return given;
    return now === "" ? undefined : parse(field, now, factor);
  };
  const node = element("div", {}, takesFiles(field) ? withFiles(field, text) : text, checked(text, read));
  return { field, node, read };
}

interface Row {
  node: HTMLElement;
  read: () => void;
}

// Rows that can be added and taken away.
function rowsOf(id: string, add: string, make: (take: () => void) => Row): { node: HTMLElement; rows: Row[]; more: () => void } {
  const rows: Row[] = [];
  const place = element("div", { class: "rows" });
  const more = () => {
    const row = make(() => {
      rows.splice(rows.indexOf(row), 1);
      row.node.remove();
    });
    rows.push(row);
    place.append(row.node);
  };
  const plus = button(add, "One more", more);
  plus.id = id;
  plus.classList.add("small");
  return { node: element("div", {}, place, plus), rows, more };
}

const removeButton = (take: () => void): HTMLButtonElement => {
  const node = button("×", "Take this out", take);
  node.classList.add("small");
  return node;
};

function cell(label: string, value: string, placeholder: string): HTMLInputElement {
  const text = element("input", { type: "text", autocomplete: "off", spellcheck: "false", "aria-label": label, placeholder });
  text.value = value;
  return text;
}

// Names with a number, a text, or a lower and an upper bound each.
function namedValues(field: FieldInfo, given: Json | undefined, id: string): Input {
  const isText = field.kind === "object of texts";
  const isLoose = field.kind === "any"; // numbers, several numbers, or words
  const isRange = field.kind.includes("pairs");
  const label = labelOf(field);
  let out: JsonObject = {};
  let next: [string, Json] = ["", ""];
  const number = (text: string) => numberOf(text, field, 1);
  const list = rowsOf(id, "Add", (take) => {
    const [name, value] = next;
    const pair = isRange && Array.isArray(value) ? value : ["", ""];
    const key = cell(`${label}: name`, name, "name");
    const boxes = isRange ? [cell(`${label}: lowest`, shown(pair[0], 1), "lowest"), cell(`${label}: highest`, shown(pair[1], 1), "highest")] : [cell(`${label}: value`, shown(value, 1), "value")];
    const read = () => {
      const called = key.value.trim();
      const values = boxes.map((box) => box.value.trim());
      if (called === "" && values.every((one) => one === "")) return;
      if (called === "") throw new Error("a name is missing");
      out[called] = isLoose ? (isObject(value) && values[0] === "" ? value : parse(field, values[0]!, 1)) : isText ? values[0]! : isRange ? values.map(number) : number(values[0]!);
    };
    const node = element("div", {}, element("div", { class: "row tight" }, key, ...boxes, removeButton(take)));
    for (const box of boxes) node.append(checked(box, () => box.value.trim() !== "" && !isText && !isLoose && number(box.value.trim())));
    return { node, read };
  });
  for (const entry of Object.entries((given as JsonObject | undefined) ?? {})) {
    next = entry;
    list.more();
  }
  next = ["", ""];
  const read = () => {
    out = {};
    for (const row of list.rows) row.read();
    return Object.keys(out).length > 0 ? out : undefined;
  };
  return { field, node: list.node, read };
}

function pairs(field: FieldInfo, given: Json | undefined, id: string): Input {
  let out: Json[] = [];
  let next: Json[] = [];
  const list = rowsOf(id, "Add a point", (take) => {
    const boxes = ["x", "y"].map((axis, i) => cell(`${labelOf(field)}: ${axis}`, shown(next[i], 1), axis));
    const read = () => {
      if (boxes.every((box) => box.value.trim() === "")) return;
      out.push(boxes.map((box) => numberOf(box.value.trim(), field, 1)));
    };
    return { node: element("div", { class: "row tight" }, ...boxes, removeButton(take)), read };
  });
  for (const one of (given as Json[][] | undefined) ?? []) {
    next = one;
    list.more();
  }
  next = [];
  const read = () => {
    out = [];
    for (const row of list.rows) row.read();
    return out.length > 0 ? out : undefined;
  };
  return { field, node: list.node, read };
}

// Fields of a field: a short table of their own.
function fieldsOf(fields: FieldInfo[], given: JsonObject): { node: HTMLElement; read: () => JsonObject } {
  const inputs = fields.map((field) => ({ field, id: `part-${++serial}` })).map(({ field, id }) => ({ id, input: inputOf(field, given[field.name], id) }));
  const node = element("div", { class: "inner-fields" }, ...inputs.map(({ id, input }) => fieldRow(input, id)));
  return { node, read: () => valuesOf(inputs.map(({ input }) => input)) };
}

export function valuesOf(inputs: Input[]): JsonObject {
  const out: JsonObject = {};
  for (const { field, read } of inputs) {
    let value: Json | undefined;
    try {
      value = read();
    } catch (error) {
      throw new Error(`${labelOf(field)}: ${(error as Error).message}`);
    }
    if (value !== undefined) out[field.name] = value;
    else if (field.required) throw new Error(`“${labelOf(field)}” is needed: ${meaningOf(field)}`);
  }
  return out;
}

// What the name says already is not said again.
function hintOf(field: FieldInfo): HTMLElement | null {
  const meaning = meaningOf(field);
  const words = (meaning === labelOf(field) ? "" : meaning) + limitsOf(field);
  return words === "" ? null : element("p", { class: "hint" }, words.trim().replace(/^\((.)(.*)\)$/, (_, first: string, rest: string) => first.toUpperCase() + rest));
}

export function fieldRow({ field, node }: Input, id: string): HTMLElement {
  const { unit } = shownUnit(field);
  const label = element(
    "label",
    { for: id },
    labelOf(field),
    unit && unit !== "-" && !isEither(field) ? element("span", { class: "unit" }, unit === "SI" ? " in SI units" : ` ${unitText(unit)}`) : null,
    field.required ? element("span", { class: "needed" }, " needed") : null,
  );
  return element("div", { class: "field" }, label, element("div", {}, node, hintOf(field)));
}

function group(field: FieldInfo, given: Json | undefined, id: string): Input {
  const inner = fieldsOf(field.fields!, (given as JsonObject | undefined) ?? {});
  const box = element("details", { class: "inner", id }, element("summary", {}, labelOf(field)), inner.node);
  box.open = given !== undefined && given !== null;
  const read = () => {
    // A folded group says nothing, so that what it needs is not asked for.
    if (!box.open && given === undefined) return undefined;
    const values = inner.read();
    return Object.keys(values).length > 0 ? values : undefined;
  };
  return { field, node: box, read };
}

function listOfGroups(field: FieldInfo, given: Json | undefined, id: string): Input {
  const keyed = field.kind === "object of objects";
  let out: [string, JsonObject][] = [];
  let next: [string, JsonObject] = ["", {}];
  const list = rowsOf(id, `Add to ${labelOf(field).toLowerCase()}`, (take) => {
    const [name, value] = next;
    const key = cell(`${labelOf(field)}: name`, name, "name");
    const inner = fieldsOf(field.fields!, value);
    const read = () => {
      const called = key.value.trim();
      if (keyed && called === "") throw new Error("a name is missing");
      out.push([called, inner.read()]);
    };
    return { node: element("div", { class: "inner" }, element("div", { class: "row tight" }, keyed && key, removeButton(take)), inner.node), read };
  });
  const entries: [string, Json][] = keyed ? Object.entries((given as JsonObject | undefined) ?? {}) : ((given as Json[] | undefined) ?? []).map((one) => ["", one]);
  for (const [name, value] of entries) {
    next = [name, value as JsonObject];
    list.more();
  }
  next = ["", {}];
  const read = (): Json | undefined => {
    out = [];
    for (const row of list.rows) row.read();
    if (out.length === 0) return undefined;
    return keyed ? Object.fromEntries(out) : out.map(([, value]) => value);
  };
  return { field, node: list.node, read };
}
