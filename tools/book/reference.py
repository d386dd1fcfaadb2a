# SPDX-License-Identifier: Apache-2.0
"""Reference pages out of `kdyn describe --json`: every operation with its options and the fields of its result.json."""
import json
import re


def cell(text):
    """Text for a cell of a table."""
    return re.sub(r"\s+", " ", str(text)).replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*").replace("_", "\\_")


def code(text):
    return "`" + str(text).replace("|", "\\|").replace("`", "'") + "`"


def flag(field):
    return "--" + field["name"].replace("_", "-")


def default(value):
    if value is None or value == "" or value == [] or value == {} or isinstance(value, dict):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return ", ".join(default(one) for one in value)
    return f"{value:g}" if isinstance(value, float) else str(value)


def limits(field):
    parts = []
    if "choices" in field:
        parts.append(", ".join(field["choices"]))
    for key, word in (("above", "above"), ("minimum", "at least"), ("maximum", "at most")):
        if key in field:
            parts.append(f"{word} {field[key]:g}")
    return "; ".join(parts)


def options(operation):
    lines, group = [], None
    for field in operation["fields"]:
        if field.get("group") != group or not lines:
            group = field.get("group")
            lines += ["", f"### {group or 'Options'}", "", "| option | unit | limits | default | meaning |", "|---|---|---|---|---|"]
        unit = "" if field["unit"] in ("", "-") else field["unit"]
        name = code(flag(field)) + (" or a word" if field.get("positional") else "") + (" **required**" if field.get("required") else "")
        lines.append(f"| {name} | {cell(unit)} | {cell(limits(field))} | {cell(default(field.get('default')))} | {cell(field['meaning'])} |")
    return lines


class Results:
    """Walks a JSON Schema of results: one row for each field, nested ones by their path."""

    def __init__(self, schema):
        self.definitions, self.rows, self.seen = schema.get("$defs", {}), [], set()
        for one in schema.get("oneOf") or schema.get("anyOf") or [schema]:
            self.properties(self.resolved(one), "", 0)

    def resolved(self, schema):
        while "$ref" in schema:
            schema = self.definitions[schema["$ref"].rsplit("/", 1)[-1]]
        return schema

    def properties(self, schema, path, depth):
        for name, one in schema.get("properties", {}).items():
            where = f"{path}{name}"
            if where in self.seen:
                continue
            self.seen.add(where)
            self.field(where, one, depth)

    def field(self, where, schema, depth):
        meaning, unit = schema.get("description", ""), schema.get("unit", "")
        choices = [schema, *schema.get("anyOf", []), *schema.get("oneOf", [])]
        inner, mark = None, ""
        for one in map(self.resolved, choices):
            if one.get("type") == "array" and isinstance(one.get("items"), dict):
                one, mark = self.resolved(one["items"]), "[]"
            elif isinstance(one.get("additionalProperties"), dict):
                one, mark = self.resolved(one["additionalProperties"]), ".NAME"
            if "properties" in one:
                inner = one
                break
        self.rows.append((where + (mark if inner else ""), unit, meaning))
        if inner is not None and depth < 4 and not (where.startswith("provenance") or where.endswith("findings")):
            self.properties(inner, f"{where}{mark}.", depth + 1)


def page(operation):
    name = operation["operation"]
    python = "kdyn." + name.replace(" ", ".") + ("_" if name == "import" else "")
    lines = [f"# kdyn {name}", "", operation["summary"] + ".", "", "```text", operation["example"], "```", "",
             f"In Python: `{python}(...)` with the same options, underscores instead of hyphens. Options that every operation has: [all operations](index.md#every-operation).", "", "## Options"]
    lines += options(operation)
    lines += ["", "## Fields of result.json", "", "`[]` stands for each entry of a list, `NAME` for each name of a map.", "", "| field | unit | meaning |", "|---|---|---|"]
    lines += [f"| {code(where)} | {cell(unit)} | {cell(meaning)} |" for where, unit, meaning in Results(operation["output_schema"]).rows]
    return "\n".join(lines) + "\n"


COMMON = """## Every operation

| option | meaning |
|---|---|
| `--out DIR` | folder for result.json, report.html and other files. Without it kdyn takes `out/INPUT_OPERATION`, with a number behind it when that has results already |
| `--config FILE` | job file: a JSON object of the options, named with underscores |
| `--set NAME=VALUE` | one option, the value as JSON or text, e.g. `fix.lambda=0.3`; may be repeated. `--set` wins over flags, flags over `--config` |
| `--no-report` | no report.html |
| `--json` | result.json on standard output; without `--out` nothing is written |
| `--quiet` | no progress, no summary |
| `--verbose` | each step of the progress with its time on a line of its own |

Exit codes: 0 done; 2 bad options or file content; 3 not converged or stopped, result.json is there; 4 file missing or unreadable; 5 internal error.
"""


def write(described, folder):
    folder.mkdir(parents=True, exist_ok=True)
    names = []
    lines = ["# Operations", "", "Made from the tables of the program: `kdyn describe --json` prints the same for programs.", "", "| operation | what it does |", "|---|---|"]
    for operation in described["operations"]:
        name = operation["operation"].replace(" ", "_")
        names.append(name)
        (folder / f"{name}.md").write_text(page(operation), encoding="utf-8")
        lines.append(f"| [{operation['operation']}]({name}.md) | {cell(operation['summary'])} |")
    lines += ["", COMMON, "```{toctree}", ":hidden:", "", *names, "```"]
    (folder / "index.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return names


def read(binary):
    import subprocess
    return json.loads(subprocess.run([binary, "describe", "--json"], capture_output=True, text=True, check=True).stdout)
