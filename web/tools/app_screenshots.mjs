// SPDX-License-Identifier: Apache-2.0
// Pictures of every page of the web application, light and dark, 1280 and 1920 px wide: node tools/app_screenshots.mjs <output folder>
// drives the real server with the bundled data and writes PAGE-THEME-WIDTH.webp. Environment: KDYN_BINARY, the program.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launchBrowser } from "../test/browser.mjs";
import { repository, startServer } from "../test/served.mjs";

const [folder, only, quick] = process.argv.slice(2); // only: pages whose name matches; quick: light and narrow alone
if (!folder) throw new Error("give the output folder: node tools/app_screenshots.mjs <output folder>");
await mkdir(folder, { recursive: true });
const home = await mkdtemp(join(tmpdir(), "kdyn_pictures_"));
const server = await startServer(join(home, "cab mount"), "--port", "0");
const browser = await launchBrowser();
const painter = await browser.newPage();

// PNG is several times larger, and the browser can write this one.
async function webp(png) {
  const address = await painter.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
    const picture = await createImageBitmap(new Blob([bytes]));
    const canvas = document.createElement("canvas");
    // The wide ones are for the arrangement, not for reading small print.
    const scale = Math.min(1, 1440 / picture.width);
    canvas.width = picture.width * scale;
    canvas.height = picture.height * scale;
    const context = canvas.getContext("2d");
    context.imageSmoothingQuality = "high";
    context.drawImage(picture, 0, 0, canvas.width, canvas.height);
    return canvas.toDataURL("image/webp", 0.42);
  }, png.toString("base64"));
  return Buffer.from(address.split(",")[1], "base64");
}

const button = (page, name) => page.getByRole("button", { name, exact: true });
const done = (page) => page.locator(".result.ready, .trouble").first().waitFor();

// Runs what the pages show; returns the address of each.
async function fillProject(page) {
  const at = {};
  const here = async (name) => {
    await done(page);
    at[name] = new URL(page.url()).hash.replace(/\?.*/, "");
  };
  const keep = async (direction, batch) => {
    await page.waitForSelector(".panel");
    await page.getByText("Keep in the catalogue").click();
    await page.getByLabel("Part number").fill("4711");
    await page.getByLabel("Direction").fill(direction);
    await page.getByLabel("Batch").fill(batch);
    const kept = page.waitForResponse(/api\/catalogue$/);
    await button(page, "Keep").click();
    await kept;
  };
  const from = async (hash, files) => {
    await page.goto(`${server.address}${hash}`);
    if (files) await page.getByLabel("Measurement files").setInputFiles(files.map((file) => join(repository, file)));
  };
  await button(page, "Open the example").click();
  await page.waitForURL(/data\/0001/);
  at.data = "#/data/0001-inspect";
  await button(page, "Fit an elastomer mount").click();
  await here("workbench");
  await keep("z", "first");
  for (const direction of ["x", "y"]) {
    await from("#/", ["map", "static", "transient"].map((kind) => `data/cab_mount/${direction}_${kind}.csv`));
    await page.getByRole("heading", { name: `${direction}_map.csv`, exact: true }).waitFor();
    await button(page, "Fit an elastomer mount").click();
    await done(page);
    await keep(direction, "first");
  }
  const odd = join(home, "bench 7.csv");
  await writeFile(odd, "Weg;Kraft;Kanal 3\n0,000;1,2;0\n0,105;12,8;0\n0,210;24,9;0\n0,315;36,4;0\n");
  await page.goto(`${server.address}#/`);
  await page.getByLabel("Measurement files").setInputFiles(odd);
  await page.getByText("not recognised", { exact: true }).waitFor();
  at.columns = new URL(page.url()).hash;
  for (const [hash, label, name] of [
    ["#/hydro", "Fit the hydro mount", "hydro"],
    ["#/hydro", "Analyse the active mount", "active"],
    ["#/modal", "Identify the example", "modal"],
    ["#/vehicle", "Identify the example", "vehicle"],
    ["#/vehicle", "Assess the example", "assess"],
    ["#/multibody", "Simulate a subframe", "multibody"],
    ["#/multibody", "Find bushings again", "insitu"],
    ["#/update", "Modes of the example", "fe"],
  ]) {
    await from(hash);
    await page.locator(".drop").waitFor();
    if ((await button(page, label).count()) === 0) continue; // an operation this kdyn does not have
    await button(page, label).click();
    await here(name);
  }
  // Two parts of the updating example, measured on the virtual bench.
  const program = process.env.KDYN_UPDATING_TEST || join(repository, "build/release/examples/updating_test");
  if (existsSync(program) && at.fe) {
    execFileSync(program, ["--out", home, "--parts", "2"]);
    await page.goto(`${server.address}#/`);
    await page.getByLabel("Measurement files").setInputFiles(["box_ring.bdf", "part_1.uff", "part_2.uff"].map((name) => join(home, name)));
    await page.getByRole("link", { name: "Set up an update" }).click();
    for (const part of [1, 2]) await page.getByLabel(`data/part_${part}.uff`).check();
    await page.getByLabel("Band in Hz").fill("30, 265");
    await page.getByLabel("Starts").fill("1");
    await button(page, "Update").click();
    await here("update");
  }
  return at;
}

