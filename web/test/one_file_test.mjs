// SPDX-License-Identifier: Apache-2.0
// kdyn.html opened from the disk in a real browser: a workbook becomes a six-axis bushing, its report opens, its FMU is saved; runs are stopped;
// the project outlives the page, its archive is opened by the native server, an engine that falls is replaced.
// Oracle: the native program on the same files. Environment: KDYN_PAGE, KDYN_BINARY, KDYN_CHROMIUM.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { pathToFileURL } from "node:url";
import { launchBrowser, patience } from "./browser.mjs";
import { entriesOf, timeless } from "./archive.mjs";
import { binary, repository, startServer } from "./served.mjs";

const html = process.env.KDYN_PAGE || join(repository, "build/wasm/kdyn.html");
const data = (name) => join(repository, "data", name);

let browser, context, page, folder;
let problems = [];
let expected;

before(async () => {
  browser = await launchBrowser();
});
after(() => browser?.close());

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "kdyn_page_"));
  context = await browser.newContext({ viewport: { width: 1280, height: 860 }, acceptDownloads: true });
  problems = [];
  expected = undefined;
  page = await open();
});
afterEach(async () => {
  await context.close();
  rmSync(folder, { recursive: true });
  assert.deepEqual(problems, []);
});

async function open() {
  const opened = await context.newPage();
  opened.setDefaultTimeout(patience);
  opened.on("console", (message) => expected?.test(message.text()) || problems.push(`console ${message.type()}: ${message.text()}`));
  opened.on("pageerror", (error) => expected?.test(error.message) || problems.push(`exception: ${error.stack}`));
  opened.on("request", (request) => /^(file|data|blob):/.test(request.url()) || problems.push(`request: ${request.url()}`));
  await opened.goto(pathToFileURL(html).href);
  await opened.waitForSelector("#app.ready");
  return opened;
}

const button = (name) => page.getByRole("button", { name, exact: true });
const shown = () => page.locator(".result.ready").waitFor();
async function saved(click) {
  const coming = page.waitForEvent("download");
  await click();
  const download = await coming;
  const path = join(folder, download.suggestedFilename());
  await download.saveAs(path);
  return path;
}
const unzip = (archive, to) => execFileSync("python3", ["-m", "zipfile", "-e", archive, to]);

test("the page is small enough and allows no connection", async () => {
  assert.ok(statSync(html).size <= 12 << 20, `${statSync(html).size} bytes`);
  const refused = await page.evaluate(() => fetch("https://example.org/").then(() => false, () => true));
  assert.ok(refused);
  problems = problems.filter((one) => !/Content Security Policy|example\.org/.test(one));
});

test("a workbook becomes a six-axis bushing with report and FMU", async () => {
  await page.getByLabel("Measurement files").setInputFiles([data("bench_workbook/cab_mount.xlsx")]);
  await page.getByRole("button", { name: /^Fit the bushing/ }).click();
  await shown();
  // The report is a page of its own and draws itself.
  const coming = context.waitForEvent("page");
  await page.getByRole("link", { name: "Report", exact: true }).click();
  const report = await coming;
  report.setDefaultTimeout(patience);
  await report.waitForSelector("figure svg");
  assert.match(report.url(), /^blob:/);
  await report.close();
  const fmu = await saved(() => button("FMU 2.0").click());
  const archive = await saved(() => button("Save project").click());
  unzip(archive, join(folder, "project"));
  // The native program exports the same model.
  const [, id] = /jobs\/(\d+-export)/.exec(execFileSync("python3", ["-m", "zipfile", "-l", archive], { encoding: "utf8" })) ?? [];
  assert.ok(id, "the project holds the export");
  const job = JSON.parse(readFileSync(join(folder, "project/jobs", id, "job.json"), "utf8"));
  mkdirSync(join(folder, "native"));
  const config = join(folder, "options.json");
  writeFileSync(config, JSON.stringify(job.options));
  execFileSync(binary, ["export", "--config", config, "--out", join(folder, "native"), "--quiet"], { cwd: join(folder, "project") });
  const other = join(folder, "native", fmu.split("/").pop());
  assert.deepEqual(timeless(entriesOf(readFileSync(fmu)), true), timeless(entriesOf(readFileSync(other)), true));
  // It runs natively, in place of a law: as the FMU of the native program to the last bit, and as the law itself.
  const exported = JSON.parse(readFileSync(join(folder, "project", job.options.models[0]), "utf8"));
  const ofFmu = (file) => ({ model: "fmu", file, displacement: "displacement.fz", velocity: "velocity.fz", force: "force.fz" });
  const [ours, theirs, law] = [ofFmu(fmu), ofFmu(other), exported.axes.fz].map(shaken);
  assert.ok(theirs.length > 1000 && Math.max(...theirs) > 1e-4, "the mass moves");
  assert.deepEqual(ours, theirs);
  const most = Math.max(...law.map(Math.abs));
  law.forEach((z, i) => assert.ok(Math.abs(ours[i] - z) <= 1e-9 * most, `${ours[i]} instead of ${z} in row ${i}`));
});

