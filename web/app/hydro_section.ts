// SPDX-License-Identifier: Apache-2.0
// A hydro mount cut open. The part that a slider changes lights up.

import { svgElement } from "../report/dom";

// Which part a parameter is of, by its name and the law it stands in.
const parts: [string, RegExp][] = [
  ["rubber", /^main|main_rubber/],
  ["decoupler", /decoupler|gap|backlash|membrane|disc|stop/],
  ["valve", /valve|bypass|pressure_limit|opening/],
  ["channel", /channel|fluid_damping|inertia|effective|fluid_mass|exponent|coupled/],
  ["chamber", /chamber/],
  ["fluid", /fluid|density|viscos/],
];

export const partOf = (name: string, part = ""): string => parts.find(([, words]) => words.test(`${part} ${name}`.trim()))?.[0] ?? "";

const words: Record<string, string> = { rubber: "rubber", chamber: "chamber", channel: "channel", decoupler: "decoupler", valve: "valve", fluid: "fluid" };

export interface Section {
  node: SVGSVGElement;
  light: (part: string) => void;
}

export function hydroSection(): Section {
  const shape = (part: string, d: string) => svgElement("path", { d, class: `part ${part}`, "data-part": part });
  const label = (part: string, x: number, y: number, anchor = "start") => svgElement("text", { x, y, "text-anchor": anchor, class: `part-label ${part}`, "data-part": part }, words[part]!);
  const drawn: SVGElement[] = [
    // housing and bolt, which no slider changes
    svgElement("path", { d: "M52,58 V150 H188 V58 L178,58 V140 H62 V58 Z", class: "housing" }),
    svgElement("path", { d: "M104,8 H136 V40 H104 Z M114,2 H126 V8 H114 Z", class: "housing" }),
    shape("rubber", "M104,14 L136,14 L136,40 L178,58 L178,78 L150,70 L136,58 L104,58 L90,70 L62,78 L62,58 L104,40 Z"),
    shape("chamber", "M104,60 L136,60 L150,72 L176,80 L176,88 L64,88 L64,80 L90,72 Z"),
    svgElement("path", { d: "M62,88 H178 V104 H62 Z", class: "housing plate" }),
    shape("channel", "M70,91 H92 V101 H70 Z M148,91 H170 V101 H148 Z M92,94 H96 V98 H92 Z"),
    shape("decoupler", "M104,93 H136 V99 H104 Z"),
    shape("valve", "M140,91 H145 V101 H140 Z"),
    shape("fluid", "M64,104 H176 V112 C176,132 150,136 120,136 C90,136 64,132 64,112 Z"),
    label("rubber", 196, 34),
    svgElement("path", { d: "M194,31 L150,46", class: "leader" }),
    label("chamber", 196, 78),
    svgElement("path", { d: "M194,75 L150,80", class: "leader" }),
    label("channel", 44, 100, "end"),
    svgElement("path", { d: "M46,97 L72,96", class: "leader" }),
    label("decoupler", 44, 122, "end"),
    svgElement("path", { d: "M46,119 L112,98", class: "leader" }),
    label("valve", 196, 104),
    svgElement("path", { d: "M194,101 L144,97", class: "leader" }),
    label("fluid", 196, 128),
    svgElement("path", { d: "M194,125 L160,120", class: "leader" }),
  ];
  const node = svgElement("svg", { viewBox: "-30 0 290 154", class: "section-drawing", role: "img", "aria-label": "Section of the mount" }, ...drawn);
  const light = (part: string) => {
    for (const one of node.querySelectorAll("[data-part]")) one.classList.toggle("lit", part !== "" && one.getAttribute("data-part") === part);
  };
  return { node, light };
}
