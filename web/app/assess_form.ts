// SPDX-License-Identifier: Apache-2.0
// Comfort and damage of a dropped drive: which channels are seats and which are mounts, and how seats are weighted.

import { element } from "../report/dom";
import type { JsonObject } from "./api";
import { jobs } from "./jobs";
import { addressOf } from "./router";
import { guarded, jobAddress, primary } from "./widgets";

export interface Drive {
  path: string;
  columns: string[]; // titles, without units
  accelerations: string[]; // those among the first ones that a list of channels tells; the others have no comfort
}

const weightings: [string, string][] = [
  ["", "as its name says"],
  ["Wk", "Wk: vertical, seat or floor"],
  ["Wd", "Wd: horizontal, seat or floor"],
  ["Wc", "Wc: backrest"],
  ["We", "We: rotation"],
  ["Wj", "Wj: lying"],
  ["none", "none: damage only"],
];

const seats = /^(seat|back|backrest|feet|foot|floor|head)/i;

export function assessSetup(drives: Drive[]): HTMLElement {
  const columns = drives[0]!.columns.filter((title) => drives.every((one) => one.columns.includes(title)));
  const rows = columns.map((title) => {
    const box = element("input", { type: "checkbox" });
    box.checked = true;
    const weighting = element("select", { "aria-label": `Weighting of ${title}` }, ...weightings.map(([value, words]) => element("option", { value }, words)));
    box.addEventListener("change", () => (weighting.disabled = !box.checked));
    return { title, box, weighting };
  });
  // A long list is cut: what it does not name may be one.
  const told = drives[0]!.accelerations;
  const isFelt = (title: string): boolean => told.length === 0 || told.includes(title) || seats.test(title) || columns.length > 9;
  const run = primary("Assess these channels", "The chosen channels: comfort of accelerations, damage of all", () =>
    void guarded(run, async () => {
      const chosen = rows.filter(({ box }) => box.checked);
      if (chosen.length === 0) throw new Error("choose at least one channel");
      const options: JsonObject = { file: drives[0]!.path };
      if (drives.length > 1) options.compare = drives[1]!.path;
      if (chosen.length < rows.length) options.channels = chosen.map(({ title }) => title);
      const weighted = chosen.filter(({ weighting }) => weighting.value !== "");
      if (weighted.length > 0) options.weighting = Object.fromEntries(weighted.map(({ title, weighting }) => [title, weighting.value]));
      location.hash = jobAddress(await jobs.submit("assess", options));
    }),
  );
  const group = (label: string, own: typeof rows) =>
    own.length > 0 &&
    element(
      "fieldset",
      { class: "mount-unknowns" },
      element("legend", {}, label),
      ...own.map(({ title, box, weighting }) => element("div", { class: "channel-row" }, element("label", { class: "check" }, box, title), isFelt(title) ? weighting : element("span", { class: "soft" }, "damage"))),
    );
  return element(
    "section",
    { class: "card setup" },
    element("h2", {}, "Seats and mounts"),
    element("p", { class: "hint" }, drives.length > 1 ? `Each channel of ${name(drives[0]!)} is set in relation to the same one of ${name(drives[1]!)}.` : "Accelerations of seats are weighted for comfort; every channel is counted for damage."),
    element("div", { class: "unknowns" }, group("Seats", rows.filter(({ title }) => seats.test(title))), group("Mounts and other channels", rows.filter(({ title }) => !seats.test(title)))),
    element("div", { class: "row" }, run, element("a", { class: "button", href: addressOf(["run", "assess"], { file: [drives[0]!.path], ...(drives.length > 1 ? { compare: [drives[1]!.path] } : {}) }) }, "All options")),
  );
}

const name = ({ path }: Drive): string => path.split("/").pop()!;
