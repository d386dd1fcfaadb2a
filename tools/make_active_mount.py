#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the bundled frequency responses of an active mount: kdyn's own model with noise, as two rigs would deliver them.

Usage: make_active_mount.py KDYN OUT    KDYN is the binary, OUT the folder with model.json (data/active_mount)
"""
import hashlib
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile

GAIN_NOISE, PHASE_NOISE_DEG = 0.01, 0.5
# What the passive rig (up to 150 Hz) and the active rig (up to 400 Hz) measure.
FILES = {"p_yx": ("P_yx", 150.0, 1e-3, "n_per_mm"), "s_x": ("S_x", 400.0, 1.0, "n_per_v")}


def main(binary, folder):
    folder = pathlib.Path(folder)
    with tempfile.TemporaryDirectory() as work:
        subprocess.run([binary, "aem", str(folder / "model.json"), "--out", work, "--no-report", "--quiet"], check=True, stdout=subprocess.DEVNULL)
        transfer = json.loads((pathlib.Path(work) / "result.json").read_text())["transfer"]
    dice = random.Random(7)
    for name, (path, upper, factor, unit) in FILES.items():
        lines = [f"frequency_hz,{name}_abs_{unit},{name}_phase_deg"]
        for f, re, im in zip(transfer["frequency_hz"], transfer[path]["re"], transfer[path]["im"]):
            if f > upper or f < 1.0:
                continue
            value = complex(re, im)
            size = abs(value) * factor * (1 + GAIN_NOISE * dice.gauss(0, 1))
            phase = math.degrees(math.atan2(value.imag, value.real)) + PHASE_NOISE_DEG * dice.gauss(0, 1)
            lines.append(f"{f:.4f},{size:.5g},{phase:.3f}")
        (folder / f"{name}.csv").write_text("\n".join(lines) + "\n")
    manifest = {
        "name": "active_mount",
        "origin": "model.json: published parameters (Hausberg et al., JSV 340 (2015) 22-38, Table 1); responses: synthetic, kdyn aem with noise by tools/make_active_mount.py",
        "licence": "Apache-2.0",
        "units": "as in the headers; model in SI",
        "noise": {"magnitude": "1 % of value", "phase": "0.5 deg"},
        "files": [{"file": f"{name}.csv", "sha256": hashlib.sha256((folder / f"{name}.csv").read_bytes()).hexdigest()} for name in FILES],
    }
    (folder / "MANIFEST.json").write_text(json.dumps(manifest, indent=2) + "\n")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
