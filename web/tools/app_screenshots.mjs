// SPDX-License-Identifier: Apache-2.0
// Pictures of every page of the web application, light and dark, 1280 and 2560 px wide: node tools/app_screenshots.mjs <output folder>
// drives the real server with the bundled data and writes PAGE-THEME-WIDTH.webp. Environment: KDYN_BINARY, the program.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launchBrowser } from "../test/browser.mjs";
import { repository, startServer } from "../test/served.mjs";

const [folder] = process.argv.slice(2);
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
    canvas.width = picture.width;
    canvas.height = picture.height;
    canvas.getContext("2d").drawImage(picture, 0, 0);
    return canvas.toDataURL("image/webp", 0.8);
  }, png.toString("base64"));
  return Buffer.from(address.split(",")[1], "base64");
}

async function fillProject(page) {
  const button = (name) => page.getByRole("button", { name, exact: true });
  const keep = async (direction, batch) => {
    await page.waitForSelector(".panel");
    await page.getByText("Keep in the catalogue").click();
    await page.getByLabel("Part number").fill("4711");
    await page.getByLabel("Direction").fill(direction);
    await page.getByLabel("Batch").fill(batch);
    const kept = page.waitForResponse(/api\/catalogue$/);
    await button("Keep").click();
    await kept;
  };
  await page.getByRole("button", { name: "Open the example" }).click();
  await button("Fit an elastomer mount").click();
  await keep("z", "first");
  for (const direction of ["x", "y"]) {
    await page.goto(`${server.address}#/`);
    await page.getByLabel("Measurement files").setInputFiles(["map", "static", "transient"].map((kind) => join(repository, `data/cab_mount/${direction}_${kind}.csv`)));
    await page.getByRole("heading", { name: `${direction}_map.csv`, exact: true }).waitFor();
    await button("Fit an elastomer mount").click();
    await keep(direction, "first");
  }
  await page.goto(`${server.address}#/run/rig?model=jobs/0002-fit-elastomer/model.json`);
  await button("Run").click();
  await page.frameLocator("iframe.report").locator("#report.ready").waitFor();
}

const first = await browser.newPage({ viewport: { width: 1280, height: 860 } });
await first.goto(server.address);
await first.waitForSelector("#app.ready");
const pages = [["start_empty", "#/", "#app.ready"]];
const take = async (list, theme, width) => {
  const page = await browser.newPage({ viewport: { width, height: width > 2000 ? 1440 : 860 }, colorScheme: theme });
  for (const [name, hash, ready, act] of list) {
    await page.goto("about:blank");
    await page.goto(server.address + hash);
    await page.locator(ready).first().waitFor();
    await act?.(page);
    await page.waitForTimeout(300);
    await writeFile(join(folder, `${name}-${theme}-${width}.webp`), await webp(await page.screenshot()));
  }
  await page.close();
};
const looks = [
  ["light", 1280],
  ["dark", 1280],
  ["light", 2560],
  ["dark", 2560],
];
for (const [theme, width] of looks) await take(pages, theme, width);
await fillProject(first);
await first.close();
const report = async (page) => page.frameLocator("iframe.report").locator("#report.ready").waitFor();
const filled = [
  ["start", "#/", ".drop"],
  ["data", "#/data/0001-inspect", ".finding"],
  ["workbench", "#/mount/0002-fit-elastomer", ".panel"],
  ["catalogue", "#/catalogue", "figure.plot"],
  ["runs", "#/jobs", "table"],
  ["operations", "#/run", ".tile"],
  ["operation", "#/run/fit%20elastomer", ".form"],
  ["run", "#/job/0007-rig", "iframe.report", report],
];
for (const [theme, width] of looks) await take(filled, theme, width);
await browser.close();
await server.stop();
await rm(home, { recursive: true });
