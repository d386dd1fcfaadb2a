// SPDX-License-Identifier: Apache-2.0
// Requests answered inside the page: a worker holds engine and project, each job runs in a worker of its own. A worker that falls is replaced;
// what the page keeps of the project (store.ts) is what the next one starts with.

import { button, element } from "../report/dom";
import type { Transport } from "../app/transport";
import type { Answer, Order } from "./engine";
import type { Store } from "./store";
import { buffersOf, type Content, type StoredFile } from "./stored_file";
import { filesOf, projectOf, zipOf } from "./zip";

export const facts = { confinement: "Everything runs inside this page; nothing is sent anywhere.", upload_mb: 1024 };

interface Question {
  method: string;
  path: string;
  query: Record<string, string>;
  body: Content;
}
interface Second {
  worker: Worker;
  ready: Promise<void>;
  gone: Promise<void>;
}
interface Waiting {
  resolve: (response: Response) => void;
  reject: (error: Error) => void;
}

export class EngineTransport implements Transport {
  unreachable = { message: "the engine of this page does not answer", remedy: "load the page again; the project is kept" };
  away = "The engine met an error and is started again. The project is kept.";

  private worker!: Worker;
  private second: Second | undefined;
  private readonly waiting = new Map<number, Waiting>();
  private readonly jobs = new Map<number, Worker>();
  private last = 0;
  private since: number | undefined;
  private tell: (changes: string) => void = () => {};
  private connected: (isConnected: boolean) => void = () => {};
  private ready!: Promise<void>;
  private falls = 0;
  // What the engine has told to keep, where the browser keeps nothing: the next engine starts with it.
  private readonly kept = new Map<string, Content>();

  constructor(
    private readonly module: WebAssembly.Module,
    private readonly script: string, // address of the worker's program
    private readonly store: Store,
    private readonly key: Uint8Array,
    private readonly notice: (words: string, kind: "good" | "poor") => void,
  ) {
    this.start();
  }

  async send(path: string, init: RequestInit): Promise<Response> {
    const [address = "", query = ""] = path.split("?");
    const body = init.body instanceof Blob ? init.body : new TextEncoder().encode(typeof init.body === "string" ? init.body : "");
    const question: Question = { method: init.method ?? "GET", path: address.split("/").map(decodeURIComponent).join("/"), query: Object.fromEntries(new URLSearchParams(query)), body };
    // What takes long has an engine of its own, so that curves follow their sliders meanwhile.
    if (address === "api/workbench/evaluate") {
      const response = await this.askSecond(question);
      if (response?.ok) return response;
    }
    await this.ready;
    return this.ask(this.worker, question);
  }

  follow(since: number, tell: (changes: string) => void, connected: (isConnected: boolean) => void): void {
    this.since = since;
    this.tell = tell;
    this.connected = connected;
    this.order({ kind: "follow", since });
  }

  projectTools(): Node[] {
    const file = element("input", { type: "file", accept: ".zip", hidden: "", "aria-label": "Project archive" });
    file.addEventListener("change", () => {
      const [chosen] = file.files ?? [];
      if (chosen) void this.openProject(chosen).catch((error: unknown) => this.notice(`${chosen.name}: ${(error as Error).message}`, "poor"));
      file.value = "";
    });
    const where = this.store.keeps ? "The project is kept in this browser." : "This browser keeps nothing: save the project before you close the page.";
    return [
      element(
        "div",
        { class: "project-tools" },
        button("Save project", "The whole project as one zip archive, which kdyn serve opens when it is unpacked", () => void this.saveProject()),
        button("Open project", "Takes the place of the present project", () => file.click()),
        file,
        element("p", { class: "soft" }, where),
      ),
    ];
  }

  async saveProject(): Promise<void> {
    await this.send("api/jobs", {}); // what was under way is kept first
    await new Promise((resolve) => setTimeout(resolve, 300));
    save(await zipOf(await this.files()), "kdyn_project.zip");
  }

  async openProject(file: File): Promise<void> {
    const files = projectOf(await filesOf(new Uint8Array(await file.arrayBuffer())));
    if (!this.store.keeps) throw new Error("this browser keeps nothing, so that no project can be opened here; allow the page to store data, or use kdyn serve");
    if ((await this.files()).length > 0 && !window.confirm("Open this project instead of the present one? What was not saved is lost.")) return;
    await this.store.change(files, [], true);
    location.hash = "#/";
    location.reload();
  }

  // The project as it was kept last.
  private async files(): Promise<StoredFile[]> {
    return this.store.keeps ? this.store.read() : [...this.kept].map(([path, content]): StoredFile => [path, content.slice()]);
  }

  private start(): void {
    this.worker = new Worker(this.script);
    this.ready = new Promise((resolve, reject) => {
      this.worker.addEventListener("message", (event: MessageEvent<Answer>) => this.hear(event.data, resolve, reject));
      // What the engine does not catch is a fault in it, or the end of the memory.
      this.worker.addEventListener("error", (event) => {
        event.preventDefault();
        reject(new Error(event.message));
        this.restart(event.message);
      });
    });
    this.ready.catch(() => {});
    const opened = this.worker;
    void this.files().then((files) => opened.postMessage(this.opening(files), buffersOf(files)));
  }

