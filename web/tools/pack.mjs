// SPDX-License-Identifier: Apache-2.0
// Packs the application and its engine into one page: node tools/pack.mjs <bundled folder> <engine.js> <engine.wasm> <licences> <kdyn.html>
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const [folder, loader, engine, licences, target] = process.argv.slice(2);
if (!target) throw new Error("give the bundled folder, loader and engine, licences, and the page to write");
const largest = 12 << 20;

const text = (path) => readFileSync(path, "utf8");
const app = text(join(folder, "one_file.js"));
const style = text(join(folder, "app.css"));
const worker = `${text(loader)}\n${text(join(folder, "engine_worker.js"))}`;
// Inside HTML these would end the element early.
for (const [name, content] of Object.entries({ app, worker, licences: text(licences) }))
  if (/<\/script|<!--/i.test(content)) throw new Error(`${name} contains text that ends a script element`);

const hash = (script) => `'sha256-${createHash("sha256").update(script, "utf8").digest("base64")}'`;
// Scripts of this page and of reports that kdyn wrote, and no others; no connection to anywhere.
const policy = [
  "default-src 'none'",
  `script-src ${hash(app)} ${hash(text(join(folder, "report.js")))} 'wasm-unsafe-eval' blob:`,
  "worker-src blob:",
  "style-src 'unsafe-inline'",
  "img-src data: blob:",
  "connect-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>kdyn</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<div id="app"></div>
<noscript>kdyn draws its pages with JavaScript, which is switched off in this browser.</noscript>
<script type="text/plain" id="licences">${text(licences)}</script>
<script type="text/plain" id="engine-script">${worker}</script>
<script type="text/plain" id="engine">${gzipSync(readFileSync(engine), { level: 9 }).toString("base64")}</script>
<script>${app}</script>
</body>
</html>
`;
if (page.length > largest) throw new Error(`the page has ${(page.length / 2 ** 20).toFixed(1)} MB, more than ${largest >> 20} MB`);
writeFileSync(target, page);
console.log(`${target}: ${(page.length / 2 ** 20).toFixed(2)} MB`);
