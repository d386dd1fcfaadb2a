// SPDX-License-Identifier: Apache-2.0
// Words, units and names as people read them, and the coarse mesh that moves on slow graphics. No browser needed.
// Oracle: how such things are written (SI brochure: m/s², kg·m²), and for meshes their areas.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { build } from "esbuild";
import { repository } from "./served.mjs";

const folder = mkdtempSync(join(tmpdir(), "kdyn_words_"));
after(() => rmSync(folder, { recursive: true }));

const entry = join(folder, "all.ts");
const of = (path) => JSON.stringify(join(repository, "web", path));
writeFileSync(entry, ["report/format", "report/coarse", "report/ticks", "app/field_words", "app/page_words", "app/settings"].map((path) => `export * from ${of(path)};`).join("\n"));
const program = join(folder, "all.mjs");
await build({ entryPoints: [entry], bundle: true, format: "esm", outfile: program, logLevel: "warning" });
const { axisTicks, axisTitle, coarser, knowOptions, labelOf, meaningOf, optionWords, pageWords, placeWords, plainName, plainTitleOf, pretty, settings, shownUnit, speakOf, unitText } = await import(program);

test("units are printed with their symbols", () => {
  for (const [plain, printed] of [["kg*m^2", "kg·m²"], ["m/s^1.75", "m/s¹·⁷⁵"], ["degC", "°C"], ["(N)^2/Hz", "N²/Hz"], ["N m/deg", "N·m/deg"], ["(m/s^2)/(N)", "(m/s²)/N"]]) assert.equal(unitText(plain), printed);
  assert.equal(axisTitle({ label: "", unit: "N", log: false }), "N");
  assert.equal(axisTitle({ label: "mu |S|^2", unit: "", log: false }), "μ |S|²");
});

test("numbers along a log axis are plain near one and powers far from it", () => {
  const along = (low, high) => axisTicks([low, high], true, { length: 600, spacing: 60, least: 26 }).values.map(axisTicks([low, high], true, { length: 600, spacing: 60, least: 26 }).label);
  const wide = along(1e-6, 1e8);
  for (const text of ["10⁻⁶", "0.01", "1", "100", "10⁶", "10⁸"]) assert.ok(wide.includes(text), `${text} in ${wide}`);
  assert.ok(along(2e-5, 1).includes("5·10⁻⁵"));
});

test("words keep what is no unit", () => {
  for (const [plain, printed] of [
    ["+- 0.3 N at 0.2 m/s^2", "± 0.3 N at 0.2 m/s²"],
    ["temperature_x_preload", "temperature × preload"],
    ["amplitude 10 um, in 1e+06 cycles", "amplitude 10 µm, in 1e6 cycles"],
    ["damage: seat_x x 0.78", "damage: seat_x × 0.78"],
    ["at -40 degC", "at -40 °C"],
    ["N*(s/m)^n", "N·(s/m)ⁿ"],
    // Names of signals, wild cards and directions are none of that.
    ["left.*.load along x y z of rear_left_x", "left.*.load along x y z of rear_left_x"],
    ["block along x", "block along x"],
    ["fx_mm fy_mm", "fx_mm fy_mm"],
  ])
    assert.equal(pretty(plain), printed);
});

const field = (name, more = {}) => ({ name, kind: "number", unit: "-", meaning: "", ...more });

test("options are called what engineers call them, everywhere alike", () => {
  assert.equal(labelOf(field("noise_k_dyn_rel")), "Noise of the stiffness (relative)");
  assert.equal(labelOf(field("sweep_from_hz", { unit: "Hz" })), "Sweep from");
  assert.equal(labelOf(field("to", { kind: "choice" })), "Format");
  assert.equal(optionWords("exclude_suspicious"), labelOf(field("exclude_suspicious")));
  assert.equal(optionWords("band-hz"), "Frequency band");
  assert.equal(pageWords("switch off the option exclude_suspicious to keep them"), "switch off the option “Leave out suspicious rows” to keep them");
  assert.equal(pageWords("give it with --chamber-area, --channel-area"), "give it with the options “Chamber area”, “Channel area”");
  assert.equal(pageWords("the files of kdyn frf carry it; kdyn does not guess"), "the files of “Estimate frequency responses” carry it; kdyn does not guess");
  assert.ok(!pageWords("write it in the header, or say --units displacement=mm").includes("--"));
});