// Motion of a mass on a rail that hangs by this law and is shaken.
let shakes = 0;
function shaken(law) {
  const out = join(folder, `shaken_${++shakes}`);
  const frame = { rotation: [[1, 0, 0], [0, 1, 0], [0, 0, 1]] };
  const model = {
    run: { step_s: 2.5e-4, duration_s: 0.5 },
    bodies: [{ name: "m", mass: 40, inertia: [1, 1, 1], position: [0, 0, 0] }],
    markers: [{ name: "centre", body: "m" }],
    joints: [{ name: "rail", kind: "translational", markers: [{ body: "ground", ...frame }, { body: "m", ...frame }] }],
    bushings: [{ name: "mount", markers: [{ body: "ground" }, "centre"], laws: { fz: law } }],
    loads: [{ name: "shaker", marker: "centre", force: [0, 0, "200*sin(150*t)"] }],
  };
  const file = `${out}.json`;
  writeFileSync(file, JSON.stringify(model));
  execFileSync(binary, ["simulate", file, "--allow-fmu", "--out", out, "--quiet"]);
  const [header, ...rows] = readFileSync(join(out, "series.csv"), "utf8").split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  const column = header.split(",").findIndex((name) => name.startsWith("m.position.z"));
  return rows.map((row) => Number(row.split(",")[column]));
}

test("the project outlives the page, and the native server opens its archive", async () => {
  await page.getByLabel("Measurement files").setInputFiles([data("cab_mount/z_map.csv")]);
  await page.getByRole("heading", { name: "z_map.csv", exact: true }).waitFor();
  await page.waitForTimeout(1000);
  await page.close();
  page = await open();
  await page.getByRole("link", { name: "z_map.csv" }).first().waitFor();
  const archive = await saved(() => button("Save project").click());
  unzip(archive, join(folder, "project"));
  const server = await startServer(join(folder, "project"), "--port", "0");
  const { jobs } = await (await fetch(`${server.address}api/jobs`)).json();
  await server.stop();
  assert.equal(jobs.length, 1);
  assert.equal(jobs[0].operation, "inspect");
  assert.equal(jobs[0].state, "done");
  page.on("dialog", (dialog) => dialog.accept());
  await page.getByLabel("Project archive").setInputFiles([archive]);
  await page.waitForSelector("#app.ready");
  await page.getByRole("link", { name: "z_map.csv" }).first().waitFor();
});

test("a run is stopped and the page goes on", async () => {
  await page.goto(`${pathToFileURL(html).href}#/mount`);
  await button("Fit a whole bushing").click();
  await button("Stop").click();
  await page.getByText("This run was stopped before it had a result").waitFor();
  await page.goto(`${pathToFileURL(html).href}#/mount`);
  await button("Fit the example").click();
  await shown();
});

