// SPDX-License-Identifier: Apache-2.0
// One run of any operation: its progress, then its report and files, or what went wrong and what to do.

import { button, element } from "../report/dom";
import { fileAddress, get, post } from "./api";
import { isOver, jobName, jobs, type Job } from "./jobs";
import type { ProjectFile } from "./project";
import { addressOf, type Page, type Place } from "./router";
import { bytesText, guarded, jobAddress, progressCard, reportFrame, stateBadge, troubleCard } from "./widgets";

const ownFiles = new Set(["job.json", "progress.json", "log.txt", "error.json"]);

export async function outputFiles(job: Job): Promise<ProjectFile[]> {
  const all = await get<ProjectFile[]>(`api/jobs/${job.id}/files`);
  return all.filter(({ path }) => !ownFiles.has(path.slice(job.folder.length + 1))).sort((a, b) => (a.path < b.path ? -1 : 1));
}

export function fileLinks(job: Job, files: ProjectFile[]): HTMLElement {
  const list = element("div", { class: "file-links" });
  for (const { path, bytes } of files) {
    const name = path.slice(job.folder.length + 1);
    list.append(element("a", { class: "file", href: fileAddress(path, true), download: name.split("/").pop()! }, name, element("span", { class: "soft" }, ` ${bytesText(bytes)}`)));
  }
  return list;
}

// What there is to say about a run that has no result, or a doubtful one.
export function endCard(job: Job): HTMLElement | null {
  if (job.error) return troubleCard(job.error);
  if (job.state === "stopped") return troubleCard({ message: "This run was stopped before it had a result", remedy: "run it again" });
  if (job.state === "not_complete")
    return troubleCard({ message: `The run ended as ${(job.status ?? "").replaceAll("_", " ")}: ${job.reason || "it did not come to its end"}`, remedy: "look at the report; what was computed is kept" });
  return null;
}

export function headOf(job: Job, kicker: string, ...tools: Node[]): HTMLElement {
  return element(
    "div",
    { class: "page-head" },
    element("div", {}, element("p", { class: "kicker" }, kicker), element("h1", {}, jobName(job)), element("p", { class: "soft" }, stateBadge(job), ` ${job.folder}`)),
    element("div", { class: "row" }, ...tools),
  );
}

export function jobPage(place: Place): Page {
  const id = place.parts[1] ?? "";
  const node = element("div");
  let dispose = () => {};
  const show = async () => {
    const job = jobs.get(id);
    if (!job) {
      node.replaceChildren(troubleCard({ message: `There is no run ${id} in this project`, remedy: "look at the list of runs" }));
      return;
    }
    if (!isOver(job)) {
      const progress = progressCard(id);
      dispose = progress.dispose;
      node.replaceChildren(headOf(job, job.operation), progress.node);
      await jobs.finished(id);
      dispose();
      return show();
    }
    const again = button("Run again", "The same operation with the same options", () =>
      void guarded(again, async () => {
        location.hash = jobAddress(await post<Job>(`api/jobs/${id}/again`, {}));
      }),
    );
    const change = element("a", { class: "button", href: addressOf(["run", job.operation], { from: id }) }, "Change options");
    const files = await outputFiles(job);
    node.replaceChildren(headOf(job, job.operation, change, again));
    const trouble = endCard(job);
    if (trouble) node.append(trouble);
    if (files.length > 0) node.append(element("section", { class: "card" }, element("h2", {}, "Files"), fileLinks(job, files)));
    if (job.has_report) node.append(reportFrame(job));
  };
  void show();
  return { title: id, section: "jobs", node, dispose: () => dispose() };
}
