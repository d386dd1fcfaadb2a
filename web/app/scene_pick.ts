// SPDX-License-Identifier: Apache-2.0
// A structure at rest to point at: a click on a mark (bushing, sensor, measured point) or on a surface switches it, and columns can be
// dropped on marks. Boxes and menus beside the picture do the same by keyboard.

import { button, element } from "../report/dom";
import { boxOf, meshOf } from "../report/mesh";
import type { AnimationBlock } from "../report/model";
import { NodeTip } from "../report/scene_tools";
import { Surface } from "../report/surface";
import { View3d, type Picture, type Vector } from "../report/view3d";

export interface Mark {
  id: string;
  kind: "bushing" | "sensor" | "point";
  at: Vector;
}

export interface PickScene {
  title: string;
  block: AnimationBlock;
  marks: Mark[];
  isOn: (mark: Mark) => boolean;
  words: (mark: Mark) => string; // beside its name where the pointer rests
  onMark: (mark: Mark) => void;
  isSurfaceOn?: (index: number) => boolean;
  surfaceWords?: (index: number) => string;
  onSurface?: (index: number) => void;
  dropType?: string; // of what may be dropped on a sensor
  onDrop?: (mark: Mark, dropped: string) => void;
  caption: string;
}

const reach = 12; // pixels around a mark
const mostNames = 40; // marks whose names are written beside them
const still = 4; // pixels a pointer may move in a click

export class ScenePick {
  readonly node: HTMLElement;
  private readonly view: View3d;
  private readonly surface: Surface;
  private readonly box: ReturnType<typeof boxOf>;
  private readonly tip = new NodeTip();
  private picture: Picture | null = null;
  private over: Mark | null = null;

  constructor(private readonly scene: PickScene) {
    const { block, marks } = scene;
    this.box = boxOf([block.points, marks.flatMap(({ at }) => at)]);
    this.surface = new Surface(meshOf(block));
    this.view = new View3d({ height: 340, size: this.box.size, draw: (picture) => this.paint(picture), toggle: () => undefined, hover: (x, y) => this.hover(x, y) });
    const { canvas } = this.view;
    canvas.setAttribute("aria-label", scene.title);
    let [downX, downY] = [0, 0];
    canvas.addEventListener("pointerdown", ({ offsetX, offsetY }) => ([downX, downY] = [offsetX, offsetY]));
    canvas.addEventListener("click", ({ offsetX, offsetY }) => {
      if (Math.hypot(offsetX - downX, offsetY - downY) > still) return;
      const mark = this.markAt(offsetX, offsetY);
      if (mark) scene.onMark(mark);
      else {
        const part = scene.onSurface ? this.surfaceAt(offsetX, offsetY) : -1;
        if (part >= 0) scene.onSurface!(part);
      }
      this.view.draw();
    });
    if (scene.dropType && scene.onDrop) this.takeDrops(canvas, scene.dropType, scene.onDrop);
    this.node = element(
      "figure",
      { class: "plot animation pick" },
      element("div", { class: "figure-head" }, element("h3", {}, scene.title), element("div", { class: "tools" }, button("Reset view", "Look from the first side again", () => this.view.resetView()))),
      element("div", { class: "stage" }, canvas, this.tip.node),
      element("figcaption", {}, scene.caption),
    );
  }

  draw(): void {
    this.view.draw();
  }

  private takeDrops(canvas: HTMLCanvasElement, type: string, onDrop: (mark: Mark, dropped: string) => void): void {
    canvas.addEventListener("dragover", (event) => {
      if (!event.dataTransfer?.types.includes(type)) return;
      const mark = this.markAt(event.offsetX, event.offsetY, 2 * reach, "sensor");
      if (mark) event.preventDefault();
      if (mark !== this.over) {
        this.over = mark;
        this.view.draw();
      }
    });
    canvas.addEventListener("dragleave", () => {
      this.over = null;
      this.view.draw();
    });
    canvas.addEventListener("drop", (event) => {
      const mark = this.markAt(event.offsetX, event.offsetY, 2 * reach, "sensor");
      const dropped = event.dataTransfer?.getData(type) ?? "";
      this.over = null;
      if (mark && dropped !== "") {
        event.preventDefault();
        onDrop(mark, dropped);
      }
      this.view.draw();
    });
  }

  private project(at: ArrayLike<number>, from = 0): [number, number, number] {
    return this.picture!.project([0, 1, 2].map((axis) => at[from + axis]! - this.box.centre[axis]!) as Vector);
  }

  // The nearest on the screen; of several in reach the one nearest to the reader.
  private markAt(x: number, y: number, within = reach, kind?: Mark["kind"]): Mark | null {
    let best: Mark | null = null;
    let nearest = Infinity;
    if (!this.picture) return null;
    for (const mark of this.scene.marks) {
      if (kind && mark.kind !== kind) continue;
      const [right, down] = this.project(mark.at);
      const far = Math.hypot(right - x, down - y);
      if (far <= within && far < nearest) [best, nearest] = [mark, far];
    }
    return best;
  }

