// SPDX-License-Identifier: Apache-2.0
// Every field of work in a real browser: from its example or from files to results, an exported model and a report.
// Oracle: the truth the bundled data were made from (data/*/MANIFEST.json), files the server writes, and what is drawn.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { button, counted, data, downloadOf, goTo, now, projectFile, readJson, shown, tab } from "./app_fixture.mjs";
import { binary, repository } from "./served.mjs";

const truth = (name) => JSON.parse(readFileSync(data(`${name}/MANIFEST.json`), "utf8")).truth;
const operations = JSON.parse(execFileSync(binary, ["describe", "--json"], { maxBuffer: 1 << 26 })).operations.map(({ operation }) => operation);
const figure = (title) => now.page.locator("figure.plot", { has: now.page.getByRole("heading", { name: title, exact: true }) }).first();
const svgOf = (title) => figure(title).locator("svg[tabindex]");

async function example(page, label) {
  await now.page.locator("nav").getByRole("link", { name: page, exact: true }).click();
  await button(label).click();
  await shown();
}

// The report as one file opens on its own.
async function reportOpens() {
  const link = now.page.getByRole("link", { name: "Report", exact: true });
  const address = new URL(await link.getAttribute("href"), now.server.address).href;
  await now.page.goto(address);
  await now.page.waitForSelector("#report.ready");
}

test("modal: responses, poles picked by a click, MAC, moving shapes, equalised responses", async () => {
  await example("Modal", "Identify the example");
  const known = truth("frame");
  const found = readJson("jobs/0001-modal/result.json").poles;
  assert.equal(found.length, known.length);
  for (const [i, mode] of known.entries()) assert.ok(Math.abs(found[i].frequency_hz / mode.frequency_hz - 1) < 1e-3, `mode ${i + 1}`);
  // The shape moves: two pictures of the canvas differ. It can be turned and scaled.
  const picture = () => now.page.locator("canvas").evaluate((canvas) => canvas.toDataURL());
  const before = await picture();
  await now.page.waitForFunction((first) => document.querySelector("canvas").toDataURL() !== first, before);
  await button("Pause").click();
  const still = await picture();
  await now.page.locator("canvas").focus();
  await now.page.keyboard.press("ArrowRight");
  assert.notEqual(await picture(), still);
  const turned = await picture();
  await now.page.getByLabel("Amplitude").fill("2.5");
  assert.notEqual(await picture(), turned);

  await tab("Responses").click();
  await figure("Magnitude").waitFor();
  await counted(figure("Magnitude").locator('g[aria-label="1+Z:1+Z measured"]'), 1);
  await now.page.getByLabel("7+Z over 9+Z").check();
  await figure("Magnitude").locator('g[aria-label="7+Z:9+Z identified"]').waitFor();
  await figure("Magnitude").hover();
  const csv = (await downloadOf(figure("Magnitude").getByRole("button", { name: "CSV" }))).content.toString("utf8");
  assert.match(csv, /^7\+Z:9\+Z,measured,20,/m);

  await tab("MAC").click();
  await counted(figure("Auto-MAC").locator("g"), known.length ** 2);

  // A click on a kept column takes it back; the next run has exactly the others.
  await tab("Stabilisation").click();
  await now.page.locator(".chip").first().waitFor();
  await counted(now.page.locator(".chip"), known.length);
  await svgOf("Stabilisation diagram").scrollIntoViewIfNeeded();
  const pole = await svgOf("Stabilisation diagram").locator('g[aria-label="stable, of a kept mode"]').locator("circle, path").last().boundingBox();
  await now.page.mouse.move(pole.x + pole.width / 2, pole.y + pole.height / 2);
  await now.page.mouse.click(pole.x + pole.width / 2, pole.y + pole.height / 2);
  await now.page.waitForFunction((count) => document.querySelectorAll(".chip").length === count, known.length - 1);
  await button("Identify with these poles").click();
  await now.page.waitForURL(/0002-modal/);
  await shown();
  assert.equal(readJson("jobs/0002-modal/result.json").poles.length, known.length - 1);

  await tab("Responses").click();
  await now.page.getByLabel("Damping ratio of the equalised responses").fill("0.05");
  await button("Equalise").click();
  await now.page.waitForURL(/0003-modal/);
  await figure("Magnitude").locator('g[aria-label="1+Z:1+Z equalised"]').waitFor(); // the address opens the tab
  await tab("Files").click();
  const { name, content } = await downloadOf(now.page.getByRole("link", { name: /modes\.uff/ }));
  assert.equal(name, "modes.uff");
  assert.match(content.toString("latin1"), /^ {4}-1/m);
  await reportOpens();
});

