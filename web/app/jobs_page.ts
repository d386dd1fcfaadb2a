// SPDX-License-Identifier: Apache-2.0
// All runs of the project, newest first; several fits can be chosen and put beside each other.

import { button, element } from "../report/dom";
import { post, remove } from "./api";
import { isOver, jobName, jobs, type Job } from "./jobs";
import { go, type Page } from "./router";
import { guarded, jobAddress, stateBadge, whenText } from "./widgets";

export function jobTable(list: Job[], chosen?: Set<string>, onChoose?: () => void): HTMLElement {
  const body = element("tbody");
  for (const job of list) {
    const actions = element("td", { class: "right actions" });
    if (isOver(job)) {
      const allow = button("Start", "Run this job, which came with the project folder", () =>
        void guarded(allow, async () => void (await post(`api/jobs/${job.id}/allow`, {}))),
      );
      const again = button("Again", "Run the same operation with the same options again", () =>
        void guarded(again, async () => {
          const next = await post<Job>(`api/jobs/${job.id}/again`, {});
          location.hash = jobAddress(next);
        }),
      );
      const erase = button("Delete", "Delete this run and its files", () =>
        void guarded(erase, async () => {
          if (confirm(`Delete ${job.id} and its files?`)) await remove(`api/jobs/${job.id}`);
        }),
      );
      if (job.state === "held") actions.append(allow);
      else if (job.state !== "damaged") actions.append(again);
      actions.append(erase);
    } else {
      const stop = button("Stop", "End this run", () => void guarded(stop, async () => void (await post(`api/jobs/${job.id}/cancel`, {}))));
      actions.append(stop);
    }
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
    row.append(
      element("td", {}, element("a", { href: jobAddress(job) }, jobName(job))),
      element("td", {}, job.operation),
      element("td", {}, stateBadge(job), job.state === "running" && job.fraction >= 0 ? ` ${Math.round(100 * job.fraction)} %` : ""),
      element("td", { class: "soft" }, whenText(job.created)),
      element("td", { class: "soft" }, job.id),
      actions,
    );
    body.append(row);
  }
  const titles = [...(chosen ? [""] : []), "What", "Operation", "State", "When", "Folder", ""];
  const head = element("tr", {}, ...titles.map((title) => element("th", { class: "left" }, title)));
  return element("div", { class: "card table-scroll" }, element("table", {}, element("thead", {}, head), body));
}

export function jobsPage(): Page {
  const chosen = new Set<string>();
  const place = element("div");
  const compare = button("Put beside each other", "Compare the chosen fits in one report", () =>
    void guarded(compare, async () => {
      const job = await jobs.submit("report", { results: [...chosen].sort().map((id) => `jobs/${id}/result.json`) });
      go(["job", job.id]);
    }),
  );
  const choose = () => (compare.hidden = chosen.size < 2);
  const update = () => {
    const list = jobs.list();
    for (const id of chosen) if (!jobs.get(id)) chosen.delete(id);
    place.replaceChildren(
      list.length > 0
        ? jobTable(list, chosen, choose)
        : element("section", { class: "card" }, element("h2", {}, "Nothing was run yet"), element("p", { class: "hint" }, "Drop files here or on any page, open the example on the start page, or choose an operation."), element("div", { class: "row" }, element("a", { class: "button", href: "#/" }, "Start"), element("a", { class: "button", href: "#/run" }, "Operations"))),
    );
    choose();
  };
  update();
  const node = element("div", {}, element("div", { class: "page-head" }, element("h1", {}, "Runs"), compare), place);
  return { title: "Runs", section: "jobs", node, dispose: jobs.onChange(update) };
}
