# SPDX-License-Identifier: Apache-2.0
"""A plain job of every operation: it works and takes a second or two. Drivers of this folder vary, kill, stop and starve these.

Environment: KDYN_BINARY, the program; KDYN_SOURCE_DIR, the repository.
"""
import json
import math
import os
import shutil
import subprocess
from pathlib import Path

KDYN = os.environ["KDYN_BINARY"]
SOURCE = Path(os.environ["KDYN_SOURCE_DIR"])
DATA = SOURCE / "data"

# Moduli at four temperatures: a Zener solid shifted by a factor of three for ten degrees.
def moduli():
    lines = ["T,f,E',E''", "C,Hz,MPa,MPa"]
    for temperature in (0, 10, 20, 30):
        for k in range(13):
            f = 10 ** (-1 + 0.25 * k)
            x = 2 * math.pi * f * 0.02 * 3 ** (-(temperature - 20) / 10)
            lines.append(f"{temperature},{f:.8g},{2 + 6 * x * x / (1 + x * x):.8g},{6 * x / (1 + x * x):.8g}")
    return "\n".join(lines) + "\n"


def chain():
    """Three masses on springs as a deck, and its accelerances with other springs."""
    masses, springs, true = [1.0, 1.2, 0.9], [(None, 0, 3e4), (0, 1, 8e4), (1, 2, 6e4)], [3.3e4, 7e4, 6.5e4]
    deck = "SOL 103\nCEND\nSPC = 1\nBEGIN BULK\nPARAM,COUPMASS,1\n"
    for i, mass in enumerate(masses):
        deck += f"GRID,{i + 1},,{i}.0,0.0,0.0\nCONM2,{100 + i},{i + 1},,{mass}\nSPC1,1,23456,{i + 1}\n"
    for k, (a, b, stiffness) in enumerate(springs):
        deck += f"CELAS2,{201 + k},{stiffness},{b + 1},1" + ("\n" if a is None else f",{a + 1},1\n")
    rows = ["# unit 1+X:1+X m/s^2 N\n# unit 2+X:1+X m/s^2 N\n# unit 3+X:1+X m/s^2 N\nfrequency_hz," + ",".join(f"{o}+X:1+X_re,{o}+X:1+X_im" for o in (1, 2, 3))]
    state = 1
    for line in range(120):
        f = 6 + 84 * line / 119
        w = 2 * math.pi * f
        d = [[0j] * 3 for _ in range(3)]
        for (a, b, _), k in zip(springs, true):
            k = k * (1 + 3e-5j * w)
            d[b][b] += k
            if a is not None:
                d[a][a] += k
                d[a][b] -= k
                d[b][a] -= k
        for i, mass in enumerate(masses):
            d[i][i] -= w * w * mass
        # Cramer, three unknowns.
        det = lambda m: sum(m[0][i] * (m[1][(i + 1) % 3] * m[2][(i + 2) % 3] - m[1][(i + 2) % 3] * m[2][(i + 1) % 3]) for i in range(3))
        row = [f"{f:.10g}"]
        for o in range(3):
            c = [list(r) for r in d]
            for r in range(3):
                c[r][o] = 1.0 if r == 0 else 0.0
            h = -w * w * det(c) / det(d)
            for part in (h.real, h.imag):
                state = (1103515245 * state + 12345) % 2**31
                row.append(f"{part + 0.002 * (state / 2**30 - 1):.12g}")
        rows.append(",".join(row))
    return deck + "ENDDATA\n", "\n".join(rows) + "\n"


