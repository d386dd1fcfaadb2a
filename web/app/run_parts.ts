// SPDX-License-Identifier: Apache-2.0
// What every page about a run shows: its head, its files, and how it ended.

import { element } from "../report/dom";
import { fileAddress, get } from "./api";
import { jobName, type Job } from "./jobs";
import type { ProjectFile } from "./project";
import { bytesText, stateBadge, troubleCard } from "./widgets";

const ownFiles = new Set(["document.json", "job.json", "progress.json", "live.json", "curve.json", "log.txt", "error.json"]);

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
  if (job.state === "held")
    return troubleCard({ message: "This run came with the project folder; it was not started from here", remedy: "start it on the page Runs when you trust who gave you the folder, or delete it" });
  if (job.state === "stopped") return troubleCard({ message: "This run was stopped before it had a result", remedy: "run it again" });
  if (job.state === "not_complete" && job.status === "stopped") return troubleCard({ message: "Stopped on request", remedy: "look at what was found until then, or run it again" });
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
