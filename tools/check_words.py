#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Words that users do not say must not stand in what they read: documents, string literals of the program and of the web pages.

The list is the right column of docs/words.md: everything in `backticks` there. Comments and tests are free.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LITERAL = re.compile(r'"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`')


def banned(page):
    words = []
    for line in page.splitlines():
        cells = line.split("|")
        if len(cells) == 5 and not set(cells[1].strip()) <= set("-") and cells[1].strip() != "write":
            words += re.findall(r"`([^`]+)`", cells[3])
    return words


def pattern(words):
    return re.compile(r"\b(" + "|".join(re.escape(word).replace(r"\ ", r"\s+") for word in words) + r")\b", re.I)


def texts(path, content):
    """(line, text) of what a user may read in a file."""
    if path.suffix == ".md":
        yield from enumerate(content.splitlines(), 1)
        return
    code = re.sub(r"//[^\n]*", lambda m: " " * len(m.group()), content) if path.suffix in (".cpp", ".hpp") else content
    for found in LITERAL.finditer(code):
        yield content.count("\n", 0, found.start()) + 1, found.group()


def files(root):
    for folder, suffixes in (("src", (".cpp", ".hpp")), ("apps", (".cpp", ".hpp")), ("web/app", (".ts",)), ("web/report", (".ts",)), ("web/one_file", (".ts",)), ("docs", (".md",)),
                             ("python/kdyn", (".py",)), ("examples", (".cpp",))):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in suffixes and not {"test", "tests", "node_modules", "dist"} & set(path.parts) and path.name != "words.md":
                yield path
    yield root / "README.md"


def complaints(root):
    bad = pattern(banned((root / "docs" / "words.md").read_text(encoding="utf-8")))
    out = []
    for path in files(root):
        for line, text in texts(path, path.read_text(encoding="utf-8")):
            if found := bad.search(text):
                out.append(f"{path.relative_to(root)}:{line}: {found.group()!r}: docs/words.md has the word to write")
    return out


if __name__ == "__main__":
    found = complaints(ROOT)
    print("\n".join(found) if found else "words: clean")
    sys.exit(1 if found else 0)
