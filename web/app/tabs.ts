// SPDX-License-Identifier: Apache-2.0
// Tabs of a page. The one that is open is part of the address; each is built when it is first opened.

import { element } from "../report/dom";
import { Place, addressOf } from "./router";
import { troubleCard, troubleOf } from "./widgets";

export interface Tab {
  name: string;
  label: string;
  build: () => HTMLElement | Promise<HTMLElement>;
}

export function tabbed(tabs: Tab[], wanted: string | null): HTMLElement {
  const list = element("div", { class: "tabs", role: "tablist" });
  const body = element("div", { class: "tab-body", role: "tabpanel" });
  const built = new Map<string, HTMLElement>();
  const buttons = new Map<string, HTMLButtonElement>();
  const open = (tab: Tab, remember: boolean) => {
    for (const [name, button] of buttons) {
      button.setAttribute("aria-selected", String(name === tab.name));
      button.tabIndex = name === tab.name ? 0 : -1;
    }
    let place = built.get(tab.name);
    if (!place) {
      place = element("div");
      built.set(tab.name, place);
      const here = place;
      here.append(element("p", { class: "nothing waiting", role: "status" }, "Reading the results …"));
      void (async () => here.replaceChildren(await tab.build()))().catch((error: unknown) => here.replaceChildren(troubleCard(troubleOf(error))));
    }
    body.replaceChildren(place);
    if (!remember) return;
    const { parts, query } = new Place(location.hash);
    history.replaceState(null, "", addressOf(parts, { ...Object.fromEntries(query), tab: tab.name }));
  };
  tabs.forEach((tab, i) => {
    const button = element("button", { type: "button", role: "tab" }, tab.label);
    button.addEventListener("click", () => open(tab, true));
    button.addEventListener("keydown", (event) => {
      const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
      const next = tabs[(i + step + tabs.length) % tabs.length]!;
      if (step === 0) return;
      open(next, true);
      buttons.get(next.name)!.focus();
    });
    buttons.set(tab.name, button);
    list.append(button);
  });
  const first = tabs.find(({ name }) => name === wanted) ?? tabs[0];
  if (first) open(first, false);
  if (tabs.length < 2) list.hidden = true;
  return element("div", {}, list, body);
}
