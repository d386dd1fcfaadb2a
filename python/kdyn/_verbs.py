# SPDX-License-Identifier: Apache-2.0
"""Objects for work in several steps: a finite-element model, a multibody model."""
from __future__ import annotations

import io
import os
from typing import Any, Sequence

import numpy as np

from ._result import Result


class Structure:
    """A finite-element model: a deck, or matrices with their geometry."""

    def __init__(self, *files: Any, **options: Any):
        self.files, self.options = files, options

    def modes(self, count: int | None = None, **options: Any) -> Result:
        """Natural frequencies and shapes, as kdyn fe finds them."""
        from . import fe  # type: ignore[attr-defined]
        return fe(*self.files, **{**self.options, **({} if count is None else {"count": count}), **options})


class Motion:
    """Signals of a simulation: time_s, and arrays by name. The whole result is in .result."""

    def __init__(self, result: Result):
        self.result = result
        table = result.files["series.csv"]
        head, body = table.split(b"\n", 1)
        names, units = [], []
        for title in head.decode("utf-8").split(","):
            name, _, unit = title.partition(" [")
            names.append(name)
            units.append(unit.rstrip("]"))
        values = np.loadtxt(io.BytesIO(body), delimiter=",", ndmin=2)
        self.time_s = values[:, 0]
        self.signals = {name: values[:, i] for i, name in enumerate(names) if i > 0}
        self.units = dict(zip(names[1:], units[1:]))

    def __getitem__(self, name: str) -> np.ndarray:
        return self.signals[name]

    def to_pandas(self):
        import pandas
        return pandas.DataFrame(self.signals, index=pandas.Index(self.time_s, name="time_s"))

    def __repr__(self) -> str:
        return f"<motion over {self.time_s[0]:g} ... {self.time_s[-1]:g} s: {', '.join(self.signals)}>"


class Multibody:
    """A multibody model file with its mounts."""

    def __init__(self, model: Any):
        self.model = os.fspath(model) if isinstance(model, os.PathLike) else model

    def simulate(self, signals: Sequence[str] | None = None, **options: Any) -> Motion:
        """Runs it; signals: names or patterns ("engine.*") to compute, all without."""
        from . import simulate  # type: ignore[attr-defined]
        return Motion(simulate(self.model, **options, series="csv", **({} if signals is None else {"signals": list(signals)})))

    def modes(self, **options: Any) -> Result:
        """Modes and frequency responses about the static equilibrium."""
        from . import modes  # type: ignore[attr-defined]
        return modes(self.model, **options)

    def insitu(self, *data: Any, **options: Any) -> Result:
        """Identifies its mounts from signals measured on the whole system."""
        from . import insitu  # type: ignore[attr-defined]
        return insitu(model=self.model, data=list(data), **options)


def structure(*files: Any, **options: Any) -> Structure:
    """A finite-element model: structure("frame.bdf").modes(40). Options are those of kdyn.fe."""
    return Structure(*files, **options)


def multibody(model: Any) -> Multibody:
    """A multibody model: multibody("engine.json").simulate(signals=["engine.*"])."""
    return Multibody(model)
