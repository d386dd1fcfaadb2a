// SPDX-License-Identifier: Apache-2.0
// The frame of the application: navigation, settings, and the page the address asks for.

import { element } from "../report/dom";
import { wordFindings } from "../report/findings";
import { helpPage } from "./book";
import { cataloguePage } from "./catalogue_page";
import { dataPage } from "./data_page";
import { takeDropsEverywhere } from "./drop_zone";
import { resultPage } from "./result_page";
import { isOver, jobs } from "./jobs";
import { jobsPage } from "./jobs_page";
import { operationPage, operationsPage } from "./operation_page";
import { overlayPage } from "./overlay_page";
import { knowOptions, pageWords, placeWords } from "./page_words";
import { appInfo } from "./project";
import { Place, type Page, type PageMaker } from "./router";
import { settings, type Theme, type UnitSystem } from "./settings";
import { startPage } from "./start_page";
import { setPages, troubleCard, troubleOf } from "./widgets";
import { studies, studyOf } from "./studies";
import { studyPage } from "./study_page";
import { transport } from "./transport";

const pages: Record<string, PageMaker> = {
  "": startPage,
  data: dataPage,
  ...Object.fromEntries(studies.map((study) => [study.name, studyPage(study)])),
  catalogue: cataloguePage,
  jobs: jobsPage,
  job: resultPage,
  overlay: overlayPage,
  run: (place) => (place.parts[1] ? operationPage(place) : operationsPage()),
};

const sections = [
  { name: "start", label: "Start", address: "#/", key: "s" },
  ...studies.map(({ name, label, key }) => ({ name, label, address: `#/${name}`, key })),
  { name: "catalogue", label: "Catalogue", address: "#/catalogue", key: "c" },
  { name: "jobs", label: "Runs", address: "#/jobs", key: "r" },
  { name: "run", label: "Operations", address: "#/run", key: "o" },
];

function choice<T extends string>(label: string, options: [T, string][], now: T, onChange: (value: T) => void): HTMLElement {
  const select = element("select", { "aria-label": label }, ...options.map(([value, words]) => element("option", { value }, words)));
  select.value = now;
  select.addEventListener("change", () => onChange(select.value as T));
  return element("label", { class: "setting" }, element("span", {}, label), select);
}

async function start(): Promise<void> {
  settings.applyTheme();
  wordFindings(pageWords, placeWords);
  setPages((operation) => (operation === "inspect" ? "data" : (studyOf(operation)?.name ?? "job")));
  const root = document.getElementById("app")!;
  const info = await appInfo();
  settings.setUnits(info.display_units);
  knowOptions(info.operations.flatMap(({ fields }) => fields.map(({ name }) => name)));
  await jobs.start();

  const running = element("span", { class: "count", hidden: "" });
  const links = new Map(sections.map(({ name, label, address, key }) => [name, element("a", { href: address, title: `Key g, then ${key}` }, label)]));
  links.get("jobs")!.append(running);
  const help = element("a", { class: "help", target: "_blank", rel: "noopener", ...(info.book ? {} : { hidden: "" }) }, "Help");
  const offline = element("div", { class: "offline", role: "alert", hidden: "" }, transport().away);
  const main = element("main", { id: "main", tabindex: "-1" });
  const nav = element(
    "nav",
    { "aria-label": "Pages" },
    element("a", { class: "brand", href: "#/" }, "kdyn"),
    element("p", { class: "project", title: info.project.folder }, info.project.name),
    ...(transport().projectTools?.() ?? []),
    ...links.values(),
    help,
    element("div", { class: "spring" }),
    choice<UnitSystem>("Units", [["engineering", "N, mm"], ["si", "N, m (SI)"]], settings.units, (units) => (settings.units = units)),
    choice<Theme>("Theme", [["system", "system"], ["light", "light"], ["dark", "dark"]], settings.theme, (theme) => (settings.theme = theme)),
    element("p", { class: "version", title: info.confinement }, `kdyn ${info.version} · ? for keys`),
  );
  root.replaceChildren(offline, nav, main);

  const follow = () => {
    const count = jobs.list().filter((job) => !isOver(job)).length;
    running.hidden = count === 0;
    running.textContent = String(count);
    offline.hidden = jobs.connected;
  };
  jobs.onChange(follow);
  follow();

  let current: Page | undefined;
  let visit = 0;
  const show = async () => {
    const mine = ++visit;
    const place = new Place(location.hash);
    const maker = pages[place.parts[0] ?? ""] ?? startPage;
    let page: Page;
    try {
      page = await maker(place);
    } catch (error) {
      page = { title: "Trouble", section: "", node: troubleCard(troubleOf(error)) };
    }
    // Another address was asked for meanwhile.
    if (mine !== visit) return page.dispose?.();
    current?.dispose?.();
    current = page;
    document.title = `${page.title} · kdyn`;
    help.setAttribute("href", `book/${helpPage(page.section, place)}`);
    for (const [name, link] of links) {
      if (name === page.section) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    main.replaceChildren(page.node);
    window.scrollTo(0, 0);
  };
  window.addEventListener("hashchange", () => void show());
  takeDropsEverywhere();
  goByKeys();
  await show();
  root.classList.add("ready");
}

// g and a letter, as in many programs; ? tells them.
function goByKeys(): void {
  let afterG = false;
  window.addEventListener("keydown", (event) => {
    const target = event.target as HTMLElement;
    if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName)) return;
    const section = sections.find(({ key }) => key === event.key);
    if (afterG && section) location.hash = section.address;
    if (event.key === "?") tellKeys();
    afterG = event.key === "g";
  });
}

function tellKeys(): void {
  const keys: [string, string][] = [
    ...sections.map(({ key, label }): [string, string] => [`g ${key}`, label]),
    ["Ctrl+Z, Ctrl+Y", "undo and redo in the workbench"],
    ["← →", "read the points of a plot, go to the next tab, turn a picture in space"],
    ["Enter", "pick the pole that is read"],
    ["Space", "play or pause"],
    ["Esc", "end the zoom of a plot, close this"],
  ];
  const list = element("table", {}, element("tbody", {}, ...keys.map(([key, words]) => element("tr", {}, element("td", {}, element("kbd", {}, key)), element("td", {}, words)))));
  const dialog = element("dialog", { "aria-label": "Keys" }, element("h2", {}, "Keys"), list);
  dialog.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

start().catch((error: unknown) => {
  document.getElementById("app")!.replaceChildren(troubleCard(troubleOf(error)));
});
