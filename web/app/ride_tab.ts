// SPDX-License-Identifier: Apache-2.0
// From a simulated ride to comfort and damage: which signals are seats, which carry loads.

import { element } from "../report/dom";
import { unitText } from "../report/format";
import { readFile, type JsonObject } from "./api";
import { jobs } from "./jobs";
import type { Result, TabMaker } from "./studies";
import { outputFiles } from "./run_parts";
import { guarded, jobAddress, primary } from "./widgets";

interface Simulated {
  summary?: Record<string, { unit: string; min: number; max: number }>;
}

const weightings: [string, string][] = [
  ["", "by its name"],
  ["Wk", "vertical, seat or feet (Wk)"],
  ["Wd", "horizontal, seat (Wd)"],
  ["Wc", "backrest (Wc)"],
  ["We", "rotation (We)"],
  ["none", "no comfort value"],
];

const isAcceleration = (unit: string): boolean => unit === "m/s^2" || unit === "rad/s^2";
const isLoad = (unit: string): boolean => unit === "N" || unit === "N*m";

export async function buildRide({ job }: Result): Promise<TabMaker | null> {
  if (!job.has_result) return null;
  const { summary } = await readFile<Simulated>(`${job.folder}/result.json`);
  const table = (await outputFiles(job)).find(({ path }) => /\/series\.(csv|h5)$/.test(path));
  if (!summary || !table) return null;
  const moving = Object.entries(summary).filter(([, { unit, min, max }]) => (isAcceleration(unit) || isLoad(unit)) && (min !== 0 || max !== 0));
  if (moving.length === 0) return null;
  return async () => {
    const seats = moving.filter(([name, { unit }]) => isAcceleration(unit) && /seat|floor|feet|backrest/i.test(name));
    // Load cells of the model where it has any; else what its mounts carry.
    const carried = moving.filter(([, { unit }]) => isLoad(unit));
    const cells = carried.filter(([name]) => !/\.[ft][xyz]\.load$|\.(force|moment)\.[xyz]$/.test(name));
    const loads = cells.length > 0 ? cells : carried;
    const first = new Set([...(seats.length > 0 ? seats : moving.filter(([, { unit }]) => isAcceleration(unit)).slice(0, 1)), ...loads.slice(0, 4)].map(([name]) => name));
    const rows = moving.map(([name, { unit }]) => {
      const box = element("input", { type: "checkbox", "aria-label": `Assess ${name}` });
      box.checked = first.has(name);
      const weighting = isAcceleration(unit) ? element("select", { "aria-label": `Weighting of ${name}` }, ...weightings.map(([value, words]) => element("option", { value }, words))) : null;
      return { name, unit, box, weighting };
    });
    const run = primary("Assess comfort and damage", "Comfort of accelerations after ISO 2631-1, damage of loads by rainflow counting", () =>
      void guarded(run, async () => {
        const chosen = rows.filter(({ box }) => box.checked);
        if (chosen.length === 0) throw new Error("choose at least one signal");
        const options: JsonObject = { file: table.path, channels: chosen.map(({ name }) => name), title: `Ride: ${job.title || "comfort and damage"}` };
        const weighting = Object.fromEntries(chosen.flatMap(({ name, weighting: select }) => (select && select.value !== "" ? [[name, select.value]] : [])));
        if (Object.keys(weighting).length > 0) options.weighting = weighting;
        location.hash = jobAddress(await jobs.submit("assess", options));
      }),
    );
    const line = ({ name, unit, box, weighting }: (typeof rows)[number]) =>
      element("tr", {}, element("td", {}, box), element("td", {}, name), element("td", { class: "soft" }, unitText(unit)), element("td", {}, weighting ?? "damage"));
    const head = element("tr", {}, ...["Use", "Signal", "Unit", "What for"].map((title) => element("th", { class: "left", scope: "col" }, title)));
    return element(
      "section",
      { class: "card" },
      element("h2", {}, "Seats and mounts"),
      element("p", { class: "hint" }, "Accelerations give comfort, forces give damage. Names such as seat_z tell their weighting themselves."),
      element("div", { class: "row" }, run),
      element("div", { class: "table-scroll tall" }, element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows.map(line)))),
    );
  };
}
