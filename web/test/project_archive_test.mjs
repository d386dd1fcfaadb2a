// SPDX-License-Identifier: Apache-2.0
// The archive of a project that kdyn.html writes and reads. Oracle: Python's zipfile, both ways.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { build } from "esbuild";
import { repository } from "./served.mjs";

const folder = mkdtempSync(join(tmpdir(), "kdyn_zip_"));
after(() => rmSync(folder, { recursive: true }));

const program = join(folder, "zip.mjs");
await build({ entryPoints: [join(repository, "web/one_file/zip.ts")], bundle: true, format: "esm", outfile: program, logLevel: "warning" });
const { filesOf, projectOf, zipOf } = await import(program);

const files = [
  ["data/map.csv", new TextEncoder().encode("frequency_hz,k\n".repeat(5000))],
  ["jobs/0001-inspect/job.json", new TextEncoder().encode("{}")],
  ["data/Lager größer.csv", Uint8Array.from({ length: 3000 }, (_, i) => (i * 7919) % 251)],
  ["models/empty.json", new Uint8Array()],
];
const plain = (list) => Object.fromEntries(list.map(([path, bytes]) => [path, Buffer.from(bytes).toString("latin1")]));

test("Python unpacks what the page packs", async () => {
  const archive = join(folder, "ours.zip");
  writeFileSync(archive, Buffer.from(await (await zipOf(files)).arrayBuffer()));
  execFileSync("python3", ["-c", "import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; z.extractall(sys.argv[2])", archive, join(folder, "out")]);
  for (const [path, bytes] of files) assert.deepEqual(readFileSync(join(folder, "out", path)), Buffer.from(bytes));
});

test("the page unpacks what Python packs, with and without a folder around it", async () => {
  for (const top of ["", "project/"]) {
    const home = join(folder, `in_${top.length}`);
    for (const [path, bytes] of [...files, [".kdyn/session.json", new Uint8Array(3)]]) {
      mkdirSync(join(home, top, path, ".."), { recursive: true });
      writeFileSync(join(home, top, path), bytes);
    }
    const archive = join(folder, `theirs_${top.length}.zip`);
    execFileSync("python3", ["-c", "import shutil, sys; shutil.make_archive(sys.argv[1][:-4], 'zip', sys.argv[2])", archive, home]);
    assert.deepEqual(plain(projectOf(await filesOf(new Uint8Array(readFileSync(archive))))), plain(files));
  }
});

test("what is no project, damaged or too large is refused", async () => {
  const good = new Uint8Array(await (await zipOf(files)).arrayBuffer());
  await assert.rejects(filesOf(good.slice(0, good.length / 2)), /no zip archive, or it is damaged/);
  await assert.rejects(filesOf(new Uint8Array(10)), /no zip archive/);
  await assert.rejects(filesOf(good, 1000), /unpacks to more/);
  const changed = good.slice();
  changed[200] ^= 255;
  await assert.rejects(filesOf(changed));
  assert.throws(() => projectOf([["holiday.jpg", new Uint8Array(3)]]), /no project of kdyn/);
  assert.deepEqual(projectOf([["data/../../x", new Uint8Array(3)], files[0]]).map(([path]) => path), ["data/map.csv"]);
});
