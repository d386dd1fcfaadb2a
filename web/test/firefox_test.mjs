// SPDX-License-Identifier: Apache-2.0
// kdyn.html opened from the disk in Firefox: an example is fitted with the numbers of the native program, a file of several MB comes in and is
// there after loading the page again. Oracle: the native program. Environment: KDYN_PAGE, KDYN_BINARY, KDYN_FIREFOX.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { launchFirefox } from "./firefox.mjs";
import { binary, repository } from "./served.mjs";

const html = pathToFileURL(process.env.KDYN_PAGE || join(repository, "build/wasm/kdyn.html")).href;
let firefox;
before(async () => (firefox = await launchFirefox()));
after(() => firefox?.close());

// In the page: resolves with what `find` gives as soon as it gives something.
const until = (find) => `(...args) => new Promise((resolve, reject) => {
  const end = Date.now() + 200000;
  const look = () => { const found = (${find})(...args); if (found) resolve(found); else if (Date.now() > end) reject(new Error("not there: " + document.body.innerText.slice(0, 2000))); else setTimeout(look, 50); };
  look();
})`;
const ready = () => firefox.evaluate(until(() => document.querySelector("#app.ready") !== null));

test("an example is fitted as by the native program", async () => {
  await firefox.goto(`${html}#/mount`);
  await ready();
  await firefox.evaluate(until(() => {
    const button = [...document.querySelectorAll("button")].find((node) => node.textContent === "Fit the example");
    button?.click();
    return button !== undefined;
  }));
  const numbers = await firefox.evaluate(until(() => {
    const values = [...document.querySelectorAll(".panel input")].map((node) => Number(node.value));
    return values.length > 5 && values;
  }));
  const folder = mkdtempSync(join(tmpdir(), "kdyn_native_"));
  const data = ["map", "static", "transient"].map((name) => join(repository, `data/cab_mount/z_${name}.csv`));
  execFileSync(binary, ["fit", "elastomer", ...data, "--out", folder, "--quiet"]);
  const { model } = JSON.parse(readFileSync(join(folder, "result.json"), "utf8"));
  rmSync(folder, { recursive: true });
  for (const name of ["static_stiffness", "alpha", "beta", "rho"]) {
    const value = model.parameters[name];
    assert.ok(numbers.some((one) => [1, 1e-3, 1e3].some((unit) => Math.abs(one * unit - value) <= 5e-3 * Math.abs(value))), `${name} ${value} in ${numbers}`);
  }
  assert.deepEqual(firefox.complaints(), []);
});

test("a file of several MB comes in and is kept", async () => {
  await firefox.goto(`${html}#/`);
  await ready();
  await firefox.evaluate(() => {
    const rows = Array.from({ length: 150_000 }, (_, i) => `${(i / 2048).toFixed(6)},${(1e-3 * Math.sin(i / 300)).toFixed(9)},${(300 * Math.sin(i / 300 + 0.1)).toFixed(5)}\n`);
    const transfer = new DataTransfer();
    transfer.items.add(new File(["time_s,displacement_m,force_n\n", ...rows], "long.csv"));
    const input = document.querySelector("input[aria-label='Measurement files']");
    input.files = transfer.files;
    input.dispatchEvent(new Event("change", { bubbles: true }));
  });
  await firefox.evaluate(until(() => document.querySelector("figure.plot svg") !== null));
  await new Promise((resolve) => setTimeout(resolve, 1500)); // kept in the browser meanwhile
  await firefox.goto("about:blank");
  await firefox.goto(`${html}#/jobs`);
  await ready();
  await firefox.evaluate(until(() => [...document.querySelectorAll("a")].some((node) => node.textContent.includes("long.csv"))));
  await firefox.evaluate(until(() => {
    const link = [...document.querySelectorAll("a")].find((node) => node.textContent.includes("long.csv"));
    link?.click();
    return document.querySelector("figure.plot svg") !== null;
  }));
  assert.deepEqual(firefox.complaints(), []);
});
