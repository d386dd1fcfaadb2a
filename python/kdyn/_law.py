# SPDX-License-Identifier: Apache-2.0
"""Mount laws and bushings at work."""
from __future__ import annotations

import copy
import json
import os
import tempfile
from typing import Any, Mapping, Sequence

import numpy as np

from . import _kdyn

axes = ("fx", "fy", "fz", "tx", "ty", "tz")


class Stepper:
    """A mount driven step by step inside a loop of your own: step(u, v, h) accepts a step and returns the force."""

    def __init__(self, law: "Law", u: float = 0.0, v: float = 0.0):
        self._stepper = _kdyn.Stepper(law._law, u, v)

    def step(self, u: float, v: float, h: float) -> float:
        return self._stepper.step(u, v, h)

    def force(self, u: float, v: float) -> float:
        """The force at a motion, without a trace."""
        return self._stepper.force(u, v)


class Law:
    """One axis of a mount: displacement in m (rad), force in N (N*m), stiffness in N/m (N*m/rad)."""

    def __init__(self, model: Mapping[str, Any], axis: str = ""):
        self._law = _kdyn.Law(dict(model), axis)
        self._model: dict[str, Any] = self._law.model

    def __getstate__(self) -> dict[str, Any]:
        return {"model": self._model, "axis": self._law.axis if self._law.rotation else ""}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["model"], state["axis"])  # type: ignore[misc]

    @property
    def name(self) -> str:
        """The law: elastomer, hydromount, ..."""
        return self._law.name

    @property
    def rotation(self) -> bool:
        return self._law.rotation

    @property
    def model(self) -> dict[str, Any]:
        """The content of its model file."""
        return copy.deepcopy(self._model)

    @property
    def parameters(self) -> dict[str, float]:
        """Numbers of the law by name; those of a rubber inside a hydro mount are main_rubber.rdl and so on."""
        return {_name(one): one["value"] for one in self._law.numbers}

    def units(self) -> dict[str, str]:
        return {_name(one): one["unit"] for one in self._law.numbers}

    def with_parameters(self, changed: Mapping[str, float] | None = None, **more: float) -> "Law":
        """The same law with other numbers."""
        model = self.model
        places = {_name(one): one["path"] for one in self._law.numbers}
        for name, value in {**(changed or {}), **more}.items():
            if name not in places:
                raise _kdyn.BadInput(f"{name}: no parameter of {self.name}\n  remedy: there are {', '.join(places)}")
            at: Any = model
            for key in places[name][:-1]:
                at = at[key]
            at[places[name][-1]] = float(value)
        return Law(model, self._law.axis if self._law.rotation else "")

    def at_temperature(self, temperature_c: float) -> "Law":
        """The law at another temperature, where its model file has a temperature table."""
        return Law(self._law.at_temperature(temperature_c).model, self._law.axis if self._law.rotation else "")

    def static_force(self, displacement: Any) -> Any:
        return _shaped(self._law.static_force, displacement)

    def static_displacement(self, force: Any) -> Any:
        return _shaped(self._law.static_displacement, force)

    def dynamic_stiffness(self, frequency_hz: Any, amplitude: Any, preload: Any = 0.0, *, loop: bool = False,
                          gradient: Sequence[str] | None = None) -> Any:
        """Complex stiffness at steady sines: its magnitude is k_dyn, its angle the loss angle. Arrays broadcast.

        amplitude: zero to peak; preload: the static force. loop: by force range and loop area instead of the first harmonic.
        gradient: names of parameters; then a pair of the stiffness and its derivatives (last axis: parameters) is returned, exact
        for the rubber law, by central differences (relative error about 1e-7) for others.
        """
        f, a, p = np.broadcast_arrays(np.asarray(frequency_hz, float), np.asarray(amplitude, float), np.asarray(preload, float))
        flat = [np.ascontiguousarray(x).ravel() for x in (f, a, p)]
        k = _back(self._law.stiffness(*flat, loop), f.shape)
        if gradient is None:
            return k
        exact = None if loop else self._law.stiffness_gradient(list(gradient), *flat)
        if exact is None:
            exact = np.stack([self._difference(name, lambda law: law._law.stiffness(*flat, loop)) for name in gradient], axis=-1)
        return k, exact.reshape(f.shape + (len(gradient),))

    def linear_stiffness(self, frequency_hz: Any, preload: float = 0.0) -> Any:
        """Complex stiffness at vanishing amplitude."""
        return _shaped(lambda x: self._law.linear_stiffness(x, preload), frequency_hz)

    def simulate(self, time: Any, displacement: Any, velocity: Any = None, *, inside: bool = False, gradient: Sequence[str] | None = None) -> Any:
        """Force at every sample; the mount rests at the first displacement before. velocity: by parabolas when not given.

        inside: also the signals inside the mount, by name. gradient: also the derivatives of the force by these parameters, one
        column each, by central differences.
        """
        arrays = [np.asarray(x, float).ravel() for x in (time, displacement, [] if velocity is None else velocity)]
        force, signals = self._law.simulate(*arrays)
        out: tuple[Any, ...] = (force,)
        if inside:
            out += (signals,)
        if gradient is not None:
            out += (np.stack([self._difference(name, lambda law: law._law.simulate(*arrays)[0]) for name in gradient], axis=-1),)
        return out[0] if len(out) == 1 else out

    def _difference(self, name: str, quantity: Any) -> np.ndarray:
        value = self.parameters.get(name)
        if value is None:
            raise _kdyn.BadInput(f"{name}: no parameter of {self.name}\n  remedy: there are {', '.join(self.parameters)}")
        step = 1e-5 * abs(value) if value != 0.0 else 1e-8
        up, down = (quantity(self.with_parameters({name: value + s})) for s in (step, -step))
        return (up - down) / (2.0 * step)

    def stepper(self, u: float = 0.0, v: float = 0.0) -> Stepper:
        """At rest at displacement u, then driven step by step."""
        return Stepper(self, u, v)

    def save(self, path: str | os.PathLike[str]) -> str:
        """Writes the model file that every operation takes."""
        with open(path, "w", encoding="utf-8") as out:
            json.dump(self._model, out, indent=2)
        return os.fspath(path)

    def export(self, to: str = "fmu3", out: str | os.PathLike[str] | None = None, **options: Any) -> Any:
        """As kdyn export: "fmu2", "fmu3", "c", "ubf", "bus", "gbs". out: folder to write into; the result holds the files anyway."""
        return _export(self._model, to, out, options)

    def __repr__(self) -> str:
        return f"<{self.name}: " + ", ".join(f"{name} {value:.4g}" for name, value in self.parameters.items()) + ">"


