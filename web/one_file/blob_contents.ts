// SPDX-License-Identifier: Apache-2.0
// What emscripten's file system takes for the bytes of a file, read from a blob piece by piece: a large file that a reader goes through once is
// never in memory as a whole.

declare class FileReaderSync {
  readAsArrayBuffer(blob: Blob): ArrayBuffer;
}
export const readBlob = (blob: Blob): Uint8Array => new Uint8Array(new FileReaderSync().readAsArrayBuffer(blob));

const piece = 1 << 22;

// The few things that the file system asks of an array: its length, parts of it, single bytes. `writing`: somebody changes the file.
export function contentsOf(blob: Blob, writing: (whole: Uint8Array) => void): Uint8Array {
  let from = 0;
  let kept: Uint8Array = new Uint8Array(0);
  const part = (begin: number, end: number): Uint8Array => {
    if (begin < from || end > from + kept.length) {
      kept = readBlob(blob.slice(begin, Math.max(end, begin + piece)));
      from = begin;
    }
    return kept.subarray(begin - from, end - from);
  };
  const asked: Record<string, unknown> = {
    length: blob.size,
    subarray: (begin = 0, end = blob.size) => part(begin, Math.min(end, blob.size)),
    slice: (begin = 0, end = blob.size) => readBlob(blob.slice(begin, end)),
    set: (bytes: Uint8Array, at: number) => {
      const whole = readBlob(blob);
      whole.set(bytes, at);
      writing(whole);
    },
  };
  return new Proxy({} as Uint8Array, {
    get: (_, name) => {
      if (typeof name === "symbol") return undefined;
      return name in asked ? asked[name] : /^\d+$/.test(name) ? part(Number(name), Number(name) + 1)[0] : undefined;
    },
  });
}
