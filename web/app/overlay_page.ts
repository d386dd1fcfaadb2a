// SPDX-License-Identifier: Apache-2.0
// Runs over each other: what their reports show under the same title is drawn in one picture, a colour for each run. #/overlay?run=ID&run=ID

import { renderBlock } from "../report/blocks";
import { element } from "../report/dom";
import type { Block, PlotBlock, ReportDocument, TableBlock, Value } from "../report/model";
import { inUsersUnits, placePlots, readDocument } from "./document_view";
import { jobName, jobs, type Job } from "./jobs";
import type { Page, Place } from "./router";
import { settings } from "./settings";
import { jobAddress, troubleCard, troubleOf } from "./widgets";

const mostSeries = 12; // of one run in a picture; more cannot be told apart

interface Shown {
  job: Job;
  name: string;
  document: ReportDocument;
}

const plotsOf = (blocks: Block[]): PlotBlock[] => blocks.flatMap((block) => (block.kind === "plot" ? [block] : block.kind === "plot_row" ? block.plots : block.kind === "details" ? plotsOf(block.blocks) : []));

// Two runs of the same name are told apart by their numbers.
function named(list: Job[]): { job: Job; name: string }[] {
  return list.map((job) => ({ job, name: list.some((other) => other !== job && jobName(other) === jobName(job)) ? `${jobName(job)} (${job.id.split("-")[0]!})` : jobName(job) }));
}

export function overlaid(runs: { name: string; plots: PlotBlock[] }[]): PlotBlock[] {
  const key = ({ title, x, y }: PlotBlock) => [title, x.unit, y.unit, x.log, y.log].join("|");
  const keys = [...new Set(runs.flatMap(({ plots }) => plots.map(key)))].filter((one) => runs.filter(({ plots }) => plots.some((plot) => key(plot) === one)).length > 1);
  return keys.map((one) => {
    const own = runs.map(({ plots }) => plots.find((plot) => key(plot) === one));
    const first = own.find((plot) => plot !== undefined)!;
    return {
      ...first,
      caption: "",
      groups: runs.map(({ name }) => name),
      group_label: "Run",
      palette: "categorical",
      // Levels of one run have one colour here; bands of several would hide each other.
      series: own.flatMap((plot, run) => (plot?.series ?? []).slice(0, mostSeries).map(({ lower: _low, upper: _high, ...series }) => ({ ...series, group: run }))),
    };
  });
}

function figuresTable(runs: Shown[]): TableBlock | null {
  const labels = [...new Set(runs.flatMap(({ document }) => document.key_figures.map(({ label, unit }) => `${label}|${unit}`)))];
  if (labels.length === 0) return null;
  const cell = ({ document }: Shown, one: string): Value => document.key_figures.find(({ label, unit }) => `${label}|${unit}` === one)?.value ?? null;
  return {
    kind: "table",
    title: "Key figures",
    columns: [{ title: "Figure", unit: "", align: "left", digits: 4 }, { title: "Unit", unit: "", align: "left", digits: 4 }, ...runs.map(({ name }) => ({ title: name, unit: "", align: "automatic" as const, digits: 4 }))],
    rows: labels.map((one) => ({ cells: [...one.split("|"), ...runs.map((run) => cell(run, one))], quality: "neutral" })),
    note: "",
  };
}

export function overlayPage(place: Place): Page {
  const node = element("div");
  const ids = place.query.getAll("run");
  const show = async (): Promise<void> => {
    const found = ids.map((id) => jobs.get(id)).filter((job): job is Job => job !== undefined && Boolean(job.has_report));
    if (found.length < 2) return node.replaceChildren(troubleCard({ message: "There are not two runs with curves to lay over each other", remedy: "choose two or more in the list of runs" }));
    const runs: Shown[] = await Promise.all(named(found).map(async ({ job, name }) => ({ job, name, document: inUsersUnits(await readDocument(job)) })));
    const plots = overlaid(runs.map(({ name, document }) => ({ name, plots: document.sections.flatMap(({ blocks }) => plotsOf(blocks)) })));
    const figures = figuresTable(runs);
    node.replaceChildren(
      element("div", { class: "page-head" }, element("div", {}, element("p", { class: "kicker" }, "Runs"), element("h1", {}, `${runs.length} runs over each other`))),
      element("p", { class: "lead" }, ...runs.flatMap(({ job, name }, i) => [...(i > 0 ? [", "] : []), element("a", { href: jobAddress(job) }, name)])),
      ...(figures ? [renderBlock(figures, placePlots)] : []),
      plots.length > 0
        ? element("div", { class: "overlays" }, ...plots.map((plot) => placePlots([plot], { columns: 1, linkX: false })))
        : element("p", { class: "nothing" }, "Their reports have no picture of the same title and units in common."),
    );
  };
  const draw = () => void show().catch((error: unknown) => node.replaceChildren(troubleCard(troubleOf(error))));
  draw();
  return { title: "Runs over each other", section: "jobs", node, dispose: settings.onUnits(draw) };
}
