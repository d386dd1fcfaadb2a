// SPDX-License-Identifier: Apache-2.0
// Pictures of the book: node tools/book_pictures.mjs <output folder> [pattern]
// runs the tutorials' jobs in the real web application and writes NAME.webp, light, at most 80 kB each. Environment: KDYN_BINARY, the program.
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { launchBrowser } from "../test/browser.mjs";
import { repository, startServer } from "../test/served.mjs";

const [folder, only] = process.argv.slice(2);
if (!folder) throw new Error("give the output folder: node tools/book_pictures.mjs <output folder>");
const bytesAtMost = 80_000;
await mkdir(folder, { recursive: true });
const home = await mkdtemp(join(tmpdir(), "kdyn_book_"));
const server = await startServer(join(home, "book"), "--port", "0");
const browser = await launchBrowser();
const painter = await browser.newPage();

// The best quality that stays below the limit.
async function webp(png) {
  for (const quality of [0.8, 0.65, 0.5, 0.38, 0.28, 0.2]) {
    const address = await painter.evaluate(
      async ([base64, quality]) => {
        const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
        const picture = await createImageBitmap(new Blob([bytes]));
        const canvas = new OffscreenCanvas(picture.width, picture.height);
        canvas.getContext("2d").drawImage(picture, 0, 0);
        const blob = await canvas.convertToBlob({ type: "image/webp", quality });
        return new Promise((resolve) => {
          const reader = new FileReader();
          reader.onload = () => resolve(reader.result);
          reader.readAsDataURL(blob);
        });
      },
      [png.toString("base64"), quality],
    );
    const bytes = Buffer.from(address.split(",")[1], "base64");
    if (bytes.length <= bytesAtMost) return bytes;
  }
  throw new Error("a picture does not fit");
}

const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, colorScheme: "light" });
page.setDefaultTimeout(300_000);
await page.goto(server.address);
await page.waitForSelector("#app.ready");

