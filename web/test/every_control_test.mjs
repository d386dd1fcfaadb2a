// SPDX-License-Identifier: Apache-2.0
// Every control of every page, on every bundled example: each is pressed, turned or opened, and has to do something. No error box, no error of
// the console, no run that fails. Oracle: what a page is for; a control that changes nothing anybody can see is dead.
import assert from "node:assert/strict";
import { test } from "node:test";
import { goTo, now, readJson } from "./app_fixture.mjs";

// Runs in the page before anything else: what a press did, even where nothing of it is seen in the document.
function watchPresses() {
  performance.setResourceTimingBufferSize(1e6); // a browser counts 250 requests, then no more
  window.pressed = { downloads: [], created: 0 };
  const click = HTMLAnchorElement.prototype.click;
  HTMLAnchorElement.prototype.click = function () {
    // Files are asked for, not kept.
    if (!this.hasAttribute("download")) return click.call(this);
    window.pressed.downloads.push(this.href);
    if (!this.href.startsWith("blob:")) void fetch(this.href).then((answer) => answer.ok || console.error(`${this.href}: ${answer.status}`));
  };
  // A choice of files belongs to the system; that it is asked for is all a page can do.
  const ask = HTMLInputElement.prototype.click;
  HTMLInputElement.prototype.click = function () {
    if (this.type === "file") window.pressed.downloads.push("choice of files");
    else ask.call(this);
  };
  window.open = () => null;
}

// Presses what it finds on the page, from number `from` on; ends early when a press leads to another page.
// Returns what is dead, what was pressed, and where to go on.
async function pressAll({ from, once }) {
  const controls = "main button, main select, main input, main summary, main [role=slider], main canvas[tabindex], main svg[tabindex]";
  const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  const isSeen = (node) => node.isConnected && node.getClientRects().length > 0 && getComputedStyle(node).visibility !== "hidden";
  const nameOf = (node) => `${node.tagName.toLowerCase()}${node.type ? `.${node.type}` : ""} "${(node.getAttribute("aria-label") || node.labels?.[0]?.textContent || node.textContent || node.title || "").trim().replace(/\s+/g, " ").slice(0, 60)}"`;
  const pictures = () => [...document.querySelectorAll("main canvas")].map((canvas) => canvas.toDataURL()).join();
  const here = location.hash;
  const dead = [];
  const done = [];
  // Groups that are folded away have controls, too.
  const list = [...document.querySelectorAll(controls)];
  for (let at = from; at < list.length; ++at) {
    const node = list[at];
    if (!isSeen(node) || node.disabled || node.type === "file") continue;
    const name = nameOf(node);
    if (once.some((words) => name.includes(words))) {
      // Slow or final: pressed on one page of its kind only.
      if (window.pressedOnce?.has(name)) continue;
      (window.pressedOnce ??= new Set()).add(name);
    }
    // Lists grow with every row that is added; three rows show what there is to show.
    if (node.tagName === "BUTTON" && node.textContent.trim().startsWith("Add")) {
      const added = ((window.rowsAdded ??= new Map()).get(here) ?? 0) + 1;
      if (added > 3) continue;
      window.rowsAdded.set(here, added);
    }
    let changes = 0;
    const observer = new MutationObserver((records) => (changes += records.length));
    observer.observe(document.documentElement, { subtree: true, childList: true, attributes: true, characterData: true });
    const before = { requests: performance.getEntriesByType("resource").length, downloads: window.pressed.downloads.length, picture: node.tagName === "CANVAS" || node.closest(".player, .animation") ? pictures() : "" };
    let kind = "press";
    if (node.tagName === "SELECT") {
      if (node.options.length < 2) kind = "nothing";
      else {
        node.selectedIndex = (node.selectedIndex + 1) % node.options.length;
        node.dispatchEvent(new Event("change", { bubbles: true }));
        kind = node.closest("form, .form, .setup, .columns, .bounds, dialog") ? "field" : "press";
      }
    } else if (node.tagName === "INPUT" && node.type === "range") {
      node.value = String(Number(node.value) === Number(node.max) ? node.min : node.max);
      for (const event of ["input", "change"]) node.dispatchEvent(new Event(event, { bubbles: true }));
    } else if (node.tagName === "INPUT" && node.type === "checkbox") {
      const was = node.checked;
      node.click();
      if (node.checked === was) changes = -1e9;
      kind = "field";
    } else if (node.tagName === "INPUT") {
      node.focus();
      kind = "field";
    } else if (node.tagName === "CANVAS" || node.tagName === "svg") {
      node.focus();
      node.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
    } else node.click();
    // A request counts when it is answered, which takes its time on a machine that does other things as well.
    const looks = 250;
    for (let look = 0; look < looks; ++look) {
      await wait(look === 0 ? 15 : 40);
      const { requests, downloads, picture } = before;
      if (changes !== 0 || location.hash !== here || performance.getEntriesByType("resource").length !== requests || window.pressed.downloads.length !== downloads) break;
      if (picture !== "" && pictures() !== picture) break;
      if (kind !== "press") break;
      if (look === looks - 1) dead.push(name);
    }
    if (changes < -1e8) dead.push(`${name} cannot be changed`);
    observer.disconnect();
    done.push(name);
    document.querySelector("dialog[open]")?.close();
    if (location.hash.replace(/[?&]tab=[^&]*/, "") !== here.replace(/[?&]tab=[^&]*/, "")) return { dead, done, next: at + 1, left: true };
    if (node.getAttribute("role") === "tab") return { dead, done, next: at + 1, left: false, tab: true };
  }
  return { dead, done, next: list.length, left: false };
}