test("hydro mounts: recommended by the data, level of detail, inside, stability, export", async () => {
  await now.page.getByLabel("Measurement files").setInputFiles(["map.csv", "static.csv"].map((name) => data(`hydro_mount/${name}`)));
  await now.page.getByText("Looks like a hydro mount").waitFor();
  assert.match(await button("Fit a hydro mount").getAttribute("class"), /primary/);
  await button("Fit a hydro mount").click();
  await now.page.waitForSelector(".panel");
  assert.ok(Number(await now.page.locator(".misfit", { hasText: "stiffness" }).locator("b").textContent().then((text) => text.split(" ")[0])) < 2);
  await tab("Level of detail").click();
  await now.page.getByRole("cell", { name: "chosen", exact: true }).waitFor();
  await tab("Inside the mount").click();
  for (const title of ["Pressure in the chamber", "Velocity of the fluid in the channel"]) await svgOf(title).waitFor();
  await tab("Stability and jumps").click();
  await svgOf("Dynamic stiffness over frequency").waitFor();
  await tab("Workbench").click();
  const { content } = await downloadOf(button("FMU 2.0"), ".fmu");
  assert.equal(content.subarray(0, 2).toString("latin1"), "PK");
  await reportOpens();
});

test("active mounts: analysed with a stability chart, fitted", async () => {
  await example("Hydro and active", "Analyse the active mount");
  assert.equal(await tab("Stability chart").getAttribute("aria-selected"), "true");
  await now.page.getByRole("heading", { name: "Stability of the control loop" }).waitFor();
  await now.page.locator("figure.plot svg[tabindex]").nth(1).waitFor({ state: "attached" });
  await tab("Control run").click();
  await now.page.locator(".document figure.plot svg[tabindex]").first().waitFor();
  await example("Hydro and active", "Fit the active mount");
  await tab("Parameters").click();
  await now.page.getByRole("cell", { name: "95 %" }).or(now.page.getByRole("columnheader", { name: "95 % interval" })).first().waitFor();
  await reportOpens();
});

test("vehicle: parameters with intervals, moving modes; comfort and damage side by side", async () => {
  await example("Vehicle", "Identify the example");
  const { parameters } = readJson("jobs/0001-vehicle/result.json");
  for (const [name, value] of Object.entries(truth("bump_test"))) assert.ok(Math.abs(parameters[name].value / value - 1) < 0.05, name);
  await now.page.getByRole("cell", { name: "ksf", exact: true }).waitFor();
  await tab("Modes").click();
  assert.match(await now.page.getByLabel("Shape").locator("option").first().textContent(), /Hz, damping/);
  await tab("Measured and model").click();
  await now.page.locator(".document figure.plot svg[tabindex]").first().waitFor();
  await example("Vehicle", "Assess the example");
  for (const title of ["Ride comfort", "Durability"]) await now.page.getByRole("heading", { name: title, exact: true }).waitFor();
  await reportOpens();
});

