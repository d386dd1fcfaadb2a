// SPDX-License-Identifier: Apache-2.0
// Measurements of a mount and a model beside them, in the units the user chose. Lines can be moved without drawing anew.

import { element } from "../report/dom";
import type { Figure } from "../report/figure";
import { formatShort, withUnit } from "../report/format";
import type { Numbers, PlotBlock, Series, SeriesStyle } from "../report/model";
import { buildPlots } from "../report/plot_row";
import { post, type Json } from "./api";
import { settings, type Unit } from "./settings";
import { tellTrouble } from "./widgets";

export interface MapCurve {
  preload: number;
  amplitude: number;
  frequency_hz: number[];
  k_dyn: number[];
  loss_angle_deg: number[];
}

export interface Measured {
  axis: "translation" | "rotation";
  map: { amplitudes_m: number[]; preloads_n: number[]; frequencies_hz: number[]; curves: MapCurve[] };
  loops: { displacement_m: number[]; force_n: number[] }[];
  series: { time_s: number[]; displacement_m: number[]; force_n: number[]; samples: number }[];
}

export interface Evaluation {
  curves?: MapCurve[];
  misfit?: { rms_kdyn_rel: number; rms_loss_deg: number };
  loops?: ({ force_n: number[]; rms_n: number } | null)[];
  series?: ({ force_n: number[]; rms_n: number } | null)[];
  cycles?: { amplitude_m: number; displacement_m: number[]; force_n: number[] }[];
}

export interface PlotSetting {
  namePreload?: boolean; // where several preloads are shown one below the other
  detail?: SeriesDetail;
}

// A part of a long record with as many points as a screen can show.
export type SeriesDetail = (index: number, from: number, to: number) => Promise<{ time_s: number[]; force_n: number[] }>;

export function seriesDetail(files: string[], units: Json): SeriesDetail {
  return async (index, from_s, to_s) => {
    const { channels } = await post<{ channels: { name: string; time_s: number[]; values: number[] }[] }>("api/workbench/series", {
      files,
      units,
      view: { index, from_s, to_s, points: detailPoints, channel: "force_n" },
    });
    const force = channels.find(({ name }) => name === "force_n");
    return { time_s: force?.time_s ?? [], force_n: force?.values ?? [] };
  };
}

const detailPoints = 3000;

interface Line {
  figure: Figure;
  series: Series;
}

const scaled = (values: number[], factor: number): Numbers => values.map((value) => value * factor);

export class MountPlots {
  readonly node: HTMLElement;
  private readonly stiffness: Unit;
  private readonly displacement: Unit;
  private readonly force: string;
  private readonly stiffnessLines = new Map<number, Line>();
  private readonly angleLines = new Map<number, Line>();
  private readonly loopLines: Line[] = [];
  private readonly seriesLines: Line[] = [];
  private readonly cycleLines: Line[] = [];
  private readonly figures: Figure[] = [];
  private readonly curves: MapCurve[]; // of the first evaluation: which amplitudes and frequencies the numbers of a slider belong to

  constructor(
    private readonly measured: Measured,
    private readonly preload: number,
    first: Evaluation | undefined,
    private readonly setting: PlotSetting = {},
  ) {
    const isRotation = measured.axis === "rotation";
    this.curves = first?.curves ?? [];
    this.stiffness = settings.shown(isRotation ? "N*m/rad" : "N/m");
    this.displacement = settings.shown(isRotation ? "rad" : "m");
    this.force = isRotation ? "N m" : "N";
    this.node = element("div", { class: "mount-plots" });
    if (measured.map.curves.length > 0) this.addMap(first);
    if (measured.loops.length > 0) this.addLoops(first);
    if (first?.cycles) this.addCycles(first);
    if (measured.series.length > 0) this.addSeries(first);
  }

  private levelName(level: number): string {
    return withUnit(formatShort(this.measured.map.amplitudes_m[level]! * this.displacement.factor, 3), this.displacement.unit);
  }

