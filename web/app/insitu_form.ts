// SPDX-License-Identifier: Apache-2.0
// Mounts in place from a dropped model and a dropped record: which stiffnesses are unknown, and which column is which sensor.

import { button, element } from "../report/dom";
import { formatShort, unitText } from "../report/format";
import type { AnimationBlock } from "../report/model";
import { readFile, type Json, type JsonObject } from "./api";
import { jobs } from "./jobs";
import { addressOf } from "./router";
import { ScenePick, type Mark } from "./scene_pick";
import { settings } from "./settings";
import { guarded, jobAddress, primary } from "./widgets";

interface Unknown {
  bushing: string;
  axis: string;
  parameter: string;
  value: number;
}

export interface Record {
  path: string;
  columns: string[]; // titles, without units
}

// Where the bushings and sensors of a model sit, and its picture, as kdyn inspect tells them.
export interface Place {
  name: string;
  kind: string;
  at: [number, number, number];
}
export interface Sight {
  block: AnimationBlock;
  places: Place[];
}

const draggedColumn = "text/kdyn-column";

const object = (value: Json | undefined): JsonObject => (value && typeof value === "object" && !Array.isArray(value) ? value : {});
const list = (value: Json | undefined): JsonObject[] => (Array.isArray(value) ? value.map(object) : []);
const isRotation = (axis: string): boolean => axis.startsWith("t");

// What a law calls its stiffness and damping has a unit of its own; other parameters are left to the form with all options.
const unitOf = (parameter: string, axis: string): string | undefined => {
  if (/stiffness$/.test(parameter)) return isRotation(axis) ? "N*m/rad" : "N/m";
  if (/^damping$/.test(parameter)) return isRotation(axis) ? "N*m*s/rad" : "N*s/m";
  return undefined;
};

export function unknownsOf(model: JsonObject): Unknown[] {
  return list(model.bushings).flatMap((bushing) =>
    Object.entries(object(bushing.laws)).flatMap(([axis, law]) =>
      Object.entries(object(object(law).parameters)).flatMap(([parameter, value]) =>
        typeof value === "number" && value > 0 && unitOf(parameter, axis) ? [{ bushing: String(bushing.name), axis, parameter, value }] : [],
      ),
    ),
  );
}

// Channels of the sensors, as kdyn names them.
export function channelsOf(model: JsonObject): string[] {
  const single = new Set(["string_pot", "strain", "angle"]);
  return list(model.sensors).flatMap((sensor) => {
    const name = String(sensor.name);
    return single.has(String(sensor.kind)) ? [name] : [...String(sensor.axes ?? "xyz")].map((axis) => `${name}.${axis}`);
  });
}

