#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws docs/images/house.svg, the picture of docs/architecture.md, from the levels of tools/check_layers.py.

Usage: draw_house.py [--check]    writes the picture; --check only says whether it is up to date (exit code 1 when it is not).
"""
import pathlib
import sys

import check_layers

PICTURE = pathlib.Path(__file__).resolve().parent.parent / "docs" / "images" / "house.svg"
MEANING = {
    "base": "errors, units, tables",
    "data": "what a bench delivers",
    "io": "file formats",
    "signal": "data reduction",
    "numerics": "jets, least squares",
    "door": "the one reader of measurements",
    "element": "concept of a law",
    "doctor": "findings about data",
    "elastomer": "rubber",
    "hydromount": "rubber and fluid",
    "activemount": "and an actuator",
    "rivals": "other rubber laws",
    "fe": "finite elements",
    "sysid": "FRFs to state space",
    "laws": "the list of all laws, their files, units and axis laws",
    "rig": "virtual test rig",
    "modes": "bodies from tests",
    "mbs": "multibody, adjoint",
    "identify": "mounts on the bench",
    "insitu": "mounts in place",
    "update": "FE updating",
    "vehicle": "whole vehicles",
    "assess": "comfort, damage",
    "study": "designs, sensitivities",
    "fmu": "FMU and C",
    "report": "HTML reports",
    "app": "operations, results, projects, jobs",
    "mpi": "runs over ranks",
    "apps": "command line and server",
}
WIDTH, HEIGHT, GAP, MARGIN = 980, 46, 8, 16


def draw():
    levels = list(reversed(check_layers.LEVELS))
    height = len(levels) * (HEIGHT + GAP) + 2 * MARGIN
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="DejaVu Sans, sans-serif">',
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
    ]
    for row, modules in enumerate(levels):
        y = MARGIN + row * (HEIGHT + GAP)
        width = (WIDTH - 2 * MARGIN - (len(modules) - 1) * GAP) / len(modules)
        shade = 94 - 3 * (len(levels) - row)
        for column, module in enumerate(modules):
            x = MARGIN + column * (width + GAP)
            out.append(f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{HEIGHT}" rx="6" fill="hsl(210,45%,{shade}%)" stroke="#8aa4c0"/>')
            out.append(f'<text x="{x + width / 2:.1f}" y="{y + 20}" text-anchor="middle" font-size="14" fill="#10253d">{module}</text>')
            out.append(f'<text x="{x + width / 2:.1f}" y="{y + 36}" text-anchor="middle" font-size="10.5" fill="#33475c">{MEANING[module]}</text>')
    out.append("</svg>")
    return "\n".join(out) + "\n"


def main(arguments):
    picture = draw()
    if "--check" in arguments:
        if PICTURE.is_file() and PICTURE.read_text(encoding="utf-8") == picture:
            return 0
        print("docs/images/house.svg is not what tools/check_layers.py says; run tools/draw_house.py")
        return 1
    PICTURE.write_text(picture, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
