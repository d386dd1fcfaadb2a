// SPDX-License-Identifier: Apache-2.0
// A wire frame that moves in a mode shape, to be turned, played and scaled.

import { button, element } from "./dom";
import { fileName, save } from "./download";
import type { AnimationBlock } from "./model";
import { View3d, type Picture, type Vector } from "./view3d";

const period = 1.6; // seconds of one cycle, whatever the frequency: the eye wants slow motion
const largestDeflection = 0.14; // of the size of the structure, at amplitude 1
const steps = 16; // colours of the sequence in the theme

export function renderAnimation(block: AnimationBlock): HTMLElement {
  return new Animation(block).node;
}

class Animation {
  readonly node: HTMLElement;
  private readonly view: View3d;
  private readonly playButton: HTMLButtonElement;
  private readonly choice = element("select", { "aria-label": "Shape" });
  private readonly count: number;
  private readonly centre: Vector;
  private readonly size: number;
  private amplitude = 1;
  private shape = 0;
  private phase = 0;
  private playing = false;
  private lastTime = 0;
  private largest = 1;

  constructor(private readonly block: AnimationBlock) {
    this.count = block.points.length / 3;
    const axes = [0, 1, 2].map((axis) => block.points.filter((_, i) => i % 3 === axis));
    const low = axes.map((values) => Math.min(...values));
    const high = axes.map((values) => Math.max(...values));
    this.centre = [0, 1, 2].map((axis) => (low[axis]! + high[axis]!) / 2) as Vector;
    this.size = Math.hypot(...[0, 1, 2].map((axis) => high[axis]! - low[axis]!)) || 1;
    this.view = new View3d({
      height: block.height_px,
      size: this.size,
      draw: (picture) => this.paint(picture),
      toggle: () => this.play(!this.playing),
    });
    block.shapes.forEach((shape, i) => this.choice.append(element("option", { value: String(i) }, shape.name)));
    this.choice.addEventListener("change", () => this.show(Number(this.choice.value)));
    this.playButton = button("Play", "Play or pause (space)", () => this.play(!this.playing));
    this.playButton.classList.add("play");
    const slider = element("input", { type: "range", min: "0", max: "3", step: "0.05", value: "1", "aria-label": "Amplitude" });
    slider.addEventListener("input", () => {
      this.amplitude = Number(slider.value);
      this.view.draw();
    });
    const tools = element("div", { class: "tools" });
    tools.append(
      button("Reset view", "Look from the first side again", () => this.view.resetView()),
      button("PNG", "Download this picture", () =>
        this.view.canvas.toBlob((blob) => blob && save(blob, fileName(`${block.title} ${block.shapes[this.shape]?.name ?? ""}`, "png"))),
      ),
    );
    const turn = (by: number) => this.show((this.shape + by + block.shapes.length) % block.shapes.length);
    this.node = element(
      "figure",
      { class: "plot animation" },
      element("div", { class: "figure-head" }, element("h3", {}, block.title), tools),
      this.view.canvas,
      element(
        "div",
        { class: "player" },
        this.playButton,
        button("‹", "Previous shape", () => turn(-1)),
        this.choice,
        button("›", "Next shape", () => turn(1)),
        element("label", {}, "Amplitude", slider),
      ),
    );
    if (block.caption) this.node.append(element("figcaption", {}, block.caption));
    // The first time it is seen it starts by itself, unless the reader wants no motion.
    let started = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.view.onSeen(() => {
      if (!started) this.play(true);
      else if (this.playing) this.request();
      started = true;
    });
    this.show(0);
  }

  private show(index: number): void {
    this.shape = index;
    this.choice.value = String(index);
    const shape = this.block.shapes[index];
    this.largest = 0;
    for (let i = 0; shape && i < this.count; ++i) {
      let square = 0;
      for (let axis = 0; axis < 3; ++axis) square += (shape.real[3 * i + axis] ?? 0) ** 2 + (shape.imaginary[3 * i + axis] ?? 0) ** 2;
      this.largest = Math.max(this.largest, Math.sqrt(square));
    }
    this.largest ||= 1;
    this.view.canvas.setAttribute("aria-label", `${this.block.title}: ${shape?.name ?? "no shape"}`);
    this.view.draw();
  }

  private play(on: boolean): void {
    this.playing = on;
    this.playButton.textContent = on ? "Pause" : "Play";
    this.lastTime = 0;
    if (on) this.request();
  }

  private request(): void {
    requestAnimationFrame((time) => {
      if (!this.playing || !this.view.isVisible) return;
      if (this.lastTime > 0) this.phase = (this.phase + ((time - this.lastTime) / 1000 / period) * 2 * Math.PI) % (2 * Math.PI);
      this.lastTime = time;
      this.view.draw();
      this.request();
    });
  }

  // Displacement of a point at the present phase: Re((real + i imaginary) exp(i phase)).
  private displaced(i: number, phase: number): { at: Vector; moved: number } {
    const shape = this.block.shapes[this.shape];
    const scale = (this.amplitude * largestDeflection * this.size) / this.largest;
    const at: Vector = [0, 0, 0];
    let square = 0;
    for (let axis = 0; axis < 3; ++axis) {
      const j = 3 * i + axis;
      const u = (shape?.real[j] ?? 0) * Math.cos(phase) - (shape?.imaginary[j] ?? 0) * Math.sin(phase);
      at[axis] = this.block.points[j]! - this.centre[axis]! + scale * u;
      square += (shape?.real[j] ?? 0) ** 2 + (shape?.imaginary[j] ?? 0) ** 2;
    }
    return { at, moved: Math.sqrt(square) / this.largest };
  }

  private paint({ context, still, colour, project }: Picture): void {
    const phase = still ? 0 : this.phase;
    const points = Array.from({ length: this.count }, (_, i) => this.displaced(i, phase));
    const moved = points.map(({ at }) => project(at));
    const rest = points.map((_, i) => project([0, 1, 2].map((axis) => this.block.points[3 * i + axis]! - this.centre[axis]!) as Vector));
    const { lines } = this.block;
    context.lineWidth = 1;
    context.strokeStyle = colour("--axis");
    context.setLineDash([3, 4]);
    context.beginPath();
    for (let i = 0; i < lines.length; i += 2) {
      context.moveTo(rest[lines[i]!]![0], rest[lines[i]!]![1]);
      context.lineTo(rest[lines[i + 1]!]![0], rest[lines[i + 1]!]![1]);
    }
    context.stroke();
    context.setLineDash([]);
    // Far lines first, coloured by how much their ends move in this shape.
    const order = Array.from({ length: lines.length / 2 }, (_, i) => i).sort(
      (a, b) => moved[lines[2 * b]!]![2] + moved[lines[2 * b + 1]!]![2] - moved[lines[2 * a]!]![2] - moved[lines[2 * a + 1]!]![2],
    );
    context.lineWidth = 2.6;
    for (const i of order) {
      const [a, b] = [lines[2 * i]!, lines[2 * i + 1]!];
      const strength = Math.min(steps - 1, Math.round(((points[a]!.moved + points[b]!.moved) / 2) * (steps - 1)));
      context.strokeStyle = colour(`--sequence-${strength}`);
      context.beginPath();
      context.moveTo(moved[a]![0], moved[a]![1]);
      context.lineTo(moved[b]![0], moved[b]![1]);
      context.stroke();
    }
    context.fillStyle = colour("--category-1");
    for (const i of this.block.marked) {
      context.beginPath();
      context.arc(moved[i]![0], moved[i]![1], 3, 0, 2 * Math.PI);
      context.fill();
    }
  }
}
