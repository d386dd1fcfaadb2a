// SPDX-License-Identifier: Apache-2.0
// A vehicle from dropped decays: what was added to which part of the car, asked for beside a sketch of it.

import { element, svgElement } from "../report/dom";
import type { JsonObject } from "./api";
import { inputOf, type Input } from "./field_inputs";
import { jobs } from "./jobs";
import { addressOf } from "./router";
import { guarded, jobAddress, primary } from "./widgets";

interface Added {
  label: string;
  unit: string;
  hint: string;
}

// In the order of the option.
const added: Added[] = [
  { label: "Body", unit: "kg", hint: "mass added to the body" },
  { label: "Body, pitch", unit: "kg*m^2", hint: "its inertia about the cross axis through the centre of gravity" },
  { label: "Body, roll", unit: "kg*m^2", hint: "its inertia about the long axis" },
  { label: "Wheel front left", unit: "kg", hint: "mass added to this wheel" },
  { label: "Wheel front right", unit: "kg", hint: "mass added to this wheel" },
  { label: "Wheel rear left", unit: "kg", hint: "mass added to this wheel" },
  { label: "Wheel rear right", unit: "kg", hint: "mass added to this wheel" },
];

// Where the channels of a record of motions are taken to sit.
const places: { channel: string; x: number; y: number; words: string }[] = [
  { channel: "zs", x: 118, y: 60, words: "bounce of the body, at its centre of gravity" },
  { channel: "theta", x: 150, y: 74, words: "pitch of the body" },
  { channel: "phi", x: 84, y: 74, words: "roll of the body" },
  { channel: "zuA", x: 57, y: 98, words: "front left wheel" },
  { channel: "zuB", x: 57, y: 21, words: "front right wheel" },
  { channel: "zuC", x: 175, y: 98, words: "rear left wheel" },
  { channel: "zuD", x: 175, y: 21, words: "rear right wheel" },
];

// From above, front to the left: what lights up is what the number beside it belongs to.
function sketch(channels: string[]): { node: SVGSVGElement; light: (index: number) => void } {
  const wheel = (x: number, y: number) => svgElement("rect", { x, y, width: 34, height: 13, rx: 4 });
  const body = svgElement("path", { d: "M22,60 C22,38 40,34 62,33 L178,31 C204,31 214,44 214,60 C214,76 204,89 178,89 L62,87 C40,86 22,82 22,60 Z" });
  const parts: SVGElement[][] = [
    [body],
    [svgElement("path", { d: "M60,60 H180 M168,52 l12,8 l-12,8" })],
    [svgElement("path", { d: "M118,38 V82 M110,72 l8,10 l8,-10" })],
    [wheel(40, 92)],
    [wheel(40, 15)],
    [wheel(158, 92)],
    [wheel(158, 15)],
  ];
  // A record of decays has all seven by its kind, unless its columns are told.
  const shown = places.filter(({ channel }) => channels.length === 0 || channels.some((title) => title.toLowerCase() === channel.toLowerCase()));
  const sensors = shown.flatMap(({ channel, x, y, words }) => {
    const dot = svgElement("circle", { cx: x, cy: y, r: 3.5, class: "sensor" });
    dot.append(Object.assign(svgElement("title", {}), { textContent: `${channel}: ${words}` }));
    return [dot, svgElement("text", channel.startsWith("zu") ? { x: x + 20, y: y + 3, "font-size": 9 } : { x: x + 6, y: y + (channel === "zs" ? -5 : 3), "font-size": 9 }, channel)];
  });
  const node = svgElement("svg", { viewBox: "0 0 236 120", width: 236, height: 120, class: "sketch", role: "img", "aria-label": "The car from above, front to the left" }, ...parts.flat(), ...sensors, svgElement("text", { x: 4, y: 64, "font-size": 11, transform: "rotate(-90 10 64)", "text-anchor": "middle" }, "front"));
  const light = (index: number) => parts.forEach((shapes, i) => shapes.forEach((shape) => shape.classList.toggle("lit", i === index)));
  return { node, light };
}

export function vehicleSetup(files: string[], channels: string[]): HTMLElement {
  const { node: picture, light } = sketch(channels);
  const inputs: Input[] = added.map(({ label, unit, hint }, i) => {
    const input = inputOf({ name: `added_${i}`, kind: "number", unit, meaning: hint, default: null, minimum: 0 }, undefined, `added-${i}`);
    const text = input.node.querySelector("input")!;
    text.setAttribute("aria-label", `Added to ${label.toLowerCase()}`);
    text.addEventListener("focus", () => light(i));
    text.addEventListener("blur", () => light(-1));
    return input;
  });
  const weighed = inputOf({ name: "weighed_mass_kg", kind: "number", unit: "kg", meaning: "", default: null, above: 0 }, undefined, "weighed");
  weighed.node.querySelector("input")!.setAttribute("aria-label", "Mass as weighed");
  const run = primary("Identify the vehicle", "Masses, springs and dampers with confidence intervals", () =>
    void guarded(run, async () => {
      const values = inputs.map(({ read }) => read());
      const options: JsonObject = { data: files };
      if (values.every((value) => value === undefined)) throw new Error("say what was added to the car in the second test: without it nothing tells how heavy the car is");
      options.added_mass = values.map((value) => value ?? 0);
      const mass = weighed.read();
      if (mass !== undefined) options.weighed_mass_kg = mass;
      location.hash = jobAddress(await jobs.submit("vehicle", options));
    }),
  );
  const row = ({ label, unit, hint }: Added, input: Input) =>
    element("div", { class: "field" }, element("label", { for: input.node.querySelector("input")!.id }, label, element("span", { class: "unit" }, ` ${unit === "kg" ? "kg" : "kg·m²"}`)), element("div", {}, input.node, element("p", { class: "hint" }, hint)));
  return element(
    "section",
    { class: "card setup" },
    element("h2", {}, "Identify the vehicle"),
    element("p", { class: "hint" }, "What was on board in the tests with added mass. Everything scales with these numbers: weigh them well; what was not added stays empty."),
    element("div", { class: "setup-columns" }, element("figure", { class: "sketch-figure" }, picture, element("figcaption", {}, "Dots are the measured channels.")), element("div", {}, ...added.map((one, i) => row(one, inputs[i]!)), row({ label: "Car as weighed", unit: "kg", hint: "without the added mass; checks the result, may stay empty" }, weighed))),
    element("div", { class: "row" }, run, element("a", { class: "button", href: addressOf(["run", "vehicle"], { data: files }) }, "All options")),
  );
}
