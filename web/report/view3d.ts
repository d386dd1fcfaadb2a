// SPDX-License-Identifier: Apache-2.0
// A canvas on which something in space is looked at: drag to turn, wheel with Ctrl to zoom, arrows to turn and space to play by keyboard.

import { element } from "./dom";

export type Vector = [number, number, number];
export type Projected = [number, number, number]; // right, down, depth

export interface Scene {
  height: number;
  size: number; // largest extent: fits the canvas at zoom 1
  draw: (picture: Picture) => void;
  toggle: () => void; // play or pause
  hover?: (x: number, y: number) => void; // the pointer, in CSS pixels; outside: NaN
}

// One drawing: the context in CSS pixels, the colours of the theme, and where points are seen.
export interface Picture {
  context: CanvasRenderingContext2D;
  width: number;
  height: number;
  still: boolean; // on paper
  colour: (name: string) => string;
  project: (point: Vector) => Projected;
  rows: [Vector, Vector, Vector]; // right, up and away from the reader, as directions of the scene
  scale: number; // pixels per unit of length
  density: number; // device pixels per CSS pixel
  moving: boolean; // more pictures follow at once
}

const restAfter = 200; // ms without a picture

const firstView = { yaw: -0.6, pitch: 0.55, zoom: 1 };

export class View3d {
  readonly canvas = element("canvas", { tabindex: "0", role: "img" });
  private view = { ...firstView };
  private visible = false;
  private readonly seen: (() => void)[] = [];
  private asked = false;
  private lastTime = -Infinity;
  private rest = 0;

  constructor(private readonly scene: Scene) {
    this.canvas.addEventListener("pointerdown", (down) => {
      this.canvas.setPointerCapture(down.pointerId);
      let [x, y] = [down.clientX, down.clientY];
      const move = (event: PointerEvent) => {
        this.turn((event.clientX - x) * 0.008, (event.clientY - y) * 0.008);
        this.ask();
        [x, y] = [event.clientX, event.clientY];
      };
      this.canvas.addEventListener("pointermove", move);
      this.canvas.addEventListener("pointerup", () => this.canvas.removeEventListener("pointermove", move), { once: true });
    });
    if (scene.hover) {
      this.canvas.addEventListener("pointermove", (event) => event.buttons === 0 && scene.hover!(event.offsetX, event.offsetY));
      this.canvas.addEventListener("pointerleave", () => scene.hover!(NaN, NaN));
    }
    this.canvas.addEventListener(
      "wheel",
      (event) => {
        if (!event.ctrlKey) return; // plain scrolling moves the page
        event.preventDefault();
        this.view.zoom = Math.min(6, Math.max(0.4, this.view.zoom * Math.exp(-event.deltaY * 0.002)));
        this.ask();
      },
      { passive: false },
    );
    this.canvas.addEventListener("keydown", (event) => {
      const by: Record<string, [number, number]> = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1] };
      if (event.key === " ") scene.toggle();
      else if (by[event.key]) {
        this.turn(...by[event.key]!);
        this.render(false, true);
      } else return;
      event.preventDefault();
    });
    new ResizeObserver(() => this.draw()).observe(this.canvas);
    new IntersectionObserver((entries) => {
      this.visible = entries.some((entry) => entry.isIntersecting);
      if (this.visible) this.seen.forEach((listener) => listener());
    }).observe(this.canvas);
    for (const query of ["(prefers-color-scheme: dark)", "print"]) matchMedia(query).addEventListener("change", () => this.draw());
    addEventListener("beforeprint", () => this.draw(true));
    addEventListener("afterprint", () => this.draw());
  }

  // A picture nobody sees need not move.
  get isVisible(): boolean {
    return this.visible;
  }

  onSeen(listener: () => void): void {
    this.seen.push(listener);
  }

  resetView(): void {
    this.view = { ...firstView };
    this.draw();
  }

  private turn(yaw: number, pitch: number): void {
    this.view.yaw += yaw;
    this.view.pitch = Math.min(Math.PI / 2, Math.max(-Math.PI / 2, this.view.pitch + pitch));
  }

  // A hand moves quicker than pictures can follow: one for each frame of the browser is enough.
  private ask(): void {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame(() => {
      this.asked = false;
      this.render(false, true);
    });
  }

  private rows(): [Vector, Vector, Vector] {
    const { yaw, pitch } = this.view;
    const [cy, sy, cp, sp] = [Math.cos(yaw), Math.sin(yaw), Math.cos(pitch), Math.sin(pitch)];
    return [
      [cy, -sy, 0],
      [sp * sy, sp * cy, cp],
      [cp * sy, cp * cy, -sp],
    ];
  }

  private projected(point: Vector, rows: [Vector, Vector, Vector], scale: number, width: number, height: number): Projected {
    const [right, up, away] = rows.map((row) => row[0] * point[0] + row[1] * point[1] + row[2] * point[2]) as Vector;
    return [width / 2 + scale * right, height / 2 - scale * up, away];
  }

  draw(still = matchMedia("print").matches): void {
    this.render(still, !still && performance.now() - this.lastTime < restAfter / 2);
  }

  private render(still: boolean, moving: boolean): void {
    this.lastTime = performance.now();
    clearTimeout(this.rest);
    // What comes to rest is drawn once more, as finely as it can be.
    if (moving) this.rest = window.setTimeout(() => this.render(matchMedia("print").matches, false), restAfter);
    const width = this.canvas.clientWidth;
    const { height, size } = this.scene;
    if (width === 0) return;
    const density = Math.max(1, window.devicePixelRatio);
    if (this.canvas.width !== Math.round(width * density) || this.canvas.height !== Math.round(height * density)) {
      this.canvas.width = Math.round(width * density);
      this.canvas.height = Math.round(height * density);
      this.canvas.style.height = `${height}px`;
    }
    const context = this.canvas.getContext("2d")!;
    context.setTransform(density, 0, 0, density, 0, 0);
    context.clearRect(0, 0, width, height);
    context.lineCap = "round";
    const style = getComputedStyle(this.canvas);
    const colour = (name: string) => style.getPropertyValue(name);
    const scale = (0.82 * this.view.zoom * Math.min(width * 0.9, height * 1.25)) / size;
    const rows = this.rows();
    this.scene.draw({ context, width, height, still, colour, project: (point) => this.projected(point, rows, scale, width, height), rows, scale, density, moving });
    this.drawTripod(context, height, style, colour);
  }

  private drawTripod(context: CanvasRenderingContext2D, height: number, style: CSSStyleDeclaration, colour: (name: string) => string): void {
    const origin: [number, number] = [34, height - 34];
    context.lineWidth = 1.4;
    context.font = `11px ${style.fontFamily}`;
    (["X", "Y", "Z"] as const).forEach((name, axis) => {
      const unit: Vector = [0, 0, 0];
      unit[axis] = 1;
      const [x, y] = this.projected(unit, this.rows(), 22, 0, 0);
      context.strokeStyle = context.fillStyle = colour("--text-soft");
      context.beginPath();
      context.moveTo(...origin);
      context.lineTo(origin[0] + x, origin[1] + y);
      context.stroke();
      context.fillText(name, origin[0] + 1.3 * x - 3, origin[1] + 1.3 * y + 4);
    });
  }
}