test("an engine that falls is replaced and says so", async () => {
  await page.getByLabel("Measurement files").setInputFiles([data("cab_mount/z_map.csv")]);
  await page.getByRole("heading", { name: "z_map.csv", exact: true }).waitFor();
  await page.waitForTimeout(500);
  await page.workers()[0].evaluate(() => void setTimeout(() => { throw new Error("memory access out of bounds"); }));
  await page.getByText("was started again").waitFor();
  await page.goto(`${pathToFileURL(html).href}#/jobs`);
  await page.getByRole("link", { name: "z_map.csv" }).first().waitFor();
});

test("curves follow their sliders while the misfit is computed by a second engine, which is replaced when it falls", async () => {
  await page.goto(`${pathToFileURL(html).href}#/hydro`);
  await button("Fit the hydro mount").click();
  await page.locator(".panel input[type=range]").first().waitFor();
  const misfits = async () => (await page.locator(".misfit").allTextContents()).join();
  const turned = async (key) => {
    const before = await misfits();
    await page.locator(".panel input[type=range]").first().press(key);
    await page.waitForFunction((words) => [...document.querySelectorAll(".misfit")].map((node) => node.textContent).join() !== words, before);
    return misfits();
  };
  await turned("PageUp");
  await turned("PageUp");
  const workers = page.workers();
  assert.equal(workers.length, 2);
  await workers[1].evaluate(() => void setTimeout(() => { throw new Error("memory access out of bounds"); }));
  await page.waitForTimeout(500);
  const first = await turned("PageUp");
  await turned("PageDown");
  assert.equal(await turned("PageUp"), first);
});

test("a file that does not fit into the memory is refused, and the page goes on", async () => {
  // This browser gives an engine 160 MB.
  const small = await launchBrowser("--js-flags=--wasm-max-mem-pages=2560");
  try {
    const one = await small.newPage();
    one.setDefaultTimeout(patience);
    await one.goto(pathToFileURL(html).href);
    await one.waitForSelector("#app.ready");
    const row = (i) => `${(i / 2048).toFixed(6)},${(1e-3 * Math.sin(i / 300)).toFixed(9)},${(300 * Math.sin(i / 300 + 0.1)).toFixed(5)}\n`;
    writeFileSync(join(folder, "long.csv"), `time_s,displacement_m,force_n\n${Array.from({ length: 2_000_000 }, (_, i) => row(i)).join("")}`);
    await one.getByLabel("Measurement files").setInputFiles([join(folder, "long.csv")]);
    await one.getByText(/memory of this machine does not suffice/).first().waitFor();
    await one.goto(`${pathToFileURL(html).href}#/mount`);
    await one.getByRole("button", { name: "Fit the example", exact: true }).click();
    await one.locator(".result.ready").waitFor();
    await one.goto(`${pathToFileURL(html).href}#/jobs`);
    await one.getByRole("link", { name: "long.csv" }).first().waitFor();
  } finally {
    await small.close();
  }
});

test("the first page offers what it can run", async () => {
  const offers = page.getByRole("button", { name: /^Try it: / });
  assert.deepEqual(await offers.evaluateAll((nodes) => nodes.map((node) => node.getAttribute("aria-label"))), ["Try it: A bushing from the test bench", "Try it: A hydro mount"]);
  for (const study of ["modal", "update", "multibody"]) {
    await page.goto(`${pathToFileURL(html).href}#/${study}`);
    await page.getByText("need the full kdyn").waitFor();
  }
  await page.goto(`${pathToFileURL(html).href}#/vehicle`);
  await button("Assess the example").click();
  await shown();
});

test("what is not in the page points to the full kdyn", async () => {
  await page.goto(`${pathToFileURL(html).href}#/run/simulate`);
  await page.getByText("is not part of kdyn in the browser").waitFor();
});
