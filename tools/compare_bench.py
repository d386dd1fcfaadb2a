#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ratios per benchmark of two google-benchmark JSON files: compare_bench.py BEFORE.json AFTER.json

Compares CPU time, which suffers least from other work on the machine. Of repeated runs the median counts. A ratio below 1 means
that AFTER is quicker.
"""
import json
import math
import pathlib
import statistics
import sys

NANOSECONDS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}


def times(document):
    """{benchmark name: CPU time in ns} of a parsed file."""
    samples, medians = {}, {}
    for entry in document["benchmarks"]:
        if entry.get("error_occurred"):
            continue
        name = entry.get("run_name", entry["name"])
        time = entry["cpu_time"] * NANOSECONDS[entry["time_unit"]]
        if entry.get("run_type") != "aggregate":
            samples.setdefault(name, []).append(time)
        elif entry.get("aggregate_name") == "median":
            medians[name] = time
    return {**{name: statistics.median(values) for name, values in samples.items()}, **medians}


def readable(nanoseconds):
    for unit, size in reversed(NANOSECONDS.items()):
        if nanoseconds >= size:
            return f"{nanoseconds / size:.3g} {unit}"
    return f"{nanoseconds:.3g} ns"


def compare(before, after):
    """Lines of the table, the geometric mean of the ratios last."""
    common = [name for name in before if name in after and before[name] > 0 and after[name] > 0]
    width = max([len(name) for name in [*before, *after]] + [len("geometric mean")])
    lines = [f"{'benchmark':<{width}}  {'before':>9}  {'after':>9}  after/before"]
    for name in common:
        lines.append(f"{name:<{width}}  {readable(before[name]):>9}  {readable(after[name]):>9}  {after[name] / before[name]:.3f}")
    for label, one, other in (("only before", before, after), ("only after", after, before)):
        lines += [f"{name:<{width}}  {label}" for name in one if name not in other]
    if common:
        mean = math.exp(statistics.fmean(math.log(after[name] / before[name]) for name in common))
        lines.append(f"{'geometric mean':<{width}}  {'':>9}  {'':>9}  {mean:.3f}")
    return lines


def main(arguments):
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    before, after = (times(json.loads(pathlib.Path(path).read_text(encoding="utf-8"))) for path in arguments)
    print("\n".join(compare(before, after)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
