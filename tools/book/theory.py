# SPDX-License-Identifier: Apache-2.0
"""Theory pages of the book out of the THEORY.md of the modules: numbered equations, drawn as formulas, with links between them."""
import html
import re

from formula import shown

EQUATION = re.compile(r"^\*\*\[([a-z]+) (E\d+)\]\*\*\s*(.*)$")
CITED = re.compile(r"\[([a-z]+) (E\d+)\](?!\()")
# What Markdown would take for marks of its own inside a formula.
MARKS = str.maketrans({"*": "&#42;", "_": "&#95;", "[": "&#91;", "]": "&#93;", "`": "&#96;", "\\": "&#92;", "~": "&#126;", "|": "&#124;"})


def anchor(module, number):
    return f"{module}-{number.lower()}"


def cited(text, here, known):
    def link(found):
        module, number = found.groups()
        if (module, number) not in known:
            return found.group()
        page = "" if module == here else f"{module}.html"
        return f'<a href="{page}#{anchor(module, number)}">&#91;{module} {number}&#93;</a>'
    return CITED.sub(link, text)


def with_formulas(text, here, known):
    """A line of prose: code spans become formulas, equations that are named become links."""
    out = []
    for i, piece in enumerate(re.split(r"`([^`]+)`", text)):
        out.append(shown(piece).translate(MARKS) if i % 2 else cited(piece, here, known))
    return "".join(out)


def equation(module, number, text, known):
    inside = []
    for i, piece in enumerate(re.split(r"`([^`]+)`", text)):
        inside.append(shown(piece) if i % 2 else cited(html.escape(piece).replace("&#x27;", "'"), module, known))
    body = "".join(inside)
    return ["```{raw} html", f'<div class="equation" id="{anchor(module, number)}"><div>{body}</div><div class="tag">[{module} {number}]</div></div>', "```"]


def known_equations(root):
    known = set()
    for path in root.glob("src/kdyn/*/THEORY.md"):
        for line in path.read_text(encoding="utf-8").splitlines():
            if found := EQUATION.match(line):
                known.add(found.groups()[:2])
    return known


def page(path, known):
    module = path.parent.name
    out, code = [], False
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("```"):
            code = not code
        found = EQUATION.match(line)
        if code:
            out.append(line)
        elif found:
            out += ["", *equation(*found.groups(), known), ""]
        elif line.startswith("#"):
            out.append(re.sub(r"`", "", line))
        elif line.startswith("|"):
            out.append(cited(line, module, known))  # cells keep their code: a bar inside would end them
        else:
            out.append(with_formulas(line, module, known))
    return "\n".join(out).replace("](../../../docs/", "](../") + "\n"


def write(root, folder):
    """All theory pages; returns their names."""
    known = known_equations(root)
    folder.mkdir(parents=True, exist_ok=True)
    names = []
    for path in sorted(root.glob("src/kdyn/*/THEORY.md")):
        names.append(path.parent.name)
        (folder / f"{names[-1]}.md").write_text(page(path, known), encoding="utf-8")
    lines = ["# Theory", "", "The equations behind each part of kdyn, with the numbers by which the source cites them. Symbols and signs: [notation](../notation.md).", "",
             "```{toctree}", ":maxdepth: 1", "", *names, "```"]
    (folder / "index.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return names
