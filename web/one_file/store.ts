// SPDX-License-Identifier: Apache-2.0
// The files of the project between two visits, in the browser's own database (IndexedDB). Nothing leaves the computer.

import type { Content, StoredFile } from "./stored_file";

const files = "files";
const own = "own"; // what is not part of the project

function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

export class Store {
  private constructor(private readonly database: IDBDatabase | null) {}

  // Browsers may refuse to keep anything (private windows, settings of the company): then the project lives as long as the page.
  static async open(): Promise<Store> {
    try {
      const request = indexedDB.open("kdyn", 1);
      request.onupgradeneeded = () => {
        request.result.createObjectStore(files);
        request.result.createObjectStore(own);
      };
      return new Store(await done(request));
    } catch {
      return new Store(null);
    }
  }

  get keeps(): boolean {
    return this.database !== null;
  }

  async read(): Promise<StoredFile[]> {
    if (!this.database) return [];
    const store = this.database.transaction(files).objectStore(files);
    const [paths, contents] = await Promise.all([done(store.getAllKeys()), done<Content[]>(store.getAll())]);
    return paths.map((path, i) => [String(path), contents[i]!]);
  }

  async change(put: StoredFile[], removed: string[], all = false): Promise<void> {
    if (!this.database) return;
    const transaction = this.database.transaction(files, "readwrite");
    const store = transaction.objectStore(files);
    if (all) store.clear();
    for (const path of removed) store.delete(path);
    for (const [path, content] of put) store.put(content, path);
    return new Promise((resolve, reject) => {
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(transaction.error);
    });
  }

  // The key by which this user's own runs are known from those that came with a project (app/own_mark.hpp).
  async key(): Promise<Uint8Array> {
    const fresh = crypto.getRandomValues(new Uint8Array(32));
    if (!this.database) return fresh;
    const store = this.database.transaction(own, "readwrite").objectStore(own);
    const kept = await done<Uint8Array | undefined>(store.get("key"));
    if (kept) return kept;
    await done(store.put(fresh, "key"));
    return fresh;
  }
}