async function pages(at) {
  const list = [
    ["start", "#/", ".drop"],
    ["data", at.data, ".finding"],
    ["columns", at.columns, ".card", (page) => button(page, "Assign the columns").click()],
    ["workbench", at.workbench, ".panel"],
    ["mounts", "#/mount", ".tile"],
    ["hydro_detail", `${at.hydro}?tab=detail`, ".document"],
    ["hydro_inside", `${at.hydro}?tab=inside`, ".document figure"],
    ["hydro_stability", `${at.hydro}?tab=stability`, ".document figure"],
    ["active_stability", `${at.active}?tab=stability`, ".document figure"],
    ["modal_start", "#/modal", ".tile"],
    ["modal_shapes", `${at.modal}?tab=modes`, "canvas"],
    ["modal_stabilisation", `${at.modal}?tab=stabilisation`, ".chip"],
    ["modal_responses", `${at.modal}?tab=responses`, ".browser figure", async (page) => page.getByLabel("15+Z over 1+Z").check()],
    ["modal_mac", `${at.modal}?tab=mac`, ".heatmap"],
    ["vehicle", `${at.vehicle}?tab=parameters`, ".document table"],
    ["vehicle_modes", `${at.vehicle}?tab=modes`, "canvas"],
    ["comfort", `${at.assess}?tab=comfort`, ".document table"],
    ["multibody", `${at.multibody}?tab=motion`, "canvas"],
    ["insitu", at.insitu && `${at.insitu}?tab=convergence`, ".document figure"],
    ["multibody_signals", `${at.multibody}?tab=signals`, ".browser figure"],
    ["fe_modes", `${at.fe}?tab=modes`, "canvas"],
    ["update_start", "#/update", ".tile"],
    ["update_result", at.update && `${at.update}?tab=result`, ".document figure"],
    ["update_responses", at.update && `${at.update}?tab=responses`, ".document figure"],
    ["update_population", at.update && `${at.update}?tab=population`, ".document-section"],
    ["update_convergence", at.update && `${at.update}?tab=convergence`, ".document figure"],
    ["catalogue", "#/catalogue", "figure.plot"],
    ["runs", "#/jobs", "table"],
    ["operations", "#/run", ".tile"],
    ["operation", "#/run/fit%20elastomer", ".form"],
  ];
  return list.filter(([, hash]) => hash && !hash.startsWith("undefined"));
}

async function take(list, theme, width) {
  const page = await browser.newPage({ viewport: { width, height: width > 1500 ? 1080 : 860 }, colorScheme: theme });
  page.setDefaultTimeout(120_000);
  for (const [name, hash, ready, act] of list) {
    await page.goto("about:blank");
    await page.goto(server.address + hash);
    await page.locator(ready).first().waitFor();
    await act?.(page);
    await page.waitForTimeout(400);
    await writeFile(join(folder, `${name}-${theme}-${width}.webp`), await webp(await page.screenshot()));
  }
  await page.close();
}

const looks = [
  ["light", 1280],
  ["dark", 1280],
  ["light", 1920],
  ["dark", 1920],
];
const chosen = quick ? looks.slice(0, 1) : looks;
const first = await browser.newPage({ viewport: { width: 1280, height: 860 } });
first.setDefaultTimeout(300_000);
await first.goto(server.address);
await first.waitForSelector("#app.ready");
if (!only) for (const [theme, width] of chosen) await take([["start_empty", "#/", "#app.ready"]], theme, width);
const list = (await pages(await fillProject(first))).filter(([name]) => !only || new RegExp(only).test(name));
await first.close();
for (const [theme, width] of chosen) await take(list, theme, width);
await browser.close();
await server.stop();
await rm(home, { recursive: true });
