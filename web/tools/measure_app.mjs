// SPDX-License-Identifier: Apache-2.0
// How quick the web application is, in a real browser: node tools/measure_app.mjs [samples of the long record] [space: pictures in space alone]
// KDYN_PAGE=kdyn.html measures that page instead (first page and sliders); KDYN_APP_ASSETS, a folder of tools/bundle.mjs, what is in it.
// prints how soon the first page is there, the time from a slider to its curves (rubber, hydro mount), frames of pictures in space by software
// with their triangles, and what a long record costs to open and to zoom (0 samples: nothing of that). Nothing is asserted: the figures depend on the machine.
import { createWriteStream } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { launchBrowser } from "../test/browser.mjs";
import { startServer } from "../test/served.mjs";

const samples = Number(process.argv[2] ?? 10_000_000);
const onlySpace = process.argv[3] === "space";
const home = await mkdtemp(join(tmpdir(), "kdyn_measure_"));
const own = process.env.KDYN_PAGE;
const server = own ? undefined : await startServer(join(home, "project"), "--port", "0", "--max-upload-mb", "2000");
const address = own ? pathToFileURL(own).href : server.address;
const assets = process.env.KDYN_APP_ASSETS;
let browser;
let page;
async function open(...flags) {
  await browser?.close();
  browser = await launchBrowser(...flags);
  page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
  page.setDefaultTimeout(600_000);
  if (assets) for (const [name, contentType] of [["app.js", "text/javascript"], ["app.css", "text/css"]]) await page.route(`**/${name}`, (route) => route.fulfill({ path: join(assets, name), contentType }));
}
// Without a graphics card browsers paint pages by themselves. An imitated card is for pictures in space, below.
await open("--disable-gpu");
const button = (name) => page.getByRole("button", { name, exact: true });

function spread(times) {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share) => (sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN).toFixed(1);
  return `median ${at(0.5)} ms, 90 % below ${at(0.9)} ms, largest ${at(1)} ms of ${sorted.length}`;
}

const measures = (name) => page.evaluate((wanted) => performance.getEntriesByName(wanted).map(({ duration }) => duration), name);

// Least disturbed of several visits: others work on such a machine, too.
const visits = [];
for (let i = 0; i < 7; ++i) {
  await page.goto("about:blank");
  const since = performance.now();
  await page.goto(address);
  await page.waitForSelector("#app.ready");
  visits.push(performance.now() - since);
}
const scripts = await page.evaluate(() => performance.getEntriesByType("resource").filter(({ name }) => /\.(js|css)$/.test(name)).map(({ name, encodedBodySize }) => `${name.split("/").pop()} ${(encodedBodySize / 1000).toFixed(0)} kB`));
console.log(`first page: ${spread(visits)}; least ${Math.min(...visits).toFixed(0)} ms; ${scripts.join(", ")} compressed`);

async function turn(slider, name) {
  await slider.scrollIntoViewIfNeeded();
  const box = await slider.boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  for (let round = 0; round < 3; ++round) {
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.evaluate(() => performance.clearMeasures());
    for (let i = 1; i <= 120; ++i) {
      await page.mouse.move(x + 25 * Math.sin(i / 12), y);
      await page.waitForTimeout(16);
    }
    await page.mouse.up();
    for (const what of ["slider to curve", "answer of the server", "drawing of the curves"]) console.log(`${name}, round ${round + 1}: ${what}: ${spread(await measures(what))}`);
    await page.waitForTimeout(1500);
  }
}

async function sliders() {
  await button("Open the example").click();
  await button("Fit an elastomer mount").click();
  await page.waitForSelector(".panel");
  await page.waitForTimeout(2500);
  for (const name of ["rho", "alpha"]) await turn(page.getByRole("slider", { name, exact: true }), `rubber, ${name}`);
  await page.goto(`${address}#/hydro`);
  await button("Fit the hydro mount").click();
  await page.waitForSelector(".panel .section-drawing");
  await page.waitForTimeout(4000);
  for (const at of [0, 6]) await turn(page.locator(".panel input[type=range]").nth(at), `hydro mount, slider ${at + 1}`);
}
if (!onlySpace) await sliders();

if (own) {
  await browser.close();
  await rm(home, { recursive: true });
  process.exit(0);
}

await open();
await page.goto(address);
// Turned by hand for some seconds; how far apart the frames of the browser are.
async function orbit(name) {
  const canvas = page.locator("figure.animation canvas").first();
  await canvas.waitFor();
  await page.waitForTimeout(1500);
  await canvas.scrollIntoViewIfNeeded();
  const box = await canvas.boundingBox();
  for (let round = 0; round < 3; ++round) {
    await page.evaluate(() => {
      const mine = (window.round_ = (window.round_ ?? 0) + 1);
      window.frames_ = [];
      const step = (time) => {
        if (window.round_ !== mine) return;
        window.frames_.push(time);
        requestAnimationFrame(step);
      };
      requestAnimationFrame(step);
    });
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    for (let i = 1; i <= 60; ++i) {
      await page.mouse.move(box.x + box.width / 2 + 150 * Math.sin(i / 8), box.y + box.height / 2 + 40 * Math.cos(i / 8));
      await page.waitForTimeout(30);
    }
    await page.mouse.up();
    const gaps = await page.evaluate(() => (++window.round_, window.frames_.slice(1).map((time, i) => time - window.frames_[i])));
    console.log(`${name}, turned, round ${round + 1}: frames ${spread(gaps)}`);
  }
}
await page.goto(`${address}#/update`);
await button("Modes of the example").click();
await orbit("FE ring of 4440 unknowns");
// A plate of shells with 450 000 unknowns, drawn as it is dropped.
const side = 274;
const deck = ["BEGIN BULK", "MAT1,1,2.1+11,,0.3,7850.", "PSHELL,1,1,0.002,1,,1"];
for (let i = 0; i < side; ++i) for (let k = 0; k < side; ++k) deck.push(`GRID,${i * side + k + 1},,${(0.01 * i).toFixed(3)},${(0.01 * k).toFixed(3)},${(0.2 * Math.sin(i / 40) * Math.cos(k / 50)).toFixed(4)}`);
for (let i = 0; i + 1 < side; ++i) for (let k = 0; k + 1 < side; ++k) deck.push(`CQUAD4,${i * side + k + 1},1,${i * side + k + 1},${(i + 1) * side + k + 1},${(i + 1) * side + k + 2},${i * side + k + 2}`);
deck.push("ENDDATA");
await writeFile(join(home, "plate.bdf"), deck.join("\n"));
await page.goto(`${address}#/`);
const dropped = performance.now();
await page.getByLabel("Measurement files").setInputFiles(join(home, "plate.bdf"));
await page.locator("figure.animation canvas").first().waitFor();
console.log(`plate of ${6 * side * side} unknowns: drawn ${((performance.now() - dropped) / 1000).toFixed(1)} s after the drop, ${2 * (side - 1) ** 2} triangles`);
await orbit(`plate of ${6 * side * side} unknowns`);

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
  await page.goto(address);
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