  private plot(title: string, x: [string, string, boolean?], y: [string, string], extra: Partial<PlotBlock> = {}): PlotBlock {
    return {
      kind: "plot",
      title,
      x: { label: x[0], unit: x[1], log: x[2] ?? false },
      y: { label: y[0], unit: y[1], log: false },
      series: [],
      groups: [],
      group_label: "",
      palette: "categorical",
      caption: "",
      height_px: window.innerWidth >= 2000 ? 400 : 300,
      ...extra,
    };
  }

  private put(plots: PlotBlock[], columns: number): Figure[] {
    const row = buildPlots(plots, { columns, linkX: columns > 1 });
    this.node.append(row.node);
    this.figures.push(...row.figures);
    return row.figures;
  }

  private addMap(first: Evaluation | undefined): void {
    const groups = this.measured.map.amplitudes_m.map((_, level) => this.levelName(level));
    const common = { groups, group_label: "Amplitude", palette: "sequential" as const };
    const preloads = this.measured.map.preloads_n;
    const at = this.setting.namePreload && preloads.length > 1 ? ` at preload ${formatShort(preloads[this.preload]!, 4)} ${this.force}` : "";
    const stiffness = this.plot(`Dynamic stiffness${at}`, ["Frequency", "Hz", true], ["Dynamic stiffness", this.stiffness.unit], common);
    const angle = this.plot(`Loss angle${at}`, ["Frequency", "Hz", true], ["Loss angle", "deg"], common);
    for (const curve of this.measured.map.curves) {
      if (curve.preload !== this.preload) continue;
      stiffness.series.push(series("measured", "markers", curve.amplitude, curve.frequency_hz, scaled(curve.k_dyn, this.stiffness.factor)));
      angle.series.push(series("measured", "markers", curve.amplitude, curve.frequency_hz, curve.loss_angle_deg));
    }
    const lines: [number, Series, Series][] = (first?.curves ?? []).map((curve) => {
      const k = series("model", "line", curve.amplitude, curve.frequency_hz, scaled(curve.k_dyn, this.stiffness.factor));
      const d = series("model", "line", curve.amplitude, curve.frequency_hz, curve.loss_angle_deg);
      stiffness.series.push(k);
      angle.series.push(d);
      return [curve.amplitude, k, d];
    });
    const [left, right] = this.put([stiffness, angle], 2);
    for (const [level, k, d] of lines) {
      this.stiffnessLines.set(level, { figure: left!, series: k });
      this.angleLines.set(level, { figure: right!, series: d });
    }
  }

  private addLoops(first: Evaluation | undefined): void {
    const plots = this.measured.loops.map((loop, i) => {
      const plot = this.plot(
        this.measured.loops.length > 1 ? `Static loop ${i + 1}` : "Static loop",
        ["Displacement", this.displacement.unit],
        ["Force", this.force],
      );
      const x = scaled(loop.displacement_m, this.displacement.factor);
      plot.series.push(series("measured", "line", 0, x, loop.force_n));
      const model = first?.loops?.[i];
      if (model) plot.series.push(series("model", "dashed_line", 1, x, model.force_n));
      return plot;
    });
    const figures = this.put(plots, 1);
    plots.forEach((plot, i) => plot.series[1] && this.loopLines.push({ figure: figures[i]!, series: plot.series[1] }));
  }

  private addCycles(first: Evaluation): void {
    const plot = this.plot("Hysteresis of the model", ["Displacement", this.displacement.unit], ["Force", this.force], {
      group_label: "Amplitude",
      palette: "sequential",
    });
    first.cycles!.forEach((cycle, i) => {
      plot.groups.push(withUnit(formatShort(cycle.amplitude_m * this.displacement.factor, 3), this.displacement.unit));
      plot.series.push(series("model", "line", i, ...this.cyclePoints(cycle)));
    });
    const [figure] = this.put([plot], 1);
    this.cycleLines.push(...plot.series.map((one) => ({ figure: figure!, series: one })));
  }