test("columns that nobody recognised are named by the user", async () => {
  const file = join(now.folder, "bench 7.csv");
  const rows = Array.from({ length: 40 }, (_, i) => {
    const x = 2 * Math.sin((2 * Math.PI * i) / 39);
    return `${x.toFixed(3)};${(0.3 * x).toFixed(4)};7`.replaceAll(".", ",");
  });
  writeFileSync(file, ["Weg;Kraft;Kanal 3", ...rows].join("\n"));
  await now.page.getByLabel("Measurement files").setInputFiles(file);
  await button("Assign the columns").click();
  // The names were understood; the unit of the force is kN.
  assert.equal(await now.page.getByLabel("Quantity of Weg").inputValue(), "displacement");
  assert.equal(await now.page.getByLabel("Quantity of Kanal 3").inputValue(), "");
  await now.page.getByLabel("Quantity of Kanal 3").selectOption("displacement");
  await button("Use these columns").click();
  await now.page.getByText("displacement is chosen twice", { exact: true }).waitFor();
  await now.page.getByLabel("Quantity of Kanal 3").selectOption("");
  await button("Use these columns").click();
  // Without units kdyn says what is missing; nothing is guessed.
  await now.page.getByText(/unit/).first().waitFor();
  await now.page.getByLabel("Unit of Weg").fill("mm");
  await now.page.getByLabel("Unit of Kraft").fill("kN");
  await button("Use these columns").click();
  await now.page.getByText("static loop", { exact: true }).waitFor();
  const copied = readFileSync(projectFile("data/bench 7_columns.csv"), "utf8").split("\n");
  assert.equal(copied[0], "displacement_mm,force_n");
  assert.equal(copied.length, 42);
  // 2 mm and 600 N are the ends of the axes, once the plot is drawn.
  await svgOf("Static loop").locator('g[aria-label="y-axis tick label"] text').first().waitFor();
  const ticks = async (axis) => (await svgOf("Static loop").locator(`g[aria-label="${axis}-axis tick label"] text`).allTextContents()).map(Number);
  assert.ok(Math.max(...(await ticks("y"))) >= 600);
});