test("forms ask in the units of the trade: amplitudes in mm, the unit of a deck and the length of a record as their explanations say", () => {
  settings.setUnits([{ unit: "m", shown: "mm", factor: 1e3 }, { unit: "s", shown: "ms", factor: 1e3 }]);
  const shown = (name, unit, display) => shownUnit(field(name, { unit, display_unit: display }));
  assert.deepEqual(shown("amplitude_m", "m", "mm"), { unit: "mm", factor: 1e3 });
  assert.deepEqual(shown("length_m", "m", "mm"), { unit: "m", factor: 1 });
  assert.deepEqual(shown("duration_s", "s", "ms"), { unit: "s", factor: 1 });
});

test("explanations in forms hold nothing that only files and command lines know", () => {
  const fields = [field("amplitude_1", { unit: "m" }), field("hardening", { meaning: "Dynamic over static stiffness at amplitude_1" })];
  speakOf(fields);
  assert.equal(meaningOf(fields[1]), "Dynamic over static stiffness at “Small amplitude”");
  assert.equal(meaningOf(field("noise", { meaning: "Standard deviation of the signal; null: estimated" })), "Standard deviation of the signal; empty: estimated");
  assert.equal(meaningOf(field("fix", { meaning: "Parameters held at a value, e.g. lambda=0.38,ymax=4.4e-4" })), "Parameters held at a value");
  assert.equal(meaningOf(field("units", { meaning: 'Units of columns that do not tell theirs, e.g. {"force": "kN"}; on the command line force=kN,k_dyn=N/mm' })), "Units of columns that do not tell theirs");
  assert.equal(meaningOf(field("decay", { meaning: "Decay of a window; -1: as the files of kdyn frf say" })), "Decay of a window; -1: as the files of “Estimate frequency responses” say");
});

// A square plate of n x n points, a metre wide.
function plate(n) {
  const points = new Float32Array(3 * n * n);
  const corners = [];
  for (let i = 0; i < n; ++i) for (let k = 0; k < n; ++k) points.set([i / (n - 1), k / (n - 1), 0], 3 * (i * n + k));
  for (let i = 0; i + 1 < n; ++i) for (let k = 0; k + 1 < n; ++k) corners.push(i * n + k, i * n + n + k, i * n + k + 1, i * n + k + 1, i * n + n + k, i * n + n + k + 1);
  return { points, corners: new Uint32Array(corners) };
}

function area(points, corners) {
  let sum = 0;
  for (let i = 0; i < corners.length; i += 3) {
    const [a, b, c] = [0, 1, 2].map((j) => points.subarray(3 * corners[i + j], 3 * corners[i + j] + 2));
    sum += Math.abs((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])) / 2;
  }
  return sum;
}

test("a coarse mesh covers the same with far fewer triangles, on points of the fine one", () => {
  const { points, corners } = plate(300);
  const [coarse] = coarser(points, [corners]);
  assert.ok(coarse.length < corners.length / 8, `${coarse.length} of ${corners.length}`);
  assert.ok(coarse.every((point) => point < points.length / 3));
  assert.ok(Math.abs(area(points, coarse) - 1) < 0.03, `area ${area(points, coarse)}`);
});

