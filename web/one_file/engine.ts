// SPDX-License-Identifier: Apache-2.0
// Inside a Web Worker: the compiled engine, its files, and what the page asks of it. One worker answers requests; each job has a worker of its
// own, which can be ended while it computes. Files live in the memory of the worker; the page keeps them (store.ts).

import { contentsOf, readBlob } from "./blob_contents";
import { buffersOf, type Content, type StoredFile } from "./stored_file";

// What the page sends.
export type Order =
  | { kind: "open"; module: WebAssembly.Module; files: StoredFile[]; key: Uint8Array; facts: string; isSecond: boolean }
  | { kind: "ask"; id: number; method: string; path: string; query: string; body: Content }
  | { kind: "follow"; since: number }
  | { kind: "changed"; files: StoredFile[] }
  | { kind: "ended"; number: number; ending: string; files: StoredFile[]; removed: string[] }
  | { kind: "run"; module: WebAssembly.Module; files: StoredFile[]; folder: string };

// What it hears.
export type Answer =
  | { kind: "ready" }
  | { kind: "failed"; message: string }
  | { kind: "answer"; id: number; status: number; type: string; gzipped: boolean; body: Uint8Array }
  | { kind: "changes"; text: string }
  | { kind: "save"; files: StoredFile[]; removed: string[] }
  | { kind: "start"; number: number; folder: string; files: StoredFile[] }
  | { kind: "end"; number: number }
  | { kind: "changed"; files: StoredFile[] }
  | { kind: "done"; code: number; log: string; files: StoredFile[]; removed: string[] };

// A node of emscripten's file system in memory.
interface FolderNode {
  mode: number;
  contents: Record<string, FolderNode | FileNode>;
}
interface FileNode {
  mode: number;
  timestamp: number;
  usedBytes: number; // of contents, which may have room for more
  contents: Uint8Array;
}
interface Engine {
  FS: {
    mkdirTree(path: string): void;
    writeFile(path: string, bytes: Uint8Array, options?: { canOwn: boolean }): void;
    readFile(path: string): Uint8Array;
    unlink(path: string): void;
    chmod(path: string, mode: number): void;
    lookupPath(path: string): { node: FolderNode | FileNode };
    isDir(mode: number): boolean;
    rename(from: string, to: string): void;
  };
  HEAPU8: Uint8Array;
  ccall(name: string, result: "number" | "string" | null, types: ("number" | "string")[], values: (number | string)[]): number | string;
  _malloc(bytes: number): number;
  _free(place: number): void;
}
declare function kdynEngine(options: Record<string, unknown>): Promise<Engine>;

const project = "/project";
const large = 1 << 20;
const send = (answer: Answer, transfer: Transferable[] = []) => (self as unknown as { postMessage(message: Answer, transfer: Transferable[]): void }).postMessage(answer, transfer);

let engine: Engine;
let log = "";

async function load(module: WebAssembly.Module, hooks: Record<string, unknown>): Promise<void> {
  engine = await kdynEngine({
    instantiateWasm(imports: WebAssembly.Imports, done: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void) {
      void WebAssembly.instantiate(module, imports).then((instance) => done(instance, module));
      return {};
    },
    print: (line: string) => (log += `${line}\n`),
    printErr: (line: string) => (log += `${line}\n`),
    ...hooks,
  });
}

const folderOf = (path: string) => path.slice(0, path.lastIndexOf("/"));
const fileAt = (path: string) => engine.FS.lookupPath(`${project}/${path}`).node as FileNode;

function write([path, content]: StoredFile): void {
  const place = `${project}/${path}`;
  engine.FS.mkdirTree(folderOf(place));
  engine.FS.writeFile(place, content instanceof Blob ? new Uint8Array(0) : content, { canOwn: true });
  if (content instanceof Blob) comesFrom(content, fileAt(path));
}

// The content of the file stays where it is, and comes into this worker's memory as it is read.
function comesFrom(blob: Blob, node: FileNode): void {
  node.contents = contentsOf(blob, (whole) => (node.contents = whole));
  node.usedBytes = blob.size;
  blobs.set(node, { mark: markOf(node), blob });
}
const blobs = new WeakMap<FileNode, { mark: string; blob: Blob }>();

