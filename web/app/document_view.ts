// SPDX-License-Identifier: Apache-2.0
// The document of a run's report, drawn by the report's own renderers inside the application: in its theme and in the units of its user.

import { begun, renderBlock, renderKeyFigures } from "../report/blocks";
import { element } from "../report/dom";
import { pretty } from "../report/format";
import type { AnimationBlock, Axis, Block, Numbers, PlotBlock, ReportDocument, Section, TableBlock, Value } from "../report/model";
import { buildPlots, type RowSetting } from "../report/plot_row";
import { fileAddress, getText } from "./api";
import { explainWords } from "./explain";
import type { Job } from "./jobs";
import { pageWords } from "./page_words";
import { settings } from "./settings";

// What report.html shows, as data.
export async function readDocument(job: Job): Promise<ReportDocument> {
  const document = JSON.parse(await getText(fileAddress(`${job.folder}/document.json`))) as ReportDocument;
  return { ...document, sections: document.sections.map((section) => ({ ...section, lead: pageWords(section.lead), blocks: section.blocks.map(blockInWords) })) };
}

// A report lies beside files and a command line; a page has forms. Findings are worded where they are drawn.
function blockInWords(block: Block): Block {
  const said = (cell: Value): Value => (typeof cell === "string" && /(^|\s)--[a-z]|\bkdyn [a-z]/.test(cell) ? pageWords(cell) : cell);
  switch (block.kind) {
    case "text":
      return { ...block, text: pageWords(block.text) };
    case "table":
      return { ...block, note: pageWords(block.note), rows: block.rows.map((row) => ({ ...row, cells: row.cells.map(said) })) };
    case "plot":
    case "heatmap":
    case "animation":
      return { ...block, caption: pageWords(block.caption) };
    case "plot_row":
      return { ...block, plots: block.plots.map((plot) => ({ ...plot, caption: pageWords(plot.caption) })) };
    case "details":
      return { ...block, blocks: block.blocks.map(blockInWords) };
    default:
      return block;
  }
}

// The picture in space of one of the files that were looked at, which are the titles of sections.
export async function pictureOf(job: Job, file: string): Promise<AnimationBlock | undefined> {
  if (!job.has_report) return undefined;
  const { sections } = await readDocument(job);
  return sections.find(({ title }) => title === file)?.blocks.find((block): block is AnimationBlock => block.kind === "animation");
}

export const placePlots = (plots: PlotBlock[], setting: RowSetting): HTMLElement => buildPlots(plots, setting).node;

export function renderSection(section: Section): HTMLElement {
  const node = element(
    "section",
    { class: "document-section" },
    element("h2", {}, section.title),
    section.lead !== "" && element("p", { class: "lead" }, pretty(begun(section.lead))),
    ...section.blocks.map((block) => renderBlock(block, placePlots)),
  );
  explainWords(node);
  return node;
}

export function renderHead(document: ReportDocument): HTMLElement | null {
  return document.key_figures.length > 0 ? renderKeyFigures(document.key_figures) : null;
}

// The same document with the numbers of plots, tables and key figures in the units the user chose.
export function inUsersUnits(document: ReportDocument): ReportDocument {
  if (settings.units === "engineering") return document;
  return {
    ...document,
    key_figures: document.key_figures.map((figure) => {
      const { unit, factor } = settings.ofDocument(figure.unit);
      return { ...figure, unit, value: typeof figure.value === "number" ? figure.value * factor : figure.value };
    }),
    sections: document.sections.map((section) => ({ ...section, blocks: section.blocks.map(blockInUnits) })),
  };
}

function blockInUnits(block: Block): Block {
  switch (block.kind) {
    case "plot":
      return plotInUnits(block);
    case "plot_row":
      return { ...block, plots: block.plots.map(plotInUnits) };
    case "table":
      return tableInUnits(block);
    case "details":
      return { ...block, blocks: block.blocks.map(blockInUnits) };
    default:
      return block;
  }
}

function plotInUnits(plot: PlotBlock): PlotBlock {
  const [x, y] = [settings.ofDocument(plot.x.unit), settings.ofDocument(plot.y.unit)];
  const times = (values: Numbers, factor: number): Numbers => (factor === 1 ? values : values.map((value) => (value === null ? null : value * factor)));
  const axis = (one: Axis, { unit, factor }: typeof x): Axis => ({
    ...one,
    unit,
    ...(one.lower === undefined ? {} : { lower: one.lower * factor }),
    ...(one.upper === undefined ? {} : { upper: one.upper * factor }),
  });
  return {
    ...plot,
    x: axis(plot.x, x),
    y: axis(plot.y, y),
    series: plot.series.map((series) => ({
      ...series,
      x: times(series.x, x.factor),
      y: times(series.y, y.factor),
      ...(series.lower ? { lower: times(series.lower, y.factor) } : {}),
      ...(series.upper ? { upper: times(series.upper, y.factor) } : {}),
    })),
  };
}

function tableInUnits(table: TableBlock): TableBlock {
  const units = table.columns.map((column) => settings.ofDocument(column.unit));
  return {
    ...table,
    columns: table.columns.map((column, i) => ({ ...column, unit: units[i]!.unit })),
    rows: table.rows.map((row) => ({ ...row, cells: row.cells.map((cell, i) => (typeof cell === "number" ? cell * units[i]!.factor : cell)) })),
  };
}
