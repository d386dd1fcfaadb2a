#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the book: docs/ with theory, reference and finding codes made from the sources, as HTML pages for a browser without network.

    tools/make_book.py --binary build/release/kdyn --out build/book [--work build/book_pages] [--python build/release/python/kdyn]

The pages come from docs/*.md, docs/tutorials, docs/howto; THEORY.md of the modules; `kdyn describe --json`; the sources (finding codes); the
stubs of the Python package where they are built. A warning of Sphinx (a link that leads nowhere, a page in no list) fails."""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools" / "book"))

import findings  # noqa: E402
import headers  # noqa: E402
import reference  # noqa: E402
import theory  # noqa: E402

MATH_FONT = "/usr/share/fonts/opentype/stix-word/STIXMath-Regular.otf"
LINK = re.compile(r"(!?)\[([^\]\[]*)\]\(([^)\s]+)\)")
INCLUDED = re.compile(r"^<!-- include ([^ ]+) -->$", re.M)


def relinked(text, page):
    """Links that lead out of docs/ on the disk lead to a page of the book, or are plain text where the book has none."""
    depth = "../" * (len(page.parts) - 1)

    def change(found):
        picture, label, target = found.groups()
        if re.match(r"[a-z]+:|#", target):
            return found.group()
        path, _, anchor = target.partition("#")
        place = pathlib.PurePosixPath(os.path.normpath(pathlib.PurePosixPath("docs", page.parent, path)))
        anchor = "#" + anchor if anchor else ""
        if place.parts[:2] == ("src", "kdyn") and place.name == "THEORY.md":
            return f"[{label}]({depth}theory/{place.parts[2]}.md{anchor})"
        if place.name in ("CHANGELOG.md", "CONTRIBUTING.md", "README.md") and len(place.parts) == 1:
            return f"[{label}]({depth}{place.name.lower()})" if place.name == "CHANGELOG.md" else label
        if place.parts[0] != "docs":
            return f"`{place}`" if label in (target, path) else f"{label} (`{place}`)"
        if page.parts[0] == "..":  # a page from outside of docs stands at the top of the book
            return f"{picture}[{label}]({place.relative_to('docs')}{anchor})"
        return found.group()

    return LINK.sub(change, text)


def with_scripts(text):
    """<!-- include examples/python/x.py --> shows the script itself: what the tests run is what the page shows."""
    def put(found):
        path = ROOT / found.group(1)
        body = re.sub(r"\A(#[^\n]*\n)+", "", path.read_text(encoding="utf-8"))  # licence and shebang
        return f"```{'python' if path.suffix == '.py' else 'text'}\n{body.strip()}\n```"
    return INCLUDED.sub(put, text)


def python_page(stubs):
    lines = ["# Python functions", "", "Made from the stubs of the package: every operation, with its options. How to work with them: [kdyn in Python](../python.md).", ""]
    for name, prefix in (("__init__.pyi", "kdyn."), ("fit.pyi", "kdyn.fit.")):
        text = (stubs / name).read_text(encoding="utf-8")
        for found in re.finditer(r'^def (\w+)\((.*)\) -> (\w+):\n    """(.*?)"""', text, re.S | re.M):
            word, _, kind, doc = found.groups()
            doc = doc.strip().splitlines()
            lines += [f"## {prefix}{word}", "", doc[0], "", "```text", *(line.rstrip() for line in doc[1:] if True), "```", ""]
    return "\n".join(lines) + "\n"


def put_math_font(book):
    """STIX Math of Debian with the signs of the formulas only: some ten kilobytes instead of a megabyte."""
    signs = set("0123456789 ")
    for page in book.rglob("*.html"):
        for found in re.finditer(r"<math>.*?</math>", page.read_text(encoding="utf-8"), re.S):
            signs |= set(re.sub(r"<[^>]*>", "", found.group()).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))
    # Letters are drawn as mathematical italics.
    signs |= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") | {chr(code) for code in range(0x1D434, 0x1D468)} | {chr(code) for code in range(0x1D6E2, 0x1D71C)} | {"ℎ"}
    subprocess.run(["/usr/bin/python3", "-m", "fontTools.subset", MATH_FONT, f"--unicodes={','.join(f'U+{ord(sign):04X}' for sign in sorted(signs))}", "--flavor=woff2", "--layout-features=*",
                    f"--output-file={book / '_static' / 'math.woff2'}"], check=True, capture_output=True)


def gather(pages, binary, stubs):
    """All pages in one folder, as Sphinx wants them."""
    shutil.rmtree(pages, ignore_errors=True)
    pages.mkdir(parents=True)
    docs = ROOT / "docs"
    for path in sorted(docs.rglob("*")):
        inside = path.relative_to(docs)
        if path.is_dir() or inside.parts[0] in ("book", "figures", "screenshots"):
            continue
        (pages / inside).parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".md":
            (pages / inside).write_text(with_scripts(relinked(path.read_text(encoding="utf-8"), pathlib.PurePosixPath(inside))), encoding="utf-8")
        elif path.suffix in (".webp", ".svg", ".png", ".bib"):
            shutil.copy(path, pages / inside)
    (pages / "changelog.md").write_text(relinked((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), pathlib.PurePosixPath("../CHANGELOG.md")), encoding="utf-8")
    shutil.copy(docs / "book" / "conf.py", pages / "conf.py")
    theory.write(ROOT, pages / "theory")
    described = reference.read(binary)
    reference.write(described, pages / "reference")
    headers.write(ROOT, pages / "reference" / "cpp")
    page = pages / "troubleshooting.md"
    page.write_text(page.read_text(encoding="utf-8").replace("<!-- finding codes -->", findings.table(ROOT)), encoding="utf-8")
    if stubs:
        (pages / "reference" / "python.md").write_text(python_page(stubs), encoding="utf-8")
    else:
        (pages / "reference" / "python.md").write_text("# Python functions\n\nNot built here: the Python package was missing when this book was made. `help(kdyn.fit.elastomer)` shows the same.\n")
    return described["kdyn"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", default=str(ROOT / "build" / "release" / "kdyn"))
    parser.add_argument("--out", default=str(ROOT / "build" / "book"))
    parser.add_argument("--work", default="", help="where the pages are put together; by default beside the book")
    parser.add_argument("--python", default=str(ROOT / "build" / "release" / "python" / "kdyn"))
    given = parser.parse_args()
    out = pathlib.Path(given.out).resolve()
    work = pathlib.Path(given.work or f"{out}_pages").resolve()
    stubs = pathlib.Path(given.python)
    version = gather(work, given.binary, stubs if (stubs / "fit.pyi").exists() else None)
    new = out.with_name(out.name + "_new")
    shutil.rmtree(new, ignore_errors=True)
    environment = dict(os.environ, KDYN_VERSION=version, KDYN_BOOK_THEME=str(ROOT / "docs" / "book" / "themes"), PYTHONDONTWRITEBYTECODE="1")
    done = subprocess.run(["sphinx-build", "-q", "-W", "--keep-going", "-b", "html", "-d", f"{work}_doctrees", str(work), str(new)], env=environment)
    if done.returncode:
        return done.returncode
    put_math_font(new)
    unused = ("jquery.js", "underscore.js", "_sphinx_javascript_frameworks_compat.js", "file.png", "minus.png", "plus.png", "basic.css")
    for path in [new / ".buildinfo", new / "objects.inv", new / "_sources", *(new / "_static" / name for name in unused)]:
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    shutil.rmtree(out, ignore_errors=True)
    new.rename(out)
    size = sum(p.stat().st_size for p in out.rglob("*") if p.is_file())
    print(f"wrote {out}: {len(list(out.rglob('*.html')))} pages, {size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
