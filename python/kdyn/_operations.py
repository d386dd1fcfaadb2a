# SPDX-License-Identifier: Apache-2.0
"""Every operation of the registry as a function, made from its field table: names, defaults, units, meanings."""
from __future__ import annotations

import inspect
import os
import sys
import types
from typing import Any, Callable, Mapping

from . import _kdyn
from ._law import Bushing, Law
from ._measurements import Measurements
from ._result import Result

_types = {"text": str, "choice": str, "number": float, "number or null": float, "whole number": int, "true or false": bool,
          "list of texts": "Sequence[str]", "list of numbers": "Sequence[float]", "object of numbers": "Mapping[str, float]",
          "object of texts": "Mapping[str, str]", "list of objects": "Sequence[Mapping[str, Any]]"}
_hints = ("units", "columns", "layout", "decimal", "sheets", "part", "direction", "temperature")
Tell = Callable[[float, str], None]


def _bar(fraction: float, what: str) -> None:
    filled = int(30 * min(max(fraction, 0.0), 1.0))
    sys.stderr.write(f"\r\033[K[{'#' * filled:<30}] {100 * fraction:3.0f} % {what}")
    sys.stderr.flush()


def run(operation: str, *, out: str | os.PathLike[str] | None = None, report: bool = True, progress: Tell | bool | None = None,
        **options: Any) -> Result:
    """Runs any operation by its name on the command line: run("fit elastomer", data=["z_map.csv"]).

    out: folder for result.json, report.html and other files, as --out does. progress: a function of (fraction, what), True for a
    bar on stderr, False for none; by default a bar on terminals. Ctrl-C stops the work.
    """
    bar = progress is True or (progress is None and sys.stderr is not None and sys.stderr.isatty())
    tell = progress if callable(progress) else _bar if bar else None
    given = {name: value for name, value in options.items() if value is not None}
    try:
        outcome = _kdyn.run(operation, given, "" if out is None else os.fspath(out), report, tell)
    finally:
        if bar:
            sys.stderr.write("\r\033[K")
    return Result(operation, outcome)


class _Files:
    """What is given where files are wanted: paths, measurements, laws, results. Things in memory become files for the call."""

    def __init__(self) -> None:
        self.hints: dict[str, Any] = {}
        self._folder: Any = None
        self._count = 0

    def paths(self, given: Any) -> list[str]:
        if isinstance(given, (str, os.PathLike)):
            return [os.fspath(given)]
        if isinstance(given, Measurements):
            self.hints.update({name: value for name, value in given.hints.items() if value is not None})
            return list(given.files)
        if isinstance(given, (Law, Bushing, Result, Mapping)):
            return [self._kept(given)]
        return [path for one in given for path in self.paths(one)]

    def _kept(self, given: Any) -> str:
        import json
        import tempfile
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="kdyn-")
        self._count += 1
        path = os.path.join(self._folder.name, f"model{self._count if self._count > 1 else ''}.json")
        if isinstance(given, (Law, Bushing, Result)):
            return given.save(path)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(given, file)
        return path

    def close(self) -> None:
        if self._folder is not None:
            self._folder.cleanup()


def _line(field: Mapping[str, Any]) -> str:
    facts = [] if field["unit"] in ("-", "") else [field["unit"]]
    if field.get("choices"):
        facts.append(" | ".join(field["choices"]))
    if field.get("required"):
        facts.append("must be given")
    elif field.get("default") not in (None, "", [], {}):
        facts.append(f"default {field['default']}")
    return f"    {field['name']}: {field['meaning']}" + (f" ({'; '.join(map(str, facts))})" if facts else "")


def _doc(operation: Mapping[str, Any]) -> str:
    lines = [operation["summary"] + ".", "", f"On the command line: {operation['example']}", ""]
    group = None
    for field in operation["fields"]:
        if field.get("group") != group:
            group = field.get("group")
            lines += ([""] if lines[-1] else []) + [str(group)] if group else []
        lines.append(_line(field))
    return "\n".join(lines + ["", "out, report, progress: as in kdyn.run. Returns a kdyn.Result."])


