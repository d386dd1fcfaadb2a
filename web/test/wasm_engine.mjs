// SPDX-License-Identifier: Apache-2.0
// The engine of kdyn.html in node: runs one operation as a job, as the page does in a worker. KDYN_ENGINE names kdyn_engine.js.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { repository } from "./served.mjs";

const loader = process.env.KDYN_ENGINE || join(repository, "build/wasm/engine/kdyn_engine.js");
const module = new WebAssembly.Module(readFileSync(loader.replace(/js$/, "wasm")));

export async function makeEngine() {
  const log = [];
  const engine = await createRequire(import.meta.url)(loader)({
    instantiateWasm(imports, done) {
      void WebAssembly.instantiate(module, imports).then((instance) => done(instance, module));
      return {};
    },
    // The date of exported files, as the native program takes it.
    preRun: [({ ENV }) => process.env.SOURCE_DATE_EPOCH && (ENV.SOURCE_DATE_EPOCH = process.env.SOURCE_DATE_EPOCH)],
    print: (line) => log.push(line),
    printErr: (line) => log.push(line),
  });
  engine.log = log;
  return engine;
}

const job = "jobs/0001-test";

// files: path in the project -> path on this machine or bytes. Returns exit code, result or error, files of the job, and seconds.
export async function runJob(operation, options, files) {
  const engine = await makeEngine();
  const { FS } = engine;
  const write = (path, bytes) => {
    FS.mkdirTree(`/project/${path}`.replace(/\/[^/]*$/, ""));
    FS.writeFile(`/project/${path}`, bytes);
  };
  for (const [path, content] of Object.entries(files)) write(path, typeof content === "string" ? readFileSync(content) : content);
  write(`${job}/job.json`, JSON.stringify({ operation, options, created: "2026-01-01T00:00:00Z", state: "running" }));
  const start = performance.now();
  const code = engine.ccall("kdyn_run_job", "number", ["string", "string"], ["/project", job]);
  const seconds = (performance.now() - start) / 1000;
  const has = (name) => FS.analyzePath(`/project/${job}/${name}`).exists;
  const json = (name) => (has(name) ? JSON.parse(FS.readFile(`/project/${job}/${name}`, { encoding: "utf8" })) : undefined);
  const read = (name) => FS.readFile(`/project/${job}/${name}`);
  return { code, seconds, result: json("result.json"), error: json("error.json"), has, read, megabytes: engine.HEAPU8.length / 2 ** 20, log: engine.log.join("\n") };
}
