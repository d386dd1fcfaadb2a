// SPDX-License-Identifier: Apache-2.0
// What is in a zip archive (an FMU), to compare it with another one.
import { inflateRawSync } from "node:zlib";

// Name -> content, as latin1 text.
export function entriesOf(archive) {
  const bytes = Buffer.from(archive);
  const end = bytes.lastIndexOf("PK\x05\x06", undefined, "latin1");
  const entries = {};
  let at = bytes.readUInt32LE(end + 16);
  for (let i = bytes.readUInt16LE(end + 10); i > 0; --i) {
    const [method, packed, name, extra, comment, start] = [bytes.readUInt16LE(at + 10), bytes.readUInt32LE(at + 20), ...[28, 30, 32].map((offset) => bytes.readUInt16LE(at + offset)), bytes.readUInt32LE(at + 42)];
    const content = start + 30 + bytes.readUInt16LE(start + 26) + bytes.readUInt16LE(start + 28);
    const raw = bytes.subarray(content, content + packed);
    entries[bytes.toString("utf8", at + 46, at + 46 + name)] = (method === 8 ? inflateRawSync(raw) : raw).toString("latin1");
    at += 46 + name + extra + comment;
  }
  return entries;
}

// The same without what tells one moment from another, and, where the builds are of different revisions, one build from another.
export function timeless(entries, maskToken) {
  const masked = (text) => text.replace(/20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, "TIME");
  return Object.fromEntries(Object.entries(entries).map(([name, text]) => [name, maskToken ? masked(text).replace(/\{[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\}/g, "TOKEN") : masked(text)]));
}
