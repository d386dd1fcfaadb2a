// SPDX-License-Identifier: Apache-2.0
// Every parameter of a model with a slider, a number, its interval, and whether the next fit may change it.

import { button, element } from "../report/dom";
import { formatShort, unitText } from "../report/format";
import { settings, type Unit } from "./settings";

export interface ModelField {
  path: string[];
  name: string;
  part?: string; // of a mount with several laws inside
  value: number;
  unit: string;
  meaning: string;
  lower: number | null;
  upper: number | null;
}

export interface Estimate {
  value: number | null;
  unit: string;
  lower_95: number | null;
  upper_95: number | null;
  status: "free" | "fixed" | "derived";
}

// A fit calls the rubbers inside a hydro mount by short names, and finds their Kelvin-Voigt parts by time constants.
export function fitNameOf({ name, part }: ModelField, known: Record<string, Estimate>): string | undefined {
  const short = part?.replace(/_rubber$/, "");
  const names = part ? [`${part}.${name}`, `${short}_${name}`, `${short}_${name.replace(/^static_/, "")}`] : [name];
  return names.find((one) => one in known);
}

// What no parameter of the fit is, but is computed from such.
export const followsFromFit = ({ name, part }: ModelField): boolean => part !== undefined && ["alpha", "beta", "gamma"].includes(name);

export interface Parameter {
  field: ModelField;
  fitName: string; // what the fit calls it
  estimate: Estimate | undefined;
  value: number;
  held: boolean;
  bounds: [number | null, number | null];
  scalesCurve: boolean; // the static stiffness of a model with a static curve
}

const steps = 1000;
const reach = 5; // a slider goes from value / reach to value * reach

// Slider position in 0..steps and value; logarithmic where the parameter is positive.
class Scale {
  private readonly low: number;
  private readonly high: number;
  private readonly log: boolean;

  constructor(field: ModelField, centre: number) {
    this.log = centre > 0 && (field.lower ?? 0) >= 0;
    const clip = (value: number) => Math.min(Math.max(value, field.lower ?? -Infinity), field.upper ?? Infinity);
    if (this.log) {
      [this.low, this.high] = [clip(centre / reach), clip(centre * reach)];
      if (this.low <= 0) this.low = centre / reach;
    } else {
      const width = Math.abs(centre) || 1;
      [this.low, this.high] = [clip(centre - width), clip(centre + width)];
    }
  }

  toSlider(value: number): number {
    const share = this.log ? Math.log(value / this.low) / Math.log(this.high / this.low) : (value - this.low) / (this.high - this.low);
    return Math.round(steps * Math.min(Math.max(Number.isFinite(share) ? share : 0, 0), 1));
  }

  toValue(position: number): number {
    const share = position / steps;
    return this.log ? this.low * (this.high / this.low) ** share : this.low + share * (this.high - this.low);
  }
}

export class ParameterRow {
  readonly node: HTMLElement;
  private readonly slider = element("input", { type: "range", min: "0", max: String(steps) });
  private readonly number = element("input", { type: "text", class: "value", autocomplete: "off" });
  private readonly scale: Scale;
  private readonly unit: Unit;

  constructor(
    readonly parameter: Parameter,
    private readonly onMove: (committed: boolean) => void,
  ) {
    const { field, estimate } = parameter;
    this.scale = new Scale(field, field.value);
    this.unit = settings.shown(field.unit);
    const label = field.name.replaceAll("_", " ");
    this.slider.setAttribute("aria-label", `${field.part ? `${field.part} ` : ""}${field.name}`);
    this.number.setAttribute("aria-label", `${field.name} value`);
    this.slider.addEventListener("input", () => {
      parameter.value = this.scale.toValue(Number(this.slider.value));
      this.showNumber();
      this.onMove(false);
    });
    this.slider.addEventListener("change", () => this.onMove(true));
    this.number.addEventListener("change", () => {
      const value = Number(this.number.value.replace(",", ".")) / this.unit.factor;
      if (Number.isFinite(value) && this.number.value.trim() !== "") parameter.value = value;
      this.update();
      this.onMove(true);
    });
    const lock = button("", "", () => {
      parameter.held = !parameter.held;
      showLock();
      this.onMove(true);
    });
    lock.className = "lock";
    const showLock = () => {
      lock.textContent = parameter.held ? "held" : "free";
      lock.title = parameter.held ? "Held at this value in the next fit; click to free it" : "The next fit may change it; click to hold it";
      lock.setAttribute("aria-pressed", String(parameter.held));
    };
    showLock();
    if (estimate?.status === "derived") lock.hidden = true;
    const unit = this.unit.unit === "-" ? "" : unitText(this.unit.unit);
    this.node = element(
      "div",
      { class: "parameter", "data-name": field.name },
      element("div", { class: "parameter-head" }, element("span", { class: "name", title: field.meaning }, label), this.number, element("span", { class: "unit" }, unit), lock),
      this.slider,
      element("div", { class: "parameter-foot" }, element("span", {}, this.intervalText()), this.boundsBox()),
    );
    this.update();
  }

  update(): void {
    this.slider.value = String(this.scale.toSlider(this.parameter.value));
    this.showNumber();
  }

  private showNumber(): void {
    this.number.value = formatShort(this.parameter.value * this.unit.factor, 5);
  }

  private intervalText(): string {
    const { estimate, scalesCurve } = this.parameter;
    if (scalesCurve) return "scales the static curve";
    if (!estimate) return "not fitted";
    if (estimate.status !== "free") return estimate.status === "derived" ? "follows from the others" : "held in this fit";
    const { lower_95: low, upper_95: high } = estimate;
    if (low === null || high === null) return "not determined by the data";
    return `95 %: ${formatShort(low * this.unit.factor, 4)} … ${formatShort(high * this.unit.factor, 4)}`;
  }

  private boundsBox(): HTMLElement {
    const { parameter, unit } = this;
    const input = (side: 0 | 1, words: string) => {
      const box = element("input", { type: "text", placeholder: words, "aria-label": `${parameter.field.name} ${words}` });
      const now = parameter.bounds[side];
      if (now !== null) box.value = formatShort(now * unit.factor, 4);
      box.addEventListener("change", () => {
        const value = Number(box.value.replace(",", "."));
        parameter.bounds[side] = box.value.trim() === "" || !Number.isFinite(value) ? null : value / unit.factor;
        this.onMove(true);
      });
      return box;
    };
    const box = element("details", { class: "bounds" }, element("summary", {}, "bounds"), element("div", { class: "row" }, input(0, "lowest"), input(1, "highest")));
    if (parameter.estimate?.status === "derived") box.hidden = true;
    return box;
  }
}
