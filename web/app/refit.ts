// SPDX-License-Identifier: Apache-2.0
// Options of the next fit from what the user did: held parameters, start values, bounds.

import type { JsonObject } from "./api";
import type { Parameter } from "./parameter_panel";
import type { OperationInfo } from "./project";

export function refitOptions(info: OperationInfo, before: JsonObject, parameters: Parameter[]): JsonObject {
  const knows = (name: string) => info.fields.some((field) => field.name === name);
  const options = Object.fromEntries(Object.entries(before).filter(([name]) => knows(name)));
  const fix: JsonObject = {};
  const start: JsonObject = {};
  const free: string[] = [];
  const bounds: JsonObject = {};
  for (const { field, fitName: name, estimate, value, held, bounds: [low, high] } of parameters) {
    // What the fit does not know, or computes from the others, cannot be asked of it.
    if (!estimate || estimate.status === "derived") continue;
    // Geometry is an option of its own; what was assumed is not told.
    if (held && knows(name)) {
      if (value !== field.value || name in before) options[name] = value;
      continue;
    }
    if (held) {
      fix[name] = value;
      continue;
    }
    start[name] = Math.min(Math.max(value, low ?? -Infinity), high ?? Infinity);
    if (estimate.status === "fixed") free.push(name);
    // A limit of zero often means "above zero", where zero itself is refused; a millionth of the value is as good as no limit.
    const lowest = field.lower === 0 && value > 0 ? value / 1e6 : (field.lower ?? value / 1e6);
    if (low !== null || high !== null) bounds[name] = [low ?? lowest, high ?? field.upper ?? value * 1e6];
  }
  const put = (name: string, value: JsonObject | string[]) => {
    if (knows(name) && Object.keys(value).length > 0) options[name] = value;
    else delete options[name];
  };
  put("fix", fix);
  put("start", start);
  put("free", free);
  put("bounds", bounds);
  return options;
}
