#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes data/frame: frequency responses of a frame that never was, as a sum of known modes with noise.

    tools/make_frame_data.py data/frame

15 points on a 1.2 m x 0.6 m frame measure the acceleration across it, two of them are also hit. Shapes are products of polynomials that bend and
twist like a free plate; poles and shapes are in MANIFEST.json, so that everybody can compare what is found with what was put in."""

import json
import math
import random
import sys
from pathlib import Path

COLUMNS, ROWS = 5, 3
LENGTH, WIDTH = 1.2, 0.6
LINES = [20.0 + 0.5 * i for i in range(441)]
INPUTS = [1, 9]  # a corner, and a point that no node line crosses
NOISE = 0.01  # of the rms of each channel
BEND = [lambda s: 1.0, lambda s: s, lambda s: 1.5 * s * s - 0.5, lambda s: 2.5 * s**3 - 1.5 * s, lambda s: (35 * s**4 - 30 * s * s + 3) / 8]
# frequency in Hz, damping ratio, order of the polynomial along and across
MODES = [(38.2, 0.012, 1, 1), (52.7, 0.010, 2, 0), (86.4, 0.009, 2, 1), (119.0, 0.011, 3, 0), (141.5, 0.008, 0, 2), (163.8, 0.010, 3, 1), (197.3, 0.012, 1, 2), (221.6, 0.009, 4, 0)]


def points():
    for row in range(ROWS):
        for column in range(COLUMNS):
            yield row * COLUMNS + column + 1, -LENGTH / 2 + LENGTH * column / (COLUMNS - 1), -WIDTH / 2 + WIDTH * row / (ROWS - 1)


def shapes():
    for _, _, along, across in MODES:
        yield [0.35 * BEND[along](2 * x / LENGTH) * BEND[across](2 * y / WIDTH) for _, x, y in points()]  # 1/sqrt(kg)


def response(shape, output, source, hz):
    s = 2j * math.pi * hz
    total = 0.0
    for (frequency, damping, _, _), phi in zip(MODES, shape):
        w = 2 * math.pi * frequency
        total += phi[output - 1] * phi[source - 1] * s * s / (s * s + 2 * damping * w * s + w * w)
    return total + s * s / 12.0 / (2 * math.pi * 900.0) ** 2  # what stiffer modes above the band leave


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    shape = list(shapes())
    labels = [label for label, _, _ in points()]
    dice = random.Random(20)
    columns = {}
    for source in INPUTS:
        for output in labels:
            values = [response(shape, output, source, hz) for hz in LINES]
            level = NOISE * math.sqrt(sum(abs(v) ** 2 for v in values) / len(values)) / math.sqrt(2.0)
            columns[f"{output}:+Z:{source}:+Z"] = [complex(v.real + dice.gauss(0, level), v.imag + dice.gauss(0, level)) for v in values]
    names = [(f"{output}+Z", f"{source}+Z", f"{output}:+Z:{source}:+Z") for source in INPUTS for output in labels]
    text = ["# frequency responses of a frame, synthetic (tools/make_frame_data.py)"]
    text += [f"# unit {o}:{i} m/s^2 N" for o, i, _ in names]
    text.append(",".join(["frequency_hz"] + [f"{o}:{i}_{part}" for o, i, _ in names for part in ("re", "im")]))
    for k, hz in enumerate(LINES):
        text.append(",".join([f"{hz:g}"] + [f"{part:.4g}" for _, _, key in names for part in (columns[key][k].real, columns[key][k].imag)]))
    (folder / "frf.csv").write_text("\n".join(text) + "\n")

    lines = ["    -1", "  2411"]
    for label, x, y in points():
        lines.append(f"{label:10d}{0:10d}{0:10d}{11:10d}")
        lines.append(f"{x:25.16E}{y:25.16E}{0.0:25.16E}")
    lines.append("    -1")
    traces = [[row * COLUMNS + column + 1 for column in range(COLUMNS)] for row in range(ROWS)]
    traces += [[row * COLUMNS + column + 1 for row in range(ROWS)] for column in range(COLUMNS)]
    for number, trace in enumerate(traces, 1):
        lines += ["    -1", "    82", f"{number:10d}{len(trace):10d}{1:10d}", "frame", "".join(f"{node:10d}" for node in trace), "    -1"]
    (folder / "points.uff").write_text("\n".join(lines) + "\n")

    manifest = {
        "name": "frame",
        "origin": "synthetic: tools/make_frame_data.py",
        "licence": "Apache-2.0",
        "units": "m/s^2 per N; points in m",
        "noise": "white, 1 % of the rms of each channel",
        "truth": [{"frequency_hz": f, "damping": d, "bends_along": a, "bends_across": c} for f, d, a, c in MODES],
    }
    (folder / "MANIFEST.json").write_text(json.dumps(manifest, indent=2) + "\n")


main()
