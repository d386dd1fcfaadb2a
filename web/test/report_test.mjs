// SPDX-License-Identifier: Apache-2.0
// The report in a real browser. Environment: KDYN_REPORT_SAMPLE, the program that writes the sample report; KDYN_CHROMIUM, the browser.
// Oracle: the JSON of the document inside the file, and positions computed here from the labelled ticks of the axes.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, beforeEach, afterEach, test } from "node:test";
import { fileURLToPath } from "node:url";
import { launchBrowser, reportAddress, patience } from "./browser.mjs";

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const program = process.env.KDYN_REPORT_SAMPLE || join(root, "build/release/tests/report_sample");

let folder, address, sample, browser, page, problems;

before(async () => {
  assert.ok(existsSync(program), `no program at ${program}: build the target report_sample or set KDYN_REPORT_SAMPLE`);
  folder = mkdtempSync(join(tmpdir(), "kdyn_report_"));
  const file = join(folder, "report.html");
  execFileSync(program, [file]);
  address = reportAddress(file);
  sample = JSON.parse(/<script type="application\/json" id="document">(.*?)<\/script>/s.exec(readFileSync(file, "utf8"))[1]);
  browser = await launchBrowser();
});

after(async () => {
  await browser?.close();
  if (folder) rmSync(folder, { recursive: true });
});

async function open(options = {}) {
  const opened = await browser.newPage({ viewport: { width: 1280, height: 800 }, ...options });
  opened.setDefaultTimeout(patience);
  opened.on("console", (message) => problems.push(`console ${message.type()}: ${message.text()}`));
  opened.on("pageerror", (error) => problems.push(`exception: ${error.stack}`));
  opened.on("dialog", (dialog) => (problems.push(`dialog: ${dialog.message()}`), dialog.dismiss()));
  opened.on("request", (request) => {
    if (request.url() !== address && !/^(data|blob):/.test(request.url())) problems.push(`request: ${request.url()}`);
  });
  await opened.goto(address);
  return opened;
}

beforeEach(async () => {
  problems = [];
  page = await open();
  await page.waitForSelector("#report.ready");
});

afterEach(async () => {
  await page.close();
  assert.deepEqual(problems, []);
});

function plotsOf(blocks) {
  return blocks.flatMap((block) =>
    block.kind === "plot" ? [block] : block.kind === "plot_row" ? block.plots : block.kind === "details" ? plotsOf(block.blocks) : [],
  );
}
const allPlots = () => plotsOf(sample.sections.flatMap((section) => section.blocks));
const plotNamed = (title) => allPlots().find((plot) => plot.title === title);
const figureNamed = (title) => page.locator("figure.plot", { has: page.getByRole("heading", { name: title, exact: true }) }).first();
const blockOf = (title) => page.locator(".plot-block", { has: page.getByRole("heading", { name: title, exact: true }) }).first();

// Centres of the labelled ticks of an axis, in pixels of the window: [[value, pixel], ...].
async function ticks(figure, axis) {
  const marks = await figure.locator(`g[aria-label="${axis}-axis tick"] path`).evaluateAll(
    (paths, along) =>
      paths.map((path) => {
        const box = path.getBoundingClientRect();
        return along === "x" ? box.left + box.width / 2 : box.top + box.height / 2;
      }),
    axis,
  );
  const labels = await figure.locator(`g[aria-label="${axis}-axis tick label"] text`).allTextContents();
  assert.equal(marks.length, labels.length);
  return labels.map((label, i) => [Number(label), marks[i]]);
}

function place(value, known, log) {
  const f = log ? Math.log : (v) => v;
  const [[v0, p0], [v1, p1]] = [known[0], known[known.length - 1]];
  return p0 + ((f(value) - f(v0)) / (f(v1) - f(v0))) * (p1 - p0);
}

async function pointAt(figure, plot, x, y) {
  return [place(x, await ticks(figure, "x"), plot.x.log), place(y, await ticks(figure, "y"), plot.y.log)];
}

