#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that includes follow the house plan (docs/architecture.md): dependencies point down only.

Usage: check_layers.py [ROOT]    prints file:line and the broken rule; exit code 1 when there is one.
"""
import pathlib
import re
import sys

from report_complaints import report

# From the ground up. A module may include modules of lower levels.
LEVELS = [
    ["base"],
    ["data"],
    ["io", "signal", "numerics"],
    ["door"],
    ["element", "doctor"],
    ["elastomer", "hydromount", "activemount", "rivals", "fe", "sysid"],
    ["laws"],
    ["rig", "modes", "mbs"],
    ["identify", "insitu", "update", "vehicle", "assess", "study", "fmu", "report"],
    ["app"],
    ["mpi"],
    ["apps"],
]

# Modules of one level that may nevertheless use each other, and why.
NEIGHBOURS = {
    ("signal", "numerics"),  # dense solvers that are compiled once
    ("hydromount", "elastomer"),  # main and chamber rubber of a hydro mount are elastomers
    ("activemount", "hydromount"),  # an active mount is a hydro mount with an actuator
    ("mbs", "modes"),  # flexible bodies are made of modes
    ("update", "identify"),  # populations of parts reuse the component identification
}

SOURCE_SUFFIXES = {".hpp", ".cpp", ".h", ".cc"}
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')
DISTRIBUTED_HEADER = re.compile(r"^(mpi\.h|mpi/.*|slepc\w*\.h|petsc\w*\.h)$")

LEVEL_OF = {module: level for level, modules in enumerate(LEVELS) for module in modules}


def module_of(path):
    """The module that owns a path relative to the root, or None: src/kdyn/io/csv.hpp -> io, apps/cli/main.cpp -> apps."""
    parts = path.parts
    if parts[0] == "apps":
        return "apps"
    return parts[2] if parts[:2] == ("src", "kdyn") and len(parts) > 3 else None


def includes_of(text):
    for number, line in enumerate(text.splitlines(), start=1):
        match = INCLUDE.match(line)
        if match:
            yield number, match.group(1) or match.group(2), match.group(1) is not None


def resolve(root, includer, name, quoted):
    """The project file an include names, relative to the root, or None when it belongs to somebody else."""
    if name.startswith("kdyn/"):
        return pathlib.Path("src", name)
    beside = includer.parent / name
    return beside if quoted and (root / beside).is_file() else None


def broken_rule(user, used, used_path):
    """The rule that an include of `used_path` from module `user` breaks, or None."""
    if used is None or used not in LEVEL_OF:
        return f"'{used_path}' is in no room of the house; add the module to LEVELS in tools/check_layers.py and docs/architecture.md"
    if user == used:
        return None
    if "internal" in used_path.parts:
        return f"'{used_path}' is internal to {used}; nobody else includes it"
    if LEVEL_OF[used] < LEVEL_OF[user] or (user, used) in NEIGHBOURS:
        return None
    if user == "io" and LEVEL_OF[used] > LEVEL_OF["io"]:
        return f"io knows formats, not models: it must not include {used}"
    if LEVEL_OF[used] == LEVEL_OF[user]:
        return f"{user} and {used} are on one level and the pair is not listed as neighbours"
    return f"dependencies point down only: {user} is below {used}"


def find_cycle(graph):
    """One cycle of a directed graph {node: set of nodes} as a list that starts and ends with the same node, or None."""
    finished = set()
    for start in sorted(graph):
        path, iterators = [start], [iter(sorted(graph[start]))]
        while path and start not in finished:
            following = next(iterators[-1], None)
            if following is None:
                finished.add(path.pop())
                iterators.pop()
            elif following in path:
                return path[path.index(following):] + [following]
            elif following not in finished:
                path.append(following)
                iterators.append(iter(sorted(graph.get(following, ()))))
    return None


def check(root):
    """All complaints about the tree under `root`, as text lines."""
    complaints = []
    files, modules = {}, {}
    for path in sorted([*root.glob("src/kdyn/**/*"), *root.glob("apps/**/*")]):
        if path.suffix not in SOURCE_SUFFIXES or not path.is_file():
            continue
        includer = path.relative_to(root)
        user = module_of(includer)
        if user not in LEVEL_OF:
            complaints.append(f"{includer}:1: {broken_rule(None, user, includer)}")
            continue
        for line, name, quoted in includes_of(path.read_text(encoding="utf-8", errors="replace")):
            if DISTRIBUTED_HEADER.match(name) and user != "mpi":
                complaints.append(f"{includer}:{line}: only mpi/ includes MPI, PETSc and SLEPc headers, not {user} ('{name}')")
            target = resolve(root, includer, name, quoted)
            if target is None:
                continue
            used = module_of(target)
            rule = broken_rule(user, used, target)
            if rule:
                complaints.append(f"{includer}:{line}: {rule}")
            files.setdefault(str(includer), set()).add(str(target))
            if used != user:
                modules.setdefault(user, set()).add(used)
    for kind, graph in (("modules", modules), ("files", files)):
        cycle = find_cycle(graph)
        if cycle:
            complaints.append(f"{kind} include each other in a circle: {' -> '.join(map(str, cycle))}")
    return complaints


if __name__ == "__main__":
    sys.exit(report(check, sys.argv[1:]))
