# SPDX-License-Identifier: Apache-2.0
"""What an operation found: the content of result.json, its report and its files."""
from __future__ import annotations

import html
import os
from typing import Any, Iterator, Mapping

from . import _kdyn
from ._law import Bushing, Law, law


class Parameter:
    """A parameter of a fit: value, unit, std, interval (95 %), status (free, fixed, derived, ...)."""

    def __init__(self, name: str, found: Mapping[str, Any]):
        self.name = name
        self.value: float | None = found.get("value")
        self.unit: str = found.get("unit", "-")
        self.std: float | None = found.get("std")
        self.status: str = found.get("status", "")
        low, high = found.get("lower_95"), found.get("upper_95")
        self.interval: tuple[float, float] | None = None if low is None or high is None else (low, high)

    def __float__(self) -> float:
        if self.value is None:
            raise ValueError(f"{self.name} is not determined")
        return float(self.value)

    def __repr__(self) -> str:
        between = f", {self.interval[0]:.4g} ... {self.interval[1]:.4g}" if self.interval else ""
        value = "not determined" if self.value is None else f"{self.value:.6g}"
        return f"{self.name} = {value} {self.unit}{between} ({self.status})"


class Result(Mapping[str, Any]):
    """The result of an operation. As a mapping it is result.json; attributes are shortcuts."""

    def __init__(self, operation: str, outcome: Any):
        self.operation = operation
        self._outcome = outcome
        self._result: dict[str, Any] | None = None
        self._parts: dict[str, Any] = {}  # of it, as they were asked for: who wants the parameters need not wait for the map

    # A pickled result keeps what was found, its report and its files.
    def __getstate__(self) -> dict[str, Any]:
        return {"operation": self.operation, "result": self.result, "complete": self.complete, "text": self.text, "html": self._html(),
                "files": self.files, "result_text": self._outcome.result_text}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.operation, self._result, self._outcome, self._parts = state["operation"], state["result"], _Kept(state), {}

    @property
    def result(self) -> dict[str, Any]:
        """The content of result.json."""
        if self._result is None:
            self._result = {**self._outcome.result, **self._parts}
        return self._result

    def __getitem__(self, key: str) -> Any:
        if self._result is not None:
            return self._result[key]
        if key not in self._parts:
            self._parts[key] = self._outcome.part(key)
        return self._parts[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.result)

    def __len__(self) -> int:
        return len(self.result)

    @property
    def complete(self) -> bool:
        """False where the command line ends with exit code 3: not converged, poor fit, or stopped."""
        return self._outcome.complete

    @property
    def status(self) -> str:
        return self.get("status", "done")

    @property
    def findings(self) -> list[dict[str, Any]]:
        return self.get("findings", [])

    @property
    def parameters(self) -> dict[str, Parameter]:
        found = self.get("parameters", {})
        return {name: Parameter(name, one) for name, one in found.items()} if isinstance(found, Mapping) else {}

    @property
    def model(self) -> Law | Bushing:
        """The identified law, ready to work: dynamic_stiffness, simulate, export."""
        if not isinstance(self.get("model"), Mapping) or "model" not in self["model"]:
            raise AttributeError(f"{self.operation} gives no mount model")
        return law(self.result)

    @property
    def text(self) -> str:
        """What the command line prints."""
        return self._outcome.text

    @property
    def files(self) -> dict[str, bytes]:
        """Files the operation writes beside result.json, by name."""
        return self._outcome.files

    def _html(self) -> str | None:
        return self._outcome.html()

    def report(self, path: str | os.PathLike[str]) -> str:
        """Writes the report, one HTML file that opens offline; returns its path."""
        page = self._html()
        if page is None:
            raise _kdyn.BadInput(f"report: {self.operation} has no report\n  remedy: use save to write its result")
        with open(path, "w", encoding="utf-8") as out:
            out.write(page)
        return os.fspath(path)

    def save(self, path: str | os.PathLike[str]) -> str:
        """Writes result.json under the given name, to the bit as the command line does."""
        with open(path, "w", encoding="utf-8") as out:
            out.write(self._outcome.result_text)
        return os.fspath(path)

    def to_pandas(self, table: str = "parameters"):
        """Parameters as a frame; or another table of the result by its name, such as "map", "modes" or "findings"."""
        import pandas
        if table == "parameters" and isinstance(self.result.get("parameters"), Mapping):
            rows = [{"name": p.name, "value": p.value, "unit": p.unit, "std": p.std, "lower_95": p.interval[0] if p.interval else None,
                     "upper_95": p.interval[1] if p.interval else None, "status": p.status} for p in self.parameters.values()]
            return pandas.DataFrame(rows).set_index("name")
        found = self.result.get(table)
        if isinstance(found, list) or isinstance(found, Mapping):
            return pandas.DataFrame(found)
        raise _kdyn.BadInput(f"{table}: no such table in the result\n  remedy: there are "
                             + ", ".join(k for k, v in self.result.items() if isinstance(v, (list, Mapping))))

    def __repr__(self) -> str:
        return self.text.rstrip() or f"<{self.operation}: {self.status}>"

    def _repr_html_(self) -> str:
        """For notebooks: verdict, parameters, curves of measurement and model where there are any, findings."""
        page = [f"<p><b>{html.escape(self.operation)}: {html.escape(self.status)}</b>"
                + (f" ({html.escape(str(self.result['reason']))})" if self.result.get("reason") else "") + "</p>"]
        if self.parameters:
            rows = "".join(
                f"<tr><td>{html.escape(p.name)}</td><td>{'not determined' if p.value is None else format(p.value, '.5g')}</td>"
                f"<td>{html.escape(p.unit)}</td><td>{'' if not p.interval or p.status == 'fixed' else f'{p.interval[0]:.4g} … {p.interval[1]:.4g}'}</td>"
                f"<td>{html.escape(p.status)}</td></tr>" for p in self.parameters.values())
            page.append("<table><tr><th>parameter</th><th>value</th><th>unit</th><th>95 % interval</th><th>status</th></tr>" + rows + "</table>")
        from ._plot import map_svg
        page.append(map_svg(self.result.get("map")))
        for one in self.findings:
            page.append(f"<p>{html.escape(one.get('severity', 'note'))}: {html.escape(one.get('message', ''))}"
                        f" <i>{html.escape(one.get('remedy', ''))}</i></p>")
        return "".join(page)


class _Kept:
    """An outcome that was pickled."""

    def __init__(self, state: Mapping[str, Any]):
        self.complete, self.text, self.files, self.result_text = state["complete"], state["text"], state["files"], state["result_text"]
        self.result, self._page = state["result"], state["html"]

    def html(self) -> str | None:
        return self._page
