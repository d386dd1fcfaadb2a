#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes data/quarter_car: a quarter of a car as multibody model, and the road it drives on.

    tools/make_quarter_car.py data/quarter_car

The road is of class B after ISO 8608 (64e-6 m^3 at 0.1 1/m, waviness 2), driven at 20 m/s: sines from 0.5 to 20 Hz whose phases come from a small
congruential generator, so that every machine writes the same file. It begins and ends level."""
import hashlib
import json
import math
import sys
from pathlib import Path

SPEED, ROUGHNESS, REFERENCE = 20.0, 64e-6, 0.1  # m/s, m^3, 1/m
STEP, DURATION = 2.5e-3, 10.0  # s
LINES, LOWEST, HIGHEST = 60, 0.5, 20.0  # Hz


def phases(count):
    state = 20240611
    for _ in range(count):
        state = (1103515245 * state + 12345) % 2**31
        yield 2 * math.pi * state / 2**31


def road():
    edges = [LOWEST * (HIGHEST / LOWEST) ** (i / LINES) for i in range(LINES + 1)]
    sines = []
    for low, high, phase in zip(edges, edges[1:], phases(LINES)):
        n, width = math.sqrt(low * high) / SPEED, (high - low) / SPEED
        sines.append((math.sqrt(2 * ROUGHNESS * (n / REFERENCE) ** -2 * width), math.sqrt(low * high), phase))
    for i in range(round(DURATION / STEP) + 1):
        t = i * STEP
        ends = min(1.0, t, DURATION - t)
        window = 0.5 - 0.5 * math.cos(math.pi * ends)
        yield t, window * sum(a * math.sin(2 * math.pi * f * t + p) for a, f, p in sines)


def spring(stiffness, damping):
    return {"fz": {"model": "kelvin_voigt", "parameters": {"stiffness": stiffness, "damping": damping}}}


def model():
    rail = [{"name": f"rail_{body}", "kind": "translational", "markers": [{"body": "ground", "position": [0, 0, z]}, {"body": body}]} for body, z in (("plate", 0.0), ("wheel", 0.3), ("body", 0.8))]
    lift = {"name": "road", "kind": "drive_translation", "axis": "z", "markers": [{"body": "ground"}, {"body": "plate"}], "drive": {"file": "road.csv", "column": "road_z"}}
    return {
        "title": "A quarter of a car on a country road",
        "comment": "Body, wheel and the plate that the road lifts. Weight is left out: with straight springs it only shifts them.",
        "run": {"step_s": 0.0025, "duration_s": 10.0},
        "bodies": [
            {"name": "plate", "mass": 1.0, "inertia": [0.01, 0.01, 0.01], "position": [0, 0, 0]},
            {"name": "wheel", "mass": 42.0, "inertia": [0.4, 0.4, 0.4], "position": [0, 0, 0.3]},
            {"name": "body", "mass": 345.0, "inertia": [6, 6, 6], "position": [0, 0, 0.8]},
        ],
        "joints": rail + [lift],
        "bushings": [
            {"name": "tyre", "markers": [{"body": "plate", "position": [0, 0, 0.3]}, {"body": "wheel"}], "laws": spring(190e3, 150.0)},
            {"name": "strut", "markers": [{"body": "wheel", "position": [0, 0, 0.5]}, {"body": "body"}], "laws": spring(17e3, 1500.0)},
        ],
        "sensors": [
            {"name": "seat", "kind": "accelerometer", "body": "body", "axes": "z"},
            {"name": "strut_load", "kind": "force", "of": "strut", "axes": "z"},
        ],
    }


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    rows = [f"{t:.4f},{z:.8f}" for t, z in road()]
    (folder / "road.csv").write_text("# road of class B at 20 m/s; synthetic (tools/make_quarter_car.py)\ntime_s,road_z [m]\n" + "\n".join(rows) + "\n")
    (folder / "quarter_car.json").write_text(json.dumps(model(), indent=1) + "\n")
    files = [{"file": name, "sha256": hashlib.sha256((folder / name).read_bytes()).hexdigest()} for name in ("quarter_car.json", "road.csv")]
    manifest = {"name": "quarter_car", "origin": "synthetic: tools/make_quarter_car.py", "licence": "Apache-2.0", "units": "SI, as in the headers", "noise": "none", "files": files}
    (folder / "MANIFEST.json").write_text(json.dumps(manifest, indent=1) + "\n")


if __name__ == "__main__":
    main()
