// SPDX-License-Identifier: Apache-2.0
// A multibody run on the screen: its motion with the forces of its bushings, and its signals. Drawn from result.json and the model file.

import { element } from "../report/dom";
import type { AnimationBlock, PlotBlock, ReportDocument, Series } from "../report/model";
import { motionOf, renderMotion, type MotionScene } from "../report/motion";
import { buildPlots } from "../report/plot_row";
import { readFile, type Json } from "./api";
import { settings } from "./settings";
import type { Result, TabMaker } from "./studies";

interface Signals {
  time_s: number[];
  signals: Record<string, { unit: string; values: number[] }>;
}

interface SimulationResult {
  series?: Signals;
}

type Marker = string | { body?: string; position?: number[]; rotation?: Json };

interface Model {
  title?: string;
  bodies?: { name: string; position?: number[] }[];
  markers?: { name: string; body: string; position?: number[]; rotation?: Json }[];
  bushings?: { name: string; markers: Marker[] }[];
  springs?: { name: string; markers: Marker[] }[];
}

const axes = ["x", "y", "z"];
const mostFrames = 2000;

// x y z of one moment after the other, or nothing when the run has no such signal.
function vector({ time_s, signals }: Signals, name: string, suffixes: string[]): number[] | undefined {
  const parts = suffixes.map((suffix) => signals[`${name}${suffix}`]?.values);
  if (parts.every((part) => part === undefined)) return undefined;
  const step = Math.max(1, Math.floor(time_s.length / mostFrames));
  const out: number[] = [];
  for (let i = 0; i < time_s.length; i += step) out.push(...parts.map((part) => part?.[i] ?? 0));
  return out;
}

type Matrix = number[]; // nine numbers, row by row

const identity: Matrix = [1, 0, 0, 0, 1, 0, 0, 0, 1];

const product = (a: Matrix, b: Matrix): Matrix =>
  a.map((_, i) => [0, 1, 2].reduce((sum, k) => sum + a[3 * Math.floor(i / 3) + k]! * b[3 * k + (i % 3)]!, 0));

const turned = (r: Matrix, v: number[]): number[] => [0, 1, 2].map((i) => r[3 * i]! * v[0]! + r[3 * i + 1]! * v[1]! + r[3 * i + 2]! * v[2]!);

// Of a rotation vector (Rodrigues).
function rotationOf([x, y, z]: number[]): Matrix {
  const angle = Math.hypot(x!, y!, z!);
  if (angle === 0) return identity;
  const [a, b, c] = [x! / angle, y! / angle, z! / angle];
  const [s, v] = [Math.sin(angle), 1 - Math.cos(angle)];
  return [1 - v * (b * b + c * c), v * a * b - s * c, v * a * c + s * b, v * a * b + s * c, 1 - v * (a * a + c * c), v * b * c - s * a, v * a * c - s * b, v * b * c + s * a, 1 - v * (a * a + b * b)];
}

// As the model file writes it: a rotation vector or three rows.
function givenRotation(rotation: Json | undefined): Matrix {
  if (!Array.isArray(rotation) || rotation.length !== 3) return identity;
  return Array.isArray(rotation[0]) ? (rotation.flat() as number[]) : rotationOf(rotation as number[]);
}

// Axes of the first marker of a connection at every moment: loads are measured in them. Turning by the bending of a flexible body is left out.
function axesOf(model: Model, series: Signals, marker: Marker | undefined, moments: number): Matrix[] {
  const given = typeof marker === "string" ? model.markers?.find(({ name }) => name === marker) : marker;
  const own = givenRotation(given?.rotation);
  const body = given?.body && given.body !== "ground" ? vector(series, given.body, axes.map((axis) => `.rotation.${axis}`)) : undefined;
  return Array.from({ length: moments }, (_, i) => (body ? product(rotationOf(body.slice(3 * i, 3 * i + 3)), own) : own));
}

