// SPDX-License-Identifier: Apache-2.0
// What a reader does with a picture in space besides turning it: hide parts, cut it open, read a node, the scale of its colours.

import { button, element } from "./dom";
import { formatShort } from "./format";
import type { Box } from "./mesh";
import type { Picture } from "./view3d";

// Boxes for the parts of a surface; nothing for one part or for more than anyone would tick.
export function partChoice(names: string[], shown: boolean[], onChange: () => void): HTMLElement | null {
  if (names.length < 2 || names.length > 200) return null;
  const boxes = names.map((name, i) => {
    const box = element("input", { type: "checkbox" });
    box.checked = true;
    box.addEventListener("change", () => {
      shown[i] = box.checked;
      onChange();
    });
    return element("label", {}, box, name);
  });
  const list = element("div", {}, ...boxes);
  list.hidden = true;
  const open = button("Parts", "Show and hide parts", () => {
    list.hidden = !list.hidden;
    open.setAttribute("aria-expanded", String(!list.hidden));
  });
  open.setAttribute("aria-expanded", "false");
  return element("span", { class: "parts" }, open, list);
}

export interface Cut {
  axis: number;
  at: number;
}

export function cutChoice(box: Box, onChange: (cut: Cut | null) => void): HTMLElement {
  const axis = element("select", { "aria-label": "Cut" }, ...["No cut", "Cut along X", "Cut along Y", "Cut along Z"].map((name, i) => element("option", { value: String(i - 1) }, name)));
  const place = element("input", { type: "range", min: "0", max: "1", step: "0.01", value: "0.5", "aria-label": "Place of the cut" });
  place.hidden = true;
  const change = () => {
    const i = Number(axis.value);
    place.hidden = i < 0;
    onChange(i < 0 ? null : { axis: i, at: box.low[i]! + Number(place.value) * (box.high[i]! - box.low[i]!) });
  };
  axis.addEventListener("change", change);
  place.addEventListener("input", change);
  return element("span", { class: "cut" }, axis, place);
}

// Small to large displacement, at the right edge.
export function drawColourBar({ context, width, colour }: Picture, sequence: string[], label: string): void {
  const [left, top, height] = [width - 26, 26, 110];
  const ramp = context.createLinearGradient(0, top + height, 0, top);
  sequence.forEach((one, i) => ramp.addColorStop(i / (sequence.length - 1), one));
  context.fillStyle = ramp;
  context.fillRect(left, top, 10, height);
  context.fillStyle = colour("--text-soft");
  context.textAlign = "right";
  context.fillText("largest", left - 5, top + 8);
  context.fillText("0", left - 5, top + height);
  context.fillText(label, left + 10, top - 9);
  context.textAlign = "left";
}

export class NodeTip {
  readonly node = element("div", { class: "tip" });

  constructor() {
    this.node.hidden = true;
  }

  hide(): void {
    this.node.hidden = true;
  }

  show(x: number, y: number, title: string, values: [string, string][]): void {
    this.node.replaceChildren(
      element("div", { class: "tip-head" }, title),
      ...values.map(([name, value]) => element("div", { class: "tip-value" }, element("span", {}, name), element("b", {}, value))),
    );
    this.node.hidden = false;
    const room = this.node.parentElement?.clientWidth ?? 0;
    const left = x + 16 + this.node.offsetWidth > room ? x - 16 - this.node.offsetWidth : x + 16;
    this.node.style.transform = `translate(${Math.max(0, left)}px, ${y + 12}px)`;
  }
}

export const coordinates = (values: number[]): string => values.map((value) => formatShort(value, 4)).join(", ");
