// SPDX-License-Identifier: Apache-2.0
// The fields of work of the application: which operations belong together, what their example is, and how their results are laid out in tabs.
// Sections of a document that no tab asks for come at the end, so that nothing a run wrote is hidden.

import type { ReportDocument } from "../report/model";
import { buildBushing } from "./bushing_tab";
import { buildSignals } from "./multibody_tabs";
import { buildRide } from "./ride_tab";
import type { JsonObject } from "./api";
import type { Job } from "./jobs";
import { jobs } from "./jobs";
import { buildMac, buildResponses, buildStabilisation } from "./modal_tabs";
import { Bench } from "./bench";
import { updateSetup } from "./update_form";

export interface Result {
  job: Job;
  document: ReportDocument | undefined;
  onLeave: (work: () => void) => void;
}

export interface TabSpec {
  name: string;
  label: string;
  for: string; // operation
  sections?: string[]; // ids
  first?: string; // which of them comes first
  hides?: string[]; // sections it shows in its own way
  columns?: boolean; // sections side by side where there is room
  build?: (result: Result) => Promise<TabMaker | null>; // null: this run has nothing of the kind
}

// Asked for when the tab is opened.
export type TabMaker = () => Promise<HTMLElement>;

export interface Example {
  name: string; // folder of the example
  label: string;
  title: string;
  operation: string;
  options: (files: string[]) => JsonObject | Promise<JsonObject>; // from the files of the folder
}

export interface Study {
  name: string; // first part of the address
  label: string; // in the navigation
  key: string; // after g
  title: string;
  lead: string;
  takes: string; // what is dropped here
  steps: string[];
  operations: string[];
  examples: Example[];
  setup?: () => Promise<HTMLElement>; // more than a form, where a study has it
  tabs: TabSpec[];
}

const named = (files: string[], pattern: RegExp): string[] => files.filter((file) => pattern.test(file));

const engineStart: JsonObject = Object.fromEntries(
  Object.entries({ left: [150e3, 120e3, 250e3], right: [150e3, 120e3, 250e3], rear: [130e3, 80e3, 200e3] }).flatMap(([mount, stiffness]) =>
    ["fx", "fy", "fz"].flatMap((axis, i) => [[`${mount}.${axis}.stiffness`, stiffness[i]!], [`${mount}.${axis}.damping`, 300]]),
  ),
);

// Left and right move alike along y: one value stands for both.
const subframeSprings: JsonObject[] = [
  ...[301, 302, 303, 304].flatMap((label) => ["x", "z"].map((component) => ({ kind: "spring", name: `k_${label}_${component}`, labels: [label], component, lower: -0.6, upper: 1.5 }))),
  ...[[301, 304], [302, 303]].map((labels) => ({ kind: "spring", name: `k_${labels.join("_")}_y`, labels, component: "y", lower: -0.6, upper: 1.5 })),
];

const workbench = (operation: string): TabSpec => ({
  name: "workbench",
  label: "Workbench",
  for: operation,
  build: async ({ job, onLeave }) => {
    const bench = await Bench.of(job);
    if (!bench) return null;
    onLeave(() => bench.dispose());
    return () => bench.build();
  },
});

