# SPDX-License-Identifier: Apache-2.0
"""All directions of a bushing in one go: a workbook of known truth, folders, poor data, and the use of the model."""
import csv
import json
import math
import unittest

from harness import CAB_MOUNT, SOURCE, CliTest
from test_door import workbook

HYDRO = SOURCE / "data" / "hydro_mount"


class FitBushing(CliTest):
    def elastomer(self, k, rdl=9e-5, rho=4500, **more):
        return {"model": "elastomer", "law": "masing",
                "parameters": {"static_stiffness": k, "alpha": 0.1014, "beta": 0.0963, "gamma": 0.0035, "lambda": 0.3803, "rdl": rdl, "rho": rho, "ymax": None, "curve": None}, **more}

    def sheet(self, model, turning=False, **options):
        """The map of a model on the virtual rig, with noise, as rows of a table."""
        path = self.write("truth.json", json.dumps(model))
        folder = self.folder / "truth"
        words = ["--frequencies-hz", "1,2,3,5,7,10,15,20,30,50", "--noise-k-dyn-rel", "0.003", "--noise-loss-angle-deg", "0.05"]
        words += ["--amplitudes-m", "2e-3,1e-2,3e-2" if turning else "5e-5,2e-4,5e-4,1e-3"]
        self.succeeds("rig", path, "--program", "map", *words, *options.get("words", []), "--out", folder, "--no-report")
        with (folder / "map.csv").open() as file:
            rows = [r for r in csv.reader(line for line in file if not line.startswith("#"))]
        return [rows[0]] + [[float(v) for v in row] for row in rows[1:]]

    def parameter(self, result, name):
        return result["parameters"][name]

    def holds(self, result, name, truth, widths=1.5):
        # An interval of 95 % misses one truth in twenty: the test, whose noise is always the same, takes half as much again.
        p = self.parameter(result, name)
        self.assertLess(abs(math.log(p["value"] / truth)), widths * math.log(p["upper_95"] / p["value"]), (name, p, truth))

    def test_a_workbook_with_known_truth(self):
        truth = {"x": self.elastomer(2.0e5), "y": self.elastomer(3.2e5, rdl=1.2e-4), "z": self.elastomer(6.0e5, rdl=6e-5, rho=6000), "rz": self.elastomer(80.0, rdl=3e-3, rho=200, axis="tz")}
        book = self.write("part_4711.xlsx", workbook({name: self.sheet(model, name == "rz") for name, model in truth.items()}))
        self.succeeds("fit", "bushing", "--data", book, "--ratios", "tx=0.7*tz", "--exports", "ubf", "bus", "gbs", "fmu2", "--out", self.out)
        result = self.result()
        self.assertEqual(result["status"], "converged")
        self.assertEqual([d["axes"] for d in result["directions"]], [["fx"], ["fy"], ["fz"], ["tz"]])
        for name, axis in (("x", "fx"), ("y", "fy"), ("z", "fz"), ("rz", "tz")):
            for parameter in ("static_stiffness", "rdl", "rho"):
                self.holds(result, f"{axis}.{parameter}", truth[name]["parameters"][parameter])
        self.assertEqual(result["absent"], ["ty"])
        self.assertEqual(result["estimated"], [{"axis": "tx", "ratio": 0.7, "from": "tz"}])
        self.assertEqual(result["model"]["axes"]["tx"]["scale"], 0.7)
        self.assertEqual(result["coupling"], "none")
        codes = {f["code"] for f in result["findings"]}
        self.assertLessEqual({"estimated", "axes_absent"}, codes)
        self.assertFalse([f for f in result["findings"] if "was asked for" in f["message"]])
        for name in ("model.json", "directions/fx/report.html", "ubf/bushing.ubf", "bus/bushing.bus", "gbs/bushing.gbs", "fmu2/bushing.fmu"):
            self.assertTrue((self.out / name).is_file(), name)
        page = (self.out / "report.html").read_text()
        for words in ("Directions side by side", "Axis fz: elastomer", "Elastomer, torsion"):
            self.assertIn(words, page)
        self.use(self.out / "model.json", truth["z"])
        # The property file is the same bushing.
        back = self.folder / "back"
        self.succeeds("import", self.out / "ubf" / "bushing.ubf", "--out", back)
        again = json.loads((back / "bushing_bushing.json").read_text())
        one, two = (m["axes"]["fz"]["parameters"] for m in (result["model"], again))
        self.assertAlmostEqual(one["static_stiffness"] / two["static_stiffness"], 1.0, delta=1e-9)

    def use(self, model, truth):
        """On the rig as the part itself, in a multibody model, and as a file of its own."""
        words = ["--program", "map", "--frequencies-hz", "4,25", "--amplitudes-m", "3e-4", "--no-report"]
        rows = []
        for path, axis in ((model, ["--axis", "fz"]), (self.write("z.json", json.dumps(truth)), [])):
            self.succeeds("rig", path, *axis, *words, "--out", self.folder / "used")
            rows.append(self.result(self.folder / "used")["map"])
        for fitted, true in zip(*rows):
            self.assertAlmostEqual(fitted["k_dyn"] / true["k_dyn"], 1.0, delta=0.01)  # noise of 0.3 % in 40 rows
        motion = json.dumps({"fx": {"amplitude": 2e-4}, "fz": {"amplitude": 1e-4, "phase_deg": 90}})
        self.succeeds("rig", model, "--motion", motion, "--frequencies-hz", 5, "--out", self.folder / "both", "--no-report")
        system = {"run": {"step_s": 1e-3, "duration_s": 0.2}, "gravity": [0, 0, -9.81], "bodies": [{"name": "mass", "mass": 20, "inertia": [1, 1, 1]}],
                  "bushings": [{"name": "mount", "markers": [{"body": "ground"}, {"body": "mass"}], "laws": str(model)}]}
        run = self.kdyn("simulate", self.write("system.json", json.dumps(system)), "--out", self.folder / "sim", "--no-report")
        self.assertEqual(run.returncode, 0, run.stderr)

    def test_a_folder_with_a_hydro_mount_in_z(self):
        part = self.folder / "engine_mount"
        part.mkdir()
        for axis in "xy":
            (part / f"{axis}_map.csv").write_text((CAB_MOUNT / f"{axis}_map.csv").read_text())
        (part / "z_map.csv").write_text((HYDRO / "map.csv").read_text())
        (part / "z_static.csv").write_text((HYDRO / "static.csv").read_text())
        (part / "notes.txt").write_text("mounted upside down, see mail\n")
        self.succeeds("fit", "bushing", "--data", part, "--out", self.out)
        result = self.result()
        z = result["directions"][2]
        self.assertEqual((z["law"], z["loss_angle_peaks"]), ("hydromount", True))
        self.assertEqual([d["law"] for d in result["directions"][:2]], ["elastomer"] * 2)
        self.assertEqual([t["chosen"] for t in z["laws_tried"]], [False, True])
        self.assertLess(z["laws_tried"][1]["information"], z["laws_tried"][0]["information"])
        self.assertEqual(result["model"]["axes"]["fz"]["model"], "hydromount")
        self.assertTrue(any(f["code"] == "not_used" and "notes.txt" in f["where"] for f in result["findings"]))
        forced = self.kdyn("fit", "bushing", "--data", part, "--laws", "fz=elastomer", "--no-report", "--out", self.folder / "forced")
        self.assertEqual(forced.returncode, 3)
        self.assertEqual(self.result(self.folder / "forced")["status"], "poor_fit")

    def test_round_bushing(self):
        radial, axial = self.sheet(self.elastomer(4e5)), self.sheet(self.elastomer(9e4))
        book = self.write("round.xlsx", workbook({"radial": radial, "axial": axial}))
        self.succeeds("fit", "bushing", "--data", book, "--no-report", "--out", self.out)
        result = self.result()
        self.assertEqual(result["coupling"], "cylindrical")
        self.assertEqual([d["axes"] for d in result["directions"]], [["fx", "fy"], ["fz"]])
        self.assertEqual(result["model"]["axes"]["fx"], result["model"]["axes"]["fy"])
        self.succeeds("fit", "bushing", "--data", book, "--directions", "radial=fy+fz,axial=fx", "--coupling", "none", "--no-report", "--out", self.out)
        self.assertEqual([d["axes"] for d in self.result()["directions"]], [["fx"], ["fy", "fz"]])

    def test_one_bad_direction_spoils_the_verdict(self):
        good, bad = self.sheet(self.elastomer(4e5)), self.sheet(self.elastomer(4e5))
        for i, row in enumerate(bad[1:]):
            row[3] *= 1.0 + 0.8 * math.sin(12.9898 * i)  # no mount
        book = self.write("bad.xlsx", workbook({"x": good, "z": bad}))
        run = self.kdyn("fit", "bushing", "--data", book, "--out", self.out)
        self.assertEqual(run.returncode, 3, run.stdout + run.stderr)
        result = self.result()
        self.assertEqual(result["status"], "poor_fit")
        self.assertIn("fz", result["reason"])
        self.assertEqual([d["status"] for d in result["directions"]], ["converged", "poor_fit"])
        self.assertIn("Not to be used", (self.out / "report.html").read_text())

    def test_refusals(self):
        z = CAB_MOUNT / "z_map.csv"
        plain = self.write("measured.csv", z.read_text())
        command = ["fit", "bushing", "--out", self.out, "--data"]
        self.refuses(2, [*command, plain], "directions", "measured.csv")
        self.refuses(2, [*command, z, "--directions", "q=fx"], "directions.q")
        self.refuses(2, [*command, z, "--directions", "z=fq"], "fq")
        self.refuses(2, [*command, z, "--directions", "z=tz"], "tz")
        self.refuses(2, [*command, z, "--ratios", "tz=2*fz"], "ratios.tz", "torsional")
        self.refuses(2, [*command, z, "--ratios", "fz=2*fz"], "ratios.fz")
        self.refuses(2, [*command, z, "--ratios", "fx=twice"], "ratios.fx")
        self.refuses(2, [*command, z, "--exports", "fmi"], "exports")
        self.refuses(2, [*command, z, "--laws", "fz=rubber"], "laws.fz")
        self.refuses(4, [*command, self.folder / "nowhere"])
        for part in ("left", "right"):
            (self.folder / "parts" / part).mkdir(parents=True)
            (self.folder / "parts" / part / "z_map.csv").write_text(z.read_text())
        self.refuses(2, [*command, self.folder / "parts"], "left", "one part")


if __name__ == "__main__":
    unittest.main()