async function downloadOf(button) {
  const [download] = await Promise.all([page.waitForEvent("download"), button.click()]);
  return { name: download.suggestedFilename(), content: readFileSync(await download.path()) };
}

test("shows every section, key figure, table row and finding", async () => {
  assert.equal(await page.title(), sample.title);
  assert.deepEqual(await page.locator("h2").allTextContents(), [...sample.sections.map((section) => section.title), "Provenance"]);
  assert.equal(await page.locator(".key-figure").count(), sample.key_figures.length);
  const tables = sample.sections.flatMap((section) => section.blocks).filter((block) => block.kind === "table");
  assert.equal(await page.locator("tbody tr").count(), tables.flatMap((table) => table.rows).length);
  assert.deepEqual(await page.locator(".finding-head b").allTextContents(), ["Serious", "Warning", "Warning", "Note"]);
});

test("text of users stays text", async () => {
  assert.equal(await page.locator("img").count(), 0);
  await page.getByText("A file name </script><script>alert(2)</script> is shown as text.").waitFor();
});

test("draws every plot, that in closed details when it is opened", async () => {
  await page.locator("summary").first().click();
  await page.locator("details .stage svg").waitFor();
  assert.equal(await page.locator(".stage svg[tabindex]").count(), allPlots().length);
});

test("hovering shows the values of the nearest point", async () => {
  const title = "Dynamic stiffness over frequency";
  const plot = plotNamed(title);
  const series = plot.series.find((one) => one.name === "measured" && plot.groups[one.group] === "0.02 mm");
  const index = 3;
  const figure = figureNamed(title);
  await figure.scrollIntoViewIfNeeded();
  await page.mouse.move(...(await pointAt(figure, plot, series.x[index], series.y[index])));
  const tip = figure.locator(".tip");
  await tip.waitFor();
  assert.equal(await tip.locator(".tip-head").textContent(), "0.02 mm · measured");
  const [x, y] = await tip.locator(".tip-value b").allTextContents();
  assert.equal(x, `${series.x[index]} Hz`);
  assert.match(y, / N\/mm$/);
  // The tip shows five significant digits.
  assert.ok(Math.abs(Number.parseFloat(y) - series.y[index]) <= 1e-4 * series.y[index], y);
  assert.equal(await tip.locator(".tip-extra").textContent(), series.hover[index]);
  await page.mouse.move(5, 5);
  await tip.waitFor({ state: "hidden" });
});

test("arrow keys read the points one by one", async () => {
  const title = "Static loop";
  const { x } = plotNamed(title).series[0];
  const figure = figureNamed(title);
  await figure.locator("svg[tabindex]").focus();
  const shown = async () => Number.parseFloat((await figure.locator(".tip-value b").allTextContents())[0]);
  for (const [key, index] of [
    ["ArrowRight", 0],
    ["ArrowRight", 1],
    ["ArrowRight", 2],
    ["ArrowLeft", 1],
  ]) {
    await page.keyboard.press(key);
    assert.ok(Math.abs((await shown()) - x[index]) <= 1e-4 * Math.abs(x[index]), `${key} leads to point ${index}`);
  }
});

test("the legend hides, shows and isolates groups and kinds of series", async () => {
  const title = "Dynamic stiffness over frequency";
  const plot = plotNamed(title);
  const figure = figureNamed(title);
  const marks = (name) => figure.locator(`g[aria-label="${name}"]`).count();
  const entry = (name) => blockOf(title).getByRole("button", { name, exact: true });
  const dots = plot.series[0].x.length;
  assert.equal(await figure.locator('g[aria-label="0.02 mm measured"] path, g[aria-label="0.02 mm measured"] circle').count(), dots);

  await entry("0.02 mm").click();
  assert.equal(await entry("0.02 mm").getAttribute("aria-pressed"), "false");
  assert.equal(await marks("0.02 mm measured"), 0);
  assert.equal(await marks("0.02 mm model"), 0);
  assert.equal(await marks("0.05 mm model"), 1);
  await entry("0.02 mm").click();
  assert.equal(await marks("0.02 mm measured"), 1);

  await entry("measured").click();
  assert.equal(await marks("0.02 mm measured"), 0);
  assert.equal(await marks("0.02 mm model"), 1);
  await entry("measured").click();

  await entry("0.1 mm").dblclick();
  for (const group of plot.groups) assert.equal(await marks(`${group} model`), group === "0.1 mm" ? 1 : 0, group);
  await entry("0.1 mm").dblclick();
  for (const group of plot.groups) assert.equal(await marks(`${group} model`), 1, group);
});

