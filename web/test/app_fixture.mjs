// SPDX-License-Identifier: Apache-2.0
// What the browser tests of the application share: a browser for the file, a fresh project and server for each test, and what must not happen.
// Environment: KDYN_BINARY, the program; KDYN_CHROMIUM, the browser; KDYN_APP_ASSETS, a folder with app.js and app.css (tools/bundle.mjs) to try
// instead of those in the program.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, beforeEach } from "node:test";
import { launchBrowser, patience } from "./browser.mjs";
import { repository, startServer } from "./served.mjs";

export const data = (name) => join(repository, "data", name);

// Of the test that runs: folder, server, page, and which console messages it expects.
export const now = { folder: "", server: undefined, page: undefined, expected: undefined };

let browser;
let problems = [];

before(async () => {
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
});

beforeEach(async () => {
  now.folder = mkdtempSync(join(tmpdir(), "kdyn_app_"));
  now.server = await startServer(join(now.folder, "project"), "--port", "0");
  problems = [];
  now.expected = undefined;
  now.page = await open();
});
afterEach(async () => {
  await now.page.close();
  await now.server.stop();
  rmSync(now.folder, { recursive: true });
  assert.deepEqual(problems, []);
});

async function open() {
  const opened = await browser.newPage({ viewport: { width: 1280, height: 860 }, acceptDownloads: true });
  opened.setDefaultTimeout(patience);
  // Requests that fail are reported by the browser as well; a test that lets one fail says so.
  opened.on("console", (message) => now.expected?.test(message.text()) || problems.push(`console ${message.type()}: ${message.text()}`));
  opened.on("pageerror", (error) => problems.push(`exception: ${error.stack}`));
  opened.on("request", (request) => {
    // Reports are shown under a key of their own, so the origin counts and not the token.
    if (!request.url().startsWith(new URL(now.server.address).origin + "/") && !/^(data|blob):/.test(request.url())) problems.push(`request: ${request.url()}`);
  });
  const assets = process.env.KDYN_APP_ASSETS;
  if (assets) for (const [name, contentType] of [["app.js", "text/javascript"], ["app.css", "text/css"]]) await opened.route(`**/${name}`, (route) => route.fulfill({ path: join(assets, name), contentType }));
  await opened.goto(now.server.address);
  await opened.waitForSelector("#app.ready");
  return opened;
}

export const button = (name) => now.page.getByRole("button", { name, exact: true });
export const tab = (name) => now.page.getByRole("tab", { name, exact: true });
export const slider = (name) => now.page.getByRole("slider", { name, exact: true });
export const projectFile = (path) => join(now.folder, "project", path);
export const readJson = (path) => JSON.parse(readFileSync(projectFile(path), "utf8"));

export async function goTo(hash) {
  await now.page.goto(`${now.server.address}${hash}`);
}

// The results of a run are drawn.
export async function shown() {
  await now.page.locator(".result.ready").waitFor();
}

// Exactly so many nodes, as soon as the page has drawn them.
export async function counted(nodes, count) {
  await nodes.nth(count - 1).waitFor({ state: "attached" });
  await nodes.nth(count).waitFor({ state: "detached" });
}

// An export may bring several files: the one with this ending.
export async function downloadOf(node, ending = "") {
  const [download] = await Promise.all([now.page.waitForEvent("download", (one) => one.suggestedFilename().endsWith(ending)), node.click()]);
  return { name: download.suggestedFilename(), content: readFileSync(await download.path()) };
}

export async function fitExample() {
  await button("Open the example").click();
  await button("Fit an elastomer mount").click();
  await now.page.waitForSelector(".panel");
}