def base_jobs(work, only=None):
    """Words of the command by operation. What is not in the repository lies in `work`, relative to it where a job file names it."""
    cab, hydro, active, bump, frame = (DATA / name for name in ("cab_mount", "hydro_mount", "active_mount", "bump_test", "frame"))
    multibody, updating, subframe = SOURCE / "examples" / "multibody", SOURCE / "examples" / "updating", DATA / "subframe"

    def run(*words):
        done = subprocess.run([KDYN, *map(str, words)], cwd=work, capture_output=True, text=True)
        if done.returncode not in (0, 3):
            raise SystemExit(f"{words}: {done.returncode} {done.stderr[-300:]}")

    if not (work / "model.json").exists():
        run("fit", "elastomer", "--data", cab / "z_map.csv", "--out", "z", "--no-report", "--quiet")
        shutil.copy(work / "z" / "model.json", work / "model.json")
        run("simulate", multibody / "double_mass.json", "--out", "truth", "--no-report", "--quiet")
        run("export", work / "model.json", "--to", "ubf", "--out", "property", "--no-report", "--quiet")
        run("modal", frame / "frf.csv", "--out", "modal", "--no-report", "--quiet")
        (work / "moduli.csv").write_text(moduli())
        for name, text in zip(("chain.bdf", "chain.csv"), chain()):
            (work / name).write_text(text)
        (work / "update.json").write_text(json.dumps({
            "model": [str(work / "chain.bdf")], "data": [str(work / "chain.csv")], "band_hz": [6, 90], "starts": 2, "basis_modes": 3, "bootstrap_draws": 4,
            "parameters": [{"name": "k1", "kind": "scalar_spring", "labels": [201]}, {"name": "k2", "kind": "scalar_spring", "labels": [202]}, {"name": "k3", "kind": "scalar_spring", "labels": [203]}]}))
        study = json.loads((SOURCE / "examples" / "study" / "mount_tolerance.json").read_text())
        study["chain"][0]["options"]["model"] = str(SOURCE / "examples" / "study" / "mount.json")
        (work / "study.json").write_text(json.dumps({**study, "runs": 12}))
        parts = work / "parts"
        for i in range(4):
            (parts / f"part{i}").mkdir(parents=True)
            lines = (cab / "x_map.csv").read_text().splitlines()
            head = lines[0].split(",")
            column = next(k for k, name in enumerate(head) if "k_dyn" in name)
            rows = [line.split(",") for line in lines[1::2]]
            for row in rows:
                row[column] = f"{float(row[column]) * (0.96 + 0.02 * i):.8g}"
            (parts / f"part{i}" / "x_map.csv").write_text("\n".join([lines[0], *(",".join(row) for row in rows)]) + "\n")
    ubf = next(path for path in (work / "property").iterdir() if path.suffix == ".ubf")
    jobs = {
        "inspect": ["inspect", cab / "z_map.csv"],
        "fit elastomer": ["fit", "elastomer", "--data", cab / "z_map.csv", cab / "z_static.csv"],
        "batch": ["fit", "elastomer", "--data", work / "parts"],
        "fit hydromount": ["fit", "hydromount", "--data", hydro / "map.csv", "--detail", "springs"],
        "fit bushing": ["fit", "bushing", "--data", cab / "x_map.csv", cab / "z_map.csv"],
        "fit activemount": ["fit", "activemount", "--data", active / "s_x.csv", active / "p_yx.csv", "--model", active / "model.json"],
        "fit compare": ["fit", "compare", "--data", cab / "z_map.csv", "--laws", "kelvin_voigt", "maxwell"],
        "fit mastercurve": ["fit", "mastercurve", "--data", work / "moduli.csv", "--reference-c", "20"],
        "aem": ["aem", active / "model.json"],
        "rig": ["rig", work / "model.json", "--program", "map", "--frequencies-hz", "1,10", "--amplitudes-m", "1e-4"],
        "validate": ["validate", work / "model.json", cab / "z_transient.csv"],
        "linearise": ["linearise", work / "model.json", "--amplitude-m", "2e-4"],
        "frf": ["frf", subframe / "hits_1.uff"],
        "modal": ["modal", frame / "frf.csv"],
        "body": ["body", "--from", "fe", "--fe", updating / "box_ring.bdf", "--interface-nodes", "769,772,775", "778", "--normal-modes", "6"],
        "fe": ["fe", updating / "box_ring.bdf", "--count", "6"],
        "correlate": ["correlate", subframe / "frame.bdf", subframe / "frame.bdf", "--count", "6"],
        "update": ["update", work / "update.json"],
        "report": ["report", work / "z", work / "z"],
        "convert": ["convert", cab / "z_transient.csv", work / "out.uff"],
        "import": ["import", ubf],
        "export": ["export", work / "model.json", "--to", "ubf"],
        "vehicle": ["vehicle", "--data", bump / "decays.csv", "--added-mass", "130", "250", "40", "4", "4", "5", "5"],
        "simulate": ["simulate", multibody / "double_mass.json"],
        "modes": ["modes", multibody / "engine.json"],
        "insitu": ["insitu", multibody / "double_mass.json", "--data", work / "truth" / "series.csv", "--signals", "m2.position.x",
                   "--start", "b1.fx.stiffness=1000,b1.fx.damping=2,b2.fx.stiffness=500,b2.fx.damping=1"],
        "assess": ["assess", bump / "drive_old.csv"],
        "road": ["road", "--duration-s", "2", "--rate-hz", "100"],
        "study": ["study", work / "study.json"],
    }
    return {name: list(map(str, words)) for name, words in jobs.items() if only is None or only in name}


def without_times(value):
    """A result without what changes from run to run."""
    if isinstance(value, dict):
        return {key: without_times(one) for key, one in value.items() if key not in ("seconds", "created", "options_given", "analysis_s", "factor_s", "lanczos_s", "sturm_s") and not key.startswith("seconds_") and not key.endswith("_seconds")}
    return [without_times(one) for one in value] if isinstance(value, list) else value
