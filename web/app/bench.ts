// SPDX-License-Identifier: Apache-2.0
// The mount workbench: a fit with its curves, sliders that move them, another fit from there, export.

import { button, element } from "../report/dom";
import { said } from "../report/blocks";
import { renderFindings } from "../report/findings";
import { formatNumber, pretty } from "../report/format";
import type { Finding } from "../report/model";
import { post, postForNumbers, readFile, type Json, type JsonObject } from "./api";
import { keepForm } from "./catalogue_page";
import { exportBar, type ExportBar } from "./export_bar";
import { hydroSection, partOf, type Section } from "./hydro_section";
import { refitOptions } from "./refit";
import { History } from "./history";
import { jobName, jobs, type Job } from "./jobs";
import { MountPlots, seriesDetail, type Evaluation, type MapViewName, type Measured } from "./mount_plots";
import { ParameterRow, fitNameOf, followsFromFit, type Estimate, type ModelField, type Parameter } from "./parameter_panel";
import { operationInfo } from "./project";
import { settings } from "./settings";
import { guarded, jobAddress, primary, troubleCard, troubleOf } from "./widgets";

interface FitResult {
  status: string;
  model?: JsonObject;
  parameters: Record<string, Estimate>;
  fit?: { criterion?: string };
  map?: { used: boolean }[];
  advice?: { words: string }[];
  findings?: Finding[];
  not_told_apart?: string[];
}

const readHints = ["columns", "units", "layout", "decimal", "sheets", "part", "direction", "temperature"]; // options of a fit that say how files are read
const quiet = [120, 500] as const; // ms without a change before everything is computed: longer where that takes long, so that a hand that pauses is not slowed by it

interface Snapshot {
  values: number[];
  held: boolean[];
  bounds: [number | null, number | null][];
}

export class Bench {
  private readonly node = element("div");
  private readonly figuresPlace = element("div");
  private readonly misfits = element("div", { class: "misfits", "aria-live": "off" });
  private fullCost = 0; // ms of the last full evaluation
  private readonly undoButton = button("Undo", "Take the last change back (Ctrl+Z)", () => this.restore(this.history.undo()));
  private readonly redoButton = button("Redo", "Do it again (Ctrl+Y)", () => this.restore(this.history.redo()));
  private readonly resetButton = button("As fitted", "Back to the parameters of the fit", () => this.reset());
  private readonly files: string[];
  private readonly read: JsonObject; // how the files were read: columns, units, direction
  private readonly loopCriterion: boolean;
  private readonly outInFit: Set<number>; // rows of the map that took no part in the fit
  private leftOut: Set<number>; // those that will take no part in the next one
  private view: MapViewName = "frequency";
  private readonly section: Section | undefined;
  private measured!: Measured;
  private parameters: Parameter[] = [];
  private rows: ParameterRow[] = [];
  private plots!: MountPlots;
  private exporting!: ExportBar;
  private history!: History<Snapshot>;
  private latest: Evaluation | undefined;
  private preload = 0;
  private cycleHz = 0;
  private asked = 0; // changes asked for
  private shown = 0; // changes whose curves are drawn
  private busy = false;
  private lastInput = 0;
  private due = false; // the full evaluation of what is shown now
  private completing = false;
  private pause = 0; // timer
  private readonly disposers: (() => void)[] = [];

  // A batch, a data sheet, or a fit without an end has nothing to turn.
  static async of(job: Job): Promise<Bench | null> {
    if (!job.has_result || !Array.isArray(job.options.data) || job.options.data.length === 0) return null;
    const result = await readFile<FitResult>(`${job.folder}/result.json`);
    return result.model ? new Bench(job, result) : null;
  }

  private constructor(
    private readonly job: Job,
    private readonly result: FitResult,
  ) {
    this.files = job.options.data as string[];
    this.read = Object.fromEntries(readHints.filter((name) => name in job.options).map((name) => [name, job.options[name]!]));
    this.loopCriterion = result.fit?.criterion === "loop";
    // Rows that were left out as asked are not in the result; the others follow in their order.
    const asked = new Set((Array.isArray(job.options.leave_out) ? job.options.leave_out : []).map((row) => Number(row) - 1));
    this.outInFit = new Set(asked);
    let row = 0;
    for (const { used } of result.map ?? []) {
      while (asked.has(row)) ++row;
      if (!used) this.outInFit.add(row);
      ++row;
    }
    this.leftOut = new Set(this.outInFit);
    this.section = job.operation === "fit hydromount" ? hydroSection() : undefined;
  }

