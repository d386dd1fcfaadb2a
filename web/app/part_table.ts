// SPDX-License-Identifier: Apache-2.0
// Several files or sheets: whose measurements they are. Part and direction as the files tell them, to be said where they do not; what is said here
// goes into a copy of the file, hence into everything that is done with it.

import { element } from "../report/dom";
import { lookAt } from "./drop_zone";
import { directionNames, plainName } from "./import_wizard";
import { jobs } from "./jobs";
import { guarded, primary } from "./widgets";

export interface PartFile {
  path: string;
  kind: string;
  format?: string;
  part?: string;
  direction?: string;
  sheet?: string;
  sets?: { kind?: string; sheet?: string; part?: string; direction?: string }[];
}

const kinds: Record<string, string> = { map: "map", static: "loop", series: "record" };
const tables = new Set(["csv", "xlsx", "ods"]);

// Measurements of a bench among `files`; the others are looked at again along with them.
export function partTable(measured: PartFile[], files: { path: string }[]): HTMLElement | null {
  const rows = measured
    .filter(({ format = "csv" }) => tables.has(format))
    .flatMap((file) => {
      const sets = file.sets ?? [];
      if (sets.length === 0) return [{ path: file.path, sheet: undefined as string | undefined, kind: file.kind, part: file.part ?? "", direction: file.direction ?? "" }];
      // Several measurements in one sheet tell their directions in columns; a sheet for each can be told here.
      const sheets = sets.map(({ sheet }) => sheet);
      if (sheets.some((sheet) => !sheet) || new Set(sheets).size < sheets.length) return [];
      return sets.map((set) => ({ path: file.path, sheet: set.sheet, kind: set.kind ?? "", part: set.part ?? "", direction: set.direction ?? "" }));
    });
  if (rows.length < 2) return null;
  const inputs = rows.map((row) => {
    const name = `${row.path.split("/").pop()!}${row.sheet ? `, ${row.sheet}` : ""}`;
    const part = element("input", { type: "text", class: "short", value: row.part, placeholder: "not told", "aria-label": `Part of ${name}` });
    const known = row.direction === "" || directionNames.includes(row.direction) ? directionNames : [row.direction, ...directionNames];
    const direction = element("select", { "aria-label": `Direction of ${name}` }, element("option", { value: "" }, "not told"), ...known.map((one) => element("option", { value: one }, one)));
    direction.value = row.direction;
    return { row, name, part, direction };
  });
  const changed = () => inputs.filter(({ row, part, direction }) => part.value.trim() !== row.part || direction.value !== row.direction);
  const apply = primary("Use these parts and directions", "Put copies that tell part and direction into the project and look at them", () =>
    void guarded(apply, async () => {
      const replaced = new Set<string>();
      const outputs: string[] = [];
      const moved = changed();
      // Of a workbook all sheets are copied: the others stand in the same file.
      const books = new Set(moved.filter(({ row }) => row.sheet).map(({ row }) => row.path));
      for (const { row, part, direction } of inputs.filter((one) => moved.includes(one) || books.has(one.row.path))) {
        const output = `data/${plainName(row.path)}${row.sheet ? `_${row.sheet.replace(/[^\p{L}\p{N}_-]+/gu, "_")}` : ""}_of_part.csv`;
        const columns: Record<string, string> = {};
        if (part.value.trim() !== "") columns.part = `=${part.value.trim()}`;
        if (direction.value !== "") columns.direction = `=${direction.value}`;
        await jobs.resultOf("convert", { input: row.path, output, columns, ...(row.sheet ? { sheets: [row.sheet] } : {}) });
        replaced.add(row.path);
        outputs.push(output);
      }
      await lookAt([...files.map(({ path }) => path).filter((path) => !replaced.has(path)), ...outputs]);
    }),
  );
  const follow = () => void (apply.disabled = changed().length === 0);
  for (const { part, direction } of inputs) for (const input of [part, direction]) input.addEventListener("input", follow);
  follow();
  const untold = rows.filter(({ direction }) => direction === "").length;
  const body = inputs.map(({ row, name, part, direction }) => element("tr", {}, element("td", {}, name), element("td", {}, kinds[row.kind] ?? row.kind), element("td", {}, part), element("td", {}, direction)));
  const head = element("tr", {}, ...["File", "Measured", "Part", "Direction"].map((title) => element("th", { class: "left" }, title)));
  const box = element(
    "details",
    { class: "card parts form" },
    element("summary", {}, "Parts and directions", element("span", { class: "soft" }, untold > 0 ? `: ${untold} of ${rows.length} tell no direction` : `: ${rows.length} measurements`)),
    element("p", { class: "hint" }, "All directions of one part become one bushing. Two parts or directions are never mixed in a fit."),
    element("div", { class: "table-scroll" }, element("table", {}, element("thead", {}, head), element("tbody", {}, ...body))),
    element("div", { class: "row" }, apply),
  );
  box.open = untold > 0 && untold < rows.length;
  return box;
}
