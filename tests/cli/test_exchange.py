# SPDX-License-Identifier: Apache-2.0
"""Files in and out through the real binary: import, export to property files, convert, linearise, report, and torsion on the rig."""
import json
import math
import unittest

from harness import CAB_MOUNT, CliTest

TRUTH = CAB_MOUNT / "z_truth.json"
RUBBER = {"static_stiffness": 338e3, "alpha": 0.1014, "beta": 0.0963, "gamma": 0.0035, "lambda": 0.3803, "rdl": 8.93e-5, "rho": 4528.2}
MEMBRANE = {"model": "hydromount",
            "main_rubber": {"model": "elastomer", "parameters": dict(RUBBER, static_stiffness=3e5)},
            "chamber_rubber": {"model": "elastomer", "parameters": {"static_stiffness": 6e5}},
            "parameters": {"chamber_area": 4.8e-3, "channel_area": 6.2e-5, "channel_length": 0.21, "fluid_density": 1050.0, "fluid_damping_linear": 0.1,
                           "fluid_damping_nonlinear": 0.8, "decoupler_clearance": 4e-4, "decoupler_residual_slope": 0.3, "coupled_damping": True}}
TORSION = {"model": "elastomer", "axis": "tx", "parameters": {"static_stiffness": 900.0, "rdl": 4e-3, "rho": 60.0}}


class Exchange(CliTest):
    def model(self, content, name="model.json"):
        return self.write(name, json.dumps(content))

    def rig(self, model, *words, folder="rig"):
        out = self.folder / folder
        self.succeeds("rig", model, *words, "--out", out, "--no-report")
        return self.result(out)


class PropertyFiles(Exchange):
    def test_a_membrane_survives_ubf(self):
        """Before, 44 % of stiffness and 20 degrees were lost without a word."""
        model = self.model(MEMBRANE)
        self.succeeds("export", model, "--to", "ubf", "--out", self.out)
        result = self.result()
        self.assertTrue(result["comparison"]["fz"]["read_back"]["equal"], result)
        told = [f for f in result["findings"] if f["code"] == "own_keys"]
        self.assertEqual(len(told), 1)
        for word in ("decoupler_residual_slope", "law", "% of dynamic stiffness", "deg", "Hz", "mm"):
            self.assertIn(word, told[0]["message"])
        back = self.folder / "back"
        self.succeeds("import", self.out / "mount.ubf", "--out", back)
        self.assertEqual(self.result(back)["findings"], [])
        grid = ("--frequencies-hz", "5,10", "--amplitudes-m", "1e-4,1e-3")
        before, after = self.rig(model, *grid)["map"], self.rig(back / "mount_fz.json", *grid, folder="again")["map"]
        for a, b in zip(before, after):
            # Damping goes through d beta and back: rounding.
            self.assertAlmostEqual(a["k_dyn"] / b["k_dyn"], 1.0, delta=1e-9)
            self.assertAlmostEqual(a["loss_angle_deg"], b["loss_angle_deg"], delta=1e-7)

    def test_bushing_out_and_in(self):
        axis = json.loads(TRUTH.read_text())
        bushing = self.model({"model": "bushing", "coupling": "cylindrical", "axes": {"fx": axis, "fy": axis, "tz": dict(TORSION, axis="tz")}})
        for to, lost in (("ubf", []), ("gbs", ["lost"]), ("bus", ["lost"])):
            with self.subTest(to):
                self.succeeds("export", bushing, "--to", to, "--out", self.out)
                codes = {f["code"] for f in self.result()["findings"]}
                for code in lost:
                    self.assertIn(code, codes)
                back = self.folder / f"back_{to}"
                run = self.succeeds("import", self.out / f"mount.{to}", "--out", back)
                self.assertIn("mount_bushing.json", run.stdout)
                whole = json.loads((back / "mount_bushing.json").read_text())
                self.assertEqual(whole["coupling"], "cylindrical")
                self.assertEqual(sorted(whole["axes"]), ["fx", "fy", "tz"])
                # Static curves are equal in every format; the file goes back to the rig as it is.
                static = ("--program", "static", "--static-amplitude-m", "2e-3", "--static-rate-m-per-s", "1e-7")
                a = self.rig(bushing, "--axis", "fx", *static)["series"]
                b = self.rig(back / "mount_bushing.json", "--axis", "fx", *static, folder="again")["series"]
                middle = lambda s: (max(s["force_n"]) + min(s["force_n"])) / 2
                self.assertAlmostEqual(middle(a), middle(b), delta=1e-6 * max(a["force_n"]))
        self.refuses(2, ["export", bushing, TRUTH, "--directions", "fx", "fz", "--to", "bus", "--out", self.folder / "none"], "bushing")

    def test_bus_says_what_it_costs(self):
        run = self.succeeds("export", TRUTH, "--to", "bus", "--frequency-hz", 20, "--amplitude", 2e-4, "--out", self.out)
        message = [f for f in self.result()["findings"] if f["code"] == "lost"][0]["message"]
        for word in ("friction", "20 Hz", "0.2 mm", "N/mm", "deg"):
            self.assertIn(word, message)
            self.assertIn(word, run.stdout)
        point = self.result()["comparison"]["fz"]["chosen_point"]
        row = self.rig(TRUTH, "--frequencies-hz", 20, "--amplitudes-m", 2e-4)["map"][0]
        # The same rig: digits of JSON.
        self.assertAlmostEqual(point["k_dyn"] / row["k_dyn"], 1.0, delta=1e-12)
        self.assertAlmostEqual(point["loss_angle_deg"], row["loss_angle_deg"], delta=1e-9)

    def test_damping_comes_back_exactly(self):
        bus = self.write("a.bus", "[MDI_HEADER]\nFILE_TYPE='bus'\n[UNITS]\nLENGTH='mm'\nANGLE='degrees'\nFORCE='newton'\nMASS='kg'\nTIME='second'\n"
                                  "[DAMPING]\nFX_DAMPING=0.03306\n[FX_CURVE]\n{x fx}\n-10 -1000\n0 0\n10 1000\n")
        self.succeeds("import", bus, "--out", self.out)
        model = self.out / "a_fx.json"
        self.succeeds("export", model, "--to", "bus", "--out", self.folder / "again")
        line = [line for line in (self.folder / "again" / "mount.bus").read_text().splitlines() if "FX_DAMPING" in line][0]
        self.assertAlmostEqual(float(line.split("=")[1]), 0.03306, delta=1e-14)

    def test_refusals(self):
        self.refuses(4, ["import", "nowhere.ubf", "--out", self.out], "nowhere.ubf")
        self.refuses(2, ["import", TRUTH, "--out", self.out], ".ubf")
        self.refuses(2, ["import", self.write("a.ubf", "[MDI_HEADER]\nFILE_TYPE='ubf'\n[MODEL]\nMODEL_TYPE='G4E'\n"), "--out", self.out], "UNITS")


