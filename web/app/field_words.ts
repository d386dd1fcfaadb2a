// SPDX-License-Identifier: Apache-2.0
// What people call the options of operations. Files and command lines use the short names of the field tables; a form says what a test
// or simulation engineer would. What stands in no list here is the short name with spaces.

import { pretty } from "../report/format";
import { withOperations } from "./operation_words";
import type { FieldInfo } from "./project";
import { settings, type Unit } from "./settings";

const names: Record<string, string> = {
  // files and how they are read
  job: "Job file", data: "Data", columns: "Columns", layout: "Saved columns", save_layout: "Save columns as", layout_for_user: "Saved for all projects", decimal: "Decimal mark",
  data_loaded: "Files with added mass", binary: "Binary values", version_73: "MATLAB 7.3 (HDF5)", allow_fmu: "Run FMUs of the model", ignore: "Statements left out", ignore_cards: "Cards left out",
  series: "File of signals", output_step_s: "Step of the file", anti_alias: "Anti-alias filter", restart: "Continue from", resume: "Continue from", dry_run: "Only say what would be lost",
  // fits
  fix: "Held parameters", free: "Free parameters", start: "Start values", fixed: "Measured directly", law: "Friction law", temperature_mode: "Temperatures", criterion: "Data reduction",
  weight_k_dyn: "Weight of the stiffness", weight_loss_angle: "Weight of the loss angle", weight_static: "Weight of the static loop", weight_transient: "Weight of the transient",
  noise_k_dyn_rel: "Noise of the stiffness (relative)", noise_loss_angle_deg: "Noise of the loss angle", noise_gain_rel: "Noise of the magnitude (relative)", noise_phase_deg: "Noise of the phase",
  exclude_suspicious: "Leave out suspicious rows", leave_out: "Points left out", use_curve: "Static curve", curve_intervals: "Intervals of the static curve", use_transients: "Fit transients", tolerances: "Tolerance bands",
  dynamic_hardening_1: "Dynamic hardening at the small amplitude", dynamic_hardening_2: "Dynamic hardening at the large amplitude", amplitude_1: "Small amplitude", amplitude_2: "Large amplitude",
  layout_frequency_hz: "Frequency of the data sheet", detail: "Level of detail", coupled_damping: "Couple nonlinear and linear damping", priors: "Prior knowledge", corrections: "Harmonic corrections",
  laws: "Laws", ratios: "Ratios of axes", exports: "Formats to write", elastomer: "Options for rubber", hydromount: "Options for hydro mounts", maxwell_branches: "Maxwell branches", shift_by: "Shift by", vertical: "Vertical shift",
  reference_c: "Reference temperature", starts: "Starts", start_spread: "Spread of the starts (factor)", seed: "Random seed", max_factor: "Largest change (factor)",
  // rig, validation, linear model
  program: "Programme", motion_factors: "Factors on the motion", settle_tolerance: "Settled below (relative change)", formula: "Displacement as a formula", filter_force_hz: "Low-pass of the force", filter_displacement_hz: "Low-pass of the displacement",
  allowed_k_dyn_rel: "Allowed misfit of the stiffness (relative)", allowed_loss_angle_deg: "Allowed misfit of the loss angle", allowed_force_rel: "Allowed misfit of the force (relative)", loop_criterion: "Reduce by the loop", exponents: "Woehler exponents",
  terms: "Maxwell terms", from_hz: "Lowest frequency", to_hz: "Highest frequency", static_rate_m_per_s: "Speed of the static test", resolution_force_n: "Resolution of the force", resolution_displacement_m: "Resolution of the displacement",
  // responses and modes
  band_hz: "Frequency band", block_s: "Block length", decay_to: "Exponential window ends at", excited_level: "Level of an excited line", step_s: "Step", settle_s: "Settling time", double_hit_level: "Level of a double hit",
  equalise: "Damping ratio of equalised responses", mass_line_hz: "Band of the mass line", method: "Method", order: "Model order", max_order: "Largest model order", map_hz: "Centre of the frequency map", alternations: "Alternations",
  residual_above: "Residual poles above the band", residual_below: "Residual poles below the band", residual_damping: "Damping of residual poles", refine_poles: "Refine the poles", frequency_tolerance: "Stable frequency within", damping_tolerance: "Stable damping within", residual_from: "Distance of residual poles (factor)", min_phase_collinearity: "Least phase collinearity", min_track_share: "Least share of orders", min_track_length: "Least number of orders", min_gain: "Least share of the response",
  select_hz: "Exactly the poles near", add_hz: "Also the poles near", drop_hz: "Not the poles near", mac_limit: "Least MAC", min_damping: "Least damping ratio", max_damping: "Largest damping ratio", uncertainty: "Standard deviations",
  length_m: "Length unit of the FE file", mass_kg: "Mass unit of the FE file", fe: "FE model", from: "Made from", expansion: "Expansion of the shapes", rotation_limit: "Least MAC of rotated modes", count: "Number of modes",
  shift_hz: "Shift", sturm_check: "Prove that no mode is missed", max_memory_gb: "Memory (GB)", reduce: "Reduction", fixed_modes: "Fixed-interface modes", write: "Files to write", least_mac: "Least MAC of a pair", match_tolerance_m: "Distance of matching points",
  orthonormalise: "Orthonormal shapes by", matrix: "Name of the matrix",
  // updating
  equalised: "Equalised responses", channel_map: "Names of channels", identification: "Options of the identification", lines_per_half_bandwidth: "Lines per half bandwidth", damping_kind: "Kind of damping", leave_out_inputs: "Forces left out", leave_out_faulty: "Leave out faulty channels",
  validation: "Validation points", validation_inputs: "Validation forces", phases: "Order of the groups", basis_limit_percent: "Allowed error of the basis", rebuilds: "Rebuilds of the basis", mesh_check: "Try a finer mesh", suggest: "Suggest better tests", carry_over: "Carry parameters over",
  write_deck: "Write the updated deck", plan: "Plan the test instead", sensors: "Sensors", known_percent: "Known beforehand to", known_value: "Value known beforehand", target_percent: "Target of the intervals", resolved_only: "Resolved samples only", checkpoint: "Folder of checkpoints",
  // multibody, vehicle, ride
  signals: "Signals", max_delay_s: "Largest delay", max_turn: "Largest misalignment", max_shift: "Largest shift of a place", noise_per_signal: "Own noise of each signal", widen: "Widen by (factor)", relative_std: "Standard deviation (relative)", end_points: "Known end points",
  added_mass: "Added masses", added_mass_std: "Uncertainty of the added masses (relative)", symmetric: "Left and right alike", reweightings: "Re-estimates of the noise", stack: "Stacked samples", cut_bump: "Start after the bump", average: "Samples averaged", snr_db: "Signal to noise ratio",
  lengths_s: "Lengths of the records", cases: "Excitations", known: "Known beforehand", gate: "Smallest reversal (share of the range)", compare: "Second record", equivalent_cycles: "Cycles of the equivalent sine", obstacles: "Bumps and potholes", fade_s: "Fade in and out",
  roughness: "Roughness", speed_m_s: "Speed", track_m: "Track width", shortest_wave_m: "Shortest wave", longest_wave_m: "Longest wave", rate_hz: "Sampling rate",
  monte_carlo_draws: "Monte Carlo draws", random_lower_hz: "Lowest frequency of random motion", random_upper_hz: "Highest frequency of random motion", noise_force_n: "Noise of the force", noise_displacement_m: "Noise of the displacement", frequency_lower_hz: "Lowest frequency", frequency_upper_hz: "Highest frequency", engine_speed_start_rpm: "Engine speed at the start", engine_speed_end_rpm: "Engine speed at the end", pre_trigger_s: "Pre-trigger", license: "Licence", plant: "State of the mount", steps: "Step sizes",
  // bounds of the work
  max_iterations: "Iterations at most", max_cycles: "Cycles at most", max_pole_steps: "Pole steps at most", max_frequency_hz: "Highest frequency",
  // studies
  chain: "Steps", design: "Design", allowed_failures: "Share of runs that may fail", keep: "Runs kept whole", list: "Table of settings", of: "Element", at: "At", use: "Use",
};

