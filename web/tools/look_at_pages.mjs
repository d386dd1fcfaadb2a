// SPDX-License-Identifier: Apache-2.0
// Pictures of every page for the eye: start, studies, every tab of a run of every operation, wizard, catalogue, runs, forms of all operations, reports:
// node tools/look_at_pages.mjs <output folder> [pattern of names] [looks, as light-1280,dark-1920] [project folder, kept]
// looks joined by + are taken of the same page, which changes its theme and width: quicker by far than opening it for each (light-1280+dark-1920).
// writes NAME-LOOK.png, whole pages, and tells what goes beyond the page, what is cut off and which plots have fewer than two ticks.
// Environment: KDYN_BINARY, the program; KDYN_APP_ASSETS, a folder of tools/bundle.mjs to look at instead of what is in the program.
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launchBrowser } from "../test/browser.mjs";
import { startServer } from "../test/served.mjs";
import { fillProject } from "./runs_of_all.mjs";

const [folder, pattern = "", looks = "light-1280,dark-1280,light-1920,dark-1920", kept] = process.argv.slice(2);
if (!folder) throw new Error("give the output folder: node tools/look_at_pages.mjs <output folder>");
await mkdir(folder, { recursive: true });
const project = kept ?? join(await mkdtemp(join(tmpdir(), "kdyn_looks_")), "project");
const server = await startServer(project, "--port", "0");
const browser = await launchBrowser();
const runs = await fillProject(server, project, (words) => console.log(words));
const assets = process.env.KDYN_APP_ASSETS;
const wanted = (name) => new RegExp(pattern).test(name);

const viewOf = (look) => {
  const [colorScheme, width] = look.split("-");
  return { colorScheme, viewport: { width: Number(width), height: width > 1500 ? 1080 : 860 } };
};

async function pageOf(look) {
  const page = await browser.newPage(viewOf(look.split("+")[0]));
  page.setDefaultTimeout(120_000);
  page.on("pageerror", (error) => console.log(`exception: ${error.message}`));
  page.on("console", (message) => message.type() === "error" && console.log(`console: ${message.text()}`));
  if (assets) for (const [name, contentType] of [["app.js", "text/javascript"], ["app.css", "text/css"]]) await page.route(`**/${name}`, (route) => route.fulfill({ path: join(assets, name), contentType }));
  // Reports carry script and style of the program that wrote them.
  if (assets)
    await page.route(/^file:.*report\.html$/, async (route) => {
      const html = await readFile(new URL(route.request().url()), "utf8");
      const [script, style] = await Promise.all(["report.js", "report.css"].map((name) => readFile(join(assets, name), "utf8")));
      const body = html
        .replace(/<meta http-equiv="Content-Security-Policy"[^>]*>/, "")
        .replace(/<style>[^]*?<\/style>/, () => `<style>${style}</style>`)
        .replace(/<script>[^]*<\/script>/, () => `<script>${script}</script>`);
      await route.fulfill({ body, contentType: "text/html" });
    });
  return page;
}

