// SPDX-License-Identifier: Apache-2.0
// One plot on the page: the drawing, its tip, zoom and download buttons.

import { type Chart, drawChart, fullRange, fullVerticalRange, moveLine, neededMarginLeft } from "./chart";
import { button, element } from "./dom";
import { fileName, plotCsv, pngOf, save, standaloneSvg, svgText } from "./download";
import { plainTitleOf, pretty } from "./format";
import { Hover } from "./hover";
import { legendKinds } from "./legend";
import type { Numbers, PlotBlock, Series } from "./model";
import type { Range } from "./ticks";
import type { Visibility } from "./visibility";
import { attachZoom } from "./zoom";

export interface FigureLinks {
  zoomX: (range: Range | undefined) => void; // tells the other plots of a row
  marginLeft: () => number; // common to plots that stand one above the other
}

const paperHeight = (height: number): number => Math.round(height * (height >= 260 ? 0.78 : height >= 150 ? 0.86 : 1));

export class Figure {
  readonly node: HTMLElement;
  links: FigureLinks | undefined;
  onPick: ((series: Series, index: number) => void) | undefined; // a point was clicked, or chosen with Enter
  onSelect: ((picked: { series: Series; index: number }[]) => void) | undefined; // points in a rectangle drawn with the shift key
  private readonly stage = element("div", { class: "stage" });
  private readonly hover: Hover;
  private readonly resetButton: HTMLButtonElement;
  private fullX: Range = [0, 1];
  private fullY: Range = [0, 1];
  private zoomedX: Range | undefined;
  private zoomedY: Range | undefined;
  private width = 0;
  private height = 0; // as drawn last; 0: not yet
  private chart: Chart | undefined;

  constructor(
    private readonly plot: PlotBlock,
    private readonly visibility: Visibility,
  ) {
    this.findRanges();
    this.hover = new Hover(plot);
    this.resetButton = button("Reset zoom", "Show everything again (double-click, Escape)", () => this.resetZoom());
    this.resetButton.hidden = true;
    const tools = element("div", { class: "tools" });
    tools.append(
      this.resetButton,
      button("SVG", "Download this plot as a vector drawing", () => this.saveSvg()),
      button("PNG", "Download this plot as a picture", () => void this.savePng()),
      button("CSV", "Download the data of this plot", () => this.saveCsv()),
    );
    const head = element("div", { class: "figure-head" }, element("h3", {}, plainTitleOf(pretty(plot.title))), tools);
    const caption = element("figcaption", {}, pretty(plot.caption), this.thinningNote());
    this.node = element("figure", { class: "plot" }, head, this.stage);
    if (caption.textContent) this.node.append(caption);
    visibility.onChange(() => this.draw());
  }

  neededMarginLeft(): number {
    return neededMarginLeft(this.plot, this.zoomedY ?? this.fullY);
  }

  // Draws for the room there is. A closed details block has none: it is drawn when it opens.
  // On paper tall plots are lower: two sections with plots share a page more often.
  fit(width = this.stage.clientWidth, onPaper = false): void {
    const { height_px } = this.plot;
    const height = onPaper ? paperHeight(height_px) : height_px;
    if (width <= 0 || (Math.abs(width - this.width) < 1 && height === this.height)) return;
    this.height = height;
    this.draw((this.width = width));
  }

  // A line that follows a slider: only its path changes, axes stay. `settle` draws everything anew.
  moveLine(series: Series, x: Numbers, y: Numbers): void {
    series.x = x;
    series.y = y;
    if (this.chart) moveLine(this.chart, this.plot, series);
  }

  settle(): void {
    // Who has zoomed in looks at a place, not at the axes; a zoomed line may also hold that part alone.
    if (!this.zoomedX && !this.zoomedY) this.findRanges();
    this.draw();
  }

  private findRanges(): void {
    this.fullX = fullRange(
      this.plot.x,
      this.plot.series.map((series) => series.x),
      0.02,
    );
    this.fullY = fullVerticalRange(this.plot);
  }

