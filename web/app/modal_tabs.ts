// SPDX-License-Identifier: Apache-2.0
// Modal testing on the screen: a browser for frequency responses, and a stabilisation diagram in which poles are picked.

import { button, element } from "../report/dom";
import { renderAnimation } from "../report/animation";
import { renderBlock } from "../report/blocks";
import { formatShort } from "../report/format";
import { renderHeatmap } from "../report/heatmap";
import type { AnimationBlock, PlotBlock, PlotRowBlock, Series } from "../report/model";
import { buildPlots } from "../report/plot_row";
import { post, readFile, type JsonObject } from "./api";
import { jobs, type Job } from "./jobs";
import { outputFiles } from "./run_parts";
import type { Result, TabMaker } from "./studies";
import { guarded, jobAddress, primary, tell } from "./widgets";

interface Channel {
  output: string;
  input: string;
  unit: string;
}

interface ChannelValues extends Channel {
  frequency_hz: number[];
  magnitude: number[];
  phase_deg: number[];
  coherence: number[];
}

interface Source {
  name: string; // "measured", "identified", "equalised"
  files: string[];
  channels: Channel[];
}

const mostCurves = 8;
const styleOf = (source: number): Series["style"] => (source === 0 ? "line" : "dashed_line");

// The MAC, in which a cell shows both of its shapes moving.
export async function buildMac({ document }: Result): Promise<TabMaker | null> {
  const blocks = (id: string) => document?.sections.filter((section) => section.id === id).flatMap((section) => section.blocks) ?? [];
  const shapes = blocks("shapes").find((block): block is AnimationBlock => block.kind === "animation" && block.shapes.length > 0);
  const own = blocks("mac");
  if (own.length === 0) return null;
  return async () => {
    const place = element("div", { class: "pair", "aria-live": "polite" });
    const show = (row: number, column: number) => {
      const two = [row, column].map((index) => shapes!.shapes[index]);
      if (!two[0] || !two[1]) return;
      place.replaceChildren(...two.map((shape) => renderAnimation({ ...shapes!, title: shape!.name, shapes: [shape!], caption: "", height_px: 280 })));
    };
    const pickable = (rows: number) => shapes !== undefined && rows === shapes.shapes.length;
    const drawn = own.map((block) => (block.kind === "heatmap" && pickable(block.row_names.length) ? renderHeatmap(block, show) : renderBlock(block, (plots, setting) => buildPlots(plots, setting).node)));
    const canPick = own.some((block) => block.kind === "heatmap" && pickable(block.row_names.length));
    if (canPick && shapes!.shapes.length > 1) show(0, 1);
    return element("div", {}, element("h2", {}, "Modal assurance criterion"), canPick && element("p", { class: "lead" }, "Choose a cell: both of its shapes move."), element("div", { class: canPick ? "mac-pair" : "" }, element("div", {}, ...drawn), place));
  };
}

// Responses of the data, of the identified model, and with equal damping, where the run has them.
export async function buildResponses({ job, document }: Result): Promise<TabMaker | null> {
  return job.has_result && document ? () => responsesOf(job) : null;
}

async function responsesOf(job: Job): Promise<HTMLElement> {
  const written = (await outputFiles(job)).map(({ path }) => path);
  const wanted: [string, string[]][] =
    job.operation === "frf"
      ? [["estimated", written.filter((path) => /frf\.(uff|h5|csv)$/.test(path)).slice(0, 1)]]
      : [
          ["measured", job.options.data as string[]],
          ["identified", written.filter((path) => path.endsWith("/synthesised.csv"))],
          ["equalised", written.filter((path) => path.endsWith("/equalised.csv"))],
        ];
  const sources: Source[] = [];
  for (const [name, files] of wanted) {
    if (!files || files.length === 0) continue;
    const { channels } = await post<{ channels: Channel[] }>("api/responses", { files });
    sources.push({ name, files, channels });
  }
  if (sources.length === 0) return element("p", { class: "nothing" }, "This run wrote no responses.");
  return new ResponseBrowser(sources, job.operation === "modal" ? equaliseForm(job.id) : null).node;
}

// Responses of files of the project, whatever their format.
export async function responseBrowser(files: string[]): Promise<HTMLElement> {
  const { channels } = await post<{ channels: Channel[] }>("api/responses", { files });
  return new ResponseBrowser([{ name: "measured", files, channels }], null).node;
}

class ResponseBrowser {
  readonly node: HTMLElement;
  private readonly plots = element("div");
  private readonly chosen = new Set<string>();
  private readonly boxes = new Map<string, HTMLInputElement>();
  private readonly outputs: string[];
  private readonly inputs: string[];
  private asked = 0;

