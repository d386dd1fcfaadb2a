#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Drives an exported FMU (FMI 2.0, co-simulation) with the motion of a check file and compares the force. Needs Python alone.

    run_fmu.py mount.fmu mount_check.csv

The calls are the ones every importing tool makes: unpack, read modelDescription.xml, load the binary, instantiate, initialise, step. It runs
twice: with the inputs of the beginning of each step, as most tools give them, and with those of its end, where the force is exact.
"""
import csv
import ctypes
import sys
import tempfile
import xml.etree.ElementTree as xml
import zipfile
from pathlib import Path

Real = ctypes.POINTER(ctypes.c_double)


class Callbacks(ctypes.Structure):
    _fields_ = [(name, ctypes.c_void_p) for name in ("logger", "allocateMemory", "freeMemory", "stepFinished", "componentEnvironment")]


class Fmu:
    def __init__(self, path, folder):
        zipfile.ZipFile(path).extractall(folder)
        description = xml.parse(folder / "modelDescription.xml").getroot()
        self.reference = {v.get("name"): int(v.get("valueReference")) for v in description.iter("ScalarVariable")}
        identifier = description.find("CoSimulation").get("modelIdentifier")
        self.library = ctypes.CDLL(str(folder / "binaries" / "linux64" / f"{identifier}.so"))
        self.library.fmi2Instantiate.restype = ctypes.c_void_p
        self.callbacks = Callbacks()  # none: errors are seen in the status
        co_simulation = 1
        self.component = ctypes.c_void_p(self.library.fmi2Instantiate(b"mount", co_simulation, description.get("guid").encode(), b"",
                                                                     ctypes.byref(self.callbacks), 0, 0))
        if not self.component:
            sys.exit("the FMU cannot be instantiated")

    def call(self, name, *arguments):
        if getattr(self.library, name)(self.component, *arguments) != 0:
            sys.exit(f"{name} failed")

    def set(self, name, value):
        self.call("fmi2SetReal", ctypes.byref(ctypes.c_uint(self.reference[name])), ctypes.c_size_t(1), ctypes.byref(ctypes.c_double(value)))

    def get(self, name):
        value = ctypes.c_double()
        self.call("fmi2GetReal", ctypes.byref(ctypes.c_uint(self.reference[name])), ctypes.c_size_t(1), ctypes.byref(value))
        return value.value

    def step(self, time, length):
        self.call("fmi2DoStep", ctypes.c_double(time), ctypes.c_double(length), 0)


def worst_difference(path, folder, rows, at_end):
    """Largest difference between the force of the check file and that of the FMU."""
    fmu = Fmu(path, folder)
    if at_end:
        fmu.call("fmi2SetBoolean", ctypes.byref(ctypes.c_uint(fmu.reference["inputs_at_end_of_step"])), ctypes.c_size_t(1), ctypes.byref(ctypes.c_int(1)))
    fmu.call("fmi2SetupExperiment", 0, ctypes.c_double(0), ctypes.c_double(rows[0][0]), 0, ctypes.c_double(0))
    fmu.call("fmi2EnterInitializationMode")
    fmu.set("displacement", rows[0][1])
    fmu.set("velocity", rows[0][2])
    fmu.call("fmi2ExitInitializationMode")
    worst = abs(fmu.get("force") - rows[0][3])
    for begin, end in zip(rows, rows[1:]):
        _, displacement, velocity, _ = end if at_end else begin
        fmu.set("displacement", displacement)
        fmu.set("velocity", velocity)
        fmu.step(begin[0], end[0] - begin[0])
        worst = max(worst, abs(fmu.get("force") - end[3]))
    fmu.library.fmi2FreeInstance(fmu.component)
    return worst


def main():
    with open(sys.argv[2], newline="") as file:
        rows = [[float(cell) for cell in row] for row in list(csv.reader(file))[1:]]
    largest = max(abs(row[3]) for row in rows)
    good = True
    for at_end, tolerance in ((False, 5e-3), (True, 1e-12)):
        with tempfile.TemporaryDirectory() as folder:
            worst = worst_difference(sys.argv[1], Path(folder), rows, at_end)
        print(f"{len(rows)} samples, inputs of the {'end' if at_end else 'beginning'} of the step: largest force {largest:.6g} N, "
              f"largest difference {worst:.2g} N")
        good = good and worst <= tolerance * largest
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