// Points are bodies and named markers, whose positions the run wrote; places on the ground are those of the model file.
function sceneOf(model: Model, series: Signals): MotionScene | null {
  const step = Math.max(1, Math.floor(series.time_s.length / mostFrames));
  const block: MotionScene = {
    title: "Motion",
    time_s: series.time_s.filter((_, i) => i % step === 0),
    points: [],
    lines: [],
    arrows: [],
    caption: "Drag to turn, Ctrl and wheel to zoom. Arrows are the forces of bushings and springs on the second body; dashed lines connect their ends.",
    height_px: 460,
  };
  const index = new Map<string, number>();
  const add = (key: string, name: string, at: number[] | undefined): number => {
    const known = index.get(key);
    if (known !== undefined) return known;
    if (!at) return -1;
    index.set(key, block.points.length);
    block.points.push({ name, dot: true, at });
    return block.points.length - 1;
  };
  const position = axes.map((axis) => `.position.${axis}`);
  for (const body of model.bodies ?? []) add(`body ${body.name}`, body.name, vector(series, body.name, position));
  for (const marker of model.markers ?? []) {
    const at = marker.body === "ground" ? (marker.position ?? [0, 0, 0]) : vector(series, marker.name, position);
    const point = add(`marker ${marker.name}`, "", at);
    const body = index.get(`body ${marker.body}`);
    if (point >= 0 && body !== undefined) block.lines.push({ from: body, to: point, style: "body" });
  }
  const groundOf = (marker: Marker | undefined) => (typeof marker === "object" && (marker.body === "ground" || marker.body === undefined) ? marker : undefined);
  // The run writes positions of named markers; the other end of a connection that starts on the ground is where its deflection puts it.
  const place = (marker: Marker | undefined, other: Marker | undefined, name: string, end: number): number => {
    if (typeof marker === "string") return index.get(`marker ${marker}`) ?? -1;
    if (!marker) return -1;
    const ground = groundOf(marker);
    if (ground) return add(`ground ${name}`, "", ground.position ?? [0, 0, 0]);
    const body = index.get(`body ${marker.body}`) ?? -1;
    const deflection = vector(series, name, [".fx.deflection", ".fy.deflection", ".fz.deflection"]);
    const start = groundOf(other);
    if (end !== 1 || !deflection || !start) return body;
    const from = start.position ?? [0, 0, 0];
    const frame = givenRotation(start.rotation);
    const moved = block.time_s.flatMap((_, i) => turned(frame, deflection.slice(3 * i, 3 * i + 3)));
    const point = add(`end ${name}`, "", moved.map((value, i) => value + from[i % 3]!));
    if (body >= 0) block.lines.push({ from: body, to: point, style: "body" });
    return point;
  };
  for (const { name, markers } of [...(model.bushings ?? []), ...(model.springs ?? [])]) {
    const [from, to] = [place(markers[0], markers[1], name, 0), place(markers[1], markers[0], name, 1)];
    if (from >= 0 && to >= 0 && from !== to) block.lines.push({ from, to, style: "connection" });
    const force = vector(series, name, [".fx.load", ".fy.load", ".fz.load"]);
    const point = to >= 0 ? to : from;
    // Loads are positive in tension: they pull the second body back.
    if (!force || point < 0) continue;
    const frames = axesOf(model, series, markers[0], block.time_s.length);
    block.arrows.push({ name, point, force: frames.flatMap((frame, i) => turned(frame, force.slice(3 * i, 3 * i + 3)).map((value) => -value)) });
  }
  return block.points.length > 0 ? block : null;
}

async function runOf({ job }: Result): Promise<{ result: SimulationResult; model: Model | undefined }> {
  const result = await readFile<SimulationResult>(`${job.folder}/result.json`);
  const path = job.options.model;
  const model = typeof path === "string" ? await readFile<Json>(path) : undefined;
  return { result, model: model as unknown as Model | undefined };
}

// The picture of the report, which knows rotations and flexible bodies, with the forces of the bushings put in; or one made from the signals.
export async function buildMotion(context: Result): Promise<TabMaker | null> {
  if (!context.job.has_result) return null;
  const { result, model } = await runOf(context);
  const simple = model && result.series ? sceneOf(model, result.series) : null;
  const drawn = context.document && sceneOfDocument(context.document);
  if (drawn && simple) addForces(drawn, simple);
  const scene = drawn ?? simple;
  return scene && (async () => renderMotion(scene));
}

