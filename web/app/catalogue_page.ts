// SPDX-License-Identifier: Apache-2.0
// The mount catalogue: search, put beside each other, see how a parameter scatters over parts or changes over time.

import { button, element } from "../report/dom";
import { formatShort, formatNumber, withUnit } from "../report/format";
import type { PlotBlock, Series } from "../report/model";
import { buildPlots } from "../report/plot_row";
import { get, post, remove } from "./api";
import { jobName, jobs, type Job } from "./jobs";
import type { Estimate } from "./parameter_panel";
import { addressOf, go, type Page, type Place } from "./router";
import { settings } from "./settings";
import { guarded, primary, tell, whenText } from "./widgets";

export interface Entry {
  part: string;
  direction: string;
  batch: string;
  note: string;
  job: string;
  operation: string;
  parameters: Record<string, Estimate>;
  fit: { rms_kdyn_rel?: number; rms_loss_deg?: number };
  fitted: string;
}

export function cataloguePage(place: Place): Page {
  const search = element("input", { type: "text", placeholder: "Part, direction, batch, note", "aria-label": "Search", class: "search" });
  search.value = place.query.get("search") ?? "";
  const chosen = new Set<string>();
  const list = element("div");
  const scatter = element("div");
  let entries: Entry[] = [];
  let parameter = place.query.get("parameter") ?? "";

  const compare = button("Put beside each other", "Compare the chosen fits in one report", () =>
    void guarded(compare, async () => {
      const results = entries.filter(({ job }) => chosen.has(job)).map(({ job }) => `jobs/${job}/result.json`);
      go(["job", (await jobs.submit("report", { results })).id]);
    }),
  );
  const showCompare = () => (compare.disabled = chosen.size < 2);

  const drawScatter = () => {
    const names = [...new Set(entries.flatMap((entry) => Object.keys(entry.parameters).filter((name) => entry.parameters[name]!.value !== null)))];
    if (names.length === 0) return scatter.replaceChildren();
    if (!names.includes(parameter)) parameter = names.includes("static_stiffness") ? "static_stiffness" : names[0]!;
    const select = element("select", { "aria-label": "Parameter" }, ...names.map((name) => element("option", { value: name }, name.replaceAll("_", " "))));
    select.value = parameter;
    select.addEventListener("change", () => {
      parameter = select.value;
      drawScatter();
    });
    scatter.replaceChildren(
      element("div", { class: "row catalogue-tools" }, element("h2", {}, "Scatter and history"), select),
      scatterPlot(entries, parameter),
    );
  };

  const load = async () => {
    entries = await get<Entry[]>(`api/catalogue?search=${encodeURIComponent(search.value)}`);
    for (const job of chosen) if (!entries.some((entry) => entry.job === job)) chosen.delete(job);
    list.replaceChildren(entries.length > 0 ? table() : nothing(search.value));
    showCompare();
    drawScatter();
  };

  const table = () => {
    const body = element("tbody");
    const hasNotes = entries.some(({ note }) => note !== "");
    for (const entry of entries) {
      const box = element("input", { type: "checkbox", "aria-label": `Choose ${entry.part} ${entry.direction}` });
      box.checked = chosen.has(entry.job);
      box.addEventListener("change", () => {
        if (box.checked) chosen.add(entry.job);
        else chosen.delete(entry.job);
        showCompare();
      });
      const forget = button("Forget", "Take this entry out of the catalogue; the run stays", () =>
        void guarded(forget, async () => {
          await remove(`api/catalogue/${encodeURIComponent(entry.job)}`);
          await load();
        }),
      );
      const { rms_kdyn_rel: k, rms_loss_deg: loss } = entry.fit;
      body.append(
        element(
          "tr",
          {},
          element("td", {}, box),
          element("td", {}, element("a", { href: addressOf(["catalogue"], { search: `${entry.part} ${entry.direction}`.trim() }), title: "History of this part" }, entry.part)),
          element("td", {}, entry.direction),
          element("td", {}, entry.batch),
          element("td", { class: "right" }, k === undefined ? "" : `${formatNumber(100 * k, 3)} %`),
          element("td", { class: "right" }, loss === undefined ? "" : `${formatNumber(loss, 3)} deg`),
          element("td", { class: "soft" }, entry.fitted ? whenText(entry.fitted) : ""),
          element("td", {}, element("a", { href: addressOf(["mount", entry.job]), title: entry.job }, nameOf(entry.job))),
          hasNotes && element("td", { class: "soft" }, entry.note),
          element("td", { class: "right actions" }, forget),
        ),
      );
    }
    const left = (title: string) => element("th", { class: "left" }, title);
    const right = (title: string) => element("th", { class: "right" }, title);
    const head = [left(""), left("Part"), left("Direction"), left("Batch"), right("Stiffness misfit"), right("Loss angle misfit"), left("Fitted"), left("Fit"), ...(hasNotes ? [left("Note")] : []), left("")];
    return element("div", { class: "card table-scroll" }, element("table", {}, element("thead", {}, element("tr", {}, ...head)), body));
  };

  let timer = 0;
  search.addEventListener("input", () => {
    clearTimeout(timer);
    timer = window.setTimeout(() => void guarded(null, load), 150);
  });
  const node = element(
    "div",
    {},
    element("div", { class: "page-head" }, element("div", {}, element("h1", {}, "Catalogue"), element("p", { class: "lead" }, "Parts, directions and batches with their fitted models.")), element("div", { class: "row" }, search, compare)),
    list,
    scatter,
  );
  void guarded(null, load);
  return { title: "Catalogue", section: "catalogue", node, dispose: settings.onUnits(drawScatter) };
}