test("results follow the theme and the units, and have addresses of their own", async () => {
  await example("Vehicle", "Identify the example");
  await tab("Checks").click();
  assert.match(now.page.url(), /#\/vehicle\/0001-vehicle\?tab=checks$/);
  await now.page.reload();
  await now.page.getByRole("heading", { name: "Checks", exact: true }).waitFor();
  await now.page.getByLabel("Theme").selectOption("dark");
  assert.equal(await now.page.locator(".plot-block, .heatmap").first().evaluate((node) => getComputedStyle(node).backgroundColor), "rgb(26, 32, 41)");
  await goTo("#/hydro");
  await button("Fit the hydro mount").click();
  await now.page.waitForSelector(".panel");
  await tab("Stability and jumps").click();
  await svgOf("Dynamic stiffness over frequency").getByText("Dynamic stiffness (N/mm)").waitFor();
  await now.page.getByLabel("Units").selectOption("si");
  await svgOf("Dynamic stiffness over frequency").getByText("Dynamic stiffness (N/m)").waitFor();
  // Keys lead from page to page.
  await now.page.locator("h1").click();
  await now.page.keyboard.press("g");
  await now.page.keyboard.press("d");
  await now.page.getByRole("heading", { name: "Modal testing" }).waitFor();
});

test("multibody: seen moving with its forces, signals chosen, bushings found again", { skip: !operations.includes("simulate") && "this kdyn has no simulate" }, async () => {
  await example("Multibody", "Simulate an engine");
  const picture = () => now.page.locator("canvas").evaluate((canvas) => canvas.toDataURL());
  const start = await picture();
  await now.page.getByLabel("Time").fill("300");
  assert.notEqual(await picture(), start);
  const loaded = await picture();
  await now.page.getByLabel("Forces").fill("3"); // arrows of the bushings grow
  assert.notEqual(await picture(), loaded);
  await tab("Signals").click();
  await now.page.getByLabel("Search signals").fill("block.position.z");
  await now.page.getByLabel("block.position.z").check();
  await svgOf("Signals in mm").waitFor();

  await example("Multibody", "Modes of an engine");
  const { modes } = readJson("jobs/0002-modes/result.json");
  assert.ok(modes.length > 5 && modes[0].frequency_hz > 1 && modes[0].damping > 0);
  await tab("Modes and shapes").click();
  await now.page.locator("canvas").first().waitFor();
  await tab("Frequency responses").click();
  await now.page.locator(".document svg[tabindex]").first().waitFor();
  // The form is made from the list of operations.
  await goTo("#/run/modes");
  await now.page.locator("#field-model").waitFor();
  await now.page.locator("#field-inputs").waitFor({ state: "attached" }); // in a folded group

  await example("Multibody", "Find bushings again");
  const { parameters } = readJson("jobs/0004-insitu/result.json");
  // What was simulated: examples/multibody/double_mass.json.
  for (const [name, value] of Object.entries({ "b1.fx.stiffness": 2000, "b1.fx.damping": 4, "b2.fx.stiffness": 1000, "b2.fx.damping": 2 }))
    assert.ok(Math.abs(parameters[name].value / value - 1) < 1e-3, name);
  await svgOf("Objective").or(now.page.locator(".document svg[tabindex]")).first().waitFor();
  await tab("Responses").click();
  await now.page.locator(".document figure.plot svg[tabindex]").first().waitFor();
  await reportOpens();
});

test("dropped responses are looked at before anything is identified", async () => {
  await now.page.getByLabel("Measurement files").setInputFiles(["frf.csv", "points.uff"].map((name) => data(`frame/${name}`)));
  await figure("Magnitude").locator('g[aria-label="1+Z:1+Z measured"]').waitFor();
  await now.page.getByRole("link", { name: "With options" }).click();
  assert.equal(await now.page.getByLabel("geometry").inputValue(), "data/points.uff");
  await now.page.goBack();
  await button("Identify modes").click();
  await shown();
  await now.page.locator("canvas").waitFor();
});

test("every page has a help link to its page of the book, where the server has one", async () => {
  const { book } = await (await fetch(`${now.server.address}api/app`)).json();
  const link = now.page.locator("nav a.help");
  assert.equal(await link.isVisible(), book);
  for (const [hash, page] of [["#/", "index.html"], ["#/mount", "tutorials/bushing.html"], ["#/modal", "tutorials/hammer_test.html"], ["#/run/fit%20elastomer", "reference/fit_elastomer.html"]]) {
    await goTo(hash);
    await now.page.waitForFunction((page) => document.querySelector("nav a.help").getAttribute("href") === `book/${page}`, page);
    if (!book) continue;
    const answer = await fetch(`${now.server.address}book/${page}`);
    assert.equal(answer.status, 200);
    assert.match(await answer.text(), /<article>/);
  }
});

test("updating: FE modes, a job set up from FE file and measurements, before and after", { skip: !operations.includes("update") && "this kdyn has no update" }, async () => {
  await example("Updating", "Modes of the example");
  assert.equal(readJson("jobs/0001-fe/result.json").rigid_modes, 6); // free in space
  await now.page.getByLabel("Shape").locator("option").nth(9).waitFor({ state: "attached" });
  await tab("Matrix doctor").click();
  await now.page.locator(".document .finding, .document table, .document .nothing").first().waitFor();

  const program = process.env.KDYN_UPDATING_TEST || join(repository, "build/release/examples/updating_test");
  execFileSync(program, ["--out", now.folder, "--parts", "1"]);
  await goTo("#/");
  await now.page.getByLabel("Measurement files").setInputFiles(["box_ring.bdf", "part_1.uff"].map((name) => join(now.folder, name)));
  await now.page.getByRole("link", { name: "Set up an update" }).click();
  await now.page.getByRole("heading", { name: "Model updating" }).waitFor(); // the page of the files has such a set-up, too
  await now.page.getByLabel("data/part_1.uff").check();
  // Two of the four bushings, as the file names them.
  await now.page.getByLabel("Stiffnesses of bushing 2000001").waitFor();
  for (const bushing of [2000003, 2000004]) await now.page.getByLabel(`Stiffnesses of bushing ${bushing}`).uncheck();
  await now.page.getByLabel("Band in Hz").fill("30, 150");
  await now.page.getByLabel("Starts").fill("1");
  await button("Update").click();
  await shown();
  const id = /0\d+-update/.exec(now.page.url())[0];
  const job = readJson(`jobs/${id}/job.json`);
  assert.deepEqual(job.options.parameters.map(({ labels }) => labels), [[2000001], [2000002]]);
  assert.equal(await tab("Parameters, before and after").getAttribute("aria-selected"), "true");
  await tab("Convergence").click();
  await now.page.locator(".document figure.plot svg[tabindex]").first().waitFor();
  await tab("Modes and responses").click();
  await now.page.locator(".document figure.plot").first().waitFor();
  await reportOpens();
});