class Torsion(Exchange):
    def test_rig_speaks_of_angles_and_moments(self):
        bushing = self.model({"model": "bushing", "axes": {"tx": TORSION, "fz": {"model": "elastomer", "parameters": {"static_stiffness": 338e3}}}})
        result = self.rig(bushing, "--axis", "tx", "--frequencies-hz", 5, "--amplitudes-m", 0.02)
        self.assertEqual(result["axis"], "rotation")
        self.assertEqual(result["units"]["stiffness"], "N*m/rad")
        row = result["map"][0]
        self.assertEqual(row["amplitude_rad"], 0.02)
        header, line = (self.folder / "rig" / "map.csv").read_text().splitlines()[:2]
        self.assertEqual(header, "frequency_hz,amplitude_deg,preload_nm,k_dyn_nm_per_deg,loss_angle_deg")
        self.assertAlmostEqual(float(line.split(",")[3]), row["k_dyn"] * math.pi / 180.0, delta=1e-9)
        # What the rig wrote is read back as what it is.
        self.succeeds("inspect", self.folder / "rig" / "map.csv", "--out", self.out, "--no-report")
        self.assertIn('"rotation"', (self.out / "result.json").read_text())
        series = self.rig(bushing, "--axis", "tx", "--program", "static", "--static-amplitude-m", "0.02", folder="static")["series"]
        self.assertEqual(sorted(series), ["angle_rad", "moment_nm"])
        self.assertEqual((self.folder / "static" / "static.csv").read_text().splitlines()[0], "angle_deg,moment_nm")

    def test_model_says_that_it_is_torsional(self):
        model = self.model(TORSION)
        self.assertEqual(self.rig(model, "--frequencies-hz", 5, "--amplitudes-m", 0.02)["model"]["axis"], "tx")
        self.refuses(2, ["rig", model, "--axis", "fz", "--out", self.out], "axis", "tx")
        plain = self.model({key: value for key, value in TORSION.items() if key != "axis"}, "plain.json")
        self.assertEqual(self.rig(plain, "--frequencies-hz", 5, "--amplitudes-m", 0.02)["axis"], "translation")
        self.assertEqual(self.rig(plain, "--axis", "tz", "--frequencies-hz", 5, "--amplitudes-m", 0.02)["axis"], "rotation")
        wrong = self.write("input.csv", "time_s,displacement_mm\n" + "".join(f"{i / 100},{math.sin(i / 5)}\n" for i in range(100)))
        self.refuses(2, ["rig", model, "--program", "transient", "--input", wrong, "--out", self.out], "input.csv", "torsional")

    def test_fit_of_a_torsional_map_gives_a_torsional_model(self):
        self.rig(self.model(TORSION), "--frequencies-hz", "1,3,10,30", "--amplitudes-m", "0.002,0.01,0.05", folder="bench")
        fit = self.folder / "fit"
        run = self.succeeds("fit", "elastomer", "--data", self.folder / "bench" / "map.csv", "--out", fit, "--no-report")
        self.assertIn("N m/deg", run.stdout)
        self.assertEqual(self.result(fit)["axis"], "rotation")
        self.assertEqual(json.loads((fit / "model.json").read_text())["axis"], "rotation")
        self.assertIn("amplitude_rad", self.result(fit)["map"][0])
        # The truth comes back, in N m/rad.
        self.assertAlmostEqual(self.result(fit)["parameters"]["static_stiffness"]["value"] / 900.0, 1.0, delta=0.02)
        self.assertEqual(self.rig(fit / "model.json", "--frequencies-hz", 5, "--amplitudes-m", 0.02)["axis"], "rotation")


