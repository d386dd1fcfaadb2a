// SPDX-License-Identifier: Apache-2.0
// The way of each kind of user through the page, with bundled files: from the drop to what is taken along. Each prints its clicks.
// Oracle: the truth the bundled data were made from (data/*/MANIFEST.json), and for the road a quarter car that is integrated here.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { button, data, downloadOf, now, readJson, shown, tab } from "./app_fixture.mjs";

const truth = (name) => JSON.parse(readFileSync(data(`${name}/MANIFEST.json`), "utf8")).truth;
const near = (value, wanted, share, what) => assert.ok(Math.abs(value / wanted - 1) < share, `${what}: ${value} for ${wanted}`);
const idOf = () => /(\d{4}-[a-z-]+)/.exec(now.page.url())[1];

// Drops files and counts what is clicked from then on.
let clicks = [];
async function drop(...files) {
  clicks = [];
  await now.page.getByLabel("Measurement files").setInputFiles(files.map(data));
  await now.page.getByText("What was recognised").waitFor();
  await now.page.exposeFunction("clicked", (what) => clicks.push(what));
  await now.page.evaluate(() => addEventListener("click", (event) => event.isTrusted && event.target.tagName !== "SELECT" && window.clicked((event.target.textContent || event.target.getAttribute("aria-label") || event.target.type).trim()), true));
}
const tellClicks = (who) => console.log(`${who}: ${clicks.length} clicks after the drop: ${clicks.join(" > ")}`);

test("test engineer: workbook of a bench, six-axis bushing, export", async () => {
  await drop("bench_workbook/cab_mount.xlsx");
  await now.page.getByRole("button", { name: /^Fit the bushing/ }).click();
  await now.page.waitForURL(/fit-bushing/);
  await shown();
  const { parameters } = readJson(`jobs/${idOf()}/result.json`);
  for (const axis of ["x", "y", "z"]) near(parameters[`f${axis}.rdl`].value, JSON.parse(readFileSync(data(`cab_mount/${axis}_truth.json`), "utf8")).parameters.rdl, 0.05, axis);
  const { content } = await downloadOf(button("BUS"), ".bus");
  assert.match(content.toString("latin1"), /FZ_CURVE/);
  tellClicks("test engineer");
  assert.ok(clicks.length <= 6);
});

test("CAE engineer: deck and measured responses, updated deck", async () => {
  await drop("subframe/on_bushings.bdf", "subframe/frf.uff");
  const setup = now.page.locator(".setup");
  assert.equal(await setup.getByLabel("Units of the FE file").inputValue(), "m_kg"); // 0.9 long
  await setup.getByText("Directions of the bushings one by one").click();
  for (const [bushing, letter] of [[301, "A"], [304, "A"], [302, "B"], [303, "B"]]) await setup.getByLabel(`${bushing} y`, { exact: true }).selectOption(letter);
  await setup.getByLabel("Point 15").check();
  await setup.getByLabel("Band in Hz").fill("30, 290");
  await setup.getByLabel("Starts").fill("1");
  await button("Update").click();
  await now.page.waitForURL(/-update/);
  await shown();
  const { parameters } = readJson(`jobs/${idOf()}/result.json`).parts?.[0] ?? readJson(`jobs/${idOf()}/result.json`);
  // 304 is the front right one, which is worn: the drawing says 600 and 900 N/mm.
  near(parameters.k_304_x.value, truth("subframe").stiffness.front_right_x, 0.1, "k_304_x");
  near(parameters.k_304_z.value, truth("subframe").stiffness.front_right_z, 0.03, "k_304_z");
  const { name, content } = await downloadOf(now.page.getByRole("link", { name: "Updated deck", exact: true }));
  assert.equal(name, "on_bushings.bdf");
  const lines = (text) => text.split(/\r?\n/).filter((line) => !/^(PBUSH|\+|\*)/.test(line));
  const before = readFileSync(data("subframe/on_bushings.bdf"), "utf8");
  assert.notEqual(content.toString("utf8"), before);
  assert.deepEqual(lines(content.toString("utf8")), lines(before)); // nothing but the bushings has changed
  tellClicks("CAE engineer");
  assert.ok(clicks.length <= 6);
});

