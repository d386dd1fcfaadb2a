// SPDX-License-Identifier: Apache-2.0
// All runs of the project, newest first: searched, filtered, renamed, tagged, put beside each other, deleted with a way back.

import { button, element } from "../report/dom";
import { post, remove } from "./api";
import { forget, isDoomed, isOver, jobName, jobs, stateWords, tagsOf, type Job } from "./jobs";
import { titleOf } from "./operation_words";
import { go, type Page } from "./router";
import { showCurve } from "./run_curve";
import { hasMetric, metricOf } from "./run_metrics";
import { guarded, jobAddress, stateBadge, tell, whenText } from "./widgets";

export interface TableSetting {
  chosen?: Set<string>; // with boxes
  onChoose?: () => void;
  onTag?: (tag: string) => void;
}

export function jobTable(list: Job[], setting: TableSetting = {}): HTMLElement {
  const { chosen } = setting;
  const body = element("tbody", {}, ...list.filter(({ id }) => !isDoomed(id)).map((job) => rowOf(job, setting)));
  const titles = [...(chosen ? ["Choose"] : []), "What", "Operation", "Curve", "Result", "State", "When", "No.", "Actions"];
  const quiet = new Set(["Choose", "Actions"]);
  const head = element("tr", {}, ...titles.map((title) => element("th", { class: "left", scope: "col", ...(title === "No." ? { title: "Number of its folder in the project" } : {}) }, quiet.has(title) ? element("span", { class: "unseen" }, title) : title)));
  return element("div", { class: "card table-scroll" }, element("table", { class: "runs" }, element("thead", {}, head), body));
}

function rowOf(job: Job, { chosen, onChoose, onTag }: TableSetting): HTMLElement {
  const row = element("tr");
  if (chosen) {
    const box = element("input", { type: "checkbox", "aria-label": `Choose ${job.id}` });
    box.checked = chosen.has(job.id);
    box.disabled = !job.has_result;
    box.addEventListener("change", () => {
      if (box.checked) chosen.add(job.id);
      else chosen.delete(job.id);
      onChoose?.();
    });
    row.append(element("td", {}, box));
  }
  const metric = element("td", { class: "soft metric" });
  if (hasMetric(job)) void metricOf(job).then((words) => (metric.textContent = words));
  const curve = element("td", { class: "curve-cell" });
  showCurve(job, curve);
  const what = element("td", { class: "what-cell" });
  const showName = () =>
    what.replaceChildren(
      element("a", { href: jobAddress(job) }, jobName(job)),
      ...tagsOf(job).map((tag) => {
        const chip = button(`#${tag}`, `Runs with the tag ${tag}`, () => (onTag ? onTag(tag) : go(["jobs"], { search: `#${tag}` })));
        chip.className = "chip tag";
        return chip;
      }),
    );
  showName();
  row.append(
    what,
    element("td", { class: "operation" }, titleOf(job.operation)),
    curve,
    metric,
    element("td", {}, stateBadge(job), job.state === "running" && job.fraction >= 0 ? ` ${Math.round(100 * job.fraction)} %` : ""),
    element("td", { class: "soft when", title: job.created }, whenText(job.created)),
    element("td", { class: "soft number", title: `Folder ${job.folder}` }, job.id.split("-")[0]!),
    actionsOf(job, row, what, showName),
  );
  return row;
}

function actionsOf(job: Job, row: HTMLElement, what: HTMLElement, showName: () => void): HTMLElement {
  const actions = element("td", { class: "right actions" });
  if (!isOver(job)) {
    const stop = button("Stop", "End this run; what was computed is kept where possible", () => void guarded(stop, async () => void (await post(`api/jobs/${job.id}/cancel`, {}))));
    actions.append(stop);
    return actions;
  }
  const allow = button("Start", "Run this job, which came with the project folder", () =>
    void guarded(allow, async () => void (await post(`api/jobs/${job.id}/allow`, {}))),
  );
  const again = button("Again", "Run the same operation with the same options again", () =>
    void guarded(again, async () => {
      location.hash = jobAddress(await post<Job>(`api/jobs/${job.id}/again`, {}));
    }),
  );
  const rename = button("Rename", "Another name; words that begin with # are tags", () => {
    const box = element("input", { type: "text", class: "rename", "aria-label": `Name of ${job.id}`, placeholder: "Name and #tags" });
    box.value = job.title || jobName(job);
    const done = (keep: boolean) => {
      box.onblur = null;
      showName();
      if (!keep || box.value.trim() === (job.title || jobName(job))) return;
      void guarded(null, async () => void (await post(`api/jobs/${job.id}/rename`, { title: box.value.trim() })));
    };
    box.addEventListener("keydown", (event) => {
      if (event.key === "Enter") done(true);
      if (event.key === "Escape") done(false);
    });
    box.onblur = () => done(true);
    what.replaceChildren(box);
    box.focus();
    box.select();
  });
  const erase = button("Delete", "Delete this run and its files; it can be taken back for some seconds", () => {
    row.remove();
    const undo = forget(job.id, () => remove(`api/jobs/${job.id}`));
    const back = button("Undo", "Keep this run", () => {
      undo();
      back.closest(".message")?.remove();
    });
    tell(element("span", { class: "row" }, `Deleted ${job.id}.`, back));
  });
  if (job.state === "held") actions.append(allow);
  else if (job.state !== "damaged") actions.append(again, rename);
  actions.append(erase);
  return actions;
}

