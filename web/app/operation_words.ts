// SPDX-License-Identifier: Apache-2.0
// What people call the operations.

const titles: Record<string, string> = {
  inspect: "Look at files",
  "fit elastomer": "Fit an elastomer mount",
  "fit hydromount": "Fit a hydro mount",
  "fit bushing": "Fit a whole bushing",
  "fit activemount": "Fit an active mount",
  "fit compare": "Compare laws",
  "fit mastercurve": "Make a master curve",
  aem: "Analyse an active mount",
  rig: "Run the virtual test rig",
  validate: "Validate a model",
  linearise: "Linearise a model",
  frf: "Estimate frequency responses",
  modal: "Identify modes",
  body: "Make a flexible body",
  fe: "Find modes of an FE model",
  correlate: "Compare test and model",
  update: "Update an FE model",
  report: "Compare results",
  convert: "Convert a file",
  import: "Import models",
  export: "Export a model",
  vehicle: "Identify a vehicle",
  simulate: "Simulate a multibody model",
  modes: "Find modes of a multibody model",
  insitu: "Identify mounts in place",
  assess: "Assess comfort and durability",
  road: "Make a road",
  study: "Study many runs",
};

export const titleOf = (operation: string): string => titles[operation] ?? operation;

// A page has no command line: kdyn modal is “Identify modes” there.
export const withOperations = (text: string): string =>
  text.replace(/\bkdyn (fit(?: [a-z]+)?|[a-z]+)\b/g, (all, operation: string) => {
    if (operation in titles) return `“${titles[operation]}”`;
    // "kdyn fit finds": any of them
    return operation.startsWith("fit") ? `a fit${operation.slice(3)}` : all;
  });
