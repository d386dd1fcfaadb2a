// SPDX-License-Identifier: Apache-2.0
// Title, date and page number on every printed page. Page margins take text from style rules only, so the rule is written here.

export function printHeader(title: string, created: string): HTMLStyleElement {
  const style = document.createElement("style");
  style.textContent = `@page { @top-left { content: ${quoted(title)}; } @top-right { content: ${quoted(created)}; } @bottom-right { content: counter(page) " / " counter(pages); } }
@page :first { @top-left { content: ""; } @top-right { content: ""; } }`;
  return style;
}

// Everything but plain letters and digits as a code point: no title can end the string.
function quoted(text: string): string {
  return `"${[...text].map((c) => (/[\p{L}\p{N} ]/u.test(c) ? c : `\\${c.codePointAt(0)!.toString(16)} `)).join("")}"`;
}
