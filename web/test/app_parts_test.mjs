// SPDX-License-Identifier: Apache-2.0
// Whole parts in a real browser: a workbook of a bench becomes a six-axis bushing, a dropped structure is seen in space.
// Oracle: the models behind data/cab_mount, which the workbook holds, and what the command line makes of the same model.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { button, counted, data, downloadOf, now, readJson, shown, tab } from "./app_fixture.mjs";
import { binary, repository } from "./served.mjs";

const clicks = [];
async function click(name, node = button(name)) {
  clicks.push(name);
  await node.click();
}

test("a workbook becomes one bushing and leaves for other programs, with what is lost", async () => {
  clicks.length = 0;
  await now.page.getByLabel("Measurement files").setInputFiles(data("bench_workbook/cab_mount.xlsx"));
  await now.page.getByText("What was recognised").waitFor();
  await click("Fit the bushing", now.page.getByRole("button", { name: /^Fit the bushing/ }));
  await now.page.waitForURL(/fit-bushing/);
  await shown();
  const [, id] = /(\d+-fit-bushing)/.exec(now.page.url());
  const result = readJson(`jobs/${id}/result.json`);
  assert.equal(result.status, "converged");
  for (const axis of ["x", "y", "z"]) {
    const { rdl } = JSON.parse(readFileSync(data(`cab_mount/${axis}_truth.json`), "utf8")).parameters;
    const found = result.parameters[`f${axis}.rdl`];
    assert.ok(Math.abs(found.value / rdl - 1) < 0.05, `rdl of ${axis}: ${found.value} for ${rdl}`); // intervals are about 2 %
  }
  // One card for each direction, with its verdict.
  await counted(now.page.locator(".card.direction"), 3);
  for (const axis of ["fx", "fy", "fz"]) await now.page.locator(".card.direction", { hasText: axis }).getByText("converged").waitFor();
  // What the file will lose stands on its button before: what the command line says of a dry run of the same model.
  const said = (to, ...words) => JSON.parse(execFileSync(binary, ["export", `jobs/${id}/model.json`, "--to", to, "--dry-run", ...words, "--json", "--no-report", "--out", join(now.folder, "loss")], { cwd: join(now.folder, "project") })).loss.words;
  const told = (name) => now.page.locator(".export-tile", { hasText: name }).locator(".loss");
  await told("BUS").getByText(said("bus"), { exact: true }).waitFor();
  await told("FMU 3.0").getByText("whole model", { exact: true }).waitFor();
  await now.page.getByLabel("Frequency at which the damping is right").fill("40");
  await told("BUS").getByText(said("bus", "--frequency-hz", "40"), { exact: true }).waitFor();
  await now.page.getByLabel("Frequency at which the damping is right").fill("10");
  clicks.push("BUS");
  const bus = await downloadOf(button("BUS"), ".bus");
  assert.match(bus.content.toString("latin1"), /FZ_CURVE/);
  await now.page.locator(".export-losses").getByText(/loses friction/).first().waitFor();
  clicks.push("FMU 3.0");
  const fmu = await downloadOf(button("FMU 3.0"), ".fmu");
  const path = join(now.folder, "again.fmu");
  writeFileSync(path, fmu.content);
  const seen = JSON.parse(execFileSync(binary, ["inspect", path, "--json", "--no-report", "--out", join(now.folder, "seen")]));
  assert.equal(seen.files[0].kind, "fmu");
  await tab("Directions side by side").click();
  await now.page.locator("figure.plot").first().waitFor();
  console.log(`clicks after the drop: ${clicks.join(", ")}`);
  assert.ok(clicks.length <= 6);
});

test("a deck is drawn the moment it is dropped", async () => {
  await now.page.getByLabel("Measurement files").setInputFiles(join(repository, "examples/updating/box_ring.bdf"));
  await now.page.getByText("What was recognised").waitFor();
  const canvas = now.page.locator("figure.animation canvas");
  await canvas.waitFor();
  // Surfaces: many opaque points, not only lines.
  await now.page.waitForFunction(() => {
    const node = document.querySelector("figure.animation canvas");
    const copy = new OffscreenCanvas(node.width, node.height).getContext("2d", { willReadFrequently: true });
    copy.drawImage(node, 0, 0);
    const { data: bytes } = copy.getImageData(0, 0, node.width, node.height);
    let opaque = 0;
    for (let i = 3; i < bytes.length; i += 4) opaque += bytes[i] === 255;
    return opaque > 0.03 * node.width * node.height;
  });
});
