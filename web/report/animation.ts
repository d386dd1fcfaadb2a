// SPDX-License-Identifier: Apache-2.0
// A structure in space, at rest or moving in a mode shape, to be turned, played, scaled, cut open and read.

import { button, element } from "./dom";
import { fileName, save } from "./download";
import { formatShort } from "./format";
import { glb } from "./glb";
import { boxOf, meshOf, pointAt, type Box } from "./mesh";
import type { AnimationBlock } from "./model";
import { coordinates, cutChoice, drawColourBar, NodeTip, partChoice, type Cut } from "./scene_tools";
import { Surface, type Mesh } from "./surface";
import { canRecord, record } from "./video";
import { View3d, type Picture, type Vector } from "./view3d";

const period = 1.6; // seconds of one cycle, whatever the frequency: the eye wants slow motion
const largestDeflection = 0.14; // of the size of the structure, at amplitude 1
const steps = 6; // colours of the field in the theme
const categories = 8;
const mostGhosts = 20_000; // ends of lines at rest behind the moving ones; beyond that they only confuse

export function renderAnimation(block: AnimationBlock): HTMLElement {
  return new Animation(block).node;
}

class Animation {
  readonly node: HTMLElement;
  private readonly view: View3d;
  private readonly mesh: Mesh;
  private readonly surface: Surface;
  private readonly playButton: HTMLButtonElement;
  private readonly choice = element("select", { "aria-label": "Shape" });
  private readonly tip = new NodeTip();
  private readonly count: number;
  private readonly box: Box;
  private readonly shown: boolean[];
  private cut: Cut | null = null;
  private amplitude = 1;
  private shape = 0;
  private phase = 0;
  private playing = false;
  private lastTime = 0;
  private largest = 1;
  private picture: Picture | null = null;

