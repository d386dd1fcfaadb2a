// SPDX-License-Identifier: Apache-2.0
// Which page of the book belongs to a page of the application.

import type { Place } from "./router";

const pages: Record<string, string> = {
  start: "index.html",
  mount: "tutorials/bushing.html",
  hydro: "tutorials/hydro_mount.html",
  modal: "tutorials/hammer_test.html",
  update: "tutorials/updating.html",
  multibody: "tutorials/engine_mounts.html",
  vehicle: "tutorials/vehicle.html",
  catalogue: "web.html",
  jobs: "web.html",
};

export function helpPage(section: string, place: Place): string {
  const operation = place.parts[0] === "run" ? place.parts[1] : undefined;
  if (operation) return `reference/${operation.replaceAll(" ", "_")}.html`;
  return section === "run" ? "reference/index.html" : (pages[section] ?? "web.html");
}
