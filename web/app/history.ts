// SPDX-License-Identifier: Apache-2.0
// Undo and redo of whole states.

export class History<State> {
  private past: State[] = [];
  private future: State[] = [];

  constructor(private now: State) {}

  commit(state: State): void {
    if (JSON.stringify(state) === JSON.stringify(this.now)) return;
    this.past.push(this.now);
    this.now = state;
    this.future = [];
  }

  undo(): State | undefined {
    return this.step(this.past, this.future);
  }

  redo(): State | undefined {
    return this.step(this.future, this.past);
  }

  get canUndo(): boolean {
    return this.past.length > 0;
  }

  get canRedo(): boolean {
    return this.future.length > 0;
  }

  private step(from: State[], to: State[]): State | undefined {
    const state = from.pop();
    if (state === undefined) return undefined;
    to.push(this.now);
    this.now = state;
    return state;
  }
}