const put = async (paths) => {
  for (const path of paths) {
    const done = await fetch(`${server.address}api/files/${basename(path)}`, { method: "PUT", body: await readFile(join(repository, path)), headers: { "Content-Type": "application/octet-stream" } });
    if (!done.ok) throw new Error(`${path}: ${await done.text()}`);
  }
};
const run = async (operation, options, title) => {
  const asked = await fetch(`${server.address}api/jobs`, { method: "POST", body: JSON.stringify({ operation, options, title }), headers: { "Content-Type": "application/json" } });
  const { id } = await asked.json();
  for (;;) {
    const job = await (await fetch(`${server.address}api/jobs/${id}`)).json();
    if (!["queued", "running"].includes(job.state)) return job;
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
};
const wanted = (name) => !only || new RegExp(only).test(name);

async function shoot(name, address, ready, act, settled = ".result.ready, .trouble") {
  if (!wanted(name)) return;
  await page.goto("about:blank");
  await page.goto(server.address + address);
  await page.locator(settled).first().waitFor();
  await page.locator(ready).first().waitFor({ timeout: 30_000 }).catch(() => console.log(`${name}: ${ready} did not come`));
  await act?.(page);
  await page.waitForTimeout(700);
  await writeFile(join(folder, `${name}.webp`), await webp(await page.screenshot()));
  console.log(name);
}

// The part of the page that the text speaks of, at the top of the picture.
const shown = (selector, margin = 60) => async (page) => page.locator(selector).first().evaluate((node, margin) => window.scrollTo(0, window.scrollY + node.getBoundingClientRect().top - margin), margin);
const at = (study, job, tab) => `#/${study}/${job.id}${tab ? `?tab=${tab}` : ""}`;

await put(["map", "static"].flatMap((kind) => ["x", "y", "z"].map((d) => `data/cab_mount/${d}_${kind}.csv`)));
await put(["data/bench_workbook/cab_mount.xlsx"]);
if (wanted("look") ) {
  const look = await run("inspect", { files: ["data/cab_mount.xlsx"] }, "cab_mount.xlsx");
  await shoot("look", at("data", look), ".finding, .card", undefined, ".finding, .card");
}
if (["bushing", "bushing_use"].some(wanted)) {
  const fit = await run("fit elastomer", { data: ["data/z_map.csv", "data/z_static.csv"] }, "cab mount, z");
  await shoot("bushing", at("mount", fit), ".panel");
  await shoot("bushing_use", at("mount", fit, "use"), ".document figure");
}
if (wanted("bushing_report")) {
  const all = await run("fit bushing", { data: ["data/cab_mount.xlsx"] }, "cab mount");
  await shoot("bushing_report", at("job", all), ".document figure, .document table");
}
await put(["data/hydro_mount/map.csv", "data/hydro_mount/static.csv"]);
if (["hydro", "hydro_detail", "hydro_inside"].some(wanted)) {
  const hydro = await run("fit hydromount", { data: ["data/map.csv", "data/static.csv"], chamber_area: 4.8e-3, channel_area: 6.2e-5, fluid_density: 1050 }, "hydro mount");
  await shoot("hydro", at("hydro", hydro), ".panel");
  await shoot("hydro_detail", at("hydro", hydro, "detail"), ".document table");
  await shoot("hydro_inside", at("hydro", hydro, "inside"), ".document figure");
}
await put(["hits_1.uff", "hits_2.uff", "points.uff", "frame.bdf", "on_bushings.bdf", "frf.uff"].map((name) => `data/subframe/${name}`));
if (["frf", "modal", "modal_shape", "body"].some(wanted)) {
  const frf = await run("frf", { data: ["data/hits_1.uff", "data/hits_2.uff"], geometry: "data/points.uff", band_hz: [20, 280] }, "hammer test");
  await shoot("frf", at("modal", frf), ".document figure");
  const modal = await run("modal", { data: [`${frf.folder}/frf.uff`], band_hz: [40, 270] }, "subframe, free");
  await shoot("modal", at("modal", modal, "stabilisation"), ".chip");
  await shoot("modal_shape", at("modal", modal, "modes"), "canvas");
  const body = await run("body", { modes: `${modal.folder}/result.json`, fe: ["data/frame.bdf"] }, "flexible body");
  await shoot("body", at("modal", body), ".document figure, .document table");
}
if (["updating", "updating_responses"].some(wanted)) {
  const job = JSON.parse(await readFile(join(repository, "data/subframe/job.json"), "utf-8"));
  const update = await run("update", { ...job, model: ["data/on_bushings.bdf"], data: ["data/frf.uff"] }, job.title);
  await shoot("updating", at("update", update, "result"), ".document figure", shown(".document figure"));
  await shoot("updating_responses", at("update", update, "responses"), ".document figure", shown(".document figure"));
}
await put(["data/engine/engine.json", "data/engine/measured.csv"]);
if (["engine", "engine_mounts"].some(wanted)) {
  const job = JSON.parse(await readFile(join(repository, "data/engine/job.json"), "utf-8"));
  const insitu = await run("insitu", { model: "data/engine.json", data: ["data/measured.csv"], start: job.start }, "engine mounts");
  await shoot("engine", at("multibody", insitu, "responses"), ".document figure");
  await shoot("engine_mounts", at("multibody", insitu, "convergence"), ".document figure");
}
await put(["decays", "drive_old", "drive_new"].map((name) => `data/bump_test/${name}.csv`));
if (["vehicle", "vehicle_parameters", "comfort"].some(wanted)) {
  const car = await run("vehicle", { data: ["data/decays.csv"], added_mass: [130, 250, 40, 4, 4, 5, 5] }, "car");
  await shoot("vehicle", at("vehicle", car, "modes"), "canvas");
  await shoot("vehicle_parameters", at("vehicle", car, "parameters"), ".document table");
  const ride = await run("assess", { file: "data/drive_old.csv", compare: "data/drive_new.csv" }, "ride");
  await shoot("comfort", at("vehicle", ride, "comfort"), ".document table");
}
await browser.close();
await server.stop();
await rm(home, { recursive: true });
