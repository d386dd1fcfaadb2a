// SPDX-License-Identifier: Apache-2.0
// What the columns of a text file are, told by its user: quantity and unit of each. A copy with a header that kdyn knows is put into the project,
// so that the command line reads it as well; the file as it was dropped stays.

import { element } from "../report/dom";
import { fileAddress, getText, upload } from "./api";
import { lookAt } from "./drop_zone";
import { guarded, primary } from "./widgets";

interface Quantity {
  name: string; // as kdyn's layouts call it
  label: string;
  units: string[]; // the likely one first
  hint: RegExp; // names it goes by
}

const quantities: Quantity[] = [
  { name: "time", label: "Time", units: ["s", "ms", "min"], hint: /^(t|time|zeit)\b|time/i },
  { name: "frequency", label: "Frequency", units: ["Hz", "kHz"], hint: /^f$|freq|hz/i },
  { name: "amplitude", label: "Amplitude", units: ["mm", "m", "um", "deg", "rad", "in"], hint: /ampl/i },
  { name: "preload", label: "Preload", units: ["N", "kN", "N*m", "lbf"], hint: /pre.?load|vorlast|static/i },
  { name: "k_dyn", label: "Dynamic stiffness", units: ["N/mm", "N/m", "kN/mm", "N*m/rad", "N*m/deg", "lbf/in"], hint: /stiff|steif|k_?dyn|^k\b/i },
  { name: "loss_angle", label: "Loss angle", units: ["deg", "rad"], hint: /loss.?angle|phase|delta|winkel|phi/i },
  { name: "loss_factor", label: "Loss factor (tan δ)", units: ["-"], hint: /tan|loss.?factor/i },
  { name: "displacement", label: "Displacement or angle", units: ["mm", "m", "um", "deg", "rad", "in"], hint: /disp|weg|path|travel|angle/i },
  { name: "force", label: "Force or moment", units: ["N", "kN", "N*m", "lbf"], hint: /force|kraft|load|torque|moment/i },
  { name: "temperature", label: "Temperature", units: ["degC"], hint: /temp/i },
];

const previewRows = 5;
const largest = 200e6; // bytes a page can turn around at ease

interface Table {
  delimiter: string;
  header: string[];
  body: string[]; // lines of numbers
}

// The delimiter is the sign that cuts most lines into the same number of pieces; the header is what stands above the first line of numbers.
function tableOf(text: string): Table {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "" && !line.startsWith("#"));
  const delimiter = [";", "\t", ",", " "].find((sign) => (lines[Math.min(2, lines.length - 1)] ?? "").split(sign).length > 1) ?? ",";
  const isNumbers = (line: string) => cut(line, delimiter).every((cell) => cell === "" || /^[-+]?[\d.,]+([eE][-+]?\d+)?$/.test(cell));
  const from = lines.findIndex(isNumbers);
  if (from < 0) throw new Error("there is no line of numbers in this file");
  const count = cut(lines[from]!, delimiter).length;
  const named = lines.slice(0, from).reverse().find((line) => cut(line, delimiter).length === count);
  const header = named ? cut(named, delimiter) : Array.from({ length: count }, (_, i) => `column ${i + 1}`);
  return { delimiter, header, body: lines.slice(from) };
}

function cut(line: string, delimiter: string): string[] {
  return (delimiter === " " ? line.trim().split(/ +/) : line.split(delimiter)).map((cell) => cell.trim().replace(/^"|"$/g, ""));
}

export async function columnEditor(path: string): Promise<HTMLElement> {
  const text = await getText(fileAddress(path));
  if (text.length > largest) throw new Error("this file is too long for the page: name its columns in its first line, with units in brackets");
  const table = tableOf(text);
  const used = new Set<string>();
  const choices = table.header.map((title) => {
    const guess = quantities.find(({ name, hint }) => !used.has(name) && hint.test(title));
    if (guess) used.add(guess.name);
    const quantity = element("select", { "aria-label": `Quantity of ${title}` }, element("option", { value: "" }, "not used"), ...quantities.map(({ name, label }) => element("option", { value: name }, label)));
    const unit = element("select", { "aria-label": `Unit of ${title}` });
    const fill = () => {
      const units = quantities.find(({ name }) => name === quantity.value)?.units ?? [];
      unit.replaceChildren(...units.map((one) => element("option", { value: one }, one)));
      const told = /[[(]\s*([^\])]+?)\s*[\])]/.exec(title)?.[1];
      if (told && units.includes(told)) unit.value = told;
      unit.hidden = units.length === 0;
    };
    quantity.value = guess?.name ?? "";
    quantity.addEventListener("change", fill);
    fill();
    return { quantity, unit };
  });
  const head = element("tr", {}, ...table.header.map((title, i) => element("th", { class: "left" }, element("div", {}, title), choices[i]!.quantity, choices[i]!.unit)));
  const rows = table.body.slice(0, previewRows).map((line) => element("tr", {}, ...cut(line, table.delimiter).map((cell) => element("td", {}, cell))));
  const save = primary("Look again", "Put a copy with these columns into the project and look at it", () =>
    void guarded(save, async () => {
      const kept = choices.map(({ quantity }, i) => ({ name: quantity.value, i })).filter(({ name }) => name !== "");
      if (kept.length < 2) throw new Error("choose at least two columns: displacement and force, or frequency, amplitude, stiffness and loss angle");
      const twice = kept.find(({ name }, k) => kept.some((other, l) => l < k && other.name === name));
      if (twice) throw new Error(`${twice.name.replaceAll("_", " ")} is chosen twice`);
      const decimalComma = table.delimiter !== "," && table.body.slice(0, 50).some((line) => /\d,\d/.test(line));
      const number = (cell: string) => (decimalComma ? cell.replace(",", ".") : cell);
      const lines = [kept.map(({ name, i }) => `${name} [${choices[i]!.unit.value}]`).join(",")];
      for (const line of table.body) {
        const cells = cut(line, table.delimiter);
        lines.push(kept.map(({ i }) => number(cells[i] ?? "")).join(","));
      }
      const name = path.split("/").pop()!.replace(/\.[^.]*$/, "") + "_columns.csv";
      await lookAt([await upload(new File([lines.join("\n") + "\n"], name))]);
    }),
  );
  return element(
    "div",
    { class: "columns" },
    element("p", { class: "hint" }, "Quantity and unit of each column; the rest is left out. A copy with these columns is put into the project."),
    element("div", { class: "table-scroll" }, element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows))),
    element("div", { class: "row" }, save),
  );
}
