// SPDX-License-Identifier: Apache-2.0
// The legend of one plot or of a row of plots: buttons that hide and show.

import { element, svgElement } from "./dom";
import { pretty } from "./format";
import type { PlotBlock, SeriesStyle } from "./model";
import { groupColour, groupSymbol, isFaint, type MarkerSymbol } from "./palette";
import { groupKey, nameKey, type Visibility } from "./visibility";

export interface LegendEntry {
  key: string;
  label: string;
  colour: string;
  symbol: MarkerSymbol;
  styles: SeriesStyle[];
}

export interface LegendKind {
  title: string;
  entries: LegendEntry[];
}

// Groups (colours) and names (styles) are two kinds; double-click isolates within one kind.
export function legendKinds(plots: PlotBlock[]): LegendKind[] {
  const groups = new Map<string, LegendEntry>();
  const names = new Map<string, LegendEntry>();
  for (const plot of plots)
    for (const series of plot.series) {
      const look = { colour: groupColour(plot, series.group), symbol: groupSymbol(plot, series.group) };
      const group = plot.groups[series.group];
      if (group !== undefined) collect(groups, { key: groupKey(group), label: group, styles: [series.style], ...look });
      const shared = group === undefined ? { ...look, ...(isFaint(series) ? { symbol: "times" as const } : {}) } : { colour: "var(--text-soft)", symbol: isFaint(series) ? ("times" as const) : ("circle" as const) };
      collect(names, { key: nameKey(series.name), label: series.name, styles: [series.style], ...shared });
    }
  const title = plots.find((plot) => plot.group_label !== "")?.group_label ?? "";
  const order = plots.flatMap((plot) => plot.groups.map(groupKey));
  const sortedGroups = [...groups.values()].sort((a, b) => order.indexOf(a.key) - order.indexOf(b.key));
  // Where every group is called as its series, one list says all.
  const labels = new Set(sortedGroups.map(({ label }) => label));
  const isRepeated = [...names.values()].every(({ label }) => labels.has(label));
  return [
    { title, entries: sortedGroups },
    { title: "", entries: isRepeated ? [] : [...names.values()] },
  ].filter((kind) => kind.entries.length > 1);
}

function collect(entries: Map<string, LegendEntry>, entry: LegendEntry): void {
  const known = entries.get(entry.key);
  if (!known) entries.set(entry.key, entry);
  else known.styles = [...new Set([...known.styles, ...entry.styles])];
}

export function renderLegend(kinds: LegendKind[], visibility: Visibility): HTMLElement {
  const legend = element("div", { class: "legend" });
  for (const kind of kinds) {
    const keys = kind.entries.map((entry) => entry.key);
    const list = element("div", { class: "legend-kind", role: "group", "aria-label": kind.title || "Series" });
    if (kind.title) list.append(element("span", { class: "legend-title" }, pretty(kind.title)));
    for (const entry of kind.entries) {
      const label = element("span", {}, pretty(entry.label));
      const item = element("button", {
        type: "button",
        class: "legend-entry",
        title: "Click: hide or show. Double-click: show only this one.",
      });
      item.append(swatch(entry), label);
      item.addEventListener("click", (event) => (event.shiftKey ? visibility.isolate(entry.key, keys) : visibility.toggle(entry.key)));
      item.addEventListener("dblclick", () => visibility.isolate(entry.key, keys));
      const update = () => item.setAttribute("aria-pressed", String(!visibility.isHidden(entry.key)));
      visibility.onChange(update);
      update();
      list.append(item);
    }
    legend.append(list);
  }
  return legend;
}

export const swatchWidth = 24;

export function swatch(entry: LegendEntry): SVGSVGElement {
  const picture = svgElement("svg", { width: swatchWidth, height: 12, viewBox: `0 0 ${swatchWidth} 12`, "aria-hidden": "true" });
  picture.append(...swatchMarks(entry));
  return picture;
}

export function swatchMarks(entry: LegendEntry): SVGElement[] {
  const marks: SVGElement[] = [];
  const has = (...styles: SeriesStyle[]) => entry.styles.some((style) => styles.includes(style));
  if (has("line", "dashed_line", "line_and_markers")) {
    const onlyDashed = !has("line", "line_and_markers");
    const line = svgElement("line", { x1: 1, x2: swatchWidth - 1, y1: 6, y2: 6, stroke: entry.colour, "stroke-width": 2.2 });
    if (onlyDashed) line.setAttribute("stroke-dasharray", "5 3");
    marks.push(line);
  }
  if (has("markers", "line_and_markers"))
    marks.push(
      svgElement("path", {
        d: symbolPath(entry.symbol),
        transform: `translate(${swatchWidth / 2} 6)`,
        fill: "var(--surface)",
        stroke: entry.colour,
        "stroke-width": 1.6,
      }),
    );
  return marks;
}

function symbolPath(symbol: MarkerSymbol): string {
  switch (symbol) {
    case "circle":
      return "M-3.6,0a3.6,3.6 0 1 0 7.2,0a3.6,3.6 0 1 0 -7.2,0z";
    case "square":
      return "M-3.2,-3.2h6.4v6.4h-6.4z";
    case "triangle":
      return "M0,-4.2L4,3H-4z";
    case "times":
      return "M-3.4,-3.4L3.4,3.4M3.4,-3.4L-3.4,3.4";
    case "diamond":
      return "M0,-4.6L3.4,0L0,4.6L-3.4,0z";
  }
}
