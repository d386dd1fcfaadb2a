// SPDX-License-Identifier: Apache-2.0
// Files of the project on their way between page, workers and the browser's database.

// Large files are Blobs: the browser holds them once for everybody, and they are read where they are needed.
export type Content = Uint8Array | Blob;
export type StoredFile = [path: string, content: Content];

// What a message hands over instead of copying it.
export const buffersOf = (files: StoredFile[]): ArrayBuffer[] => files.flatMap(([, content]) => (content instanceof Blob ? [] : [content.buffer as ArrayBuffer]));
