#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A solid part meshed by gmsh: kdyn fe against CalculiX on the same mesh of ten-node tetrahedra.

Held at its foot: the first 20 frequencies of the two programs. Free in space: modes from kdyn's own matrices against modes from the matrices
that CalculiX writes. Both within 0.1 %. Then the same part of rubber at a Poisson ratio of 0.49. Needs gmsh and calculix-ccx (Debian).

Usage: solid_against_calculix.py KDYN_BINARY [--size METRES]   (ends with 77, skipped, when gmsh or ccx is not there)
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

MODES = 20
LIMIT = 1e-3
FIGURES = {}  # what docs/ quotes: with KDYN_FIGURES=FOLDER they are left there (tools/docs_figures.py)
# An angle with a rib and a bore: bends, twists, and has no symmetry.
GEOMETRY = """
SetFactory("OpenCASCADE");
Box(1) = {0, 0, 0, 0.16, 0.06, 0.012};
Box(2) = {0, 0, 0.012, 0.012, 0.06, 0.09};
Box(3) = {0.012, 0.02, 0.012, 0.06, 0.008, 0.04};
Cylinder(4) = {0.12, 0.035, -0.01, 0, 0, 0.04, 0.014};
BooleanUnion(5) = { Volume{1}; Delete; }{ Volume{2, 3}; Delete; };
BooleanDifference(6) = { Volume{5}; Delete; }{ Volume{4}; Delete; };
Mesh.CharacteristicLengthMin = %(size)s;
Mesh.CharacteristicLengthMax = %(size)s;
Mesh.ElementOrder = 2;
Mesh.SecondOrderLinear = 1;
Mesh.RandomFactor = 1e-9;
"""


