// SPDX-License-Identifier: Apache-2.0
// Small parts that pages share.

import { button, element } from "../report/dom";
import { ServerError, post, type Trouble } from "./api";
import { isOver, jobs, stateWords, type Job } from "./jobs";
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
    element("p", {}, element("b", {}, trouble.message), trouble.where ? element("code", {}, ` ${trouble.where}`) : null),
    trouble.remedy ? element("p", { class: "remedy" }, element("b", {}, "What to do: "), trouble.remedy) : null,
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
  const stop = button("Stop", "End this run; what was computed is kept where possible", () =>
    void guarded(stop, async () => {
      await post(`api/jobs/${id}/cancel`, {});
    }),
  );
  const node = element("div", { class: "card running", role: "status" }, element("div", { class: "running-head" }, words, stop), bar);
  const update = () => {
    const job = jobs.get(id);
    if (!job) return;
    if (job.fraction >= 0) bar.value = job.fraction;
    else bar.removeAttribute("value");
    const percent = job.fraction >= 0 ? ` · ${Math.round(100 * job.fraction)} %` : "";
    words.textContent = job.state === "queued" ? "Waiting for its turn" : `${job.what || "running"}${percent}`;
    stop.hidden = isOver(job);
  };
  update();
  return { node, dispose: jobs.onChange(update) };
}

// Which page shows a run. The fields of work tell theirs when the application starts: this file stands below them.
let pageOf: (operation: string) => string = () => "job";
export function setPages(pages: (operation: string) => string): void {
  pageOf = pages;
}
export function jobAddress(job: Job): string {
  return addressOf([pageOf(job.operation), job.id]);
}

export function whenText(time: string): string {
  const date = new Date(time);
  const today = new Date().toDateString() === date.toDateString();
  return today ? date.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" }) : date.toISOString().slice(0, 10);
}

export function bytesText(bytes: number): string {
  return bytes < 1e3 ? `${bytes} B` : bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
