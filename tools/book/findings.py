# SPDX-License-Identifier: Apache-2.0
"""The list of finding codes: found in the sources, where each is written beside its severity, with what it says and what to do about it."""
import re

SEVERITY = re.compile(r"Severity::(note|warning|serious)")
CODE = re.compile(r'"([a-z][a-z0-9]*(?:_[a-z0-9]+)*)"\s*,')
# A helper of the file that makes the finding: told("channel_sign", fmt::format("..."), ...).
HELPER = re.compile(r'\b(?:told|tell|finding|complain|add|note|warn|block)\(\s*(?=")"([a-z]+(?:_[a-z0-9]+)+)"\s*,\s*(?=fmt::format|")')
STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')


def arguments(text, at):
    """The text from here to the bracket that closes around it."""
    depth = 0
    for i in range(at, min(len(text), at + 2500)):
        if text[i] in "({":
            depth += 1
        elif text[i] in ")}":
            depth -= 1
            if depth < 0:
                return text[at:i]
    return text[at:at + 2500]


def joined(text):
    """Literals that stand behind each other are one text in C++."""
    return re.sub(r'"\s*\n?\s*"', "", text)


def readable(literal):
    text = literal.replace('\\"', '"').replace("\\n", " ")
    return re.sub(r"\{[^{}]*\}", "…", text).strip()


def in_source(text):
    """(code, severity, message, remedy) of each finding that is written in one place."""
    for found in SEVERITY.finditer(text):
        inside = joined(arguments(text, found.end()))
        code = CODE.search(inside)
        # The code stands close behind the severity; further away it belongs to something else.
        if not code or code.start() > 160 or (code.group(1).count("_") == 0 and not re.match(r"[\s,]*$", inside[:code.start()])):
            continue
        texts = [readable(one) for one in STRING.findall(inside[code.end():])]
        texts = [one for one in texts if " " in one]
        yield code.group(1), found.group(1), texts[0] if texts else "", texts[-1] if len(texts) > 1 else ""
    if "Finding" not in text:
        return
    for found in HELPER.finditer(text):
        texts = [readable(one) for one in STRING.findall(joined(arguments(text, found.end())))]
        texts = [one for one in texts if " " in one]
        if texts:
            yield found.group(1), "", texts[0], texts[-1] if len(texts) > 1 else ""


def collect(root):
    codes = {}
    for path in sorted((root / "src").rglob("*.cpp")):
        if "test" in path.parts:
            continue
        module = path.relative_to(root / "src" / "kdyn").parts[0]
        for code, severity, message, remedy in in_source(path.read_text(encoding="utf-8")):
            entry = codes.setdefault(code, {"severity": severity, "message": message, "remedy": remedy, "modules": set()})
            entry["modules"].add(module)
            entry["severity"] = entry["severity"] or severity
            if not entry["message"]:
                entry["message"], entry["remedy"] = message, remedy
    return codes


def cell(text):
    text = re.sub(r"\s+", " ", text).replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*").replace("_", "\\_").replace("`", "'")
    return text[:1].upper() + text[1:] if text else ""


def table(root):
    lines = ["| code | severity | what it says | what to do | from |", "|---|---|---|---|---|"]
    for code, one in sorted(collect(root).items()):
        lines.append(f"| `{code}` | {one['severity'] or 'as it matters'} | {cell(one['message'])} | {cell(one['remedy'])} | {', '.join(sorted(one['modules']))} |")
    return "\n".join(lines) + "\n"
