#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ties theory and code together by equation tags.

src/kdyn/<module>/THEORY.md defines an equation in a line that starts with **[<module> E7]**; code cites it as [<module> E7],
several as [<module> E7, E9] or [<module> E7-E9]. Complaints: a cited tag that no THEORY.md defines, a tag defined twice or in the
wrong module, an equation that neither code nor tests of its module cite.

Usage: check_equations.py [ROOT]    prints file:line and the broken rule; exit code 1 when there is one.
"""
import pathlib
import re
import sys

from report_complaints import report

DEFINITION = re.compile(r"^\*\*\[(\w+) (E\d+[a-z]?)\]\*\*")
CITATION = re.compile(r"\[([a-z]\w*) (E\d+[a-z]?(?:(?:, ?| ?- ?| ?to ?)E?\d+[a-z]?)*)\]")
CODE_FOLDERS = ["src", "apps", "tests", "benchmarks", "fuzz", "validation", "examples", "python", "web/src", "web/test"]
CODE_SUFFIXES = {".hpp", ".cpp", ".py", ".ts", ".js"}


# A tag that the formatter broke at the end of a comment line.
BROKEN = re.compile(r"(\[[a-z]\w*|\[[a-z]\w* E[^\]\n]*,)\n[ \t]*(?://|#) ?(?=E\d)")


def lines_of(path):
    text = path.read_text(encoding="utf-8", errors="replace")
    return enumerate(BROKEN.sub(r"\1 ", text).splitlines(), start=1)


def expand(numbers):
    """'E7, E9-E11' -> E7 E9 E10 E11."""
    tags = []
    for part in re.split(r", ?", numbers):
        ends = [end.removeprefix("E") for end in re.split(r" ?- ?| ?to ?", part)]
        if len(ends) == 2 and all(end.isdigit() for end in ends):
            tags += [f"E{number}" for number in range(int(ends[0]), int(ends[1]) + 1)]
        else:
            tags += [f"E{end}" for end in ends]
    return tags


def check(root):
    """All complaints about the tree under `root`, as text lines."""
    complaints = []
    defined = {}
    for theory in sorted(root.glob("src/kdyn/*/THEORY.md")):
        folder = theory.parent.name
        for number, line in lines_of(theory):
            match = DEFINITION.match(line)
            if not match:
                continue
            place, tag = f"{theory.relative_to(root)}:{number}", match.groups()
            if tag[0] != folder:
                complaints.append(f"{place}: [{tag[0]} {tag[1]}] is defined in module {folder}; the tag names the module it is defined in")
            if tag in defined:
                complaints.append(f"{place}: [{tag[0]} {tag[1]}] is already defined at {defined[tag]}")
            defined.setdefault(tag, place)

    cited_at_home = set()
    for path in sorted(path for folder in CODE_FOLDERS for path in root.glob(f"{folder}/**/*")):
        if path.suffix not in CODE_SUFFIXES or "node_modules" in path.parts:
            continue
        place = path.relative_to(root)
        for number, line in lines_of(path):
            for module, numbers in CITATION.findall(line):
                for tag in expand(numbers):
                    if (module, tag) not in defined:
                        complaints.append(f"{place}:{number}: [{module} {tag}] is cited but no THEORY.md defines it")
                    if place.parts[:3] == ("src", "kdyn", module):
                        cited_at_home.add((module, tag))

    for tag, place in defined.items():
        if tag not in cited_at_home:
            complaints.append(f"{place}: [{tag[0]} {tag[1]}] is cited nowhere in the code or tests of {tag[0]}")
    return complaints


if __name__ == "__main__":
    sys.exit(report(check, sys.argv[1:]))
