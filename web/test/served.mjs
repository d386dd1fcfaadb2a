// SPDX-License-Identifier: Apache-2.0
// A real `kdyn serve` for browser tests and pictures. Environment: KDYN_BINARY, the program.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export const repository = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
export const binary = process.env.KDYN_BINARY || join(repository, "build/release/kdyn");

// Resolves when the address is printed.
export async function startServer(project, ...flags) {
  if (!existsSync(binary)) throw new Error(`no program at ${binary}: build the target kdyn or set KDYN_BINARY`);
  const child = spawn(binary, ["serve", "--project", project, "--no-browser", ...flags], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  for await (const line of createInterface({ input: child.stdout })) {
    const address = /http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{64}\//.exec(line)?.[0];
    if (!address) continue;
    child.stdout.resume();
    const end = (signal) => (child.kill(signal), ended);
    return { address, port: Number(new URL(address).port), stop: () => end("SIGTERM"), kill: () => end("SIGKILL") };
  }
  throw new Error("kdyn serve ended before it printed its address");
}
