# SPDX-License-Identifier: Apache-2.0
"""Writes __init__.pyi and fit.pyi: what editors and type checkers know about operations. Run by the build."""
from __future__ import annotations

import os
import sys
from typing import Any, Mapping

from . import _kdyn
from ._operations import _doc, _python_name, _types

_head = '''# Made from the field tables of kdyn; do not edit.
from os import PathLike
from typing import Any, Callable, Mapping, Sequence
{more}
_Files = str | PathLike[str] | Measurements | Law | Bushing | Result | Mapping[str, Any] | Sequence[Any]
_Tell = Callable[[float, str], None] | bool | None
'''
_package = '''from ._kdyn import BadInput as BadInput, Error as Error, FileAccess as FileAccess, InternalError as InternalError
from ._law import Bushing as Bushing, Law as Law, Stepper as Stepper, law as law
from ._measurements import Loop as Loop, Map as Map, Measurements as Measurements, Record as Record, measurements as measurements, read as read
from ._operations import run as run
from ._result import Parameter as Parameter, Result as Result
from ._verbs import Multibody as Multibody, Structure as Structure, multibody as multibody, structure as structure
from . import fit as fit
'''


def _word(kind: str) -> str:
    found = _types.get(kind, Any)
    return found if isinstance(found, str) else found.__name__ if found is not Any else "Any"


def _stub(operation: Mapping[str, Any]) -> str:
    fields = "".join(f", {_python_name(f['name'])}: {'_Files' if f.get('path') in ('input', 'job') else _word(f['kind'])} | None = ..."
                     for f in operation["fields"])
    doc = _doc(operation).replace("\\", "\\\\").replace('"""', "'''")
    name = _python_name(operation["operation"].split()[-1])
    return (f"\ndef {name}(*given: _Files{fields}, out: str | PathLike[str] | None = ..., report: bool = ..., progress: _Tell = ...) -> Result:\n"
            f'    """{doc}"""\n')


def main(folder: str) -> None:
    operations = _kdyn.describe()["operations"]
    alone = [one for one in operations if len(one["operation"].split()) == 1]
    fits = [one for one in operations if one["operation"].startswith("fit ")]
    needed = "from ._law import Bushing, Law\nfrom ._measurements import Measurements\nfrom ._result import Result"
    for name, head, content in (("__init__.pyi", _head.format(more=_package) + "\n__version__: str\n", alone),
                                ("fit.pyi", _head.format(more=needed), fits)):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as out:
            out.write(head + "".join(map(_stub, content)))


if __name__ == "__main__":
    main(sys.argv[1])
