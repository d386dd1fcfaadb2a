// SPDX-License-Identifier: Apache-2.0
// The browser of the tests: Debian's Chromium, or the one that KDYN_CHROMIUM names.
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

// How long a step may take before it counts as hung: long, because a machine that also builds is slow and slowness is no failure.
export const patience = Number(process.env.KDYN_PATIENCE_MS || 240_000);

export async function launchBrowser(...more) {
  const executablePath = process.env.KDYN_CHROMIUM || "/usr/bin/chromium";
  if (!existsSync(executablePath)) throw new Error(`no browser at ${executablePath}; run ./dev setup or set KDYN_CHROMIUM`);
  // The sandbox of Chromium refuses to run as root, as in containers; the page under test is our own.
  const args = [
    "--no-sandbox",
    // WebGL by software: machines of tests have no graphics card.
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    ...more,
  ];
  return chromium.launch({ executablePath, args, timeout: patience });
}

export function reportAddress(path) {
  return pathToFileURL(resolve(path)).href;
}