  // The surface whose foremost triangle lies under the pointer.
  private surfaceAt(x: number, y: number): number {
    if (!this.picture) return -1;
    const { points, surfaces } = this.scene.block;
    let [found, nearest] = [-1, Infinity];
    const seen = new Map<number, [number, number, number]>();
    const of = (i: number) => {
      let at = seen.get(i);
      if (!at) seen.set(i, (at = this.project(points, 3 * i)));
      return at;
    };
    surfaces.forEach(({ triangles }, part) => {
      for (let i = 0; i < triangles.length; i += 3) {
        const [a, b, c] = [of(triangles[i]!), of(triangles[i + 1]!), of(triangles[i + 2]!)];
        const area = (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]);
        if (area === 0) continue;
        const u = ((x - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (y - a[1])) / area;
        const v = ((b[0] - a[0]) * (y - a[1]) - (x - a[0]) * (b[1] - a[1])) / area;
        if (u < 0 || v < 0 || u + v > 1) continue;
        const depth = a[2] + u * (b[2] - a[2]) + v * (c[2] - a[2]);
        if (depth < nearest) [found, nearest] = [part, depth];
      }
    });
    return found;
  }

  private hover(x: number, y: number): void {
    const mark = Number.isNaN(x) ? null : this.markAt(x, y);
    const { scene } = this;
    this.view.canvas.style.cursor = mark ? "pointer" : "";
    if (!mark) return this.tip.hide();
    this.tip.show(x, y, `${mark.kind.charAt(0).toUpperCase()}${mark.kind.slice(1)} ${mark.id}`, [[scene.words(mark), scene.isOn(mark) ? "chosen" : "not chosen"]]);
  }

  private paint(picture: Picture): void {
    this.picture = picture;
    const { context, colour } = picture;
    const { block, marks } = this.scene;
    const sequence = Array.from({ length: 6 }, (_, i) => colour(`--field-${i}`));
    const drawn = this.surface.draw({
      ...picture,
      centre: this.box.centre,
      size: this.box.size,
      phase: 0,
      deflection: 0,
      largest: 1,
      coloured: false,
      shown: block.surfaces.map(() => true),
      cut: null,
      sequence,
      own: block.surfaces.length > 0 ? block.surfaces.map((_, i) => (this.scene.isSurfaceOn?.(i) ? colour("--category-2") : sequence[0]!)) : [sequence[0]!],
      ink: colour("--text"),
      ghost: null,
    });
    if (drawn) context.drawImage(drawn, 0, 0, picture.width, picture.height);
    else this.paintLines(picture);
    const font = getComputedStyle(this.view.canvas).fontFamily;
    context.font = `11px ${font}`;
    for (const mark of marks) this.paintMark(picture, mark, marks.length <= mostNames);
  }

  private paintLines({ context, colour }: Picture): void {
    const { points, lines } = this.scene.block;
    context.strokeStyle = colour("--text-soft");
    context.beginPath();
    for (let i = 0; i < lines.length; i += 2) {
      const [a, b] = [this.project(points, 3 * lines[i]!), this.project(points, 3 * lines[i + 1]!)];
      context.moveTo(a[0], a[1]);
      context.lineTo(b[0], b[1]);
    }
    context.stroke();
  }

  // Bushings are squares, sensors and measured points are discs; what is chosen is filled.
  private paintMark({ context, colour }: Picture, mark: Mark, named: boolean): void {
    const [x, y] = this.project(mark.at);
    const on = this.scene.isOn(mark);
    const size = mark.kind === "point" ? 4 : 6;
    const own = colour(mark.kind === "bushing" ? "--category-1" : "--category-0");
    context.beginPath();
    if (mark.kind === "bushing") context.rect(x - size, y - size, 2 * size, 2 * size);
    else context.arc(x, y, size, 0, 2 * Math.PI);
    context.fillStyle = on ? own : colour("--surface");
    context.fill();
    context.strokeStyle = own;
    context.lineWidth = 2;
    context.stroke();
    if (mark === this.over) {
      context.beginPath();
      context.arc(x, y, size + 5, 0, 2 * Math.PI);
      context.stroke();
    }
    if (!named) return;
    context.lineWidth = 3;
    context.strokeStyle = colour("--surface");
    // A sensor may sit on a bushing: their names stand on either side.
    const left = mark.kind === "bushing";
    const beside = left ? x - size - 4 : x + size + 4;
    context.textAlign = left ? "right" : "left";
    context.strokeText(mark.id, beside, y + 4);
    context.fillStyle = colour("--text");
    context.fillText(mark.id, beside, y + 4);
    context.textAlign = "left";
  }
}
