// SPDX-License-Identifier: Apache-2.0
// Debian's Firefox without a window, led by its own remote protocol (Marionette): scripts run in the page, messages of its console are kept.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { patience } from "./browser.mjs";

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const isEnd = (child) => child.exitCode !== null || child.signalCode !== null;

export async function launchFirefox(program = process.env.KDYN_FIREFOX || "/usr/bin/firefox-esr") {
  if (!existsSync(program)) throw new Error(`no browser at ${program}; run ./dev wasm --test or set KDYN_FIREFOX`);
  const profile = mkdtempSync(join(tmpdir(), "kdyn_firefox_"));
  const preferences = { "marionette.port": 0, "devtools.console.stdout.content": true, "browser.shell.checkDefaultBrowser": false, "datareporting.policy.dataSubmissionEnabled": false, "app.update.enabled": false };
  writeFileSync(join(profile, "user.js"), Object.entries(preferences).map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`).join(""));
  const child = spawn(program, ["--headless", "--marionette", "--no-remote", "--profile", profile], { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, HOME: profile } });
  let console_ = "";
  child.stdout.on("data", (part) => (console_ += part));
  child.stderr.on("data", (part) => (console_ += part));
  const portFile = join(profile, "MarionetteActivePort");
  for (const end = Date.now() + patience; !existsSync(portFile) || readFileSync(portFile, "utf8") === ""; await pause(100))
    if (Date.now() > end || isEnd(child)) throw new Error(`Firefox did not start: ${console_}`);

  // Messages are "<length>:<JSON>"; the first one greets.
  const socket = connect(Number(readFileSync(portFile, "utf8")), "127.0.0.1");
  const waiting = new Map();
  let got = Buffer.alloc(0);
  socket.on("data", (part) => {
    got = Buffer.concat([got, part]);
    for (;;) {
      const colon = got.indexOf(58);
      const length = colon < 0 ? NaN : Number(got.subarray(0, colon));
      if (!(got.length >= colon + 1 + length)) return;
      const message = JSON.parse(got.subarray(colon + 1, colon + 1 + length));
      got = got.subarray(colon + 1 + length);
      if (!Array.isArray(message)) continue;
      const [, id, error, result] = message;
      const { resolve, reject } = waiting.get(id);
      waiting.delete(id);
      if (error) reject(new Error(`${error.error}: ${error.message}`));
      else resolve(result?.value ?? result);
    }
  });
  let last = 0;
  const ask = (command, parameters = {}) =>
    new Promise((resolve, reject) => {
      waiting.set(++last, { resolve, reject });
      const text = JSON.stringify([0, last, command, parameters]);
      socket.write(`${Buffer.byteLength(text)}:${text}`);
    });
  await new Promise((resolve) => socket.once("connect", resolve));
  await ask("WebDriver:NewSession", { capabilities: { alwaysMatch: { timeouts: { script: patience, pageLoad: patience } } } });
  return {
    goto: (address) => ask("WebDriver:Navigate", { url: address }),
    // `work` runs in the page, with arguments that JSON can hold; a promise is waited for.
    evaluate: (work, ...values) =>
      ask("WebDriver:ExecuteAsyncScript", {
        script: `const [args, done] = [[...arguments].slice(0, -1), arguments[arguments.length - 1]]; Promise.resolve((${work})(...args)).then((value) => done({ value }), (error) => done({ error: String(error) }));`,
        args: values,
      }).then(({ value, error }) => {
        if (error) throw new Error(error);
        return value;
      }),
    // What the page said: errors and warnings of its console; those of Firefox's own services have no network here.
    complaints: () => console_.split("\n").filter((line) => /^JavaScript (error|warning): (file|blob):/.test(line) || /^console\.(error|warn): (?!RSLoader|services\.|Region)/.test(line)),
    close: async () => {
      socket.destroy();
      child.kill();
      for (const end = Date.now() + 10_000; !isEnd(child) && Date.now() < end; ) await pause(50);
      child.kill("SIGKILL");
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