def _function(operation: Mapping[str, Any]) -> Callable[..., Result]:
    name = operation["operation"]
    fields = {field["name"]: field for field in operation["fields"]}
    # Where files go that are given without a name: positional fields, else the first that reads files.
    first = [n for n, f in fields.items() if f.get("positional")] or [n for n, f in fields.items() if f.get("path") == "input"][:1]
    lists = {n for n, f in fields.items() if f["kind"] == "list of texts"}
    reads = {n for n, f in fields.items() if f.get("path") in ("input", "job")}

    def call(*files: Any, out: Any = None, report: bool = True, progress: Any = None, **options: Any) -> Result:
        held = _Files()
        try:
            if len(first) == 1 and files:
                if first[0] in options:
                    raise TypeError(f"{name}: {first[0]} is given twice")
                options[first[0]] = list(files) if first[0] in lists else files[0]
                if first[0] not in lists and len(files) > 1:
                    raise TypeError(f"{name} takes one {first[0]}, {len(files)} are given")
            elif files:
                if len(files) > len(first):
                    raise TypeError(f"{name} takes {len(first)} files at most ({', '.join(first)}), {len(files)} are given")
                options.update(zip(first, files))
            given: dict[str, Any] = {}
            for field, value in options.items():
                own = field[:-1] if field.endswith("_") and field not in fields and field[:-1] in fields else field  # from_
                if own in reads and value is not None:
                    paths = held.paths(value)
                    if own not in lists and len(paths) != 1:
                        raise TypeError(f"{name}: {own} is one file, {len(paths)} are given")
                    value = paths if own in lists else paths[0]
                given[own] = value
            for hint, value in held.hints.items():
                if hint in fields:
                    given.setdefault(hint, value)
                else:
                    raise _kdyn.BadInput(f"{hint}: {name} takes no such hint\n  remedy: read the files without it")
            return run(name, out=out, report=report, progress=progress, **given)
        finally:
            held.close()

    call.__name__ = call.__qualname__ = _python_name(name.split()[-1])
    call.__module__ = "kdyn"
    call.__doc__ = _doc(operation)
    parameters = [inspect.Parameter("_".join(first) + "_" if first else "nothing", inspect.Parameter.VAR_POSITIONAL)]
    parameters += [inspect.Parameter(_python_name(n), inspect.Parameter.KEYWORD_ONLY, default=None, annotation=_types.get(f["kind"], Any))
                   for n, f in fields.items()]
    parameters += [inspect.Parameter("out", inspect.Parameter.KEYWORD_ONLY, default=None, annotation="str | None"),
                   inspect.Parameter("report", inspect.Parameter.KEYWORD_ONLY, default=True, annotation=bool),
                   inspect.Parameter("progress", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Any)]
    call.__signature__ = inspect.Signature(parameters, return_annotation=Result)  # type: ignore[attr-defined]
    call.__annotations__ = {p.name: p.annotation for p in parameters} | {"return": Result}
    return call


def _python_name(word: str) -> str:
    """"import" and "from" are words of Python."""
    import keyword
    return word + "_" if keyword.iskeyword(word) else word


def add_operations(names: dict[str, Any]) -> list[str]:
    """Puts a function for each operation into a name space; groups ("fit ...") become modules of their own."""
    added = []
    for operation in _kdyn.describe()["operations"]:
        words = operation["operation"].split()
        function = _function(operation)
        if len(words) == 1:
            names[_python_name(words[0])] = function
            added.append(_python_name(words[0]))
            continue
        if words[0] not in names:
            group = names[words[0]] = types.ModuleType(f"kdyn.{words[0]}", f"Operations kdyn {words[0]} ...")
            sys.modules[f"kdyn.{words[0]}"] = group
            added.append(words[0])
        setattr(names[words[0]], _python_name(words[1]), function)
    return added
