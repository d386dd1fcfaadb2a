// SPDX-License-Identifier: Apache-2.0
// Words of the trade and of the models, explained where the mouse rests on them.

const meanings: Record<string, string> = {
  misfit: "Root mean square of the difference between model and measurement",
  "loss angle": "Phase by which the force leads the displacement of a sine; its tangent is the loss factor",
  "dynamic stiffness": "Amplitude of the force over amplitude of the displacement of a sine",
  "95 % interval": "Where the true value lies with 95 % certainty, if the model is right and the noise is as found",
  "auto-mac": "Likeness of two shapes of the same test: 1 for equal, 0 for unlike",
  mac: "Modal assurance criterion, likeness of two shapes: 1 for equal, 0 for unlike",
  moc: "Likeness of two modes in shape and frequency",
  mtvv: "Maximum transient vibration value: the largest running rms over a second",
  vdv: "Fourth-power vibration dose value: shocks count more than in the rms",
  "crest factor": "Largest value over rms",
  ms: "Mass of the body",
  iyy: "Inertia of the body in pitch",
  ixx: "Inertia of the body in roll",
  ksf: "Stiffness of a front spring",
  ksr: "Stiffness of a rear spring",
  csf: "Damping of a front damper",
  csr: "Damping of a rear damper",
  ktf: "Stiffness of a front tyre",
  ktr: "Stiffness of a rear tyre",
  muf: "Mass of a front wheel",
  mur: "Mass of a rear wheel",
  "model order": "Number of states of the identified model",
  identifiable: "Whether the data determine this parameter",
  "pseudo-damage": "Damage by Palmgren and Miner on a Woehler line through 1: for comparison only",
};

const explain = (text: string): string | undefined => meanings[text.trim().toLowerCase()] ?? meanings[text.trim().toLowerCase().replace(/ \(.*\)$| [a-zA-Z/%·²]+$/, "")];

// Titles of tables and figures, names of parameters and of key figures.
export function explainWords(root: HTMLElement): void {
  for (const node of root.querySelectorAll<HTMLElement>("th, td:first-child, .key-label span:first-child, .figure-head h3, .parameter .name")) {
    const words = explain(node.textContent ?? "");
    if (!words || node.title) continue;
    node.title = words;
    node.classList.add("explained");
  }
}