function sceneOfDocument(document: ReportDocument): MotionScene | undefined {
  const blocks = document.sections.flatMap((section) => section.blocks);
  const animated = blocks.find((block): block is AnimationBlock => block.kind === "animation" && block.frames.length > 1);
  return animated && motionOf(animated);
}

// Forces act where the simple picture has them; the same place in the drawn one is its nearest point at the start.
function addForces(drawn: MotionScene, simple: MotionScene): void {
  const moments = drawn.time_s.map((time) => nearestIndex(simple.time_s, time));
  const distance = (a: number[], b: number[]) => Math.hypot(a[0]! - b[0]!, a[1]! - b[1]!, a[2]! - b[2]!);
  for (const { name, point, force } of simple.arrows) {
    const place = simple.points[point]!.at;
    let best = 0;
    drawn.points.forEach(({ at }, i) => {
      if (distance(at, place) < distance(drawn.points[best]!.at, place)) best = i;
    });
    drawn.arrows.push({ name, point: best, force: moments.flatMap((i) => force.slice(3 * i, 3 * i + 3)) });
  }
  if (drawn.arrows.length > 0) drawn.caption += " Arrows are the forces of bushings on their second body.";
}

function nearestIndex(times: number[], time: number): number {
  let [low, high] = [0, times.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle]! <= time) low = middle;
    else high = middle;
  }
  return low;
}

const first = (names: string[]): string[] => {
  const loads = names.filter((name) => name.endsWith(".load"));
  return (loads.length > 0 ? loads : names).slice(0, 3);
};

// Any signals over time: one plot for each unit, all on the same time.
export async function buildSignals(context: Result): Promise<TabMaker | null> {
  if (!context.job.has_result) return null;
  const { series } = (await runOf(context)).result;
  return series ? async () => signalBrowser(series) : null;
}

function signalBrowser(series: Signals): HTMLElement {
  const names = Object.keys(series.signals).filter((name) => series.signals[name]!.values.some((value) => value !== 0));
  const chosen = new Set(first(names));
  const plots = element("div");
  const draw = () => {
    const byUnit = new Map<string, PlotBlock>();
    for (const name of names.filter((one) => chosen.has(one))) {
      const { unit: si, values } = series.signals[name]!;
      const { unit, factor } = settings.shown(si);
      const plot = byUnit.get(unit) ?? signalPlot(unit);
      byUnit.set(unit, plot);
      const one: Series = { name, style: "line", group: plot.series.length, total_points: values.length, x: series.time_s, y: values.map((value) => value * factor) };
      plot.series.push(one);
    }
    const list = [...byUnit.values()];
    plots.replaceChildren(...(list.length > 0 ? list.map((plot) => buildPlots([plot], { columns: 1, linkX: true }).node) : [element("p", { class: "nothing" }, "Choose signals on the left.")]));
  };
  const search = element("input", { type: "text", placeholder: "Search", "aria-label": "Search signals" });
  const list = element("div", { class: "channel-scroll" });
  const fill = () =>
    list.replaceChildren(
      ...names
        .filter((name) => name.toLowerCase().includes(search.value.trim().toLowerCase()))
        .map((name) => {
          const box = element("input", { type: "checkbox" });
          box.checked = chosen.has(name);
          box.addEventListener("change", () => {
            if (box.checked) chosen.add(name);
            else chosen.delete(name);
            draw();
          });
          return element("label", { class: "check" }, box, name);
        }),
    );
  search.addEventListener("input", fill);
  fill();
  draw();
  return element("div", { class: "browser" }, element("aside", { class: "card channel-list" }, element("h2", {}, "Signals"), search, list), plots);
}

function signalPlot(unit: string): PlotBlock {
  return {
    kind: "plot",
    title: unit === "" || unit === "-" ? "Numbers" : `In ${unit}`,
    x: { label: "Time", unit: "s", log: false },
    y: { label: "", unit, log: false },
    series: [],
    groups: [],
    group_label: "",
    palette: "categorical",
    caption: "",
    height_px: 280,
  };
}
