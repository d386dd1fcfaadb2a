#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What Python adds: PYTHONPATH=build/release/python benchmarks/python_bench.py, from the root of the tree. Medians of processor time."""
import statistics
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


def main():
    table = kdyn.read("data/cab_mount/x_map.csv").maps[0]
    held = kdyn.measurements(map=table)
    options = {"data": held.files}
    whole, operation = medians(41, lambda: kdyn.fit.elastomer(kdyn.measurements(map=table), progress=False).parameters,
                               lambda: kdyn._kdyn.run("fit elastomer", options))
    print(f"fit from arrays ({len(table)} rows): {1e3 * whole:.2f} ms, the operation in C++ with its report {1e3 * operation:.2f} ms")
    law = kdyn.fit.elastomer("data/cab_mount/z_map.csv", "data/cab_mount/z_static.csv", progress=False).model
    f = np.random.default_rng(1).uniform(1.0, 50.0, 10 ** 6)
    for name, amplitude in (("one amplitude", 1e-3), ("ten amplitudes, mixed", np.tile(np.geomspace(1e-4, 2e-3, 10), 10 ** 5))):
        print(f"10^6 dynamic stiffnesses, {name}: {median(lambda a=amplitude: law.dynamic_stiffness(f, a), 5):.3f} s")
    a = np.random.default_rng(2).uniform(1e-4, 2e-3, 10 ** 5)
    print(f"10^5 dynamic stiffnesses, each at its own amplitude: {median(lambda: law.dynamic_stiffness(f[:10 ** 5], a), 3):.3f} s")


if __name__ == "__main__":
    main()
