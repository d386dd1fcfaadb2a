// SPDX-License-Identifier: Apache-2.0
// A computed motion played back: points over time, lines between them, forces as arrows.

import { button, element } from "./dom";
import { fileName, save } from "./download";
import { formatShort } from "./format";
import { glb } from "./glb";
import { boxOf, meshOf } from "./mesh";
import type { AnimationBlock } from "./model";
import { partChoice } from "./scene_tools";
import { Surface, type Mesh } from "./surface";
import { canRecord, record } from "./video";
import { View3d, type Picture, type Projected, type Vector } from "./view3d";

const longestArrow = 0.22; // of the size of the scene, for the largest force
const head = 7; // pixels
const wantedExcursion = 0.06; // of the size of the scene: smaller motions are magnified so far at first
const largestMagnified = 200;
const longestFilm = 30; // seconds

// Points over time: what a simulation computed, played back.
export interface MotionScene {
  title: string;
  time_s: number[];
  points: { name: string; dot: boolean; at: number[] }[]; // x y z of one moment after the other; three numbers: it stays
  lines: { from: number; to: number; style: "body" | "connection" | "ground" }[];
  arrows: { name: string; point: number; force: number[] }[]; // x y z of one moment after the other
  mesh: Mesh; // what stands still in it: surfaces and lines of bodies
  surfaces: string[]; // names of its surfaces
  magnification?: number; // of the displacement from the first moment; without it one that can be seen
  caption: string;
  height_px: number;
}

// The frames of an animation; nothing where it shows shapes.
export function motionOf(block: AnimationBlock): MotionScene | undefined {
  const { frames, times } = block;
  if (frames.length < 2) return undefined;
  const marked = new Set(block.marked);
  const dashed = new Set(block.dashed);
  const count = block.points.length / 3;
  return {
    title: block.title,
    time_s: times,
    points: Array.from({ length: count }, (_, i) => ({ name: "", dot: marked.has(i), at: frames.flatMap((frame) => frame.slice(3 * i, 3 * i + 3)) })),
    lines: Array.from({ length: block.lines.length / 2 }, (_, i) => ({ from: block.lines[2 * i]!, to: block.lines[2 * i + 1]!, style: dashed.has(i) ? ("connection" as const) : ("body" as const) })),
    arrows: block.forces,
    mesh: meshOf(block),
    surfaces: block.surfaces.map(({ name }) => name),
    magnification: block.magnification,
    caption: block.caption,
    height_px: block.height_px,
  };
}

export function renderMotion(scene: MotionScene): HTMLElement {
  return new Motion(scene).node;
}

class Motion {
  readonly node: HTMLElement;
  private readonly view: View3d;
  private readonly playButton: HTMLButtonElement;
  private readonly clock = element("output", { class: "clock" });
  private readonly place = element("input", { type: "range", min: "0", max: "1000", value: "0", "aria-label": "Time", class: "wide" });
  private readonly surface: Surface;
  private readonly shown: boolean[];
  private readonly centre: Vector;
  private readonly size: number;
  private readonly duration: number;
  private readonly largestForce: number;
  private time = 0;
  private speed: number;
  private magnify: number; // of the displacement from the first moment
  private arrows = 1;
  private playing = false;
  private lastFrame = 0;