  constructor(private readonly block: AnimationBlock) {
    this.count = block.points.length / 3;
    this.box = boxOf([block.points]);
    this.mesh = meshOf(block);
    this.surface = new Surface(this.mesh);
    this.shown = block.surfaces.map(() => true);
    this.view = new View3d({
      height: block.height_px,
      size: this.box.size,
      draw: (picture) => this.paint(picture),
      toggle: () => this.play(!this.playing),
      hover: (x, y) => this.read(x, y),
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
    const redraw = () => this.view.draw();
    const turn = (by: number) => this.show((this.shape + by + block.shapes.length) % block.shapes.length);
    const player =
      block.shapes.length > 0
        ? [this.playButton, ...(block.shapes.length > 1 ? [button("‹", "Previous shape", () => turn(-1)), this.choice, button("›", "Next shape", () => turn(1))] : []), element("label", {}, "Amplitude", slider)]
        : [];
    const surfaces = block.surfaces.length > 0 && Surface.possible;
    this.node = element(
      "figure",
      { class: "plot animation" },
      element("div", { class: "figure-head" }, element("h3", {}, block.title), this.tools()),
      element("div", { class: "stage" }, this.view.canvas, this.tip.node),
      element(
        "div",
        { class: "player" },
        ...player,
        surfaces &&
          cutChoice(this.box, (cut) => {
            this.cut = cut;
            redraw();
          }),
        surfaces && partChoice(block.surfaces.map(({ name }) => name), this.shown, redraw),
      ),
    );
    if (block.caption) this.node.append(element("figcaption", {}, block.caption));
    // The first time it is seen it starts by itself, unless the reader wants no motion.
    let started = matchMedia("(prefers-reduced-motion: reduce)").matches || block.shapes.length === 0;
    this.view.onSeen(() => {
      if (!started) this.play(true);
      else if (this.playing) this.request();
      started = true;
    });
    this.show(0);
  }

  private get name(): string {
    return `${this.block.title} ${this.block.shapes[this.shape]?.name ?? ""}`.trim();
  }

  private tools(): HTMLElement {
    const tools = element("div", { class: "tools" });
    tools.append(
      button("Reset view", "Look from the first side again", () => this.view.resetView()),
      button("PNG", "Download this picture", () => this.view.canvas.toBlob((blob) => blob && save(blob, fileName(this.name, "png")))),
      button("glTF", "Download surface, lines and shape for other viewers", () => save(glb(this.mesh, this.deflections(), period), fileName(this.name, "glb"))),
    );
    if (canRecord() && this.block.shapes.length > 0) {
      const film = button("WebM", "Record two cycles as a film", () => {
        film.disabled = true;
        this.play(true);
        void record(this.view.canvas, 2 * period)
          .then((blob) => save(blob, fileName(this.name, "webm")))
          .finally(() => (film.disabled = false));
      });
      tools.append(film);
    }
    return tools;
  }

  private get scale(): number {
    return (this.amplitude * largestDeflection * this.box.size) / this.largest;
  }

  private deflections(): Float32Array | null {
    const shape = this.block.shapes[this.shape];
    return shape ? Float32Array.from(shape.real, (value) => value * this.scale) : null;
  }

  private show(index: number): void {
    this.shape = index;
    this.choice.value = String(index);
    const shape = this.block.shapes[index];
    this.largest = shape ? this.largestAmplitude() : 1;
    if (shape) this.surface.setShape(shape.real, shape.imaginary);
    this.view.canvas.setAttribute("aria-label", `${this.block.title}: ${shape?.name ?? "at rest"}`);
    this.view.draw();
  }

  // Of the surface where it moves at all: the tips of rigid links go far and mean little.
  private largestAmplitude(): number {
    let [all, onSurface] = [0, 0];
    for (let i = 0; i < this.count; ++i) {
      const amplitude = this.amplitudeOf(i);
      all = Math.max(all, amplitude);
      if (this.mesh.onSurface[i]) onSurface = Math.max(onSurface, amplitude);
    }
    return (onSurface > 0.05 * all ? onSurface : all) || 1;
  }

  private play(on: boolean): void {
    if (this.block.shapes.length === 0) return;
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

  // The largest displacement of a point over a cycle, bounded from above: its parts may not peak together.
  private amplitudeOf(i: number): number {
    const shape = this.block.shapes[this.shape];
    let square = 0;
    for (let j = 3 * i; j < 3 * i + 3; ++j) square += (shape?.real[j] ?? 0) ** 2 + (shape?.imaginary[j] ?? 0) ** 2;
    return Math.sqrt(square);
  }

  // A point at a phase, from the centre of the scene: rest + Re((real + i imaginary) exp(i phase)).
  private displaced(i: number, phase: number): Vector {
    const shape = this.block.shapes[this.shape];
    return [0, 1, 2].map((axis) => {
      const j = 3 * i + axis;
      const u = (shape?.real[j] ?? 0) * Math.cos(phase) - (shape?.imaginary[j] ?? 0) * Math.sin(phase);
      return this.block.points[j]! - this.box.centre[axis]! + this.scale * u;
    }) as Vector;
  }

  private read(x: number, y: number): void {
    const { picture } = this;
    const found = picture && !Number.isNaN(x) ? pointAt((i) => picture.project(this.displaced(i, this.phase)), this.count, x, y) : -1;
    if (found < 0) return this.tip.hide();
    const at = [0, 1, 2].map((axis) => this.block.points[3 * found + axis]!);
    const values: [string, string][] = [["x, y, z", coordinates(at)]];
    if (this.block.shapes.length > 0) values.push(["displacement", `${formatShort((100 * this.amplitudeOf(found)) / this.largest, 3)} % of the largest`]);
    const name = this.block.point_names[found];
    this.tip.show(x, y, name ? `Node ${name}` : `Point ${found + 1}`, values);
  }

  private paint(picture: Picture): void {
    this.picture = picture;
    const { context, still, colour, project } = picture;
    const phase = still ? 0 : this.phase;
    const moving = this.block.shapes.length > 0;
    const sequence = Array.from({ length: steps }, (_, i) => colour(`--field-${i}`));
    const drawn = this.surface.draw({
      ...picture,
      centre: this.box.centre,
      size: this.box.size,
      phase,
      deflection: moving ? this.scale : 0,
      largest: this.largest,
      coloured: moving,
      shown: this.shown,
      cut: this.cut,
      sequence,
      own: Array.from({ length: categories }, (_, i) => colour(`--category-${i}`)),
      ink: colour("--text"),
      ghost: moving && this.block.surfaces.length === 0 && this.mesh.wires.length < mostGhosts ? colour("--axis") : null,
    });
    if (drawn) context.drawImage(drawn, 0, 0, picture.width, picture.height);
    else this.paintWires(picture, phase);
    if (moving) drawColourBar(picture, sequence, "displacement");
    context.fillStyle = colour("--category-1");
    for (const i of this.block.marked) {
      const [x, y] = project(this.displaced(i, phase));
      context.beginPath();
      context.arc(x, y, 3, 0, 2 * Math.PI);
      context.fill();
    }
    this.paintConnections(picture, phase);
  }

  // What connects bodies rather than being one.
  private paintConnections({ context, colour, project }: Picture, phase: number): void {
    context.strokeStyle = colour("--text-soft");
    context.lineWidth = 1.4;
    context.setLineDash([5, 4]);
    context.beginPath();
    for (const line of this.block.dashed) {
      const [a, b] = [0, 1].map((end) => project(this.displaced(this.block.lines[2 * line + end]!, phase)));
      context.moveTo(a![0], a![1]);
      context.lineTo(b![0], b![1]);
    }
    context.stroke();
    context.setLineDash([]);
  }

  // Without WebGL: far lines first, coloured by how much their ends move in this shape.
  private paintWires({ context, colour, project }: Picture, phase: number): void {
    const moved = Array.from({ length: this.count }, (_, i) => project(this.displaced(i, phase)));
    const { lines } = this.block;
    const depth = (line: number) => moved[lines[2 * line]!]![2] + moved[lines[2 * line + 1]!]![2];
    const order = Array.from({ length: lines.length / 2 }, (_, i) => i).sort((a, b) => depth(b) - depth(a));
    context.lineWidth = 2.2;
    for (const i of order) {
      const [a, b] = [lines[2 * i]!, lines[2 * i + 1]!];
      const strength = Math.min(steps - 1, Math.round(((this.amplitudeOf(a) + this.amplitudeOf(b)) / 2 / this.largest) * (steps - 1)));
      context.strokeStyle = colour(this.block.shapes.length > 0 ? `--field-${strength}` : "--text-soft");
      context.beginPath();
      context.moveTo(moved[a]![0], moved[a]![1]);
      context.lineTo(moved[b]![0], moved[b]![1]);
      context.stroke();
    }
  }
}