  constructor(
    private readonly sources: Source[],
    extra: HTMLElement | null,
  ) {
    const { channels } = sources[0]!;
    this.outputs = [...new Set(channels.map(({ output }) => output))];
    this.inputs = [...new Set(channels.map(({ input }) => input))];
    const first = channels.find(({ output, input }) => output === input) ?? channels[0];
    if (first) this.chosen.add(keyOf(first));
    const shown = new Set(this.sources.map(({ name }) => name));
    const kinds = element(
      "div",
      { class: "row" },
      ...this.sources.map(({ name }) => {
        const box = element("input", { type: "checkbox" });
        box.checked = true;
        box.addEventListener("change", () => {
          if (box.checked) shown.add(name);
          else shown.delete(name);
          void this.draw(shown);
        });
        return element("label", { class: "check" }, box, name);
      }),
    );
    kinds.hidden = this.sources.length < 2;
    this.node = element(
      "div",
      {},
      element("div", { class: "browser" }, element("aside", { class: "card channel-list" }, element("h2", {}, "Channels"), element("p", { class: "hint" }, "Rows are responses, columns are inputs."), this.table(() => void this.draw(shown)), kinds, extra), this.plots),
    );
    void this.draw(shown);
  }

  private table(onChange: () => void): HTMLElement {
    const known = new Set(this.sources[0]!.channels.map(keyOf));
    const body = element("tbody");
    for (const output of this.outputs) {
      const row = element("tr", {}, element("th", { class: "left", scope: "row" }, output));
      for (const input of this.inputs) {
        const key = keyOf({ output, input });
        const box = element("input", { type: "checkbox", "aria-label": `${output} over ${input}` });
        box.checked = this.chosen.has(key);
        box.disabled = !known.has(key);
        box.addEventListener("change", () => {
          if (box.checked) this.chosen.add(key);
          else this.chosen.delete(key);
          // The oldest choice gives way: more curves than colours help nobody.
          if (this.chosen.size > mostCurves) {
            const oldest = [...this.chosen][0]!;
            this.chosen.delete(oldest);
            this.boxes.get(oldest)!.checked = false;
          }
          onChange();
        });
        this.boxes.set(key, box);
        row.append(element("td", { class: "centre" }, box));
      }
      body.append(row);
    }
    const head = element("tr", {}, element("th"), ...this.inputs.map((input) => element("th", { class: "centre" }, input)));
    return element("div", { class: "channel-scroll" }, element("table", {}, element("thead", {}, head), body));
  }

  private async draw(shown: Set<string>): Promise<void> {
    const mine = ++this.asked;
    const keys = [...this.chosen];
    const found: { source: number; values: ChannelValues[] }[] = [];
    for (const [i, source] of this.sources.entries()) {
      if (!shown.has(source.name)) continue;
      const channels = keys.flatMap((key) => source.channels.findIndex((channel) => keyOf(channel) === key)).filter((index) => index >= 0);
      if (channels.length > 0) found.push({ source: i, values: await post<ChannelValues[]>("api/responses", { files: source.files, channels }) });
    }
    if (mine !== this.asked) return;
    if (keys.length === 0) return this.plots.replaceChildren(element("p", { class: "nothing" }, "Choose a channel on the left."));
    const unit = found[0]?.values[0]?.unit ?? "";
    const magnitude = plot("Magnitude", ["Frequency", "Hz"], ["Magnitude", unit], true, 330);
    const phase = plot("Phase", ["Frequency", "Hz"], ["Phase", "deg"], false, 190);
    const coherence = plot("Coherence", ["Frequency", "Hz"], ["Coherence", ""], false, 150);
    Object.assign(coherence.y, { lower: 0, upper: 1 });
    Object.assign(phase.y, { lower: -180, upper: 180 });
    const lines = found[0]?.values[0]?.frequency_hz ?? [0, 1];
    for (const one of [magnitude, phase, coherence]) {
      Object.assign(one, { groups: keys, group_label: "Channel" });
      Object.assign(one.x, { lower: lines[0], upper: lines[lines.length - 1] });
    }
    for (const { source, values } of found)
      for (const channel of values) {
        const group = keys.indexOf(keyOf(channel));
        const series = (y: number[]): Series => ({ name: this.sources[source]!.name, style: styleOf(source), group, total_points: y.length, x: channel.frequency_hz, y });
        magnitude.series.push(series(channel.magnitude));
        phase.series.push(series(channel.phase_deg));
        if (channel.coherence.length > 0) coherence.series.push(series(channel.coherence));
      }
    const plots = [magnitude, phase, ...(coherence.series.length > 0 ? [coherence] : [])];
    this.plots.replaceChildren(buildPlots(plots, { columns: 1, linkX: true }).node);
  }
}

