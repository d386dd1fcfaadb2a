# SPDX-License-Identifier: Apache-2.0
"""One bushing file on the rig with several axes at once, in a multibody model and through property files."""
import csv
import io
import json
import math
import unittest
import zipfile

from harness import CliTest

CURVE = [[-0.004, -4000], [-0.002, -800], [0, 0], [0.002, 800], [0.004, 4000]]
ROUND = {"model": "elastomer", "parameters": {"curve": CURVE}}
SPRING = {"model": "kelvin_voigt", "parameters": {"stiffness": 2e5, "damping": 50}}


class Bushing(CliTest):
    def bushing(self, name="bushing.json", **keys):
        model = {"model": "bushing", "coupling": "cylindrical", "axes": {"fx": ROUND, "fy": ROUND, "fz": SPRING}, **keys}
        return self.write(name, json.dumps(model))

    def rig(self, *words):
        self.succeeds("rig", *words, "--out", self.out)
        return self.result()

    def test_circle_sees_the_secant(self):
        motion = json.dumps({"fx": {"amplitude": 2e-3}, "fy": {"amplitude": 2e-3, "phase_deg": 90}, "fz": {"amplitude": 1e-4, "preload": 300}})
        result = self.rig(self.bushing(), "--motion", motion, "--frequencies-hz", 5, "--motion-factors", "1,2")
        for one, two in zip(result["axes"]["fx"]["map"], result["axes"]["fy"]["map"]):
            self.assertAlmostEqual(one["k_dyn"] / two["k_dyn"], 1.0, delta=1e-12)  # rounding of a quarter turn
        # G(2 mm) = 800 N, G(4 mm) = 4000 N of the curve's own points.
        for row, secant in zip(result["axes"]["fx"]["map"], (800 / 2e-3, 4000 / 4e-3)):
            self.assertAlmostEqual(row["k_dyn"], secant, delta=1e-6 * secant)
        self.assertAlmostEqual(result["axes"]["fz"]["centre"], 300 / 2e5, delta=1e-12)
        self.assertTrue((self.out / "fx_map.csv").is_file() and (self.out / "fz_map.csv").is_file())
        self.assertIn("fy: Force-displacement loops", (self.out / "report.html").read_text())

    def test_columns_of_a_file(self):
        rows = ["time_s,fx_mm,fy_mm,tz_deg"] + [f"{i * 1e-3},{2 * math.sin(0.03 * i)},{math.cos(0.05 * i) - 1},0" for i in range(200)]
        result = self.rig(self.bushing(), "--program", "transient", "--input", self.write("road.csv", "\n".join(rows) + "\n"))
        x, fx = (result["axes"]["fx"]["series"][k] for k in ("displacement_m", "force_n"))
        y, fy = (result["axes"]["fy"]["series"][k] for k in ("displacement_m", "force_n"))
        for i in range(0, 200, 13):
            self.assertAlmostEqual(fx[i] * y[i], fy[i] * x[i], delta=1e-9)  # radial
        self.refuses(2, ["rig", self.bushing(), "--program", "transient", "--input", self.write("bad.csv", "time_s,fx_n\n0,1\n1,2\n"), "--out", self.out],
                     "fx", "length")

    def test_a_place_and_a_scale_everywhere(self):
        turned = self.bushing("turned.json", coupling="none", position=[0.2, 0, 0], orientation=[0, 0, math.pi / 2],
                              axes={"fx": {**SPRING, "scale": 1.5}, "fy": SPRING})
        # Its x axis is the outer y axis; a rotation about z moves it by the lever.
        result = self.rig(turned, "--motion", '{"tz": {"amplitude": 1e-3}}', "--frequencies-hz", 1)
        k = math.hypot(3e5, 2 * math.pi * 75)
        self.assertAlmostEqual(result["axes"]["tz"]["map"][0]["k_dyn"], 0.04 * k, delta=1e-9 * k)
        alone = self.rig(turned, "--axis", "fx", "--frequencies-hz", 1, "--amplitudes-m", 1e-3)
        self.assertAlmostEqual(alone["map"][0]["k_dyn"], k, delta=1e-9 * k)
        self.assertIn("axis_alone", [f["code"] for f in alone["findings"]])
        # As FMU: the check file has all outer axes.
        self.succeeds("export", turned, "--to", "fmu2", "--name", "turned", "--out", self.out, "--no-report")
        with zipfile.ZipFile(self.out / "turned.fmu") as archive:
            self.assertIn(b"force.tz", archive.read("modelDescription.xml"))
        row = list(csv.DictReader(io.StringIO((self.out / "turned_check.csv").read_text())))[30]
        lever = 0.2 * float(row["displacement.tz"])
        rate = 0.2 * float(row["velocity.tz"])
        force = 3e5 * (float(row["displacement.fy"]) + lever) + 75 * (float(row["velocity.fy"]) + rate)
        self.assertAlmostEqual(float(row["force.fy"]), force, delta=1e-9 * abs(force))
        self.assertAlmostEqual(float(row["force.tz"]), 0.2 * force, delta=1e-9 * abs(force))

    def test_property_files_keep_place_and_scale(self):
        rubber = {"model": "elastomer", "parameters": {"static_stiffness": 3e5, "rdl": 9e-5, "rho": 4500}, "scale": 1.25}
        given = self.bushing("placed.json", axes={"fx": rubber, "fy": rubber}, position=[0.01, -0.02, 0.1], orientation=[0.1, 0.2, -0.3])
        for to in ("ubf", "bus", "gbs"):
            with self.subTest(to=to):
                self.succeeds("export", given, "--to", to, "--out", self.out, "--no-report")
                findings = self.result()["findings"]
                self.assertTrue(any(f["code"] == "own_keys" and "position" in f["message"] for f in findings))
                self.assertFalse(any(f["severity"] == "serious" for f in findings), findings)
                back = self.folder / ("back_" + to)
                self.succeeds("import", self.out / f"mount.{to}", "--out", back)
                whole = json.loads((back / "mount_bushing.json").read_text())
                self.assertEqual(whole["position"], [0.01, -0.02, 0.1])
                self.assertEqual(whole["orientation"], [0.1, 0.2, -0.3])
                static = ["--axis", "fx", "--program", "static"]
                a = self.rig(given, *static)["series"]["force_n"]
                b = self.rig(back / "mount_bushing.json", *static)["series"]["force_n"]
                largest = max(a)
                if to == "ubf":  # the others lose friction
                    self.assertLess(max(abs(p - q) for p, q in zip(a, b)), 1e-9 * largest)

    def test_refusals(self):
        self.refuses(2, ["rig", self.bushing(), "--out", self.out], "motion")
        self.refuses(2, ["rig", self.bushing(), "--motion", '{"fq": {"amplitude": 1}}', "--out", self.out], "motion.fq")
        self.refuses(2, ["rig", self.bushing(), "--motion", '{"fx": {"amplitude": 1e-3}}', "--amplitudes-m", "1e-3,2e-3", "--out", self.out], "amplitudes_m")
        self.refuses(2, ["rig", self.bushing("b2.json", position=[1, 2]), "--motion", '{"fx": {"amplitude": 1e-3}}', "--out", self.out], "position")
        self.refuses(2, ["rig", self.bushing(), "--axis", "fx", "--motion", '{"fx": {"amplitude": 1e-3}}', "--out", self.out], "motion")


if __name__ == "__main__":
    unittest.main()
