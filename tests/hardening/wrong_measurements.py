#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plausible but wrong measurements: is the fault refused, told, or harmless?

    KDYN_BINARY=... KDYN_SOURCE_DIR=... wrong_measurements.py [--cases N] [--seed S] [--jobs J] [--keep DIR]

Each case takes bundled measurements of a known mount or vehicle, spoils one file as benches and people do (units, signs, exchanged columns, time
reversed or repeated, clipped, dead, offset, equal rows, mixed parts), and runs the fit on all files together, so that the fault contradicts
the others. It passes when kdyn refuses (2, 4), ends as a poor fit (3), reports a warning or a serious finding that the clean files do not have, or gives
parameters whose intervals (twice as wide) hold the truth. It fails when none of these holds: a wrong number with exit 0.
"""
import argparse
import concurrent.futures
import csv
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

KDYN = os.environ["KDYN_BINARY"]
SOURCE = Path(os.environ["KDYN_SOURCE_DIR"])


class Table:
    def __init__(self, path):
        with open(path, newline="") as file:
            rows = list(csv.reader(file))
        self.head, self.rows = rows[0], [[float(x) if x.replace(".", "").replace("-", "").replace("e", "").replace("+", "").isdigit() else x for x in row] for row in rows[1:]]

    def column(self, part):
        return next(i for i, name in enumerate(self.head) if part in name)

    def write(self, path):
        with open(path, "w", newline="") as file:
            csv.writer(file).writerows([self.head, *self.rows])


def scaled(part, factor):
    def spoil(table, rng):
        i = table.column(part)
        for row in table.rows:
            row[i] *= factor
    return spoil


def mapped(part, function):
    def spoil(table, rng):
        i = table.column(part)
        values = [row[i] for row in table.rows]
        for row, value in zip(table.rows, function(values, rng)):
            row[i] = value
    return spoil


def exchanged(a, b):
    def spoil(table, rng):
        i, j = table.column(a), table.column(b)
        for row in table.rows:
            row[i], row[j] = row[j], row[i]
    return spoil


def clipped(values, rng):
    limit = rng.uniform(0.4, 0.7) * max(abs(v) for v in values)
    return [max(-limit, min(limit, v)) for v in values]


def reversed_time(table, rng):
    i = table.column("time")
    times = [row[i] for row in table.rows]
    table.rows.reverse()
    for row, t in zip(table.rows, times):
        row[i] = t


def repeated(table, rng):
    table.rows = [list(row) for row in table.rows for _ in range(2)]


def some_rows_of(other):
    def spoil(table, rng):
        rows = Table(other).rows
        for i in rng.sample(range(len(table.rows)), len(table.rows) // 2):
            table.rows[i] = list(rows[i % len(rows)])
    return spoil


def late(column, samples):
    def spoil(table, rng):
        i = table.column(column)
        values = [row[i] for row in table.rows]
        for k, row in enumerate(table.rows):
            row[i] = values[max(0, k - samples)]
    return spoil


CAB = SOURCE / "data" / "cab_mount"
MAP = {
    "stiffness in N/m": scaled("k_dyn", 1000.0), "stiffness in kN/mm": scaled("k_dyn", 1e-3), "stiffness in kgf/mm": scaled("k_dyn", 1 / 9.81),
    "stiffness in lbf/in": scaled("k_dyn", 5.71), "angle in rad": scaled("loss_angle", 0.01745), "angle times 57.3": scaled("loss_angle", 57.3),
    "tan delta under degrees": mapped("loss_angle", lambda v, r: [__import__("math").tan(x / 57.3) for x in v]),
    "90 - delta": mapped("loss_angle", lambda v, r: [90 - x for x in v]), "delta of wrong sign": scaled("loss_angle", -1.0),
    "amplitude in m": scaled("amplitude_mm", 1e-3), "amplitude in um": scaled("amplitude_mm", 1e3), "amplitude in inch": scaled("amplitude_mm", 1 / 25.4),
    "peak to peak": scaled("amplitude_mm", 2.0), "frequency in rad/s": scaled("frequency", 6.2832), "frequency in kHz": scaled("frequency", 1e-3),
    "columns exchanged": exchanged("k_dyn", "loss_angle"), "frequency and amplitude exchanged": exchanged("frequency", "amplitude_mm"),
    "stiffness dead": mapped("k_dyn", lambda v, r: [v[0]] * len(v)), "stiffness clipped": mapped("k_dyn", lambda v, r: [min(x, 0.9 * max(v)) for x in v]),
    "stiffness shuffled": mapped("k_dyn", lambda v, r: r.sample(v, len(v))), "angle shuffled": mapped("loss_angle", lambda v, r: r.sample(v, len(v))),
    "random stiffness": mapped("k_dyn", lambda v, r: [x * r.uniform(0.5, 2.0) for x in v]), "rows repeated": repeated,
    "stiffness squared": mapped("k_dyn", lambda v, r: [x * x / 500 for x in v]), "rows of another direction": some_rows_of(CAB / "x_map.csv"),
    "other direction": lambda table, rng: setattr(table, "rows", Table(CAB / "x_map.csv").rows), "angle offset": mapped("loss_angle", lambda v, r: [x + 3 for x in v]),
}
STATIC = {
    "force in kN": scaled("force", 1e-3), "force in kgf": scaled("force", 1 / 9.81), "force in lbf": scaled("force", 0.2248), "force of wrong sign": scaled("force", -1.0),
    "displacement in m": scaled("displacement", 1e-3), "displacement in inch": scaled("displacement", 1 / 25.4), "both of wrong sign": lambda t, r: (scaled("force", -1.0)(t, r), scaled("displacement", -1.0)(t, r)),
    "columns exchanged": exchanged("force", "displacement"), "force clipped": mapped("force", clipped), "force dead": mapped("force", lambda v, r: [0.0] * len(v)),
    "force 20 % high": scaled("force", 1.2), "other direction": lambda table, rng: setattr(table, "rows", Table(CAB / "x_static.csv").rows), "loop reversed": lambda table, rng: table.rows.reverse(),
    "random force": mapped("force", lambda v, r: [r.gauss(0, 1000) for _ in v]), "rows repeated": repeated,
}
TRANSIENT = {
    "force in kN": scaled("force", 1e-3), "force in kgf": scaled("force", 1 / 9.81), "force of wrong sign": scaled("force", -1.0), "displacement in m": scaled("displacement", 1e-3),
    "displacement in inch": scaled("displacement", 1 / 25.4), "columns exchanged": exchanged("force", "displacement"), "force clipped": mapped("force", clipped),
    "displacement clipped": mapped("displacement", clipped), "force dead": mapped("force", lambda v, r: [v[0]] * len(v)), "time in ms": scaled("time", 1000.0), "time in minutes": scaled("time", 1 / 60),
    "time reversed": reversed_time, "force 5 samples late": late("force", 5), "displacement 5 samples late": late("displacement", 5), "force 20 % high": scaled("force", 1.2),
    "rows repeated": repeated, "other direction": lambda table, rng: setattr(table, "rows", Table(CAB / "x_transient.csv").rows), "random force": mapped("force", lambda v, r: [r.gauss(0, 300) for _ in v]),
    "spikes": mapped("force", lambda v, r: [x + (5000 if r.random() < 0.01 else 0) for x in v]),
}
KINDS = [("map", MAP), ("static", STATIC), ("transient", TRANSIENT)]
# Wrong in a way that no measurement here contradicts: a loop run the other way round is as good, a sign of both axes too.
HARMLESS = {("static", "both of wrong sign"), ("static", "loop reversed")}


def fit(folder, files, words=()):
    out = folder / "out"
    run = subprocess.run([KDYN, "fit", "elastomer", "--data", *map(str, files), "--out", str(out), "--no-report", *words], cwd=folder, capture_output=True, text=True, timeout=300)
    result = json.loads((out / "result.json").read_text()) if run.returncode in (0, 3) else None
    return run, result


def loud(result):
    return {(f["code"], f.get("severity")) for f in result["findings"] if f.get("severity") in ("warning", "serious")}


def holds(result, truth):
    """Whether every free parameter's interval, made twice as wide, holds the truth."""
    for name, p in result["parameters"].items():
        if p["status"] != "free" or name not in truth or p["lower_95"] is None:
            continue
        low, high, middle = p["lower_95"], p["upper_95"], p["value"]
        if not (middle - 2 * (middle - low) <= truth[name] <= middle + 2 * (high - middle)):
            return False
    return True


