# SPDX-License-Identifier: Apache-2.0
"""kdyn: models of rubber bushings, hydro mounts, structures and vehicles from measurements.

    import kdyn
    m = kdyn.read("z_map.csv", "z_static.csv")
    fit = kdyn.fit.elastomer(m, fix={"lambda": 0.38})
    fit.parameters["rdl"].value, fit.parameters["rdl"].interval
    fit.report("z.html")
    k = fit.model.dynamic_stiffness([5, 10, 20], amplitude=1e-3)

Every operation of the command line is a function of the same name (``kdyn.fit.elastomer``, ``kdyn.rig``, ``kdyn.modal``;
``kdyn.import_`` for ``kdyn import``), with the same options and the same results. Numbers are in SI units; names of options
tell where they are not (``frequency_hz``, ``loss_angle_deg``).
"""
from . import _kdyn
from ._kdyn import BadInput, Error, FileAccess, InternalError
from ._law import Bushing, Law, Stepper, law
from ._measurements import Loop, Map, Measurements, Record, measurements, read
from ._operations import add_operations
from ._result import Parameter, Result
from ._verbs import Multibody, Structure, multibody, structure

__version__ = _kdyn.version
__all__ = ["BadInput", "Bushing", "Error", "FileAccess", "InternalError", "Law", "Loop", "Map", "Measurements", "Multibody", "Parameter",
           "Record", "Result", "Stepper", "Structure", "law", "measurements", "multibody", "read", "run", "structure"]

from ._operations import run  # noqa: E402  (any operation by its name)

__all__ += add_operations(globals())
