#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes data/hydro_mount: a synthetic engine mount with a soft decoupler membrane, measured on kdyn's virtual rig, with noise.

    tools/make_hydro_mount.py build/release/kdyn

Same seed, same kdyn: same files. MANIFEST.json holds the truth and the checksums.
"""
import hashlib
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "data" / "hydro_mount"
FREQUENCIES = [1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 18, 20, 22, 25, 28, 32, 36, 40, 45, 50]
AMPLITUDES_MM = [0.05, 0.1, 0.2, 0.5, 1.0, 2.0]
RUBBER = {"alpha": 0.1014, "beta": 0.0963, "gamma": 0.0035, "lambda": 0.3803}
TRUTH = {
    "model": "hydromount",
    "main_rubber": {"model": "elastomer", "law": "masing", "parameters": {"static_stiffness": 320e3, **RUBBER, "rdl": 6.5e-5, "rho": 4600.0}},
    "chamber_rubber": {"model": "elastomer", "law": "masing", "parameters": {"static_stiffness": 560e3, **RUBBER, "rdl": 7.5e-5, "rho": 4000.0}},
    "parameters": {
        "chamber_area": 4.8e-3, "channel_area": 6.2e-5, "channel_length": 0.21, "fluid_density": 1050.0, "fluid_damping_linear": 0.12,
        "fluid_damping_nonlinear": 0.34, "fluid_damping_exponent": 2, "decoupler_clearance": 1.2e-4, "decoupler_gradient": 1, "decoupler_residual_slope": 0.25,
        "pressure_limit": None, "bypass_area": None, "bypass_threshold": None, "coupled_damping": False,
    },
}


def rig(kdyn, model, **options):
    with tempfile.TemporaryDirectory() as out:
        job = Path(out) / "job.json"
        job.write_text(json.dumps(options))
        subprocess.run([kdyn, "rig", model, "--config", job, "--out", out, "--no-report", "--quiet"], check=True)
        return json.loads((Path(out) / "result.json").read_text())


def write(name, header, rows, formats):
    lines = [header] + [",".join(f.format(v) for f, v in zip(formats, row)) for row in rows]
    path = FOLDER / name
    path.write_text("\n".join(lines) + "\n")
    return {"file": name, "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}


def main():
    kdyn = Path(sys.argv[1]).resolve()
    FOLDER.mkdir(parents=True, exist_ok=True)
    rng = random.Random(20263)
    model = FOLDER / "truth.json"
    model.write_text(json.dumps(TRUTH, indent=1) + "\n")
    files = []
    result = rig(kdyn, model, program="map", frequencies_hz=FREQUENCIES, amplitudes_m=[a * 1e-3 for a in AMPLITUDES_MM])
    rows = [[r["frequency_hz"], r["amplitude_m"] * 1e3, r["preload_n"], r["k_dyn"] * 1e-3 * (1 + 0.007 * rng.gauss(0, 1)), r["loss_angle_deg"] + 0.3 * rng.gauss(0, 1)] for r in result["map"]]
    files.append(write("map.csv", "frequency_hz,amplitude_mm,preload_n,k_dyn_n_per_mm,loss_angle_deg", rows, ["{:g}", "{:.4f}", "{:g}", "{:.1f}", "{:.2f}"]))
    static = rig(kdyn, model, program="static", static_amplitude_m=3e-3, static_points=400)["series"]
    rows = [[u * 1e3 + 1e-3 * rng.gauss(0, 1), f + 4.0 + 1.5 * rng.gauss(0, 1)] for u, f in zip(static["displacement_m"], static["force_n"])]
    files.append(write("static.csv", "displacement_mm,force_n", rows, ["{:.4f}", "{:.2f}"]))
    manifest = {
        "name": "hydro_mount",
        "origin": "synthetic: kdyn's virtual rig, noise by tools/make_hydro_mount.py",
        "licence": "Apache-2.0",
        "units": "as in the headers; truth in SI",
        "noise": {"k_dyn": "0.7 % of value", "loss_angle": "0.3 deg", "static": "1.5 N, 1 um; the force sensor reads 4 N too much"},
        "truth": TRUTH,
        "files": files,
    }
    (FOLDER / "MANIFEST.json").write_text(json.dumps(manifest, indent=2) + "\n")


if __name__ == "__main__":
    main()
