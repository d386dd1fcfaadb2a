// SPDX-License-Identifier: Apache-2.0
import { button, element } from "./dom";
import { fileName, save, tableCsv } from "./download";
import { formatNumber, plainName, plainTitleOf, pretty, unitText } from "./format";
import type { TableBlock, Value } from "./model";

const longestUnbroken = 16; // letters: names and units stay on one line, meanings may wrap
const mostRowsOnOnePage = 25; // printed: a table up to this length is not split

// Names such as static_stiffness may go on in a second line.
function breakable(title: string): Node[] {
  return (title.length < 10 ? [title] : title.split(/(?<=_)/)).flatMap((part, i) => [...(i > 0 ? [document.createElement("wbr")] : []), document.createTextNode(part)]);
}

// A column without any entry takes room from the others: it is not drawn. Files keep it.
function withoutEmptyColumns(table: TableBlock): TableBlock {
  const kept = table.columns.map((_, i) => table.rows.length === 0 || table.rows.some(({ cells }) => cells[i] !== null && cells[i] !== undefined && cells[i] !== ""));
  const pick = <T>(list: T[]): T[] => list.filter((_, i) => kept[i]);
  return { ...table, columns: pick(table.columns), rows: table.rows.map((row) => ({ ...row, cells: pick(row.cells) })) };
}

export function renderTable(whole: TableBlock): HTMLElement {
  const table = withoutEmptyColumns(whole);
  const alignment = table.columns.map((column, i) =>
    column.align !== "automatic" ? column.align : table.rows.some((row) => typeof row.cells[i] === "number") ? "right" : "left",
  );
  const head = element("tr");
  table.columns.forEach((column, i) => {
    const unit = column.unit && column.unit !== "-" ? element("span", { class: "unit" }, ` ${unitText(column.unit)}`) : null;
    head.append(element("th", { scope: "col", class: alignment[i]! }, ...breakable(plainName(pretty(column.title))), unit));
  });
  // People say static stiffness; the file keeps its names.
  const named = table.columns[0]?.title === "Parameter";
  const body = element("tbody");
  for (const row of table.rows) {
    const line = element("tr", { class: row.quality });
    row.cells.forEach((cell, i) => {
      const shown = show(cell, table.columns[i]!.digits);
      const text = (i === 0 && named) || table.columns[i]!.title === "Name" ? plainName(shown) : shown;
      // Files lie beside a report, not beside the pages of the app.
      const linked = i === 0 && row.link !== undefined && location.pathname.endsWith(".html");
      const content = linked ? element("a", { href: row.link!.split("/").map(encodeURIComponent).join("/") }, text) : text;
      line.append(element("td", { class: text.length <= longestUnbroken ? `${alignment[i]!} short` : alignment[i]! }, content));
    });
    body.append(line);
  }
  const tools = element(
    "div",
    { class: "tools" },
    button("CSV", "Download this table", () =>
      save(new Blob([tableCsv(whole)], { type: "text/csv" }), fileName(table.title || "table", "csv")),
    ),
  );
  const block = element(
    "div",
    { class: table.rows.length <= mostRowsOnOnePage ? "table-block whole" : "table-block" },
    element("div", { class: "figure-head" }, element("h3", {}, plainTitleOf(pretty(table.title))), tools),
  );
  block.append(element("div", { class: "table-scroll" }, element("table", {}, element("thead", {}, head), body)));
  if (table.note) block.append(element("p", { class: "note" }, pretty(table.note)));
  return block;
}

function show(cell: Value, digits: number): string {
  return cell === null ? "" : typeof cell === "number" ? formatNumber(cell, digits) : pretty(cell);
}