export async function insituSetup(modelPath: string, record: Record, sight?: Sight): Promise<HTMLElement> {
  const model = await readFile<JsonObject>(`${modelPath}`);
  const unknowns = unknownsOf(model);
  const channels = channelsOf(model);
  const form = addressOf(["run", "insitu"], { model: modelPath, data: [record.path] });
  if (unknowns.length === 0 || channels.length === 0)
    return element(
      "section",
      { class: "card setup" },
      element("h2", {}, "Identify mounts in place"),
      element("p", { class: "hint" }, unknowns.length === 0 ? "The bushings of this model have no stiffness that stands in the file." : "The model has no sensors, so that no column can be compared with it. Name the signals among all options."),
      element("div", { class: "row" }, element("a", { class: "button", href: form }, "All options")),
    );
  const rows = unknowns.map((unknown) => {
    const box = element("input", { type: "checkbox", "aria-label": `${unknown.bushing} ${unknown.axis} ${unknown.parameter}` });
    box.checked = true;
    const shown = settings.shown(unitOf(unknown.parameter, unknown.axis)!);
    const start = element("input", { type: "text", "aria-label": `Start of ${unknown.bushing} ${unknown.axis} ${unknown.parameter}` });
    start.value = formatShort(unknown.value * shown.factor, 6);
    start.addEventListener("input", () => start.setAttribute("aria-invalid", String(!(Number(start.value.replace(",", ".")) > 0))));
    return { unknown, box, start, shown };
  });
  const bushings = [...new Set(unknowns.map(({ bushing }) => bushing))];
  const byName = (channel: string) => record.columns.find((title) => title === channel) ?? record.columns.find((title) => title.toLowerCase().replaceAll("_", ".") === channel.toLowerCase()) ?? "";
  const maps = channels.map((channel) => {
    const select = element("select", { "aria-label": `Column of ${channel}` }, element("option", { value: "" }, "not measured"), ...record.columns.map((title) => element("option", { value: title }, title)));
    select.value = byName(channel);
    return { channel, select };
  });
  const run = primary("Identify", "Find the chosen parameters from the measured signals", () =>
    void guarded(run, async () => {
      const start: JsonObject = {};
      for (const { unknown, box, start: text, shown } of rows) {
        if (!box.checked) continue;
        const value = Number(text.value.replace(",", ".")) / shown.factor;
        const name = `${unknown.bushing}.${unknown.axis}.${unknown.parameter}`;
        if (!(value > 0)) throw new Error(`the start value of ${name} has to be above zero`);
        start[name] = value;
      }
      if (Object.keys(start).length === 0) throw new Error("choose at least one parameter");
      const used = maps.filter(({ select }) => select.value !== "");
      if (used.length === 0) throw new Error("say which column belongs to which sensor");
      const columns = Object.fromEntries(used.filter(({ channel, select }) => channel !== select.value).map(({ channel, select }) => [channel, select.value]));
      const options: JsonObject = { model: modelPath, data: [record.path], signals: used.map(({ channel }) => channel), start };
      if (Object.keys(columns).length > 0) options.columns = columns;
      location.hash = jobAddress(await jobs.submit("insitu", options));
    }),
  );
  const rowsOf = (bushing: string) => rows.filter(({ unknown }) => unknown.bushing === bushing);
  const words = new Map<string, HTMLButtonElement>();
  // All parameters of a mount at once: its button, or a click on it in the picture.
  const turn = (bushing: string) => {
    const own = rowsOf(bushing);
    const on = own.every(({ box }) => !box.checked);
    own.forEach(({ box }) => (box.checked = on));
    tell();
  };
  const tell = () => {
    for (const [bushing, all] of words) all.textContent = rowsOf(bushing).some(({ box }) => box.checked) ? "none" : "all";
    picture?.draw();
  };
  const groupOf = (bushing: string) => {
    const own = rowsOf(bushing);
    const all = button("none", "Hold all parameters of this mount, or free them again", () => turn(bushing));
    all.classList.add("small");
    words.set(bushing, all);
    own.forEach(({ box }) => box.addEventListener("change", tell));
    return element(
      "fieldset",
      { class: "mount-unknowns" },
      element("legend", {}, bushing, " ", all),
      ...own.map(({ unknown, box, start, shown }) => element("div", { class: "unknown" }, element("label", { class: "check" }, box, `${unknown.axis} ${unknown.parameter.replaceAll("_", " ")}`), start, element("span", { class: "unit" }, unitText(shown.unit)))),
    );
  };
  // Channels of the sensor of a mark: "acc.x" of the sensor "acc".
  const mapsOf = ({ id }: Mark) => maps.filter(({ channel }) => channel === id || channel.startsWith(`${id}.`));
  const isMeasured = (mark: Mark) => mapsOf(mark).some(({ select }) => select.value !== "");
  // A column goes to the channel along its own axis where its name ends with one, else to the first channel that has none.
  const put = (mark: Mark, column: string) => {
    const own = mapsOf(mark);
    const axis = /[._ ]([xyz])$/i.exec(column)?.[1]?.toLowerCase();
    const wanted = own.find(({ channel }) => axis !== undefined && channel.endsWith(`.${axis}`)) ?? own.find(({ select }) => select.value === "") ?? own[0];
    if (!wanted) return;
    for (const { select } of maps) if (select.value === column) select.value = "";
    wanted.select.value = column;
    tell();
  };
  const marks: Mark[] = (sight?.places ?? []).flatMap(({ name, kind, at }): Mark[] => (kind === "bushing" && bushings.includes(name) ? [{ id: name, kind, at }] : kind === "sensor" ? [{ id: name, kind, at }] : []));
  const picture =
    sight && marks.length > 0
      ? new ScenePick({
          title: "Bushings and sensors of the model",
          block: sight.block,
          marks,
          isOn: (mark) => (mark.kind === "bushing" ? rowsOf(mark.id).some(({ box }) => box.checked) : isMeasured(mark)),
          words: (mark) => (mark.kind === "bushing" ? "stiffness and damping" : mapsOf(mark).flatMap(({ select }) => (select.value === "" ? [] : [select.value])).join(", ") || "no column"),
          onMark: (mark) => {
            if (mark.kind === "bushing") return turn(mark.id);
            // A sensor that is left out keeps its columns in mind: by their names they come back.
            const on = isMeasured(mark);
            for (const { channel, select } of mapsOf(mark)) select.value = on ? "" : byName(channel);
            tell();
          },
          dropType: draggedColumn,
          onDrop: put,
          caption: "Squares are bushings, discs are sensors; filled ones take part. Click one to take it in or to leave it out; drag a column onto its sensor.",
        })
      : undefined;
  maps.forEach(({ select }) => select.addEventListener("change", tell));
  const chips = record.columns.map((title) => {
    const chip = element("span", { class: "chip quantity q-motion", draggable: "true" }, title);
    chip.addEventListener("dragstart", (event) => event.dataTransfer?.setData(draggedColumn, title));
    return chip;
  });
  return element(
    "section",
    { class: "card setup" },
    element("h2", {}, "Identify mounts in place"),
    picture?.node,
    picture && element("div", { class: "chips quantities", "aria-label": "Columns of the record" }, ...chips),
    element("p", { class: "hint" }, "What is ticked is found, from the start value beside it; everything else stays as the model has it."),
    element("div", { class: "unknowns" }, ...bushings.map(groupOf)),
    element("h3", {}, "Sensors of the model and columns of the record"),
    element("div", { class: "mapping" }, ...maps.map(({ channel, select }) => element("label", { class: "setting" }, element("span", {}, channel), select))),
    element("div", { class: "row" }, run, element("a", { class: "button", href: form }, "All options")),
  );
}
