// SPDX-License-Identifier: Apache-2.0
// Inside a Web Worker: the compiled engine, its files, and what the page asks of it. One worker answers requests; each job has a worker of its
// own, which can be ended while it computes. Files live in the memory of the worker; the page keeps them (store.ts).

export type StoredFile = [path: string, bytes: Uint8Array];

// What the page sends.
export type Order =
  | { kind: "open"; module: WebAssembly.Module; files: StoredFile[]; key: Uint8Array; facts: string }
  | { kind: "ask"; id: number; method: string; path: string; query: string; body: Uint8Array }
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

interface FileNode {
  mode: number;
  timestamp: number;
  usedBytes: number;
  contents: Record<string, FileNode>;
}
interface Engine {
  FS: {
    mkdirTree(path: string): void;
    writeFile(path: string, bytes: Uint8Array, options?: { canOwn: boolean }): void;
    readFile(path: string): Uint8Array;
    unlink(path: string): void;
    chmod(path: string, mode: number): void;
    lookupPath(path: string): { node: FileNode };
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
const send = (answer: Answer, transfer: Transferable[] = []) => (self as unknown as { postMessage(message: Answer, transfer: Transferable[]): void }).postMessage(answer, transfer);
const buffersOf = (files: StoredFile[]) => files.map(([, bytes]) => bytes.buffer as ArrayBuffer);

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
function write([path, bytes]: StoredFile): void {
  const place = `${project}/${path}`;
  engine.FS.mkdirTree(folderOf(place));
  engine.FS.writeFile(place, bytes, { canOwn: true }); // large files are there once
}

// Every file of the project with what tells one content from the next.
function listing(): Map<string, string> {
  const all = new Map<string, string>();
  const enter = (node: FileNode, path: string) => {
    for (const [name, inner] of Object.entries(node.contents)) {
      const here = path === "" ? name : `${path}/${name}`;
      if (engine.FS.isDir(inner.mode)) enter(inner, here);
      else if (here !== ".kdyn/lock" && !name.startsWith(".incoming-")) all.set(here, `${inner.timestamp} ${inner.usedBytes}`);
    }
  };
  enter(engine.FS.lookupPath(project).node, "");
  return all;
}
let known = new Map<string, string>();

// What changed since the last call.
function changes(): { files: StoredFile[]; removed: string[] } {
  const now = listing();
  const files: StoredFile[] = [...now].filter(([path, mark]) => known.get(path) !== mark).map(([path]) => [path, engine.FS.readFile(`${project}/${path}`)]);
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

// Large files go in piece by piece.
function upload(path: string, bytes: Uint8Array): number {
  const piece = 1 << 20;
  let status = call("kdyn_begin_upload", path);
  for (let at = 0; at < bytes.length && status === 200; at += piece) {
    const part = bytes.subarray(at, at + piece);
    status = withBytes(part, (place) => call("kdyn_upload", place, part.length));
  }
  return status === 200 ? call("kdyn_end_upload") : status;
}

function answer(order: Extract<Order, { kind: "ask" }>): void {
  const status =
    order.method === "PUT" ? upload(order.path, order.body) : withBytes(order.body, (place) => call("kdyn_ask", order.method, order.path, order.query, place, order.body.length));
  const file = status === 200 ? words("kdyn_reply_file") : "";
  const type = words("kdyn_reply_type");
  const place = call("kdyn_reply_body");
  const body = file === "" ? engine.HEAPU8.slice(place, place + call("kdyn_reply_bytes")) : engine.FS.readFile(file);
  send({ kind: "answer", id: order.id, status, type, gzipped: file === "" && call("kdyn_reply_is_gzipped") === 1, body }, [body.buffer as ArrayBuffer]);
}

let since = Number.MAX_SAFE_INTEGER; // nobody follows yet
let saving = 0;
// Starts what waits, tells what changed, and has it kept.
function afterwards(): void {
  const text = words("kdyn_step", since);
  if (text !== "") {
    since = (JSON.parse(text) as { revision: number }).revision;
    send({ kind: "changes", text });
  }
  clearTimeout(saving);
  saving = setTimeout(() => {
    const { files, removed } = changes();
    if (files.length + removed.length > 0) send({ kind: "save", files, removed }, buffersOf(files));
  }, 100) as unknown as number;
}

// Everything a job may read: reports are for people.
function filesForJob(): StoredFile[] {
  return [...listing().keys()].filter((path) => !path.endsWith("report.html") && !path.startsWith(".kdyn/catalogue")).map((path) => [path, engine.FS.readFile(`${project}/${path}`)]);
}

async function open(order: Extract<Order, { kind: "open" }>): Promise<void> {
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
  const { files, removed } = changes();
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
