// SPDX-License-Identifier: Apache-2.0
// The jobs of the project as they are now: read once, then kept fresh by events of the server.

import { get, post, ServerError, type JsonObject, type Trouble } from "./api";
import { transport } from "./transport";

export type JobState = "queued" | "running" | "done" | "not_complete" | "failed" | "stopped" | "interrupted" | "held" | "damaged";

export interface Job {
  id: string;
  operation: string;
  options: JsonObject;
  title: string;
  created: string;
  started?: string;
  finished?: string;
  state: JobState;
  status?: string;
  reason?: string;
  error?: Trouble;
  folder: string;
  fraction: number;
  what: string;
  has_report?: boolean;
  report?: string; // beside the folder of the page: it runs as a stranger and must not see the token
  has_result?: boolean;
}

export const isOver = (job: Job): boolean => job.state !== "queued" && job.state !== "running";

export const stateWords: Record<JobState, string> = {
  queued: "waiting",
  running: "running",
  done: "done",
  not_complete: "not complete",
  failed: "failed",
  stopped: "stopped",
  interrupted: "interrupted",
  held: "waits for your consent",
  damaged: "damaged",
};

// Words of the title that begin with # are tags.
const tag = /(^|\s)#([^\s#]+)/g;
export const tagsOf = (job: Job): string[] => [...job.title.matchAll(tag)].map(([, , word]) => word!);

// A file of another run says little by its own name: model.json is that of a run.
function fileName(path: string): string {
  const name = path.split("/").pop()!;
  const [folder, id] = path.split("/");
  const maker = folder === "jobs" && id ? jobs.get(id) : undefined;
  return maker && /^(model|result|series|modes|frf)\.\w+$/.test(name) ? `${jobName(maker)} (${name.split(".")[0]})` : name;
}

// What a person calls the job: its title, else the files it works on.
export function jobName(job: Job): string {
  const title = job.title.replace(tag, "").trim();
  if (title) return title;
  if (typeof job.options.title === "string" && job.options.title !== "") return job.options.title;
  for (const key of ["data", "files", "models", "model", "file", "results", "input"]) {
    const value = job.options[key];
    const names = (Array.isArray(value) ? value : value ? [value] : []).map((one) => fileName(String(one)));
    if (names.length > 0) return names.slice(0, 3).join(", ") + (names.length > 3 ? ` and ${names.length - 3} more` : "");
  }
  return job.operation;
}

class Jobs {
  private readonly all = new Map<string, Job>();
  private readonly listeners = new Set<() => void>();
  connected = true;

  async start(): Promise<void> {
    const { revision, jobs } = await get<{ revision: number; jobs: Job[] }>("api/jobs");
    for (const job of jobs) this.all.set(job.id, job);
    const take = (text: string) => {
      const changes = JSON.parse(text) as { jobs: Job[]; removed: string[] };
      for (const job of changes.jobs) this.all.set(job.id, job);
      for (const id of changes.removed) this.all.delete(id);
      this.tell();
    };
    transport().follow(revision, take, (connected) => this.setConnected(connected));
  }

  // Newest first.
  list(): Job[] {
    return [...this.all.values()].sort((a, b) => (a.id < b.id ? 1 : -1));
  }

  get(id: string): Job | undefined {
    return this.all.get(id);
  }

  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  async submit(operation: string, options: JsonObject, title = ""): Promise<Job> {
    const job = await post<Job>("api/jobs", { operation, options, title });
    if (!this.all.has(job.id)) this.all.set(job.id, job);
    this.tell();
    return job;
  }

  // Runs an operation whose result the page needs to go on: throws what is told when there is none.
  async resultOf(operation: string, options: JsonObject): Promise<Job> {
    const { id } = await this.submit(operation, options);
    const job = await this.finished(id);
    if (!job.has_result) throw new ServerError(0, job.error ?? { message: `${id} was stopped before it had a result`, remedy: "start it again" });
    return job;
  }

  // Resolves when the job is over, whatever its end.
  finished(id: string): Promise<Job> {
    return new Promise((resolve) => {
      const look = () => {
        const job = this.all.get(id);
        if (!job || !isOver(job)) return false;
        resolve(job);
        return true;
      };
      if (look()) return;
      const stop = this.onChange(() => look() && stop());
    });
  }

  // What is shown may have changed although no job has.
  refresh(): void {
    this.tell();
  }

  private setConnected(connected: boolean): void {
    if (this.connected === connected) return;
    this.connected = connected;
    this.tell();
  }

  private tell(): void {
    for (const listener of [...this.listeners]) listener();
  }
}

export const jobs = new Jobs();

// Runs that are deleted as soon as nobody can take it back any more.
const doomed = new Map<string, { work: () => Promise<void>; timer: number }>();
const mercy = 8000; // ms

export const isDoomed = (id: string): boolean => doomed.has(id);

// Returns how to take it back. Leaving the page ends the time for that.
export function forget(id: string, work: () => Promise<void>): () => void {
  const carryOut = () => {
    doomed.delete(id);
    void work().catch(() => jobs.refresh());
  };
  doomed.set(id, { work: async () => carryOut(), timer: window.setTimeout(carryOut, mercy) });
  jobs.refresh();
  return () => {
    clearTimeout(doomed.get(id)?.timer);
    doomed.delete(id);
    jobs.refresh();
  };
}

window.addEventListener("pagehide", () => {
  for (const { work, timer } of doomed.values()) {
    clearTimeout(timer);
    void work();
  }
});
