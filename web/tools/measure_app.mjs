// SPDX-License-Identifier: Apache-2.0
// How quick the web application is, in a real browser: node tools/measure_app.mjs [samples of the long record]
// prints the time from a slider to its curves, and what a long record costs to open and to zoom. Nothing is asserted: the figures depend on the machine.
import { createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launchBrowser } from "../test/browser.mjs";
import { startServer } from "../test/served.mjs";

const samples = Number(process.argv[2] ?? 10_000_000);
const home = await mkdtemp(join(tmpdir(), "kdyn_measure_"));
const server = await startServer(join(home, "project"), "--port", "0", "--max-upload-mb", "2000");
const browser = await launchBrowser();
const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
page.setDefaultTimeout(600_000);
const button = (name) => page.getByRole("button", { name, exact: true });

function spread(times) {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share) => (sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN).toFixed(1);
  return `median ${at(0.5)} ms, 90 % below ${at(0.9)} ms, largest ${at(1)} ms of ${sorted.length}`;
}

const measures = (name) => page.evaluate((wanted) => performance.getEntriesByName(wanted).map(({ duration }) => duration), name);

await page.goto(server.address);
await button("Open the example").click();
await button("Fit an elastomer mount").click();
await page.waitForSelector(".panel");
await page.waitForTimeout(1000);
for (const name of ["rho", "alpha"]) {
  const slider = page.getByRole("slider", { name, exact: true });
  await slider.scrollIntoViewIfNeeded();
  const box = await slider.boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.evaluate(() => performance.clearMeasures());
  for (let i = 1; i <= 120; ++i) {
    await page.mouse.move(x + 40 * Math.sin(i / 12), y);
    await page.waitForTimeout(16);
  }
  await page.mouse.up();
  for (const what of ["slider to curve", "answer of the server", "drawing of the curves"]) console.log(`${name}: ${what}: ${spread(await measures(what))}`);
}

if (samples > 0) {
  const path = join(home, "long_series.csv");
  const out = createWriteStream(path);
  out.write("time_s,displacement_mm,force_n\n");
  for (let begin = 0; begin < samples; begin += 10_000) {
    let text = "";
    for (let i = begin; i < Math.min(begin + 10_000, samples); ++i)
      text += `${(i * 1e-4).toFixed(4)},${Math.sin(i * 0.02).toFixed(4)},${(300 * Math.sin(i * 0.02 + 0.1) + 20 * Math.sin(i * 1.7)).toFixed(2)}\n`;
    if (!out.write(text)) await new Promise((resolve) => out.once("drain", resolve));
  }
  await new Promise((resolve) => out.end(resolve));
  await page.goto("about:blank");
  await page.goto(server.address);
  await page.evaluate(() => {
    window.longest = [];
    new PerformanceObserver((list) => list.getEntries().forEach((entry) => window.longest.push(entry.duration))).observe({ entryTypes: ["longtask"] });
  });
  const stalls = () => page.evaluate(() => `longest time the page was blocked ${Math.max(0, ...window.longest.splice(0)).toFixed(0)} ms`);
  let since = performance.now();
  await page.getByLabel("Measurement files").setInputFiles(path);
  const figure = page.locator("figure.plot", { has: page.getByRole("heading", { name: "Transient", exact: true }) });
  await figure.waitFor();
  console.log(`${samples} samples: opened in ${((performance.now() - since) / 1000).toFixed(1)} s, ${await stalls()}`);
  const zooms = [];
  for (let i = 0; i < 5; ++i) {
    const box = await figure.locator("svg").first().boundingBox();
    const y = box.y + box.height / 2;
    await page.mouse.move(box.x + 0.4 * box.width, y);
    await page.mouse.down();
    await page.mouse.move(box.x + 0.7 * box.width, y, { steps: 3 });
    const answer = page.waitForResponse(/workbench\/series/);
    since = performance.now();
    await page.mouse.up();
    await (await answer).finished();
    zooms.push(performance.now() - since);
  }
  console.log(`${samples} samples: zoomed in ${zooms.map((time) => time.toFixed(0)).join(", ")} ms, ${await stalls()}`);
}
await browser.close();
await server.stop();
await rm(home, { recursive: true });
