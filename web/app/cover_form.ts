// SPDX-License-Identifier: Apache-2.0
// The cover of a report: who it is for and who made it. It is put onto the report of this run; the next one begins with the same words.

import { button, element } from "../report/dom";
import { fileAddress, get, post } from "./api";
import type { Job } from "./jobs";
import { uploadAll } from "./project";
import { guarded, primary, tell } from "./widgets";

type Words = Record<string, string>;

const fields: [string, string, string][] = [
  ["part", "Part", "name or number"],
  ["customer", "Customer", "whom the report is for"],
  ["bench", "Bench", "test bench or vehicle"],
  ["operator", "Operator", "who measured or computed"],
  ["note", "Note", "one line more, such as the order"],
];

export function coverButton(job: Job): HTMLButtonElement {
  const open = button("Cover", "Part, customer, bench, operator and logo on the first page of the report", () => void guarded(open, async () => show(job, await get<Words>("api/cover"))));
  return open;
}

// Drawings (SVG) are sent as files and not drawn here; the report shows them.
function thumbnail(path: string): HTMLImageElement {
  const node = element("img", { src: fileAddress(path), alt: "", class: "logo" });
  node.addEventListener("error", () => node.remove());
  return node;
}

function show(job: Job, before: Words): void {
  const inputs = fields.map(([name, label, sample]) => ({ name, label, input: element("input", { type: "text", placeholder: sample, "aria-label": label, value: before[name] ?? "" }) }));
  let logo = before.logo ?? "";
  const shown = element("span", { class: "soft" });
  const follow = () => {
    shown.replaceChildren(logo === "" ? "none" : logo.split("/").pop()!);
    if (logo !== "") shown.append(" ", thumbnail(logo));
    drop.hidden = logo === "";
  };
  const file = element("input", { type: "file", accept: ".png,.jpg,.jpeg,.webp,.svg", hidden: "", "aria-label": "Logo" });
  const choose = button("Choose a picture", "PNG, JPEG, WebP or SVG", () => file.click());
  const drop = button("Without", "No logo", () => {
    logo = "";
    follow();
  });
  file.addEventListener("change", () =>
    void guarded(choose, async () => {
      const [path] = await uploadAll([...(file.files ?? [])].slice(0, 1), () => {});
      if (path) logo = path;
      follow();
    }),
  );
  follow();
  const save = primary("Put it on the report", "Writes the report anew with this cover", () =>
    void guarded(save, async () => {
      const words: Words = Object.fromEntries(inputs.map(({ name, input }) => [name, input.value.trim()]));
      await post(`api/jobs/${job.id}/cover`, { ...words, ...(logo === "" ? {} : { logo }) });
      dialog.close();
      tell(element("span", {}, "The report has its cover. ", element("a", { href: `../${job.report}`, target: "_blank", rel: "noopener" }, "Open it")));
    }),
  );
  const rows = inputs.map(({ label, input }) => element("label", { class: "field" }, element("span", { class: "field-name" }, label), input));
  const dialog = element(
    "dialog",
    { "aria-label": "Cover of the report", class: "cover-form" },
    element("h2", {}, "Cover of the report"),
    element("p", { class: "hint" }, "Everything is optional. On paper the cover is a page of its own."),
    ...rows,
    element("div", { class: "field" }, element("span", { class: "field-name" }, "Logo"), element("div", { class: "row" }, shown, choose, drop, file)),
    element("div", { class: "row" }, save, button("Cancel", "Leave the report as it is", () => dialog.close())),
  );
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