  constructor(private readonly block: MotionScene) {
    ({ centre: this.centre, size: this.size } = boxOf(block.points.map(({ at }) => at)));
    this.surface = new Surface(block.mesh);
    this.shown = block.surfaces.map(() => true);
    this.duration = block.time_s[block.time_s.length - 1] ?? 0;
    this.largestForce = Math.max(...block.arrows.map(({ force }) => largestNorm(force)), 1e-300);
    this.magnify = block.magnification ?? Math.min(largestMagnified, Math.max(1, Math.round((wantedExcursion * this.size) / (excursion(block) || this.size))));
    // Short runs are slowed down to some seconds on the screen.
    this.speed = this.duration > 6 || this.duration === 0 ? 1 : this.duration / 6;
    this.view = new View3d({ height: block.height_px, size: this.size * 1.1, draw: (picture) => this.paint(picture), toggle: () => this.play(!this.playing) });
    this.view.canvas.setAttribute("aria-label", block.title);
    this.playButton = button("Play", "Play or pause (space)", () => this.play(!this.playing));
    this.playButton.classList.add("play");
    this.place.addEventListener("input", () => this.goTo((Number(this.place.value) / 1000) * this.duration));
    const slider = (label: string, largest: string, now: string, onInput: (value: number) => void) => {
      const input = element("input", { type: "range", min: "0", max: largest, step: "0.1", value: now, "aria-label": label });
      input.addEventListener("input", () => {
        onInput(Number(input.value));
        this.view.draw();
      });
      return element("label", {}, label, input);
    };
    const tools = element("div", { class: "tools" });
    tools.append(
      button("Reset view", "Look from the first side again", () => this.view.resetView()),
      button("PNG", "Download this picture", () => this.view.canvas.toBlob((blob) => blob && save(blob, fileName(block.title, "png")))),
    );
    if (block.surfaces.length > 0) tools.append(button("glTF", "Download the bodies as they stand now for other viewers", () => save(glb(this.meshNow(), null, 0), fileName(block.title, "glb"))));
    if (canRecord() && this.duration > 0) {
      const film = button("WebM", "Record the motion once as a film", () => {
        film.disabled = true;
        this.goTo(0);
        this.play(true);
        void record(this.view.canvas, Math.min(this.duration / this.speed, longestFilm))
          .then((blob) => save(blob, fileName(block.title, "webm")))
          .finally(() => (film.disabled = false));
      });
      tools.append(film);
    }
    this.node = element(
      "figure",
      { class: "plot animation" },
      element("div", { class: "figure-head" }, element("h3", {}, block.title), tools),
      this.view.canvas,
      element("div", { class: "player" }, this.playButton, this.place, this.clock),
      element(
        "div",
        { class: "player" },
        slider("Motion ×", String(Math.max(largestMagnified, 3 * this.magnify)), String(this.magnify), (value) => (this.magnify = value)),
        block.arrows.length > 0 && slider("Forces", "3", "1", (value) => (this.arrows = value)),
        element("span", {}, `speed ${formatShort(this.speed, 2)} ×`),
        partChoice(block.surfaces, this.shown, () => this.view.draw()),
      ),
    );
    if (block.caption) this.node.append(element("figcaption", {}, block.caption));
    this.view.onSeen(() => this.playing && this.request());
    this.goTo(0);
  }

  private play(on: boolean): void {
    this.playing = on;
    this.playButton.textContent = on ? "Pause" : "Play";
    this.lastFrame = 0;
    if (on) this.request();
  }

  private request(): void {
    requestAnimationFrame((now) => {
      if (!this.playing || !this.view.isVisible) return;
      if (this.lastFrame > 0) this.goTo((this.time + ((now - this.lastFrame) / 1000) * this.speed) % (this.duration || 1));
      this.lastFrame = now;
      this.request();
    });
  }

  private goTo(time: number): void {
    this.time = time;
    this.place.value = String(this.duration > 0 ? (1000 * time) / this.duration : 0);
    this.clock.textContent = `${time.toFixed(3)} s`;
    this.view.draw();
  }

