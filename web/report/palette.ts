// SPDX-License-Identifier: Apache-2.0
// Colours are names of CSS properties (style/theme.css), so that light, dark and print need no redrawing.

import type { PlotBlock, Series } from "./model";

const categoricalCount = 8;
const sequentialSteps = 16;

export function groupCount(plot: PlotBlock): number {
  return Math.max(plot.groups.length, ...plot.series.map((series) => series.group + 1), 1);
}

export function groupColour(plot: PlotBlock, group: number): string {
  if (plot.palette === "categorical") return `var(--category-${group % categoricalCount})`;
  const count = groupCount(plot);
  const step = count === 1 ? sequentialSteps / 2 : Math.round((group * (sequentialSteps - 1)) / (count - 1));
  return `var(--sequence-${step})`;
}

// Ordered groups differ in lightness, which also survives grey print; unordered ones get a second code,
// shifted with every round of the colours so that no two of them look the same.
const symbols = ["circle", "square", "triangle", "diamond"] as const;
export type MarkerSymbol = (typeof symbols)[number] | "times";

// Points that were measured but do not count look like it.
export const isFaint = (series: Series): boolean => series.faint ?? (series.style === "markers" && /left out/.test(series.name));

export function groupSymbol(plot: PlotBlock, group: number): MarkerSymbol {
  return plot.palette === "sequential" ? "circle" : symbols[(group + Math.floor(group / categoricalCount)) % symbols.length]!;
}
