// SPDX-License-Identifier: Apache-2.0
// kdyn.html: the application with its engine inside. The engine stands in the page as gzipped base64.

import { useTransport } from "../app/transport";
import { tell } from "../app/widgets";
import { EngineTransport } from "./engine_transport";
import { takeLinks } from "./links";
import { Store } from "./store";

function textOf(id: string): string {
  const node = document.getElementById(id)!;
  const text = node.textContent!;
  node.remove();
  return text;
}

async function unpacked(base64: string): Promise<ArrayBuffer> {
  const text = atob(base64.trim());
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

async function start(): Promise<void> {
  const opening = Store.open();
  const script = URL.createObjectURL(new Blob([textOf("engine-script")], { type: "text/javascript" }));
  const module = await WebAssembly.compile(await unpacked(textOf("engine")));
  const store = await opening;
  useTransport(new EngineTransport(module, script, store, await store.key(), tell));
  takeLinks();
  await import("../app/main");
}

start().catch((error: unknown) => {
  const needed = "This browser cannot run kdyn. It needs WebAssembly with exceptions and SIMD: Chrome or Edge 103, Firefox 113, Safari 16.4, or newer.";
  document.getElementById("app")!.replaceChildren(Object.assign(document.createElement("p"), { className: "trouble", textContent: `${needed} (${String(error)})` }));
});
