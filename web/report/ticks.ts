// SPDX-License-Identifier: Apache-2.0
// Where axes carry numbers. Decided here, before drawing, because the left margin depends on the width of the labels.

import { formatShort, unitText } from "./format";

export interface Ticks {
  values: number[]; // with a label
  grid: number[]; // with a grid line; on a log axis more than the labelled ones
  label: (value: number) => string;
}

export type Range = [number, number];

// All in pixels.
export interface Room {
  length: number; // of the axis
  spacing: number; // wanted between two labels
  least: number; // needed between two labels; on a log axis they are not equally far apart
}

export function axisTicks(range: Range, log: boolean, room: Room, unit = "", whole = false): Ticks {
  return log ? logTicks(range, room) : linearTicks(range, room, unit, whole);
}

function linearTicks([low, high]: Range, room: Room, unit = "", whole = false): Ticks {
  const rough = (high - low) / Math.max(2, room.length / room.spacing);
  const power = 10 ** Math.floor(Math.log10(rough));
  // Angles of a turn are read in parts of a right angle.
  const turn = unit === "deg" && high - low >= 180 ? [15, 30, 45, 90, 180].find((angle) => angle >= rough * 0.8) : undefined;
  const even = turn ?? power * ([1, 2, 5, 10].find((factor) => factor * power >= rough * 0.8) ?? 10);
  const at = (step: number) => {
    const values: number[] = [];
    for (let i = Math.ceil(low / step - 1e-9); i <= Math.floor(high / step + 1e-9); ++i) values.push(i * step);
    return values;
  };
  let step = whole ? Math.max(1, Math.round(even)) : even;
  let values = at(step);
  // Two numbers are the least that tell a scale; an odd range of a small plot may hold one of the wide steps.
  for (const closer of whole || turn ? [] : [5, 2, 1, 0.5, 0.2].map((factor) => factor * power).filter((one) => one < even * 0.99)) {
    if (values.length >= 3) break;
    step = closer;
    values = at(step);
  }
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const extreme = Math.max(Math.abs(low), Math.abs(high));
  const label = (value: number) =>
    decimals > 5 || extreme >= 1e7 ? formatShort(value, 4) : value.toFixed(decimals).replace(/^-(0(\.0*)?)$/, "$1");
  return { values, grid: values, label };
}

function logTicks(range: Range, room: Room): Ticks {
  const [low, high] = range;
  const decades = Math.log10(high / low);
  if (decades < 0.7) return { ...linearTicks(range, room), label: (value) => formatShort(value, 4) };
  const first = Math.floor(Math.log10(low));
  const last = Math.ceil(Math.log10(high));
  const decade = room.length / decades;
  // Over many decades only every so manieth has room for its label.
  const every = [1, 2, 3, 5, 10, 20, 50].find((count) => count * decade >= room.least) ?? 100;
  const at = (factors: number[]) => {
    const found: number[] = [];
    for (let power = Math.floor(first / every) * every; power <= last; power += every)
      for (const factor of factors) {
        const value = Number(`${factor}e${power}`);
        if (value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9)) found.push(value);
      }
    return found;
  };
  const fits = (closest: number) => Math.log10(closest) * decade >= room.least;
  const values = at(fits(5 / 4) ? [1, 2, 3, 4, 5, 7] : fits(2) ? [1, 2, 5] : [1]);
  const grid = decades > 5 ? at([1]) : at([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  return { values, grid, label: powerText };
}

// On a log axis large and small numbers are powers: 10⁶ beside 100, 2·10⁻⁵ beside 0.001.
function powerText(value: number): string {
  if (value < 1e6 && value >= 1e-4) return formatShort(value, 4);
  const power = Math.floor(Math.log10(value) + 1e-9);
  const factor = Math.round(value / 10 ** power);
  return unitText(`${factor === 1 ? "" : `${factor}*`}10^${power}`);
}
