// SPDX-License-Identifier: Apache-2.0
// The first page: drop files, try one of six jobs, go on with what was done before.

import { element } from "../report/dom";
import { dropZone } from "./drop_zone";
import { jobTable } from "./jobs_page";
import { jobs } from "./jobs";
import { operationTile } from "./operation_page";
import { appInfo } from "./project";
import { addressOf, type Page } from "./router";
import { studies } from "./studies";
import { exampleButton } from "./study_page";

interface Offer {
  title: string;
  words: string;
  study: string;
  example: string; // its label
  tutorial: string;
}

const offers: Offer[] = [
  { title: "A bushing from the test bench", words: "A workbook with a sheet for each direction becomes one six-axis bushing for your simulation program.", study: "mount", example: "Fit a whole bushing", tutorial: "bushing" },
  { title: "A hydro mount", words: "Map and static loop become a model with fluid, channel and decoupler: as much detail as the data support.", study: "hydro", example: "Fit the hydro mount", tutorial: "hydro_mount" },
  { title: "A modal test", words: "Frequency responses become modes with uncertainties and shapes that move.", study: "modal", example: "Identify the example", tutorial: "hammer_test" },
  { title: "An FE model and a test that disagree", words: "Stiffnesses of bushings are found from measured responses, and an updated deck is written.", study: "update", example: "Update the example", tutorial: "updating" },
  { title: "Engine mounts in the car", words: "A shaker, four accelerometers, and the mounts as they are where they sit.", study: "multibody", example: "Identify engine mounts", tutorial: "engine_mounts" },
  { title: "A whole car from a bump", words: "Masses, springs and dampers from free decays; then ride comfort and damage.", study: "vehicle", example: "Identify the example", tutorial: "vehicle" },
];

export async function startPage(): Promise<Page> {
  const { operations, book } = await appInfo();
  const recent = element("div");
  const update = () => {
    const list = jobs.list().slice(0, 6);
    recent.replaceChildren(...(list.length > 0 ? [element("h2", {}, "Recent runs"), jobTable(list)] : []));
  };
  update();
  const steps = element(
    "ol",
    { class: "steps" },
    ...["Drop the files of a mount", "See what was recognised", "Fit a model", "Adjust its parameters", "Export it"].map((text) => element("li", {}, text)),
  );
  // A job whose example this kdyn cannot run is not offered (kdyn in the browser has no finite elements, for instance).
  const exampleOf = ({ study: name, example: label }: Offer) =>
    studies.find((study) => study.name === name)?.examples.find((one) => one.label === label && operations.some(({ operation }) => operation === one.operation));
  const offerTile = (offer: Offer) => {
    const { title, words, tutorial } = offer;
    const example = exampleOf(offer);
    const run = example && exampleButton(example);
    if (run) {
      run.textContent = "Try it";
      run.setAttribute("aria-label", `Try it: ${title}`);
    }
    return element(
      "div",
      { class: "tile offer" },
      element("b", {}, title),
      element("span", {}, words),
      element("div", { class: "row" }, run, book && element("a", { href: `book/tutorials/${tutorial}.html`, target: "_blank", rel: "noopener", "aria-label": `Tutorial: ${title}` }, "Tutorial")),
    );
  };
  const others = operations.filter(({ operation }) => operation !== "inspect" && !studies.some((study) => study.operations.includes(operation)));
  const node = element(
    "div",
    {},
    element("h1", {}, "From a measurement to a model"),
    dropZone(),
    steps,
    recent,
    element("h2", {}, "Try a job"),
    element("div", { class: "tiles" }, ...offers.filter(exampleOf).map(offerTile)),
    element("h2", {}, "Workflows"),
    element("div", { class: "tiles" }, ...studies.map(({ name, title, lead }) => element("a", { class: "tile", href: addressOf([name]) }, element("b", {}, title), element("span", {}, lead)))),
    ...(others.length > 0 ? [element("h2", {}, "More"), element("div", { class: "tiles" }, ...others.map(operationTile))] : []),
  );
  return { title: "Start", section: "start", node, dispose: jobs.onChange(update) };
}
