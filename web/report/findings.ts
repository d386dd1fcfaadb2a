// SPDX-License-Identifier: Apache-2.0
// What needs the reader's attention, the most serious first.

import { element, svgElement } from "./dom";
import { pretty } from "./format";
import type { Finding, FindingsBlock, Severity } from "./model";

const order: Severity[] = ["serious", "warning", "note"];
const title: Record<Severity, string> = { serious: "Serious", warning: "Warning", note: "Note" };
// Shape tells the severity too, not colour alone.
const outline: Record<Severity, string> = {
  serious: "M6.3,1h7.4L19,6.3v7.4L13.7,19H6.3L1,13.7V6.3z",
  warning: "M10,1.5L19.2,18H.8z",
  note: "M1,10a9,9 0 1 0 18,0a9,9 0 1 0 -18,0z",
};

// Where findings are shown: pages say things otherwise than files and terminals.
let worded: (text: string) => string = (text) => text;
let placed: (where: string) => string = (where) => where;
export function wordFindings(words: (text: string) => string, places: (where: string) => string): void {
  worded = words;
  placed = places;
}

export function renderFindings(block: FindingsBlock): HTMLElement {
  if (block.findings.length === 0) return element("p", { class: "nothing" }, block.when_empty);
  const list = element("div", { class: "findings" }, element("p", { class: "findings-count" }, countText(block.findings)));
  for (const severity of order) for (const finding of block.findings) if (finding.severity === severity) list.append(card(finding));
  return list;
}

function countText(findings: Finding[]): string {
  const words: Record<Severity, [string, string]> = {
    serious: ["serious", "serious"],
    warning: ["warning", "warnings"],
    note: ["note", "notes"],
  };
  return order
    .map((severity) => ({ severity, count: findings.filter((finding) => finding.severity === severity).length }))
    .filter(({ count }) => count > 0)
    .map(({ severity, count }) => `${count} ${words[severity][count === 1 ? 0 : 1]}`)
    .join(" · ");
}

function card(finding: Finding): HTMLElement {
  const head = element("div", { class: "finding-head" }, element("b", {}, title[finding.severity]));
  if (finding.code) head.append(element("span", { class: "code" }, finding.code.replaceAll("_", " ")));
  if (finding.where) head.append(element("code", {}, placed(finding.where)));
  const words = element("div", {}, head, element("p", {}, pretty(worded(finding.message))));
  if (finding.remedy) words.append(element("p", { class: "remedy" }, element("b", {}, "What to do: "), pretty(worded(finding.remedy))));
  return element("article", { class: `finding is-${finding.severity}` }, icon(finding.severity), words);
}

function icon(severity: Severity): SVGSVGElement {
  const sign = svgElement(
    "text",
    { x: 10, y: severity === "warning" ? 16 : 14.4, "text-anchor": "middle", "font-size": 12, "font-weight": 700 },
    severity === "note" ? "i" : "!",
  );
  return svgElement(
    "svg",
    { class: "icon", width: 20, height: 20, viewBox: "0 0 20 20", "aria-hidden": "true" },
    svgElement("path", { d: outline[severity] }),
    sign,
  );
}
