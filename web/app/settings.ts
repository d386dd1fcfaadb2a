// SPDX-License-Identifier: Apache-2.0
// What a user sets for all pages: units and theme. Kept in this browser.

export interface Unit {
  unit: string;
  factor: number; // shown = factor * SI
}

export type UnitSystem = "engineering" | "si";
export type Theme = "system" | "light" | "dark";

const engineering: Record<string, Unit> = {
  "N/m": { unit: "N/mm", factor: 1e-3 },
  m: { unit: "mm", factor: 1e3 },
  s: { unit: "ms", factor: 1e3 },
  "1/m": { unit: "1/mm", factor: 1e-3 },
  "m^2": { unit: "mm²", factor: 1e6 },
  rad: { unit: "deg", factor: 180 / Math.PI },
  Pa: { unit: "kPa", factor: 1e-3 },
  "N*s/m": { unit: "N s/mm", factor: 1e-3 },
};

// Documents are written in engineering units; SI is what they came from.
const toSi: Record<string, Unit> = Object.fromEntries(Object.entries(engineering).filter(([si]) => si !== "rad").map(([si, { unit, factor }]) => [unit, { unit: si, factor: 1 / factor }]));

class Settings {
  private readonly listeners = new Set<() => void>();

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
    return (this.units === "si" && toSi[unit]) || { unit, factor: 1 };
  }

  shown(siUnit: string): Unit {
    return (this.units === "engineering" && engineering[siUnit]) || { unit: siUnit, factor: 1 };
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
