// SPDX-License-Identifier: Apache-2.0
// A form drawn from the field table of an operation. What is left at its default is not sent.

import { button, element } from "../report/dom";
import type { Json, JsonObject } from "./api";
import { jobs, jobName } from "./jobs";
import { projectFiles, uploadAll, type FieldInfo } from "./project";
import { guarded } from "./widgets";

interface Input {
  field: FieldInfo;
  node: HTMLElement;
  read: () => Json | undefined; // undefined: default
}

export interface Form {
  node: HTMLElement;
  values: () => JsonObject; // throws Error naming the field
}

const takesFiles = (field: FieldInfo): boolean => field.path === "input" || field.path === "job";

export function buildForm(fields: FieldInfo[], given: JsonObject): Form {
  const inputs = fields.map((field) => inputOf(field, given[field.name]));
  const node = element("div", { class: "form" });
  const groups = new Map<string, Input[]>();
  for (const input of inputs) {
    const title = input.field.group ?? "Options";
    groups.set(title, [...(groups.get(title) ?? []), input]);
  }
  let first = true;
  for (const [title, members] of groups) {
    const rows = members.map(({ field, node: control }) => rowOf(field, control));
    const isOpen = first || members.some(({ field }) => field.required || field.name in given);
    const box = element("details", { class: "group" }, element("summary", {}, title), ...rows);
    box.open = isOpen || groups.size === 1;
    node.append(box);
    first = false;
  }
  return {
    node,
    values: () => {
      const out: JsonObject = {};
      for (const { field, read } of inputs) {
        const value = read();
        if (value !== undefined) out[field.name] = value;
        else if (field.required) throw new Error(`${field.name} is needed: ${field.meaning}`);
      }
      return out;
    },
  };
}

function rowOf(field: FieldInfo, control: HTMLElement): HTMLElement {
  const unit = field.unit && field.unit !== "-" ? element("span", { class: "unit" }, ` ${field.unit}`) : null;
  const label = element("label", { for: `field-${field.name}` }, field.name.replaceAll("_", " "), unit, field.required ? element("span", { class: "needed" }, " needed") : null);
  return element("div", { class: "field" }, label, element("div", {}, control, element("p", { class: "hint" }, field.meaning, limits(field))));
}

function limits(field: FieldInfo): string {
  const parts: string[] = [];
  if (field.above !== undefined) parts.push(`above ${field.above}`);
  else if (field.minimum !== undefined) parts.push(`from ${field.minimum}`);
  if (field.maximum !== undefined) parts.push(`to ${field.maximum}`);
  return parts.length > 0 ? ` (${parts.join(" ")})` : "";
}

function inputOf(field: FieldInfo, given: Json | undefined): Input {
  const id = `field-${field.name}`;
  if (field.kind === "choice") {
    const select = element("select", { id }, ...(field.choices ?? []).map((choice) => element("option", { value: choice }, choice)));
    select.value = String(given ?? field.default);
    return { field, node: select, read: () => (select.value === field.default ? undefined : select.value) };
  }
  if (field.kind === "true or false") {
    const box = element("input", { id, type: "checkbox" });
    box.checked = Boolean(given ?? field.default);
    return { field, node: box, read: () => (box.checked === field.default ? undefined : box.checked) };
  }
  const text = element("input", { id, type: "text", autocomplete: "off", spellcheck: "false", placeholder: shown(field.default) });
  if (given !== undefined) text.value = shown(given);
  const read = () => (text.value.trim() === "" ? undefined : parse(field, text.value.trim()));
  return { field, node: takesFiles(field) ? withFiles(field, text) : text, read };
}

function shown(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "string") return value;
  if (Array.isArray(value) && value.every((one) => typeof one === "string" || typeof one === "number")) return value.join(", ");
  const text = JSON.stringify(value);
  return text === "{}" || text === "[]" ? "" : text;
}

function parse(field: FieldInfo, text: string): Json {
  const number = (word: string): number => {
    const value = Number(word);
    if (word === "" || !Number.isFinite(value)) throw new Error(`${field.name}: "${word}" is not a number`);
    return value;
  };
  const json = (): Json => {
    try {
      return JSON.parse(text) as Json;
    } catch {
      throw new Error(`${field.name}: write JSON, such as {"name": 1}`);
    }
  };
  switch (field.kind) {
    case "number":
    case "number or null":
    case "whole number":
      return number(text);
    case "list of numbers":
    case "list of whole numbers":
      return text.startsWith("[") ? json() : text.split(/[,;\s]+/).map(number);
    case "list of texts":
      return text.startsWith("[") ? json() : text.split(",").map((word) => word.trim()).filter(Boolean);
    case "object of numbers":
    case "object of texts":
      if (text.startsWith("{")) return json();
      return Object.fromEntries(
        text.split(",").map((part) => {
          const [name = "", value = ""] = part.split("=").map((word) => word.trim());
          return [name, field.kind === "object of texts" ? value : number(value)];
        }),
      );
    case "text":
      return text;
    default:
      return json();
  }
}

// A text field for paths with a list of what the project has, and a place to drop more.
function withFiles(field: FieldInfo, text: HTMLInputElement): HTMLElement {
  const isList = field.kind === "list of texts";
  const menu = element("div", { class: "file-menu", hidden: "" });
  const put = (paths: string[]) => {
    const before = isList ? text.value.split(",").map((word) => word.trim()).filter(Boolean) : [];
    text.value = (isList ? [...new Set([...before, ...paths])] : paths.slice(0, 1)).join(", ");
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
