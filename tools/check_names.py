#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks names across modules: every module keeps to its namespace, and no two modules give one name to two public types.

The namespaces of most modules are inline (kdyn::inline io), so that users write kdyn::Thing; a type of the same name in a second
one would make kdyn::Thing ambiguous for whoever includes both headers.

Usage: check_names.py [ROOT]    prints file:line and the broken rule; exit code 1 when there is one.
"""
import pathlib
import re
import sys

# Modules whose names users write in full: kdyn::mbs::Model.
NAMED = {"fe", "mbs", "update", "report", "app", "mpi"}
# Namespaces beside that of the module, and who opens them.
OTHERS = {
    "fmu": {"kdyn::fmi"},  # what FMUs carry
    "element": {"kdyn::conformance"},  # the suite that every law passes
    "numerics": {"kdyn::inline base::field_parts"},  # matrices in the tables of base
}

OPENED = re.compile(r"^namespace (kdyn[\w: ]*?) \{")
# A definition: no forward declaration, no specialisation of another module's template.
TYPE = re.compile(r"^(?:template <[^{};]*> ?)?(?:struct|class|enum class|enum) (\w+)(?: final)?(?: ?:[^;]*)? ?\{|^using (\w+) =")


def namespaces_of(module):
    own = f"kdyn::{module}" if module in NAMED else f"kdyn::inline {module}"
    return {own} | OTHERS.get(module, set())


def scan(root, path, module, types):
    """Complaints about one file; public types go to `types`: name -> {namespace: place}."""
    complaints, inside, nested = [], None, 0
    parts = set(path.relative_to(root).parts)
    public = path.suffix == ".hpp" and not {"internal", "test", "runtime"} & parts
    own = namespaces_of(module)
    for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), start=1):
        place = f"{path.relative_to(root)}:{number}"
        if match := OPENED.match(line):
            inside, nested = match.group(1), 0
        elif line.startswith("namespace ") and line.endswith("{"):
            nested += 1
        elif line.startswith("}  // namespace"):
            inside, nested = (inside, nested - 1) if nested else (None, 0)
        elif inside and not nested and (match := TYPE.match(line)):
            name = match.group(1) or match.group(2)
            if inside in own and public:
                types.setdefault(name, {}).setdefault(inside, place)
            elif "test" not in parts and not any(inside == space or inside.startswith(space + "::") for space in own):
                complaints.append(f"{place}: {name} is defined in namespace {inside}; names of {module} live in {sorted(own)[0]}")
    return complaints


def check(root):
    complaints, types = [], {}
    for path in sorted(root.glob("src/kdyn/*/**/*")):
        if path.suffix in {".hpp", ".cpp"}:
            complaints += scan(root, path, path.relative_to(root).parts[2], types)
    for name, places in sorted(types.items()):
        shared = {space: place for space, place in places.items() if "inline" in space}
        if len(shared) > 1:
            complaints.append(f"{' and '.join(sorted(shared.values()))}: two modules define {name}")
    return complaints


def main(arguments):
    root = pathlib.Path(arguments[0]) if arguments else pathlib.Path(__file__).resolve().parent.parent
    complaints = check(root)
    print("\n".join(complaints), end="\n" if complaints else "")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
