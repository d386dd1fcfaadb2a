// SPDX-License-Identifier: Apache-2.0
// The signals of a multibody run, to choose from.

import { element } from "../report/dom";
import { unitText } from "../report/format";
import type { PlotBlock, Series } from "../report/model";
import { buildPlots } from "../report/plot_row";
import { readFile } from "./api";
import { settings } from "./settings";
import type { Result, TabMaker } from "./studies";

interface Signals {
  time_s: number[];
  signals: Record<string, { unit: string; values: number[] }>;
}

interface SimulationResult {
  series?: Signals;
}

const first = (names: string[]): string[] => {
  const loads = names.filter((name) => name.endsWith(".load"));
  return (loads.length > 0 ? loads : names).slice(0, 3);
};

// Any signals over time: one plot for each unit, all on the same time.
export async function buildSignals(context: Result): Promise<TabMaker | null> {
  if (!context.job.has_result) return null;
  const { series } = await readFile<SimulationResult>(`${context.job.folder}/result.json`);
  return series?.signals ? async () => signalBrowser(series) : null;
}

function signalBrowser(series: Signals): HTMLElement {
  const names = Object.keys(series.signals).filter((name) => series.signals[name]!.values.some((value) => value !== 0));
  const chosen = new Set(first(names));
  const plots = element("div");
  const draw = () => {
    const byUnit = new Map<string, PlotBlock>();
    for (const name of names.filter((one) => chosen.has(one))) {
      const { unit: si, values } = series.signals[name]!;
      const { unit, factor } = settings.shown(si);
      const plot = byUnit.get(unit) ?? signalPlot(unit);
      byUnit.set(unit, plot);
      const one: Series = { name, style: "line", group: plot.series.length, total_points: values.length, x: series.time_s, y: values.map((value) => value * factor) };
      plot.series.push(one);
    }
    const list = [...byUnit.values()];
    plots.replaceChildren(...(list.length > 0 ? list.map((plot) => buildPlots([plot], { columns: 1, linkX: true }).node) : [element("p", { class: "nothing" }, "Choose signals on the left.")]));
  };
  const search = element("input", { type: "text", placeholder: "Search", "aria-label": "Search signals" });
  const list = element("div", { class: "channel-scroll" });
  const fill = () =>
    list.replaceChildren(
      ...names
        .filter((name) => name.toLowerCase().includes(search.value.trim().toLowerCase()))
        .map((name) => {
          const box = element("input", { type: "checkbox" });
          box.checked = chosen.has(name);
          box.addEventListener("change", () => {
            if (box.checked) chosen.add(name);
            else chosen.delete(name);
            draw();
          });
          return element("label", { class: "check" }, box, name);
        }),
    );
  search.addEventListener("input", fill);
  fill();
  draw();
  return element("div", { class: "browser" }, element("aside", { class: "card channel-list" }, element("h2", {}, "Signals"), search, list), plots);
}

function signalPlot(unit: string): PlotBlock {
  return {
    kind: "plot",
    title: unit === "" || unit === "-" ? "Numbers" : `Signals in ${unitText(unit)}`,
    x: { label: "Time", unit: "s", log: false },
    y: { label: "", unit, log: false },
    series: [],
    groups: [],
    group_label: "",
    palette: "categorical",
    caption: "",
    height_px: 280,
  };
}
