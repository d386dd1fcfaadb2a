#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts a source and all headers of kdyn that it includes into one file, each header once and in the order of need.

Usage: amalgamate.py SOURCE ROOT OUT [DEFINE...]    ROOT is the folder of #include "kdyn/..."; a DEFINE becomes "#define DEFINE 1" at the top.

What leaves kdyn as source is made this way, so that no second text of a law exists. Standard headers are collected at the top; an include
that is neither a standard header nor a file below ROOT stays where it is.
"""
import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')


def inline(path, root, seen, standard):
    lines = []
    for line in path.read_text().splitlines():
        match = INCLUDE.match(line)
        if match and match.group(2):
            standard.add(match.group(2))
        elif match and (root / match.group(1)).is_file():
            included = root / match.group(1)
            if included not in seen:
                seen.add(included)
                lines += inline(included, root, seen, standard)
        elif line.strip() != "#pragma once" and not line.startswith("// SPDX-License-Identifier"):
            lines.append(line)
    return ["", f"// ---- {path.relative_to(root)}"] + lines


def main():
    source, root, out = (pathlib.Path(word) for word in sys.argv[1:4])
    standard = set()
    body = inline(source.resolve(), root.resolve(), {source.resolve()}, standard)
    head = ["// SPDX-License-Identifier: Apache-2.0", "// Part of kdyn, put together from its headers. C++17; needs the standard library alone."]
    head += [f"#define {name} 1" for name in sys.argv[4:]] + [""] + [f"#include <{name}>" for name in sorted(standard)]
    text = "\n".join(head + body) + "\n"
    out.write_text(re.sub(r"\n{3,}", "\n\n", text))


if __name__ == "__main__":
    main()
