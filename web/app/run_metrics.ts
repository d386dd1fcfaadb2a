// SPDX-License-Identifier: Apache-2.0
// The figure by which a run is judged, for lists of runs: read when its row is seen, once.

import { formatShort } from "../report/format";
import { readFile, type Json, type JsonObject } from "./api";
import type { Job } from "./jobs";

const known = new Map<string, Promise<string>>();

const percent = (value: unknown, what: string): string => (typeof value === "number" ? `${formatShort(100 * value, 3)} % ${what}` : "");
const list = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);
const inner = (value: Json | undefined): JsonObject => (value && typeof value === "object" && !Array.isArray(value) ? value : {});

const readers: Record<string, (result: JsonObject) => string> = {
  inspect: ({ files }) => {
    const serious = list(files).flatMap((file) => list(inner(file).findings)).filter((finding) => inner(finding).severity === "serious").length;
    const unknown = list(files).filter((file) => inner(file).kind === "unknown").length;
    return unknown > 0 ? `${unknown} not recognised` : serious > 0 ? `${serious} serious` : "recognised";
  },
  "fit elastomer": ({ fit }) => percent(inner(fit).rms_kdyn_rel, "misfit"),
  "fit hydromount": ({ fit }) => percent(inner(fit).rms_kdyn_rel, "misfit"),
  "fit bushing": ({ directions }) => {
    const misfits = list(directions).map((one) => inner(one).rms_kdyn_rel).filter((one): one is number => typeof one === "number");
    return misfits.length > 0 ? percent(Math.max(...misfits), "largest misfit") : "";
  },
  "fit compare": ({ laws }) => (list(laws).length > 0 ? `${list(laws).length} laws` : ""),
  modal: ({ poles }) => `${list(poles).length} modes`,
  modes: ({ modes }) => `${list(modes).length} modes`,
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