const unitEnding = /_(hz|m|s|kg|n|nm|deg|rad|percent|mm|rel|per_mm|per_s|c|px|w|v|a|mpa|pa)$/;

// The name as people write it; the unit stands beside it.
export function labelOf({ name, unit, kind }: FieldInfo): string {
  if (name === "to") return kind === "choice" ? "Format" : "Follows";
  const bare = unit && unit !== "-" ? name.replace(unitEnding, "") : name;
  const words = names[name] ?? bare.replaceAll("_", " ").replace(/\bmax\b/, "largest").replace(/\bmin\b/, "least").replace(/ std$/, ", standard deviation").replace(/ rel$/, " (relative)").replace(/^fe /, "FE ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

// The value of a choice in a message: as the menu calls it.
export const valueWords = (value: string): string => choices[value] ?? value;

// An option as messages name it: --band-hz or max_iterations, with or without its unit.
export function optionWords(flag: string): string {
  const name = flag.replaceAll("-", "_");
  if (name === "to") return "Format";
  const known = names[name] ?? names[Object.keys(names).find((one) => one.replace(unitEnding, "") === name) ?? ""] ?? name.replace(unitEnding, "").replaceAll("_", " ");
  return known.charAt(0).toUpperCase() + known.slice(1);
}

const groups: Record<string, string> = { "bus and gbs, and the check of fmu and c": "BUS and GBS files; check of FMU and C source", "Files and options of the fits": "Formats and options of the fits" };
export const groupOf = (title: string): string => groups[title] ?? title;

const choices: Record<string, string> = {
  ubf: "UBF (all parameters)", bus: "BUS (Adams)", gbs: "GBS", c: "C source", fmu2: "FMU 2.0", fmu3: "FMU 3.0", auto: "automatic", masing: "Masing", g4: "g4, as published", harmonic: "first harmonic", loop: "area of the loop", scale: "factors on one law", separate: "a law for each",
  h1: "H1 (noise on the responses)", h2: "H2 (noise on the force)", hv: "Hv (noise on both)", lscf: "LSCF", guyan: "Guyan (static)", craig_bampton: "Craig-Bampton", lanczos: "one process (Lanczos)", slepc: "all ranks (SLEPc)", serep: "SEREP", loewdin: "Loewdin", gram_schmidt: "Gram-Schmidt",
  gauss_newton: "Gauss-Newton", quasi_newton: "quasi-Newton", latin_hypercube: "Latin hypercube", sobol: "Sobol (evenly spread)", csv: "CSV", hdf5: "HDF5 (smaller, faster)", fe: "FE model", test: "test modes",
};
export const choiceOf = (choice: string): string => choices[choice] ?? (/^[A-Z]_/.test(choice) ? choice : choice.replaceAll("_", " "));

// Explanations name choices as files do; the menu beside them has other words.
const known = /^(?:h1|h2|hv|guyan|slepc|lanczos|ubf|bus|gbs|fmu2|fmu3|lscf|serep|loewdin|sobol|masing|[a-z]+_[a-z_]+)$/;
const withChoices = (text: string, list: string[]): string =>
  text.replace(/\b[a-z][a-z0-9_]*\b/g, (word) => (list.includes(word) && known.test(word) ? choiceOf(word).replace(/ \(.*/, "") : word));
const formats = (text: string): string => text.replace(/^bus and gbs\b/, "BUS and GBS").replace(/; fmu and c:/, "; FMU and C source:").replace(/, c \(C header/, ", C source (C header");

// The unit of a deck is told in metres and kilograms, and nobody counts the length of a record in milliseconds.
const inPlainUnits = /^(length_m|mass_kg|(duration|start|end|block|settle|fade|at|lengths|control_from)_s)$/;

export function shownUnit(field: FieldInfo): Unit {
  if (inPlainUnits.test(field.name)) return { unit: field.unit, factor: 1 };
  const shown = settings.shown(field.unit);
  return field.display_unit === shown.unit ? shown : { unit: field.unit, factor: 1 };
}

// Options that a text may name, as the form in view calls them.
let spoken = new Map<string, string>();
export function speakOf(fields: FieldInfo[]): void {
  spoken = new Map(fields.filter(({ name }) => name.includes("_")).map((field) => [field.name, labelOf(field)]));
}

// Samples of JSON in the explanation are for files; the form shows what can be filled in.
export function meaningOf(field: FieldInfo): string {
  const plain = formats(withChoices(field.meaning, field.choices ?? []))
    .replace(/[;,] on the command line [^;]*$/, "")
    .replace(/ \(docs\/[\w./#-]+\)/g, "")
    .replace(/(?:[,:;]|,? such as|,? e\.g\.| or)?\s*[[{].*[\]}]/s, "")
    .replace(/,? e\.g\. [\w.]+=.*$/, "")
    .replace(/\bnull: /g, "empty: ")
    .replace(/\b[a-z]+(?:_[a-z0-9]+)+\b/g, (word) => (spoken.has(word) ? `“${spoken.get(word)}”` : word));
  return pretty(withOperations(plain.trim()));
}
