# SPDX-License-Identifier: Apache-2.0
"""Every operation of the registry is there, and gives what the command line gives, to the last bit."""
import glob
import inspect
import json
import math
import os
import shlex
import subprocess
import tempfile
import unittest

import kdyn
from kdyn import _kdyn

source = os.environ["KDYN_SOURCE"]
program = os.environ["KDYN"]
os.chdir(source)
os.environ["SOURCE_DATE_EPOCH"] = "1700000000"  # FMUs hold the date, and two exports may lie in two seconds


def prepared(folder):
    """Calls of operations whose own example starts from what another one wrote: the same on bundled data, by name."""
    def made(*words, out):
        by_program(list(words), os.path.join(folder, out))
        return os.path.join(folder, out)

    bush = made("export", "data/cab_mount/z_truth.json", "--to", "bus", out="bus")
    [bus] = glob.glob(os.path.join(bush, "*.bus"))
    responses = os.path.join(made("frf", "data/subframe/hits_1.uff", "data/subframe/hits_2.uff", "--geometry", "data/subframe/points.uff", "--band-hz", "20,280", out="frf"), "frf.uff")
    modes = os.path.join(made("modal", responses, "--band-hz", "40,270", out="modal"), "result.json")
    series = os.path.join(made("simulate", "examples/multibody/double_mass.json", out="run"), "series.csv")
    fits = [made("fit", "elastomer", f"data/cab_mount/{axis}_map.csv", out=axis) for axis in "xy"]
    dma = os.path.join(folder, "dma.csv")
    with open(dma, "w", encoding="utf-8") as table:
        table.write("T,f,E',E''\nC,Hz,MPa,MPa\n")
        for c in (0.0, 10.0, 20.0, 30.0, 40.0):
            for step in range(13):
                hz = 0.1 * 10 ** (step / 4)
                w = 2 * math.pi * hz * 10 ** (-12 * (c - 20) / (150 + c - 20))  # WLF about 20 degC
                modulus = 2.0 + sum(3.0 * 1j * w * tau / (1 + 1j * w * tau) for tau in (1e-4, 1e-3, 1e-2, 1e-1, 1.0))
                table.write(f"{c},{hz!r},{modulus.real!r},{modulus.imag!r}\n")
    return {"fit mastercurve": f"kdyn fit mastercurve --data {dma}",
            "frf": "kdyn frf data/subframe/hits_1.uff data/subframe/hits_2.uff --geometry data/subframe/points.uff --band-hz 20,280",
            "modal": f"kdyn modal {responses} --band-hz 40,270", "body": f"kdyn body --modes {modes} --fe data/subframe/frame.bdf",
            "update": "kdyn update data/subframe/job.json --starts 1", "report": f"kdyn report {' '.join(fits)}", "import": f"kdyn import {bus}",
            "insitu": f"kdyn insitu examples/multibody/double_mass.json --data {series} --signals m2.position.x --start b1.fx.stiffness=1500,b2.fx.stiffness=800"}


def function_of(name):
    found = kdyn
    for word in name.split():
        found = getattr(found, word if word != "import" else "import_")
    return found


def call_of(operation, example, out):
    """The call that the words mean: flags are keywords, what stands before them is given without a name."""
    words = shlex.split(example)[1 + len(operation["operation"].split()):]
    fields = {field["name"]: field for field in operation["fields"]}
    files, options, flag = [], {}, None
    for word in words:
        if word.startswith("--"):
            flag = word[2:].replace("-", "_")
            options[flag] = []
        elif flag is None:
            files.append(word)
        else:
            options[flag].append(word)
    options.pop("out", None)
    for name, given in options.items():
        kind = fields[name]["kind"]
        numbers = [float(part) for word in given for part in word.split(",")] if "number" in kind and "object" not in kind else []
        if kind == "object of numbers":
            options[name] = {k: float(v) for k, v in (pair.split("=") for word in given for pair in word.split(","))}
        elif kind == "list of numbers":
            options[name] = numbers
        elif kind in ("number", "number or null"):
            options[name] = numbers[0]
        elif kind == "whole number":
            options[name] = int(given[0])
        elif kind == "list of texts":
            options[name] = given
        else:
            options[name] = given[0]
    return function_of(operation["operation"])(*files, out=out, progress=False, **options)


def content(path):
    with open(path, "rb") as file:
        return file.read()


def plain(result):
    """Without what differs between two runs of anything: times of day, durations, the way options were given."""
    if isinstance(result, dict):
        return {k: plain(v) for k, v in result.items() if k not in ("created", "seconds", "options_given", "revision", "analysis_s", "factor_s", "lanczos_s", "sturm_s")}
    if isinstance(result, list):
        return [plain(one) for one in result]
    return result


def by_program(words, out):
    ended = subprocess.run([program, *words, "--quiet", "--out", out], cwd=source).returncode
    assert ended in (0, 3), ended
    with open(os.path.join(out, "result.json"), encoding="utf-8") as file:
        return json.load(file)


