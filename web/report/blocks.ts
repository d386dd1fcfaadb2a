// SPDX-License-Identifier: Apache-2.0
// Blocks of a document as elements: the same in the report and in the web application.

import { renderAnimation } from "./animation";
import { element } from "./dom";
import { renderFindings } from "./findings";
import { formatNumber, pretty, unitText } from "./format";
import { renderHeatmap } from "./heatmap";
import type { Block, KeyFigure, PlotBlock } from "./model";
import { motionOf, renderMotion } from "./motion";
import type { RowSetting } from "./plot_row";
import { renderTable } from "./table";

// How plots are placed on the page that shows the block.
export type PlotPlacer = (plots: PlotBlock[], setting: RowSetting) => HTMLElement;

export function renderBlock(block: Block, place: PlotPlacer): HTMLElement {
  switch (block.kind) {
    case "text":
      return element("div", { class: "text" }, ...block.text.split(/\n\s*\n/).map((paragraph) => element("p", {}, pretty(said(begun(paragraph))))));
    case "plot":
      return place([block], { columns: 1, linkX: false });
    case "plot_row":
      return place(block.plots, { columns: block.columns, linkX: block.link_x });
    case "table":
      return renderTable(block);
    case "findings":
      return renderFindings(block);
    case "heatmap":
      return renderHeatmap(block);
    case "animation": {
      const motion = motionOf(block);
      return motion ? renderMotion(motion) : renderAnimation(block);
    }
    case "details":
      return element(
        "details",
        {},
        element("summary", {}, block.title),
        block.preformatted !== "" && element("pre", { tabindex: "0" }, block.preformatted),
        ...block.blocks.map((inner) => renderBlock(inner, place)),
      );
  }
}

// Advice is made of parts of sentences; a paragraph begins with a capital, unless a name stands there.
export const begun = (paragraph: string): string => paragraph.replace(/^(?:a|an|one|the|more|two|no|if|when|it|this|measure|repeat|use) /, (word) => word.charAt(0).toUpperCase() + word.slice(1));

// Parameters of the parts of a mount in a sentence: chamber_c is chamber c.
export const said = (paragraph: string): string => paragraph.replace(/\b(?:main|chamber|decoupler|effective|fluid|static)_[a-z_]+\b(?![.(/])/g, (name) => name.replaceAll("_", " "));

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
      figure.unit !== "" && element("span", { class: "unit" }, unitText(figure.unit)),
    ),
  );
  if (figure.note) card.append(element("div", { class: "key-note" }, pretty(figure.note)));
  return card;
}

export function renderKeyFigures(figures: KeyFigure[]): HTMLElement {
  return element("section", { class: "key-figures", "aria-label": "Key figures" }, ...figures.map(renderKeyFigure));
}