// For another worker or for the browser to keep.
function contentOf(path: string): Content {
  const node = fileAt(path);
  if (node.usedBytes <= large) return engine.FS.readFile(`${project}/${path}`);
  const seen = blobs.get(node);
  if (seen?.mark === markOf(node)) return seen.blob;
  const blob = new Blob([node.contents.subarray(0, node.usedBytes) as BlobPart]);
  comesFrom(blob, node);
  return blob;
}
const markOf = ({ timestamp, usedBytes }: FileNode) => `${timestamp} ${usedBytes}`;

function eachFile(visit: (path: string, name: string, node: FileNode) => void): void {
  const enter = (folder: FolderNode, path: string) => {
    for (const [name, inner] of Object.entries(folder.contents)) {
      const here = path === "" ? name : `${path}/${name}`;
      if (engine.FS.isDir(inner.mode)) enter(inner as FolderNode, here);
      else visit(here, name, inner as FileNode);
    }
  };
  enter(engine.FS.lookupPath(project).node as FolderNode, "");
}

// Every file of the project with what tells one content from the next.
function listing(): Map<string, string> {
  const all = new Map<string, string>();
  eachFile((path, name, node) => {
    if (path !== ".kdyn/lock" && !isIncoming(name)) all.set(path, markOf(node));
  });
  return all;
}
const isIncoming = (name: string) => name.startsWith(".incoming-"); // written by the server's Receiver until it is complete
let known = new Map<string, string>();

// What changed since the last call.
function changes(take: (path: string) => Content): { files: StoredFile[]; removed: string[] } {
  const now = listing();
  const files: StoredFile[] = [...now].filter(([path, mark]) => known.get(path) !== mark).map(([path]) => [path, take(path)]);
  const removed = [...known.keys()].filter((path) => !now.has(path));
  known = now;
  return { files, removed };
}

const call = (name: string, ...values: (number | string)[]): number =>
  engine.ccall(
    name,
    "number",
    values.map((value) => (typeof value === "number" ? "number" : "string")),
    values,
  ) as number;
const words = (name: string, ...values: (number | string)[]): string =>
  engine.ccall(
    name,
    "string",
    values.map((value) => (typeof value === "number" ? "number" : "string")),
    values,
  ) as string;

function withBytes<T>(bytes: Uint8Array, work: (place: number) => T): T {
  const place = engine._malloc(bytes.length + 1);
  if (place === 0) throw new Error("the memory of this page does not suffice");
  try {
    engine.HEAPU8.set(bytes, place);
    return work(place);
  } finally {
    engine._free(place);
  }
}

// Room for the file that comes in: it would be copied over and over as it grows.
function reserve(bytes: number): void {
  eachFile((_, name, node) => {
    if (!isIncoming(name) || node.usedBytes === 0) return;
    const roomy = new Uint8Array(bytes);
    roomy.set(node.contents.subarray(0, node.usedBytes));
    node.contents = roomy;
  });
}

// Large files go in piece by piece.
function upload(path: string, content: Content): number {
  const piece = 1 << 22;
  const size = content instanceof Blob ? content.size : content.length;
  let status = call("kdyn_begin_upload", path);
  for (let at = 0; at < size && status === 200; at += piece) {
    const part = content instanceof Blob ? readBlob(content.slice(at, at + piece)) : content.subarray(at, at + piece);
    status = withBytes(part, (place) => call("kdyn_upload", place, part.length));
    if (at === 0) reserve(size);
  }
  return status === 200 ? call("kdyn_end_upload") : status;
}

