// SPDX-License-Identifier: Apache-2.0
// Pages for everybody: no serious finding of axe-core in light and dark, everything by keyboard, nothing cut off on a tablet; and quick to open.
// Oracle: the rules of axe-core, and what the browser says of sizes and focus.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { button, data, goTo, now, shown } from "./app_fixture.mjs";
import { repository } from "./served.mjs";

const axe = readFileSync(join(repository, "web/node_modules/axe-core/axe.min.js"), "utf8");

async function findings() {
  await now.page.evaluate(axe);
  const { violations } = await now.page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  return violations.filter(({ impact }) => impact === "serious" || impact === "critical").map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map(({ target }) => target.join(" ")).join(", ")}`);
}

// Every page that this test looks at, drawn; calls `look` on each.
async function onPages(look) {
  for (const hash of ["#/", "#/mount", "#/update", "#/vehicle", "#/jobs", "#/catalogue", "#/run", "#/run/insitu", "#/run/fit%20elastomer"]) {
    await goTo(hash);
    await now.page.locator("main h1").waitFor();
    await look(hash);
  }
}

test("no serious finding of axe-core, light and dark", async () => {
  const all = [];
  const look = async (where) => {
    for (const theme of ["light", "dark"]) {
      await now.page.evaluate((one) => (document.documentElement.dataset.theme = one), theme);
      all.push(...(await findings()).map((words) => `${where} ${theme}: ${words}`));
    }
  };
  // Results first, so that lists of runs have rows.
  await button("Open the example").click();
  await button("Fit an elastomer mount").click();
  await now.page.waitForSelector(".panel");
  await look("workbench");
  await goTo("#/modal");
  await button("Identify the example").click();
  await shown();
  const modal = new URL(now.page.url()).hash;
  for (const tab of ["modes", "stabilisation", "mac"]) {
    await goTo(`${modal}?tab=${tab}`);
    await shown();
    await look(tab);
  }
  for (const files of [["engine/engine.json", "engine/measured.csv"], ["bump_test/decays.csv"]]) {
    await goTo("#/");
    await now.page.getByLabel("Measurement files").setInputFiles(files.map(data));
    await now.page.locator(".setup").waitFor();
    await look(files[0]);
  }
  await onPages(look);
  assert.deepEqual(all, []);
});

test("a tablet shows curves and sliders together, and no page is cut off", async () => {
  await now.page.setViewportSize({ width: 820, height: 1180 });
  const cut = () => now.page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  await onPages(async (hash) => assert.ok((await cut()) <= 0, `${hash} is ${await cut()} px too wide`));
  await goTo("#/");
  await button("Open the example").click();
  await button("Fit an elastomer mount").click();
  await now.page.waitForSelector(".panel");
  assert.ok((await cut()) <= 0);
  const [plot, slider] = [await now.page.locator("figure.plot").first().boundingBox(), await now.page.getByRole("slider", { name: "alpha" }).boundingBox()];
  assert.ok(plot.x + plot.width <= slider.x + 1 && slider.y < 1180 && plot.y < 1180, "beside each other, both in sight");
});

test("the keyboard reaches everything: links, drop, tabs, sliders, the help of keys", async () => {
  await now.page.keyboard.press("Tab");
  const names = [];
  for (let i = 0; i < 40; ++i) {
    names.push(await now.page.evaluate(() => (document.activeElement?.textContent || document.activeElement?.getAttribute("aria-label") || "").trim().slice(0, 30)));
    await now.page.keyboard.press("Tab");
  }
  for (const wanted of ["Mounts", "Runs", "Choose files", "Open the example", "Try it"]) assert.ok(names.some((name) => name.includes(wanted)), `${wanted} is not among ${names.join(", ")}`);
  await now.page.keyboard.press("Escape");
  await now.page.locator("h1").click();
  await now.page.keyboard.press("?");
  await now.page.getByRole("dialog").waitFor();
  await now.page.keyboard.press("Escape");
});

test("scripts are small and the first page is quick", async () => {
  const sizes = await Promise.all(
    ["app.js", "app.css", ""].map(async (path) => {
      const answer = await fetch(now.server.address + path, { headers: { "Accept-Encoding": "identity" } });
      return [path || "page", Number(answer.headers.get("content-length") ?? (await answer.arrayBuffer()).byteLength)];
    }),
  );
  await now.page.reload();
  await now.page.waitForSelector("#app.ready");
  const ready = await now.page.evaluate(() => performance.now());
  console.log(`compressed: ${sizes.map(([name, bytes]) => `${name} ${(bytes / 1000).toFixed(0)} kB`).join(", ")}; page ready after about ${ready.toFixed(0)} ms`);
  const total = sizes.reduce((sum, [, bytes]) => sum + bytes, 0);
  assert.ok(total < 1.5e6, `${total} bytes`);
});