  dispose(): void {
    clearTimeout(this.pause);
    this.disposers.forEach((dispose) => dispose());
  }

  async build(): Promise<HTMLElement> {
    const opened = await post<{ measured: Measured; fields: ModelField[] }>("api/workbench/open", {
      files: this.files,
      read: this.read,
      model: this.result.model!,
    });
    this.measured = opened.measured;
    const { frequencies_hz: hz } = this.measured.map;
    this.cycleHz = hz[Math.floor(hz.length / 2)] ?? 10;
    this.parameters = opened.fields.map((field) => {
      const fitName = fitNameOf(field, this.result.parameters) ?? field.name;
      const estimate = this.result.parameters[fitName] ?? (followsFromFit(field) ? { value: field.value, unit: field.unit, lower_95: null, upper_95: null, status: "derived" as const } : undefined);
      // With a static curve the stiffness follows from the curve: its slider then scales the curve.
      const scalesCurve = field.name === "static_stiffness" && Array.isArray(this.innerOf(this.result.model!, field).curve) && field.value > 0;
      return { field, fitName, estimate, value: field.value, held: estimate?.status !== "free", bounds: [null, null], scalesCurve };
    });
    this.history = new History(this.snapshot());
    this.latest = await this.evaluate();
    this.layout(await operationInfo("export"));
    this.disposers.push(settings.onUnits(() => this.redrawAll()));
    const keys = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || (event.target as HTMLElement).matches("input[type=text]")) return;
      const back = event.key === "z" && !event.shiftKey;
      if (!back && event.key !== "y" && !(event.key === "z" && event.shiftKey)) return;
      event.preventDefault();
      this.restore(back ? this.history.undo() : this.history.redo());
    };
    window.addEventListener("keydown", keys);
    this.disposers.push(() => window.removeEventListener("keydown", keys));
    return this.node;
  }

  // The model file with the present values.
  model(): JsonObject {
    const model = structuredClone(this.result.model!);
    for (const { field, value } of this.parameters) {
      const inner = this.innerOf(model, field);
      inner[field.path[field.path.length - 1]!] = value;
    }
    for (const { field, value } of this.parameters.filter(({ scalesCurve }) => scalesCurve)) {
      const inner = this.innerOf(model, field);
      inner.scale_curve = (Number(inner.scale_curve ?? 1) * value) / field.value;
      inner.static_stiffness = field.value;
    }
    return model;
  }

  private innerOf(model: JsonObject, field: ModelField): JsonObject {
    let inner = model;
    for (const key of field.path.slice(0, -1)) inner = inner[key] as JsonObject;
    return inner;
  }

  isChanged(): boolean {
    return this.parameters.some(({ field, value }) => value !== field.value);
  }

  private layout(exporting: Awaited<ReturnType<typeof operationInfo>>): void {
    const choices = exporting?.fields.find((field) => field.name === "to")?.choices ?? [];
    this.exporting = exportBar({ formats: choices, job: this.job, model: () => this.model(), isChanged: () => this.isChanged(), axis: this.measured.axis });
    this.node.replaceChildren(
      this.exporting.node,
      element("div", { class: "row bench-bar" }, keepForm(this.job), this.comparing()),
      element("div", { class: "bench" }, element("div", { class: "bench-plots" }, this.toolbar(), this.figuresPlace, this.words()), this.panel()),
    );
    this.drawPlots();
    this.showState();
  }

  // With every law, or with another fit of the project.
  private comparing(): HTMLElement {
    const laws = button("Compare laws", "Fit every law to the same data and rank them", () =>
      void guarded(laws, async () => {
        location.hash = jobAddress(await jobs.submit("fit compare", { data: this.files, ...this.read }));
      }),
    );
    const others = jobs.list().filter((job) => job.id !== this.job.id && job.has_result && job.operation.startsWith("fit ") && job.operation !== "fit compare");
    const select = element("select", { "aria-label": "Compare with" }, element("option", { value: "" }, "Compare with …"), ...others.map((job) => element("option", { value: job.id }, `${jobName(job)} (${job.id})`)));
    select.addEventListener("change", () =>
      void guarded(null, async () => {
        if (select.value === "") return;
        const results = [this.job.id, select.value].map((id) => `jobs/${id}/result.json`);
        location.hash = jobAddress(await jobs.submit("report", { results }));
      }),
    );
    return element("div", { class: "row" }, laws, others.length > 0 && select);
  }

  private toolbar(): HTMLElement {
    const bar = element("div", { class: "row bench-tools" }, this.misfits, this.outWords);
    const select = (label: string, values: number[], words: (value: number) => string, now: number, onChange: (index: number) => void) => {
      const node = element("select", { "aria-label": label }, ...values.map((value, i) => element("option", { value: String(i) }, words(value))));
      node.value = String(now);
      node.addEventListener("change", () => onChange(Number(node.value)));
      bar.append(element("label", { class: "setting" }, element("span", {}, label), node));
    };
    const { preloads_n: preloads, frequencies_hz: hz } = this.measured.map;
    if (this.measured.map.curves.length > 0) {
      const views: [MapViewName, string][] = [["frequency", "over frequency"], ["amplitude", "over amplitude"], ["residuals", "residuals"]];
      const node = element("select", { "aria-label": "Map" }, ...views.map(([value, words]) => element("option", { value }, words)));
      node.value = this.view;
      node.addEventListener("change", () => {
        this.view = node.value as MapViewName;
        this.drawPlots();
      });
      bar.append(element("label", { class: "setting" }, element("span", {}, "Map"), node));
    }
    if (preloads.length > 1)
      select("Preload", preloads, (value) => `${Number(value.toPrecision(4))} N`, this.preload, (index) => {
        this.preload = index;
        void this.redrawAfterEvaluation();
      });
    if (hz.length > 0)
      select("Hysteresis at", hz, (value) => `${Number(value.toPrecision(3))} Hz`, Math.max(0, hz.indexOf(this.cycleHz)), (index) => {
        this.cycleHz = hz[index]!;
        void this.redrawAfterEvaluation();
      });
    return bar;
  }

  private panel(): HTMLElement {
    const refit = primary("Fit again", "Fit from here: held parameters stay, the others start at these values", () => void this.refit(refit));
    const main: HTMLElement[] = [];
    const scales: HTMLElement[] = [];
    this.rows = this.parameters.map((parameter) => new ParameterRow(parameter, (committed) => this.moved(committed)));
    let part: string | undefined;
    for (const row of this.rows) {
      const { field, estimate } = row.parameter;
      if (!estimate && field.name.startsWith("scale_")) {
        scales.push(row.node);
        continue;
      }
      const lit = partOf(field.name, field.part);
      for (const event of ["pointerenter", "focusin"]) row.node.addEventListener(event, () => this.section?.light(lit));
      for (const event of ["pointerleave", "focusout"]) row.node.addEventListener(event, () => this.section?.light(""));
      if (field.part !== part) main.push(element("h3", {}, (field.part ?? "fluid").replaceAll("_", " ")));
      part = field.part;
      main.push(row.node);
    }
    return element(
      "aside",
      { class: "panel", "aria-label": "Parameters" },
      element("div", { class: "panel-head" }, element("h2", {}, "Parameters"), element("div", { class: "row" }, this.undoButton, this.redoButton, this.resetButton)),
      this.section?.node ?? "",
      element(
        "div",
        { class: "panel-list" },
        ...main,
        scales.length > 0 ? element("details", { class: "bounds wide" }, element("summary", {}, "Scale factors"), ...scales) : null,
      ),
      element("div", { class: "panel-foot" }, this.refitSettings(), refit),
    );
  }

  private readonly outWords = element("span", { class: "row left-out" });

  // Points that were clicked or framed change sides; the curves stay until the next fit.
  private toggle(rows: number[]): void {
    if (rows.length === 0) return;
    const include = rows.every((row) => this.leftOut.has(row));
    for (const row of rows) {
      if (include) this.leftOut.delete(row);
      else this.leftOut.add(row);
    }
    this.drawPlots();
    void this.complete();
  }

  private get outChanged(): boolean {
    return this.leftOut.size !== this.outInFit.size || [...this.leftOut].some((row) => !this.outInFit.has(row));
  }

  private showLeftOut(): void {
    const count = this.leftOut.size;
    const back = button("As fitted", "Count the points that took part in the fit, and no others", () => {
      this.leftOut = new Set(this.outInFit);
      this.drawPlots();
      void this.complete();
    });
    back.classList.add("small");
    back.setAttribute("aria-label", "Points as fitted");
    this.outWords.replaceChildren(
      ...(count > 0 || this.outChanged ? [element("span", { class: "soft" }, `${count} ${count === 1 ? "point" : "points"} left out${this.outChanged ? ", fit again to use it" : ""}`), ...(this.outChanged ? [back] : [])] : []),
    );
    this.outWords.title = "Click a point of the map to leave it out or to count it again; draw a frame with the shift key for several";
  }

  private readonly refitInputs = new Map<string, HTMLInputElement | HTMLSelectElement>();

  // Law, criterion and weights for the next fit; which of them exist is told by the operation.
  private refitSettings(): HTMLElement {
    const box = element("details", { class: "bounds wide" }, element("summary", {}, "Law, criterion, weights"));
    void operationInfo(this.job.operation).then((info) => {
      for (const field of info?.fields ?? []) {
        const now = this.job.options[field.name] ?? (field.default as Json);
        const label = field.name.replaceAll("_", " ");
        if (field.kind === "choice" && ["law", "criterion", "detail", "use_curve"].includes(field.name)) {
          const select = element("select", { "aria-label": label }, ...(field.choices ?? []).map((choice) => element("option", { value: choice }, choice)));
          select.value = String(now);
          this.refitInputs.set(field.name, select);
          box.append(element("label", { class: "setting", title: field.meaning }, element("span", {}, label), select));
        } else if (field.name.startsWith("weight_")) {
          const input = element("input", { type: "text", "aria-label": label });
          input.value = String(now);
          this.refitInputs.set(field.name, input);
          box.append(element("label", { class: "setting", title: field.meaning }, element("span", {}, label), input));
        }
      }
    });
    return box;
  }

  private words(): HTMLElement {
    const { advice = [], not_told_apart: open = [], findings = [] } = this.result;
    const place = element("div", { class: "cards" });
    if (advice.length > 0 || open.length > 0)
      place.append(
        element(
          "section",
          { class: "card" },
          element("h2", {}, "What to measure next"),
          element("ul", { class: "summary" }, ...advice.slice(0, 4).map(({ words }) => element("li", {}, pretty(said(words)))), ...open.map((words) => element("li", {}, said(words)))),
        ),
      );
    place.append(element("section", { class: "card" }, element("h2", {}, "Findings"), renderFindings({ kind: "findings", findings, when_empty: "Nothing unusual in the data." })));
    return place;
  }

  private async refit(node: HTMLButtonElement): Promise<void> {
    await guarded(node, async () => {
      const info = await operationInfo(this.job.operation);
      const chosen: JsonObject = {};
      for (const [name, input] of this.refitInputs) chosen[name] = input instanceof HTMLSelectElement ? input.value : Number(input.value);
      const options = refitOptions(info!, { ...this.job.options, ...chosen }, this.parameters);
      if (this.outChanged) {
        // The choice of a person counts, not that of the data doctor.
        options.leave_out = [...this.leftOut].map((row) => row + 1).sort((a, b) => a - b);
        if (info!.fields.some(({ name }) => name === "exclude_suspicious")) options.exclude_suspicious = false;
      }
      const job = await jobs.submit(this.job.operation, options, this.job.title);
      location.hash = jobAddress(job);
    });
  }

  private snapshot(): Snapshot {
    return { values: this.parameters.map(({ value }) => value), held: this.parameters.map(({ held }) => held), bounds: this.parameters.map(({ bounds: [low, high] }) => [low, high]) };
  }

  private restore(state: Snapshot | undefined): void {
    if (!state) return;
    this.parameters.forEach((parameter, i) => {
      parameter.value = state.values[i]!;
      parameter.held = state.held[i]!;
      parameter.bounds = [...state.bounds[i]!];
    });
    const old = this.node.querySelector(".panel")!;
    old.replaceWith(this.panel());
    this.showState();
    this.ask();
  }

  private reset(): void {
    this.history.commit({ ...this.snapshot(), values: this.parameters.map(({ field }) => field.value) });
    this.parameters.forEach((parameter) => (parameter.value = parameter.field.value));
    this.rows.forEach((row) => row.update());
    this.showState();
    this.ask();
  }

  private showState(): void {
    this.undoButton.disabled = !this.history.canUndo;
    this.redoButton.disabled = !this.history.canRedo;
    this.resetButton.disabled = !this.isChanged();
    this.node.classList.toggle("changed", this.isChanged());
  }

  private moved(committed: boolean): void {
    if (committed) this.history.commit(this.snapshot());
    this.showState();
    this.ask();
  }

  // One request at a time; whatever was asked for meanwhile is asked for once, with the newest values.
  private ask(): void {
    ++this.asked;
    this.lastInput = performance.now();
    clearTimeout(this.pause);
    if (!this.busy) void this.pump();
  }

  private async pump(): Promise<void> {
    this.busy = true;
    try {
      while (this.shown < this.asked) {
        const wanted = this.asked;
        const since = this.lastInput;
        const sent = performance.now();
        const values = await postForNumbers("api/workbench/follow", this.question(false));
        const answered = performance.now();
        this.plots.followNumbers(values);
        this.shown = wanted;
        const end = performance.now();
        performance.measure("answer of the server", { start: sent, end: answered });
        performance.measure("drawing of the curves", { start: answered, end });
        performance.measure("slider to curve", { start: since, end });
      }
      this.node.querySelector(".trouble.model")?.remove();
      const pause = Math.min(quiet[1], Math.max(quiet[0], this.fullCost));
      this.pause = window.setTimeout(() => {
        this.due = true;
        if (!this.completing) void this.complete();
      }, pause);
    } catch (error) {
      this.shown = this.asked;
      this.showTrouble(error);
    } finally {
      this.busy = false;
    }
  }

  // Nobody moves just now: loops, transients and the misfit follow, and the axes fit what is drawn.
  // One at a time: a loop of a hydro mount takes seconds.
  private async complete(): Promise<void> {
    this.completing = true;
    while (this.due) {
      this.due = false;
      const wanted = this.asked;
      try {
        const full = await this.evaluate();
        if (wanted !== this.asked) continue;
        this.latest = full;
        this.plots.follow(full);
        this.plots.settle();
        this.showMisfit();
        this.exporting.changed();
      } catch (error) {
        this.showTrouble(error);
      }
    }
    this.completing = false;
  }

  // A value no model can have: the curves stay where they were.
  private showTrouble(error: unknown): void {
    const card = troubleCard(troubleOf(error));
    card.classList.add("model");
    this.node.querySelector(".trouble.model")?.remove();
    this.figuresPlace.before(card);
  }

  private async evaluate(): Promise<Evaluation> {
    const since = performance.now();
    const full = await post<Evaluation>("api/workbench/evaluate", this.question(true));
    this.fullCost = performance.now() - since;
    return full;
  }

  private question(full: boolean): JsonObject {
    const options = { left_out: [...this.leftOut], preload: this.preload, loop_criterion: this.loopCriterion, misfit: full, paths: full, cycle_hz: full ? this.cycleHz : 0 };
    return { files: this.files, read: this.read, model: this.model(), options };
  }

  private async redrawAfterEvaluation(): Promise<void> {
    this.latest = await this.evaluate();
    this.drawPlots();
  }

  private redrawAll(): void {
    this.node.querySelector(".panel")?.replaceWith(this.panel());
    this.drawPlots();
  }

  private drawPlots(): void {
    this.plots = new MountPlots(this.measured, this.preload, this.latest, {
      detail: seriesDetail(this.files, this.read),
      view: this.view,
      leftOut: this.leftOut,
      onToggle: (rows) => this.toggle(rows),
    });
    this.figuresPlace.replaceChildren(this.plots.node);
    this.showMisfit();
    this.showLeftOut();
  }

  private showMisfit(): void {
    const { misfit, loops, series } = this.latest ?? {};
    const parts: [string, string][] = [];
    if (misfit) {
      parts.push(["stiffness", `${formatNumber(100 * misfit.rms_kdyn_rel, 3)} %`], ["loss angle", `${formatNumber(misfit.rms_loss_deg, 3)} deg`]);
    }
    if (loops?.[0]) parts.push(["static loop", `${formatNumber(loops[0].rms_n, 3)} N`]);
    if (series?.[0]) parts.push(["transient", `${formatNumber(series[0].rms_n, 3)} N`]);
    this.misfits.replaceChildren(
      element("span", { class: "soft" }, "Misfit (rms)"),
      ...parts.map(([what, value]) => element("span", { class: "misfit" }, `${what} `, element("b", {}, value))),
    );
  }
}