// Every text of the program that names a flag, as the page says it. Oracle: a page has no command line, so nothing may look like one.
test("no message of kdyn shows a flag or a whole command on the page", () => {
  const sources = execFileSync("git", ["-C", repository, "ls-files", "src/kdyn/*.cpp", "src/kdyn/*.hpp"]).toString().trim().split("\n").filter((file) => !file.includes("/test/"));
  const literal = /(?:R"\([^]*?\)"|"(?:[^"\\\n]|\\.)*")(?:\s*(?:R"\([^]*?\)"|"(?:[^"\\\n]|\\.)*"))*/g;
  let checked = 0;
  for (const file of sources)
    for (const [found] of readFileSync(join(repository, file), "utf8").matchAll(literal)) {
      const text = found.startsWith('R"') ? found : [...found.matchAll(/"((?:[^"\\\n]|\\.)*)"/g)].map(([, part]) => part).join("").replaceAll('\\"', '"');
      if (!/(^|[\s(])--[a-z]/.test(text) || / --out out\//.test(text)) continue; // examples of the command line
      ++checked;
      const said = pageWords(text);
      assert.ok(!/(^|[\s(])--[a-z]/.test(said), `${file}: ${text}\n  ${said}`);
      assert.ok(!/“”|the option the|use the option “[^”]+” (?:says|takes|leaves)|\(\(/.test(said), `${file}: ${said}`);
    }
  assert.ok(checked > 80, `${checked} texts with flags`);
});

test("values of options and places of errors are said as forms say them", () => {
  for (const [plain, said] of [
    ["use --program transient", "set the option “Programme” to transient"],
    ["write for example --band-hz 10,500", "set the option “Frequency band” to 10,500"],
    ["say --units k_dyn=kN/mm if they are", "use “Assign the columns” (stiffness: kN/mm) if they are"],
    ["if it is the preload, say --columns preload=\"Mean load\"", "if it is the preload, use “Assign the columns” (preload: Mean load)"],
    ["kdyn vehicle --plan tells what helps", "the option “Plan the test instead” tells what helps"],
    ["measure again, or fix one, e.g. --set fixed.ms=1380", "measure again, or fix one, e.g. the option “Measured directly” of ms to 1380"],
    ["--to fmu2 or --to fmu3", "use the option “Format” (FMU 2.0) or FMU 3.0"],
  ])
    assert.equal(pageWords(plain), said);
  knowOptions(["output_step_s", "band_hz"]);
  assert.equal(pageWords("choose signals, give output_step_s, or shorten the run"), "choose signals, give “Step of the file”, or shorten the run");
  knowOptions(["static_stiffness", "output_step_s", "band_hz"]);
  assert.equal(pageWords("static_stiffness and ymax move together"), "static stiffness and ymax move together");
  assert.equal(pageWords("the file output_step_s.csv"), "the file output_step_s.csv");
  assert.equal(placeWords("band_hz"), "Frequency band");
  assert.equal(placeWords("data/z_map.csv:3"), "data/z_map.csv:3");
});

test("parameters of laws are said in plain words, names of users stay", () => {
  for (const [name, said] of [["static_stiffness", "static stiffness"], ["static_stiffness_2", "static stiffness 2"], ["chamber_c", "chamber c"], ["effective_damping_nonlinear", "effective damping nonlinear"], ["spring_front_left", "spring_front_left"], ["front_left_x", "front_left_x"], ["k_301_x", "k_301_x"], ["left.fz.stiffness", "left.fz.stiffness"]])
    assert.equal(plainName(name), said);
  assert.equal(plainTitleOf("static_stiffness over parts"), "Static stiffness over parts");
  assert.equal(axisTitle({ label: "spring_front_left", unit: "N", log: false }), "spring_front_left (N)");
});

test("explanations say choices and ranges as menus do", () => {
  const format = field("to", { kind: "choice", choices: ["fmu2", "fmu3", "c", "ubf", "bus", "gbs"], meaning: "Format: fmu2 or fmu3 (functional mock-up unit of FMI 2.0 or 3.0), c (C header and C++17 source of the law), ubf (all parameters), bus or gbs (static curve and equivalent damping)" });
  assert.equal(meaningOf(format), "Format: FMU 2.0 or FMU 3.0 (functional mock-up unit of FMI 2.0 or 3.0), C source (C header and C++17 source of the law), UBF (all parameters), BUS or GBS (static curve and equivalent damping)");
  assert.equal(meaningOf(field("reduce", { kind: "choice", choices: ["none", "guyan", "craig_bampton"], meaning: "Reduction to the interface: static (guyan) or with fixed-interface modes (craig_bampton)" })), "Reduction to the interface: static (Guyan) or with fixed-interface modes (Craig-Bampton)");
  assert.equal(meaningOf(field("max_shift_m", { meaning: "The place of a bushing stays within its start -+ this, start * factor" })), "The place of a bushing stays within its start ± this, start × factor");
  assert.equal(labelOf(field("engine_speed_start_rpm", { unit: "1/min" })), "Engine speed at the start");
});