test("vehicle engineer: decays, masses, springs and dampers", async () => {
  await drop("bump_test/decays.csv");
  const added = { body: 130, "body, pitch": 250, "body, roll": 40, "wheel front left": 4, "wheel front right": 4, "wheel rear left": 5, "wheel rear right": 5 };
  await button("Identify the vehicle").click();
  await now.page.getByText("say what was added").waitFor(); // nothing is guessed
  await button("×").click();
  for (const [part, value] of Object.entries(added)) await now.page.getByLabel(`Added to ${part}`, { exact: true }).fill(String(value));
  await now.page.getByLabel("Mass as weighed").fill("twelve");
  await now.page.getByText('"twelve" is not a number').waitFor(); // told while typing
  await now.page.getByLabel("Mass as weighed").fill("");
  await button("Identify the vehicle").click();
  await now.page.waitForURL(/-vehicle/);
  await shown();
  const { parameters } = readJson(`jobs/${idOf()}/result.json`);
  for (const [name, value] of Object.entries(truth("bump_test"))) near(parameters[name].value, value, 0.05, name);
  tellClicks("vehicle engineer");
});

// The same car by the equations of two masses, with steps of a twentieth of the samples' distance: rms of the body's acceleration.
function quarterCar(road) {
  const { bodies, bushings } = JSON.parse(readFileSync(data("quarter_car/quarter_car.json"), "utf8"));
  const mass = (name) => bodies.find((body) => body.name === name).mass;
  const law = (name) => bushings.find((one) => one.name === name).laws.fz.parameters;
  const [tyre, strut, body, wheel] = [law("tyre"), law("strut"), mass("body"), mass("wheel")];
  const parts = 20;
  let [zb, vb, zw, vw] = [0, 0, 0, 0];
  let square = 0;
  for (let i = 0; i + 1 < road.length; ++i) {
    const [t0, r0] = road[i];
    const [t1, r1] = road[i + 1];
    const dt = (t1 - t0) / parts;
    const rate = (r1 - r0) / (t1 - t0);
    for (let k = 0; k < parts; ++k) {
      const r = r0 + (r1 - r0) * ((k + 0.5) / parts);
      const up = strut.stiffness * (zw - zb) + strut.damping * (vw - vb);
      const ab = up / body;
      const aw = (tyre.stiffness * (r - zw) + tyre.damping * (rate - vw) - up) / wheel;
      vb += ab * dt;
      vw += aw * dt;
      zb += vb * dt;
      zw += vw * dt;
      if (k === 0) square += ab * ab;
    }
  }
  return Math.sqrt(square / road.length);
}

test("ride engineer: road and model, comfort and damage", async () => {
  await drop("quarter_car/quarter_car.json", "quarter_car/road.csv");
  await now.page.locator("figure.animation canvas").waitFor(); // the model is drawn at once
  await button("Simulate").click();
  await now.page.waitForURL(/-simulate/);
  await shown();
  const { series } = readJson(`jobs/${idOf()}/result.json`);
  const road = readFileSync(data("quarter_car/road.csv"), "utf8").trim().split("\n").slice(2).map((line) => line.split(",").map(Number));
  await tab("Comfort and damage").click();
  await button("Assess comfort and damage").click();
  await now.page.waitForURL(/-assess/);
  await shown();
  const assessed = readJson(`jobs/${idOf()}/result.json`);
  const { values } = series.signals["seat.z"];
  const rms = Math.sqrt(values.reduce((sum, value) => sum + value * value, 0) / values.length);
  near(rms, quarterCar(road), 0.03, "rms of the seat"); // the series in the result is thinned
  const text = JSON.stringify(assessed);
  assert.match(text, /"weighting":"Wk"/);
  assert.match(text, /strut_load/);
  await now.page.getByRole("heading", { name: "Ride comfort", exact: true }).waitFor();
  tellClicks("ride engineer");
  assert.ok(clicks.length <= 6);
});

test("mounts in place: model and record, mounts of the car", async () => {
  await drop("engine/engine.json", "engine/measured.csv");
  assert.equal(await now.page.getByLabel("Column of a2.z").inputValue(), "a2.z");
  await button("Identify").click();
  await now.page.waitForURL(/-insitu/);
  await shown();
  const { parameters } = readJson(`jobs/${idOf()}/result.json`);
  for (const [name, value] of Object.entries(truth("engine"))) if (name.endsWith("fz.stiffness")) near(parameters[name].value, value, 0.01, name);
  const { name } = await downloadOf(now.page.getByRole("link", { name: "Model with these mounts" }));
  assert.equal(name, "model.json");
  tellClicks("mounts in place");
  assert.ok(clicks.length <= 6);
});

