// SPDX-License-Identifier: Apache-2.0
// What a user sets for all pages: units and theme. Kept in this browser.

export interface Unit {
  unit: string;
  factor: number; // shown = factor * SI
}

// As the server tells it: shown = factor * value in unit.
export interface DisplayUnit {
  unit: string;
  shown: string;
  factor: number;
}

export type UnitSystem = "engineering" | "si";
export type Theme = "system" | "light" | "dark";

class Settings {
  private readonly listeners = new Set<() => void>();
  private readonly engineering = new Map<string, Unit>(); // by SI unit
  private readonly toSi = new Map<string, Unit>(); // by unit of documents, which are written in engineering units

  // The units kdyn shows to people, as the server tells them. Angles of documents stay in degrees.
  setUnits(units: DisplayUnit[]): void {
    for (const { unit, shown, factor } of units) {
      this.engineering.set(unit, { unit: shown, factor });
      if (!unit.includes("rad")) this.toSi.set(shown, { unit, factor: 1 / factor });
    }
  }

  get units(): UnitSystem {
    return read("units") === "si" ? "si" : "engineering";
  }
  set units(system: UnitSystem) {
    write("units", system);
    for (const listener of [...this.listeners]) listener();
  }

  get theme(): Theme {
    const theme = read("theme");
    return theme === "light" || theme === "dark" ? theme : "system";
  }
  set theme(theme: Theme) {
    write("theme", theme);
    this.applyTheme();
  }

  applyTheme(): void {
    if (this.theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = this.theme;
  }

  onUnits(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  // The unit in which a number of a document is shown.
  ofDocument(unit: string): Unit {
    return (this.units === "si" && this.toSi.get(unit)) || { unit, factor: 1 };
  }

  shown(siUnit: string): Unit {
    return (this.units === "engineering" && this.engineering.get(siUnit)) || { unit: siUnit, factor: 1 };
  }
}

// Storage may be forbidden; then the settings last as long as the page.
const memory = new Map<string, string>();
function read(key: string): string | undefined {
  try {
    return localStorage.getItem(`kdyn.${key}`) ?? undefined;
  } catch {
    return memory.get(key);
  }
}
function write(key: string, value: string): void {
  try {
    localStorage.setItem(`kdyn.${key}`, value);
  } catch {
    memory.set(key, value);
  }
}

export const settings = new Settings();