function answer(order: Extract<Order, { kind: "ask" }>): void {
  const status =
    order.method === "PUT" ? upload(order.path, order.body) : withBytes(order.body as Uint8Array, (place) => call("kdyn_ask", order.method, order.path, order.query, place, (order.body as Uint8Array).length));
  const file = status === 200 ? words("kdyn_reply_file") : "";
  const type = words("kdyn_reply_type");
  const place = call("kdyn_reply_body");
  const body = file === "" ? engine.HEAPU8.slice(place, place + call("kdyn_reply_bytes")) : engine.FS.readFile(file);
  send({ kind: "answer", id: order.id, status, type, gzipped: file === "" && call("kdyn_reply_is_gzipped") === 1, body }, [body.buffer as ArrayBuffer]);
}

let since = Number.MAX_SAFE_INTEGER; // nobody follows yet
let saving = 0;
let isSecond = false; // answers only; another engine has the jobs
// Starts what waits, tells what changed, and has it kept.
function afterwards(): void {
  if (isSecond) return;
  const text = words("kdyn_step", since);
  if (text !== "") {
    since = (JSON.parse(text) as { revision: number }).revision;
    send({ kind: "changes", text });
  }
  clearTimeout(saving);
  saving = setTimeout(() => {
    const { files, removed } = changes(contentOf);
    if (files.length + removed.length > 0) send({ kind: "save", files, removed }, buffersOf(files));
  }, 100) as unknown as number;
}

// Everything a job may read: reports are for people.
function filesForJob(): StoredFile[] {
  return [...listing().keys()].filter((path) => !path.endsWith("report.html") && !path.startsWith(".kdyn/catalogue")).map((path) => [path, contentOf(path)]);
}

async function open(order: Extract<Order, { kind: "open" }>): Promise<void> {
  isSecond = order.isSecond;
  await load(order.module, {
    startJob: (number: number, folder: string) => {
      const files = filesForJob();
      send({ kind: "start", number, folder, files }, buffersOf(files));
    },
    endJob: (number: number) => send({ kind: "end", number }),
  });
  const state = "/home/web_user/.local/state/kdyn";
  engine.FS.mkdirTree(state);
  engine.FS.writeFile(`${state}/key`, order.key);
  engine.FS.chmod(`${state}/key`, 0o600);
  engine.FS.mkdirTree(project);
  for (const file of order.files) write(file);
  known = listing();
  if (call("kdyn_open", project, order.facts) !== 200) throw new Error(new TextDecoder().decode(engine.HEAPU8.slice(call("kdyn_reply_body"), call("kdyn_reply_body") + call("kdyn_reply_bytes"))));
  send({ kind: "ready" });
  afterwards();
}

async function run(order: Extract<Order, { kind: "run" }>): Promise<void> {
  await load(order.module, {});
  engine.FS.mkdirTree(project);
  for (const file of order.files) write(file);
  known = listing();
  // Files take their name when they are complete: those that tell how the job comes on are told at once.
  const { rename } = engine.FS;
  engine.FS.rename = (from, to) => {
    rename.call(engine.FS, from, to);
    if (/\/(progress|live)\.json$/.test(to)) {
      const path = to.startsWith(`${project}/`) ? to.slice(project.length + 1) : to;
      send({ kind: "changed", files: [[path, engine.FS.readFile(to.startsWith("/") ? to : `${project}/${to}`)]] });
    }
  };
  const code = call("kdyn_run_job", project, order.folder);
  // Whole: this worker ends as soon as it is heard.
  const { files, removed } = changes((path) => engine.FS.readFile(`${project}/${path}`));
  send({ kind: "done", code, log, files, removed }, buffersOf(files));
}

self.addEventListener("message", (event: MessageEvent<Order>) => {
  const order = event.data;
  switch (order.kind) {
    case "open":
      return void open(order).catch((error: unknown) => send({ kind: "failed", message: String(error) }));
    case "run":
      return void run(order).catch((error: unknown) => send({ kind: "failed", message: String(error) }));
    case "ask":
      answer(order);
      break;
    case "follow":
      since = order.since;
      break;
    case "changed":
      order.files.forEach(write);
      break;
    case "ended":
      order.files.forEach(write);
      for (const path of order.removed)
        try {
          engine.FS.unlink(`${project}/${path}`);
        } catch {
          // gone already
        }
      call("kdyn_job_ended", order.number, order.ending);
      break;
  }
  afterwards();
});