export const studies: Study[] = [
  {
    name: "mount",
    label: "Mounts",
    key: "m",
    title: "Elastomer mounts",
    lead: "From a dynamic-stiffness map, a static loop or a transient to a rubber law with confidence intervals, and on to your simulation program.",
    takes: "Dynamic-stiffness maps, static loops and transients as tables or workbooks, one direction or all of a bushing.",
    steps: ["Drop the files of a mount", "See what was recognised", "Fit a model", "Adjust its parameters", "Export it"],
    operations: ["fit elastomer", "fit bushing", "fit compare", "fit mastercurve", "validate", "rig", "linearise", "export", "import", "report"],
    examples: [
      { name: "cab_mount", label: "Fit the example", title: "A cab mount: map, static loop and transient", operation: "fit elastomer", options: (data) => ({ data }) },
      { name: "bench_workbook", label: "Fit a whole bushing", title: "A workbook of a bench with a sheet for each direction", operation: "fit bushing", options: (data) => ({ data }) },
    ],
    tabs: [
      workbench("fit elastomer"),
      { name: "verdict", label: "Verdict and parameters", for: "fit elastomer", sections: ["verdict", "parameters"] },
      { name: "use", label: "Use of the model", for: "fit elastomer", sections: ["use", "temperature", "loops"] },
      { name: "bushing", label: "Bushing", for: "fit bushing", build: buildBushing, sections: ["verdict"] },
      { name: "side_by_side", label: "Directions side by side", for: "fit bushing", sections: ["side_by_side"] },
      { name: "parameters", label: "Parameters", for: "fit bushing", sections: ["parameters"] },
    ],
  },
  {
    name: "hydro",
    label: "Hydro and active",
    key: "h",
    title: "Hydro and active mounts",
    lead: "Mounts with fluid and with an actuator: level of detail that the data support, signals inside, where the mount jumps or a controller becomes unstable.",
    takes: "Maps and static loops of hydro mounts, as tables or workbooks; model and measured responses of active mounts.",
    steps: ["Drop a map of a hydro mount, or responses of an active one", "Fit it: the level of detail is chosen by what the data support", "Look inside: pressure and fluid velocity", "See where it is stable", "Export it"],
    operations: ["fit hydromount", "fit activemount", "aem"],
    examples: [
      { name: "hydro_mount", label: "Fit the hydro mount", title: "A hydro mount with decoupler: map and static loop", operation: "fit hydromount", options: (files) => ({ data: files }) },
      { name: "active_mount", label: "Analyse the active mount", title: "Responses, poles and stability of FxLMS control", operation: "aem", options: (files) => ({ model: named(files, /model/)[0]! }) },
      {
        name: "active_mount",
        label: "Fit the active mount",
        title: "Its parameters from two measured responses",
        operation: "fit activemount",
        options: (files) => ({ data: named(files, /\.csv$/), model: named(files, /model/)[0]! }),
      },
    ],
    tabs: [
      workbench("fit hydromount"),
      { name: "detail", label: "Level of detail", for: "fit hydromount", sections: ["verdict", "detail", "parameters"] },
      { name: "inside", label: "Inside the mount", for: "fit hydromount", sections: ["inside", "loops"], first: "inside" },
      { name: "stability", label: "Stability and jumps", for: "fit hydromount", sections: ["map", "use"] },
      { name: "stability", label: "Stability chart", for: "aem", sections: ["stability", "roots"], first: "stability" },
      { name: "responses", label: "Responses", for: "aem", sections: ["active_responses", "passive_responses"] },
      { name: "service", label: "In service", for: "aem", sections: ["phase_errors", "amplitude"] },
      { name: "control", label: "Control run", for: "aem", sections: ["control_run"] },
      { name: "responses", label: "Measured and model", for: "fit activemount", sections: ["responses"] },
      { name: "parameters", label: "Parameters", for: "fit activemount", sections: ["parameters"] },
    ],
  },
  {
    name: "modal",
    label: "Modal",
    key: "d",
    title: "Modal testing",
    lead: "From hits or frequency responses to modes with uncertainties, shapes that move, and flexible bodies.",
    takes: "Time signals of hammer or shaker tests, frequency responses and points of the structure: universal files, MATLAB, HDF5, tables.",
    steps: ["Drop signals or frequency responses", "Estimate the responses", "Identify the modes", "Pick poles in the stabilisation diagram", "Look at the shapes, compare them, export them"],
    operations: ["modal", "frf", "body"],
    examples: [
      {
        name: "frame",
        label: "Identify the example",
        title: "A frame with 15 sensors and two inputs",
        operation: "modal",
        options: (files) => ({ data: named(files, /\.csv$/), geometry: named(files, /points/)[0]!, title: "Frame" }),
      },
    ],
    tabs: [
      { name: "modes", label: "Modes and shapes", for: "modal", sections: ["modes", "shapes"], first: "shapes" },
      { name: "stabilisation", label: "Stabilisation", for: "modal", build: buildStabilisation, hides: ["stabilisation"] },
      { name: "responses", label: "Responses", for: "modal", build: buildResponses },
      { name: "responses", label: "Responses", for: "frf", build: buildResponses },
      { name: "mac", label: "MAC", for: "modal", build: buildMac, hides: ["mac"] },
      { name: "fit", label: "Fit", for: "modal", sections: ["fit"] },
      { name: "shapes", label: "Shapes", for: "body", sections: ["shapes", "modes"] },
    ],
  },
  {
    name: "update",
    label: "Updating",
    key: "u",
    title: "Model updating",
    lead: "An FE model and measurements in, parameters with intervals out: convergence, frequencies and shapes before and after, populations.",
    takes: "An FE deck (Nastran) or matrices, and the measured frequency responses of one part or several.",
    steps: ["Drop the FE file and the measurements", "Say its units and what is uncertain", "Watch the convergence", "Compare before and after"],
    operations: ["update", "fe"],
    examples: [
      {
        name: "subframe",
        label: "Update the example",
        title: "A subframe on four bushings: the deck has the stiffnesses of the drawing, the test does not agree",
        operation: "update",
        options: (files) => ({ model: named(files, /\.bdf$/), data: named(files, /frf/), parameters: subframeSprings, band_hz: [30, 290], validation: ["15"], starts: 3, title: "Subframe on four bushings" }),
      },
      { name: "box_ring", label: "Modes of the example", title: "A ring of box beams on four bushings: a Nastran deck", operation: "fe", options: (files) => ({ files: named(files, /\.bdf$/), title: "Ring on four bushings" }) },
    ],
    setup: updateSetup,
    tabs: [
      { name: "population", label: "Population", for: "update", sections: ["population"] },
      { name: "result", label: "Parameters, before and after", for: "update", sections: ["result"] },
      { name: "responses", label: "Modes and responses", for: "update", sections: ["responses"] },
      { name: "convergence", label: "Convergence", for: "update", sections: ["convergence"] },
      { name: "determined", label: "What the data determine", for: "update", sections: ["determined", "uncertainty"] },
      { name: "modes", label: "Modes and shapes", for: "fe", sections: ["modes", "shapes"], first: "shapes" },
      { name: "doctor", label: "Matrix doctor", for: "fe", sections: ["doctor"] },
    ],
  },
  {
    name: "multibody",
    label: "Multibody",
    key: "b",
    title: "Multibody",
    lead: "Bodies on bushings that carry the fitted laws: motion, forces, and mounts identified where they sit.",
    takes: "A multibody model with the files it names (roads, flexible bodies, mount models), and measured signals of the whole system.",
    steps: ["Drop a model file", "Simulate it", "See it move with the forces of its bushings", "Identify mounts from measured signals"],
    operations: ["simulate", "modes", "insitu"],
    examples: [
      { name: "multibody", label: "Simulate a subframe", title: "A flexible subframe on four bushings, struck by a hammer", operation: "simulate", options: (files) => ({ model: named(files, /subframe.*\.json$/)[0]! }) },
      { name: "multibody", label: "Simulate an engine", title: "An engine on two hydro mounts and an elastomer mount", operation: "simulate", options: (files) => ({ model: named(files, /engine/)[0]! }) },
      { name: "multibody", label: "Modes of an engine", title: "The same engine made linear about its equilibrium: modes, shapes, frequency responses", operation: "modes", options: (files) => ({ model: named(files, /engine/)[0]! }) },
      {
        name: "engine",
        label: "Identify engine mounts",
        title: "An engine in the car, moved by a shaker: three mounts from twelve accelerations",
        operation: "insitu",
        options: (files) => ({ model: named(files, /\.json$/)[0]!, data: named(files, /\.csv$/), start: engineStart, title: "Engine mounts in place" }),
      },
      {
        name: "multibody",
        label: "Find bushings again",
        title: "Two masses on a rail: simulated, then both bushings found from the motion of one mass",
        operation: "insitu",
        options: async (files) => {
          const model = named(files, /double_mass/)[0]!;
          const measured = await jobs.resultOf("simulate", { model });
          const start = { "b1.fx.stiffness": 1000, "b1.fx.damping": 2, "b2.fx.stiffness": 500, "b2.fx.damping": 1 };
          return { job: model, data: [`${measured.folder}/series.csv`], signals: ["m2.position.x"], start };
        },
      },
    ],
    tabs: [
      { name: "motion", label: "Motion", for: "simulate", sections: ["motion"] },
      { name: "signals", label: "Signals", for: "simulate", build: buildSignals },
      { name: "ride", label: "Comfort and damage", for: "simulate", build: buildRide },
      { name: "modes", label: "Modes and shapes", for: "modes", sections: ["modes"] },
      { name: "frf", label: "Frequency responses", for: "modes", sections: ["responses"] },
      { name: "convergence", label: "Convergence", for: "insitu", sections: ["convergence", "parameters"] },
      { name: "responses", label: "Responses", for: "insitu", sections: ["responses"] },
      { name: "identifiability", label: "Identifiability", for: "insitu", sections: ["identifiability", "gradients"] },
    ],
  },
  {
    name: "vehicle",
    label: "Vehicle",
    key: "v",
    title: "Vehicle",
    lead: "Masses, springs and dampers of a whole vehicle from free decays; ride comfort and damage of measured signals.",
    takes: "Free decays of the vehicle without and with added mass, or signals of a drive.",
    steps: ["Plan the test", "Drop the decays", "Identify the vehicle", "Assess comfort and damage of a drive, alone or against another one"],
    operations: ["vehicle", "assess", "road", "study"],
    examples: [
      {
        name: "bump_test",
        label: "Identify the example",
        title: "Decays of a car over a bump, without and with added mass",
        operation: "vehicle",
        options: (files) => ({ data: named(files, /decays/), added_mass: [130, 250, 40, 4, 4, 5, 5] }),
      },
      {
        name: "quarter_car",
        label: "Drive over a road",
        title: "A quarter of a car on a country road: simulated, then seat and strut assessed",
        operation: "simulate",
        options: (files) => ({ model: named(files, /\.json$/)[0]!, title: "Quarter car on a road" }),
      },
      {
        name: "study",
        label: "Scatter a mount",
        title: "200 mounts whose stiffness and friction scatter together, on the virtual rig",
        operation: "study",
        options: (files) => ({ job: named(files, /mount_tolerance/)[0]! }),
      },
      {
        name: "four_poster",
        label: "Compare mount models in a car",
        title: "A car on four posts: four levels of mount models on three roads",
        operation: "study",
        options: (files) => ({ job: named(files, /levels\.json$/)[0]! }),
      },
      {
        name: "bump_test",
        label: "Assess the example",
        title: "A minute on a country road with old and new springs",
        operation: "assess",
        options: (files) => ({ file: named(files, /drive_old/)[0]!, compare: named(files, /drive_new/)[0]! }),
      },
    ],
    tabs: [
      { name: "parameters", label: "Parameters", for: "vehicle", sections: ["verdict", "parameters", "numbers", "helps"] },
      { name: "measured", label: "Measured and model", for: "vehicle", sections: ["measured"] },
      { name: "modes", label: "Modes", for: "vehicle", sections: ["modes"] },
      { name: "checks", label: "Checks", for: "vehicle", sections: ["checks", "correlation"] },
      { name: "comfort", label: "Comfort and damage", for: "assess", sections: ["verdict", "comfort", "durability"], columns: true },
    ],
  },
];

export const studyOf = (operation: string): Study | undefined => studies.find((study) => study.tabs.some((tab) => tab.for === operation));