  private restart(why: string): void {
    this.worker.terminate();
    for (const job of this.jobs.values()) job.terminate();
    this.jobs.clear();
    for (const { reject } of this.waiting.values()) reject(new Error(why));
    this.waiting.clear();
    this.connected(false);
    if (++this.falls > 5) return this.notice("The engine of this page fell six times. Save the project and load the page again.", "poor");
    this.start();
    void this.ready.then(() => {
      if (this.since !== undefined) this.order({ kind: "follow", since: 0 });
      this.connected(true);
      this.notice(`The engine met an error (${why}) and was started again. The project is kept; do the last step again, with less data if memory was the cause.`, "poor");
    });
  }

  private order(order: Order, files: StoredFile[] = []): void {
    this.worker.postMessage(order, buffersOf(files));
  }

  private ask(worker: Worker, { method, path, query, body }: Question): Promise<Response> {
    const id = ++this.last;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      worker.postMessage({ kind: "ask", id, method, path, query: JSON.stringify(query), body } satisfies Order);
    });
  }
  private answered({ id, body, status, type }: Extract<Answer, { kind: "answer" }>): void {
    this.waiting.get(id)?.resolve(new Response(body as BodyInit, { status, headers: { "Content-Type": type } }));
    this.waiting.delete(id);
  }

  // A second engine on the same files, which starts no jobs and keeps nothing. Undefined when it does not answer: the first one is asked then.
  private async askSecond(question: Question): Promise<Response | undefined> {
    this.second ??= this.startSecond();
    const second = this.second;
    const gone = second.gone.then(() => undefined);
    await Promise.race([second.ready, gone]);
    return this.second === second ? Promise.race([this.ask(second.worker, question), gone]) : undefined;
  }
  private startSecond(): Second {
    const worker = new Worker(this.script);
    let ready = () => {};
    let gone = () => {};
    const second: Second = { worker, ready: new Promise((resolve) => (ready = resolve)), gone: new Promise((resolve) => (gone = resolve)) };
    const end = () => {
      worker.terminate();
      if (this.second === second) this.second = undefined;
      gone();
    };
    worker.addEventListener("message", ({ data }: MessageEvent<Answer>) => {
      if (data.kind === "ready") ready();
      else if (data.kind === "answer") this.answered(data);
      else if (data.kind === "failed") end();
    });
    worker.addEventListener("error", (event) => (event.preventDefault(), end()));
    void this.files().then((files) => worker.postMessage({ ...this.opening(files), isSecond: true } satisfies Order, buffersOf(files)));
    return second;
  }
  private opening(files: StoredFile[]): Extract<Order, { kind: "open" }> {
    return { kind: "open", module: this.module, files, key: this.key, facts: JSON.stringify(facts), isSecond: false };
  }

  private hear(answer: Answer, ready: () => void, failed: (error: Error) => void): void {
    switch (answer.kind) {
      case "ready":
        return ready();
      case "failed":
        return failed(new Error(answer.message));
      case "answer":
        return this.answered(answer);
      case "changes":
        return this.tell(answer.text);
      case "save":
        this.second?.worker.postMessage({ kind: "changed", files: answer.files } satisfies Order);
        if (!this.store.keeps) {
          for (const [path, content] of answer.files) this.kept.set(path, content);
          for (const path of answer.removed) this.kept.delete(path);
        }
        return void this.store.change(answer.files, answer.removed).catch(() => this.notice("The browser has no more room for this project: save it as an archive.", "poor"));
      case "start":
        return this.startJob(answer.number, answer.folder, answer.files);
      case "end":
        this.jobs.get(answer.number)?.terminate();
        this.jobs.delete(answer.number);
    }
  }

  private startJob(number: number, folder: string, files: StoredFile[]): void {
    const job = new Worker(this.script);
    this.jobs.set(number, job);
    const ended = (ending: string, changed: StoredFile[] = [], removed: string[] = []) => {
      job.terminate();
      if (this.jobs.delete(number)) this.order({ kind: "ended", number, ending, files: changed, removed }, changed);
    };
    job.addEventListener("message", (event: MessageEvent<Answer>) => {
      const told = event.data;
      if (told.kind === "changed") this.order({ kind: "changed", files: told.files }, told.files);
      else if (told.kind === "done") ended(`exit code ${told.code}`, told.log === "" ? told.files : [...told.files, [`${folder}/log.txt`, new TextEncoder().encode(told.log)]], told.removed);
      else if (told.kind === "failed") ended(told.message);
    });
    job.addEventListener("error", (event) => {
      event.preventDefault();
      ended(event.message);
    });
    job.postMessage({ kind: "run", module: this.module, files, folder } satisfies Order, buffersOf(files));
  }
}

export function save(content: Blob, name: string): void {
  const link = element("a", { href: URL.createObjectURL(content), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