test("plots of a row share their legend", async () => {
  const block = blockOf("Loss angle over frequency");
  assert.equal(await block.locator('g[aria-label="1 mm model"]').count(), 2);
  await block.getByRole("button", { name: "1 mm", exact: true }).click();
  assert.equal(await block.locator('g[aria-label="1 mm model"]').count(), 0);
});

test("dragging zooms all linked x axes, double-click goes back", async () => {
  const upper = figureNamed("Transient: force");
  const lower = figureNamed("Residual: measured minus model");
  await upper.scrollIntoViewIfNeeded();
  const before = await ticks(lower, "x");
  const plot = plotNamed("Transient: force");
  const [x0, y0] = await pointAt(upper, plot, 1, 0);
  const [x1] = await pointAt(upper, plot, 2, 0);
  await page.mouse.move(x0, y0);
  await page.mouse.down();
  await page.mouse.move((x0 + x1) / 2, y0 + 2, { steps: 3 });
  await page.mouse.move(x1, y0 + 2, { steps: 3 });
  await page.mouse.up();
  for (const figure of [upper, lower]) {
    const values = (await ticks(figure, "x")).map(([value]) => value);
    assert.ok(Math.min(...values) >= 0.99 && Math.max(...values) <= 2.01, String(values));
  }
  await upper.locator("svg[tabindex]").dblclick();
  assert.deepEqual(
    (await ticks(lower, "x")).map(([value]) => value),
    before.map(([value]) => value),
  );
});

test("CSV holds the data of the plot", async () => {
  const title = "Stiffness over amplitude";
  const plot = plotNamed(title);
  const figure = figureNamed(title);
  await figure.hover();
  const { name, content } = await downloadOf(figure.getByRole("button", { name: "CSV" }));
  assert.equal(name, "stiffness_over_amplitude.csv");
  const [header, ...rows] = content
    .toString("utf8")
    .trimEnd()
    .split("\r\n")
    .map((line) => line.split(","));
  assert.deepEqual(header, ["Frequency", "Series", "Amplitude (mm)", "Dynamic stiffness (N/mm)", "Lower", "Upper"]);
  const expected = plot.series.flatMap((series) =>
    series.x.map((x, i) => [plot.groups[series.group], series.name, x, series.y[i], series.lower[i], series.upper[i]]),
  );
  assert.deepEqual(
    rows.map(([group, series, ...numbers]) => [group, series, ...numbers.map(Number)]),
    expected,
  );
});

test("gaps stay gaps in CSV and in the drawing", async () => {
  const title = "Transient: force";
  const figure = figureNamed(title);
  await figure.hover();
  const { content } = await downloadOf(figure.getByRole("button", { name: "CSV" }));
  assert.match(content.toString("utf8"), /^measured,2\.\d+,\r$/m);
  const path = await figure.locator('g[aria-label="measured"] path').getAttribute("d");
  assert.equal(path.match(/M/g).length, 2, "one gap makes two pieces of line");
});

