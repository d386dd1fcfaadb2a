#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a measurement of a simulation: takes some columns of a table and adds noise, its size relative to the rms of each column.

Usage: add_noise.py SERIES.csv OUT.csv --noise 0.02 --seed 1 --columns corner side    (columns that begin with one of the words, and the time)
"""
import argparse
import csv
import math
import random

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("series")
parser.add_argument("out")
parser.add_argument("--noise", type=float, default=0.02)
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--columns", nargs="+", default=[""])
arguments = parser.parse_args()

with open(arguments.series, newline="") as file:
    header, *rows = list(csv.reader(file))
chosen = [i for i, name in enumerate(header) if i == 0 or any(name.startswith(word) for word in arguments.columns)]
table = [[float(row[i]) for i in chosen] for row in rows]
draw = random.Random(arguments.seed)
for c in range(1, len(chosen)):
    mean = sum(row[c] for row in table) / len(table)
    rms = math.sqrt(sum((row[c] - mean) ** 2 for row in table) / len(table))
    for row in table:
        row[c] += arguments.noise * rms * draw.gauss(0.0, 1.0)
with open(arguments.out, "w", newline="") as file:
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([header[i] for i in chosen])
    writer.writerows([[f"{value:.9g}" for value in row] for row in table])
