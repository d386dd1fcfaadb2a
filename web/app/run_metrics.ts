// SPDX-License-Identifier: Apache-2.0
// The figure by which a run is judged, for lists of runs: read when its row is seen, once.

import { formatShort } from "../report/format";
import { readFile, type Json, type JsonObject } from "./api";
import type { Job } from "./jobs";

const known = new Map<string, Promise<string>>();

// A fit that meets its data exactly says no more by its last digits.
const percent = (value: unknown, what: string): string => (typeof value === "number" ? `${value < 1e-6 ? "0" : formatShort(100 * value, 3)} % ${what}` : "");
const plural = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;
const list = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);
const inner = (value: Json | undefined): JsonObject => (value && typeof value === "object" && !Array.isArray(value) ? value : {});

const readers: Record<string, (result: JsonObject) => string> = {
  inspect: ({ files }) => {
    const serious = list(files).flatMap((file) => list(inner(file).findings)).filter((finding) => inner(finding).severity === "serious").length;
    const unknown = list(files).filter((file) => inner(file).kind === "unknown").length;
    return unknown > 0 ? `${unknown} not recognised` : serious > 0 ? `${serious} serious` : "recognised";
  },
  "fit elastomer": ({ fit, parts }) => (parts ? plural(list(parts).length, "part") : percent(inner(fit).rms_kdyn_rel, "misfit")),
  "fit hydromount": ({ fit, parts }) => (parts ? plural(list(parts).length, "part") : percent(inner(fit).rms_kdyn_rel, "misfit")),
  "fit activemount": ({ fit }) => percent(inner(fit).rms_kdyn_rel, "misfit"),
  "fit mastercurve": ({ shift_factors }) => plural(list(shift_factors).length, "temperature"),
  validate: ({ map, transients }) => percent(inner(map).rms_kdyn_rel, "misfit") || percent(inner(list(transients)[0]).rms_rel, "misfit"),
  linearise: ({ misfit }) => percent(misfit, "misfit"),
  frf: ({ channels }) => plural(list(channels).length, "response"),
  body: ({ modes }) => plural(list(modes).length, "mode"),
  correlate: ({ modes }) => (list(inner(modes).pairs).length > 0 ? plural(list(inner(modes).pairs).length, "pair") : ""),
  update: ({ parts, parameters, sensors }) => {
    if (sensors) return plural(list(sensors).length, "sensor");
    const count = Object.keys(inner(parameters)).length;
    return list(parts).length > 1 ? plural(list(parts).length, "part") : count > 0 ? plural(count, "parameter") : "";
  },
  assess: ({ vibration_total }) => {
    const [place, value] = Object.entries(inner(vibration_total))[0] ?? [];
    return typeof value === "number" ? `${formatShort(value, 3)} m/s² at ${place}` : "";
  },
  study: ({ runs, failed }) => (typeof runs === "number" ? `${plural(runs, "run")}${failed ? `, ${String(failed)} failed` : ""}` : ""),
  "fit bushing": ({ directions }) => {
    const misfits = list(directions).map((one) => inner(one).rms_kdyn_rel).filter((one): one is number => typeof one === "number");
    return misfits.length > 0 ? percent(Math.max(...misfits), "largest misfit") : "";
  },
  "fit compare": ({ ranking }) => {
    const title = inner(list(ranking)[0]).title;
    return typeof title === "string" ? `best: ${title}` : "";
  },
  modal: ({ poles }) => plural(list(poles).length, "mode"),
  modes: ({ modes }) => plural(list(modes).filter((one) => inner(one).oscillates !== false).length, "mode"),
  fe: ({ modes, frequencies_hz }) => (list(modes ?? frequencies_hz).length > 0 ? `${list(modes ?? frequencies_hz).length} modes` : ""),
  insitu: ({ misfit }) => percent(misfit, "misfit"),
  vehicle: ({ parameters }) => {
    const mass = inner(inner(parameters).ms).value;
    return typeof mass === "number" ? `${formatShort(mass, 4)} kg body` : "";
  },
};

export const hasMetric = (job: Job): boolean => Boolean(job.has_result) && job.operation in readers;

export function metricOf(job: Job): Promise<string> {
  let found = known.get(job.id);
  if (!found) {
    found = readFile<JsonObject>(`${job.folder}/result.json`)
      .then((result) => readers[job.operation]!(result))
      .catch(() => "");
    known.set(job.id, found);
  }
  return found;
}