  private cyclePoints(cycle: { displacement_m: number[]; force_n: number[] }): [Numbers, Numbers] {
    const close = (values: number[]) => [...values, values[0]!];
    return [scaled(close(cycle.displacement_m), this.displacement.factor), close(cycle.force_n)];
  }

  private addSeries(first: Evaluation | undefined): void {
    const plots = this.measured.series.map((record, i) => {
      const plot = this.plot(this.measured.series.length > 1 ? `Transient ${i + 1}` : "Transient", ["Time", "s"], ["Force", this.force]);
      plot.series.push({ ...series("measured", "line", 0, record.time_s, record.force_n), total_points: record.samples });
      const model = first?.series?.[i];
      if (model) plot.series.push({ ...series("model", "dashed_line", 1, record.time_s, model.force_n), total_points: record.samples });
      return plot;
    });
    const figures = this.put(plots, 1);
    plots.forEach((plot, i) => {
      const figure = figures[i]!;
      if (plot.series[1]) this.seriesLines.push({ figure, series: plot.series[1] });
      if (this.measured.series[i]!.samples > plot.series[0]!.x.length) this.refineOnZoom(figure, plot.series[0]!, i);
    });
  }

  // A zoomed record is asked for again, with the points of that part; the whole one comes back with the zoom's end.
  private refineOnZoom(figure: Figure, line: Series, index: number): void {
    const { detail } = this.setting;
    const whole = { x: line.x, y: line.y };
    const { links } = figure;
    let asked = 0;
    figure.links = {
      marginLeft: () => links?.marginLeft() ?? figure.neededMarginLeft(),
      zoomX: (range) => {
        links?.zoomX(range);
        const mine = ++asked;
        if (!range || !detail) return figure.moveLine(line, whole.x, whole.y);
        void detail(index, range[0], range[1])
          .then(({ time_s, force_n }) => mine === asked && figure.moveLine(line, time_s, force_n))
          .catch(tellTrouble);
      },
    };
  }

  // Moves the lines that the evaluation tells; the axes stay.
  follow(evaluation: Evaluation): void {
    for (const curve of evaluation.curves ?? []) {
      const k = this.stiffnessLines.get(curve.amplitude);
      const d = this.angleLines.get(curve.amplitude);
      k?.figure.moveLine(k.series, curve.frequency_hz, scaled(curve.k_dyn, this.stiffness.factor));
      d?.figure.moveLine(d.series, curve.frequency_hz, curve.loss_angle_deg);
    }
    evaluation.loops?.forEach((loop, i) => loop && this.move(this.loopLines[i], loop.force_n));
    evaluation.series?.forEach((record, i) => record && this.move(this.seriesLines[i], record.force_n));
    evaluation.cycles?.forEach((cycle, i) => {
      const line = this.cycleLines[i];
      line?.figure.moveLine(line.series, ...this.cyclePoints(cycle));
    });
  }

  // The same for the bare numbers of a slider: stiffness and loss angle of each curve, one after the other.
  followNumbers(values: Float32Array): void {
    let at = 0;
    const next = (count: number, factor: number): Numbers => Array.from(values.subarray(at, (at += count)), (value) => value * factor);
    for (const { amplitude, frequency_hz } of this.curves) {
      const k = this.stiffnessLines.get(amplitude);
      const d = this.angleLines.get(amplitude);
      const stiffness = next(frequency_hz.length, this.stiffness.factor);
      const angle = next(frequency_hz.length, 1);
      k?.figure.moveLine(k.series, frequency_hz, stiffness);
      d?.figure.moveLine(d.series, frequency_hz, angle);
    }
  }

  // Axes for where the lines are now, and everything drawn anew.
  settle(): void {
    for (const figure of this.figures) figure.settle();
  }

  private move(line: Line | undefined, force: number[]): void {
    line?.figure.moveLine(line.series, line.series.x, force);
  }
}

function series(name: string, style: SeriesStyle, group: number, x: Numbers, y: Numbers): Series {
  return { name, style, group, x, y, total_points: x.length };
}
