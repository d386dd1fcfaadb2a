# SPDX-License-Identifier: Apache-2.0
"""Every operation of the registry is there, and gives what the command line gives, to the last bit."""
import glob
import inspect
import json
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

# Examples whose inputs other examples make are run by test_chain.
needs_others = {"fit mastercurve", "frf", "modal", "body", "update", "report", "import", "insitu"}


def function_of(name):
    found = kdyn
    for word in name.split():
        found = getattr(found, word if word != "import" else "import_")
    return found


def call_of(operation, out):
    """The call that the example's words mean: flags are keywords, what stands before them is given without a name."""
    words = shlex.split(operation["example"])[1 + len(operation["operation"].split()):]
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

    def test_examples_give_what_the_command_line_gives(self):
        ran = 0
        for operation in _kdyn.describe()["operations"]:
            name = operation["operation"]
            if name in needs_others:
                continue
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                words = shlex.split(operation["example"])[1:]
                if name == "convert":
                    words[-1] = os.path.join(folder, "z.csv")
                    kdyn.convert("data/cab_mount/z_transient.csv", words[-1])
                    first = content(words[-1])
                    subprocess.run([program, *words], check=True, stdout=subprocess.DEVNULL)
                    self.assertEqual(first, content(words[-1]))
                    ran += 1
                    continue
                if "--out" in words:
                    del words[words.index("--out"):]
                expected = by_program(words, os.path.join(folder, "program"))
                result = call_of(operation, os.path.join(folder, "python"))
                with open(os.path.join(folder, "python", "result.json"), encoding="utf-8") as file:
                    written = json.load(file)
                self.assertEqual(plain(written), plain(expected))
                self.assertEqual(plain(result.result), plain(expected))
                for path in glob.glob(os.path.join(folder, "program", "**"), recursive=True):
                    other = path.replace(os.path.join(folder, "program"), os.path.join(folder, "python"), 1)
                    self.assertTrue(os.path.exists(other), other)
                ran += 1
        self.assertGreaterEqual(ran, 16)

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
