// SPDX-License-Identifier: Apache-2.0
// Paper cannot be scrolled: a table that is wider than the page, with its titles wrapped, is drawn smaller.

export function fitTablesForPrint(width: number): void {
  let shrunk: HTMLTableElement[] = [];
  window.addEventListener("beforeprint", () => {
    for (const table of document.querySelectorAll<HTMLTableElement>("#report table")) {
      table.classList.add("on-paper"); // looks as in print, to be measured
      const needed = table.getBoundingClientRect().width;
      table.classList.remove("on-paper");
      if (needed <= width) continue;
      table.style.setProperty("zoom", String(width / needed));
      shrunk.push(table);
    }
  });
  window.addEventListener("afterprint", () => {
    shrunk.forEach((table) => table.style.removeProperty("zoom"));
    shrunk = [];
  });
}
