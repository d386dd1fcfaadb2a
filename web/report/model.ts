// SPDX-License-Identifier: Apache-2.0
// The document as C++ writes it (src/kdyn/report/document_json.cpp). null stands for a number that is not finite.

export type Quality = "neutral" | "good" | "fair" | "poor";
export type Value = number | string | null;
export type Numbers = (number | null)[];

export interface KeyFigure {
  label: string;
  value: Value;
  unit: string;
  quality: Quality;
  note: string;
  digits: number;
}

export interface Axis {
  label: string;
  unit: string;
  log: boolean;
  lower?: number;
  upper?: number;
  whole?: boolean; // counts things: no ticks between them
}

export type SeriesStyle = "line" | "dashed_line" | "markers" | "line_and_markers";

export interface Series {
  name: string;
  style: SeriesStyle;
  group: number;
  total_points: number;
  x: Numbers;
  y: Numbers;
  lower?: Numbers;
  upper?: Numbers;
  hover?: string[];
  faint?: boolean; // markers of points that do not count; where nothing is said, their name tells
}

export interface PlotBlock {
  kind: "plot";
  title: string;
  x: Axis;
  y: Axis;
  series: Series[];
  groups: string[];
  group_label: string;
  palette: "categorical" | "sequential";
  caption: string;
  height_px: number;
}

export interface PlotRowBlock {
  kind: "plot_row";
  columns: number;
  link_x: boolean;
  plots: PlotBlock[];
}

export interface TableBlock {
  kind: "table";
  title: string;
  columns: { title: string; unit: string; align: "automatic" | "left" | "right" | "centre"; digits: number }[];
  rows: { cells: Value[]; quality: Quality; link?: string }[];
  note: string;
}

export type Severity = "note" | "warning" | "serious";

export interface Finding {
  severity: Severity;
  code: string;
  where: string;
  message: string;
  remedy: string;
}

export interface FindingsBlock {
  kind: "findings";
  findings: Finding[];
  when_empty: string;
}

export interface HeatmapBlock {
  kind: "heatmap";
  title: string;
  row_names: string[];
  column_names: string[];
  values: Numbers[];
  lower: number;
  upper: number;
  scale: "diverging" | "sequential";
  decimals: number;
  caption: string;
}

export interface AnimationBlock {
  kind: "animation";
  title: string;
  points: number[]; // x y z of each point
  point_names: string[];
  lines: number[]; // pairs of point indices
  surfaces: { name: string; triangles: number[] }[]; // triples of point indices; shown and hidden as a whole
  dashed: number[]; // indices of lines that connect bodies
  marked: number[];
  shapes: { name: string; real: number[]; imaginary: number[] }[];
  times: number[]; // of the frames, s: a motion instead of shapes; else empty
  frames: number[][]; // x y z of each point at each time
  forces: { name: string; point: number; force: number[] }[]; // x y z at each time
  magnification: number; // of departures from points
  caption: string;
  height_px: number;
}

export interface TextBlock {
  kind: "text";
  text: string;
}

export interface DetailsBlock {
  kind: "details";
  title: string;
  preformatted: string;
  blocks: Block[];
}

export type Block = PlotBlock | PlotRowBlock | TableBlock | FindingsBlock | HeatmapBlock | AnimationBlock | TextBlock | DetailsBlock;

export interface Section {
  id: string; // what programs call it; the title is for people
  title: string;
  lead: string;
  blocks: Block[];
}

// All optional; the logo is a picture as a data address.
export interface Cover {
  part?: string;
  customer?: string;
  bench?: string;
  operator?: string;
  note?: string;
  logo?: string;
}

export interface ReportDocument {
  cover?: Cover;
  title: string;
  subtitle: string;
  created: string;
  key_figures: KeyFigure[];
  sections: Section[];
  provenance: { name: string; value: string }[];
}
