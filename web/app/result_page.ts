// SPDX-License-Identifier: Apache-2.0
// One run of any operation: its progress, then its results in tabs, its files, or what went wrong and what to do.

import { button, element } from "../report/dom";
import type { ReportDocument, Section } from "../report/model";
import { fileAddress, post } from "./api";
import { coverButton } from "./cover_form";
import { inUsersUnits, readDocument, renderHead, renderSection } from "./document_view";
import { optionWords } from "./field_words";
import { isOver, jobName, jobs, type Job } from "./jobs";
import { titleOf } from "./operation_words";
import { nextSteps } from "./next_steps";
import { addressOf, type Page, type Place } from "./router";
import { endCard, fileLinks, headOf, outputFiles } from "./run_parts";
import { settings } from "./settings";
import { studyOf, type Result } from "./studies";
import { tabbed, type Tab } from "./tabs";
import { guarded, jobAddress, progressCard, stateBadge, troubleCard, troubleOf } from "./widgets";

function sectionsNode(sections: Section[], columns = false): HTMLElement {
  return element("div", { class: columns ? "document two-columns" : "document" }, ...sections.map(renderSection));
}

// A comparison knows runs by their folders; here they have names.
function withNames(document: ReportDocument): ReportDocument {
  const names = new Map<string, string>();
  for (const job of jobs.list()) names.set(job.id, [...names.values()].includes(jobName(job)) ? `${jobName(job)} (${job.id.split("-")[0]!})` : jobName(job));
  return JSON.parse(JSON.stringify(document, (_, value: unknown) => (typeof value === "string" ? (names.get(value) ?? value) : value))) as ReportDocument;
}

const goodsOf: Record<string, RegExp> = { update: /\/updated\/[^/]+$/, insitu: /\/model\.json$/, body: /\.(fem|h5)$/, export: /\/(?!report\.html|result\.json)[^/]+$/, import: /\/model\.json$/, linearise: /\/model\.json$/, road: /\/road\.csv$/ };
const goodsWords: Record<string, string> = { update: "Updated deck", insitu: "Model with these mounts", body: "Flexible body", export: "Exported file", import: "Model file", linearise: "Linear model", road: "Road" };

// The tabs of the study, then what no tab asked for.
async function tabsOf(result: Result): Promise<Tab[]> {
  const study = studyOf(result.job.operation);
  const document = result.document;
  const sections = (document?.sections ?? []).filter(({ blocks, lead }) => lead !== "" || blocks.some((block) => block.kind !== "text" || block.text !== ""));
  const taken = new Set<Section>();
  const tabs: Tab[] = [];
  for (const spec of study?.tabs ?? []) {
    if (spec.for !== result.job.operation) continue;
    const own = spec.sections ? sections.filter((section) => !taken.has(section) && spec.sections!.includes(section.id)) : [];
    own.forEach((section) => taken.add(section));
    const { first } = spec;
    if (first) own.sort((a, b) => Number(b.id === first) - Number(a.id === first));
    const custom = spec.build ? await spec.build(result) : null;
    if (!custom && own.length === 0) continue;
    if (custom) sections.filter((section) => spec.hides?.includes(section.id)).forEach((section) => taken.add(section));
    tabs.push({ name: spec.name, label: spec.label, build: async () => element("div", {}, await custom?.(), own.length > 0 && sectionsNode(own, spec.columns)) });
  }
  const rest = sections.filter((section) => !taken.has(section));
  if (rest.length > 0) tabs.push({ name: "report", label: tabs.length > 0 ? "More" : "Report", build: () => sectionsNode(rest) });
  const { job } = result;
  tabs.push({
    name: "files",
    label: "Files",
    build: async () => {
      const facts = document && document.provenance.length > 0 ? element("dl", { class: "provenance" }, ...document.provenance.map(({ name, value }) => element("div", {}, element("dt", {}, name.replace(/^Option (\w+)$/, (_, option: string) => optionWords(option))), element("dd", {}, value)))) : null;
      return element("section", { class: "card" }, element("h2", {}, "Files of this run"), fileLinks(job, await outputFiles(job)), facts);
    },
  });
  return tabs;
}

