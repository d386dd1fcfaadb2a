#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Joins google-benchmark JSON files of one run into one: merge_bench.py OUT.json IN.json...

merge_bench.py --figures OUT.json IN.json... writes times and counters alone, as docs/figures keeps them for tools/docs_figures.py: without the
name of the machine, by "benchmark: quantity".
"""
import json
import pathlib
import sys


def merge(paths):
    """Context of the first file, benchmarks of all; a program in which the filter matched nothing leaves an empty file."""
    merged = {"context": {}, "benchmarks": []}
    for path in paths:
        text = pathlib.Path(path).read_text(encoding="utf-8")
        if not text.strip():
            continue
        part = json.loads(text)
        merged["context"] = merged["context"] or part.get("context", {})
        merged["benchmarks"] += part["benchmarks"]
    return merged


def figures_of(merged):
    """"seventy_modes: cpu_time" -> number, for all numbers that say something about a benchmark."""
    plain = {"family_index", "per_family_instance_index", "repetition_index", "repetitions", "threads", "iterations"}
    return {f"{one['name']}: {key}": value for one in merged["benchmarks"] for key, value in one.items()
            if key not in plain and isinstance(value, (int, float))}


def main(arguments):
    as_figures = arguments[:1] == ["--figures"]
    arguments = arguments[as_figures:]
    if len(arguments) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    target = pathlib.Path(arguments[0])
    temporary = target.with_name(target.name + ".tmp")
    merged = merge(arguments[1:])
    content = {"title": "Benchmarks", "command": "./dev bench", "figures": figures_of(merged)} if as_figures else merged
    temporary.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    temporary.replace(target)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
