// SPDX-License-Identifier: Apache-2.0
// The page form of the six tutorials, in a real browser on the bundled data: what docs/tutorials/*.md tells under "On the page" is done here.
// Every word in *italics* there is a thing on the page; each must have been pressed or seen, so the text and the page cannot drift apart.
// Oracle: the truth the bundled data were made from. KDYN_SHOTS: a folder for pictures of the steps.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { button, counted, data, downloadOf, now, projectFile, readJson, shown, slider, tab } from "./app_fixture.mjs";
import { repository } from "./served.mjs";

const truth = (name) => JSON.parse(readFileSync(data(`${name}/MANIFEST.json`), "utf8")).truth;
const close = (found, expected, share, what) => assert.ok(Math.abs(found / expected - 1) <= share, `${what}: ${found} for ${expected}`);

let used = [];
let pictures = 0;
let subject = "";

async function shot() {
  const folder = process.env.KDYN_SHOTS;
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  await now.page.waitForTimeout(700); // what is being drawn
  await now.page.screenshot({ path: join(folder, `${subject}_${String(++pictures).padStart(2, "0")}.png`), fullPage: true });
}

async function press(name, node = button(name)) {
  used.push(name);
  await node.click();
}
const pressLink = (name) => press(name, now.page.getByRole("link", { name, exact: true }));
async function openTab(name, inside) {
  await press(name, tab(name));
  await now.page.locator(inside).first().waitFor();
  await shot();
}
async function see(name, node = now.page.getByText(name).first()) {
  used.push(name);
  await node.waitFor();
}
async function drop(...names) {
  await now.page.locator("nav").getByRole("link", { name: "Start", exact: true }).click();
  used.push(`drop ${names.map((name) => name.split("/").pop()).join(", ")}`);
  await now.page.getByLabel("Measurement files").setInputFiles(names.map(data));
  await now.page.getByText("What was recognised").waitFor();
}
async function fill(field, text) {
  used.push(field.replaceAll("_", " "), `${field} ${text}`);
  const input = now.page.locator(`#field-${field}`);
  // A field in a closed group is behind the title of the group.
  if (!(await input.isVisible())) {
    const group = now.page.locator("details.group", { has: input });
    used.push(await group.locator("summary").textContent());
    await group.locator("summary").click();
  }
  await input.fill(text);
}
async function result(operation) {
  await now.page.waitForURL(new RegExp(`\\d{4}-${operation}`));
  await shown();
  await shot();
  const [id] = new RegExp(`\\d{4}-${operation}`).exec(now.page.url());
  return { id, ...readJson(`jobs/${id}/result.json`) };
}

function tutorial(name, follow) {
  test(`${name}: the page does what the tutorial tells`, async () => {
    used = [];
    pictures = 0;
    subject = name;
    const text = readFileSync(join(repository, `docs/tutorials/${name}.md`), "utf8");
    const section = /## On the page\n([\s\S]*?)\n## /.exec(text)[1].replaceAll(/`[^`]*`|!\[[^\]]*\]\([^)]*\)/g, "");
    await follow();
    const told = [...section.matchAll(/(?<!\*)\*([^*]+)\*(?!\*)/g)].map(([, words]) => words.replaceAll(/\s+/g, " "));
    assert.ok(told.length >= 4, told.join());
    for (const words of told) assert.ok(used.includes(words), `the tutorial speaks of "${words}", which was neither pressed nor seen`);
    console.log(`${name}: ${used.join(" > ")}`);
  });
}

