#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes data/engine: an engine on three mounts in a car, moved by a shaker; forces and accelerations as measured.

    tools/make_engine.py data/engine

The engine is a rigid body with small rotations, each mount three springs with dampers: six linear equations, integrated exactly for forces that
are straight between samples. Nothing of kdyn is used. The model file carries the stiffnesses of the drawing; those of the part are TRUTH, also
in MANIFEST.json. The rear mount is worn. In reversed.csv one cable is connected the wrong way."""
import hashlib
import json
import sys
from pathlib import Path

import numpy as np
from scipy.signal import cont2discrete

MASS, INERTIA = 185.0, [8.5, 13.0, 11.5]  # kg, kg m^2 about the centre of gravity, the origin
MOUNTS = {"left": [0.15, 0.42, -0.05], "right": [0.10, -0.40, -0.05], "rear": [-0.45, 0.05, -0.20]}
DRAWING = {"left": [150e3, 120e3, 250e3], "right": [150e3, 120e3, 250e3], "rear": [130e3, 80e3, 200e3]}  # N/m along x, y, z
TRUTH = {"left": [158e3, 111e3, 236e3], "right": [147e3, 124e3, 261e3], "rear": [88e3, 57e3, 131e3]}
DAMPING = {"left": [260.0, 230.0, 420.0], "right": [260.0, 230.0, 420.0], "rear": [180.0, 120.0, 240.0]}  # N s/m
SHAKER = [0.20, 0.15, 0.25]
SENSORS = {"a1": [0.25, 0.30, 0.20], "a2": [0.20, -0.30, 0.25], "a3": [-0.35, 0.10, 0.15], "a4": [0.0, 0.0, -0.25]}
STEP, SAMPLES, NOISE = 1e-3, 1200, 0.02
AXES = "xyz"


def cross(p):
    return np.array([[0, -p[2], p[1]], [p[2], 0, -p[0]], [-p[1], p[0], 0]])


def motion_of(p):
    """Motion of a point by translation and rotation of the body: u + theta x p."""
    return np.hstack([np.eye(3), -cross(p)])


def force():
    t = np.arange(SAMPLES) * STEP
    ramp = 1 - np.exp(-t / 0.03)
    return t, np.stack([ramp * a * np.sin(2 * np.pi * (f0 + rate * t) * t + phase) for a, f0, rate, phase in ((250, 3, 9, 0.0), (220, 4, 10, 1.0), (350, 5, 11, 2.0))])


def accelerations():
    m = np.diag([MASS] * 3 + INERTIA)
    k = sum(motion_of(p).T @ np.diag(TRUTH[name]) @ motion_of(p) for name, p in MOUNTS.items())
    c = sum(motion_of(p).T @ np.diag(DAMPING[name]) @ motion_of(p) for name, p in MOUNTS.items())
    g = motion_of(SHAKER).T
    inverse = np.linalg.inv(m)
    a = np.block([[np.zeros((6, 6)), np.eye(6)], [-inverse @ k, -inverse @ c]])
    b = np.vstack([np.zeros((6, 3)), inverse @ g])
    out = np.vstack([motion_of(p) for p in SENSORS.values()])
    ad, bd, cd, dd, _ = cont2discrete((a, b, out @ a[6:], out @ inverse @ g), STEP, "foh")
    t, f = force()
    state, rows = np.zeros(12), []
    # The discrete states of a first-order hold carry the first input with them: x = w + b1 u.
    for u in f.T:
        rows.append(cd @ state + dd @ u)
        state = ad @ state + bd @ u
    return t, f, np.array(rows).T


def table(path, t, f, a, title):
    names = ["time_s"] + [f"shaker_{axis} [N]" for axis in AXES] + [f"{s}.{axis} [m/s^2]" for s in SENSORS for axis in AXES]
    lines = [f"# {title}", ",".join(names)]
    for i, time in enumerate(t):
        lines.append(",".join([f"{time:.3f}"] + [f"{v:.5g}" for v in f[:, i]] + [f"{v:.5g}" for v in a[:, i]]))
    path.write_text("\n".join(lines) + "\n")


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    dice = np.random.default_rng(12)
    t, f, a = accelerations()
    a = a + NOISE * np.std(a, axis=1, keepdims=True) * dice.standard_normal(a.shape)
    table(folder / "measured.csv", t, f, a, "engine in the car, shaker on the bracket of the alternator; synthetic (tools/make_engine.py)")
    wrong = a.copy()
    wrong[3 * 1 + 2] *= -1  # a2.z
    table(folder / "reversed.csv", t, f, wrong, "the same with the cable of a2.z reversed")

    law = lambda k, c: {"model": "kelvin_voigt", "parameters": {"stiffness": k, "damping": c}}
    model = {
        "title": "Engine on three mounts",
        "comment": "Stiffnesses of the drawing. Weight is left out: with straight springs it only shifts the engine.",
        "run": {"step_s": STEP, "duration_s": (SAMPLES - 1) * STEP},
        "bodies": [{"name": "engine", "mass": MASS, "inertia": INERTIA}],
        "bushings": [{"name": name, "markers": [{"body": "ground", "position": p}, {"body": "engine", "position": p}],
                      "laws": {f"f{axis}": law(k, 300.0) for axis, k in zip(AXES, DRAWING[name])}} for name, p in MOUNTS.items()],
        "loads": [{"name": "shaker", "marker": {"body": "engine", "position": SHAKER},
                   "force": [{"file": "measured.csv", "column": f"shaker_{axis}"} for axis in AXES]}],
        "sensors": [{"name": name, "kind": "accelerometer", "body": "engine", "position": p} for name, p in SENSORS.items()],
    }
    (folder / "engine.json").write_text(json.dumps(model, indent=1) + "\n")
    start = {f"{name}.f{axis}.{what}": value for name in MOUNTS for i, axis in enumerate(AXES) for what, value in (("stiffness", DRAWING[name][i]), ("damping", 300.0))}
    job = {"title": "Engine mounts in place", "model": "engine.json", "data": ["measured.csv"], "start": start}
    (folder / "job.json").write_text(json.dumps(job, indent=1) + "\n")
    manifest = {"name": "engine", "origin": "synthetic: tools/make_engine.py", "licence": "Apache-2.0", "units": "SI, as in the headers",
                "noise": "2 % of the rms of each acceleration; forces without noise",
                "truth": {f"{name}.f{axis}.{what}": values[name][i] for what, values in (("stiffness", TRUTH), ("damping", DAMPING)) for name in MOUNTS for i, axis in enumerate(AXES)},
                "files": [{"file": p.name, "sha256": hashlib.sha256(p.read_bytes()).hexdigest()} for p in sorted(folder.iterdir()) if p.name != "MANIFEST.json"]}
    (folder / "MANIFEST.json").write_text(json.dumps(manifest, indent=1) + "\n")


if __name__ == "__main__":
    main()