test("SVG and PNG stand alone, in light colours", async () => {
  await page.emulateMedia({ colorScheme: "dark" });
  const title = "Loss angle over frequency";
  const figure = figureNamed(title);
  await figure.hover();
  const svg = (await downloadOf(figure.getByRole("button", { name: "SVG" }))).content.toString("utf8");
  assert.ok(svg.includes(title));
  assert.ok(svg.includes(">0.02 mm</text>"), "the legend is part of the file");
  assert.doesNotMatch(svg, /(fill|stroke)="var\(/);
  assert.match(svg, /<rect[^>]*fill="rgb\(255, 255, 255\)"/);
  const png = (await downloadOf(figure.getByRole("button", { name: "PNG" }))).content;
  assert.equal(png.subarray(1, 4).toString("latin1"), "PNG");
  const inside = (await figure.locator("svg[tabindex]").getAttribute("viewBox")).split(" ").map(Number);
  assert.equal(png.readUInt32BE(16), Math.floor(2 * inside[2]));
});

test("prints on A4 in light colours, with nothing that only works on a screen", async () => {
  await page.emulateMedia({ colorScheme: "dark" });
  const pdf = (await page.pdf({ preferCSSPageSize: true })).toString("latin1");
  const pages = pdf.match(/\/Type\s*\/Page\b(?!s)/g) ?? [];
  assert.ok(pages.length >= 3 && pages.length <= 12, `${pages.length} pages`);
  const [, width, height] = /\/MediaBox\s*\[\s*0 0 ([\d.]+) ([\d.]+)/.exec(pdf);
  assert.ok(Math.abs(width - 595) < 2 && Math.abs(height - 842) < 2, `${width} x ${height} points`);
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(255, 255, 255)");
  assert.equal(await page.locator(".tools:visible, .contents:visible, .tip:visible").count(), 0);
});

test("follows the dark colour scheme", async () => {
  const brightness = () =>
    page.evaluate(() => {
      const sum = (colour) =>
        colour
          .match(/\d+/g)
          .slice(0, 3)
          .map(Number)
          .reduce((a, b) => a + b);
      const style = getComputedStyle(document.body);
      return { ground: sum(style.backgroundColor), text: sum(style.color) };
    });
  const light = await brightness();
  await page.emulateMedia({ colorScheme: "dark" });
  const dark = await brightness();
  assert.ok(light.ground > 600 && light.text < 200, JSON.stringify(light));
  assert.ok(dark.ground < 150 && dark.text > 600, JSON.stringify(dark));
});

test("has no sideways scrolling from 900 pixels on", async () => {
  for (const width of [900, 1100, 1280, 1920]) {
    await page.setViewportSize({ width, height: 800 });
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth), `${width} pixels`);
  }
});

test("all that can be clicked can be reached by keyboard and has a name", async () => {
  const nameless = await page
    .locator("button")
    .evaluateAll((buttons) => buttons.filter((button) => !button.textContent.trim() || button.tabIndex < 0).length);
  assert.equal(nameless, 0);
});

// Where the first view shows a point, by the rotation that its two angles mean: about z, then about the axis to the right.
function seenAt(block, [x, y, z], width) {
  const [yaw, pitch] = [-0.6, 0.55];
  const axes = [0, 1, 2].map((axis) => block.points.filter((_, i) => i % 3 === axis));
  const middle = axes.map((values) => (Math.min(...values) + Math.max(...values)) / 2);
  const size = Math.hypot(...axes.map((values) => Math.max(...values) - Math.min(...values)));
  const [a, b, c] = [x - middle[0], y - middle[1], z - middle[2]];
  const right = a * Math.cos(yaw) - b * Math.sin(yaw);
  const deep = a * Math.sin(yaw) + b * Math.cos(yaw);
  const up = c * Math.cos(pitch) + deep * Math.sin(pitch);
  const scale = (0.82 * Math.min(0.9 * width, 1.25 * block.height_px)) / size;
  return { x: width / 2 + scale * right, y: block.height_px / 2 - scale * up };
}