function nothing(search: string): HTMLElement {
  if (search) return element("p", { class: "nothing" }, `Nothing is called “${search}”.`);
  return element(
    "section",
    { class: "card" },
    element("h2", {}, "The catalogue is empty"),
    element("p", { class: "hint" }, "Fit a mount and keep it: the workbench has a line for part number, direction and batch. Parts can then be found, compared, and seen as a scatter over a batch."),
    element("div", { class: "row" }, element("a", { class: "button", href: "#/mount" }, "Go to the mounts")),
  );
}

const nameOf = (id: string): string => {
  const job = jobs.get(id);
  return job ? jobName(job) : id;
};
const sentence = (name: string): string => name.replaceAll("_", " ").replace(/^./, (letter) => (name.length > 5 ? letter.toUpperCase() : letter)); // alpha, rdl and the like stay as in files

// Oldest on the left: the order of the history. Intervals are 95 %.
function scatterPlot(entries: Entry[], name: string): HTMLElement {
  const shown = [...entries].reverse().filter((entry) => typeof entry.parameters[name]?.value === "number");
  const unit = settings.shown(shown[0]?.parameters[name]?.unit ?? "-");
  const directions = [...new Set(shown.map(({ direction }) => direction || "no direction"))];
  const series = directions.map((direction, group): Series => {
    const own = shown.map((entry, i) => ({ entry, i })).filter(({ entry }) => (entry.direction || "no direction") === direction);
    const value = (pick: (estimate: Estimate) => number | null) =>
      own.map(({ entry }) => {
        const one = pick(entry.parameters[name]!);
        return one === null ? null : one * unit.factor;
      });
    return {
      name: direction,
      style: "markers",
      group,
      total_points: own.length,
      x: own.map(({ i }) => i + 1),
      y: value((estimate) => estimate.value),
      lower: value((estimate) => estimate.lower_95),
      upper: value((estimate) => estimate.upper_95),
      hover: own.map(({ entry }) => `${entry.part} ${entry.direction}\n${entry.batch} ${entry.job}`),
    };
  });
  // Directions of a part are different things: their mean would be none.
  const words = directions
    .map((direction) => {
      const values = shown.filter((entry) => (entry.direction || "no direction") === direction).map((entry) => entry.parameters[name]!.value!);
      const mean = values.reduce((sum, one) => sum + one, 0) / Math.max(values.length, 1);
      const spread = Math.sqrt(values.reduce((sum, one) => sum + (one - mean) ** 2, 0) / Math.max(values.length - 1, 1));
      if (values.length < 2 || mean === 0) return "";
      return `${directions.length > 1 ? `${direction}: mean` : "Mean"} ${withUnit(formatShort(mean * unit.factor, 4), unit.unit)}, standard deviation ${formatShort((100 * spread) / Math.abs(mean), 2)} % over ${values.length} fits. `;
    })
    .join("");
  const plot: PlotBlock = {
    kind: "plot",
    title: sentence(name),
    x: { label: "Fit, oldest first", unit: "", log: false, whole: true, lower: 0.5, upper: Math.max(shown.length, 1) + 0.5 },
    y: { label: sentence(name), unit: unit.unit, log: false },
    series,
    groups: [],
    group_label: "Direction",
    palette: "categorical",
    caption: `${words}Bars are 95 % intervals; hover tells the part.`,
    height_px: 300,
  };
  return buildPlots([plot], { columns: 1, linkX: false }).node;
}

// One line in the workbench: which part this fit belongs to.
export function keepForm(job: Job): HTMLElement {
  const input = (label: string, title: string) => {
    const box = element("input", { type: "text", placeholder: label, "aria-label": label, title });
    box.className = "keep";
    return box;
  };
  const [part, direction, batch, note] = [
    input("Part number", "What the part is called"),
    input("Direction", "x, y, z, radial, axial …"),
    input("Batch", "Parts that should be equal"),
    input("Note", "Anything else"),
  ];
  const keep = primary("Keep", "Put this fit into the catalogue", () =>
    void guarded(keep, async () => {
      await post("api/catalogue", { job: job.id, part: part!.value.trim(), direction: direction!.value.trim(), batch: batch!.value.trim(), note: note!.value.trim() });
      tell(element("span", {}, "Kept in the ", element("a", { href: "#/catalogue" }, "catalogue")));
    }),
  );
  return element("details", { class: "keep-form" }, element("summary", {}, "Keep in the catalogue"), element("div", { class: "row" }, part!, direction!, batch!, note!, keep));
}
