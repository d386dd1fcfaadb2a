// SPDX-License-Identifier: Apache-2.0
// Shows the value of the point nearest to the mouse, or walks along the points with the arrow keys.

import type { Chart } from "./chart";
import { element, svgElement } from "./dom";
import { formatShort, withUnit } from "./format";
import type { PlotBlock, Series } from "./model";
import { groupColour } from "./palette";

interface Target {
  series: Series;
  index: number;
  px: number;
  py: number;
}

const reach = 36; // pixels around the mouse in which a point is looked for

export class Hover {
  readonly tip = element("div", { class: "tip", role: "status", hidden: "" });
  private chart: Chart | undefined;
  private targets: Target[] = [];
  private current: Target | undefined;
  private marker = svgElement("g");

  constructor(private readonly plot: PlotBlock) {}

  attach(chart: Chart, visible: Series[]): void {
    this.chart = chart;
    this.targets = visible.flatMap((series) => this.targetsOf(chart, series));
    this.marker = svgElement("g", { class: "crosshair", "pointer-events": "none" });
    chart.svg.append(this.marker);
    this.hide();
    chart.svg.addEventListener("pointermove", (event) => this.show(this.nearest(positionIn(chart.svg, event))));
    chart.svg.addEventListener("pointerleave", () => this.hide());
    chart.svg.addEventListener("blur", () => this.hide());
    chart.svg.addEventListener("keydown", (event) => this.onKey(event));
  }

  // The point that is shown.
  get target(): { series: Series; index: number } | undefined {
    return this.current;
  }

  hide(): void {
    this.current = undefined;
    this.tip.hidden = true;
    this.marker.replaceChildren();
  }

  private targetsOf(chart: Chart, series: Series): Target[] {
    const { left, right, top, bottom } = chart.frame;
    const found: Target[] = [];
    series.x.forEach((x, index) => {
      const y = series.y[index] ?? null;
      if (x === null || y === null) return;
      const px = chart.x.apply(x);
      const py = chart.y.apply(y);
      if (px >= left - 1 && px <= right + 1 && py >= top - 1 && py <= bottom + 1) found.push({ series, index, px, py });
    });
    return found;
  }

  private nearest([px, py]: [number, number]): Target | undefined {
    let best: Target | undefined;
    let bestDistance = reach * reach;
    for (const target of this.targets) {
      const distance = (target.px - px) ** 2 + (target.py - py) ** 2;
      if (distance < bestDistance) [best, bestDistance] = [target, distance];
    }
    return best;
  }

  private onKey(event: KeyboardEvent): void {
    const steps: Record<string, () => Target | undefined> = {
      ArrowRight: () => this.neighbour(1),
      ArrowLeft: () => this.neighbour(-1),
      ArrowDown: () => this.otherSeries(1),
      ArrowUp: () => this.otherSeries(-1),
    };
    const step = steps[event.key];
    if (!step) return;
    event.preventDefault();
    this.show(this.current ? (step() ?? this.current) : this.targets[0]);
  }

  private neighbour(direction: number): Target | undefined {
    const next = this.targets[this.targets.indexOf(this.current!) + direction];
    return next?.series === this.current!.series ? next : undefined;
  }

  private otherSeries(direction: number): Target | undefined {
    const all = [...new Set(this.targets.map((target) => target.series))];
    const series = all[all.indexOf(this.current!.series) + direction];
    const candidates = this.targets.filter((target) => target.series === series);
    return candidates.sort((a, b) => Math.abs(a.px - this.current!.px) - Math.abs(b.px - this.current!.px))[0];
  }

  private show(target: Target | undefined): void {
    if (!target || !this.chart) return this.hide();
    this.current = target;
    const { left, right, top, bottom } = this.chart.frame;
    const colour = groupColour(this.plot, target.series.group);
    this.marker.replaceChildren(
      svgElement("line", { x1: target.px, x2: target.px, y1: top, y2: bottom }),
      svgElement("line", { x1: left, x2: right, y1: target.py, y2: target.py }),
      svgElement("circle", { cx: target.px, cy: target.py, r: 5, fill: colour }),
    );
    this.fillTip(target, colour);
    this.placeTip(target);
  }

  private fillTip({ series, index }: Target, colour: string): void {
    const group = this.plot.groups[series.group];
    const value = (axis: { label: string; unit: string }, number: number) =>
      element("div", { class: "tip-value" }, element("span", {}, axis.label), element("b", {}, withUnit(formatShort(number), axis.unit)));
    const head = element(
      "div",
      { class: "tip-head" },
      element("i", { style: `background:${colour}` }),
      group === undefined ? series.name : `${group} · ${series.name}`,
    );
    this.tip.replaceChildren(head, value(this.plot.x, series.x[index]!), value(this.plot.y, series.y[index]!));
    const lower = series.lower?.[index] ?? null;
    const upper = series.upper?.[index] ?? null;
    if (lower !== null && upper !== null)
      this.tip.append(
        element(
          "div",
          { class: "tip-value" },
          element("span", {}, "Interval"),
          element("b", {}, `${formatShort(lower)} … ${withUnit(formatShort(upper), this.plot.y.unit)}`),
        ),
      );
    const extra = series.hover?.[index];
    if (extra) this.tip.append(element("div", { class: "tip-extra" }, extra));
    this.tip.hidden = false;
  }

  // Beside the point, on the side with more room. In a small plot that would hide the curves: there it stands above them, or below where the
  // window ends.
  private placeTip(target: Target): void {
    const { svg, frame } = this.chart!;
    const box = svg.getBoundingClientRect();
    const scale = box.width / svg.viewBox.baseVal.width;
    const [px, py] = [target.px * scale, target.py * scale];
    const [width, height] = [this.tip.offsetWidth, this.tip.offsetHeight];
    const isSmall = width > box.width / 2;
    const beside = px < box.width / 2 ? px + 14 : px - 14 - width;
    const above = frame.top * scale - height - 4;
    const x = isSmall ? Math.max(8 - box.left, Math.min(px - width / 2, document.documentElement.clientWidth - 8 - width - box.left)) : Math.max(0, beside);
    const y = isSmall ? (box.top + above > 0 ? above : frame.bottom * scale + 4) : Math.min(Math.max(py - height / 2, 0), box.height - height);
    this.tip.style.transform = `translate(${x}px, ${y}px)`;
  }
}

export function positionIn(svg: SVGSVGElement, event: MouseEvent): [number, number] {
  const box = svg.getBoundingClientRect();
  const scale = svg.viewBox.baseVal.width / box.width;
  return [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
}
