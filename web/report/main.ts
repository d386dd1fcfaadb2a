// SPDX-License-Identifier: Apache-2.0
// Builds the page from the document that C++ has put into it.

import { begun, renderBlock, renderKeyFigures } from "./blocks";
import { renderContents, type Entry } from "./contents";
import { element } from "./dom";
import { dateText } from "./format";
import type { Cover, ReportDocument, Section } from "./model";
import { printHeader } from "./print_header";
import { fitPlots, printWidth, redrawForPrint, renderPlots } from "./plot_row";
import { fitTablesForPrint } from "./print_tables";

// A heading over nothing is left out.
const saysSomething = ({ lead, blocks }: Section): boolean => lead !== "" || blocks.some((block) => block.kind !== "text" || block.text !== "");

function renderReport(report: ReportDocument): void {
  const root = document.getElementById("report")!;
  const masthead = root.querySelector("header")!;
  if (report.created) masthead.append(element("p", { class: "created" }, dateText(report.created)));
  if (report.cover) masthead.append(renderCover(report.cover));
  const main = element("main");
  if (report.key_figures.length > 0) main.append(renderKeyFigures(report.key_figures));
  const entries: Entry[] = [];
  const add = (title: string, lead: string, content: HTMLElement[]) => {
    const id = `section-${entries.length + 1}`;
    const node = element("section", { id }, element("h2", {}, title), lead !== "" && element("p", { class: "lead" }, begun(lead)), ...content);
    entries.push({ id, title, node });
    main.append(node);
  };
  for (const section of report.sections.filter(saysSomething)) add(section.title, section.lead, section.blocks.map((block) => renderBlock(block, renderPlots)));
  if (report.provenance.length > 0) {
    const list = element("dl", { class: "provenance" });
    for (const { name, value } of report.provenance) list.append(element("div", {}, element("dt", {}, name), element("dd", {}, value)));
    add("Provenance", "", [list]);
  }
  root.append(renderContents(entries), main);
  document.head.append(printHeader(report.title, dateText(report.created)));
  fitPlots();
  redrawForPrint();
  openForPrint();
  fitTablesForPrint(printWidth);
  root.classList.add("ready");
}

// Who it is for and who made it. On paper this is a page of its own.
function renderCover(cover: Cover): HTMLElement {
  const words: [keyof Cover, string][] = [["part", "Part"], ["customer", "Customer"], ["bench", "Bench"], ["operator", "Operator"], ["note", "Note"]];
  const list = element("dl", {});
  for (const [key, label] of words) if (cover[key]) list.append(element("div", {}, element("dt", {}, label), element("dd", {}, cover[key])));
  const node = element("div", { class: "cover" }, list);
  if (cover.logo?.startsWith("data:image/")) node.append(element("img", { src: cover.logo, alt: cover.customer ? `Logo of ${cover.customer}` : "Logo" }));
  document.getElementById("report")!.classList.add("covered");
  return node;
}

// Paper cannot be unfolded.
function openForPrint(): void {
  let opened: HTMLDetailsElement[] = [];
  window.addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll<HTMLDetailsElement>("details:not([open])")].filter((one) => one.querySelector(":scope > pre") === null);
    opened.forEach((one) => (one.open = true));
  });
  window.addEventListener("afterprint", () => opened.forEach((one) => (one.open = false)));
}

renderReport(JSON.parse(document.getElementById("document")!.textContent!) as ReportDocument);