  // The moment now, as an index with a fraction.
  private moment(): { index: number; part: number } {
    const { time_s: times } = this.block;
    let [low, high] = [0, times.length - 1];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (times[middle]! <= this.time) low = middle;
      else high = middle;
    }
    const span = (times[high] ?? 0) - (times[low] ?? 0);
    return { index: low, part: span > 0 ? Math.min(1, Math.max(0, (this.time - times[low]!) / span)) : 0 };
  }

  // A value over time at the moment now.
  private between(values: number[]): Vector {
    const { index, part } = this.moment();
    if (values.length < 6) return [values[0] ?? 0, values[1] ?? 0, values[2] ?? 0];
    const pick = (i: number, axis: number) => values[3 * Math.min(i, values.length / 3 - 1) + axis]!;
    return [0, 1, 2].map((axis) => (1 - part) * pick(index, axis) + part * pick(index + 1, axis)) as Vector;
  }

  // Magnified, from the centre of the scene.
  private placesNow(): Vector[] {
    return this.block.points.map(({ at }) => this.between(at).map((value, axis) => at[axis]! + this.magnify * (value - at[axis]!) - this.centre[axis]!) as Vector);
  }

  private meshNow(): Mesh {
    const points = new Float32Array(3 * this.block.points.length);
    this.placesNow().forEach((place, i) => points.set(place, 3 * i));
    return { ...this.block.mesh, points };
  }

  // Bodies as shaded surfaces; false where the browser cannot or there are none.
  private paintBodies(picture: Picture, places: Vector[]): boolean {
    if (this.block.surfaces.length === 0) return false;
    const points = new Float32Array(3 * places.length);
    places.forEach((place, i) => place.forEach((value, axis) => (points[3 * i + axis] = value)));
    this.surface.setPoints(points);
    const { colour } = picture;
    const drawn = this.surface.draw({
      ...picture,
      centre: [0, 0, 0],
      size: this.size * 1.1,
      phase: 0,
      deflection: 0,
      largest: 1,
      coloured: false,
      shown: this.shown,
      cut: null,
      sequence: [colour("--field-0"), colour("--field-5")],
      own: [0, 2, 3, 5, 6, 7].map((i) => colour(`--category-${i}`)),
      ink: colour("--text"),
      ghost: null,
    });
    if (drawn) picture.context.drawImage(drawn, 0, 0, picture.width, picture.height);
    return drawn !== null;
  }

  private paint(picture: Picture): void {
    const { context, colour, project } = picture;
    const places = this.placesNow();
    const seen = places.map(project);
    const looks = { body: ["--category-0", 3, []], connection: ["--category-4", 1.6, [5, 4]], ground: ["--axis", 1, [2, 3]] } as const;
    const shaded = this.paintBodies(picture, places);
    for (const { from, to, style } of this.block.lines) {
      if (shaded && style === "body") continue;
      const [name, width, dash] = looks[style];
      context.strokeStyle = colour(name);
      context.lineWidth = width;
      context.setLineDash([...dash]);
      context.beginPath();
      context.moveTo(seen[from]![0], seen[from]![1]);
      context.lineTo(seen[to]![0], seen[to]![1]);
      context.stroke();
    }
    context.setLineDash([]);
    context.font = "12px sans-serif";
    // What stays lies below what moves.
    const order = seen.map((_, i) => i).sort((a, b) => this.block.points[a]!.at.length - this.block.points[b]!.at.length);
    for (const i of order) {
      if (!this.block.points[i]!.dot) continue;
      const [x, y] = seen[i]!;
      const stays = this.block.points[i]!.at.length <= 3;
      context.fillStyle = colour(stays ? "--axis" : "--category-0");
      context.beginPath();
      context.arc(x, y, stays ? 5 : 3.5, 0, 2 * Math.PI);
      context.fill();
      context.fillStyle = colour("--text-soft");
      context.fillText(this.block.points[i]!.name, x + 6, y - 6);
    }
    for (const { point, force } of this.block.arrows) {
      const now = this.between(force);
      const scale = (this.arrows * longestArrow * this.size) / this.largestForce;
      const tip = project(places[point]!.map((value, axis) => value + scale * now[axis]!) as Vector);
      drawArrow(context, seen[point]!, tip, colour("--category-1"));
    }
  }
}

// How far any point goes from where it was at first.
function excursion({ points }: MotionScene): number {
  let largest = 0;
  for (const { at } of points)
    for (let i = 0; i + 2 < at.length; i += 3) largest = Math.max(largest, Math.hypot(at[i]! - at[0]!, at[i + 1]! - at[1]!, at[i + 2]! - at[2]!));
  return largest;
}

function largestNorm(force: number[]): number {
  let largest = 0;
  for (let i = 0; i + 2 < force.length; i += 3) largest = Math.max(largest, Math.hypot(force[i]!, force[i + 1]!, force[i + 2]!));
  return largest;
}

function drawArrow(context: CanvasRenderingContext2D, from: Projected, to: Projected, colour: string): void {
  const length = Math.hypot(to[0] - from[0], to[1] - from[1]);
  if (length < 2) return;
  const [ux, uy] = [(to[0] - from[0]) / length, (to[1] - from[1]) / length];
  context.strokeStyle = context.fillStyle = colour;
  context.lineWidth = 2;
  context.beginPath();
  context.moveTo(from[0], from[1]);
  context.lineTo(to[0], to[1]);
  context.stroke();
  context.beginPath();
  context.moveTo(to[0] + ux * 2, to[1] + uy * 2);
  context.lineTo(to[0] - head * ux + 0.45 * head * uy, to[1] - head * uy - 0.45 * head * ux);
  context.lineTo(to[0] - head * ux - 0.45 * head * uy, to[1] - head * uy + 0.45 * head * ux);
  context.fill();
}