def one(case, keep):
    direction, kind, name, seed, clean, truth = case
    with tempfile.TemporaryDirectory(prefix="kdyn_wrong_") as folder:
        folder = Path(folder)
        files = []
        for other, _ in KINDS:
            path = folder / f"part_{direction}_{other}.csv"
            table = Table(CAB / f"{direction}_{other}.csv")
            if other == kind:
                dict(KINDS)[kind][name](table, random.Random(seed))
            table.write(path)
            files.append(path)
        try:
            run, result = fit(folder, files)
        except subprocess.TimeoutExpired:
            return "no end within 300 s"
        if run.returncode not in (0, 2, 3, 4):
            return f"ended with {run.returncode}: {run.stderr[-200:]}"
        if run.returncode in (2, 3, 4):
            return None
        if loud(result) - clean:
            return None
        if holds(result, truth):
            return None
        if keep:
            target = Path(keep) / f"{direction}_{kind}_{name}".replace(" ", "_").replace("/", "_")
            target.mkdir(parents=True, exist_ok=True)
            for path in files:
                (target / path.name).write_text(path.read_text())
        wrong = {n: (p["value"], p["lower_95"], p["upper_95"], truth.get(n)) for n, p in result["parameters"].items() if p["status"] == "free"}
        return f"exit 0, no new warning, truth outside: {wrong}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--cases", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--keep", default="", help="folder for the files of cases that failed")
    parser.add_argument("--kind", default="", help="map, static or transient")
    options = parser.parse_args()
    cases = []
    for direction in "xyz":
        truth = json.loads((CAB / f"{direction}_truth.json").read_text())["parameters"]
        with tempfile.TemporaryDirectory(prefix="kdyn_clean_") as folder:
            _, result = fit(Path(folder), [CAB / f"{direction}_{kind}.csv" for kind, _ in KINDS])
        clean = loud(result)
        cases += [(direction, kind, name, options.seed, clean, truth) for kind, spoils in KINDS for name in spoils if (kind, name) not in HARMLESS and options.kind in ("", kind)]
    total = len(cases)
    if options.cases:
        cases = random.Random(options.seed).sample(cases, min(options.cases, total))
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for case, wrong in zip(cases, pool.map(lambda c: one(c, options.keep), cases)):
            if wrong:
                failed += 1
                print(f"{case[0]} {case[1]}: {case[2]}: {wrong}", flush=True)
    print(f"{len(cases)} of {total} spoilt measurements")
    print(f"{len(cases) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
