// SPDX-License-Identifier: Apache-2.0
// How quick the engine of kdyn.html is against the native program, and what memory a large file takes: node tools/measure_wasm.mjs
// Environment: KDYN_BINARY, KDYN_ENGINE. The quickest of several runs counts: engines compile what they run often while it runs.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { binary, repository } from "../test/served.mjs";
import { runJob } from "../test/wasm_engine.mjs";

const data = (...names) => Object.fromEntries(names.map((name) => [join("data", name), join(repository, "data", name)]));
const cases = [
  ["fit elastomer", { data: ["data/cab_mount/z_map.csv", "data/cab_mount/z_static.csv", "data/cab_mount/z_transient.csv"] }],
  ["fit hydromount", { data: ["data/hydro_mount/map.csv", "data/hydro_mount/static.csv"] }],
  ["fit bushing", { data: ["data/bench_workbook/cab_mount.xlsx"] }],
];
const folder = mkdtempSync(join(tmpdir(), "kdyn_measure_"));
for (const [operation, options] of cases) {
  writeFileSync(join(folder, "job.json"), JSON.stringify(options));
  let [native, first, best] = [Infinity, 0, Infinity];
  for (let i = 0; i < 6; ++i) {
    const out = join(folder, `${operation}_${i}`);
    const env = { ...process.env, OMP_NUM_THREADS: "1", OPENBLAS_NUM_THREADS: "1" };
    const run = spawnSync("taskset", ["-c", "0", binary, ...operation.split(" "), "--config", join(folder, "job.json"), "--out", out, "--quiet"], { cwd: repository, env, encoding: "utf8" });
    if (run.status !== 0) throw new Error(run.stderr);
    native = Math.min(native, JSON.parse(readFileSync(join(out, "result.json"))).provenance.seconds);
    const { result, error } = await runJob(operation, options, data(...options.data.map((path) => path.slice(5))));
    if (!result) throw new Error(JSON.stringify(error));
    if (i === 0) first = result.provenance.seconds;
    best = Math.min(best, result.provenance.seconds);
  }
  console.log(`${operation}: ${(1000 * native).toFixed(0)} ms native on one core, ${(1000 * best).toFixed(0)} ms here (${(best / native).toFixed(1)} x), ${(1000 * first).toFixed(0)} ms the first time`);
}
rmSync(folder, { recursive: true });

// A record of 100 MB: time, displacement, force.
const row = (i) => `${(i / 2048).toFixed(6)},${(1e-3 * Math.sin(i / 300)).toFixed(9)},${(300 * Math.sin(i / 300 + 0.1)).toFixed(5)}\n`;
let text = "time_s,displacement_m,force_n\n";
const parts = [];
let bytes = 0;
for (let i = 0; bytes < 100e6; ++i) {
  text += row(i);
  if (text.length > 1 << 20) parts.push(Buffer.from(text)), (bytes += text.length), (text = "");
}
const { code, seconds, megabytes, error } = await runJob("inspect", { files: ["data/long.csv"] }, { "data/long.csv": Buffer.concat(parts) });
console.log(`inspect ${(bytes / 1e6).toFixed(0)} MB of CSV: exit code ${code}, ${seconds.toFixed(1)} s, engine ${megabytes.toFixed(0)} MB, node ${(process.memoryUsage().rss / 2 ** 20).toFixed(0)} MB ${error ? JSON.stringify(error) : ""}`);