test("a search is watched while it runs, and what it found is kept when it is stopped", async () => {
  await drop("subframe/on_bushings.bdf", "subframe/frf.uff");
  await now.page.locator(".setup").getByText("Directions of the bushings one by one").click();
  await now.page.getByLabel("Starts").fill("200");
  await button("Update").click();
  const live = now.page.locator(".live");
  await live.locator("figure.plot svg").waitFor();
  await live.getByText("k_301_x").waitFor(); // values of the parameters so far
  await button("Stop").click();
  await shown();
  const { status, parts } = readJson(`jobs/${idOf()}/result.json`);
  assert.match(JSON.stringify([status, parts?.map((part) => part.status)]), /stopped/);
});

test("points of a map are left out by a click, counted again, and left out of the next fit", async () => {
  await button("Open the example").click();
  await button("Fit an elastomer mount").click();
  await now.page.waitForSelector(".panel");
  const figure = now.page.locator("figure.plot", { has: now.page.getByRole("heading", { name: "Dynamic stiffness", exact: true }) });
  const first = async (name) => {
    const box = await figure.locator(`g[aria-label="0.05 mm ${name}"]`).locator("circle, path").first().boundingBox();
    return [box.x + box.width / 2, box.y + box.height / 2];
  };
  const words = now.page.locator(".left-out");
  const count = Number(/^\d+/.exec(await words.textContent())?.[0] ?? 0);
  await now.page.mouse.move(...(await first("measured")));
  await now.page.mouse.click(...(await first("measured")));
  await now.page.getByText(`${count + 1} points left out, fit again to use it`).waitFor();
  await button("Fit again").click();
  await now.page.waitForURL(/0003-fit-elastomer/);
  await now.page.waitForSelector(".panel");
  const { options, findings } = { ...readJson("jobs/0003-fit-elastomer/job.json"), ...readJson("jobs/0003-fit-elastomer/result.json") };
  assert.equal(options.leave_out.length, count + 1);
  assert.ok(options.leave_out.includes(1)); // the first row of the file: 1 Hz, 0.05 mm
  assert.ok(findings.some(({ code }) => code === "left_out"));
  assert.match(await words.textContent(), new RegExp(`^${count + 1} points left out$`));
  // What is left out is drawn otherwise, and comes back with a click.
  await figure.locator('g[aria-label="0.05 mm left out"]').waitFor();
  await now.page.mouse.move(...(await first("left out")));
  await now.page.mouse.click(...(await first("left out")));
  await now.page.getByText(`${count} points left out, fit again to use it`).waitFor();
  await now.page.getByLabel("Map", { exact: true }).selectOption("residuals");
  await now.page.getByRole("heading", { name: "Stiffness, model minus measured", exact: true }).waitFor();
  await now.page.getByLabel("Map", { exact: true }).selectOption("amplitude");
  await now.page.getByRole("heading", { name: "Dynamic stiffness over amplitude", exact: true }).waitFor();
});

test("runs are found, renamed, tagged, and deleted with a way back", async () => {
  await button("Open the example").click();
  await now.page.getByText("What was recognised").waitFor();
  await now.page.locator("nav").getByRole("link", { name: "Runs" }).click();
  await button("Rename").click();
  await now.page.getByLabel("Name of 0001-inspect").fill("Cab mount z #released");
  await now.page.keyboard.press("Enter");
  await now.page.locator(".chip.tag", { hasText: "#released" }).waitFor();
  assert.equal(readJson("jobs/0001-inspect/job.json").title, "Cab mount z #released");
  await now.page.getByLabel("Search runs").fill("nothing like it");
  await now.page.getByText("No run is like that.").waitFor();
  await now.page.getByLabel("Search runs").fill("#released");
  await button("Delete").click();
  await now.page.getByText("No run is like that.").or(now.page.locator(".runs tbody:empty")).first().waitFor({ state: "attached" });
  await button("Undo").click();
  await now.page.getByRole("row", { name: /0001-inspect/ }).waitFor();
  assert.equal(readJson("jobs/0001-inspect/job.json").state, "done");
});
