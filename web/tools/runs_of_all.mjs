// SPDX-License-Identifier: Apache-2.0
// A project with a run of every operation, on bundled data: what pictures of all pages are taken of.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { binary, repository } from "../test/served.mjs";

// The same mount made ten times: stiffness and loss angle scatter from part to part.
async function writeBatch(folder) {
  await mkdir(folder, { recursive: true });
  const [header, ...rows] = (await readFile(join(repository, "data/cab_mount/z_map.csv"), "utf8")).trim().split("\n");
  const names = header.split(",");
  const [stiffness, loss] = [/stiff|k_dyn/i, /loss/i].map((pattern) => names.findIndex((name) => pattern.test(name)));
  for (let part = 1; part <= 10; ++part) {
    const factor = (at, share) => 1 + share * Math.sin(at * part);
    const lines = rows.map((row) => row.split(",").map((cell, i) => (i === stiffness ? cell * factor(2.3, 0.06) : i === loss ? cell * factor(5.1, 0.04) : cell)).join(","));
    await writeFile(join(folder, `part_${part}.csv`), [header, ...lines].join("\n"));
  }
}

// A polymer with one broad relaxation, shifted by WLF; 1 % of ripple stands for noise.
function dynamicAnalysis() {
  const rows = ["Temperature [°C],Frequency [Hz],Storage modulus [MPa],Loss modulus [MPa]"];
  for (let t = -40; t <= 60; t += 10)
    for (let k = 0; k < 9; ++k) {
      const f = 0.5 * 2 ** k;
      const decade = Math.log10(f) + (-8.9 * (t - 20)) / (101 + t - 20);
      const [re, im] = [Math.log10(4) + 1.6 / (1 + Math.exp(-0.9 * (decade - 3))), 0.12 + 0.7 * Math.exp(-(((decade - 3) / 2.5) ** 2))];
      const ripple = 1 + 0.01 * Math.sin(12.9 * k + 78.2 * t);
      rows.push([t, f.toFixed(3), (10 ** re * ripple).toFixed(4), (10 ** re * im * ripple).toFixed(4)].join(","));
    }
  return rows.join("\n");
}