test("a structure is drawn with surfaces that hide what lies behind, can be hidden, cut and read", async () => {
  const block = sample.sections.flatMap(({ blocks }) => blocks).find(({ kind }) => kind === "animation");
  const figure = page.locator("figure.animation");
  const canvas = figure.locator("canvas");
  await canvas.scrollIntoViewIfNeeded();
  await figure.locator("button.play").click(); // it plays when it is first seen
  const slider = figure.getByLabel("Amplitude");
  await slider.fill("0");
  const { width } = await canvas.boundingBox();
  const at = ({ x, y }) =>
    canvas.evaluate((node, [px, py]) => {
      const density = node.width / node.clientWidth;
      const copy = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
      copy.drawImage(node, -Math.round(px * density), -Math.round(py * density));
      return [...copy.getImageData(0, 0, 1, 1).data];
    }, [x, y]);
  // A place where the upper plate covers the lower one.
  const place = seenAt(block, [0.3, 0.2, 0.3], width);
  const covered = await at(place);
  assert.equal(covered[3], 255, "the upper plate is opaque");
  await figure.getByRole("button", { name: "Parts" }).click();
  await figure.getByLabel("Upper plate").uncheck();
  const lower = await at(seenAt(block, [0.3, 0.2, 0.0], width));
  assert.equal(lower[3], 255, "the lower plate is seen");
  await figure.getByLabel("Lower plate").uncheck();
  assert.notEqual((await at(place))[3], 255, "without plates nothing covers this place");
  await figure.getByLabel("Upper plate").check();
  await figure.getByRole("button", { name: "Parts" }).click();
  // Cut at x = 0.5: what lies beyond is gone, what lies before stays.
  await figure.getByLabel("Cut", { exact: true }).selectOption("0");
  assert.equal((await at(seenAt(block, [0.3, 0.2, 0.3], width)))[3], 255);
  assert.notEqual((await at(seenAt(block, [0.8, 0.2, 0.3], width)))[3], 255);
  await figure.getByLabel("Cut", { exact: true }).selectOption("-1");
  // Reading a node.
  const node = seenAt(block, [0, 0, 0.3], width);
  await canvas.hover({ position: node });
  await page.waitForFunction(() => !document.querySelector("figure.animation .tip").hidden);
  const tip = await figure.locator(".tip").innerText();
  assert.match(tip, /Node 100/);
  assert.match(tip, /0, 0, 0\.3/);
});

test("a structure leaves as glTF that describes its own bytes", async () => {
  const figure = page.locator("figure.animation");
  await figure.hover();
  const [download] = await Promise.all([page.waitForEvent("download"), figure.getByRole("button", { name: "glTF" }).click()]);
  const bytes = readFileSync(await download.path());
  assert.equal(bytes.toString("latin1", 0, 4), "glTF");
  assert.equal(bytes.readUInt32LE(8), bytes.length);
  const json = JSON.parse(bytes.toString("utf8", 20, 20 + bytes.readUInt32LE(12)));
  const binary = bytes.subarray(28 + bytes.readUInt32LE(12));
  assert.equal(json.buffers[0].byteLength, binary.length);
  const [position, moved] = [json.accessors[0], json.accessors[1]];
  assert.equal(position.count, 19);
  const numbers = ({ bufferView, count }) => {
    const { byteOffset } = json.bufferViews[bufferView];
    return Array.from({ length: 3 * count }, (_, i) => binary.readFloatLE(byteOffset + 4 * i));
  };
  const block = sample.sections.flatMap(({ blocks }) => blocks).find(({ kind }) => kind === "animation");
  numbers(position).forEach((value, i) => assert.ok(Math.abs(value - block.points[i]) < 1e-7));
  // Only the middle of the upper plate moves, upwards.
  numbers(moved).forEach((value, i) => assert.equal(value > 0, i === 3 * 4 + 2));
  assert.equal(json.animations[0].channels[0].target.path, "weights");
});

test("without scripts it shows the title and says what is missing", async () => {
  const plain = await open({ javaScriptEnabled: false });
  assert.equal(await plain.locator("h1").textContent(), sample.title);
  assert.match(await plain.locator("body").innerText(), /JavaScript, which is switched off/);
  await plain.close();
});
