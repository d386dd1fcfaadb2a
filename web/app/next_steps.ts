// SPDX-License-Identifier: Apache-2.0
// Where one goes on from a result: the form of the next operation, with the file that this run wrote filled in.

import { element } from "../report/dom";
import type { Job } from "./jobs";
import { appInfo } from "./project";
import { addressOf } from "./router";
import { outputFiles } from "./run_parts";

interface Step {
  label: string;
  operation: string;
  field: string;
  file: RegExp; // among the files of the run
}

const stepsAfter: Record<string, Step[]> = {
  frf: [{ label: "Identify modes", operation: "modal", field: "data", file: /\/frf\.uff$/ }],
  modal: [{ label: "Make a flexible body", operation: "body", field: "modes", file: /\/result\.json$/ }],
  update: [{ label: "Modes of the updated deck", operation: "fe", field: "files", file: /\/updated\/[^/]+$/ }],
  insitu: [
    { label: "Modes with these mounts", operation: "modes", field: "model", file: /\/model\.json$/ },
    { label: "Simulate with these mounts", operation: "simulate", field: "model", file: /\/model\.json$/ },
  ],
};

export async function nextSteps(job: Job): Promise<HTMLElement | null> {
  const steps = job.has_result ? (stepsAfter[job.operation] ?? []) : [];
  if (steps.length === 0) return null;
  const files = (await outputFiles(job)).map(({ path }) => path);
  const known = new Set((await appInfo()).operations.map(({ operation }) => operation));
  const links = steps.flatMap(({ label, operation, field, file }) => {
    const path = files.find((one) => file.test(one));
    return path && known.has(operation) ? [element("a", { class: "button", href: addressOf(["run", operation], { [field]: [path] }) }, label)] : [];
  });
  return links.length > 0 ? element("div", { class: "row actions-bar" }, element("span", { class: "soft" }, "Go on:"), ...links) : null;
}
