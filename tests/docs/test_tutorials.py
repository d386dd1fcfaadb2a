# SPDX-License-Identifier: Apache-2.0
"""The tutorials of docs/tutorials as a reader follows them: every command runs, in order, with nothing but what `kdyn example` writes.

What comes out is held against the values the bundled data were made with (MANIFEST.json), by scripts that know nothing of kdyn."""
import json
import pathlib
import shutil
import tempfile
import unittest

from test_docs import SOURCE, commands, run_page


class Tutorials(unittest.TestCase):
    def follow(self, page, example):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="kdyn_tutorial_"))
        self.addCleanup(shutil.rmtree, folder)
        count = 0
        for line, command, done in run_page(f"docs/tutorials/{page}.md", folder):
            self.assertEqual(done.returncode, 0, f"{page}:{line}: {command}\n{done.stderr or done.stdout}")
            count += 1
        self.assertGreater(count, 2)
        self.folder = folder / example
        self.truth = json.loads((self.folder / "MANIFEST.json").read_text())["truth"]

    def result(self, name):
        return json.loads((self.folder / name / "result.json").read_text())

    def near(self, found, true, relative, what=""):
        self.assertLess(abs(found / true - 1.0), relative, f"{what}: {found} instead of {true}")

    def test_bushing(self):
        self.follow("bushing", "bench_workbook")
        for axis in "xyz":
            truth = json.loads((SOURCE / "data" / "cab_mount" / f"{axis}_truth.json").read_text())["parameters"]
            found = self.result(f"out/bushing/directions/f{axis}")["parameters"]
            self.near(found["static_stiffness"]["value"], truth["static_stiffness"], 0.02, axis)
        names = {path.name for path in (self.folder / "out").rglob("*")}
        self.assertTrue({".bus", ".fmu"} <= {pathlib.Path(name).suffix for name in names}, names)

    def test_hydro_mount(self):
        self.follow("hydro_mount", "hydro_mount")
        result = self.result("out/hydro")
        self.assertEqual(result["status"], "converged")
        self.assertLess(result["fit"]["rms_kdyn_rel"], 0.02)  # twice the noise of the data

    def test_hammer_test(self):
        self.follow("hammer_test", "subframe")
        poles = self.result("out/modal")["poles"]
        inside = [one for one in self.truth["free"] if 40 < one["frequency_hz"] < 270]
        self.assertEqual(len(poles), len(inside))
        for pole, true in zip(poles, inside):
            self.near(pole["frequency_hz"], true["frequency_hz"], 2e-3, "Hz")
            self.near(pole["damping"], true["damping"], 0.15, "damping")
        body = self.result("out/body")
        self.near(body["rigid"]["mass"], self.truth["mass_kg"], 1e-3, "kg")

    def test_updating(self):
        self.follow("updating", "subframe")
        true = dict(self.truth["stiffness"])
        for end in ("front", "rear"):  # along y the data show the sum of left and right
            true[f"{end}_y"] = (true.pop(f"{end}_left_y") + true.pop(f"{end}_right_y")) / 2
        parameters = self.result("out/updated")["parameters"]
        self.assertEqual(set(parameters), set(true))
        for name, value in true.items():
            self.near(parameters[name]["value"], value, 0.05, name)
        self.assertTrue((self.folder / "out/updated/updated/on_bushings.bdf").exists())

    def test_engine_mounts(self):
        self.follow("engine_mounts", "engine")
        parameters = self.result("out/mounts")["parameters"]
        for name, true in self.truth.items():
            p = parameters[name]
            self.near(p["value"], true, 0.03 if name.endswith("stiffness") else 0.25, name)

    def test_vehicle(self):
        self.follow("vehicle", "bump_test")
        parameters = self.result("out/vehicle")["parameters"]
        for name, true in self.truth.items():
            self.near(parameters[name]["value"], true, 0.02, name)


class Pages(unittest.TestCase):
    def test_each_tutorial_starts_from_a_bundled_example(self):
        names = sorted(path.stem for path in (SOURCE / "docs" / "tutorials").glob("*.md"))
        self.assertEqual(names, ["bushing", "engine_mounts", "hammer_test", "hydro_mount", "updating", "vehicle"])
        for name in names:
            first = next(iter(commands(f"docs/tutorials/{name}.md")))[1]
            self.assertTrue(first.startswith("kdyn example "), first)
            text = (SOURCE / "docs" / "tutorials" / f"{name}.md").read_text()
            self.assertIn(f"<!-- include examples/python/{name}.py -->", text)
            self.assertIn("## On the page", text)
            self.assertGreaterEqual(text.count("](../pictures/"), 2, name)


if __name__ == "__main__":
    unittest.main()
