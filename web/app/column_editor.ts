// SPDX-License-Identifier: Apache-2.0
// What the columns of a table are, told by its user: quantity and unit of each. kdyn writes a copy with a header that it knows into the project
// (kdyn convert), so that every operation reads it; the file as it was dropped stays.

import { element } from "../report/dom";
import { jobs } from "./jobs";
import { lookAt } from "./drop_zone";
import { guarded, primary } from "./widgets";

// As kdyn inspect shows a column: its title, what that says, and the first cells.
export interface Column {
  title: string;
  meaning: string;
  unit: string;
  cells: string[];
}

// Meanings as kdyn calls them, and as people do.
const labels: Record<string, string> = {
  time: "Time",
  frequency: "Frequency",
  amplitude: "Amplitude",
  preload: "Preload",
  k_dyn: "Dynamic stiffness",
  loss_angle: "Loss angle",
  loss_factor: "Loss factor (tan δ)",
  storage_stiffness: "Storage stiffness (real part)",
  loss_stiffness: "Loss stiffness (imaginary part)",
  damping: "Damping",
  displacement: "Displacement or angle",
  force: "Force or moment",
  temperature: "Temperature",
};

export function columnEditor(path: string, columns: Column[]): HTMLElement {
  const used = new Set<string>();
  const choices = columns.map(({ title, meaning, unit: told }) => {
    const quantity = element("select", { "aria-label": `Quantity of ${title}` }, element("option", { value: "" }, "not used"), ...Object.entries(labels).map(([name, label]) => element("option", { value: name }, label)));
    if (meaning in labels && !used.has(meaning)) quantity.value = meaning;
    used.add(meaning);
    const unit = element("input", { type: "text", value: told, size: "7", placeholder: "unit", "aria-label": `Unit of ${title}` });
    const show = () => void (unit.hidden = quantity.value === "");
    quantity.addEventListener("change", show);
    show();
    return { quantity, unit };
  });
  const head = element("tr", {}, ...columns.map(({ title }, i) => element("th", { class: "left" }, element("div", {}, title), choices[i]!.quantity, choices[i]!.unit)));
  const rows = (columns[0]?.cells ?? []).map((_, row) => element("tr", {}, ...columns.map(({ cells }) => element("td", {}, cells[row] ?? ""))));
  const save = primary("Look again", "Put a copy with these columns into the project and look at it", () =>
    void guarded(save, async () => {
      const kept = choices.map(({ quantity, unit }, i) => ({ name: quantity.value, unit: unit.value.trim(), i })).filter(({ name }) => name !== "");
      if (kept.length < 2) throw new Error("choose at least two columns: displacement and force, or frequency, amplitude, stiffness and loss angle");
      const twice = kept.find(({ name }, k) => kept.some((other, l) => l < k && other.name === name));
      if (twice) throw new Error(`${twice.name.replaceAll("_", " ")} is chosen twice`);
      const output = `data/${path.split("/").pop()!.split(".").slice(0, -1).join(".")}_columns.csv`;
      const job = await jobs.submit("convert", {
        input: path,
        output,
        columns: Object.fromEntries(kept.map(({ name, i }) => [name, String(i + 1)])), // by number: titles may repeat
        units: Object.fromEntries(kept.filter(({ unit }) => unit !== "").map(({ name, unit }) => [name, unit])),
      });
      const done = await jobs.finished(job.id);
      if (!done.has_result) throw new Error(done.error ? `${done.error.message} (${done.error.remedy})` : "the columns could not be read");
      await lookAt([output]);
    }),
  );
  return element(
    "div",
    { class: "columns" },
    element("p", { class: "hint" }, "Quantity and unit of each column (mm, kN, N/mm, deg, ...). A copy with these columns is put into the project."),
    element("div", { class: "table-scroll" }, element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows))),
    element("div", { class: "row" }, save),
  );
}
