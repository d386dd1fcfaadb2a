#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds numbers on the pages of docs/ to what validation programs and benchmarks wrote.

A number is marked by a comment right behind it, which names the file in docs/figures, the quantity and how it is written:

    94.7<!-- validation_elastomer_coverage: all parameters: .1f --> % contain it
    0.24<!-- validation_hydromount_classes: max *: worst stiffness error, %: .2f --> %

max, min and sum go over all quantities that the pattern fits; a factor may stand before the format (x100 .1f). A line of a table or a
paragraph that names a validation program whose figures are kept quotes at least one of them: so no two pages tell two stories about one study.

Usage: docs_figures.py [--write] [ROOT]    complains about numbers that differ (exit code 1); --write puts the right ones in.

Full runs: KDYN_FIGURES=docs/figures build/release/validation/validation_elastomer_coverage --seeds 200
Each file of docs/figures names its command.
"""
import fnmatch
import json
import pathlib
import re
import sys

MARK = re.compile(r"([-+]?[0-9][0-9.e+-]*)<!-- (\w+): (.+?): (?:x([0-9.e+-]+) )?([.0-9a-z]+) -->")
NAMED = re.compile(r"\bvalidation[_/](\w+)(?:\.cpp|\.py)?")


def value_of(figures, quantity):
    """The number, or None when there is no such quantity."""
    word, _, pattern = quantity.partition(" ")
    if word in ("max", "min", "sum") and pattern:
        found = [value for key, value in figures.items() if fnmatch.fnmatchcase(key, pattern)]
        return {"max": max, "min": min, "sum": sum}[word](found) if found else None
    return figures.get(quantity)


def unmarked(page, text, kept):
    """Lines of tables and paragraphs that name a validation program whose figures are kept, and quote none of them."""
    start = 1
    for block in re.split(r"(\n\s*\n|\n(?=\|))", text):
        if not block.startswith("```"):
            marked = {match.group(2) for match in MARK.finditer(block)}
            for name in NAMED.findall(re.sub(r"<!--.*?-->", "", block)):
                if any(name in one for one in kept) and not any(name in mark for mark in marked):
                    yield f"{page.name}:{start + block.count(chr(10), 0, block.find(name))}: {name} is named, and none of its figures is marked"
        start += block.count("\n")


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
            number, name, quantity, factor, form = match.groups()
            line = text.count("\n", 0, match.start()) + 1
            file = root / "docs" / "figures" / f"{name}.json"
            if not file.is_file():
                complaints.append(f"{page.name}:{line}: there is no docs/figures/{name}.json; run {name} with KDYN_FIGURES=docs/figures")
                return match.group(0)
            figures = json.loads(file.read_text(encoding="utf-8"))["figures"]
            value = value_of(figures, quantity)
            if value is None:
                complaints.append(f"{page.name}:{line}: {name}.json has no '{quantity}'; it has {', '.join(figures)}")
                return match.group(0)
            wanted = format(value * float(factor or 1), form)
            if number != wanted and not write:
                complaints.append(f"{page.name}:{line}: {number} stands here, {name} found {wanted} ({quantity}); run tools/docs_figures.py --write")
            return wanted + match.group(0)[len(number):]

        mended = MARK.sub(right, text)
        complaints += unmarked(page, text, {file.stem for file in (root / "docs" / "figures").glob("*.json")})
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
