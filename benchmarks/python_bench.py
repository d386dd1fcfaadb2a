#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What Python adds: PYTHONPATH=build/release/python benchmarks/python_bench.py [--figures FILE], from the root of the tree. Medians of processor time.

--figures also writes them as docs/figures keeps them, for docs/performance.md.
"""
import json
import statistics
import sys
import time

import numpy as np

import kdyn


def medians(rounds, *works):
    """One after the other in every round, so that a busy machine slows all of them alike."""
    seconds = [[] for _ in works]
    for _ in range(rounds + 1):
        for work, taken in zip(works, seconds):
            start = time.process_time()
            work()
            taken.append(time.process_time() - start)
    return [statistics.median(taken[1:]) for taken in seconds]


def median(work, rounds):
    return medians(rounds, work)[0]


def main(arguments):
    figures = {}

    def tell(name, value, unit):
        figures[f"{name}, {unit}"] = value
        print(f"{name}: {value:.3g} {unit}")

    table = kdyn.read("data/cab_mount/x_map.csv").maps[0]
    held = kdyn.measurements(map=table)
    options = {"data": held.files}
    whole, operation = medians(41, lambda: kdyn.fit.elastomer(kdyn.measurements(map=table), progress=False).parameters,
                               lambda: kdyn._kdyn.run("fit elastomer", options))
    tell(f"fit from arrays of {len(table)} rows", 1e3 * whole, "ms")
    tell("the same operation in C++, with its report", 1e3 * operation, "ms")
    law = kdyn.fit.elastomer("data/cab_mount/z_map.csv", "data/cab_mount/z_static.csv", progress=False).model
    n = 10 ** 6
    f = np.random.default_rng(1).uniform(1.0, 50.0, n)
    own = np.random.default_rng(2).uniform(1e-4, 2e-3, n)
    for name, amplitude in (("at one amplitude", 1e-3), ("at ten amplitudes, mixed", np.tile(np.geomspace(1e-4, 2e-3, 10), n // 10)), ("each at its own amplitude", own)):
        tell(f"10^6 dynamic stiffnesses, {name}", median(lambda a=amplitude: law.dynamic_stiffness(f, a), 5), "s")
    if arguments[:1] == ["--figures"]:
        with open(arguments[1], "w", encoding="utf-8") as out:
            json.dump({"title": "What Python adds", "source": "medians of processor time, one core", "command": "benchmarks/python_bench.py", "figures": figures}, out, indent=2)
            out.write("\n")


if __name__ == "__main__":
    main(sys.argv[1:])