class Linearise(Exchange):
    def test_model_file_runs_everywhere(self):
        words = ("--amplitude-m", 2e-4, "--preload-n", 800)
        self.succeeds("linearise", TRUTH, *words, "--out", self.out)
        result, model = self.result(), self.out / "model.json"
        # The slope of the static curve at 800 N by differences of its points.
        curve = json.loads(TRUTH.read_text())["parameters"]["curve"]
        i = next(i for i, point in enumerate(curve) if point[1] > 800)
        (x0, f0), (x1, f1) = curve[i - 1], curve[i + 1]
        slope = (f1 - f0) / (x1 - x0)
        # Points 0.2 mm apart on a bent curve: their secant is half a percent from its slope.
        self.assertAlmostEqual(result["operating_point"]["static_stiffness"] / slope, 1.0, delta=5e-3)
        self.assertIn("about", json.loads(model.read_text())["comment"])
        rig = self.rig(model, "--frequencies-hz", "1,10,50", "--amplitudes-m", 2e-4)["map"]
        truth = self.rig(TRUTH, "--frequencies-hz", "1,10,50", "--amplitudes-m", 2e-4, "--preloads-n", 800, folder="truth")["map"]
        for a, b in zip(rig, truth):
            self.assertAlmostEqual(a["k_dyn"] / b["k_dyn"], 1.0, delta=0.03)
            # The linear law gives the frequency dependence; at 1 Hz a degree of the friction's loss is outside its slowest term.
            self.assertAlmostEqual(a["loss_angle_deg"], b["loss_angle_deg"], delta=1.2)
        # At rest it is the static stiffness: very slow motion.
        slow = self.rig(model, "--frequencies-hz", 1e-5, "--amplitudes-m", 2e-4, folder="slow")["map"][0]
        self.assertAlmostEqual(slow["k_dyn"] / slope, 1.0, delta=5e-3)
        self.succeeds("export", model, "--to", "c", "--out", self.folder / "c")
        # One mass on a rail, tied by the model: at rest the weight of 30 kg rests on the static stiffness.
        rail = [{"body": "ground"}, {"body": "mass"}]
        system = self.write("system.json", json.dumps({
            "gravity": [0, 0, -9.81], "run": {"step_s": 1e-3, "duration_s": 0.05, "static_start": True},
            "bodies": [{"name": "mass", "mass": 30, "inertia": [1, 1, 1]}], "markers": [{"name": "centre", "body": "mass"}],
            "joints": [{"name": "rail", "kind": "translational", "markers": rail}],
            "bushings": [{"name": "b", "markers": [{"body": "ground"}, "centre"], "laws": {"fz": "out/model.json"}}]}))
        self.succeeds("simulate", system, "--out", self.folder / "run", "--no-report")
        z = self.result(self.folder / "run")["series"]["signals"]["mass.position.z"]["values"]
        self.assertAlmostEqual(z[-1] * result["operating_point"]["static_stiffness"], -30 * 9.81, delta=1e-3)

    def test_hydro_mount_becomes_a_linear_hydro_mount(self):
        model = self.model(MEMBRANE)
        self.succeeds("linearise", model, "--amplitude-m", 1e-3, "--out", self.out)
        result = self.result()
        self.assertEqual(result["model"]["model"], "hydromount")
        self.assertEqual(result["operating_point"]["static_stiffness"], 3e5)
        # The file is the linear model itself.
        for row in self.rig(self.out / "model.json", "--frequencies-hz", "1,5,10,50", "--amplitudes-m", 1e-3)["map"]:
            near = min(result["map"], key=lambda r: abs(math.log(r["frequency_hz"] / row["frequency_hz"])))
            if abs(near["frequency_hz"] / row["frequency_hz"] - 1.0) < 0.01:
                self.assertAlmostEqual(row["k_dyn"] / near["k_dyn"], 1.0, delta=0.03)

    def test_misfit_is_told(self):
        # Two decades of a loss that friction makes: one term cannot.
        self.succeeds("linearise", TRUTH, "--terms", 1, "--amplitude-m", 1e-4, "--out", self.out)
        self.assertIn("linear_misfit", [f["code"] for f in self.result()["findings"]])
        self.refuses(2, ["linearise", TRUTH, "--from-hz", 10, "--to-hz", 5, "--out", self.folder / "none"], "to_hz")


