// SPDX-License-Identifier: Apache-2.0
// A run while it works: how its search comes on, the values it has come to, and how long it will take.

import { element } from "../report/dom";
import { formatShort, unitText } from "../report/format";
import type { PlotBlock, Series } from "../report/model";
import { buildPlots } from "../report/plot_row";
import { fileAddress, get, getText } from "./api";
import { isOver, jobs, type Job } from "./jobs";
import type { ProjectFile } from "./project";
import { settings } from "./settings";

interface Live {
  searches: { name: string; objective: (number | null)[] }[];
  begun: number;
  names: string[];
  units: string[];
  values: (number | null)[];
}

const every = 700; // ms between two looks

// About how long it will still take, by the part that is done; nothing where that is not known.
export function timeLeft(job: Job, now: number): string {
  if (!job.started || !(job.fraction > 0.02) || job.fraction >= 1) return "";
  const spent = (now - Date.parse(job.started)) / 1000;
  if (!(spent > 1)) return "";
  const left = (spent * (1 - job.fraction)) / job.fraction;
  if (left < 5) return "some seconds left";
  if (left < 90) return `about ${Math.ceil(left / 5) * 5} s left`;
  return `about ${Math.round(left / 60)} min left`;
}

// Follows the run until it is over or the page is left.
export function liveView(id: string): { node: HTMLElement; dispose: () => void } {
  const node = element("div", { class: "live" });
  const plotPlace = element("div");
  const values = element("div", { class: "live-values" });
  const count = element("p", { class: "soft" });
  let timer = 0;
  let ended = false;
  let last = "";
  let isThere = false;
  const look = async () => {
    const job = jobs.get(id);
    if (ended || !job || isOver(job)) return;
    const path = `${job.folder}/live.json`;
    const text = await (async () => {
      // Not every run searches: it is asked for only once it is there.
      if (job.state === "running" && !isThere) isThere = (await get<ProjectFile[]>(`api/jobs/${id}/files`)).some((file) => file.path === path);
      return isThere ? getText(fileAddress(path)) : "";
    })().catch(() => "");
    if (ended) return;
    if (text !== "" && text !== last) {
      last = text;
      draw(JSON.parse(text) as Live);
    }
    timer = window.setTimeout(() => void look(), every);
  };
  const draw = (live: Live) => {
    if (node.childElementCount === 0) node.append(element("section", { class: "card" }, element("h2", {}, "The search so far"), count, plotPlace, values));
    const searches = live.searches.filter(({ objective }) => objective.length > 0);
    plotPlace.replaceChildren(buildPlots([objectivePlot(searches)], { columns: 1, linkX: false }).node);
    const steps = Math.max(0, ...searches.map(({ objective }) => objective.length - 1));
    count.textContent = live.begun > searches.length ? `Search ${live.begun}, step ${steps}` : `Step ${steps}`;
    values.replaceChildren(
      ...live.names.slice(0, live.values.length).map((name, i) => {
        const shown = settings.shown(live.units[i] ?? "-");
        const value = live.values[i];
        return element("span", { class: "live-value" }, `${name} `, element("b", {}, typeof value === "number" ? formatShort(value * shown.factor, 4) : "–"), shown.unit === "-" ? "" : ` ${unitText(shown.unit)}`);
      }),
    );
  };
  void look();
  return {
    node,
    dispose: () => {
      ended = true;
      clearTimeout(timer);
    },
  };
}

function objectivePlot(searches: Live["searches"]): PlotBlock {
  const series = searches.map(({ name, objective }, group): Series => ({ name: name || "objective", style: "line_and_markers", group, total_points: objective.length, x: objective.map((_, i) => i), y: objective }));
  const all = searches.flatMap(({ objective }) => objective.filter((value): value is number => value !== null && value > 0));
  return {
    kind: "plot",
    title: "Convergence",
    x: { label: "Step", unit: "", log: false, whole: true, lower: 0, upper: Math.max(1, ...searches.map(({ objective }) => objective.length - 1)) },
    y: { label: "Objective", unit: "", log: all.length > 1 && Math.max(...all) > 20 * Math.min(...all) },
    series,
    groups: [],
    group_label: "",
    palette: "categorical",
    caption: "",
    height_px: 230,
  };
}
