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

export function withUnit(text: string, unit: string): string {
  return unit === "" || unit === "-" ? text : `${text} ${unit}`;
}

export function axisTitle(axis: Axis): string {
  return axis.unit === "" || axis.unit === "-" ? axis.label : `${axis.label} (${axis.unit})`;
}
