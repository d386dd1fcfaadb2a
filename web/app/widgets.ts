// SPDX-License-Identifier: Apache-2.0
// Small parts that pages share.

import { button, element } from "../report/dom";
import { ServerError, post, type Trouble } from "./api";
import { isOver, jobs, stateWords, type Job } from "./jobs";
import { liveView, timeLeft } from "./live";
import { pageWords, placeWords } from "./page_words";
import { addressOf } from "./router";

export function primary(label: string, title: string, onClick: () => void): HTMLButtonElement {
  const node = button(label, title, onClick);
  node.classList.add("primary");
  return node;
}

export function troubleOf(error: unknown): Trouble {
  if (error instanceof ServerError) return error.trouble;
  return { message: error instanceof Error ? error.message : String(error) };
}

export function troubleCard(trouble: Trouble): HTMLElement {
  return element(
    "div",
    { class: "trouble", role: "alert" },
    element("p", {}, element("b", {}, pageWords(trouble.message)), trouble.where ? element("code", {}, ` ${placeWords(trouble.where)}`) : null),
    trouble.remedy ? element("p", { class: "remedy" }, element("b", {}, "What to do: "), pageWords(trouble.remedy)) : null,
  );
}

// A message at the edge of the screen; errors stay until they are clicked away.
export function tell(content: string | Node, kind: "good" | "poor" = "good"): void {
  let place = document.getElementById("messages");
  if (!place) {
    place = element("div", { id: "messages", "aria-live": "polite" });
    document.body.append(place);
  }
  const note = element("div", { class: `message ${kind}` }, content);
  const close = button("×", "Close", () => note.remove());
  close.className = "close";
  note.append(close);
  place.append(note);
  if (kind === "good") setTimeout(() => note.remove(), 8000);
}

export function tellTrouble(error: unknown): void {
  tell(troubleCard(troubleOf(error)), "poor");
}

// Runs something that may fail, with its button disabled meanwhile.
export async function guarded(node: HTMLButtonElement | null, work: () => Promise<void>): Promise<void> {
  if (node) node.disabled = true;
  try {
    await work();
  } catch (error) {
    tellTrouble(error);
  } finally {
    if (node) node.disabled = false;
  }
}

export function stateBadge(job: Job): HTMLElement {
  const quality = { queued: "neutral", running: "note", done: "good", not_complete: "fair", failed: "poor", stopped: "neutral", interrupted: "poor", held: "fair", damaged: "poor" }[job.state];
  const words = job.state === "not_complete" ? (job.status ?? stateWords[job.state]) : stateWords[job.state];
  return element("span", { class: `state ${quality}` }, words.replaceAll("_", " "));
}

// Bar, words and a button to stop; follows the job until it is over.
export function progressCard(id: string): { node: HTMLElement; dispose: () => void } {
  const bar = element("progress", { max: "1", "aria-label": "Progress" });
  const words = element("span", { class: "what" });
  const stop = button("Stop", "End this run; what it has found so far is kept where possible", () =>
    void guarded(stop, async () => {
      await post(`api/jobs/${id}/cancel`, {});
    }),
  );
  const live = liveView(id);
  const node = element("div", {}, element("div", { class: "card running", role: "status" }, element("div", { class: "running-head" }, words, stop), bar), live.node);
  const update = () => {
    const job = jobs.get(id);
    if (!job) return;
    if (job.fraction >= 0) bar.value = job.fraction;
    else bar.removeAttribute("value");
    const percent = job.fraction >= 0 ? `${Math.round(100 * job.fraction)} %` : "";
    words.textContent = job.state === "queued" ? "Waiting for its turn" : [job.what || "running", percent, timeLeft(job, Date.now())].filter(Boolean).join(" · ");
    stop.hidden = isOver(job);
  };
  update();
  const leave = jobs.onChange(update);
  return {
    node,
    dispose: () => {
      leave();
      live.dispose();
    },
  };
}

// Which page shows a run. The fields of work tell theirs when the application starts: this file stands below them.
let pageOf: (operation: string) => string = () => "job";
export function setPages(pages: (operation: string) => string): void {
  pageOf = pages;
}
export function jobAddress(job: Job): string {
  return addressOf([pageOf(job.operation), job.id]);
}

// As people write it: today 14:05, yesterday 14:05, 3 May 2024.
export function whenText(time: string): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return "";
  const clock = `${String(date.getHours()).padStart(2, "0")}:${String(date.getMinutes()).padStart(2, "0")}`;
  const midnight = new Date().setHours(0, 0, 0, 0);
  if (date.getTime() >= midnight) return `today ${clock}`;
  if (date.getTime() >= midnight - 86_400_000) return `yesterday ${clock}`;
  return `${date.getDate()} ${date.toLocaleString("en", { month: "short" })} ${date.getFullYear()}`;
}

export function bytesText(bytes: number): string {
  return bytes < 1e3 ? `${bytes} B` : bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
