// SPDX-License-Identifier: Apache-2.0
// The small picture of a run in lists: a few points of the first curves of its report, read when its row is seen.

import { svgElement } from "../report/dom";
import { readFile } from "./api";
import type { Job } from "./jobs";

interface Curves {
  title: string;
  curves: { group: number; dots: boolean; x: number[]; y: number[] }[];
}

const [width, height, edge] = [66, 26, 3];
const known = new Map<string, Promise<Curves | null>>();
const mostColours = 8;

function draw({ title, curves }: Curves): SVGSVGElement {
  const range = (values: number[]): [number, number] => {
    const [low, high] = [Math.min(...values), Math.max(...values)];
    return high > low ? [low, high] : [low - 1, high + 1];
  };
  const [left, right] = range(curves.flatMap(({ x }) => x));
  const [low, high] = range(curves.flatMap(({ y }) => y));
  const at = (x: number, y: number): [number, number] => [edge + ((x - left) / (right - left)) * (width - 2 * edge), height - edge - ((y - low) / (high - low)) * (height - 2 * edge)];
  const shapes = curves.map(({ group, dots, x, y }, i) => {
    const colour = `var(--category-${(group >= 0 ? group : i) % mostColours})`;
    const places = x.map((one, k) => at(one, y[k]!).map((value) => value.toFixed(1)));
    const path = dots ? places.map(([a, b]) => `M${a},${b}h0`).join("") : `M${places.map((place) => place.join(",")).join("L")}`;
    return svgElement("path", { d: path, fill: "none", stroke: colour, "stroke-width": dots ? 2.6 : 1.4, "stroke-linecap": "round", "stroke-linejoin": "round" });
  });
  return svgElement("svg", { viewBox: `0 0 ${width} ${height}`, width, height, class: "small-curve", role: "img", "aria-label": title }, ...shapes);
}

// Runs of earlier versions have none.
export function showCurve(job: Job, place: HTMLElement): void {
  if (!job.has_report) return;
  const seen = new IntersectionObserver((entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    seen.disconnect();
    let found = known.get(job.id);
    if (!found) known.set(job.id, (found = readFile<Curves>(`${job.folder}/curve.json`).catch(() => null)));
    void found.then((curves) => {
      if (!curves || curves.curves.length === 0) return;
      place.title = curves.title;
      place.replaceChildren(draw(curves));
    });
  });
  seen.observe(place);
}
