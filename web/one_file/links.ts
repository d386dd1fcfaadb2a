// SPDX-License-Identifier: Apache-2.0
// Addresses that a server would answer: files of the project to keep, and reports to look at. Here they come from the engine.

import { transport } from "../app/transport";
import { tellTrouble } from "../app/widgets";
import { save } from "./engine_transport";

// "../KEY/jobs/ID/report.html" is a report under its own key; "files/..." any file.
function projectAddress(address: string): string | undefined {
  const report = /^\.\.\/[0-9a-f]+\/(jobs\/.*)$/.exec(address);
  if (report) return `files/${report[1]}`;
  return address.startsWith("files/") ? address : undefined;
}

export function takeLinks(): void {
  document.addEventListener("click", (event) => {
    const link = (event.target as Element).closest?.("a");
    const address = link ? projectAddress(link.getAttribute("href") ?? "") : undefined;
    if (!link || address === undefined) return;
    event.preventDefault();
    void (async () => {
      const response = await transport().send(address, {});
      if (!response.ok) throw new Error(`${address} cannot be read`);
      const name = decodeURIComponent(address.split("?")[0]!.split("/").pop()!);
      const bytes = await response.arrayBuffer();
      if (link.hasAttribute("download") || !name.endsWith(".html")) return save(new Blob([bytes]), name);
      // A page of its own without a way back to this one; the policy of this page holds there, too.
      window.open(URL.createObjectURL(new Blob([bytes], { type: "text/html" })), "_blank", "noopener");
    })().catch(tellTrouble);
  });
}
