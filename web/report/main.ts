// SPDX-License-Identifier: Apache-2.0
// Builds the page from the document that C++ has put into it.

import { renderAnimation } from "./animation";
import { renderContents, type Entry } from "./contents";
import { element } from "./dom";
import { renderFindings } from "./findings";
import { formatNumber } from "./format";
import { renderHeatmap } from "./heatmap";
import type { Block, KeyFigure, ReportDocument } from "./model";
import { printHeader } from "./print_header";
import { fitPlots, redrawForPrint, renderPlots } from "./plot_row";
import { renderTable } from "./table";

function renderBlock(block: Block): HTMLElement {
  switch (block.kind) {
    case "text":
      return element("div", { class: "text" }, ...block.text.split(/\n\s*\n/).map((paragraph) => element("p", {}, paragraph)));
    case "plot":
      return renderPlots([block], { columns: 1, linkX: false });
    case "plot_row":
      return renderPlots(block.plots, { columns: block.columns, linkX: block.link_x });
    case "table":
      return renderTable(block);
    case "findings":
      return renderFindings(block);
    case "heatmap":
      return renderHeatmap(block);
    case "animation":
      return renderAnimation(block);
    case "details":
      return element(
        "details",
        {},
        element("summary", {}, block.title),
        block.preformatted !== "" && element("pre", { tabindex: "0" }, block.preformatted),
        ...block.blocks.map(renderBlock),
      );
  }
}

const widestLarge = 6; // characters of a number that fit a card in large print

function renderKeyFigure(figure: KeyFigure): HTMLElement {
  const value = typeof figure.value === "number" ? formatNumber(figure.value, figure.digits) : (figure.value ?? "–");
  const size = typeof figure.value === "string" ? "words" : value.length > widestLarge ? "long" : "";
  const card = element("div", { class: `key-figure ${figure.quality}` });
  const sign = { neutral: "", good: "✓", fair: "!", poor: "✕" }[figure.quality];
  card.append(
    element(
      "div",
      { class: "key-label" },
      element("span", {}, figure.label),
      sign !== "" && element("span", { class: "badge", role: "img", "aria-label": figure.quality, title: figure.quality }, sign),
    ),
    element(
      "div",
      { class: `key-value ${size}` },
      element("span", {}, value),
      figure.unit !== "" && element("span", { class: "unit" }, figure.unit),
    ),
  );
  if (figure.note) card.append(element("div", { class: "key-note" }, figure.note));
  return card;
}

function renderReport(report: ReportDocument): void {
  const root = document.getElementById("report")!;
  const masthead = root.querySelector("header")!;
  if (report.created) masthead.append(element("p", { class: "created" }, report.created));
  const main = element("main");
  if (report.key_figures.length > 0)
    main.append(element("section", { class: "key-figures", "aria-label": "Key figures" }, ...report.key_figures.map(renderKeyFigure)));
  const entries: Entry[] = [];
  const add = (title: string, lead: string, content: HTMLElement[]) => {
    const id = `section-${entries.length + 1}`;
    const node = element("section", { id }, element("h2", {}, title), lead !== "" && element("p", { class: "lead" }, lead), ...content);
    entries.push({ id, title, node });
    main.append(node);
  };
  for (const section of report.sections) add(section.title, section.lead, section.blocks.map(renderBlock));
  if (report.provenance.length > 0) {
    const list = element("dl", { class: "provenance" });
    for (const { name, value } of report.provenance) list.append(element("div", {}, element("dt", {}, name), element("dd", {}, value)));
    add("Provenance", "", [list]);
  }
  root.append(renderContents(entries), main);
  document.head.append(printHeader(report.title, report.created));
  fitPlots();
  redrawForPrint();
  root.classList.add("ready");
}

renderReport(JSON.parse(document.getElementById("document")!.textContent!) as ReportDocument);
