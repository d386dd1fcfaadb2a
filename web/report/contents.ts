// SPDX-License-Identifier: Apache-2.0
// Table of contents beside the report; marks the section in view.

import { element } from "./dom";

export interface Entry {
  id: string;
  title: string;
  node: HTMLElement;
}

export function renderContents(entries: Entry[]): HTMLElement {
  const links = new Map(entries.map((entry) => [entry.node as Element, element("a", { href: `#${entry.id}` }, entry.title)]));
  const mark = (node: Element) =>
    links.forEach((link, section) => (section === node ? link.setAttribute("aria-current", "true") : link.removeAttribute("aria-current")));
  // A section counts as read once its head passes the upper fifth of the window.
  const observer = new IntersectionObserver(
    (changes) => {
      const entered = changes.filter((change) => change.isIntersecting);
      const first = entered[0];
      if (first) mark(first.target);
    },
    { rootMargin: "-10% 0px -75% 0px" },
  );
  entries.forEach((entry) => observer.observe(entry.node));
  if (entries[0]) mark(entries[0].node);
  const list = element("ol");
  links.forEach((link) => list.append(element("li", {}, link)));
  return element("nav", { class: "contents", "aria-label": "Contents" }, list);
}