class Bushing:
    """A six-axis bushing: its axes are laws, bushing["fz"]."""

    def __init__(self, model: Mapping[str, Any]):
        self._model = copy.deepcopy(dict(model))
        self._model = self._model if "axes" in self._model else dict(self._model["model"])
        self.axes: dict[str, Law] = {axis: Law(self._model, axis) for axis in axes if axis in self._model["axes"]}

    def __getitem__(self, axis: str) -> Law:
        if axis not in self.axes:
            raise _kdyn.BadInput(f"{axis}: the bushing has no such axis\n  remedy: there are {', '.join(self.axes)}")
        return self.axes[axis]

    @property
    def model(self) -> dict[str, Any]:
        return copy.deepcopy(self._model)

    save = Law.save

    def export(self, to: str = "fmu3", out: str | os.PathLike[str] | None = None, **options: Any) -> Any:
        """As kdyn export."""
        return _export(self._model, to, out, options)

    def __repr__(self) -> str:
        return f"<bushing with {', '.join(self.axes)}>"


def law(model: Any, axis: str = "") -> Law | Bushing:
    """A law from a model file, a result (of this package or result.json), or a dictionary. axis: one axis of a bushing."""
    if isinstance(model, (str, os.PathLike)):
        with open(model, encoding="utf-8") as file:
            model = json.load(file)
    content = dict(model)
    inner = content
    while isinstance(inner.get("model"), Mapping):
        inner = inner["model"]
    if inner.get("model") == "bushing" and not axis:
        return Bushing(inner)
    return Law(content, axis)


def _name(one: Mapping[str, Any]) -> str:
    return ".".join(key for key in one["path"] if key != "parameters")


def _back(values: np.ndarray, shape: tuple[int, ...]) -> Any:
    return values.reshape(shape) if shape else values[0]


def _shaped(function: Any, numbers: Any) -> Any:
    array = np.asarray(numbers, float)
    return _back(function(np.ascontiguousarray(array).ravel()), array.shape)


def _export(model: Mapping[str, Any], to: str, out: Any, options: Mapping[str, Any]) -> Any:
    from ._operations import run
    with tempfile.TemporaryDirectory(prefix="kdyn-") as folder:
        path = os.path.join(folder, "model.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(model, file)
        return run("export", models=[path], to=to, out=out, **options)
