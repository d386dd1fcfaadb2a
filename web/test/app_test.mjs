// SPDX-License-Identifier: Apache-2.0
// The mount workbench, runs, catalogue and long records in a real browser, on the real server with real files.
// Oracle: files the server writes, results of the command line, and positions of what is drawn.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { button, counted, data, downloadOf, fitExample, now, projectFile, readJson, shown, slider } from "./app_fixture.mjs";
import { binary, startServer } from "./served.mjs";

// The number beside a label of the misfit line: "stiffness 0.470 %".
async function misfit(what) {
  const text = await now.page.locator(".misfit", { hasText: what }).locator("b").textContent();
  return Number(text.split(" ")[0]);
}

// Drags a slider by a share of its width, a pixel at a time.
async function drag(name, share) {
  await slider(name).scrollIntoViewIfNeeded();
  const box = await slider(name).boundingBox();
  const y = box.y + box.height / 2;
  const value = Number(await slider(name).inputValue()) / 1000;
  const thumb = 8;
  const x = box.x + thumb + value * (box.width - 2 * thumb);
  await now.page.mouse.move(x, y);
  await now.page.mouse.down();
  const steps = 60;
  for (let i = 1; i <= steps; ++i) await now.page.mouse.move(x + (share * box.width * i) / steps, y);
  await now.page.mouse.up();
}

const linePath = (figure, line) =>
  now.page.locator("figure.plot", { has: now.page.getByRole("heading", { name: figure, exact: true }) }).locator(`g[aria-label="${line}"] path`).getAttribute("d");