export function resultPage(place: Place): Page {
  const id = place.parts[1] ?? "";
  const node = element("div");
  const leaving: (() => void)[] = [];
  const leave = () => leaving.splice(0).forEach((work) => work());
  const show = async (): Promise<void> => {
    let job: Job | undefined = jobs.get(id);
    if (!job) return node.replaceChildren(troubleCard({ message: `There is no run ${id} in this project`, remedy: "look at the list of runs" }));
    if (!isOver(job)) {
      const progress = progressCard(id);
      leaving.push(progress.dispose);
      const head = headOf(job, titleOf(job.operation));
      node.replaceChildren(head, progress.node);
      leaving.push(jobs.onChange(() => jobs.get(id) && head.querySelector(".state")?.replaceWith(stateBadge(jobs.get(id)!))));
      job = await jobs.finished(id);
    }
    const finished = job;
    const again = button("Run again", "The same operation with the same options", () =>
      void guarded(again, async () => {
        location.hash = jobAddress(await post<Job>(`api/jobs/${id}/again`, {}));
      }),
    );
    const change = element("a", { class: "button", href: addressOf(["run", job.operation], { from: id }) }, "Change options");
    const report = job.has_report ? element("a", { class: "button", href: `../${job.report}`, target: "_blank", rel: "noopener", title: "The report as one file, to keep and to pass on" }, "Report") : null;
    // What a run was made for stands beside the report, not only among its files.
    const goods = job.has_result ? (await outputFiles(job)).filter(({ path }) => goodsOf[job!.operation]?.test(path)) : [];
    const takeAlong = goods.map(({ path }) => element("a", { class: "button primary", href: fileAddress(path, true), download: path.split("/").pop()!, title: path.slice(job!.folder.length + 1) }, goodsWords[job!.operation]!));
    const trouble = endCard(job);
    // What is wrong with columns or units is mended where the files are looked at.
    const given = [job.options.data, job.options.files].flatMap((one) => (Array.isArray(one) ? one.map(String) : []));
    if (trouble && job.error && given.length > 0 && given.every((path) => /^data\/.*\.\w+$/.test(path))) {
      const look = button("Look at these files", "What is recognised in them; columns and units are assigned there", () =>
        void guarded(look, async () => {
          location.hash = jobAddress(await jobs.submit("inspect", { files: given }));
        }),
      );
      trouble.append(element("div", { class: "row" }, look));
    }
    const read = job.has_report ? await readDocument(job) : undefined;
    const document = read && job.operation === "report" ? withNames(read) : read;
    const body = element("div");
    const draw = async () => {
      const shown = document && inUsersUnits(document);
      const head = shown && renderHead(shown);
      const tabs = job!.has_result || shown ? await tabsOf({ job: finished, document: shown, onLeave: (work) => leaving.push(work) }) : [];
      const isBench = tabs[0]?.name === "workbench";
      body.replaceChildren(...(head && !isBench ? [head] : []), ...(tabs.length > 0 ? [tabbed(tabs, currentTab() ?? place.query.get("tab"))] : []));
      body.classList.add("ready");
    };
    const currentTab = () => new URLSearchParams(location.hash.split("?")[1] ?? "").get("tab");
    const next = await nextSteps(job);
    node.replaceChildren(headOf(job, titleOf(job.operation), ...takeAlong.slice(0, 1), ...(report ? [report, coverButton(job)] : []), change, again), ...(next ? [next] : []), ...(trouble ? [trouble] : []), body);
    body.className = "result";
    await draw();
    leaving.push(settings.onUnits(() => void draw()));
  };
  void show().catch((error: unknown) => node.append(troubleCard(troubleOf(error))));
  return { title: id, section: studyOf(jobs.get(id)?.operation ?? "")?.name ?? "jobs", node, dispose: leave };
}
