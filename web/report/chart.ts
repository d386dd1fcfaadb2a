// SPDX-License-Identifier: Apache-2.0
// Draws one plot as SVG for a given width, ranges and visible series. No state: a change of any of them draws anew.

import {
  areaY,
  axisX,
  axisY,
  dot,
  frame,
  gridX,
  gridY,
  line,
  plot as drawPlot,
  ruleX,
  ruleY,
  type Markish,
  type RenderFunction,
} from "@observablehq/plot";
import { axisTitle } from "./format";
import type { Axis, Numbers, PlotBlock, Series } from "./model";
import { groupColour, groupSymbol, isFaint } from "./palette";
import { axisTicks, type Range, type Ticks } from "./ticks";

export interface Frame {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

export interface AxisScale {
  apply: (value: number) => number;
  invert: (pixel: number) => number;
}

export interface Chart {
  svg: SVGSVGElement;
  x: AxisScale;
  y: AxisScale;
  frame: Frame; // in the user units of the SVG
  lines: Map<Series, SVGPathElement | null>; // found so far
}

export interface ChartSetting {
  width: number;
  marginLeft: number;
  xRange: Range;
  yRange: Range;
  clip: boolean; // cut at the frame: needed when the ranges leave data out, but it halves markers that sit on the frame
  shows: (series: Series) => boolean;
}

const fontSize = 11.5;
const marginTop = 26;
const marginRight = 14;
const marginBottom = 44;
const denseFrom = 600; // points from which a line is drawn thinner, so that it does not run into a solid area

// An axis that counts things, such as parameters: whole numbers, each the place of one thing with a name.
function countedNames(plot: PlotBlock): Map<number, string> | null {
  const { x, series } = plot;
  const [counted, ...more] = series.filter(({ hover }) => hover && hover.length > 0);
  if (x.log || (x.unit !== "" && x.unit !== "-") || !counted || more.length > 0 || counted.x.length !== counted.hover!.length) return null;
  const names = new Map<number, string>();
  for (const [i, value] of counted.x.entries()) {
    if (value === null || !Number.isInteger(value) || names.has(value) || counted.hover![i]!.includes("\n")) return null;
    names.set(value, counted.hover![i]!);
  }
  return names;
}

export function drawChart(plot: PlotBlock, setting: ChartSetting): Chart {
  const names = countedNames(plot);
  const length = setting.width - setting.marginLeft - marginRight;
  const xTicks = axisTicks(setting.xRange, plot.x.log, { length, spacing: 75, least: 34 }, plot.x.unit, plot.x.whole || names !== null);
  // Names instead of numbers where they fit.
  const shown = [...(names ?? [])].filter(([value]) => value >= setting.xRange[0] && value <= setting.xRange[1]);
  const room = length / Math.max(1, setting.xRange[1] - setting.xRange[0]);
  if (shown.length > 0 && shown.every(([, name]) => name.length * fontSize * 0.54 < room - 4)) {
    xTicks.values = xTicks.grid = shown.map(([value]) => value);
    xTicks.label = (value) => names!.get(value) ?? "";
  }
  const yTicks = verticalTicks(plot, setting.yRange);
  const drawn = plot.series.filter(setting.shows).map((series) => seriesMarks(plot, series, setting.clip));
  const marks: Markish[] = [
    gridX(xTicks.grid, { stroke: "var(--grid)", strokeOpacity: 1 }),
    gridY(yTicks.grid, { stroke: "var(--grid)", strokeOpacity: 1 }),
    ...zeroLine(plot.y, setting.yRange),
    frame({ stroke: "var(--axis)" }),
    axisX(xTicks.values, {
      text: xTicks.label,
      label: axisTitle(plot.x),
      labelAnchor: "center",
      labelArrow: "none",
      labelOffset: 36,
      tickSize: 4,
      color: "var(--text-soft)",
    }),
    axisY(yTicks.values, { text: yTicks.label, label: axisTitle(plot.y), labelArrow: "none", tickSize: 4, color: "var(--text-soft)" }),
    ...drawn.flatMap((marks) => marks.below),
    ...drawn.flatMap((marks) => marks.above),
  ];
  const picture = drawPlot({
    width: setting.width,
    height: plot.height_px,
    marginTop,
    marginRight,
    marginBottom,
    marginLeft: setting.marginLeft,
    style: { fontSize: `${fontSize}px`, fontFamily: "inherit", background: "none" },
    x: { type: plot.x.log ? "log" : "linear", domain: setting.xRange },
    y: { type: plot.y.log ? "log" : "linear", domain: setting.yRange },
    marks,
  });
  const svg = picture as unknown as SVGSVGElement;
  // Parts with a name need a role that may have one.
  for (const part of svg.querySelectorAll("[aria-label]")) part.setAttribute("role", "group");
  return {
    svg,
    x: picture.scale("x") as unknown as AxisScale,
    y: picture.scale("y") as unknown as AxisScale,
    lines: new Map(),
    frame: { left: setting.marginLeft, right: setting.width - marginRight, top: marginTop, bottom: plot.height_px - marginBottom },
  };
}

// Room for the widest label of the y axis.
export function neededMarginLeft(plot: PlotBlock, yRange: Range): number {
  const ticks = verticalTicks(plot, yRange);
  const widest = Math.max(...ticks.values.map((value) => ticks.label(value).length), 2);
  return Math.ceil(16 + widest * fontSize * 0.62);
}

function verticalTicks(plot: PlotBlock, range: Range): Ticks {
  return axisTicks(range, plot.y.log, { length: plot.height_px - marginTop - marginBottom, spacing: 36, least: 16 }, plot.y.unit);
}

function zeroLine(axis: Axis, range: Range): Markish[] {
  return !axis.log && range[0] < 0 && range[1] > 0 ? [ruleY([0], { stroke: "var(--axis)" })] : [];
}

function seriesMarks(plot: PlotBlock, series: Series, clip: boolean): { below: Markish[]; above: Markish[] } {
  const colour = groupColour(plot, series.group);
  const label = seriesLabel(plot, series);
  const points = { length: series.x.length };
  const x = drawable(series.x, plot.x);
  const y = drawable(series.y, plot.y);
  const common = { x, clip, render: labelled(label) } as const;
  const hasMarkers = series.style === "markers" || series.style === "line_and_markers";
  const hasLine = series.style !== "markers";
  const below: Markish[] = [];
  const above: Markish[] = [];
  if (series.lower && series.upper) {
    const bounds = { y1: drawable(series.lower, plot.y), y2: drawable(series.upper, plot.y) };
    below.push(
      hasLine
        ? areaY(points, { ...common, ...bounds, fill: colour, fillOpacity: 0.18 })
        : ruleX(points, { ...common, ...bounds, stroke: colour, strokeWidth: 1.2 }),
    );
  }
  if (hasMarkers)
    below.push(
      dot(points, {
        ...common,
        y,
        symbol: isFaint(series) ? "times" : groupSymbol(plot, series.group),
        r: isFaint(series) ? 3.6 : 3.1,
        stroke: colour,
        strokeWidth: 1.5,
        ...(isFaint(series) ? { strokeOpacity: 0.6 } : { fill: "var(--surface)" }),
      }),
    );
  if (hasLine) {
    const dash = series.style === "dashed_line" ? { strokeDasharray: "6 4" } : {};
    const mark = line(points, { ...common, y, stroke: colour, strokeWidth: series.x.length > denseFrom ? 1.2 : 1.8, ...dash });
    // Markers belong on top of their own line; a model line belongs on top of measured markers.
    if (series.style === "line_and_markers") below.splice(below.length - 1, 0, mark);
    else above.push(mark);
  }
  return { below, above };
}

function seriesLabel(plot: PlotBlock, series: Series): string {
  const group = plot.groups[series.group];
  return group === undefined ? series.name : `${group} ${series.name}`;
}

// Moves the line of a series to its present points, on the axes as they are drawn. Called for every step of a slider: looks for nothing twice.
export function moveLine(chart: Chart, plot: PlotBlock, series: Series): void {
  let path = chart.lines.get(series);
  if (path === undefined) {
    path = chart.svg.querySelector<SVGPathElement>(`g[aria-label=${JSON.stringify(seriesLabel(plot, series))}] path`);
    chart.lines.set(series, path);
  }
  if (!path) return;
  let d = "";
  let pen = "M";
  for (let i = 0; i < series.x.length; ++i) {
    const [px, py] = [pixel(chart.x, plot.x, series.x[i]!), pixel(chart.y, plot.y, series.y[i]!)];
    if (!Number.isFinite(px) || !Number.isFinite(py)) {
      pen = "M";
      continue;
    }
    d += `${pen}${px},${py}`;
    pen = "L";
  }
  path.setAttribute("d", d);
}

// To a tenth of a pixel, which nobody sees and which is quickly written; a gap has no place.
function pixel(scale: AxisScale, axis: Axis, value: number | null): number {
  return value === null || (axis.log && value <= 0) ? NaN : Math.round(scale.apply(value) * 10) / 10;
}

// Names the group of marks, for assistive technology and for whoever takes the SVG apart.
function labelled(label: string): RenderFunction {
  return (index, scales, values, dimensions, context, next) => {
    const group = next!(index, scales, values, dimensions, context);
    group?.setAttribute("aria-label", label);
    return group;
  };
}

// Plot leaves a gap at NaN; a log axis has no place for values that are not positive.
function drawable(values: Numbers, axis: Axis): number[] {
  return values.map((value) => (value === null || (axis.log && value <= 0) ? NaN : value));
}

export function fullRange(axis: Axis, channels: Numbers[], padding: number): Range {
  let low = Infinity;
  let high = -Infinity;
  for (const channel of channels)
    for (const value of channel) {
      if (value === null || (axis.log && value <= 0)) continue;
      if (value < low) low = value;
      if (value > high) high = value;
    }
  if (low > high) [low, high] = [axis.log ? 1 : 0, axis.log ? 10 : 1];
  const padded = axis.log ? padLog(low, high, padding) : padLinear(low, high, padding);
  return [axis.lower ?? padded[0], axis.upper ?? padded[1]];
}

// The range of the y axis ends at labelled values.
export function fullVerticalRange(plot: PlotBlock): Range {
  const axis = plot.y;
  const range = fullRange(
    axis,
    plot.series.flatMap((series) => [series.y, series.lower ?? [], series.upper ?? []]),
    0.02,
  );
  if (axis.log) return range;
  let rounded = range;
  // A wider range may ask for wider steps, hence twice.
  for (let pass = 0; pass < 2; ++pass) {
    const { values } = verticalTicks(plot, rounded);
    if (values.length < 2) return rounded;
    const step = values[1]! - values[0]!;
    rounded = [axis.lower ?? Math.floor(range[0] / step + 1e-9) * step, axis.upper ?? Math.ceil(range[1] / step - 1e-9) * step];
  }
  return rounded;
}

function padLog(low: number, high: number, padding: number): Range {
  const factor = low === high ? 2 : (high / low) ** padding;
  return [low / factor, high * factor];
}

function padLinear(low: number, high: number, padding: number): Range {
  const margin = low === high ? Math.abs(low) * 0.1 || 1 : (high - low) * padding;
  // An axis that nearly reaches zero reads better when it starts there.
  return [low >= 0 && low < 0.3 * high ? 0 : low - margin, high <= 0 && high > 0.3 * low ? 0 : high + margin];
}
