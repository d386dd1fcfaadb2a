// SPDX-License-Identifier: Apache-2.0
// The engine of kdyn.html against the native program: the same cases, the same numbers to 1e-9 relative, the same messages.
// Oracle: the native build. Tolerance: functions of the C library differ in the last bit; a fit follows the same path to the same minimum.
// Environment: KDYN_BINARY, KDYN_ENGINE (kdyn_engine.js).
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { entriesOf, timeless } from "./archive.mjs";
import { binary, repository } from "./served.mjs";
import { makeEngine, runJob } from "./wasm_engine.mjs";

process.env.SOURCE_DATE_EPOCH = "1700000000"; // the date in exported models, here and there
const folder = mkdtempSync(join(tmpdir(), "kdyn_numbers_"));
after(() => rmSync(folder, { recursive: true }));

function place(files) {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    if (typeof content === "string") cpSync(content, join(folder, path));
    else writeFileSync(join(folder, path), content);
  }
}

let count = 0;
function native(operation, options, files) {
  place(files);
  const out = `out/${++count}`;
  writeFileSync(join(folder, `${count}.json`), JSON.stringify(options));
  const { status, stderr } = spawnSync(binary, [...operation.split(" "), "--config", `${count}.json`, "--out", out, "--quiet"], { cwd: folder, encoding: "utf8" });
  const read = (name) => readFileSync(join(folder, out, name));
  const has = (name) => existsSync(join(folder, out, name));
  return { code: status, stderr, read, has, result: status === 0 || status === 3 ? JSON.parse(read("result.json")) : undefined };
}

// What depends on machine and moment, and how many steps a search took to come to rest.
const passing = new Set(["provenance", "seconds", "created", "evaluations", "iterations", "cost_history"]);
// Differences of what is equal but for the last bits: they count against what they are differences of, one or a full turn.
const against = (where) => (/_deg\b/.test(where) ? 360 : /drift_(rel|n)\b/.test(where) ? 1 : 0);
// A number that is the difference of equal ones is noise: it counts against the largest of its list, or one.
function compare(ours, theirs, where = "result") {
  if (typeof theirs === "number" && typeof ours === "number") {
    const off = Math.abs(ours - theirs);
    assert.ok(off <= 1e-9 * Math.max(Math.abs(theirs), against(where)) + 1e-12, `${where}: ${ours} instead of ${theirs}`);
  } else if (Array.isArray(theirs)) {
    assert.equal(ours?.length, theirs.length, `${where}: length`);
    const scale = theirs.every((one) => typeof one === "number") ? Math.max(...theirs.map(Math.abs)) : 0;
    theirs.forEach((one, i) => (scale > 0 && Math.abs(ours[i] - one) <= 1e-9 * scale ? undefined : compare(ours[i], one, `${where}[${i}]`)));
  } else if (theirs !== null && typeof theirs === "object") {
    assert.deepEqual(Object.keys(ours ?? {}).sort(), Object.keys(theirs).sort(), `${where}: fields`);
    for (const [key, value] of Object.entries(theirs)) if (!passing.has(key)) compare(ours[key], value, `${where}.${key}`);
  } else {
    assert.equal(ours, theirs, where);
  }
}

const data = (...names) => Object.fromEntries(names.map((name) => [`data/${name.split("/").pop()}`, join(repository, "data", name)]));
const cab = data("cab_mount/z_map.csv", "cab_mount/z_static.csv", "cab_mount/z_transient.csv", "cab_mount/z_truth.json");
const hydro = data("hydro_mount/map.csv", "hydro_mount/static.csv");
const active = data("active_mount/model.json", "active_mount/s_x.csv", "active_mount/p_yx.csv");
const drive = data("bump_test/drive_old.csv", "bump_test/drive_new.csv");
const cases = [
  ["inspect", { files: ["data/z_map.csv"] }, cab],
  ["fit elastomer", { data: ["data/z_map.csv", "data/z_static.csv", "data/z_transient.csv"] }, cab],
  ["fit hydromount", { data: ["data/map.csv", "data/static.csv"] }, hydro],
  ["fit bushing", { data: ["data/cab_mount.xlsx"] }, data("bench_workbook/cab_mount.xlsx")],
  ["fit activemount", { data: ["data/s_x.csv", "data/p_yx.csv"], model: "data/model.json" }, active],
  ["fit compare", { data: ["data/z_map.csv"] }, cab],
  ["aem", { model: "data/model.json" }, active],
  ["rig", { model: "data/z_truth.json", program: "map" }, cab],
  ["validate", { files: ["data/z_truth.json", "data/z_transient.csv"] }, cab],
  ["linearise", { model: "data/z_truth.json", amplitude_m: 2e-4 }, cab],
  ["assess", { file: "data/drive_old.csv", compare: "data/drive_new.csv" }, drive],
  ["road", { roughness: 64e-6, duration_s: 5 }, {}],
];
for (const [operation, options, files] of cases)
  test(`${operation}: numbers as in the native program`, async () => {
    const theirs = native(operation, options, files);
    const ours = await runJob(operation, options, files);
    assert.equal(ours.code, theirs.code, JSON.stringify(ours.error) + theirs.stderr);
    assert.ok(theirs.result, theirs.stderr);
    compare(ours.result, theirs.result);
    assert.equal(ours.has("report.html"), theirs.has("report.html"));
    if (process.env.KDYN_TELL && theirs.result) console.log(`${operation}: ${ours.seconds.toFixed(2)} s here, ${theirs.result.provenance.seconds.toFixed(2)} s native, ${ours.megabytes} MB`);
  });

