// SPDX-License-Identifier: Apache-2.0
// Plots under one legend: a single plot is a row of one.

import { element } from "./dom";
import { Figure } from "./figure";
import { legendKinds, renderLegend } from "./legend";
import type { PlotBlock } from "./model";
import { Visibility } from "./visibility";

export interface RowSetting {
  columns: number;
  linkX: boolean;
}

export const printWidth = 686; // CSS pixels between the margins of an A4 page (style/print.css)
const gap = 20;

interface PlacedFigure {
  figure: Figure;
  columns: number;
}

const placed: PlacedFigure[] = [];

export interface PlotRow {
  node: HTMLElement;
  figures: Figure[];
  columns: number;
}

export function buildPlots(plots: PlotBlock[], setting: RowSetting): PlotRow {
  // A picture alone in its row takes the row; a stack stays a stack.
  const columns = Math.max(1, Math.min(setting.columns > 0 ? setting.columns : plots.length, plots.length));
  const visibility = new Visibility();
  const figures = plots.map((plot) => new Figure(plot, visibility));
  const isStack = columns === 1 && plots.length > 1;
  for (const figure of figures)
    figure.links = {
      zoomX: (range) => {
        if (setting.linkX) figures.forEach((other) => other !== figure && other.setZoomX(range));
      },
      marginLeft: () => (isStack ? Math.max(...figures.map((one) => one.neededMarginLeft())) : figure.neededMarginLeft()),
    };
  const row = element(
    "div",
    { class: isStack ? "plots stacked" : "plots", style: `--columns:${columns}` },
    ...figures.map((figure) => figure.node),
  );
  const resize = new ResizeObserver(() => figures.forEach((figure) => figure.fit()));
  resize.observe(row);
  const kinds = legendKinds(plots);
  return { node: element("div", { class: "plot-block" }, kinds.length > 0 && renderLegend(kinds, visibility), row), figures, columns };
}

// For a page that stays as it is: remembered, to be drawn anew for paper.
export function renderPlots(plots: PlotBlock[], setting: RowSetting): HTMLElement {
  const { node, figures, columns } = buildPlots(plots, setting);
  placed.push(...figures.map((figure) => ({ figure, columns })));
  return node;
}

// Draws every plot for the room it has, at once: the page is complete when the script ends.
export function fitPlots(): void {
  placed.forEach(({ figure }) => figure.fit());
}

// Paper is narrower than most screens: scaling the screen drawing would make its text too small to read.
export function redrawForPrint(): void {
  window.addEventListener("beforeprint", () =>
    placed.forEach(({ figure, columns }) => figure.fit((printWidth - gap * (columns - 1)) / columns, true)),
  );
  window.addEventListener("afterprint", fitPlots);
}
