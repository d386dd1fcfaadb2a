// SPDX-License-Identifier: Apache-2.0
// Numbers as people read them: a given count of significant digits, no exponent where a plain number is as short.

import type { Axis } from "./model";

const plainFrom = 1e-4;
const plainBelow = 1e7;

export function formatNumber(value: number, digits = 4): string {
  const size = Math.abs(value);
  if (value === 0 || (Number.isInteger(value) && size < plainBelow)) return String(value);
  if (size < plainFrom || size >= plainBelow) return value.toExponential(digits - 1).replace("e+", "e");
  const integerDigits = Math.floor(Math.log10(size)) + 1;
  return value.toFixed(Math.max(0, digits - integerDigits));
}

// For tips and ticks: no zeros that say nothing.
export function formatShort(value: number, digits = 5): string {
  const text = formatNumber(value, digits);
  const [mantissa = "", exponent] = text.split("e");
  const short = mantissa.includes(".") ? mantissa.replace(/\.?0+$/, "") : mantissa;
  return exponent === undefined ? short : `${short}e${exponent}`;
}

const raised: Record<string, string> = { "-": "⁻", "0": "⁰", "1": "¹", "2": "²", "3": "³", "4": "⁴", "5": "⁵", "6": "⁶", "7": "⁷", "8": "⁸", "9": "⁹", ".": "·" };

// A unit as it is printed: kg*m^2 is kg·m². A point in a power is raised, too: m/s¹·⁷⁵.
export function unitText(unit: string): string {
  return unit
    .replaceAll("*", "·")
    .replace(/\(([A-Za-z]+)\)/g, "$1") // (N)^2/Hz
    .replace(/\^(-?\d+(?:\.\d+)?)/g, (_, power: string) => [...power].map((digit) => raised[digit]).join(""))
    .replace(/\bdeg([CF])\b/g, "°$1")
    .replace(/\bN m\b/g, "N·m")
    .replace(/\^n\b/g, "ⁿ");
}

export function withUnit(text: string, unit: string): string {
  return unit === "" || unit === "-" ? text : `${text} ${unitText(unit)}`;
}

export function axisTitle(axis: Axis): string {
  const label = plainTitleOf(pretty(axis.label)).replace(/^mu\b/, "μ");
  if (axis.unit === "" || axis.unit === "-") return label;
  return label === "" ? unitText(axis.unit) : `${label} (${unitText(axis.unit)})`;
}

// For files that programs read: the unit in plain letters.
export function plainTitle(axis: Axis): string {
  return axis.unit === "" || axis.unit === "-" ? axis.label : `${axis.label} (${axis.unit})`;
}

// Parameters of laws as people say them: static_stiffness is static stiffness. Names that users give to parameters and channels stay.
const ofLaws = /^(?:(?:static|dynamic|main|chamber|decoupler|effective|fluid|channel|valve|damping|resonance|residual|scale|loss|hardening)(?:_(?:[a-z]+|\d))+|t1_over_t2)$/;
export const plainName = (name: string): string => (ofLaws.test(name) ? name.replaceAll("_", " ") : name);

// A title that begins with such a name.
export const plainTitleOf = (title: string): string => title.replace(/^[a-z]\w+(?=$|[ ,:])/, (name) => (ofLaws.test(name) ? plainName(name).replace(/^./, (letter) => letter.toUpperCase()) : name));

const unitWord = "(?:kg|g|kN|N|mm|m|s|rad|Hz|W|J|MPa|Pa)(?:\\^-?\\d+)?";
const units = new RegExp(`(?<![\\w.^])${unitWord}(?:[*/]${unitWord})*(?![\\w^])`, "g");

// Words for people: ±, ×, powers and units as they are printed.
export function pretty(text: string): string {
  if (!/\d C\b|-\+|[a-z] \* [a-z]|[*^]|\+-|\bdeg[CF]\b|\bN m\/|(?:_x_| x )(?:preload|amplitude|\d)|\d um\b|e\+\d| pi\b|null is /.test(text)) return text;
  return text
    .replace(/(^|[\s(])(?:\+-|-\+)\s?/g, "$1± ")
    .replace(/(?<=[a-z]) \* (?=[a-z])/g, " × ")
    .replace(/(^|[\s(,])(-?\d+(?:\.\d+)?) C(?=$|[,;) ])/g, "$1$2 °C")
    .replace(units, (unit) => unitText(unit))
    .replace(/\^(-?\d+)/g, (_, power: string) => [...power].map((digit) => raised[digit]).join(""))
    .replace(/(?<=[A-Za-z])\*(?=\([a-z]+\/)/g, "·") // N*(s/m)^n
    .replace(/\^n\b/g, "ⁿ")
    .replace(/(?<=[\d.)])e\+0?(\d)/g, "e$1")
    .replace(/(?:_x_| x )(?=preload|amplitude)/g, " × ")
    .replace(/(?<=\w{2}) x (?=\d)/g, " × ")
    .replace(/(\d) um\b/g, "$1 µm")
    .replace(/(\d) pi\b/g, "$1 π")
    .replace(/\bdeg([CF])\b/g, "°$1")
    .replace(/\bN m(?=\/)/g, "N·m")
    .replace(/\bnull is /g, "none is "); // of files
}

const months = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"];

// 2026-11-15T21:27:38Z as people write it; everything else as it is.
export function dateText(time: string): string {
  const found = /^(\d{4})-(\d\d)-(\d\d)T(\d\d:\d\d)(?::\d\d(?:\.\d+)?)?Z$/.exec(time);
  return found ? `${Number(found[3])} ${months[Number(found[2]) - 1]} ${found[1]}, ${found[4]} UTC` : time;
}