def run(words, folder):
    done = subprocess.run([str(w) for w in words], cwd=folder, capture_output=True, text=True, env=dict(os.environ, OMP_NUM_THREADS="2"))
    if done.returncode != 0:
        sys.exit(f"{words[0]} failed ({done.returncode}):\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def mesh(folder, size):
    """Nodes {label: (x, y, z)} and tetrahedra [(label, ten nodes)]."""
    (folder / "part.geo").write_text(GEOMETRY % {"size": size})
    run(["gmsh", "-3", "part.geo", "-format", "inp", "-o", "part.inp"], folder)
    nodes, elements, kind = {}, [], ""
    for line in (folder / "part.inp").read_text().splitlines():
        if line.startswith("*"):
            kind = line.upper().replace(" ", "")
            continue
        fields = [f for f in line.replace(",", " ").split() if f]
        if kind.startswith("*NODE"):
            nodes[int(fields[0])] = tuple(float(f) for f in fields[1:4])
        elif kind.startswith("*ELEMENT") and "C3D10" in kind:
            elements.append((len(elements) + 1, [int(f) for f in fields[1:]]))
    used = {n for _, e in elements for n in e}
    return {n: nodes[n] for n in sorted(used)}, elements


def write_calculix(path, nodes, elements, young, poisson, density, held, step):
    lines = ["*NODE, NSET=ALL"] + [f"{n}, {x:.15g}, {y:.15g}, {z:.15g}" for n, (x, y, z) in nodes.items()]
    lines += ["*ELEMENT, TYPE=C3D10, ELSET=PART"] + [f"{e}, " + ", ".join(map(str, c)) for e, c in elements]
    lines += ["*MATERIAL, NAME=STUFF", "*ELASTIC", f"{young}, {poisson}", "*DENSITY", f"{density}", "*SOLID SECTION, ELSET=PART, MATERIAL=STUFF"]
    if held:
        lines += ["*BOUNDARY"] + [f"{n}, 1, 3" for n in held]
    path.write_text("\n".join(lines + ["*STEP"] + step + ["*END STEP", ""]))


def write_nastran(path, nodes, elements, young, poisson, density, held):
    lines = ["SOL 103", "CEND", "SPC = 1", "BEGIN BULK", "PARAM,COUPMASS,1", f"MAT1,1,{young:.8E},,{poisson},{density:.6E}", "PSOLID,1,1"]
    lines += [f"GRID*   {n:16d}{'':16s}{x:16.9E}{y:16.9E}\n*       {z:16.9E}" for n, (x, y, z) in nodes.items()]
    lines += [f"CTETRA,{e},1,{','.join(map(str, c[:6]))}\n,{','.join(map(str, c[6:]))}" for e, c in elements]
    lines += [f"SPC1,1,123,{n}" for n in held]
    path.write_text("\n".join(lines + ["ENDDATA", ""]))


def calculix_frequencies(path):
    out = []
    inside = False
    for line in path.read_text().splitlines():
        if "E I G E N V A L U E" in line:
            inside = True
        fields = line.split()
        if inside and len(fields) >= 4 and fields[0].isdigit():
            out.append(float(fields[3]))
        if inside and "P A R T I C I P A T I O N" in line:
            break
    return out


def kdyn_frequencies(kdyn, folder, name, files, count):
    run([kdyn, "fe", *files, "--count", count, "--shift-hz", "100", "--no-report", "--write", "modes.h5", "--out", name], folder)
    result = json.loads((folder / name / "result.json").read_text())
    if result["status"] != "converged" or not result["sturm"]["checked"]:
        sys.exit(f"{name}: {result['status']} {result['reason']}")
    return result["frequencies_hz"][result["rigid_modes"]:], result["rigid_modes"]


def compare(title, ours, theirs):
    worst = max(abs(a / b - 1.0) for a, b in zip(ours, theirs))
    print(f"{title}: {len(theirs)} frequencies {theirs[0]:.6g} .. {theirs[-1]:.6g} Hz, largest difference {100 * worst:.2g} % (limit {100 * LIMIT:.2g} %)")
    FIGURES[f"{title}: largest difference, %"] = 100 * worst
    return len(ours) >= MODES and len(theirs) >= MODES and worst < LIMIT


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("kdyn", type=pathlib.Path)
    options.add_argument("--size", type=float, default=0.008)
    given = options.parse_args()
    if not shutil.which("gmsh") or not shutil.which("ccx"):
        print("gmsh or ccx is not installed: skipped")
        return 77
    kdyn = given.kdyn.resolve()
    good = True
    with tempfile.TemporaryDirectory(prefix="kdyn_calculix_") as name:
        folder = pathlib.Path(name)
        nodes, elements = mesh(folder, given.size)
        foot = [n for n, (_, _, z) in nodes.items() if z > 0.102 - 1e-6]
        print(f"{len(nodes)} nodes, {len(elements)} tetrahedra, {len(foot)} nodes held")
        for material, young, poisson, density in (("steel", 210e9, 0.3, 7850.0), ("rubber", 5e6, 0.49, 1100.0)):
            write_calculix(folder / "held.inp", nodes, elements, young, poisson, density, foot, ["*FREQUENCY", str(MODES)])
            run(["ccx", "held"], folder)
            write_nastran(folder / "held.bdf", nodes, elements, young, poisson, density, foot)
            ours, _ = kdyn_frequencies(kdyn, folder, "held", ["held.bdf"], MODES)
            good = compare(f"{material}, held", ours, calculix_frequencies(folder / "held.dat")) and good
        write_calculix(folder / "free.inp", nodes, elements, 210e9, 0.3, 7850.0, [], ["*FREQUENCY, SOLVER=MATRIXSTORAGE", str(MODES)])
        run(["ccx", "free"], folder)
        write_nastran(folder / "free.bdf", nodes, elements, 210e9, 0.3, 7850.0, [])
        ours, rigid = kdyn_frequencies(kdyn, folder, "free", ["free.bdf"], MODES + 6)
        theirs, their_rigid = kdyn_frequencies(kdyn, folder, "free_matrices", ["free.sti"], MODES + 6)
        good = compare("steel, free, matrices of CalculiX", ours, theirs) and rigid == their_rigid == 6 and good
    if os.environ.get("KDYN_FIGURES"):
        FIGURES["largest difference of all, %"] = max(FIGURES.values())
        figures = {"title": "A solid part against CalculiX on the same mesh", "command": f"solid_against_calculix.py KDYN --size {given.size}", "figures": FIGURES}
        (pathlib.Path(os.environ["KDYN_FIGURES"]) / "solid_against_calculix.json").write_text(json.dumps(figures, indent=2) + "\n")
    print("passed" if good else "failed")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