tutorial("bushing", async () => {
  await drop("bench_workbook/cab_mount.xlsx");
  await see("What was recognised");
  await shot();
  await press("Fit the bushing cab mount 4711 (x, y, z)");
  const found = await result("fit-bushing");
  for (const axis of ["x", "y", "z"]) {
    const { rdl } = JSON.parse(readFileSync(data(`cab_mount/${axis}_truth.json`), "utf8")).parameters;
    close(found.parameters[`f${axis}.rdl`].value, rdl, 0.05, `rdl of ${axis}`); // intervals are about 2 %
  }
  await counted(now.page.locator(".card.direction"), 3);
  await see("Export", now.page.getByText("Export", { exact: true }).first());
  used.push("BUS", "FMU 3.0");
  assert.match((await downloadOf(button("BUS"), ".bus")).content.toString("latin1"), /FZ_CURVE/);
  await now.page.locator(".export-losses").getByText(/loses friction/).first().waitFor();
  await shot();
  assert.equal((await downloadOf(button("FMU 3.0"), ".fmu")).content.subarray(0, 2).toString("latin1"), "PK");
  await openTab("Directions side by side", "figure.plot");

  await drop("cab_mount/z_map.csv", "cab_mount/z_static.csv");
  await press("Fit an elastomer mount");
  await now.page.waitForSelector(".panel");
  await see("Workbench", tab("Workbench"));
  const misfit = async () => Number((await now.page.locator(".misfit", { hasText: "stiffness" }).locator("b").textContent()).split(" ")[0]);
  const good = await misfit();
  await slider("rho").focus();
  for (let i = 0; i < 40; ++i) await now.page.keyboard.press("ArrowRight");
  await now.page.waitForFunction((limit) => Number(/stiffness\s*([\d.]+)/.exec(document.querySelector(".misfits").textContent)[1]) > limit, 1.2 * good);
  await shot();
  used.push("Undo");
  while (await button("Undo").isEnabled()) await button("Undo").click();
  await now.page.waitForFunction((limit) => Math.abs(Number(/stiffness\s*([\d.]+)/.exec(document.querySelector(".misfits").textContent)[1]) - limit) < 1e-9, good);
  const before = now.page.url();
  await press("Fit again");
  await now.page.waitForURL((address) => address.href !== before);
  await now.page.waitForSelector(".panel");
  close(await misfit(), good, 0.02, "misfit of the second fit");
});

tutorial("hydro_mount", async () => {
  await drop("hydro_mount/map.csv", "hydro_mount/static.csv");
  await see("Looks like a hydro mount");
  await see("Fit a hydro mount", button("Fit a hydro mount"));
  await shot();
  await pressLink("Fit with options");
  await now.page.locator("#field-chamber_area").waitFor({ state: "attached" });
  await fill("chamber_area", "4800");
  await fill("channel_area", "62");
  await fill("fluid_density", "1050");
  await shot();
  await press("Run");
  await now.page.waitForSelector(".panel");
  const found = await result("fit-hydromount");
  const { parameters } = truth("hydro_mount");
  close(found.parameters.channel_length.value, parameters.channel_length, 0.02, "channel length"); // interval 0.5 %
  close(found.parameters.decoupler_clearance.value, parameters.decoupler_clearance, 0.04, "clearance"); // interval 1.5 %
  await openTab("Level of detail", ".document table");
  await openTab("Inside the mount", ".document figure");
  await openTab("Stability and jumps", ".document figure");
  await press("Workbench", tab("Workbench"));
  used.push("FMU 2.0");
  assert.equal((await downloadOf(button("FMU 2.0"), ".fmu")).content.subarray(0, 2).toString("latin1"), "PK");
});

tutorial("hammer_test", async () => {
  await drop("subframe/hits_1.uff", "subframe/hits_2.uff", "subframe/points.uff");
  await shot();
  await pressLink("Estimate responses");
  await now.page.locator("#field-geometry").waitFor({ state: "attached" });
  assert.match(await now.page.locator("#field-geometry").inputValue(), /points\.uff/);
  await fill("band_hz", "20, 280");
  await press("Run");
  await result("frf");
  await openTab("Responses", "figure.plot svg[tabindex]");
  await pressLink("Identify modes");
  await fill("band_hz", "40, 270");
  await press("Run");
  const modal = await result("modal");
  await see("Modes and shapes", tab("Modes and shapes"));
  await now.page.locator("canvas").first().waitFor();
  const expected = truth("subframe").free.filter(({ frequency_hz }) => frequency_hz < 270);
  assert.equal(modal.poles.length, expected.length);
  for (const [i, mode] of expected.entries()) close(modal.poles[i].frequency_hz, mode.frequency_hz, 1e-4, `mode ${i + 1}`);
  await openTab("Stabilisation", ".chip");
  await now.page.locator(".chip").first().click();
  await press("Identify with these poles");
  await now.page.waitForURL((address) => !address.href.includes(modal.id));
  assert.equal((await result("modal")).poles.length, expected.length - 1);
  await now.page.goBack();
  await now.page.waitForURL((address) => address.href.includes(modal.id));
  await shown();
  await pressLink("Make a flexible body");
  await now.page.locator("#field-fe").waitFor({ state: "attached" });
  await see("fe", now.page.locator("#field-fe"));
  // A file dropped on a field is copied into the project, and its path is filled in.
  const bytes = readFileSync(data("subframe/frame.bdf")).toString("latin1");
  const transfer = await now.page.evaluateHandle((text) => {
    const files = new DataTransfer();
    files.items.add(new File([text], "frame.bdf"));
    return files;
  }, bytes);
  await now.page.locator(".file-field", { has: now.page.locator("#field-fe") }).dispatchEvent("drop", { dataTransfer: transfer });
  await now.page.waitForFunction(() => document.querySelector("#field-fe").value.endsWith("frame.bdf"));
  await press("Run");
  const body = await result("body");
  assert.ok(readFileSync(projectFile(`jobs/${body.id}/body.json`), "utf8").length > 1000);
});