// Texts with numbers: word by word.
function compareText(ours, theirs, where) {
  const words = (text) => text.split(/[\s,;{}()="]+/);
  const [mine, other] = [words(ours), words(theirs)];
  assert.equal(mine.length, other.length, where);
  other.forEach((word, i) => word === mine[i] || Math.abs(Number(mine[i]) - Number(word)) <= 1e-9 * Math.abs(Number(word)) + 1e-12 || /-\d{4}-/.test(word) || assert.fail(`${where}: ${mine[i]} instead of ${word}`));
}

test("exported models are the native ones", async () => {
  for (const to of ["fmu2", "fmu3", "ubf", "c"]) {
    const options = { models: ["data/z_truth.json"], to };
    const theirs = native("export", options, cab);
    const ours = await runJob("export", options, cab);
    assert.equal(theirs.code, 0, theirs.stderr);
    assert.equal(ours.code, 0, JSON.stringify(ours.error));
    const isSameBuild = ours.result.provenance.kdyn.revision === theirs.result.provenance.kdyn.revision;
    for (const { path } of theirs.result.files) {
      const [mine, other] = [ours.read(path), theirs.read(path)];
      if (path.endsWith(".fmu")) assert.deepEqual(timeless(entriesOf(mine), !isSameBuild), timeless(entriesOf(other), !isSameBuild), `${to}: ${path}`);
      else compareText(Buffer.from(mine).toString(), other.toString(), `${to}: ${path}`);
    }
  }
});

test("bad input has the same messages", async () => {
  const bad = { ...cab, "data/broken.csv": Buffer.from("frequency_hz,amplitude_mm,k_dyn_n_per_mm,loss_angle_deg\n1,0.1,x,5\n"), "data/model.json": Buffer.from('{"model": "rubbr"}') };
  const wrong = [
    ["fit elastomer", { data: ["data/broken.csv"] }],
    ["fit elastomer", { data: ["data/absent.csv"] }],
    ["fit elastomer", { data: ["data/z_map.csv"], lawx: 1 }],
    ["fit elastomer", { data: ["data/z_map.csv"], law: "stone" }],
    ["linearise", { model: "data/model.json", amplitude_m: 1e-4 }],
    ["linearise", { model: "data/z_truth.json", amplitude_m: -1 }],
    ["export", { models: ["data/z_truth.json"], to: "fmu9" }],
  ];
  for (const [operation, options] of wrong) {
    const theirs = native(operation, options, bad);
    const ours = await runJob(operation, options, bad);
    assert.equal(ours.code, theirs.code, `${operation} ${JSON.stringify(options)}: ${theirs.stderr}`);
    assert.ok(theirs.stderr.includes(ours.error.message), `"${ours.error.message}" is not in "${theirs.stderr}"`);
  }
});

test("operations of the page and those it leaves to the full kdyn are all there are", async () => {
  const known = JSON.parse(spawnSync(binary, ["describe", "--json"], { encoding: "utf8", maxBuffer: 1 << 28 }).stdout).operations.map(({ operation }) => operation);
  const engine = await makeEngine();
  engine.FS.mkdirTree("/project");
  assert.equal(engine.ccall("kdyn_open", "number", ["string", "string"], ["/project", "{}"]), 200);
  assert.equal(engine.ccall("kdyn_ask", "number", ["string", "string", "string", "string", "number"], ["GET", "api/app", "{}", "", 0]), 200);
  const about = JSON.parse(engine.UTF8ToString(engine.ccall("kdyn_reply_body", "number", [], [])));
  assert.deepEqual([...about.operations.map(({ operation }) => operation), ...about.elsewhere].sort(), known.sort());
});
