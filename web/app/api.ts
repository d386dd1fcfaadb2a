// SPDX-License-Identifier: Apache-2.0
// Requests to kdyn, whatever carries them (transport.ts).

import { transport } from "./transport";

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

export interface Trouble {
  message: string;
  where?: string;
  remedy?: string;
}

export class ServerError extends Error {
  constructor(
    readonly status: number,
    readonly trouble: Trouble,
  ) {
    super(trouble.message);
  }
}

async function answerOf<T>(response: Response): Promise<T> {
  if (!response.ok) throw await refusal(response);
  return (await response.json()) as T;
}

async function refusal(response: Response): Promise<ServerError> {
  let trouble: Trouble = { message: `the server answered ${response.status}` };
  try {
    trouble = ((await response.json()) as { error: Trouble }).error;
  } catch {
    // not from our server; the number has to do
  }
  return new ServerError(response.status, trouble);
}

async function send(path: string, init: RequestInit): Promise<Response> {
  try {
    return await transport().send(path, init);
  } catch {
    throw new ServerError(0, transport().unreachable);
  }
}

export async function get<T>(path: string): Promise<T> {
  return answerOf<T>(await send(path, {}));
}

export async function getText(path: string): Promise<string> {
  const response = await send(path, {});
  if (!response.ok) throw await refusal(response);
  return response.text();
}

const sendJson = (path: string, body: unknown): Promise<Response> =>
  send(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });

export async function post<T>(path: string, body: unknown): Promise<T> {
  return answerOf<T>(await sendJson(path, body));
}

// An answer of bare numbers, 32-bit floats as the machine has them: both sides are on the same one.
export async function postForNumbers(path: string, body: unknown): Promise<Float32Array> {
  const response = await sendJson(path, body);
  if (!response.ok) throw await refusal(response);
  return new Float32Array(await response.arrayBuffer());
}

export async function remove(path: string): Promise<void> {
  await answerOf(await send(path, { method: "DELETE", keepalive: true }));
}

// Each component of a project path is encoded on its own.
export function fileAddress(path: string, download = false): string {
  return `files/${path.split("/").map(encodeURIComponent).join("/")}${download ? "?download=1" : ""}`;
}

export async function readFile<T>(path: string): Promise<T> {
  return get<T>(fileAddress(path));
}

// Uploads a file and returns its path in the project.
export async function upload(file: File): Promise<string> {
  const response = await send(`api/files/${encodeURIComponent(file.name)}`, {
    method: "PUT",
    headers: { "Content-Type": "application/octet-stream" },
    body: file,
  });
  return (await answerOf<{ path: string }>(response)).path;
}

export function downloadFile(path: string): void {
  const link = document.createElement("a");
  link.href = fileAddress(path, true);
  link.download = path.split("/").pop()!;
  document.body.append(link);
  link.click();
  link.remove();
}
