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
});

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

test("what is not in the page points to the full kdyn", async () => {
  await page.goto(`${pathToFileURL(html).href}#/run/simulate`);
  await page.getByText("is not part of kdyn in the browser").waitFor();
});
