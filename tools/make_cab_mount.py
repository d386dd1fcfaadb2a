#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes data/cab_mount: a synthetic cab mount measured on kdyn's virtual rig in three directions, with noise and the blemishes of a real bench.

    tools/make_cab_mount.py build/release/kdyn

Same seed, same kdyn: same files. MANIFEST.json holds the truth, the blemishes and the checksums.
"""
import hashlib
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "data" / "cab_mount"
FREQUENCIES = [1, 1.5, 2, 3, 4, 5, 6.5, 8, 10, 12.5, 15, 18, 21, 25, 30, 34, 38, 42, 46, 50]
AMPLITUDES_MM = [0.05, 0.1, 0.2, 0.5, 1.0, 2.0]


def curve(k, cubic, stroke_mm, points=81):
    """Progressive static curve F = k s + cubic s^3, as [[m, N], ...]."""
    values = []
    for i in range(points):
        s = (2 * i / (points - 1) - 1) * stroke_mm * 1e-3
        values.append([round(s, 9), round(k * s + cubic * s**3, 6)])
    return values


# Friction limit and stiffness differ between directions; z carries the cab and is progressive.
DIRECTIONS = {
    "x": {
        "parameters": {"static_stiffness": 262e3, "alpha": 0.115, "beta": 0.082, "gamma": 0.0041, "lambda": 0.3803, "rdl": 7.6e-5, "rho": 5200.0, "ymax": 2.6e-4},
        "preloads": [0],
    },
    "y": {
        "parameters": {"static_stiffness": 415e3, "alpha": 0.098, "beta": 0.105, "gamma": 0.0033, "lambda": 0.3803, "rdl": 9.9e-5, "rho": 3900.0, "ymax": 3.1e-4},
        "preloads": [0],
    },
    "z": {
        "parameters": {
            "static_stiffness": 338e3, "alpha": 0.1014, "beta": 0.0963, "gamma": 0.0035, "lambda": 0.3803, "rdl": 8.93e-5, "rho": 4528.2, "ymax": 2.2e-4,
            "curve": curve(338e3, 1.6e10, 5.0),
        },
        "preloads": [0, 800],
    },
}


def rig(kdyn, model, **options):
    with tempfile.TemporaryDirectory() as out:
        job = Path(out) / "job.json"
        job.write_text(json.dumps(options))
        subprocess.run([kdyn, "rig", model, "--config", job, "--out", out, "--no-report", "--quiet"], check=True)
        return json.loads((Path(out) / "result.json").read_text())


def achieved(frequency, amplitude):
    """The hydraulic cylinder falls short at large amplitude and high frequency."""
    return amplitude * (1 - 0.08 * (amplitude / 2.0) * (frequency / 50.0) ** 2)


def map_rows(kdyn, model, direction, rng):
    rows = []
    for frequency in FREQUENCIES:
        amplitudes = [round(achieved(frequency, a), 5) for a in AMPLITUDES_MM]
        result = rig(kdyn, model, program="map", frequencies_hz=[frequency], amplitudes_m=[a * 1e-3 for a in amplitudes], preloads_n=DIRECTIONS[direction]["preloads"])
        for row in result["map"]:
            nominal = AMPLITUDES_MM[amplitudes.index(round(row["amplitude_m"] * 1e3, 5))]
            rows.append([frequency, row["amplitude_m"] * 1e3, row["preload_n"], row["k_dyn"] * 1e-3 * (1 + 0.005 * rng.gauss(0, 1)),
                         row["loss_angle_deg"] + 0.08 * rng.gauss(0, 1), nominal])
    rows.sort(key=lambda r: (r[2], r[5], r[0]))
    return rows


def blemish(rows, rng):
    """Two wild points and one row written twice; returns what was done."""
    done = []
    for change in (1.09, 0.92):
        i = rng.randrange(len(rows) // 4, len(rows))
        rows[i][3] *= change
        done.append(f"k_dyn of the row {rows[i][0]:g} Hz, {rows[i][5]:g} mm, {rows[i][2]:g} N multiplied by {change}")
    i = rng.randrange(len(rows))
    rows.insert(i, list(rows[i]))
    done.append(f"the row {rows[i][0]:g} Hz, {rows[i][5]:g} mm, {rows[i][2]:g} N written twice")
    return done


def write(name, header, rows, formats):
    lines = [header] + [",".join(f.format(v) for f, v in zip(formats, row)) for row in rows]
    path = FOLDER / name
    path.write_text("\n".join(lines) + "\n")
    return {"file": name, "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}


def main():
    kdyn = Path(sys.argv[1]).resolve()
    FOLDER.mkdir(parents=True, exist_ok=True)
    manifest = {
        "name": "cab_mount",
        "origin": "synthetic: kdyn's virtual rig, noise and blemishes by tools/make_cab_mount.py",
        "licence": "Apache-2.0",
        "units": "as in the headers; truth in SI",
        "noise": {"k_dyn": "0.5 % of value", "loss_angle": "0.08 deg", "static": "1.5 N, 1 um", "transient": "2 N, 0.5 um"},
        "directions": {},
    }
    for number, direction in enumerate(DIRECTIONS):
        rng = random.Random(20260 + number)
        truth = {"model": "elastomer", "law": "masing", "parameters": DIRECTIONS[direction]["parameters"]}
        model = FOLDER / f"{direction}_truth.json"
        model.write_text(json.dumps(truth) + "\n")
        files, done = [], []
        rows = map_rows(kdyn, model, direction, rng)
        done += blemish(rows, rng)
        files.append(write(f"{direction}_map.csv", "frequency_hz,amplitude_mm,preload_n,k_dyn_n_per_mm,loss_angle_deg,nominal_amplitude_mm", rows,
                           ["{:g}", "{:.4f}", "{:g}", "{:.1f}", "{:.2f}", "{:g}"]))
        stroke = 4e-3
        static = rig(kdyn, model, program="static", static_amplitude_m=stroke, static_points=600)["series"]
        rows = [[u * 1e3 + 1e-3 * rng.gauss(0, 1), f + 6.0 + 1.5 * rng.gauss(0, 1)] for u, f in zip(static["displacement_m"], static["force_n"])]
        done.append("static force sensor reads 6 N too much")
        files.append(write(f"{direction}_static.csv", "displacement_mm,force_n", rows, ["{:.4f}", "{:.2f}"]))
        formula = "(1-exp(-t/0.05))*(7e-4*sin(2*pi*2.3*t)+3.5e-4*sin(2*pi*9.1*t+0.4)+1.2e-4*sin(2*pi*27*t+1.9))*exp(-((t-1.6)/1.1)^2)"
        series = rig(kdyn, model, program="transient", formula=formula, duration_s=4, sample_rate_hz=1000)["series"]
        rows = [[t, u * 1e3 + 5e-4 * rng.gauss(0, 1), f + 2.0 * rng.gauss(0, 1)] for t, u, f in zip(series["time_s"], series["displacement_m"], series["force_n"])]
        files.append(write(f"{direction}_transient.csv", "time_s,displacement_mm,force_n", rows, ["{:.3f}", "{:.5f}", "{:.2f}"]))
        done.append("amplitudes as achieved: up to 8 % below nominal at 2 mm and 50 Hz")
        manifest["directions"][direction] = {"truth": truth["parameters"], "preloads_n": DIRECTIONS[direction]["preloads"], "blemishes": done, "files": files}
    (FOLDER / "MANIFEST.json").write_text(json.dumps(manifest, indent=2) + "\n")


if __name__ == "__main__":
    main()
