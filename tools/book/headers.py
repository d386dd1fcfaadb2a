# SPDX-License-Identifier: Apache-2.0
"""Pages of the C++ library out of its public headers: what each opens with, and every type and function with the words above it."""
import re

SKIPPED = re.compile(r"^(#|namespace|using namespace|}|{|extern|static_assert|KDYN_|LAW\()")


def opening(lines):
    """The comment at the top, without licence and signs of comments."""
    out = []
    for line in lines[1:]:
        if not line.startswith("//"):
            break
        out.append(re.sub(r"^// ?", "", line))
    return "\n".join(out).strip()


def declarations(lines):
    """(words above it, text) of what is declared at the left edge; bodies are left out."""
    found, words, i = [], [], 0
    while i < len(lines):
        line = lines[i]
        if line.startswith("//"):
            words.append(re.sub(r"^// ?", "", line))
        elif not line.strip() or SKIPPED.match(line) or line[0] in " \t":
            words = []
        else:
            text = [line]
            # To the end of the declaration, or to the body, which is nobody's business but a struct's.
            while not re.search(r"[;{]\s*(//.*)?$|[;{}]\s*$", text[-1]) and i + 1 < len(lines):
                i += 1
                text.append(lines[i])
            opens = text[-1].rstrip().endswith("{") or re.search(r"\{\s*//", text[-1])
            if opens:
                type_like = re.match(r"(template.*\n)?\s*(struct|class|enum|union)\b", "\n".join(text))
                while i + 1 < len(lines):
                    i += 1
                    if type_like:
                        text.append(lines[i])
                    if lines[i].startswith("}") or (not type_like and lines[i].rstrip().endswith("};")):
                        break
                if not type_like:
                    text[-1] = re.sub(r"\s*=?\s*\{\s*(//.*)?$", ";", text[-1])
            found.append((" ".join(words).strip(), "\n".join(text)))
            words = []
        i += 1
    return found


def page(module, headers):
    lines = [f"# {module}", "", f"Public headers of `kdyn::{module}`, as they stand in the sources.", ""]
    for path in headers:
        content = path.read_text(encoding="utf-8").splitlines()
        lines += [f"## kdyn/{module}/{path.name}", ""]
        if opening(content):
            lines += ["```text", opening(content), "```", ""]
        body = content[next((i for i, line in enumerate(content) if line.startswith("namespace")), 0):]
        for words, text in declarations(body):
            lines += ([words.replace("<", "&lt;").replace("*", "\\*").replace("_", "\\_").replace("[", "\\[").replace("`", "'"), ""] if words else []) + ["```text", text, "```", ""]
    return "\n".join(lines)


def write(root, folder):
    folder.mkdir(parents=True, exist_ok=True)
    names = []
    for module in sorted(path for path in (root / "src" / "kdyn").iterdir() if path.is_dir()):
        headers = sorted(module.glob("*.hpp"))
        if not headers:
            continue
        (folder / f"{module.name}.md").write_text(page(module.name, headers), encoding="utf-8")
        names.append(module.name)
    index = ["# C++ library", "", "`find_package(kdyn COMPONENTS door identify)` and link `kdyn::identify`; `libkdyn-dev` installs headers and libraries. One page for each module; the",
             "[architecture](../../architecture.md) says which module stands on which.", "", "```{toctree}", ":maxdepth: 1", "", *names, "```", ""]
    (folder / "index.md").write_text("\n".join(index), encoding="utf-8")
