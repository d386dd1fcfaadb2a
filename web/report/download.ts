// SPDX-License-Identifier: Apache-2.0
// Files a reader takes along: a plot as SVG or PNG (always in light colours, with title and legend) and its data as CSV.

import { svgElement } from "./dom";
import { plainTitle } from "./format";
import { type LegendEntry, swatchMarks, swatchWidth } from "./legend";
import type { PlotBlock, TableBlock } from "./model";

export function save(content: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  // The browser reads the address after this event has ended.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

export function fileName(title: string, ending: string): string {
  const stem = title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "_")
    .replace(/^_+|_+$/g, "");
  return `${stem || "plot"}.${ending}`;
}

// One row for each point: series may have different x.
export function plotCsv(plot: PlotBlock): string {
  const hasGroups = plot.groups.length > 0;
  const hasInterval = plot.series.some((series) => series.lower !== undefined);
  const header = [
    ...(hasGroups ? [plot.group_label || "Group"] : []),
    "Series",
    plainTitle(plot.x),
    plainTitle(plot.y),
    ...(hasInterval ? ["Lower", "Upper"] : []),
  ];
  const rows = plot.series.flatMap((series) =>
    series.x.map((x, i) => [
      ...(hasGroups ? [plot.groups[series.group] ?? ""] : []),
      series.name,
      x,
      series.y[i] ?? null,
      ...(hasInterval ? [series.lower?.[i] ?? null, series.upper?.[i] ?? null] : []),
    ]),
  );
  return csv([header, ...rows]);
}

export function tableCsv(table: TableBlock): string {
  const header = table.columns.map((column) => plainTitle({ label: column.title, unit: column.unit, log: false }));
  return csv([header, ...table.rows.map((row) => row.cells)]);
}

function csv(rows: (string | number | null)[][]): string {
  const field = (value: string | number | null) => {
    const text = value === null ? "" : String(value);
    return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
  };
  return rows.map((row) => row.map(field).join(",") + "\r\n").join("");
}

const padding = 14;
const lineHeight = 20;
const fontFamily = "system-ui, 'Segoe UI', Helvetica, Arial, sans-serif";

// A file knows no style sheet of the page: every colour is written out, taken from the light theme.
export function standaloneSvg(plot: SVGSVGElement, title: string, legend: LegendEntry[]): SVGSVGElement {
  const width = plot.viewBox.baseVal.width;
  const height = plot.viewBox.baseVal.height;
  const body = plot.cloneNode(true) as SVGSVGElement;
  body.querySelectorAll(".crosshair, .zoom-box").forEach((node) => node.remove());
  for (const name of ["tabindex", "role", "aria-label", "style"]) body.removeAttribute(name);

  const header = svgElement("g", { "font-size": 12, fill: "var(--text)" });
  header.append(svgElement("text", { x: padding, y: padding + 12, "font-weight": 600, "font-size": 14 }, title));
  const legendHeight = layOutLegend(header, legend, width);
  const top = padding + 22 + legendHeight;
  for (const [name, value] of Object.entries({ x: 0, y: top, width, height })) body.setAttribute(name, String(value));

  const whole = svgElement("svg", {
    xmlns: "http://www.w3.org/2000/svg",
    width,
    height: top + height + 6,
    viewBox: `0 0 ${width} ${top + height + 6}`,
    "font-family": fontFamily,
    "font-size": 11.5,
  });
  whole.append(svgElement("rect", { width: "100%", height: "100%", fill: "var(--surface)" }), header, body);
  writeOutColours(whole);
  return whole;
}

function layOutLegend(header: SVGGElement, legend: LegendEntry[], width: number): number {
  const measure = document.createElement("canvas").getContext("2d");
  if (!measure || legend.length === 0) return 0;
  measure.font = `12px ${fontFamily}`;
  let [x, y] = [padding, padding + 34];
  for (const entry of legend) {
    const needed = swatchWidth + 6 + measure.measureText(entry.label).width + 16;
    if (x > padding && x + needed > width - padding) [x, y] = [padding, y + lineHeight];
    const marks = svgElement("g", { transform: `translate(${x} ${y - 10})` }, ...swatchMarks(entry));
    header.append(marks, svgElement("text", { x: x + swatchWidth + 6, y }, entry.label));
    x += needed;
  }
  return y - padding - 12;
}

function writeOutColours(svg: SVGSVGElement): void {
  const stage = document.createElement("div");
  stage.className = "theme-light offstage";
  stage.append(svg);
  document.body.append(stage);
  for (const node of svg.querySelectorAll<SVGElement>("*"))
    for (const name of ["fill", "stroke"]) {
      const value = node.getAttribute(name);
      if (value && /var\(|currentColor/.test(value)) node.setAttribute(name, getComputedStyle(node).getPropertyValue(name));
    }
  stage.remove();
}

export function svgText(svg: SVGSVGElement): string {
  return new XMLSerializer().serializeToString(svg);
}

export async function pngOf(svg: SVGSVGElement, scale = 2): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svgText(svg))}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = svg.viewBox.baseVal.width * scale;
  canvas.height = svg.viewBox.baseVal.height * scale;
  canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no PNG"))), "image/png"));
}