const keyOf = ({ output, input }: { output: string; input: string }): string => `${output}:${input}`;

function plot(title: string, x: [string, string], y: [string, string], log: boolean, height_px: number): PlotBlock {
  return {
    kind: "plot",
    title,
    x: { label: x[0], unit: x[1], log: false },
    y: { label: y[0], unit: y[1], log },
    series: [],
    groups: [],
    group_label: "",
    palette: "categorical",
    caption: "",
    height_px,
  };
}

// All modes with one damping ratio: shapes and masses stay, so that curves of parts with different damping can be compared.
function equaliseForm(id: string): HTMLElement {
  const input = element("input", { type: "text", "aria-label": "Damping ratio of the equalised responses", value: "0.02" });
  const run = button("Equalise", "Identify once more and also write the responses with this damping for all modes", () =>
    void guarded(run, async () => {
      const job = jobs.get(id)!;
      location.hash = `${jobAddress(await jobs.submit("modal", { ...job.options, equalise: Number(input.value) }, job.title))}?tab=responses`;
    }),
  );
  return element("div", { class: "equalise" }, element("label", { class: "setting" }, element("span", {}, "Damping ratio"), input), run);
}

// The diagram of the report; a click picks a pole, or takes it back. The picked ones drive the next identification.
export async function buildStabilisation({ job, document }: Result): Promise<TabMaker | null> {
  const section = document?.sections.find(({ title }) => title === "Stabilisation");
  const row = section?.blocks.find((block): block is PlotRowBlock => block.kind === "plot_row");
  return row && job.has_result ? () => stabilisationOf(job, row) : null;
}

async function stabilisationOf(job: Job, row: PlotRowBlock): Promise<HTMLElement> {
  const result = await readFile<{ poles: { frequency_hz: number }[] }>(`${job.folder}/result.json`);
  const picked = new Set<number>(result.poles.map(({ frequency_hz }) => frequency_hz));
  const fitted = [...picked];
  const [diagram] = row.plots;
  const top = diagram!.y.upper ?? 1;
  const marks: Series = { name: "picked", style: "dashed_line", group: 1, total_points: 0, x: [], y: [] };
  diagram!.series.push(marks);
  const { node: plots, figures } = buildPlots(row.plots, { columns: row.columns, linkX: row.link_x });
  const chips = element("div", { class: "chips", "aria-label": "Picked poles" });
  const update = () => {
    const all = [...picked].sort((a, b) => a - b);
    marks.x = all.flatMap((f) => [f, f, null]);
    marks.y = all.flatMap(() => [0, top, null]);
    figures[0]!.settle();
    run.disabled = all.length === 0;
    chips.replaceChildren(
      ...all.map((f) => {
        const chip = button(`${formatShort(f, 5)} Hz ×`, "Take this pole back", () => (picked.delete(f), update()));
        chip.className = fitted.includes(f) ? "chip" : "chip new";
        return chip;
      }),
    );
    if (all.length === 0) chips.append(element("span", { class: "soft" }, "Nothing is picked: click on poles in the diagram."));
  };
  const run = primary("Identify with these poles", "Run the identification with exactly the picked poles", () =>
    void guarded(run, async () => {
      const options: JsonObject = { ...job.options, select_hz: [...picked].sort((a, b) => a - b) };
      delete options.add_hz;
      delete options.drop_hz;
      location.hash = jobAddress(await jobs.submit("modal", options, job.title));
    }),
  );
  const none = button("None", "Take all poles back", () => (picked.clear(), update()));
  const as = button("As identified", "The poles of this run", () => (picked.clear(), fitted.forEach((f) => picked.add(f)), update()));
  const width = (diagram!.x.upper ?? 1) - (diagram!.x.lower ?? 0);
  figures[0]!.onPick = (series, index) => {
    const f = series.x[index];
    if (f === null || f === undefined || series === marks) return;
    const near = [...picked].find((other) => Math.abs(other - f) < 0.004 * Math.max(f, 0.1 * width));
    if (near !== undefined) picked.delete(near);
    else picked.add(f);
    tell(near !== undefined ? `${formatShort(near, 5)} Hz is no longer picked` : `${formatShort(f, 5)} Hz is picked`);
    update();
  };
  update();
  return element(
    "div",
    {},
    element("section", { class: "card" }, element("div", { class: "card-head" }, element("h2", {}, "Picked poles"), element("div", { class: "row" }, as, none, run)), element("p", { class: "hint" }, "Click on a column of stable poles to pick it, once more to take it back. Enter picks the point that the arrow keys read."), chips),
    plots,
  );
}