// What an eye finds only by chance.
function faults() {
  const seen = (node) => node.getClientRects().length > 0 && getComputedStyle(node).visibility !== "hidden";
  const out = [];
  const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  if (wide > 1) out.push(`wider than the window by ${wide} px`);
  for (const node of document.querySelectorAll("td, th, h1, h2, h3, p, button, .button, label, .tile, dd, summary, .key-figure")) {
    if (!seen(node)) continue;
    const style = getComputedStyle(node);
    if (node.scrollWidth > node.clientWidth + 2 && style.overflow !== "visible" && style.display !== "inline") out.push(`cut off: ${node.tagName} "${node.textContent.trim().slice(0, 50)}"`);
  }
  for (const box of document.querySelectorAll(".table-scroll")) if (seen(box) && box.scrollWidth > box.clientWidth + 1) out.push(`table scrolls by ${box.scrollWidth - box.clientWidth} px: ${box.textContent.trim().slice(0, 40)}`);
  for (const figure of document.querySelectorAll("figure.plot")) {
    if (!seen(figure)) continue;
    const title = figure.querySelector("h3")?.textContent ?? "";
    for (const axis of ["x", "y"]) {
      const ticks = figure.querySelectorAll(`[aria-label="${axis}-axis tick label"] text`).length;
      if (ticks < 2) out.push(`plot "${title}": ${ticks} numbers along ${axis}`);
    }
  }
  const words = document.body.innerText;
  for (const [what, found] of [["flag", /(^|\s)--[a-z][\w-]+/], ["unit in letters", /\b(kg\*m\^?2|m\/s\^2|N\*s\/m|\w+\^[23]\b)|\+-/], ["field name", /\b[a-z]+_[a-z]+_(m|n|s|hz|kg|c|deg)\b/], ["nothing", /\b(undefined|NaN|\[object)/]]) {
    const at = found.exec(words);
    if (at) out.push(`${what}: "${words.slice(Math.max(0, at.index - 25), at.index + 45).replaceAll("\n", " ")}"`);
  }
  return [...new Set(out)];
}

// A browser on a busy machine gives up at times.
async function picture(page, path) {
  for (let attempt = 0; ; ++attempt) {
    try {
      return await page.screenshot({ path, fullPage: true });
    } catch (error) {
      if (attempt > 5) throw error;
      await page.waitForTimeout(1000);
    }
  }
}

async function shoot(page, name, joined) {
  await page.locator(".waiting").waitFor({ state: "detached" });
  const all = joined.split("+");
  for (const [i, look] of all.entries()) {
    if (all.length > 1) {
      const { colorScheme, viewport } = viewOf(look);
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize(viewport);
    }
    await page.waitForTimeout(i === 0 ? 450 : 250);
    for (const words of await page.evaluate(faults)) console.log(`${name} ${look}: ${words}`);
    await picture(page, join(folder, `${name}-${look}.png`));
  }
}

const ready = ".result.ready, .trouble";
async function takeAll(look) {
  const page = await pageOf(look);
  const open = async (hash, selector) => {
    await page.goto("about:blank");
    await page.goto(server.address + hash);
    await page.waitForSelector("#app.ready");
    if (selector) await page.locator(selector).first().waitFor();
  };
  const plain = [["start", "#/"], ...["mount", "hydro", "modal", "update", "multibody", "vehicle"].map((name) => [`study_${name}`, `#/${name}`]), ["catalogue", "#/catalogue"], ["runs", "#/jobs"], ["operations", "#/run"]];
  for (const [name, hash] of plain.filter(([name]) => wanted(name))) {
    await open(hash);
    await shoot(page, name, look);
  }
  if (wanted("wizard")) {
    await open(`#/data/${runs.look_unknown.id}`);
    await page.getByRole("button", { name: "Assign the columns", exact: true }).click();
    await shoot(page, "wizard", look);
  }
  if (wanted("overlay")) {
    await open(`#/overlay?run=${runs.elastomer_x.id}&run=${runs.elastomer_y.id}`, "figure.plot, .trouble");
    await shoot(page, "overlay", look);
  }
  if (wanted("keys")) {
    await open("#/");
    await page.keyboard.press("?");
    await shoot(page, "keys", look);
  }
  const { operations } = await (await fetch(`${server.address}api/app`)).json();
  for (const { operation } of operations) {
    const name = `form_${operation.replaceAll(" ", "_")}`;
    if (!wanted(name)) continue;
    await open(`#/run/${encodeURIComponent(operation)}`, "form, .form");
    await shoot(page, name, look);
    await page.evaluate(() => document.querySelectorAll("main details").forEach((one) => (one.open = true)));
    await shoot(page, `${name}_open`, look);
  }
  await open("#/jobs", "table");
  const addresses = await page.locator("main td a").evaluateAll((nodes) => nodes.map((node) => node.getAttribute("href")));
  for (const [name, { id, operation }] of Object.entries(runs)) {
    if (!wanted(`run_${name}`) && !wanted(`report_${name}`)) continue;
    const hash = addresses.find((one) => one?.includes(id)) ?? `#/job/${id}`;
    if (wanted(`run_${name}`)) {
      await open(hash, operation === "inspect" ? ".card, .trouble" : ready);
      const tabs = operation === "inspect" ? [] : await page.locator("main [role=tab]").all();
      for (const [i, tab] of tabs.entries()) {
        const label = (await tab.textContent()).trim().toLowerCase().replaceAll(/\W+/g, "_");
        await tab.click();
        await page.waitForTimeout(i === 0 ? 500 : 150);
        await shoot(page, `run_${name}-${i}_${label}`, look);
      }
      if (tabs.length === 0) await shoot(page, `run_${name}`, look);
    }
    const { report, folder: home } = runs[name];
    if (report && wanted(`report_${name}`)) {
      await page.goto(`file://${join(project, home, "report.html")}`);
      await page.waitForSelector("#report.ready");
      await shoot(page, `report_${name}`, look);
      if (look.startsWith("light-1280")) await page.pdf({ path: join(folder, `report_${name}.pdf`), preferCSSPageSize: true });
    }
  }
  await page.close();
}

try {
  for (const look of looks.split(",")) await takeAll(look);
} finally {
  await browser.close();
  await server.stop();
}
if (!kept) await rm(project, { recursive: true });