class Convert(Exchange):
    def test_bushing_files(self):
        self.succeeds("export", TRUTH, "--to", "bus", "--out", self.out)
        self.succeeds("convert", self.out / "mount.bus", self.folder / "mount.gbs", "--out", self.folder / "log")
        self.succeeds("import", self.folder / "mount.gbs", "--out", self.folder / "models")
        curve = json.loads((self.folder / "models" / "mount_fz.json").read_text())["parameters"]["curve"]
        truth = json.loads(TRUTH.read_text())["parameters"]["curve"]
        self.assertEqual(len(curve), len(truth))
        for (x, f), (x0, f0) in zip(curve, truth):
            self.assertAlmostEqual(x, x0, delta=1e-15)
            self.assertAlmostEqual(f, f0, delta=1e-9)

    def test_refusals(self):
        self.refuses(2, ["convert", CAB_MOUNT / "z_map.csv", self.folder / "a.bus", "--out", self.out], "a.bus")
        self.refuses(4, ["convert", "nowhere.bus", self.folder / "a.gbs", "--out", self.out], "nowhere.bus")


class Report(Exchange):
    def test_two_fits_beside_each_other(self):
        for axis in "xy":
            self.succeeds("fit", "elastomer", "--data", CAB_MOUNT / f"{axis}_map.csv", "--out", self.folder / axis, "--no-report")
        run = self.succeeds("report", self.folder / "x", self.folder / "y", "--out", self.out)
        self.assertIn("compared 2 results", run.stdout)
        rows = {row["name"]: row for row in self.result()["comparison"]}
        x, y = (self.result(self.folder / axis)["parameters"]["static_stiffness"]["value"] for axis in "xy")
        self.assertEqual(rows["static_stiffness"]["values"], [x, y])
        self.assertAlmostEqual(rows["static_stiffness"]["change_rel"], y / x - 1.0, delta=1e-12)
        self.assertTrue((self.out / "report.html").exists())

    def test_refusals(self):
        self.succeeds("fit", "elastomer", "--data", CAB_MOUNT / "y_map.csv", "--out", self.folder / "y", "--no-report")
        self.refuses(2, ["report", self.folder / "y", "--out", self.out], "two results")
        torsion = self.write("torsion.json", json.dumps(dict(self.result(self.folder / "y"), axis="rotation")))
        self.refuses(2, ["report", self.folder / "y", torsion, "--out", self.out], "rotation")


if __name__ == "__main__":
    unittest.main()
