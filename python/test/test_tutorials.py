# SPDX-License-Identifier: Apache-2.0
"""The scripts of the tutorials (examples/python) run in the folder that `kdyn example` writes, and find what the data were made with."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["KDYN_SOURCE"])
SCRIPTS = {"bushing": "bench_workbook", "hydro_mount": "hydro_mount", "hammer_test": "subframe", "updating": "subframe", "engine_mounts": "engine", "vehicle": "bump_test"}


class Tutorials(unittest.TestCase):
    def run_script(self, name):
        with tempfile.TemporaryDirectory(prefix="kdyn_tutorial_") as folder:
            place = pathlib.Path(folder, "data")
            subprocess.run([os.environ["KDYN"], "example", SCRIPTS[name], "--out", str(place)], check=True, capture_output=True)
            done = subprocess.run([sys.executable, "-B", str(SOURCE / "examples" / "python" / f"{name}.py")], cwd=place, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.truth = json.loads((place / "MANIFEST.json").read_text())["truth"]
            return done.stdout, {path.relative_to(place).as_posix() for path in place.rglob("*")}

    def test_all_scripts_are_listed(self):
        self.assertEqual({path.stem for path in (SOURCE / "examples" / "python").glob("*.py")}, set(SCRIPTS))

    def test_bushing(self):
        text, files = self.run_script("bushing")
        self.assertIn("converged", text)
        self.assertTrue(any(name.endswith(".bus") for name in files) and any(name.endswith(".fmu") for name in files) and "bushing.html" in files, files)

    def test_hydro_mount(self):
        text, files = self.run_script("hydro_mount")
        self.assertIn("converged", text)
        angles = [float(value) for value in re.findall(r"largest loss angle ([0-9.]+) deg", text)]
        self.assertEqual(len(angles), 2)
        self.assertGreater(max(angles), 15.0)  # a hydro mount has a peak of the loss angle; rubber stays below 10 degrees

    def test_hammer_test(self):
        text, _ = self.run_script("hammer_test")
        for found, true in re.findall(r"([0-9.]+) Hz \(([0-9.]+)\)", text):
            self.assertAlmostEqual(float(found) / float(true), 1.0, delta=2e-3)  # lines are 0.8 Hz apart

    def test_updating(self):
        text, files = self.run_script("updating")
        self.assertIn("out/updated/updated/on_bushings.bdf", files)
        true = [one["frequency_hz"] for one in self.truth["on_bushings"]]
        found = [float(value) for value in re.search(r"updated: \[(.*)\]", text)[1].split(",")]
        for one, other in zip(found, true):
            self.assertAlmostEqual(one / other, 1.0, delta=3e-3)

    def test_engine_mounts(self):
        text, _ = self.run_script("engine_mounts")
        for name, value in re.findall(r"^(\S+stiffness) +([0-9.]+) N/mm", text, re.M):
            self.assertAlmostEqual(1e3 * float(value) / self.truth[name], 1.0, delta=0.03, msg=name)
        self.assertIn("a2.z", text)  # the reversed cable

    def test_vehicle(self):
        text, files = self.run_script("vehicle")
        self.assertIn("ride.html", files)
        for name, value in re.findall(r"^(\w+) +([0-9.e+]+) .*true", text, re.M):
            self.assertAlmostEqual(float(value) / self.truth[name], 1.0, delta=0.02, msg=name)


if __name__ == "__main__":
    unittest.main()
