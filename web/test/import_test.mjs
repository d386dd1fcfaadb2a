// SPDX-License-Identifier: Apache-2.0
// The import wizard in a real browser: columns by drag, by press and by menu, values for all rows, live curves, templates, sheets, parts and
// directions; and covers of reports. Oracle: the numbers the files were written from, and what the command line makes of the same file.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { button, counted, data, goTo, now, projectFile, readJson } from "./app_fixture.mjs";
import { binary } from "./served.mjs";

const file = (name, text) => {
  const path = join(now.folder, name);
  writeFileSync(path, text);
  return path;
};
const drop = async (...paths) => {
  await goTo("#/");
  await now.page.getByLabel("Measurement files").setInputFiles(paths);
  await now.page.waitForURL(/data\/\d+/);
  await now.page.locator(".cards .card").first().waitFor();
};
const inspected = (path) => JSON.parse(execFileSync(binary, ["inspect", path, "--json", "--no-report", "--out", join(now.folder, "seen")], { cwd: projectFile(".") })).files[0];
// Channels that say nothing by themselves; 0.3 N/µm, loss angle 6 deg, amplitude in a heading nobody reads.
const rows = (scale) => [1, 2, 5, 10, 20, 50].map((hz) => `${hz};${(300 * scale).toFixed(1)};6,0`).join("\n");
const channels = (scale) => `Kanal 1;Kanal 2;Kanal 3\n${rows(scale)}\n`;

test("columns are dragged, pressed and chosen; curves follow; the template reads the next file", async () => {
  await drop(file("first.csv", channels(1)), file("second.csv", channels(2)));
  await button("Assign the columns").first().click();
  const chip = (name) => now.page.getByRole("group", { name: "Quantities" }).getByRole("button", { name, exact: true });
  await chip("Frequency").dragTo(now.page.getByRole("columnheader", { name: /Kanal 1/ }).locator("div"));
  assert.equal(await now.page.getByLabel("Quantity of Kanal 1").inputValue(), "frequency");
  await chip("Dynamic stiffness").click();
  await now.page.getByRole("columnheader", { name: /Kanal 2/ }).locator("div").click();
  assert.equal(await now.page.getByLabel("Quantity of Kanal 2").inputValue(), "k_dyn");
  await now.page.getByLabel("Quantity of Kanal 3").selectOption("loss_angle");
  for (const [name, unit] of [["Kanal 1", "Hz"], ["Kanal 2", "N/mm"], ["Kanal 3", "deg"]]) await now.page.getByLabel(`Unit of ${name}`).fill(unit);
  await now.page.getByText("No curves yet:").waitFor(); // the amplitude is missing, and kdyn says so
  for (const quantity of ["Amplitude", "Preload"]) await now.page.getByLabel(`${quantity} of all rows`).fill(quantity === "Amplitude" ? "0.1 mm" : "0 N");
  await now.page.getByText("1 curve of a map").waitFor();
  await now.page.locator(".wizard-preview svg").first().waitFor();
  await now.page.getByLabel("Direction of all rows").selectOption("z");
  await now.page.getByText("also for 1 file with this header").waitFor();
  await now.page.getByLabel("remember for files with this header").check();
  await button("Use these columns").click();
  await now.page.getByText("give the template a name").waitFor();
  await now.page.getByLabel("Name of the template").fill("Our 831");
  await button("Use these columns").click();
  await now.page.getByRole("heading", { name: "second_columns.csv", exact: true }).waitFor();
  for (const [name, scale] of [["first", 1], ["second", 2]]) {
    const lines = readFileSync(projectFile(`data/${name}_columns.csv`), "utf8").trim().split("\n");
    assert.equal(lines[0], "# direction: z");
    assert.deepEqual(lines.slice(2).map((line) => line.split(",").map(Number)), [1, 2, 5, 10, 20, 50].map((hz) => [hz, 0.1, 0, 300 * scale, 6]));
  }
  // The next file with these columns needs nobody.
  const layout = readJson(".kdyn/layouts/our_831.json");
  assert.deepEqual(layout.match.sort(), ["Kanal 1", "Kanal 2", "Kanal 3"]);
  await drop(file("third.csv", channels(3)));
  await now.page.getByText("dynamic-stiffness map", { exact: true }).waitFor();
  await now.page.locator("figure.plot").first().waitFor(); // drawn with the template, too
});

test("every sheet of a workbook has its columns, and sheets can be given to parts and directions", async () => {
  await drop(data("bench_workbook/cab_mount.xlsx"));
  const { sheets } = readJson("jobs/0001-inspect/result.json").files[0];
  assert.ok(sheets.length > 2);
  await button("Change columns or units").click();
  const tabs = now.page.getByRole("group", { name: "Sheets" }).getByRole("button");
  await counted(tabs, sheets.length);
  for (const [at, { columns }] of sheets.entries()) {
    await tabs.nth(at).click();
    await counted(now.page.locator(".columns thead th"), columns.length);
  }
  const parts = now.page.locator(".parts");
  await parts.locator("summary").click();
  const first = parts.locator("tbody tr").first();
  await first.getByRole("combobox").selectOption("radial");
  for (const input of await parts.getByRole("textbox").all()) await input.fill("4711");
  await button("Use these parts and directions").click();
  await now.page.waitForURL(/\d+-inspect/);
  await now.page.getByRole("button", { name: /^Fit the bushing 4711 \(.*radial/ }).waitFor();
  const [, id] = /data\/([^?]+)/.exec(now.page.url());
  const { files } = readJson(`jobs/${id}/result.json`);
  assert.ok(files.every((one) => one.part === "4711"));
  assert.deepEqual(inspected(files[0].path).direction, "radial");
});

test("a report gets its cover, and the next one begins with the same words", async () => {
  await drop(data("cab_mount/x_map.csv"));
  await button("Fit an elastomer mount").click();
  await now.page.waitForSelector(".panel");
  await button("Cover").click();
  await now.page.getByLabel("Part", { exact: true }).last().fill("4711");
  await now.page.getByLabel("Customer").fill("Müller & Söhne");
  const png = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");
  writeFileSync(join(now.folder, "logo.png"), png);
  await now.page.getByLabel("Logo", { exact: true }).setInputFiles(join(now.folder, "logo.png"));
  await now.page.getByText("logo.png").waitFor();
  await button("Put it on the report").click();
  await now.page.getByText("The report has its cover.").waitFor();
  const html = readFileSync(projectFile("jobs/0002-fit-elastomer/report.html"), "utf8");
  const { cover } = JSON.parse(/id="document">(.*?)<\/script>/s.exec(html)[1]);
  assert.deepEqual(cover, { part: "4711", customer: "Müller & Söhne", logo: `data:image/png;base64,${png.toString("base64")}` });
  const { report } = await (await fetch(`${now.server.address}api/jobs/0002-fit-elastomer`)).json();
  await button("Cover").click();
  assert.equal(await now.page.getByLabel("Customer").inputValue(), "Müller & Söhne");
  await now.page.goto(new URL(`../${report}`, now.server.address).href);
  await now.page.waitForSelector("#report.ready");
  await now.page.getByText("Müller & Söhne").waitFor();
  assert.equal(await now.page.locator(".cover img").evaluate((img) => img.naturalWidth), 1);
  await now.page.emulateMedia({ media: "print" });
  const [head, main] = await Promise.all([".masthead", "main"].map((one) => now.page.locator(one).boundingBox()));
  assert.ok(head.height > 800 && main.y >= head.y + head.height); // a page of its own
});