// Every word has to stand somewhere in the row.
const matches = (job: Job, words: string[]): boolean => {
  const text = `${jobName(job)} ${job.title} ${job.operation} ${titleOf(job.operation)} ${job.id} ${stateWords[job.state]}`.toLowerCase();
  return words.every((word) => text.includes(word));
};

export function jobsPage(place: { query: URLSearchParams }): Page {
  const chosen = new Set<string>();
  const holder = element("div");
  const compare = button("Put beside each other", "Compare the chosen fits in one report", () =>
    void guarded(compare, async () => {
      const job = await jobs.submit("report", { results: [...chosen].sort().map((id) => `jobs/${id}/result.json`) });
      go(["job", job.id]);
    }),
  );
  const search = element("input", { type: "text", class: "search", placeholder: "Search: names, #tags, folders", "aria-label": "Search runs" });
  search.value = place.query.get("search") ?? "";
  const operation = element("select", { "aria-label": "Operation" });
  const state = element("select", { "aria-label": "State" }, element("option", { value: "" }, "any state"), ...Object.entries(stateWords).map(([value, words]) => element("option", { value }, words)));
  const count = element("span", { class: "soft", role: "status" });
  const overlay = button("Lay over each other", "Curves of the chosen runs in the same pictures, key figures in one table", () => go(["overlay"], { run: [...chosen].sort() }));
  // One report of several fits; curves of any runs over each other.
  const choose = () => {
    overlay.hidden = chosen.size < 2;
    compare.hidden = chosen.size < 2 || [...chosen].some((id) => !jobs.get(id)?.operation.startsWith("fit "));
  };
  const fillOperations = (list: Job[]) => {
    const now = operation.value;
    const names = [...new Set(list.map((job) => job.operation))].sort();
    operation.replaceChildren(element("option", { value: "" }, "all operations"), ...names.map((name) => element("option", { value: name }, titleOf(name))));
    operation.value = names.includes(now) ? now : "";
  };
  const update = () => {
    // Whoever types a name is not disturbed.
    if (holder.querySelector(".rename") === document.activeElement && document.activeElement !== null) return;
    const list = jobs.list();
    fillOperations(list);
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const shown = list.filter((job) => matches(job, words) && (operation.value === "" || job.operation === operation.value) && (state.value === "" || job.state === state.value));
    for (const id of chosen) if (!jobs.get(id)) chosen.delete(id);
    count.textContent = shown.length === list.length ? "" : `${shown.length} of ${list.length}`;
    const onTag = (tag: string) => {
      search.value = `#${tag}`;
      update();
    };
    if (list.length === 0) holder.replaceChildren(nothingYet());
    else holder.replaceChildren(shown.length > 0 ? jobTable(shown, { chosen, onChoose: choose, onTag }) : element("p", { class: "nothing" }, "No run is like that."));
    choose();
  };
  search.addEventListener("input", update);
  for (const select of [operation, state]) select.addEventListener("change", update);
  update();
  const tools = element("div", { class: "row run-tools" }, search, operation, state, count);
  const node = element("div", {}, element("div", { class: "page-head" }, element("h1", {}, "Runs"), element("div", { class: "row" }, overlay, compare)), tools, holder);
  return { title: "Runs", section: "jobs", node, dispose: jobs.onChange(update) };
}

function nothingYet(): HTMLElement {
  return element(
    "section",
    { class: "card" },
    element("h2", {}, "Nothing was run yet"),
    element("p", { class: "hint" }, "Drop files here or on any page, open an example on the start page, or choose an operation."),
    element("div", { class: "row" }, element("a", { class: "button", href: "#/" }, "Start"), element("a", { class: "button", href: "#/run" }, "Operations")),
  );
}
