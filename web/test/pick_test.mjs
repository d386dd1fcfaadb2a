// SPDX-License-Identifier: Apache-2.0
// Pictures that are pointed at: bushings and sensors of a model, bushings, shells and measured points of a deck; seats and mounts of a drive;
// runs over each other. Marks are found as an eye finds them, by what the page says where the pointer rests.
// Oracle: what the run was asked for (job.json), and places of the bundled files.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { button, data, goTo, now, readJson, shown } from "./app_fixture.mjs";

const idOf = () => /(\d{4}-[a-z-]+)/.exec(now.page.url())[1];
const optionsOf = () => readJson(`jobs/${idOf()}/job.json`).options;

async function drop(...files) {
  await now.page.getByLabel("Measurement files").setInputFiles(files.map(data));
  await now.page.waitForURL(/#\/data\//);
  await now.page.locator(".cards .card").first().waitFor();
}

// Where the tip says this; the picture is gone over as with a hand.
async function markNamed(name) {
  const canvas = now.page.locator(".pick canvas");
  await canvas.scrollIntoViewIfNeeded();
  await canvas.waitFor();
  const box = await canvas.boundingBox();
  const tip = now.page.locator(".pick .tip .tip-head");
  for (let y = 6; y < box.height; y += 9)
    for (let x = 6; x < box.width; x += 9) {
      await now.page.mouse.move(box.x + x, box.y + y);
      if ((await tip.isVisible()) && (await tip.textContent()) === name) return { x: box.x + x, y: box.y + y };
    }
  throw new Error(`no mark ${name} in the picture`);
}

test("mounts in place: a click on a bushing holds it, a column is dropped on its sensor", async () => {
  await drop("engine/engine.json", "engine/measured.csv");
  const setup = now.page.locator(".setup");
  const free = () => setup.locator(".mount-unknowns", { hasText: "rear" }).locator("input[type=checkbox]:checked").count();
  const before = await free();
  assert.ok(before > 0);
  const rear = await markNamed("Bushing rear");
  await now.page.mouse.click(rear.x, rear.y);
  assert.equal(await free(), 0);
  await now.page.mouse.click(rear.x, rear.y);
  assert.equal(await free(), before);
  // A column that is dropped on a sensor goes to the channel along its own axis.
  const [first] = await setup.locator(".mapping select").evaluateAll((nodes) => nodes.map((node) => node.getAttribute("aria-label").replace("Column of ", "")));
  const sensor = first.replace(/\.[xyz]$/, "");
  const menu = setup.getByLabel(`Column of ${first}`, { exact: true });
  const column = await menu.inputValue();
  assert.notEqual(column, "");
  await menu.selectOption("");
  const at = await markNamed(`Sensor ${sensor}`);
  const target = now.page.locator(".pick canvas");
  const box = await target.boundingBox();
  await setup.locator(".chip.quantity", { hasText: column }).first().dragTo(target, { targetPosition: { x: at.x - box.x, y: at.y - box.y } });
  assert.equal(await menu.inputValue(), column);
});

test("updating: bushings and measured points are chosen on the mesh", async () => {
  await drop("subframe/on_bushings.bdf", "subframe/frf.uff", "subframe/points.uff");
  const setup = now.page.locator(".setup");
  const box = setup.getByLabel("Point 15", { exact: true });
  assert.equal(await box.isChecked(), false);
  const point = await markNamed("Point 15");
  await now.page.mouse.click(point.x, point.y);
  assert.equal(await box.isChecked(), true);
  const bushing = setup.getByLabel("Stiffnesses of bushing 301", { exact: true });
  const at = await markNamed("Bushing 301");
  await now.page.mouse.click(at.x, at.y);
  assert.equal(await bushing.isChecked(), false);
  await now.page.mouse.click(at.x, at.y);
  assert.equal(await bushing.isChecked(), true);
});

test("a drive: seats and mounts are chosen and weighted", async () => {
  await drop("bump_test/drive_new.csv");
  const setup = now.page.locator(".setup");
  const titles = readFileSync(data("bump_test/drive_new.csv"), "utf8").split("\n")[0].split(",").slice(1).map((title) => title.replace(/ \[.*/, "").trim());
  for (const title of titles) assert.ok(await setup.getByLabel(title, { exact: true }).isChecked(), title);
  await setup.getByLabel("seat_x", { exact: true }).uncheck();
  await setup.getByLabel("Weighting of seat_y").selectOption("Wc");
  await button("Assess these channels").click();
  await now.page.waitForURL(/assess/);
  await shown();
  const { channels, weighting } = optionsOf();
  assert.deepEqual(channels, titles.filter((title) => title !== "seat_x"));
  assert.deepEqual(weighting, { seat_y: "Wc" });
});

test("decays: the sketch of the car shows what was measured where", async () => {
  await drop("bump_test/decays.csv");
  assert.deepEqual((await now.page.locator(".sketch .sensor title").allTextContents()).map((words) => words.split(":")[0]).sort(), ["phi", "theta", "zs", "zuA", "zuB", "zuC", "zuD"]);
});

test("runs: small curves, and two runs over each other", async () => {
  await drop("cab_mount/z_map.csv");
  for (let i = 0; i < 2; ++i) {
    await goTo("#/run/fit%20elastomer?data=data%2Fz_map.csv");
    await button("Run").click();
    await now.page.waitForURL(/fit-elastomer/);
    await shown();
  }
  await goTo("#/jobs");
  await now.page.locator("svg.small-curve path").first().waitFor();
  for (const box of (await now.page.getByRole("checkbox", { name: /fit-elastomer/ }).all()).slice(0, 2)) await box.check();
  await button("Lay over each other").click();
  await now.page.getByText("2 runs over each other").waitFor();
  await now.page.locator("figure.plot svg[tabindex]").first().waitFor();
  assert.equal(await now.page.locator(".legend").first().getByText(/z_map\.csv \(\d{4}\)/).count(), 2);
  assert.equal(await now.page.getByRole("row", { name: /Misfit|misfit/ }).count() > 0, true);
});
