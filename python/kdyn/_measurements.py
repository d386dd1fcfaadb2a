# SPDX-License-Identifier: Apache-2.0
"""Measurements: of files, as the command line reads them, or of arrays."""
from __future__ import annotations

import contextlib
import os
import tempfile
import weakref
from dataclasses import dataclass, field
from typing import Any, Iterable, Mapping, Sequence

import numpy as np

from . import _kdyn

Path = "str | os.PathLike[str]"


@dataclass
class Table:
    """Columns of one measurement, arrays of equal length in SI units."""
    columns: dict[str, np.ndarray]
    part: str = ""
    direction: str = ""
    temperature_c: float | None = None
    rotation: bool = False
    place: str = ""
    mapping: dict[str, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def __getattr__(self, name: str) -> np.ndarray:
        columns = self.__dict__.get("columns", {})
        if name in columns:
            return columns[name]
        raise AttributeError(f"no column {name!r}; there are {', '.join(columns)}")

    def to_pandas(self):
        import pandas
        return pandas.DataFrame(self.columns)

    def __repr__(self) -> str:
        who = " ".join(x for x in (self.part, self.direction) if x)
        return f"<{type(self).__name__} of {len(self)} rows{', ' + who if who else ''}: {', '.join(self.columns)}>"


class Map(Table):
    """Dynamic stiffness: frequency_hz, amplitude (zero to peak), preload, k_dyn, loss_angle_deg, temperature_c where told."""


class Loop(Table):
    """Quasi-static loop: displacement, force."""


class Record(Table):
    """Displacement and force over time: time_s, displacement, force."""


_kinds = {"map": Map, "static": Loop, "series": Record}


class Measurements:
    """What files hold: maps, loops and records of a bench; responses, signals and modes. Give it to any fit."""

    def __init__(self, files: Sequence[str], hints: Mapping[str, Any], found: Mapping[str, Any]):
        self.files = list(files)
        self.hints = dict(hints)
        self.contents = found["files"]
        self.findings = found["findings"]
        self.tables: list[Table] = []
        for one in found["sets"]:
            if one["kind"] in _kinds:
                self.tables.append(_kinds[one["kind"]](one["columns"], one["part"], one["direction"], one.get("temperature_c"),
                                                       one["rotation"], one["place"], one["mapping"]))

    @property
    def maps(self) -> list[Map]:
        return [t for t in self.tables if isinstance(t, Map)]

    @property
    def loops(self) -> list[Loop]:
        return [t for t in self.tables if isinstance(t, Loop)]

    @property
    def records(self) -> list[Record]:
        return [t for t in self.tables if isinstance(t, Record)]

    @property
    def parts(self) -> list[str]:
        return sorted({t.part for t in self.tables if t.part})

    @property
    def directions(self) -> list[str]:
        return sorted({t.direction for t in self.tables if t.direction})

    def _of_files(self, key: str) -> list[dict[str, Any]]:
        return [one[key] for one in self.contents if key in one]

    @property
    def responses(self) -> list[dict[str, Any]]:
        """Frequency responses: frequency_hz, and channels with output, input, values (complex)."""
        return self._of_files("responses")

    @property
    def signals(self) -> list[dict[str, Any]]:
        """Signals over time: time_s, and signals by name with unit and values."""
        return self._of_files("signals")

    @property
    def modes(self) -> list[dict[str, Any]]:
        """Modes: frequency_hz, damping_ratio, dofs, shapes (one column for each mode)."""
        return self._of_files("modes")

    def __repr__(self) -> str:
        lines = [repr(t) for t in self.tables]
        lines += [f"<{one['kind']} in {os.path.basename(one['path'])}: {'; '.join(one['words'])}>" for one in self.contents if not self.tables]
        return "\n".join(lines) or "<no measurements>"


def _folder(size: int) -> str | None:
    """Memory for what is small, where the system offers it as files; else the folder of temporary files."""
    memory = "/dev/shm"
    return memory if size < 1 << 24 and os.path.isdir(memory) and os.access(memory, os.W_OK | os.X_OK) else None


def _remove(folder: str, files: Sequence[str]) -> None:
    """What _Written has put there; several times quicker than looking through the folder."""
    with contextlib.suppress(OSError):
        for path in files:
            os.unlink(path)
        os.rmdir(folder)


class _Written(Measurements):
    """Arrays as files, for the readers: they live as long as this object."""

    def __init__(self, texts: Mapping[str, str], hints: Mapping[str, Any]):
        folder = tempfile.mkdtemp(prefix="kdyn-", dir=_folder(sum(map(len, texts.values()))))
        files: list[str] = []
        weakref.finalize(self, _remove, folder, files)
        for name, text in texts.items():
            path = os.path.join(folder, name)
            with open(path, "w", encoding="utf-8") as out:
                out.write(text)
            files.append(path)
        self.files, self.hints = files, dict(hints)

    # Read when somebody looks; a fit reads the files itself.
    def __getattr__(self, name: str) -> Any:
        if name in ("contents", "findings", "tables"):
            files, hints = self.files, self.hints
            super().__init__(files, hints, _kdyn.read(files, hints))
            return self.__dict__[name]
        raise AttributeError(name)


def read(*paths: Path | Iterable[Path], **hints: Any) -> Measurements:
    """Reads measurement files of any format kdyn knows.

    Hints, where files do not tell: units={"force": "kN"}, columns={"force": "Load Cell 2"}, sheets=["x"], part="4711",
    direction="z", temperature=23.0, decimal="comma", layout="name".
    """
    names: list[str] = []
    for path in paths:
        names += [os.fspath(path)] if isinstance(path, (str, os.PathLike)) else [os.fspath(p) for p in path]
    if not names:
        raise _kdyn.BadInput("files: none is given\n  remedy: kdyn.read('z_map.csv')")
    return Measurements(names, hints, _kdyn.read(names, hints))


_lengths = {"displacement": ("displacement_m", "angle_rad"), "force": ("force_n", "moment_nm"), "amplitude": ("amplitude_m", "amplitude_rad"),
            "preload": ("preload_n", "preload_nm"), "k_dyn": ("k_dyn_n_per_m", "k_dyn_nm_per_rad")}
_layouts = {"map": (("frequency_hz", "amplitude", "k_dyn", "loss_angle_deg"), ("preload", "temperature_c")),
            "loop": (("displacement", "force"), ()),
            "record": (("time_s", "displacement"), ("force",))}


def _columns(given: Any, kind: str) -> dict[str, np.ndarray]:
    if isinstance(given, Table):
        given = given.columns
    elif hasattr(given, "columns") and hasattr(given, "to_numpy"):  # a frame of pandas
        given = {name: given[name].to_numpy() for name in given.columns}
    needed, optional = _layouts[kind]
    if not isinstance(given, Mapping):
        given = dict(zip(needed, given))
    unknown = set(given) - set(needed) - set(optional)
    missing = set(needed) - set(given)
    if unknown or missing:
        raise _kdyn.BadInput(f"{kind}: " + "; ".join(
            ([f"no column {', '.join(sorted(missing))}"] if missing else []) + ([f"unknown column {', '.join(sorted(unknown))}"] if unknown else []))
            + f"\n  remedy: give {', '.join(needed)}" + (f", and where you have it {', '.join(optional)}" if optional else "") + ", in SI units")
    arrays = {name: np.asarray(given[name], dtype=float).ravel() for name in (*needed, *optional) if name in given}
    rows = max(len(a) for a in arrays.values())
    for name, array in arrays.items():
        if len(array) not in (1, rows):
            raise _kdyn.BadInput(f"{kind}.{name}: {len(array)} values beside {rows} of other columns\n  remedy: give arrays of one length")
        if not np.all(np.isfinite(array)):
            raise _kdyn.BadInput(f"{kind}.{name}: a value is not a finite number\n  remedy: leave rows with gaps out")
        arrays[name] = np.broadcast_to(array, rows)
    return arrays


def _text(kind: str, arrays: Mapping[str, np.ndarray], rotation: bool) -> str:
    names = [_lengths[name][rotation] if name in _lengths else name for name in arrays]
    # repr of a float gives the number back to the last bit; SI units are not converted by the reader.
    columns = [[repr(value) for value in array.tolist()] for array in arrays.values()]
    return ",".join(names) + "\n" + "\n".join([",".join(row) for row in zip(*columns)]) + "\n"


def measurements(*, map: Any = None, loop: Any = None, record: Any = None, rotation: bool = False, **hints: Any) -> Measurements:
    """Measurements from arrays, frames of pandas or tables of kdyn.read; SI units, loss angles in degrees.

    map: frequency_hz, amplitude, k_dyn, loss_angle_deg, and where known preload, temperature_c; loop: displacement, force;
    record: time_s, displacement, force. Each as dictionary, frame, or sequence of arrays in this order; a list of them where there
    are several. rotation: rad, N*m, N*m/rad in their places.
    """
    texts: dict[str, str] = {}
    for kind, given in (("map", map), ("loop", loop), ("record", record)):
        if given is None:
            continue
        several = isinstance(given, list) and all(isinstance(g, (Table, Mapping)) or hasattr(g, "to_numpy") and hasattr(g, "columns") for g in given)
        for one in given if several else [given]:
            turns = rotation or (isinstance(one, Table) and one.rotation)
            texts[f"{kind}{len(texts) + 1 if several else ''}.csv"] = _text(kind, _columns(one, kind), turns)
    if not texts:
        raise _kdyn.BadInput("measurements: nothing is given\n  remedy: give map, loop or record")
    return _Written(texts, hints)
