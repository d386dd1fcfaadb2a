// SPDX-License-Identifier: Apache-2.0
// Dragging a rectangle zooms; a flat or narrow one zooms only along its longer side. Double-click goes back to everything.

import type { AxisScale, Chart } from "./chart";
import { svgElement } from "./dom";
import { positionIn } from "./hover";
import type { Range } from "./ticks";

const least = 8; // pixels: less is a click

export interface ZoomHandlers {
  zoom: (x: Range | undefined, y: Range | undefined) => void;
  reset: () => void;
  select?: (x: Range, y: Range) => void; // with the shift key
}

export function attachZoom(chart: Chart, handlers: ZoomHandlers): void {
  const { svg, frame } = chart;
  svg.addEventListener("dblclick", handlers.reset);
  svg.addEventListener("keydown", (event) => event.key === "Escape" && handlers.reset());
  svg.addEventListener("pointerdown", (start) => {
    if (start.button !== 0 || start.pointerType === "touch") return;
    const clamp = ([x, y]: [number, number]): [number, number] => [
      Math.min(Math.max(x, frame.left), frame.right),
      Math.min(Math.max(y, frame.top), frame.bottom),
    ];
    const from = clamp(positionIn(svg, start));
    let to = from;
    const box = svgElement("rect", { class: "zoom-box" });
    svg.append(box);
    svg.setPointerCapture(start.pointerId);

    const extent = () => {
      const [width, height] = [Math.abs(to[0] - from[0]), Math.abs(to[1] - from[1])];
      return { alongX: width >= least && width > height / 6, alongY: height >= least && height > width / 6 };
    };
    const move = (event: PointerEvent) => {
      to = clamp(positionIn(svg, event));
      const { alongX, alongY } = extent();
      const [x0, x1] = alongX ? [Math.min(from[0], to[0]), Math.max(from[0], to[0])] : [frame.left, frame.right];
      const [y0, y1] = alongY ? [Math.min(from[1], to[1]), Math.max(from[1], to[1])] : [frame.top, frame.bottom];
      const drawn = alongX || alongY;
      for (const [name, value] of Object.entries({ x: x0, y: y0, width: drawn ? x1 - x0 : 0, height: drawn ? y1 - y0 : 0 }))
        box.setAttribute(name, String(value));
    };
    const finish = (event: PointerEvent) => {
      svg.removeEventListener("pointermove", move);
      svg.removeEventListener("pointerup", finish);
      svg.removeEventListener("pointercancel", finish);
      box.remove();
      const { alongX, alongY } = extent();
      if (event.type === "pointerup" && start.shiftKey && handlers.select && (alongX || alongY))
        return handlers.select(between(chart.x, from[0], to[0]), between(chart.y, from[1], to[1]));
      if (event.type === "pointerup" && (alongX || alongY))
        handlers.zoom(alongX ? between(chart.x, from[0], to[0]) : undefined, alongY ? between(chart.y, from[1], to[1]) : undefined);
    };
    svg.addEventListener("pointermove", move);
    svg.addEventListener("pointerup", finish);
    svg.addEventListener("pointercancel", finish);
  });
}

function between(scale: AxisScale, a: number, b: number): Range {
  const [low, high] = [scale.invert(a), scale.invert(b)];
  return low < high ? [low, high] : [high, low];
}
