// SPDX-License-Identifier: Apache-2.0
// A project as one zip archive, deflated by the browser: written, and read back from whatever program wrote it.

import type { StoredFile } from "./stored_file";

const table = Uint32Array.from({ length: 256 }, (_, n) => {
  for (let k = 0; k < 8; ++k) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
  return n;
});
function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = table[(crc ^ byte) & 255]! ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

async function through(bytes: Uint8Array, stream: CompressionStream | DecompressionStream): Promise<Uint8Array> {
  return new Uint8Array(await new Response(new Blob([bytes as BlobPart]).stream().pipeThrough(stream)).arrayBuffer());
}

function record(size: number, fill: (view: DataView) => void): Uint8Array {
  const bytes = new Uint8Array(size);
  fill(new DataView(bytes.buffer));
  return bytes;
}

export async function zipOf(files: StoredFile[]): Promise<Blob> {
  const parts: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let at = 0;
  const push = (list: Uint8Array[], bytes: Uint8Array) => (list.push(bytes), bytes.length);
  const now = new Date();
  const time = (now.getHours() << 11) | (now.getMinutes() << 5) | (now.getSeconds() >> 1);
  const date = ((now.getFullYear() - 1980) << 9) | ((now.getMonth() + 1) << 5) | now.getDate();
  for (const [path, content] of files) {
    const bytes = content instanceof Blob ? new Uint8Array(await content.arrayBuffer()) : content;
    const name = new TextEncoder().encode(path);
    const packed = await through(bytes, new CompressionStream("deflate-raw"));
    const start = at;
    // The fields that stand in front of an entry and in the directory.
    const shared = (view: DataView, offset: number) => {
      [20, 0x0800, 8, time, date].forEach((value, i) => view.setUint16(offset + 2 * i, value, true));
      [crc32(bytes), packed.length, bytes.length].forEach((value, i) => view.setUint32(offset + 10 + 4 * i, value, true));
      view.setUint16(offset + 22, name.length, true);
    };
    at += push(parts, record(30, (view) => (view.setUint32(0, 0x04034b50, true), shared(view, 4))));
    at += push(parts, name) + push(parts, packed);
    push(directory, record(46, (view) => (view.setUint32(0, 0x02014b50, true), view.setUint16(4, 20, true), shared(view, 6), view.setUint32(42, start, true))));
    push(directory, name);
  }
  const size = directory.reduce((sum, { length }) => sum + length, 0);
  const end = record(22, (view) => {
    view.setUint32(0, 0x06054b50, true);
    for (const offset of [8, 10]) view.setUint16(offset, files.length, true);
    view.setUint32(12, size, true);
    view.setUint32(16, at, true);
  });
  return new Blob([...parts, ...directory, end] as BlobPart[], { type: "application/zip" });
}

const damaged = () => new Error("this is no zip archive, or it is damaged");

// Throws an Error that says what is wrong. What unpacks to more than `largest` bytes is no project.
export async function filesOf(archive: Uint8Array, largest = 2 ** 30): Promise<[path: string, bytes: Uint8Array][]> {
  const view = new DataView(archive.buffer, archive.byteOffset, archive.byteLength);
  let end = archive.length - 22;
  while (end >= 0 && view.getUint32(end, true) !== 0x06054b50) --end;
  if (end < 0) throw damaged();
  const files: [path: string, bytes: Uint8Array][] = [];
  let room = largest;
  try {
    let at = view.getUint32(end + 16, true);
    for (let i = view.getUint16(end + 10, true); i > 0; --i) {
      if (view.getUint32(at, true) !== 0x02014b50) throw damaged();
      const method = view.getUint16(at + 10, true);
      const [packed, size] = [view.getUint32(at + 20, true), view.getUint32(at + 24, true)];
      const [nameLength, extra, comment] = [28, 30, 32].map((offset) => view.getUint16(at + offset, true)) as [number, number, number];
      const path = new TextDecoder().decode(archive.subarray(at + 46, at + 46 + nameLength));
      const start = view.getUint32(at + 42, true);
      at += 46 + nameLength + extra + comment;
      if (path.endsWith("/")) continue;
      if ((room -= size) < 0) throw new Error("the archive unpacks to more than a project of this page may have");
      const content = start + 30 + view.getUint16(start + 26, true) + view.getUint16(start + 28, true);
      const bytes = archive.slice(content, content + packed);
      if (method !== 0 && method !== 8) throw new Error(`${path} is packed in a way that this page does not know`);
      const plain = method === 8 ? await through(bytes, new DecompressionStream("deflate-raw")) : bytes;
      if (plain.length !== size || crc32(plain) !== view.getUint32(at - comment - extra - nameLength - 30, true)) throw damaged();
      files.push([path, plain]);
    }
  } catch (error) {
    throw error instanceof RangeError || error instanceof TypeError ? damaged() : error;
  }
  return files;
}

// The files of a project by their paths in it. An archive may hold the project folder or what is inside it.
export function projectOf(files: StoredFile[]): StoredFile[] {
  const isOurs = (path: string) => /^(data|jobs|models|\.kdyn)\//.test(path);
  const tops = new Set(files.map(([path]) => path.split("/")[0]!));
  const cut = tops.size === 1 && !files.some(([path]) => isOurs(path)) ? [...tops][0]!.length + 1 : 0;
  const ours = files.map(([path, bytes]): StoredFile => [path.slice(cut), bytes]).filter(([path]) => isOurs(path) && !path.split("/").includes(".."));
  if (ours.length === 0) throw new Error("the archive holds no project of kdyn: no folder data, jobs or models");
  return ours.filter(([path]) => !/^\.kdyn\/(lock|session\.json|token)$/.test(path));
}
