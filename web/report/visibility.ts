// SPDX-License-Identifier: Apache-2.0
// Which groups and series the reader has hidden; shared by the plots of one row.

import type { PlotBlock, Series } from "./model";

export class Visibility {
  private readonly hidden = new Set<string>();
  private readonly listeners: (() => void)[] = [];

  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  isHidden(key: string): boolean {
    return this.hidden.has(key);
  }

  toggle(key: string): void {
    if (!this.hidden.delete(key)) this.hidden.add(key);
    this.changed();
  }

  // Shows only `key` among its kind; a second time shows all of them again.
  isolate(key: string, kind: string[]): void {
    const isAlone = kind.every((other) => this.hidden.has(other) === (other !== key));
    for (const other of kind) {
      if (isAlone || other === key) this.hidden.delete(other);
      else this.hidden.add(other);
    }
    this.changed();
  }

  shows(plot: PlotBlock, series: Series): boolean {
    return !seriesKeys(plot, series).some((key) => this.hidden.has(key));
  }

  private changed(): void {
    for (const listener of this.listeners) listener();
  }
}

export const groupKey = (name: string): string => `group ${name}`;
export const nameKey = (name: string): string => `series ${name}`;

function seriesKeys(plot: PlotBlock, series: Series): string[] {
  const group = plot.groups[series.group];
  return group === undefined ? [nameKey(series.name)] : [groupKey(group), nameKey(series.name)];
}
