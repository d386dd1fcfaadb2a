#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks names across modules: every module keeps to its namespace, and no two modules give one name to two public types, or to two
public functions that take the same.

The namespaces of most modules are inline (kdyn::inline io), so that users write kdyn::Thing; a type of the same name in a second
one would make kdyn::Thing ambiguous for whoever includes both headers. Functions of one name are overloads (make_mount of every law) as
long as their parameters differ; a list of numbers is the same whether it comes as a vector or as a span.

Usage: check_names.py [ROOT]    prints file:line and the broken rule; exit code 1 when there is one.
"""
import pathlib
import re
import sys

from report_complaints import report

# Modules whose names users write in full: kdyn::mbs::Model.
NAMED = {"fe", "mbs", "update", "study", "report", "app", "mpi"}
# Namespaces beside that of the module, and who opens them.
OTHERS = {
    "fmu": {"kdyn::fmi"},  # what FMUs carry
    "element": {"kdyn::conformance"},  # the suite that every law passes
    "numerics": {"kdyn::inline base::field_parts"},  # matrices in the tables of base
}

OPENED = re.compile(r"^namespace (kdyn[\w: ]*?) \{")
# A definition: no forward declaration, no specialisation of another module's template.
TYPE = re.compile(r"^(?:template <[^{};]*> ?)?(?:struct|class|enum class|enum) (\w+)(?: final)?(?: ?:[^;]*)? ?\{|^using (\w+) =")

# The beginning of a declaration up to its parameters.
FUNCTION = re.compile(r"^(?:template <.*?> )?(?:inline |constexpr |static |extern )*[\w:<>,&* ]+?[ &*](\w+)\((.*)\)(?: const| noexcept)?$")


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


def parameter_types(text):
    """Types of a parameter list, without names, defaults, const and references."""
    parts, depth = [""], 0
    for c in text:
        depth += (c in "<({[") - (c in ">)}]")
        if c == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    types = []
    for part in parts:
        part = part.split("=")[0].strip()
        named = re.match(r"^(.*[ &*>])(\w+)$", part)
        kind = (named.group(1) if named else part).replace("const ", "").strip(" &")
        types.append(re.sub(r"^std::span<(.*)>$", r"std::vector<\1>", kind))
    return tuple(types)


def functions_of(text, namespace):
    """(name, types of the parameters) of what a header declares directly in this namespace."""
    text = re.sub(r"//[^\n]*|^#.*$", "", text, flags=re.MULTILINE)
    opened = text.find(f"namespace {namespace} {{")
    statement, depth = "", 0
    for c in text[opened + len(namespace) + 12:] if opened >= 0 else "":
        if c in "{;" and depth == 0:
            if match := FUNCTION.match(" ".join(statement.split())):
                yield match.group(1), parameter_types(match.group(2))
            statement = ""
        depth += (c == "{") - (c == "}")
        if depth < 0:
            return
        if c == "}":
            statement = ""
        elif depth == 0 and c not in "{;":
            statement += c


def check_functions(root):
    seen, complaints = {}, []
    for path in sorted(root.glob("src/kdyn/*/*.hpp")):
        module = path.relative_to(root).parts[2]
        if module in NAMED:
            continue
        for name, types in functions_of(path.read_text(encoding="utf-8"), f"kdyn::inline {module}"):
            other = seen.setdefault((name, types), (module, path))
            if other[0] != module:
                places = f"{other[1].relative_to(root)} and {path.relative_to(root)}"
                complaints.append(f"{places}: two modules define {name}({', '.join(types)})")
    return complaints


def check(root):
    complaints, types = check_functions(root), {}
    for path in sorted(root.glob("src/kdyn/*/**/*")):
        if path.suffix in {".hpp", ".cpp"}:
            complaints += scan(root, path, path.relative_to(root).parts[2], types)
    for name, places in sorted(types.items()):
        shared = {space: place for space, place in places.items() if "inline" in space}
        if len(shared) > 1:
            complaints.append(f"{' and '.join(sorted(shared.values()))}: two modules define {name}")
    return complaints


if __name__ == "__main__":
    sys.exit(report(check, sys.argv[1:]))