tutorial("updating", async () => {
  await drop("subframe/on_bushings.bdf", "subframe/frf.uff", "subframe/job.json");
  await now.page.locator("figure.animation canvas").first().waitFor();
  await see("Set up an update", now.page.getByRole("link", { name: "Set up an update" }));
  await shot();
  await press("Run job.json");
  const found = await result("update");
  assert.ok(found.id);
  await openTab("Parameters, before and after", ".document figure, .document table");
  const { stiffness } = truth("subframe");
  // As shown: the row of the worn bushing, in N/mm.
  const cells = await now.page.locator(".document tr", { hasText: "front_right_z" }).first().locator("td").allTextContents();
  const near = cells.some((cell) => Math.abs(Number(cell) / (stiffness.front_right_z / 1000) - 1) < 0.02); // interval 0.5 %
  assert.ok(near, cells.join(" | "));
  await openTab("Modes and responses", ".document figure");
  await openTab("What the data determine", ".document table, .document figure");
  await openTab("Files", ".file-links a");
  const deck = await downloadOf(now.page.getByRole("link", { name: /updated\/on_bushings\.bdf/ }));
  assert.match(deck.content.toString("latin1"), /PBUSH/);
  await pressLink("Modes of the updated deck");
  await press("Run");
  const modes = await result("fe");
  const [first] = truth("subframe").on_bushings;
  close(modes.frequencies_hz[0], first.frequency_hz, 0.01, "first mode of the updated deck");
  await now.page.goto(`${now.server.address}#/update`);
  await now.page.getByLabel("Units of the FE file").selectOption("mm_t");
  await shot();
});

tutorial("engine_mounts", async () => {
  await drop("engine/engine.json", "engine/measured.csv", "engine/job.json");
  await shot();
  await press("Run job.json");
  const found = await result("insitu");
  assert.equal(found.status, "converged");
  const expected = truth("engine");
  for (const name of ["left.fz.stiffness", "right.fz.stiffness", "rear.fz.stiffness"]) close(found.parameters[name].value, expected[name], 2e-3, name); // intervals 0.03 %
  await openTab("Convergence", ".document figure");
  await openTab("Responses", ".document figure");
  await openTab("Identifiability", ".document figure, .document table");
  await see("Simulate with these mounts", now.page.getByRole("link", { name: "Simulate with these mounts" }));
  await pressLink("Modes with these mounts");
  await press("Run");
  assert.ok((await result("modes")).id);
});

tutorial("vehicle", async () => {
  await drop("bump_test/decays.csv");
  await shot();
  const added = { body: 130, "body, pitch": 250, "body, roll": 40, "wheel front left": 4, "wheel front right": 4, "wheel rear left": 5, "wheel rear right": 5 };
  for (const [part, value] of Object.entries(added)) await now.page.getByLabel(`Added to ${part}`, { exact: true }).fill(String(value));
  await press("Identify the vehicle");
  const found = await result("vehicle");
  const expected = truth("bump_test");
  for (const name of ["ms", "Iyy", "ksf", "csf"]) close(found.parameters[name].value, expected[name], 0.03, name); // intervals 1.5 %
  await see("Parameters", tab("Parameters"));
  await openTab("Measured and model", ".document figure");
  await openTab("Modes", "canvas");
  await openTab("Checks", ".document");
  await drop("bump_test/drive_old.csv", "bump_test/drive_new.csv");
  await shot();
  await press("Assess comfort and damage");
  await result("assess");
  // As the tutorial tells: from 0.48 to 0.54 m/s^2.
  for (const value of ["0.481", "0.535"]) await now.page.locator(".result").getByText(new RegExp(value.replace(".", "\\."))).first().waitFor();
  await press("Vehicle", now.page.locator("nav").getByRole("link", { name: "Vehicle", exact: true }));
  for (const label of ["Identify the example", "Assess the example"]) await button(label).waitFor();
});