const troubles = () => now.page.evaluate(() => [...document.querySelectorAll(".trouble")].map((node) => node.textContent.trim()));
const settled = async () => {
  await now.page.waitForFunction(() => !document.querySelector(".card.running") && (document.querySelector(".result") === null || document.querySelector(".result.ready")));
  await now.page.waitForTimeout(250);
};
const jobsNow = async () => (await (await fetch(`${now.server.address}api/jobs`)).json()).jobs;
const isOver = ({ state }) => state !== "queued" && state !== "running";

const problems = [];

// Waits for what was started; nothing may fail. What takes too long here was started rightly, and is ended.
const reported = new Set();
async function jobsEnd(limit = 20_000) {
  const end = Date.now() + limit;
  for (;;) {
    const open = (await jobsNow()).filter((job) => !isOver(job));
    if (open.length === 0) break;
    if (Date.now() > end) for (const { id } of open) await fetch(`${now.server.address}api/jobs/${id}/cancel`, { method: "POST", headers: { "Content-Type": "application/json" }, body: "{}" });
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  for (const { id, operation, state, error, options } of await jobsNow()) if (state === "failed" && !reported.has(id)) {
      reported.add(id);
      problems.push(`${operation} failed: ${JSON.stringify(error)} with ${JSON.stringify(options).slice(0, 600)}`);
    }
}

let count = 0;
async function pressPage(hash, { once = ["WebM"], allow = /^$/ } = {}) {
  let from = 0;
  for (let round = 0; round < 60; ++round) {
    await goTo(hash);
    await settled();
    for (const words of await troubles()) if (!allow.test(words)) problems.push(`${hash}: ${words}`);
    const { dead, done, next, left } = await now.page.evaluate(pressAll, { from, once });
    count += done.length;
    problems.push(...dead.map((name) => `${hash}: ${name} does nothing`));
    await now.page.waitForTimeout(60);
    for (const words of await troubles()) if (!allow.test(words)) problems.push(`${hash}: after ${done.slice(-3).join(", ")}: ${words}`);
    from = next;
    if (!left && !(await now.page.evaluate((n) => document.querySelectorAll("main button, main select, main input, main summary, main [role=slider], main canvas[tabindex], main svg[tabindex]").length > n, next))) return;
  }
  problems.push(`${hash}: pressing does not come to an end`);
}

test("every control of every page does something, on every example", async () => {
  await now.page.addInitScript(watchPresses);
  await now.page.reload();
  // A run with the options of one that is there already is not computed again.
  await now.page.route("**/again", async (route) => {
    const id = /jobs\/([^/]+)\/again/.exec(route.request().url())[1];
    await route.fulfill({ json: (await jobsNow()).find((job) => job.id === id) });
  });
  // Runs are kept for the pages that come later.
  await now.page.route("**/api/jobs/*", (route) => (route.request().method() === "DELETE" ? route.fulfill({ json: { removed: "" } }) : route.continue()));

  // All examples, from the buttons of the pages.
  const studies = ["mount", "hydro", "modal", "update", "multibody", "vehicle"];
  const runs = [];
  for (const study of studies) {
    await goTo(`#/${study}`);
    await now.page.locator(".drop").waitFor();
    const labels = await now.page.locator(".drop button:not(.primary)").allTextContents();
    for (const label of labels) {
      await goTo(`#/${study}`);
      await now.page.locator(".drop").waitFor();
      await now.page.locator(".drop").getByRole("button", { name: label, exact: true }).click();
      console.log(study, label);
      await now.page.waitForURL(/\/\d{4}-/);
      runs.push(new URL(now.page.url()).hash.replace(/\?.*/, ""));
    }
  }
  await jobsEnd(240_000);
  const states = await jobsNow();
  for (const { id, operation, state, error } of states) assert.notEqual(state, "failed", `${operation} ${id}: ${JSON.stringify(error)}`);
  console.log(`${runs.length} examples run`);

  // Changing the options of a run and running it unchanged asks for the very same.
  const asked = [];
  await now.page.route("**/api/jobs", async (route) => {
    if (route.request().method() !== "POST") return route.continue();
    asked.push(route.request().postDataJSON());
    await route.fulfill({ json: states[0] });
  });
  for (const hash of runs) {
    const id = hash.split("/").pop();
    const { operation, options } = readJson(`jobs/${id}/job.json`);
    await goTo(`#/run/${encodeURIComponent(operation)}?from=${id}`);
    await now.page.getByRole("button", { name: "Run", exact: true }).click();
    await now.page.waitForFunction((old) => location.hash !== old || document.querySelector(".trouble"), `#/run/${encodeURIComponent(operation)}?from=${id}`);
    assert.deepEqual(await troubles(), [], `${operation} with the options of ${id}`);
    const sent = asked.pop();
    assert.equal(sent.operation, operation);
    for (const [name, value] of Object.entries(sent.options)) assert.deepEqual(value, options[name], `${id}: ${name}`);
    for (const [name, value] of Object.entries(options)) assert.deepEqual(sent.options[name], value, `${id}: ${name} is lost in the form`);
  }
  await now.page.unroute("**/api/jobs");

  // Pages of all runs, each of their tabs.
  for (const hash of runs) {
    await goTo(hash);
    await settled();
    const tabs = await now.page.locator("[role=tab]").evaluateAll((nodes) => nodes.map((node, i) => (node.click(), new URLSearchParams(location.hash.split("?")[1] ?? "").get("tab") ?? String(i))));
    for (const tab of tabs.length > 0 ? tabs : [""]) await pressPage(tab ? `${hash}?tab=${tab}` : hash);
    await jobsEnd();
  }
  // Pages that stand by themselves, and the forms of all operations.
  const { operations } = await (await fetch(`${now.server.address}api/app`)).json();
  const needed = /is needed|choose|say |start value|no .* given|is missing|was stopped before/; // asked for rightly, or stopped by this test
  for (const hash of ["#/", ...studies.map((name) => `#/${name}`), "#/catalogue", "#/jobs", "#/run"]) await pressPage(hash, { allow: needed, once: ["WebM", "Delete", "Try"] });
  for (const { operation } of operations) await pressPage(`#/run/${encodeURIComponent(operation)}`, { allow: needed, once: ["button.button \"Run\""] });
  await jobsEnd();
  console.log(`${count} controls pressed on ${runs.length + operations.length + studies.length + 4} pages`);
  assert.deepEqual(problems, []);
});
