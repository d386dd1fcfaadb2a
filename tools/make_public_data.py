#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reduces public data under free licences to the few numbers that the docs speak of, so that every clone can check them.

Usage: make_public_data.py FOLDER_WITH_THE_ORIGINALS KDYN_BINARY    writes data/public/*/ with a MANIFEST.json each: origin, licence, what was
done, hashes of the originals and of the files written. tools/test_public_data.py holds the files to their hashes.
"""
import hashlib
import json
import pathlib
import subprocess
import sys
import tempfile

TARGET = pathlib.Path(__file__).resolve().parent.parent / "data" / "public"


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def write_manifest(folder, facts, originals):
    files = {path.name: digest(path) for path in sorted(folder.iterdir()) if path.name != "MANIFEST.json"}
    (folder / "MANIFEST.json").write_text(json.dumps({**facts, "originals_sha256": originals, "sha256": files}, indent=2) + "\n")


def adams(source):
    """Histories of single bodies on joints by Adams, every tenth sample, one table for each case."""
    folder = TARGET / "adams"
    folder.mkdir(parents=True, exist_ok=True)
    units = {"Pos": "m", "Vel": "m/s", "Acc": "m/s^2", "Avel": "rad/s", "Aacc": "rad/s^2", "Rforce": "N", "Rtorque": "N*m"}
    cases = {"revolute_1": "revolute_joint/Revolute_Case01", "revolute_2": "revolute_joint/Revolute_Case02",
             "spherical_1": "spherical_joint/Spherical_Case01", "spherical_2": "spherical_joint/Spherical_Case02",
             "spring": "transpring_force/TranSpring_Case01"}
    originals = {}
    for name, start in cases.items():
        times, columns = None, {}
        for quantity, unit in units.items():
            path = source / "mbs" / "adams" / f"{start}_ADAMS_{quantity}.txt"
            if not path.is_file():
                raise SystemExit(f"{path} is not there")
            originals[f"{start}_ADAMS_{quantity}.txt"] = digest(path)
            lines = [line.split() for line in path.read_text().splitlines() if line[:1] in "+-"]
            times = [line[0] for line in lines[::10]]
            for k, axis in enumerate("xyz"):
                columns[f"{quantity.lower()}_{axis} [{unit}]"] = [line[1 + k] for line in lines[::10]]
        rows = [",".join(["time [s]", *columns])] + [",".join(f"{float(cell):.7g}" for cell in row) for row in zip(times, *columns.values())]
        (folder / f"{name}.csv").write_text("\n".join(rows) + "\n")
    (folder / "LICENSE.txt").write_text((source / "mbs" / "adams" / "LICENSE").read_text().rstrip() + "\n")
    write_manifest(folder, {
        "name": "adams", "origin": "histories computed by Adams, unit tests of projectchrono/chrono", "licence": "BSD-3-Clause (LICENSE.txt)",
        "reduction": "every tenth sample (0.1 s), one table for each case"}, originals)


def friction_damper(source, kdyn):
    """A measured friction damper with backlash: steady sines reduced to stiffness and loss angle by kdyn."""
    folder = TARGET / "friction_damper"
    folder.mkdir(parents=True, exist_ok=True)
    records = sorted((source / "mounts" / "friction_backlash").glob("*.json"))
    for name, chosen in (("map_30lb.csv", [r for r in records if "30lb" in r.name]), ("map_0lb.csv", [r for r in records if "0lb" in r.name and "30lb" not in r.name])):
        with tempfile.TemporaryDirectory() as out:
            # The laws do not matter here: wanted is the reduced map, which any comparison holds.
            subprocess.run([kdyn, "fit", "compare", "--data", *chosen, "--laws", "kelvin_voigt", "--out", out, "--no-report"], check=False, capture_output=True)
            rows = json.loads((pathlib.Path(out) / "result.json").read_text())["map"]
        lines = ["frequency_hz,amplitude_mm,preload_n,k_dyn_n_per_mm,loss_angle_deg"]
        lines += [f"{r['frequency_hz']:.6g},{1e3 * r['amplitude_m']:.6g},{r['preload_n']:.6g},{1e-3 * r['k_dyn']:.6g},{r['loss_angle_deg']:.6g}" for r in rows]
        (folder / name).write_text("\n".join(lines) + "\n")
    write_manifest(folder, {
        "name": "friction_damper", "origin": "measured by ARTS-Laboratory: friction damper with backlash, sines of 0.5 to 2 Hz",
        "licence": "CC-BY-SA-4.0, these reduced numbers too; https://creativecommons.org/licenses/by-sa/4.0/",
        "reduction": "first harmonic of the steady part of each record, by kdyn"}, {r.name: digest(r) for r in records})


def main(arguments):
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    source = pathlib.Path(arguments[0])
    adams(source)
    friction_damper(source, arguments[1])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