class Operations(unittest.TestCase):
    def test_all_are_there_with_their_fields(self):
        described = _kdyn.describe()["operations"]
        self.assertGreater(len(described), 20)
        for operation in described:
            function = function_of(operation["operation"])
            names = set(inspect.signature(function).parameters)
            for field in operation["fields"]:
                self.assertTrue({field["name"], field["name"] + "_"} & names, (operation["operation"], field["name"]))
                self.assertIn(field["meaning"], function.__doc__)

    def test_every_operation_gives_what_the_command_line_gives(self):
        ran = set()
        inputs = tempfile.TemporaryDirectory()
        self.addCleanup(inputs.cleanup)
        instead = prepared(inputs.name)
        described = _kdyn.describe()["operations"]
        for operation in described:
            name = operation["operation"]
            example = instead.get(name, operation["example"])
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                words = shlex.split(example)[1:]
                if name == "convert":
                    words[-1] = os.path.join(folder, "z.csv")
                    kdyn.convert("data/cab_mount/z_transient.csv", words[-1])
                    first = content(words[-1])
                    subprocess.run([program, *words], check=True, stdout=subprocess.DEVNULL)
                    self.assertEqual(first, content(words[-1]))
                    ran.add(name)
                    continue
                if "--out" in words:
                    del words[words.index("--out"):]
                expected = by_program(words, os.path.join(folder, "program"))
                result = call_of(operation, example, os.path.join(folder, "python"))
                with open(os.path.join(folder, "python", "result.json"), encoding="utf-8") as file:
                    written = json.load(file)
                self.assertEqual(plain(written), plain(expected))
                self.assertEqual(plain(result.result), plain(expected))
                for path in glob.glob(os.path.join(folder, "program", "**"), recursive=True):
                    other = path.replace(os.path.join(folder, "program"), os.path.join(folder, "python"), 1)
                    self.assertTrue(os.path.exists(other), other)
                ran.add(name)
        self.assertEqual(ran, {operation["operation"] for operation in described})

    def test_chain(self):
        """Simulated signals, mounts found in them, two results in one report: each step by objects of Python."""
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "run")
            model = "examples/multibody/double_mass.json"
            kdyn.simulate(model, out=out, progress=False)
            found = kdyn.insitu(model, data=[os.path.join(out, "series.csv")], signals=["m2.position.x"],
                                start={"b1.fx.stiffness": 1500, "b2.fx.stiffness": 800}, progress=False)
            expected = by_program(["insitu", model, "--data", os.path.join(out, "series.csv"), "--signals", "m2.position.x", "--start",
                                   "b1.fx.stiffness=1500,b2.fx.stiffness=800"], os.path.join(folder, "insitu"))
            self.assertEqual(plain(found.result), plain(expected))
            x, y = (kdyn.fit.elastomer(f"data/cab_mount/{axis}_map.csv", progress=False) for axis in "xy")
            both = kdyn.report(x, y, progress=False)
            self.assertIn("html", both.report(os.path.join(folder, "both.html")))
            bus = x.model.export("bus")
            back = os.path.join(folder, next(name for name in bus.files if name.endswith(".bus")))
            with open(back, "wb") as file:
                file.write(bus.files[os.path.basename(back)])
            self.assertIn("model", str(kdyn.import_(back, progress=False).result))

    def test_words_of_python_can_be_given(self):
        self.assertIn("from_", inspect.signature(kdyn.body).parameters)
        with self.assertRaises(kdyn.Error):
            kdyn.body(from_="nowhere", progress=False)

    def test_errors_have_place_and_remedy(self):
        with self.assertRaises(kdyn.FileAccess) as caught:
            kdyn.fit.elastomer("not_there.csv", progress=False)
        self.assertIsInstance(caught.exception, OSError)
        self.assertIn("not_there.csv", caught.exception.where)
        self.assertTrue(caught.exception.remedy)
        with self.assertRaises(ValueError) as caught:
            kdyn.fit.elastomer("data/cab_mount/z_map.csv", fix={"lambda": -1.0}, progress=False)
        self.assertIn("lambda", str(caught.exception))
        with self.assertRaises(kdyn.BadInput) as caught:
            kdyn.fit.elastomer("data/cab_mount/z_map.csv", fixx=1, progress=False)
        self.assertIn("did you mean 'fix'", str(caught.exception))
        with self.assertRaises(kdyn.BadInput):
            kdyn.fit.elastomer("data/cab_mount/z_map.csv", fix={"lambda": float("nan")}, progress=False)
        with self.assertRaises(kdyn.BadInput):
            kdyn.fit.elastomer("data/cab_mount/z_map.csv", fix={"lambda": object()}, progress=False)
        nested = []
        nested.append(nested)
        with self.assertRaises(kdyn.BadInput):
            kdyn.run("fit elastomer", data=nested, progress=False)
        with self.assertRaises(kdyn.BadInput) as caught:
            kdyn.run("fit elastomr", progress=False)
        self.assertIn("fit elastomer", caught.exception.remedy)


if __name__ == "__main__":
    unittest.main()
