// SPDX-License-Identifier: Apache-2.0
// A form drawn from the field table of an operation. What is left at its default is not sent.

import { element } from "../report/dom";
import type { JsonObject } from "./api";
import { fieldRow, inputOf, valuesOf } from "./field_inputs";
import { groupOf, speakOf } from "./field_words";
import type { FieldInfo } from "./project";

export interface Form {
  node: HTMLElement;
  values: () => JsonObject; // throws Error naming the field
}

// How tables are read is the same everywhere and seldom asked for: a group of its own behind what the operation is about.
const ofReading = new Set(["units", "columns", "layout", "decimal", "sheets", "part", "direction", "temperature", "save_layout", "layout_for_user"]);
const readingTitle = "How tables are read";

export function buildForm(fields: FieldInfo[], given: JsonObject): Form {
  const inputs = fields.map((field) => inputOf(field, given[field.name], `field-${field.name}`));
  const node = element("div", { class: "form" });
  speakOf(fields);
  const readsTables = fields.some(({ name }) => name === "layout");
  const groups = new Map<string, typeof inputs>();
  for (const input of inputs) {
    const title = readsTables && ofReading.has(input.field.name) ? readingTitle : (input.field.group ?? "Options");
    groups.set(title, [...(groups.get(title) ?? []), input]);
  }
  let first = true;
  for (const [title, members] of groups) {
    const rows = members.map((input) => fieldRow(input, `field-${input.field.name}`));
    const isOpen = first || members.some(({ field }) => field.required || field.name in given);
    const box = element("details", { class: "group" }, element("summary", {}, groupOf(title)), ...rows);
    box.open = isOpen || groups.size === 1;
    node.append(box);
    first = false;
  }
  return { node, values: () => valuesOf(inputs) };
}

// What would be typed instead of the form.
export function commandOf(operation: string, values: JsonObject): string {
  const quoted = (value: unknown): string => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return /^[\w./:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
  };
  const words = Object.entries(values).map(([name, value]) => {
    if (typeof value === "object" && !(Array.isArray(value) && value.every((one) => typeof one !== "object"))) return `--set ${quoted(`${name}=${JSON.stringify(value)}`)}`;
    const flag = `--${name.replaceAll("_", "-")}`;
    if (value === true) return flag;
    if (value === false) return `--set ${name}=false`;
    return `${flag} ${Array.isArray(value) ? value.map(quoted).join(" ") : quoted(value)}`;
  });
  return ["kdyn", operation, ...words].join(" ");
}
