// SPDX-License-Identifier: Apache-2.0
// What memory kdyn.html takes in Chromium when a large table is dropped: KDYN_PAGE=kdyn.html node tools/measure_page_memory.mjs [MB]
// Printed is the most that the process of the page (with its workers) held at once, and all processes of the browser together.
import { createWriteStream, readFileSync, readdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { launchBrowser } from "../test/browser.mjs";
import { repository } from "../test/served.mjs";

const megabytes = Number(process.argv[2] ?? 100);
const folder = await mkdtemp(join(tmpdir(), "kdyn_memory_"));
const path = join(folder, "long.csv");
const out = createWriteStream(path);
out.write("time_s,displacement_m,force_n\n");
for (let i = 0, bytes = 0; bytes < megabytes * 1e6; i += 10_000) {
  let text = "";
  for (let k = i; k < i + 10_000; ++k) text += `${(k / 2048).toFixed(6)},${(1e-3 * Math.sin(k / 300)).toFixed(9)},${(300 * Math.sin(k / 300 + 0.1)).toFixed(5)}\n`;
  bytes += text.length;
  if (!out.write(text)) await new Promise((resolve) => out.once("drain", resolve));
}
await new Promise((resolve) => out.end(resolve));

// Memory that is this process's own, in MB (shared pages are counted by their share).
const read = (file) => {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return ""; // ended meanwhile
  }
};
const held = (pid) => Number(/^Pss:\s+(\d+)/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0) / 1024;
const familyOf = (root) => {
  const parents = readdirSync("/proc").filter((name) => /^\d+$/.test(name)).map((pid) => [Number(pid), Number(/\) \S (\d+)/.exec(read(`/proc/${pid}/stat`))?.[1])]);
  const all = [root];
  for (const pid of all) for (const [child, parent] of parents) if (parent === pid) all.push(child);
  return all;
};

const browser = await launchBrowser();
const page = await browser.newPage();
page.setDefaultTimeout(600_000);
await page.goto(pathToFileURL(process.env.KDYN_PAGE || join(repository, "build/wasm/kdyn.html")).href);
await page.waitForSelector("#app.ready");
// The browser is the one child of this process.
const [, root] = familyOf(process.pid);
const isPage = (pid) => read(`/proc/${pid}/cmdline`).includes("--type=renderer");
let [ofPage, ofAll] = [0, 0];
const look = () => {
  const sizes = familyOf(root).map((pid) => [isPage(pid), held(pid)]);
  ofPage = Math.max(ofPage, ...sizes.filter(([mine]) => mine).map(([, size]) => size));
  ofAll = Math.max(ofAll, sizes.reduce((sum, [, size]) => sum + size, 0));
};
look();
console.log(`empty project: page ${ofPage.toFixed(0)} MB, browser in all ${ofAll.toFixed(0)} MB`);
const timer = setInterval(look, 200);
const since = performance.now();
await page.getByLabel("Measurement files").setInputFiles(path);
await page.locator("figure.plot").first().waitFor();
console.log(`${megabytes} MB of CSV drawn after ${((performance.now() - since) / 1000).toFixed(1)} s`);
await page.waitForTimeout(3000);
clearInterval(timer);
console.log(`at most: page ${ofPage.toFixed(0)} MB, browser in all ${ofAll.toFixed(0)} MB`);
await browser.close();
await rm(folder, { recursive: true });
