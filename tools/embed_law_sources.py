#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the headers that exported models are made of into one C++ file, as texts with the headers they include.

Usage: embed_law_sources.py SOURCE_ROOT OUT.cpp ROOT_HEADER...

Follows #include "kdyn/..." from the root headers. What the exporter joins from these texts is the source that FMUs and `--to c` carry,
so the law that runs elsewhere is the law of kdyn, letter by letter.
"""
import pathlib
import re
import sys

OWN = re.compile(r'^#include "(kdyn/[^"]+)"$')
NAMESPACE = re.compile(r"^(}  // )?namespace kdyn::inline [a-z]+(.*)$")
OUTSIDE = re.compile(r"^#include <([^>]+)>")


def read(root, path):
    """Text without includes, guards and licence line; own includes; outside includes."""
    own, outside, kept = [], [], []
    for line in (root / path).read_text(encoding="utf-8").splitlines():
        if match := OWN.match(line):
            # A header that completes another one at its end stands there, not in front.
            own.append((match.group(1), len(kept)))
        elif match := OUTSIDE.match(line):
            outside.append(match.group(1))
        elif match := NAMESPACE.match(line):
            # The exported file is C++17, which has no nested inline namespaces.
            kept.append(f"{match.group(1) or ''}namespace kdyn{match.group(2)}")
        elif line != "#pragma once" and not line.startswith("// SPDX-License-Identifier"):
            kept.append(line)
    body = next((i for i, line in enumerate(kept) if line.startswith("namespace ")), len(kept))
    before = [name for name, at in own if at <= body]
    after = [name for name, at in own if at > body]
    return "\n".join(kept).strip("\n") + "\n", before, after, outside


def main():
    root, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    seen, todo = {}, list(sys.argv[3:])
    while todo:
        path = todo.pop()
        if path not in seen:
            seen[path] = read(root, path)
            todo += seen[path][1] + seen[path][2]
    # A table of plain texts: as many strings and lists built in place would take the compiler seconds.
    lines = ["// Written by tools/embed_law_sources.py.", '#include "kdyn/fmu/law_sources.hpp"', "", "#include <iterator>", "#include <sstream>", "",
             "namespace kdyn::inline fmu {", "", "namespace {", "", "struct Row {", "  const char *path, *text, *before, *after, *outside;", "};",
             "const Row rows[] = {"]
    for path in sorted(seen):
        text, before, after, outside = seen[path]
        lines.append(f'    {{"{path}", R"KDYN({text})KDYN", "{" ".join(before)}", "{" ".join(after)}", "{" ".join(outside)}"}},')
    lines += ["};", "", "std::vector<std::string> words(const char* text) {", "  std::istringstream in(text);",
              "  return {std::istream_iterator<std::string>(in), std::istream_iterator<std::string>()};", "}", "", "}  // namespace", "",
              "const std::vector<LawSource>& law_sources() {", "  static const std::vector<LawSource> all = [] {",
              "    std::vector<LawSource> list;",
              "    for (const Row& row : rows) list.push_back({row.path, row.text, words(row.before), words(row.after), words(row.outside)});",
              "    return list;", "  }();", "  return all;", "}", "", "}  // namespace kdyn::inline fmu", ""]
    out.write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