test("first page to an exported model in at most ten clicks", async () => {
  const clicks = [];
  await now.page.exposeFunction("clicked", (what) => clicks.push(what));
  await now.page.evaluate(() => addEventListener("click", (event) => event.isTrusted && window.clicked(event.target.textContent), true));
  await fitExample();
  const download = now.page.waitForEvent("download");
  await button("UBF").click();
  const file = await (await download).path();
  assert.match(readFileSync(file, "utf8"), /\[/);
  console.log(`clicks: ${clicks.join(" > ")}`);
  assert.ok(clicks.length > 0 && clicks.length <= 10, `${clicks.length} clicks`);
  // The same file as the command line writes from the same model.
  const out = join(now.folder, "cli");
  execFileSync(binary, ["export", "jobs/0002-fit-elastomer/model.json", "--to", "ubf", "--out", out, "--quiet"], { cwd: projectFile(".") });
  const [name] = readdirSync(out).filter((one) => one.endsWith(".ubf"));
  assert.equal(readFileSync(file, "utf8"), readFileSync(join(out, name), "utf8"));
});

test("files are dropped, recognised, fitted and exported in every format", async () => {
  await now.page.getByLabel("Measurement files").setInputFiles(["x_map.csv", "x_static.csv", "x_transient.csv"].map((name) => data(`cab_mount/${name}`)));
  await now.page.getByRole("heading", { name: "x_map.csv", exact: true }).waitFor();
  for (const words of ["dynamic-stiffness map", "static loop", "transient"]) await now.page.getByText(words, { exact: true }).waitFor();
  await now.page.getByText("Columns and units").first().click();
  await now.page.getByRole("cell", { name: "k_dyn_n_per_mm" }).waitFor();
  await counted(now.page.locator("figure.plot"), 4);
  await button("Fit an elastomer mount").click();
  await now.page.waitForSelector(".panel");
  for (const title of ["Dynamic stiffness", "Loss angle", "Static loop", "Hysteresis of the model", "Transient"])
    await now.page.getByRole("heading", { name: title, exact: true }).waitFor();
  const result = readJson("jobs/0002-fit-elastomer/result.json");
  assert.equal(await misfit("stiffness"), Number((100 * result.fit.rms_kdyn_rel).toPrecision(3)));
  assert.equal(await misfit("loss angle"), Number(result.fit.rms_loss_deg.toPrecision(3)));
  const formats = JSON.parse(execFileSync(binary, ["describe", "export", "--json"])).operations[0].fields.find(({ name }) => name === "to").choices;
  const buttons = await now.page.locator(".export-bar button").count();
  assert.equal(buttons, formats.length + 1);
  for (let i = 0; i < buttons; ++i) {
    const download = now.page.waitForEvent("download");
    await now.page.locator(".export-bar button").nth(i).click();
    assert.ok(readFileSync(await (await download).path()).length > 50);
  }
  await now.page.getByRole("link", { name: "Report" }).evaluate((link) => link.removeAttribute("target"));
  await now.page.getByRole("link", { name: "Report" }).click();
  await now.page.waitForSelector("#report.ready");
});

test("what is read in a small plot hides none of its curves", async () => {
  await fitExample();
  const figure = now.page.locator("figure.plot", { has: now.page.getByRole("heading", { name: "Loss angle", exact: true }) });
  await figure.scrollIntoViewIfNeeded();
  const box = await figure.locator(".stage svg").first().boundingBox();
  for (const share of [0.3, 0.5, 0.85]) {
    await now.page.mouse.move(box.x + share * box.width, box.y + box.height / 2);
    const tip = await figure.locator(".tip").boundingBox();
    assert.ok(tip.width > box.width / 2, "a small plot is tried");
    // The line through the point goes from the lower to the upper end of the axes.
    const line = await figure.locator(".crosshair line").first().boundingBox();
    assert.ok(tip.y + tip.height <= line.y || tip.y >= line.y + line.height, `${share}: ${JSON.stringify([tip, line])}`);
    assert.ok(tip.x >= 0 && tip.x + tip.width <= 1280);
  }
});

test("sliders move the curves, undo takes it back", async () => {
  await fitExample();
  const before = await linePath("Dynamic stiffness", "0.05 mm model");
  const good = await misfit("stiffness");
  await now.page.evaluate(() => performance.clearMeasures());
  await drag("rho", 0.3);
  const times = await now.page.evaluate(() => performance.getEntriesByName("slider to curve").map(({ duration }) => duration));
  times.sort((a, b) => a - b);
  const at = (share) => times[Math.min(times.length - 1, Math.floor(share * times.length))].toFixed(1);
  console.log(`slider to curve, 6 x 50 map: median ${at(0.5)} ms, 90 % below ${at(0.9)} ms, ${times.length} curves drawn in 60 steps`);
  await now.page.waitForFunction((limit) => Number(/stiffness ([\d.]+)/.exec(document.querySelector(".misfits").textContent)[1]) > limit, 3 * good);
  assert.notEqual(await linePath("Dynamic stiffness", "0.05 mm model"), before);
  // What is drawn is the model of these parameters: the server evaluates what the page shows.
  const value = Number(await now.page.getByLabel("rho value").inputValue());
  assert.ok(value > 5, `rho is ${value} 1/mm`);
  await now.page.keyboard.press("Control+z");
  await now.page.waitForFunction((limit) => Math.abs(Number(/stiffness ([\d.]+)/.exec(document.querySelector(".misfits").textContent)[1]) - limit) < 1e-9, good);
  assert.ok(Math.abs(Number(await now.page.getByLabel("rho value").inputValue()) - 4.4959) < 1e-3);
  assert.ok(await button("Undo").isDisabled());
  await button("Redo").click();
  await now.page.waitForFunction((limit) => Number(/stiffness ([\d.]+)/.exec(document.querySelector(".misfits").textContent)[1]) > limit, 3 * good);
  await button("As fitted").click();
  await now.page.waitForFunction((limit) => Math.abs(Number(/stiffness ([\d.]+)/.exec(document.querySelector(".misfits").textContent)[1]) - limit) < 1e-9, good);
});

test("the stiffness of a mount with a static curve scales the curve", async () => {
  await fitExample();
  const before = await misfit("stiffness");
  const value = now.page.getByLabel("static_stiffness value", { exact: true });
  const fitted = Number(await value.inputValue());
  await value.fill(String(1.1 * fitted));
  await value.press("Enter");
  await now.page.waitForFunction((old) => Number(/stiffness\s*([\d.]+)/.exec(document.querySelector(".misfits").textContent)?.[1]) > old + 3, before);
  // What leaves is the model whose curve is scaled; its stiffness at the origin is that of the curve as before.
  const { content } = await downloadOf(button("Model file"));
  const { parameters } = JSON.parse(content.toString("utf8"));
  const { parameters: fit } = readJson("jobs/0002-fit-elastomer/model.json");
  assert.ok(Math.abs(parameters.scale_curve / fit.scale_curve - 1.1) < 1e-4); // the page shows five digits
  assert.equal(parameters.static_stiffness, fit.static_stiffness);
  assert.deepEqual(parameters.curve, fit.curve);
});

test("a value that no mount can have is refused with the remedy", async () => {
  await fitExample();
  now.expected = /status of 400/;
  await now.page.getByLabel("alpha value").fill("-5");
  await now.page.getByLabel("alpha value").press("Enter");
  const trouble = now.page.locator(".trouble.model");
  await trouble.waitFor();
  assert.match(await trouble.textContent(), /alpha/);
  await button("Undo").click();
  await trouble.waitFor({ state: "detached" });
});

test("held parameters and bounds go into the next fit", async () => {
  await fitExample();
  await now.page.locator('.parameter[data-name="rho"] .lock').click();
  await now.page.getByLabel("rho value").fill("5");
  await now.page.getByLabel("rho value").press("Enter");
  await now.page.locator('.parameter[data-name="gamma"] summary').click();
  await now.page.getByLabel("gamma highest").fill("3");
  await now.page.getByLabel("gamma highest").press("Enter");
  await now.page.getByText("Law, criterion, weights").click();
  await now.page.getByLabel("criterion").selectOption("loop");
  await button("Fit again").click();
  await now.page.waitForURL(/0003-fit-elastomer/);
  await now.page.waitForSelector(".panel");
  const { parameters, options_used: used } = readJson("jobs/0003-fit-elastomer/result.json");
  assert.equal(parameters.rho.status, "fixed");
  assert.equal(parameters.rho.value, 5000);
  assert.ok(parameters.gamma.value <= 0.003 + 1e-12);
  assert.equal(used.criterion, "loop");
  assert.equal(await now.page.locator('.parameter[data-name="rho"] .lock').textContent(), "held");
});

test("units, theme and preload can be switched", async () => {
  await fitExample();
  const stiffness = async () => Number(await now.page.getByLabel("static_stiffness value", { exact: true }).inputValue());
  const shown_n_per_mm = await stiffness();
  assert.ok(Math.abs(shown_n_per_mm - 338) < 0.5, `${shown_n_per_mm} N/mm`); // the truth is 338
  await now.page.getByLabel("Units").selectOption("si");
  assert.ok(Math.abs((await stiffness()) / (1000 * shown_n_per_mm) - 1) < 1e-4);
  await now.page.getByText("Dynamic stiffness (N/m)").waitFor();
  await now.page.getByLabel("Units").selectOption("engineering");
  await now.page.getByLabel("Preload").selectOption("1");
  await now.page.waitForFunction(() => [...document.querySelectorAll('g[aria-label="y-axis tick label"] text')].some((text) => Number(text.textContent) >= 700));
  const colour = () => now.page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await now.page.getByLabel("Theme").selectOption("dark");
  assert.equal(await colour(), "rgb(18, 22, 28)");
  await now.page.reload();
  await now.page.waitForSelector(".panel"); // a deep link, and the theme is remembered
  assert.equal(await colour(), "rgb(18, 22, 28)");
});

test("any operation is a form, a run and a report", async () => {
  await now.page.getByLabel("Measurement files").setInputFiles(data("cab_mount/z_truth.json"));
  await now.page.getByRole("link", { name: "Run on the virtual rig" }).click();
  await now.page.getByText("Programme map", { exact: true }).click();
  await now.page.getByLabel("frequencies hz").fill("1, 5, 20");
  await button("Run").click();
  await shown();
  const result = readJson("jobs/0002-rig/result.json");
  assert.deepEqual([...new Set(result.map.map((row) => row.frequency_hz))], [1, 5, 20]);
  await now.page.getByRole("link", { name: "Change options" }).click();
  assert.equal(await now.page.getByLabel("frequencies hz").inputValue(), "1, 5, 20");
  await now.page.getByLabel("frequencies hz").fill("1, five");
  await now.page.locator(".wrong", { hasText: '"five" is not a number' }).waitFor(); // told while typing
  await button("Run").click();
  await now.page.locator(".message", { hasText: '"five" is not a number' }).waitFor();
});

test("errors of a run are shown with their remedy", async () => {
  const bad = join(now.folder, "bad.csv");
  writeFileSync(bad, "frequency_hz,what\n1,2\n");
  await now.page.getByLabel("Measurement files").setInputFiles(bad);
  await now.page.getByText("not recognised", { exact: true }).waitFor();
  await now.page.goto(`${now.server.address}#/run/fit%20elastomer?data=data/bad.csv`);
  await button("Run").click();
  await now.page.locator(".trouble", { hasText: "What to do" }).waitFor();
  await now.page.goto(`${now.server.address}#/mount/9999-nothing`);
  await now.page.getByText("There is no run 9999-nothing").waitFor();
});

test("runs are listed, compared and deleted", async () => {
  await fitExample();
  await button("Fit again").click();
  await now.page.waitForURL(/0003-fit-elastomer/);
  await now.page.waitForSelector(".panel");
  await now.page.locator("nav").getByRole("link", { name: "Runs" }).click();
  await now.page.getByLabel("Choose 0002-fit-elastomer").check();
  await now.page.getByLabel("Choose 0003-fit-elastomer").check();
  await button("Put beside each other").click();
  await shown();
  await now.page.locator("nav").getByRole("link", { name: "Runs" }).click();
  now.page.once("dialog", (dialog) => void dialog.accept());
  await now.page.getByRole("row", { name: /0001-inspect/ }).getByRole("button", { name: "Delete" }).click();
  await now.page.getByRole("row", { name: /0001-inspect/ }).waitFor({ state: "detached" });
});

test("fits are kept, found and compared in the catalogue", async () => {
  await now.page.locator("nav").getByRole("link", { name: "Catalogue" }).click();
  await now.page.getByText("The catalogue is empty").waitFor();
  await now.page.getByRole("link", { name: "Start", exact: true }).click();
  await fitExample();
  const keep = async (part, direction) => {
    await now.page.getByText("Keep in the catalogue").click();
    await now.page.getByLabel("Part number").fill(part);
    await now.page.getByLabel("Direction").fill(direction);
    const kept = now.page.waitForResponse(/api\/catalogue$/);
    await button("Keep").click();
    assert.equal((await kept).status(), 200);
  };
  await keep("4711", "z");
  await button("Fit again").click();
  await now.page.waitForURL(/0003-fit-elastomer/);
  await now.page.waitForSelector(".panel");
  await keep("4712", "z");
  await now.page.locator("nav").getByRole("link", { name: "Catalogue" }).click();
  await now.page.getByRole("cell", { name: "4711", exact: true }).waitFor();
  await counted(now.page.locator("tbody tr"), 2);
  // Two equal fits: the same stiffness twice, with intervals.
  await counted(now.page.locator('figure.plot g[aria-label="z"] circle'), 2);
  await now.page.getByLabel("Search").fill("4712");
  await now.page.getByRole("cell", { name: "4711", exact: true }).waitFor({ state: "detached" });
  await counted(now.page.locator("tbody tr"), 1);
  await now.page.getByLabel("Search").fill("");
  await now.page.getByLabel("Choose 4711 z").check();
  await now.page.getByLabel("Choose 4712 z").check();
  await button("Put beside each other").click();
  await shown();
});

test("a long record is thinned, and refined where one zooms in", async () => {
  const count = 300_000;
  const spike = 123_457;
  const lines = ["time_s,displacement_mm,force_n"];
  // The amplitude swells: a steady sine would be taken as a point of a map.
  const swell = (i) => 0.6 + 0.4 * Math.sin(i * 1.3e-4);
  for (let i = 0; i < count; ++i)
    lines.push(`${(i * 1e-4).toFixed(4)},${(swell(i) * Math.sin(i * 0.02)).toFixed(4)},${i === spike ? 5000 : (300 * swell(i) * Math.sin(i * 0.02 + 0.1)).toFixed(2)}`);
  const file = join(now.folder, "long_series.csv");
  writeFileSync(file, lines.join("\n"));
  await now.page.getByLabel("Measurement files").setInputFiles(file);
  const figure = now.page.locator("figure.plot", { has: now.page.getByRole("heading", { name: "Transient", exact: true }) });
  await figure.waitFor();
  const points = async () => (await figure.locator('g[aria-label="measured"] path').getAttribute("d")).split("L").length;
  const coarse = await points();
  assert.ok(coarse > 500 && coarse < 5000, `${coarse} points`);
  // The one sample that stands out is still there: the axis reaches it.
  assert.ok((await figure.locator('g[aria-label="y-axis tick label"] text').allTextContents()).map(Number).some((value) => value >= 5000));
  const box = await figure.locator("svg").first().boundingBox();
  const [from, to] = [0.45, 0.5];
  await now.page.mouse.move(box.x + from * box.width, box.y + box.height / 2);
  await now.page.mouse.down();
  await now.page.mouse.move(box.x + to * box.width, box.y + box.height / 2, { steps: 5 });
  const answer = now.page.waitForResponse(/workbench\/series/);
  await now.page.mouse.up();
  const { samples, channels } = await (await answer).json();
  assert.ok(samples > 5000 && samples < 40000, `${samples} samples in the zoomed part`);
  const force = channels.find(({ name }) => name === "force_n");
  await now.page.waitForFunction((wanted) => document.querySelector('g[aria-label="measured"] path').getAttribute("d").split("L").length === wanted, force.time_s.length);
  await button("Reset zoom").click();
  await now.page.waitForFunction((wanted) => document.querySelector('g[aria-label="measured"] path').getAttribute("d").split("L").length === wanted, coarse);
});

test("a page survives the death of its server and shows what goes on", async () => {
  await now.page.getByLabel("Measurement files").setInputFiles(data("cab_mount/z_truth.json"));
  await now.page.getByRole("link", { name: "Run on the virtual rig" }).waitFor();
  // Long enough that the run outlives the restart of the now.server.
  const frequencies = Array.from({ length: 15000 }, (_, i) => (1 + 0.002 * i).toFixed(3)).join(",");
  await now.page.goto(`${now.server.address}#/run/rig?model=data/z_truth.json`);
  await now.page.getByText("Programme map", { exact: true }).click();
  await now.page.getByLabel("frequencies hz").fill(frequencies);
  await button("Run").click();
  await now.page.waitForFunction(() => Number(document.querySelector("progress")?.value) > 0);
  const { port } = now.server;
  now.expected = /ERR_CONNECTION|ERR_INCOMPLETE|ERR_EMPTY/;
  await now.server.kill();
  await now.page.getByText("The server does not answer").waitFor();
  now.server = await startServer(projectFile("."), "--port", String(port));
  await now.page.getByText("The server does not answer").waitFor({ state: "hidden" });
  await button("Stop").click();
  await now.page.locator(".state", { hasText: "stopped" }).waitFor();
  await shown(); // what was computed is kept
});
