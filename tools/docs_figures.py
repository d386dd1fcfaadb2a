#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds numbers on the pages of docs/ to what validation programs and benchmarks wrote.

A number is marked by a comment right behind it, which names the file in docs/figures, the quantity and how it is written:

    94.7<!-- validation_elastomer_coverage: all parameters: .1f --> % contain it

Usage: docs_figures.py [--write] [ROOT]    complains about numbers that differ (exit code 1); --write puts the right ones in.

Full runs: KDYN_FIGURES=docs/figures build/release/validation/validation_elastomer_coverage --seeds 200
"""
import json
import pathlib
import re
import sys

MARK = re.compile(r"([-+]?[0-9][0-9.e+-]*)<!-- (\w+): (.+?): ([.0-9a-z]+) -->")


def check(root, write=False):
    """Complaints about all pages under `root`, as text lines; with `write` the pages are mended instead."""
    complaints, marks = [], 0
    for page in [root / "README.md", *sorted((root / "docs").glob("*.md"))]:
        if not page.is_file():
            continue
        text = page.read_text(encoding="utf-8")

        def right(match):
            nonlocal marks
            marks += 1
            number, name, quantity, form = match.groups()
            line = text.count("\n", 0, match.start()) + 1
            file = root / "docs" / "figures" / f"{name}.json"
            if not file.is_file():
                complaints.append(f"{page.name}:{line}: there is no docs/figures/{name}.json; run {name} with KDYN_FIGURES=docs/figures")
                return match.group(0)
            figures = json.loads(file.read_text(encoding="utf-8"))["figures"]
            if quantity not in figures:
                complaints.append(f"{page.name}:{line}: {name}.json has no '{quantity}'; it has {', '.join(figures)}")
                return match.group(0)
            wanted = format(figures[quantity], form)
            if number != wanted and not write:
                complaints.append(f"{page.name}:{line}: {number} stands here, {name} found {wanted} ({quantity}); run tools/docs_figures.py --write")
            return wanted + match.group(0)[len(number):]

        mended = MARK.sub(right, text)
        if write and mended != text:
            page.write_text(mended, encoding="utf-8")
    return complaints, marks


def main(arguments):
    write = "--write" in arguments
    words = [word for word in arguments if word != "--write"]
    root = pathlib.Path(words[0]) if words else pathlib.Path(__file__).resolve().parent.parent
    complaints, marks = check(root, write)
    for line in complaints:
        print(line)
    print(f"{marks} figures of the docs looked at, {len(complaints)} complaints")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
