// SPDX-License-Identifier: Apache-2.0
// Bundles the browser side and writes it as C++ sources: node tools/bundle.mjs <output folder>
// writes report.js, report.css, app.js, app.css (to look at), one_file.js, engine_worker.js (for tools/pack.mjs), report_assets.cpp (what the report module compiles) and app_assets.cpp (pages of
// `kdyn serve`, compressed, and the example that comes with it).
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const web = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = process.argv[2];
if (!folder) throw new Error("give the output folder: node tools/bundle.mjs <output folder>");

const common = { absWorkingDir: web, bundle: true, minify: true, write: false, logLevel: "warning", charset: "utf8" };
const target = ["chrome105", "firefox121", "safari15.4"];

async function bundled(entry, styleEntry) {
  const script = await build({ ...common, entryPoints: [entry], format: "iife", target, metafile: true, legalComments: "none" });
  const style = await build({ ...common, entryPoints: [styleEntry], target });
  const [output] = Object.values(script.metafile.outputs);
  const used = Object.entries(output.inputs).filter(([, part]) => part.bytesInOutput > 0);
  return { js: licences(used.map(([path]) => path)) + script.outputFiles[0].text, css: style.outputFiles[0].text };
}

const report = await bundled("report/main.ts", "report/style/index.css");
// Inside HTML these would end the element early.
if (/<\/script|<!--/i.test(report.js)) throw new Error("the bundled script contains text that ends a script element");
if (/<\/style/i.test(report.css)) throw new Error("the bundled style contains text that ends a style element");

const app = await bundled("app/main.ts", "app/style/index.css");
app.css += chosenThemes(readFileSync(join(web, "report/style/theme.css"), "utf8"));
const page = readFileSync(join(web, "app/index.html"), "utf8");
// The same application with its engine inside the page (./dev wasm packs it).
const oneFile = await bundled("one_file/main.ts", "app/style/index.css");
const worker = await bundled("one_file/engine.ts", "app/style/index.css");
// What the application offers to try, by the name of its example; files of operations that this tree does not have are left out.
const examples = {
  cab_mount: ["data/cab_mount/z_map.csv", "data/cab_mount/z_static.csv", "data/cab_mount/z_transient.csv"],
  bench_workbook: ["data/bench_workbook/cab_mount.xlsx"],
  hydro_mount: ["data/hydro_mount/map.csv", "data/hydro_mount/static.csv"],
  active_mount: ["data/active_mount/model.json", "data/active_mount/s_x.csv", "data/active_mount/p_yx.csv"],
  frame: ["data/frame/frf.csv", "data/frame/points.uff"],
  bump_test: ["data/bump_test/decays.csv", "data/bump_test/drive_old.csv", "data/bump_test/drive_new.csv"],
  box_ring: ["examples/updating/box_ring.bdf"],
  subframe: ["on_bushings.bdf", "frf.uff", "points.uff"].map((file) => `data/subframe/${file}`),
  engine: ["data/engine/engine.json", "data/engine/measured.csv"],
  quarter_car: ["data/quarter_car/quarter_car.json", "data/quarter_car/road.csv"],
  study: ["mount_tolerance.json", "mount.json"].map((file) => `examples/study/${file}`),
  four_poster: ["levels.json", "car.json", "road.csv", ...["hydro", "rubber", "linear", "spring_damper"].flatMap((level) => ["engine", "gearbox", "subframe", "arm"].map((part) => `models/${level}/${part}.json`))].map((file) => `examples/four_poster/${file}`),
  multibody: ["double_mass.json", "engine.json", "subframe.json", "subframe.fem"].map((file) => `examples/multibody/${file}`),
};
const assets = [
  { path: "index.html", type: "text/html; charset=utf-8", bytes: gzipSync(page, { level: 9 }), gzipped: true },
  { path: "app.js", type: "text/javascript; charset=utf-8", bytes: gzipSync(app.js, { level: 9 }), gzipped: true },
  { path: "app.css", type: "text/css; charset=utf-8", bytes: gzipSync(app.css, { level: 9 }), gzipped: true },
  ...Object.entries(examples).flatMap(([name, files]) =>
    files
      .map((file) => join(dirname(web), file))
      .filter(existsSync)
      .map((file) => ({ path: `example/${name}/${relative(dirname(join(dirname(web), files[0])), file)}`, type: "text/plain", bytes: readFileSync(file), gzipped: false })),
  ),
];

