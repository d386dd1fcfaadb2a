// SPDX-License-Identifier: Apache-2.0
// How requests reach kdyn: over HTTP to the server that this page came from, or to an engine inside the page (web/one_file). The token of the
// server is part of the page's own address, hence of every relative one.

export interface Transport {
  send(path: string, init: RequestInit): Promise<Response>;
  // Tells changes of jobs after a revision as JSON, and whether kdyn can be reached.
  follow(since: number, tell: (changes: string) => void, connected: (isConnected: boolean) => void): void;
  unreachable: { message: string; remedy: string };
  away: string; // stands above the page meanwhile
  // What stands below the name of the project: where it lives in the page, how it gets out of it and in.
  projectTools?(): Node[];
}

const http: Transport = {
  send: (path, init) => fetch(path, init),
  follow(since, tell, connected) {
    const events = new EventSource(`api/events?since=${since}`);
    events.addEventListener("message", (event: MessageEvent<string>) => tell(event.data));
    events.addEventListener("open", () => connected(true));
    events.addEventListener("error", () => connected(false));
  },
  unreachable: { message: "the server does not answer", remedy: "start kdyn serve again; this page goes on where it was" },
  away: "The server does not answer. Start kdyn serve again: this page goes on where it was.",
};

let used = http;
export const transport = (): Transport => used;
// Before the application starts.
export function useTransport(other: Transport): void {
  used = other;
}
