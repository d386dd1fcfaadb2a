// SPDX-License-Identifier: Apache-2.0
// A matrix of numbers. Cells are coloured by opacity, which gives the right tint on light and on dark paper alike.

import { button, element, svgElement } from "./dom";
import { fileName, pngOf, save, standaloneSvg, svgText, tableCsv } from "./download";
import { formatShort, pretty, plainName } from "./format";
import type { HeatmapBlock } from "./model";

const largestCell = 58;
const smallestCell = 16;
const labelledFrom = 34; // pixels a cell needs to show its number
const letter = 6.6; // mean width of a letter at the size of the names
const drawingWidth = 686;

export type CellPick = (row: number, column: number) => void;

// With `pick` cells can be chosen, by mouse or by keys.
export function renderHeatmap(map: HeatmapBlock, pick?: CellPick): HTMLElement {
  const svg = draw(map, pick);
  const tools = element("div", { class: "tools" });
  const exported = () => standaloneSvg(svg, map.title, []);
  tools.append(
    button("SVG", "Download this matrix as a vector drawing", () =>
      save(new Blob([svgText(exported())], { type: "image/svg+xml" }), fileName(map.title, "svg")),
    ),
    button("PNG", "Download this matrix as a picture", () => void pngOf(exported()).then((blob) => save(blob, fileName(map.title, "png")))),
    button("CSV", "Download the numbers of this matrix", () =>
      save(new Blob([matrixCsv(map)], { type: "text/csv" }), fileName(map.title, "csv")),
    ),
  );
  const figure = element(
    "figure",
    { class: "plot heatmap" },
    element("div", { class: "figure-head" }, element("h3", {}, pretty(map.title)), tools),
  );
  figure.append(element("div", { class: "stage" }, svg), colourBar(map));
  if (map.caption) figure.append(element("figcaption", {}, pretty(map.caption)));
  return figure;
}

function draw(whole: HeatmapBlock, pick?: CellPick): SVGSVGElement {
  const map = { ...whole, row_names: whole.row_names.map(plainName), column_names: whole.column_names.map(plainName) };
  const columns = Math.max(1, map.column_names.length);
  const left = 14 + letter * longest(map.row_names);
  const cell = Math.max(smallestCell, Math.min(largestCell, (drawingWidth - left) / columns));
  const tilted = longest(map.column_names) * letter > cell - 6;
  const top = tilted ? 12 + letter * 0.72 * longest(map.column_names) : 22;
  const right = tilted ? letter * 0.72 * longest(map.column_names.slice(-2)) : 4;
  const width = Math.ceil(left + cell * columns + right);
  const height = Math.ceil(top + cell * map.row_names.length + 4);
  const svg = svgElement("svg", {
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    role: pick ? "group" : "img",
    "aria-label": map.title,
    "font-size": 11.5,
  });

  map.column_names.forEach((name, column) => {
    const [x, y] = [left + (column + 0.5) * cell, top - 7];
    const placing: Record<string, string | number> = tilted
      ? { transform: `translate(${x} ${y}) rotate(-42)`, "text-anchor": "start" }
      : { x, y, "text-anchor": "middle" };
    svg.append(svgElement("text", { ...placing, fill: "var(--text-soft)" }, name));
  });
  map.values.forEach((row, r) => {
    svg.append(
      svgElement("text", { x: left - 8, y: top + (r + 0.5) * cell + 4, "text-anchor": "end", fill: "var(--text-soft)" }, map.row_names[r]!),
    );
    row.forEach((value, column) => {
      const group = drawCell(map, value, r, column, left + column * cell, top + r * cell, cell);
      if (pick) makePickable(group, () => pick(r, column));
      svg.append(group);
    });
  });
  return svg;
}

// Its title is its name.
function makePickable(group: SVGGElement, pick: () => void): void {
  for (const [name, value] of Object.entries({ class: "cell", tabindex: "0", role: "button" })) group.setAttribute(name, value);
  const choose = () => {
    group.ownerSVGElement?.querySelectorAll(".chosen").forEach((one) => one.classList.remove("chosen"));
    group.classList.add("chosen");
    pick();
  };
  group.addEventListener("click", choose);
  group.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    choose();
  });
}

function drawCell(map: HeatmapBlock, value: number | null, row: number, column: number, x: number, y: number, size: number): SVGGElement {
  const text = value === null ? "no value" : value.toFixed(map.decimals).replace(/^-(0(\.0*)?)$/, "$1"); // no -0.00
  const group = svgElement("g", {}, svgElement("title", {}, `${map.row_names[row]} · ${map.column_names[column]}: ${text}`));
  const box = { x: x + 1, y: y + 1, width: size - 2, height: size - 2, rx: 3 };
  group.append(svgElement("rect", { ...box, fill: "var(--grid)" }));
  if (value === null) return group;
  const { colour, strength } = tint(map, value);
  group.append(svgElement("rect", { ...box, fill: colour, "fill-opacity": strength }));
  if (size >= labelledFrom)
    group.append(
      svgElement(
        "text",
        { x: x + size / 2, y: y + size / 2 + 4, "text-anchor": "middle", fill: strength > 0.8 ? "var(--on-strong)" : "var(--text)" },
        text,
      ),
    );
  return group;
}

function tint(map: HeatmapBlock, value: number): { colour: string; strength: number } {
  const within = (part: number) => Math.round(Math.min(1, Math.max(0, part)) * 1000) / 1000;
  if (map.scale === "sequential") return { colour: "var(--positive)", strength: within((value - map.lower) / (map.upper - map.lower)) };
  const middle = (map.lower + map.upper) / 2;
  const strength = within(Math.abs(value - middle) / ((map.upper - map.lower) / 2));
  return { colour: value < middle ? "var(--negative)" : "var(--positive)", strength };
}

function colourBar(map: HeatmapBlock): HTMLElement {
  return element(
    "div",
    { class: `colour-bar ${map.scale}` },
    element("span", {}, formatShort(map.lower, 3)),
    element("i"),
    element("span", {}, formatShort(map.upper, 3)),
  );
}

function matrixCsv(map: HeatmapBlock): string {
  const column = (title: string) => ({ title, unit: "", align: "automatic" as const, digits: 0 });
  return tableCsv({
    kind: "table",
    title: map.title,
    columns: ["", ...map.column_names].map(column),
    rows: map.values.map((values, row) => ({ cells: [map.row_names[row]!, ...values], quality: "neutral" })),
    note: "",
  });
}

function longest(names: string[]): number {
  return Math.max(0, ...names.map((name) => name.length));
}
