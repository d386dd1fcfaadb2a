# SPDX-License-Identifier: Apache-2.0
"""Makes the simpler levels of the mounts of the car from the full ones in models/hydro.

Sample run (from the root of the repository):
  python3 examples/four_poster/make_levels.py build/release/kdyn

spring_damper  stiffness and damping at 10 Hz and 1 mm, under the load of the mount (kdyn rig)
linear         frequency-dependent, amplitude 0.1 mm; the engine mounts 0.5 mm, where their fluid moves (kdyn linearise)
rubber         friction of the rubber as it is, engine mounts without fluid: their main rubber alone
hydro          everything: rubber with friction, engine mounts with fluid
"""
import cmath
import json
import math
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent / "models"
LOADS = {("engine", "fz"): -990.0, ("gearbox", "fz"): -280.0, ("subframe", "fz"): 0.0}


def kdyn(binary, folder, *words):
    subprocess.run([binary, *map(str, words), "--out", folder, "--no-report", "--quiet"], check=True)
    return json.loads((pathlib.Path(folder) / "result.json").read_text())


def spring_damper(binary, folder, law, load):
    row = kdyn(binary, folder, "rig", law, "--program", "map", "--frequencies-hz", 10, "--amplitudes-m", 1e-3, f"--preloads-n={load:g}")["map"][0]
    stiffness = cmath.rect(row["k_dyn"], math.radians(row["loss_angle_deg"]))
    return {"model": "kelvin_voigt", "parameters": {"stiffness": round(stiffness.real), "damping": round(stiffness.imag / (20.0 * math.pi), 1)}}


def linear(binary, folder, law, load, amplitude):
    kdyn(binary, folder, "linearise", law, "--amplitude-m", amplitude, f"--preload-n={load:g}", "--from-hz", 1, "--to-hz", 50)
    model = json.loads((pathlib.Path(folder) / "model.json").read_text())
    model.pop("comment", None)
    return json.loads(json.dumps(model), parse_float=lambda text: float(f"{float(text):.6g}"))


def write(level, name, axes):
    (HERE / level).mkdir(exist_ok=True)
    rows = ",\n".join(f'  "{axis}": {json.dumps(law)}' for axis, law in axes.items())
    (HERE / level / f"{name}.json").write_text('{"model": "bushing", "coupling": "none", "axes": {\n' + rows + "\n}}\n")


def main(binary):
    for name in ("engine", "gearbox", "subframe", "arm"):
        full = json.loads((HERE / "hydro" / f"{name}.json").read_text())["axes"]
        levels = {"spring_damper": {}, "linear": {}, "rubber": {}}
        for axis, law in full.items():
            if law["model"] == "kelvin_voigt":
                for axes in levels.values():
                    axes[axis] = law
                continue
            load = LOADS.get((name, axis), 0.0)
            with tempfile.TemporaryDirectory() as scratch:
                file = pathlib.Path(scratch) / "law.json"
                file.write_text(json.dumps(law))
                levels["spring_damper"][axis] = spring_damper(binary, scratch + "/rig", file, load)
                levels["linear"][axis] = linear(binary, scratch + "/linear", file, load, 5e-4 if law["model"] == "hydromount" else 1e-4)
            for level in ("spring_damper", "linear"):
                levels[level][axis] = {"model": levels[level][axis].pop("model"), "scale": 1, **levels[level][axis]}
            levels["rubber"][axis] = {"model": "elastomer", "scale": 1, **law["main_rubber"]} if law["model"] == "hydromount" else law
        for level, axes in levels.items():
            write(level, name, axes)


if __name__ == "__main__":
    main(sys.argv[1])
