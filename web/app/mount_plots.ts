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
  row?: number[]; // of the map, where it is measured
}

export type MapViewName = "frequency" | "amplitude" | "residuals";

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
  view?: MapViewName; // how a map is drawn
  leftOut?: Set<number>; // rows of the map that do not count
  onToggle?: (rows: number[]) => void; // points that were clicked or framed with the shift key
}

// A part of a long record with as many points as a screen can show.
export type SeriesDetail = (index: number, from: number, to: number) => Promise<{ time_s: number[]; force_n: number[] }>;

export function seriesDetail(files: string[], read: Json): SeriesDetail {
  return async (index, from_s, to_s) => {
    const { channels } = await post<{ channels: { name: string; time_s: number[]; values: number[] }[] }>("api/workbench/series", {
      files,
      read,
      view: { index, from_s, to_s, points: detailPoints, channel: "force_n" },
    });
    const force = channels.find(({ name }) => name === "force_n");
    return { time_s: force?.time_s ?? [], force_n: force?.values ?? [] };
  };
}

const detailPoints = 3000;
const mostFrequencies = 6; // lines over amplitude

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
  private curves: MapCurve[]; // of the latest evaluation: also which amplitudes and frequencies the numbers of a slider belong to
  private readonly derived: (() => void)[] = []; // views that are computed from the curves

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
    if (this.setting.view === "amplitude") return this.addOverAmplitude(at);
    if (this.setting.view === "residuals") return this.addResiduals(at, common);
    const rowsOf = new Map<Series, number[]>();
    for (const curve of this.measured.map.curves) {
      if (curve.preload !== this.preload) continue;
      for (const out of [false, true]) {
        const picked = curve.frequency_hz.map((_, i) => i).filter((i) => this.isOut(curve, i) === out);
        if (picked.length === 0) continue;
        const of = (values: number[]) => picked.map((i) => values[i]!);
        const name = out ? "left out" : "measured";
        const k = series(name, "markers", curve.amplitude, of(curve.frequency_hz), scaled(of(curve.k_dyn), this.stiffness.factor));
        const d = series(name, "markers", curve.amplitude, of(curve.frequency_hz), of(curve.loss_angle_deg));
        for (const one of [k, d]) if (curve.row) rowsOf.set(one, of(curve.row));
        stiffness.series.push(k);
        angle.series.push(d);
      }
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
    this.takePicks([left!, right!], rowsOf);
  }

  private isOut(curve: MapCurve, i: number): boolean {
    return curve.row !== undefined && (this.setting.leftOut?.has(curve.row[i]!) ?? false);
  }

  private takePicks(figures: Figure[], rowsOf: Map<Series, number[]>): void {
    const { onToggle } = this.setting;
    if (!onToggle) return;
    for (const figure of figures) {
      const rows = (picked: { series: Series; index: number }[]) => picked.flatMap(({ series: one, index }) => rowsOf.get(one)?.[index] ?? []);
      figure.onPick = (one, index) => onToggle(rows([{ series: one, index }]));
      figure.onSelect = (picked) => onToggle(rows(picked));
    }
  }

  // Amplitude is what this law is about: the same points, a line for each of some frequencies.
  private addOverAmplitude(at: string): void {
    const { frequencies_hz: all, amplitudes_m: amplitudes } = this.measured.map;
    const step = Math.max(1, Math.ceil(all.length / mostFrequencies));
    const frequencies = all.filter((_, i) => i % step === 0);
    const groups = frequencies.map((hz) => `${formatShort(hz, 3)} Hz`);
    const common = { groups, group_label: "Frequency", palette: "sequential" as const };
    const x: [string, string, boolean] = ["Amplitude", this.displacement.unit, true];
    const stiffness = this.plot(`Dynamic stiffness over amplitude${at}`, x, ["Dynamic stiffness", this.stiffness.unit], common);
    const angle = this.plot(`Loss angle over amplitude${at}`, x, ["Loss angle", "deg"], common);
    const amplitude = (level: number) => amplitudes[level]! * this.displacement.factor;
    const moves: { group: number; k: Series; d: Series }[] = [];
    frequencies.forEach((hz, group) => {
      const points = this.measured.map.curves.filter(({ preload }) => preload === this.preload).flatMap((curve) => curve.frequency_hz.map((f, i) => ({ curve, i, f })).filter(({ f }) => Math.abs(f / hz - 1) < 0.02));
      for (const out of [false, true]) {
        const own = points.filter(({ curve, i }) => this.isOut(curve, i) === out);
        if (own.length === 0) continue;
        const name = out ? "left out" : "measured";
        const xs = own.map(({ curve }) => amplitude(curve.amplitude));
        stiffness.series.push(series(name, "markers", group, xs, own.map(({ curve, i }) => curve.k_dyn[i]! * this.stiffness.factor)));
        angle.series.push(series(name, "markers", group, xs, own.map(({ curve, i }) => curve.loss_angle_deg[i]!)));
      }
      if (this.curves.length === 0) return;
      const k = series("model", "line", group, [], []);
      const d = series("model", "line", group, [], []);
      stiffness.series.push(k);
      angle.series.push(d);
      moves.push({ group, k, d });
    });
    const sample = (group: number) => {
      const ordered = [...this.curves].sort((a, b) => amplitudes[a.amplitude]! - amplitudes[b.amplitude]!);
      const hz = frequencies[group]!;
      return { x: ordered.map((curve) => amplitude(curve.amplitude)), k: ordered.map((curve) => between(curve.frequency_hz, curve.k_dyn, hz) * this.stiffness.factor), d: ordered.map((curve) => between(curve.frequency_hz, curve.loss_angle_deg, hz)) };
    };
    for (const { group, k, d } of moves) {
      const now = sample(group);
      [k.x, k.y, k.total_points] = [now.x, now.k, now.x.length];
      [d.x, d.y, d.total_points] = [now.x, now.d, now.x.length];
    }
    const [left, right] = this.put([stiffness, angle], 2);
    for (const { group, k, d } of moves)
      this.derived.push(() => {
        const now = sample(group);
        left!.moveLine(k, now.x, now.k);
        right!.moveLine(d, now.x, now.d);
      });
  }

  // What the model leaves, point by point.
  private addResiduals(at: string, common: Partial<PlotBlock>): void {
    const stiffness = this.plot(`Stiffness, model minus measured${at}`, ["Frequency", "Hz", true], ["Of the measured stiffness", "%"], common);
    const angle = this.plot(`Loss angle, model minus measured${at}`, ["Frequency", "Hz", true], ["Loss angle", "deg"], common);
    const rowsOf = new Map<Series, number[]>();
    const fills: (() => void)[] = [];
    for (const curve of this.measured.map.curves) {
      if (curve.preload !== this.preload) continue;
      for (const out of [false, true]) {
        const picked = curve.frequency_hz.map((_, i) => i).filter((i) => this.isOut(curve, i) === out);
        if (picked.length === 0) continue;
        const x = picked.map((i) => curve.frequency_hz[i]!);
        const k = series(out ? "left out" : "model minus measured", "markers", curve.amplitude, x, []);
        const d = series(k.name, "markers", curve.amplitude, x, []);
        for (const one of [k, d]) if (curve.row) rowsOf.set(one, picked.map((i) => curve.row![i]!));
        fills.push(() => {
          const model = this.curves.find(({ amplitude }) => amplitude === curve.amplitude);
          k.y = picked.map((i) => (model ? 100 * (between(model.frequency_hz, model.k_dyn, curve.frequency_hz[i]!) / curve.k_dyn[i]! - 1) : null));
          d.y = picked.map((i) => (model ? between(model.frequency_hz, model.loss_angle_deg, curve.frequency_hz[i]!) - curve.loss_angle_deg[i]! : null));
        });
        stiffness.series.push(k);
        angle.series.push(d);
      }
    }
    fills.forEach((fill) => fill());
    const figures = this.put([stiffness, angle], 2);
    this.derived.push(...fills);
    this.takePicks(figures, rowsOf);
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
    if (evaluation.curves) this.curves = evaluation.curves;
    this.derived.forEach((work) => work());
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
    for (const curve of this.curves) {
      const { amplitude, frequency_hz } = curve;
      const k = this.stiffnessLines.get(amplitude);
      const d = this.angleLines.get(amplitude);
      const stiffness = next(frequency_hz.length, this.stiffness.factor);
      const angle = next(frequency_hz.length, 1);
      if (this.derived.length > 0) {
        curve.k_dyn = (stiffness as number[]).map((value) => value / this.stiffness.factor);
        curve.loss_angle_deg = angle as number[];
      }
      k?.figure.moveLine(k.series, frequency_hz, stiffness);
      d?.figure.moveLine(d.series, frequency_hz, angle);
    }
    this.derived.forEach((work) => work());
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

// On a line through the points of a curve, straight over the logarithm of the frequency.
function between(x: number[], y: number[], at: number): number {
  const after = x.findIndex((value) => value >= at);
  if (after === 0 || x.length === 1) return y[0]!;
  if (after < 0) return y[y.length - 1]!;
  const share = Math.log(at / x[after - 1]!) / Math.log(x[after]! / x[after - 1]!);
  return y[after - 1]! + share * (y[after]! - y[after - 1]!);
}