  setZoomX(range: Range | undefined): void {
    this.zoomedX = range;
    this.draw();
  }

  private draw(width = this.width): void {
    if (width === 0) return;
    const shows = this.plot.series.filter((series) => this.visibility.shows(this.plot, series));
    const { x, y } = this.plot;
    const hadFocus = document.activeElement === this.chart?.svg;
    this.chart = drawChart({ ...this.plot, height_px: this.height || this.plot.height_px }, {
      width,
      marginLeft: this.links?.marginLeft() ?? this.neededMarginLeft(),
      xRange: this.zoomedX ?? this.fullX,
      yRange: this.zoomedY ?? this.fullY,
      clip: [this.zoomedX, this.zoomedY, x.lower, x.upper, y.lower, y.upper].some((limit) => limit !== undefined),
      shows: (series) => shows.includes(series),
    });
    const { svg } = this.chart;
    svg.setAttribute("tabindex", "0");
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", `${this.plot.title}. Arrow keys read the points.`);
    this.hover.attach(this.chart, shows);
    if (this.onPick) svg.classList.add("pickable");
    const pick = () => this.hover.target && this.onPick?.(this.hover.target.series, this.hover.target.index);
    // The end of a drag is a click as well, but not on a point.
    let down: [number, number] = [0, 0];
    svg.addEventListener("pointerdown", (event) => (down = [event.clientX, event.clientY]));
    svg.addEventListener("click", (event) => Math.hypot(event.clientX - down[0], event.clientY - down[1]) < 5 && pick());
    svg.addEventListener("keydown", (event) => event.key === "Enter" && pick());
    attachZoom(this.chart, {
      zoom: (x, y) => this.zoom(x, y),
      reset: () => this.resetZoom(),
      ...(this.onSelect ? { select: (x: Range, y: Range) => this.onSelect?.(this.inside(shows, x, y)) } : {}),
    });
    this.stage.replaceChildren(svg, this.hover.tip);
    this.resetButton.hidden = !this.zoomedX && !this.zoomedY;
    if (hadFocus) svg.focus();
  }

  private inside(shown: Series[], [left, right]: Range, [bottom, top]: Range): { series: Series; index: number }[] {
    const within = (value: number | null | undefined, low: number, high: number) => typeof value === "number" && value >= low && value <= high;
    return shown.flatMap((series) => series.x.flatMap((x, index) => (within(x, left, right) && within(series.y[index], bottom, top) ? [{ series, index }] : [])));
  }

  private zoom(x: Range | undefined, y: Range | undefined): void {
    this.zoomedY = y ?? this.zoomedY;
    if (x) this.changeX(x);
    else this.draw();
  }

  private resetZoom(): void {
    if (!this.zoomedX && !this.zoomedY) return;
    this.zoomedY = undefined;
    this.changeX(undefined);
  }

  private changeX(range: Range | undefined): void {
    this.setZoomX(range);
    this.links?.zoomX(range);
  }

  private thinningNote(): string {
    const thinned = this.plot.series.filter((series) => series.x.length < series.total_points);
    if (thinned.length === 0) return "";
    const shown = Math.max(...thinned.map((series) => series.x.length));
    const total = Math.max(...thinned.map((series) => series.total_points));
    return ` Long series are thinned for drawing (${shown} of ${total} points; every extreme is kept).`;
  }

  private exported(): SVGSVGElement {
    const visible = this.plot.series.filter((series) => this.visibility.shows(this.plot, series));
    const entries = legendKinds([{ ...this.plot, series: visible }]).flatMap((kind) => kind.entries);
    return standaloneSvg(this.chart!.svg, this.plot.title, entries);
  }

  private saveSvg(): void {
    save(new Blob([svgText(this.exported())], { type: "image/svg+xml" }), fileName(this.plot.title, "svg"));
  }

  private async savePng(): Promise<void> {
    save(await pngOf(this.exported()), fileName(this.plot.title, "png"));
  }

  private saveCsv(): void {
    save(new Blob([plotCsv(this.plot)], { type: "text/csv" }), fileName(this.plot.title, "csv"));
  }
}