// server: of this project folder. Returns the addresses of the pages of runs by name; "" where a run could not be asked for.
export async function fillProject(server, project, tell = () => {}) {
  const list = join(project, "runs_of_all.json");
  if (existsSync(list)) return JSON.parse(await readFile(list, "utf8"));
  const ask = async (path, body) => {
    const answer = await fetch(`${server.address}api/${path}`, { method: "POST", body: JSON.stringify(body), headers: { "Content-Type": "application/json" } });
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
    return answer.json();
  };
  const runs = {};
  const run = async (name, operation, options, title = "") => {
    const { id } = await ask("jobs", { operation, options, title });
    for (;;) {
      const job = await (await fetch(`${server.address}api/jobs/${id}`)).json();
      if (!["queued", "running"].includes(job.state)) {
        tell(`${name}: ${operation}, ${job.state}`);
        runs[name] = { id, operation, state: job.state, folder: job.folder, report: job.report };
        return job;
      }
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  };
  const example = async (name) => (await ask(`examples/${name}`, {})).files;
  const file = async (name, content) => {
    await mkdir(dirname(join(project, "data", name)), { recursive: true });
    await writeFile(join(project, "data", name), content);
    return `data/${name}`;
  };
  const bundled = async (path) => file(path, await readFile(join(repository, "data", path)));
  const named = (files, pattern) => files.find((one) => pattern.test(one));

  const cab = await example("cab_mount");
  await run("look_mount", "inspect", { files: cab }, "z_map.csv, z_static.csv, z_transient.csv");
  const book = await example("bench_workbook");
  await run("look_workbook", "inspect", { files: book });
  await run("look_unknown", "inspect", { files: [await file("bench 7.csv", "Weg;Kraft;Kanal 3\n0,000;1,2;0\n0,105;12,8;0\n0,210;24,9;0\n0,315;36,4;0\n")] });
  const fits = [await run("elastomer", "fit elastomer", { data: cab }, "Cab mount, z")];
  for (const direction of ["x", "y"]) fits.push(await run(`elastomer_${direction}`, "fit elastomer", { data: await Promise.all(["map", "static", "transient"].map((kind) => bundled(`cab_mount/${direction}_${kind}.csv`))) }, `Cab mount, ${direction} #prototype`));
  for (const [i, { id }] of fits.entries()) await ask("catalogue", { job: id, part: "4711", direction: "zxy"[i], batch: "first", note: "" });
  await run("elastomer_sheet", "fit elastomer", { static_stiffness: 1e6, dynamic_hardening_1: 1.5, dynamic_hardening_2: 1.2, loss_angle_deg: 6 }, "From a data sheet");
  await run("elastomer_failed", "fit elastomer", { data: ["data/bench 7.csv"] });
  await writeBatch(join(project, "data/batch"));
  await run("elastomer_batch", "fit elastomer", { data: ["data/batch"] }, "Ten mounts of a batch");
  const bushing = await run("bushing", "fit bushing", { data: book }, "Cab mount, whole");
  await run("compare", "fit compare", { data: ["data/cab_mount/x_map.csv"] }, "Laws for the cab mount, x");
  await run("mastercurve", "fit mastercurve", { data: [await file("dma.csv", dynamicAnalysis())] }, "Polymer");
  const hydro = await example("hydro_mount");
  await run("look_hydro", "inspect", { files: hydro });
  await run("hydromount", "fit hydromount", { data: hydro }, "Hydro mount");
  const active = await example("active_mount");
  const activeModel = named(active, /model/);
  await run("aem", "aem", { model: activeModel }, "Active mount");
  await run("activemount", "fit activemount", { data: active.filter((one) => one.endsWith(".csv")), model: activeModel }, "Active mount");
  const model = `${fits[0].folder}/model.json`;
  await run("rig", "rig", { model, program: "map", amplitudes_m: [1e-4, 1e-3], frequencies_hz: [1, 5, 10, 20, 50] }, "Map on the rig");
  await run("validate", "validate", { files: [model, ...cab] }, "Model against its own measurements");
  await run("linearise", "linearise", { model, amplitude_m: 2e-4, preload_n: 0 });
  await run("export_bus", "export", { models: [`${bushing.folder}/model.json`], to: "bus" });
  await run("report", "report", { results: fits.map(({ folder }) => `${folder}/result.json`) }, "Three directions");
  await run("convert", "convert", { input: cab[0], output: "map.h5" });
  const frame = await example("frame");
  await run("modal_frame", "modal", { data: frame.filter((one) => one.endsWith(".csv")), geometry: named(frame, /points/), title: "Frame" }, "Frame");
  const subframe = {};
  for (const name of ["hits_1.uff", "hits_2.uff", "points.uff", "frame.bdf", "on_bushings.bdf", "frf.uff"]) subframe[name] = await bundled(`subframe/${name}`);
  await run("look_hits", "inspect", { files: [subframe["hits_1.uff"]] });
  await run("look_deck", "inspect", { files: [subframe["on_bushings.bdf"], subframe["points.uff"]] });
  await run("look_frf", "inspect", { files: [subframe["frf.uff"]] });
  const frf = await run("frf", "frf", { data: [subframe["hits_1.uff"], subframe["hits_2.uff"]], geometry: subframe["points.uff"], band_hz: [20, 280] }, "Hammer test");
  const modal = await run("modal", "modal", { data: [`${frf.folder}/frf.uff`], band_hz: [40, 270] }, "Subframe, free");
  await run("body", "body", { modes: `${modal.folder}/result.json`, fe: [subframe["frame.bdf"]] }, "Flexible body");
  await run("fe", "fe", { files: [subframe["on_bushings.bdf"]] }, "Subframe on four bushings");
  await run("correlate", "correlate", { files: [`${modal.folder}/modes.uff`, subframe["frame.bdf"]] }, "Test and model");
  const job = JSON.parse(await readFile(join(repository, "data/subframe/job.json"), "utf8"));
  const { model: _deck, data: _responses, ...settings } = job;
  await run("update", "update", { ...settings, model: [subframe["on_bushings.bdf"]], data: [subframe["frf.uff"]] }, job.title);
  await run("update_plan", "update", { ...settings, model: [subframe["on_bushings.bdf"]], plan: true }, "Plan of the test");
  const program = process.env.KDYN_UPDATING_TEST || join(dirname(binary), "examples/updating_test");
  if (existsSync(program)) {
    await mkdir(join(project, "data/ring"), { recursive: true });
    execFileSync(program, ["--out", join(project, "data/ring"), "--parts", "2"]);
    const parameters = [1, 2, 3, 4].map((k) => ({ kind: "spring", name: `bushing_${k}_z`, labels: [9000 + k], component: "z", lower: -0.6, upper: 1.5 }));
    const written = JSON.parse(await readFile(join(project, "data/ring/job.json"), "utf8").catch(() => "null"));
    await run("update_population", "update", { ...(written ?? { parameters }), job: "", model: ["data/ring/box_ring.bdf"], data: [], parts: [1, 2].map((k) => ({ name: `part_${k}`, data: [`data/ring/part_${k}.uff`] })), band_hz: [30, 265], starts: 1 }, "Two rings");
  }
  const multibody = await example("multibody");
  await run("look_model", "inspect", { files: [named(multibody, /subframe\.json/)] });
  await run("simulate", "simulate", { model: named(multibody, /subframe\.json/) }, "Subframe");
  await run("simulate_engine", "simulate", { model: named(multibody, /engine\.json/) }, "Engine");
  await run("modes", "modes", { model: named(multibody, /engine\.json/) }, "Modes of the engine");
  const engine = await example("engine");
  const insitu = JSON.parse(await readFile(join(repository, "data/engine/job.json"), "utf8"));
  await run("insitu", "insitu", { model: named(engine, /\.json$/), data: engine.filter((one) => one.endsWith(".csv")), start: insitu.start }, "Engine mounts in place");
  const bump = await example("bump_test");
  await run("look_insitu", "inspect", { files: engine }, "engine.json, measured.csv");
  await run("look_update", "inspect", { files: [subframe["on_bushings.bdf"], subframe["frf.uff"], subframe["points.uff"]] });
  await run("look_decays", "inspect", { files: [named(bump, /decays/)] });
  await run("look_drive", "inspect", { files: [named(bump, /drive_new/)] });
  await run("vehicle", "vehicle", { data: [named(bump, /decays/)], added_mass: [130, 250, 40, 4, 4, 5, 5] }, "Car over a bump");
  await run("assess", "assess", { file: named(bump, /drive_new/) }, "New springs");
  await run("assess_two", "assess", { file: named(bump, /drive_old/), compare: named(bump, /drive_new/) }, "New against old springs");
  const quarter = await example("quarter_car");
  await run("simulate_quarter", "simulate", { model: named(quarter, /\.json$/) }, "Quarter car on a road");
  await run("road", "road", { roughness: 64e-6, speed_m_s: 20, duration_s: 10 }, "Country road");
  await run("study", "study", { job: named(await example("study"), /tolerance/) }, "Scatter of a mount");
  await run("study_levels", "study", { job: named(await example("four_poster"), /levels\.json$/) }, "Levels of mount models");
  await writeFile(list, JSON.stringify(runs, null, 1));
  return runs;
}
