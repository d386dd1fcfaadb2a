// SPDX-License-Identifier: Apache-2.0
// Pages by the part of the address behind '#': #/mount/0003-fit-elastomer. Every page can be linked to and come back to.

export interface Page {
  title: string;
  node: HTMLElement;
  section: string; // entry of the navigation that is marked
  dispose?: () => void;
}

export type PageMaker = (place: Place) => Page | Promise<Page>;

export class Place {
  readonly parts: string[];
  readonly query: URLSearchParams;

  constructor(hash: string) {
    const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?");
    this.parts = path.split("/").map(decode);
    this.query = new URLSearchParams(query);
  }
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function addressOf(parts: string[], query: Record<string, string | string[]> = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) for (const one of Array.isArray(value) ? value : [value]) search.append(name, one);
  const text = search.toString();
  return `#/${parts.map(encodeURIComponent).join("/")}${text ? `?${text}` : ""}`;
}

export function go(parts: string[], query: Record<string, string | string[]> = {}): void {
  location.hash = addressOf(parts, query);
}
