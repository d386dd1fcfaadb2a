#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Joins google-benchmark JSON files of one run into one: merge_bench.py OUT.json IN.json..."""
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


def main(arguments):
    if len(arguments) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    target = pathlib.Path(arguments[0])
    temporary = target.with_name(target.name + ".tmp")
    temporary.write_text(json.dumps(merge(arguments[1:]), indent=2) + "\n", encoding="utf-8")
    temporary.replace(target)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
