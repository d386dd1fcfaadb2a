// SPDX-License-Identifier: Apache-2.0
// A fitted bushing as one card: its directions with what was found, and the ways it leaves for other programs.

import { element } from "../report/dom";
import { formatShort, unitText } from "../report/format";
import { fileAddress, readFile } from "./api";
import { exportBar } from "./export_bar";
import { appInfo } from "./project";
import { settings } from "./settings";
import type { Result, TabMaker } from "./studies";

interface Direction {
  axes: string[];
  measured: string[];
  law: string;
  status: string;
  static_stiffness?: number | null;
  rms_kdyn_rel?: number | null;
  rms_loss_deg?: number | null;
}

interface BushingResult {
  directions: Direction[];
  estimated: { axis?: string }[];
  absent: string[];
  parameters: Record<string, { unit: string; lower_95: number | null; upper_95: number | null }>;
}

const lawWords: Record<string, string> = { elastomer: "rubber", hydromount: "hydro mount" };

function directionCard(folder: string, direction: Direction, parameters: BushingResult["parameters"]): HTMLElement {
  const [axis] = direction.axes;
  const rotation = axis!.startsWith("t");
  const shown = settings.shown(rotation ? "N*m/rad" : "N/m");
  const number = (value: number) => formatShort(value * shown.factor, 4);
  const stiffness = parameters[`${axis}.static_stiffness`];
  const interval = stiffness && stiffness.lower_95 !== null && stiffness.upper_95 !== null ? `95 % interval ${number(stiffness.lower_95)} to ${number(stiffness.upper_95)}` : "no interval";
  const misfit = typeof direction.rms_kdyn_rel === "number" ? `misfit ${formatShort(100 * direction.rms_kdyn_rel, 2)} %, ${formatShort(direction.rms_loss_deg ?? 0, 2)} deg` : null;
  return element(
    "section",
    { class: "card direction" },
    element("div", { class: "card-head" }, element("h2", {}, direction.axes.join(", ")), element("span", { class: `state ${direction.status === "converged" ? "good" : "poor"}` }, direction.status.replaceAll("_", " "))),
    typeof direction.static_stiffness === "number" && element("p", { class: "large" }, `${number(direction.static_stiffness)} ${unitText(shown.unit)}`),
    element("p", { class: "soft" }, typeof direction.static_stiffness === "number" ? `static stiffness, ${interval}` : ""),
    element("p", {}, [lawWords[direction.law] ?? direction.law, misfit].filter(Boolean).join(", ")),
    element("p", { class: "soft" }, `from ${direction.measured.join(", ")}`),
    element("a", { href: fileAddress(`${folder}/directions/${axis}/report.html`), target: "_blank", rel: "noopener" }, "Report of this direction"),
  );
}

export async function buildBushing({ job }: Result): Promise<TabMaker | null> {
  if (!job.has_result) return null;
  const { directions, absent, parameters } = await readFile<BushingResult>(`${job.folder}/result.json`);
  return async () => {
    const exporting = (await appInfo()).operations.find(({ operation }) => operation === "export");
    const formats = exporting?.fields.find((field) => field.name === "to")?.choices ?? [];
    return element(
      "div",
      {},
      exportBar({ formats, job, model: () => ({}), isChanged: () => false, axis: "all" }).node,
      element("div", { class: "cards directions-cards" }, ...directions.map((one) => directionCard(job.folder, one, parameters))),
      absent.length > 0 && element("p", { class: "hint" }, `Not measured, carries no force: ${absent.join(", ")}. State a ratio under Change options to fill it.`),
    );
  };
}