await mkdir(folder, { recursive: true });
await writeFile(join(folder, "report.js"), report.js);
await writeFile(join(folder, "report.css"), report.css);
await writeFile(join(folder, "app.js"), app.js);
await writeFile(join(folder, "app.css"), app.css);
await writeFile(join(folder, "one_file.js"), oneFile.js);
await writeFile(join(folder, "engine_worker.js"), worker.js);
await writeFile(join(folder, "report_assets.cpp"), assetsSource(report.js, report.css));
await writeFile(join(folder, "app_assets.cpp"), appSource(assets));

// The licences of the bundled packages ask for their notice in every copy, hence in every report.
function licences(inputs) {
  const names = new Set(inputs.map((path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]).filter(Boolean));
  const holdersOf = new Map();
  for (const name of [...names].sort()) {
    const home = join(web, "node_modules", name);
    const { version } = JSON.parse(readFileSync(join(home, "package.json"), "utf8"));
    const file = readdirSync(home).find((entry) => /^licen[cs]e/i.test(entry));
    if (!file) throw new Error(`package ${name} has no licence file`);
    const lines = readFileSync(join(home, file), "utf8").replace(/\*\//g, "* /").split(/\r?\n/);
    const holders = lines.filter((line) => /^\s*copyright/i.test(line)).map((line) => line.trim());
    const terms = lines
      .filter((line) => !/^\s*copyright/i.test(line))
      .join("\n")
      .trim();
    const known = holdersOf.get(terms) ?? [];
    holdersOf.set(terms, [...known, `${name} ${version}: ${holders.join("; ")}`]);
  }
  const parts = [...holdersOf].map(([terms, holders]) => `${holders.join("\n")}\n\n${terms}`);
  return `/*! This script contains parts of these packages:\n\n${parts.join("\n\n")}\n*/\n`;
}

function assetsSource(jsText, cssText) {
  const sha256 = createHash("sha256").update(jsText, "utf8").digest("base64");
  return `// SPDX-License-Identifier: Apache-2.0
// Written by web/tools/bundle.mjs.
#include "kdyn/report/internal/assets.hpp"

namespace kdyn::report::internal {
namespace {

using namespace std::literals;
constexpr std::string_view script[] = {
${literals(Buffer.from(jsText, "utf8"))}};
constexpr std::string_view style[] = {
${literals(Buffer.from(cssText, "utf8"))}};

}  // namespace

std::span<const std::string_view> script_chunks() { return script; }
std::span<const std::string_view> style_chunks() { return style; }
std::string_view script_sha256_base64() { return "${sha256}"; }

}  // namespace kdyn::report::internal
`;
}

// The application lets its user choose a theme whatever the system says: the same two sets of colours, under a name each.
function chosenThemes(css) {
  const sets = [...css.matchAll(/:root[^{]*\{([^}]*)\}/g)].map(([, body]) => body.replace(/\s+/g, " ").trim());
  if (sets.length !== 2) throw new Error("theme.css has not exactly two sets of colours");
  return `:root[data-theme="light"]{${sets[0]}}:root[data-theme="dark"]{${sets[1]}}`;
}

function appSource(all) {
  const chunks = all.map(({ bytes }, i) => `constexpr std::string_view chunks_${i}[] = {\n${literals(bytes)}};`);
  const entries = all.map(({ path, type, gzipped }, i) => `    {"${path}", "${type}", ${gzipped}, chunks_${i}},`);
  return `// SPDX-License-Identifier: Apache-2.0
// Written by web/tools/bundle.mjs.
#include "assets.hpp"

namespace kdyn::server {
namespace {

using namespace std::literals;
${chunks.join("\n")}
constexpr Asset all[] = {
${entries.join("\n")}
};

}  // namespace

std::span<const Asset> assets() { return all; }

}  // namespace kdyn::server
`;
}

// Compilers accept 65536 characters in one literal; escapes are octal with three digits, so that no following digit joins them.
function literals(bytes) {
  const chunk = 8000;
  let out = "";
  for (let at = 0; at < bytes.length; at += chunk) {
    let literal = "";
    for (const byte of bytes.subarray(at, at + chunk)) {
      const plain = byte >= 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x5c && byte !== 0x3f;
      literal += plain ? String.fromCharCode(byte) : `\\${byte.toString(8).padStart(3, "0")}`;
    }
    out += `    "${literal}"sv,\n`;
  }
  return out;
}
