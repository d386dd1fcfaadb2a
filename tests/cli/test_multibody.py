# SPDX-License-Identifier: Apache-2.0
"""kdyn simulate, kdyn modes and kdyn insitu through the real binary: results, and what is said about broken models."""
import copy
import csv
import json
import math
import shutil
import signal
import subprocess
import sys
import time
import unittest

from harness import KDYN, SOURCE, CliTest

MODELS = SOURCE / "examples" / "multibody"

PENDULUM = {
    "gravity": [0, -9.81, 0],
    "run": {"step_s": 0.001, "duration_s": 0.2},
    "bodies": [{"name": "bar", "mass": 2, "centre": [0.5, 0, 0], "inertia": [0.01, 0.17, 0.17]}],
    "markers": [{"name": "tip", "body": "bar", "position": [1, 0, 0]}],
    "joints": [{"name": "hinge", "kind": "revolute", "markers": [{"body": "ground"}, {"body": "bar"}]}],
    "loads": [{"name": "push", "marker": "tip", "force": [0, "3*sin(t)", 0]}],
}
ADAMS = """ADAMS/View model name: swing
UNITS/ FORCE = NEWTON, MASS = KILOGRAM, LENGTH = MILLIMETER, TIME = SECOND
PART/1, GROUND
MARKER/101, PART = 1
, REULER = 0D, 90D, 0D
PART/2, MASS = 1, CM = 201, IP = 4.0E4, 1.0E5, 1.0E5
MARKER/201, PART = 2, QP = 2000, 0, 0
MARKER/202, PART = 2, REULER = 0D, 90D, 0D
JOINT/1, REVOLUTE, I = 202, J = 101
ACCGRAV/ KGRAV = -9806.65
END
"""
URDF = """<robot name="arm">
  <link name="base"/>
  <link name="upper"><inertial><origin xyz="0 0 -0.5"/><mass value="2"/><inertia ixx="0.2" iyy="0.2" izz="0.01"/></inertial></link>
  <joint name="shoulder" type="continuous"><parent link="base"/><child link="upper"/><origin xyz="0 0 2" rpy="0 0 0"/><axis xyz="0 1 0"/></joint>
</robot>
"""
START = "b1.fx.stiffness=1000,b1.fx.damping=2,b2.fx.stiffness=500,b2.fx.damping=1"
TRUTH = {"b1.fx.stiffness": 2000, "b1.fx.damping": 4, "b2.fx.stiffness": 1000, "b2.fx.damping": 2}


class Simulate(CliTest):
    def model(self, change=None, name="model.json"):
        model = copy.deepcopy(PENDULUM)
        if change:
            change(model)
        return self.write(name, json.dumps(model))

    def fails_late(self, model, *mentions):
        """Ends with code 3, says why and when, and keeps what was computed."""
        run = self.kdyn("simulate", model, "--out", self.out)
        self.assertEqual(run.returncode, 3, run.stdout + run.stderr)
        result = self.result()
        for text in mentions:
            self.assertIn(text, result["reason"])
        self.assertIn("last good time", run.stdout)
        self.assertIn("report.html", self.files_written())
        with open(self.out / "series.csv", newline="") as file:
            rows = list(csv.reader(file))
        self.assertEqual(len(rows) - 1, len(result["series"]["time_s"]))
        return result, rows

    def test_double_mass(self):
        self.succeeds("simulate", MODELS / "double_mass.json", "--out", self.out)
        self.assertEqual(self.files_written(), ["document.json", "report.html", "result.json", "series.csv", "state.json"])
        result = self.result()
        self.assertEqual(result["status"], "done")
        signals = result["series"]["signals"]
        for name in ("m2.position.x", "m2.velocity.x", "m2.acceleration.x", "b1.fx.load", "b1.fx.deflection", "rail1.force.y", "energy.total"):
            self.assertEqual(len(signals[name]["values"]), len(result["series"]["time_s"]))
        # Spring law by hand: load = k x + c v at every kept instant.
        x, v, load = (signals[n]["values"] for n in ("m1.position.x", "m1.velocity.x", "b1.fx.load"))
        for i in range(0, len(x), 100):
            self.assertAlmostEqual(load[i], 2000 * (x[i] - 0.5) + 4 * v[i], delta=1e-6)
        self.assertIn('"frames"', (self.out / "report.html").read_text())

    def test_axle_of_mirrored_corners(self):
        """The example of docs/multibody.md: parameters, a subsystem twice, formulas, a shock absorber and a stop."""
        self.succeeds("simulate", MODELS / "axle.json", "--out", self.out)
        self.assertEqual(self.result()["findings"], [])
        signals = self.result()["series"]["signals"]
        # At rest each coil carries half the body by 28 N/mm, the same left and right.
        for side in ("left", "right"):
            self.assertAlmostEqual(signals[f"{side}_coil.deflection"]["values"][0], -250 * 9.81 / 28e3, delta=1e-9)
        self.assertAlmostEqual(signals["right_wheel.position.y"]["values"][0], -0.75, delta=1e-9)
        # The kerb of 30 mm lifts the left wheel.
        left, right = (signals[f"{side}_wheel.position.z"]["values"] for side in ("left", "right"))
        self.assertAlmostEqual(left[-1] - left[0], 0.03, delta=1e-3)
        self.assertAlmostEqual(right[-1] - right[0], 0.0, delta=1e-3)
        # The load of the shock absorber: skyhook and table.
        top, rate = signals["left_top.velocity.z"]["values"], signals["left_shock.load"]["values"]
        self.assertGreater(max(abs(x) for x in rate), 200)
        self.assertGreater(max(abs(x) for x in top), 0.05)

    def test_tyres(self):
        """The examples of docs/multibody.md: a cleat is rolled over, a wheel is steered; what a model cannot do is told."""
        self.succeeds("simulate", MODELS / "cleat.json", "--signals", "tyre.*", "body.position.z", "wheel.position.x", "--out", self.out)
        result = self.result()
        self.assertEqual([f["code"] for f in result["findings"]], [])
        signals = result["series"]["signals"]
        load = signals["tyre.fz"]["values"]
        self.assertAlmostEqual(load[0], 393 * 9.81, delta=1e-3 * load[0])
        # 10 mm of cleat are 2 kN of the standing tyre; rolled over at 10 m/s the axle hardly lifts before it is over.
        self.assertGreater(max(load), load[0] + 1000)
        # Up and down the cleat the force leans back and forth.
        self.assertGreater(max(signals["tyre.force.x"]["values"]), 100)
        self.assertLess(min(signals["tyre.force.x"]["values"]), -100)
        self.assertAlmostEqual(load[-1], load[0], delta=0.1 * load[0])
        self.assertIn("tyre.fz", (self.out / "report.html").read_text())
        self.refuses(2, ["export", MODELS / "cleat.json", "--to", "fmu2", "--inputs", "pull", "--outputs", "tyre.fz", "--out", self.out], "tyres")
        sweep = self.folder / "sweep"
        self.succeeds("simulate", MODELS / "tyre_sweep.json", "--signals", "tyre.*", "--out", sweep, "--no-report")
        signals = self.result(sweep)["series"]["signals"]
        slip, side = signals["tyre.lateral_slip"]["values"], signals["tyre.fy"]["values"]
        self.assertGreater(max(slip), 0.12)
        self.assertLess(max(abs(x) for x in side), 1.1 * max(signals["tyre.fz"]["values"]))
        # Beyond its shifts the force has the sign of the slip.
        for x, f in zip(slip, side):
            if abs(x) > 0.02:
                self.assertGreater(x * f, 0)

    def test_skyhook_actuator_and_leveller(self):
        """The example of docs/multibody.md: a state-space block with a lag and limits, and a digital controller."""
        self.succeeds("simulate", MODELS / "skyhook.json", "--out", self.out)
        signals = self.result()["series"]["signals"]
        self.assertEqual([f["code"] for f in self.result()["findings"]], [])
        force, level, strut = (signals[n]["values"] for n in ("skyhook.force", "leveller.force", "strut.fz.deflection"))
        self.assertEqual(signals["skyhook.force"]["unit"], "N")
        # At rest the strut carries the car alone; later the leveller carries who got in, as its integral says.
        self.assertAlmostEqual(strut[0], -350 * 9.81 / 20000, delta=1e-9)
        self.assertAlmostEqual(force[0], 0, delta=1e-9)
        self.assertGreater(max(force), 100)
        self.assertAlmostEqual(level[-1], -600, delta=40)
        self.assertAlmostEqual(strut[-1], strut[0], delta=2e-3)
        # Without both the car moves more.
        plain = self.folder / "plain"
        self.succeeds("simulate", MODELS / "skyhook.json", "--parameters", "sky=0,level=0.001", "--out", plain, "--no-report")
        seat = [max(abs(a) for a in self.result(d)["series"]["signals"]["car.velocity.z"]["values"]) for d in (self.out, plain)]
        self.assertLess(seat[0], 0.85 * seat[1])
        self.refuses(2, ["modes", MODELS / "skyhook.json", "--out", self.out], "controller leveller", "sampled")
        model = json.loads((MODELS / "skyhook.json").read_text())
        del model["controllers"][1]
        model["bushings"][1]["forces"]["fz"] = "skyhook.force"
        self.succeeds("modes", self.write("sky.json", json.dumps(model)), "--outputs", "skyhook.force", "--inputs", "seat.force.z", "--out", self.out, "--no-report")

    def test_leaving_a_force_table_is_told(self):
        model = json.loads((MODELS / "axle.json").read_text())
        model["subsystems"][0]["parameters"]["height"] = 0.12
        (self.folder / "corner.json").write_text((MODELS / "corner.json").read_text())
        run = self.succeeds("simulate", self.write("kerb.json", json.dumps(model)), "--duration-s", "0.4", "--out", self.out, "--no-report")
        self.assertIn("left_shock", run.stdout)
        self.assertEqual([f["code"] for f in self.result()["findings"]], ["beyond_table"])

    def test_parameters_of_a_model(self):
        wide = self.folder / "wide"
        self.succeeds("simulate", MODELS / "axle.json", "--parameters", "half_track=0.8,sky=0", "--duration-s", "0.01", "--out", wide, "--no-report")
        self.assertAlmostEqual(self.result(wide)["series"]["signals"]["right_wheel.position.y"]["values"][0], -0.8, delta=1e-9)
        self.refuses(2, ["simulate", MODELS / "axle.json", "--parameters", "trak=0.8", "--out", self.out], "no parameter 'trak'", "half_track")
        self.succeeds("modes", MODELS / "axle.json", "--parameters", "sky=0", "--out", self.out, "--no-report")
        self.assertEqual(len(self.result()["modes"]), 8)

    def test_models_of_other_programs(self):
        deck = self.write("swing.adm", ADAMS)
        self.succeeds("import", deck, "--out", self.out)
        self.assertEqual(self.result()["kind"], "adams")
        self.assertIn("swing.json", self.files_written())
        direct, again = self.folder / "direct", self.folder / "again"
        self.succeeds("simulate", deck, "--duration-s", "0.2", "--out", direct, "--no-report")
        self.succeeds("simulate", self.out / "swing.json", "--duration-s", "0.2", "--out", again, "--no-report")
        self.assertEqual((direct / "series.csv").read_text(), (again / "series.csv").read_text())
        self.assertTrue((direct / "model.json").exists())
        # A pendulum of 1 kg, 2 m from its hinge, inertia 0.1 about it: it starts with m g c/(J + m c^2).
        accelerations = self.result(direct)["series"]["signals"]["marker_201.acceleration.z"]["values"]
        self.assertAlmostEqual(accelerations[0], 9.80665 * 2 / (0.1 + 4) * -2, delta=1e-6)
        self.refuses(2, ["simulate", self.write("bad.adm", ADAMS.replace("90D", "90")), "--out", self.folder / "bad"], "bad.adm:4", "90D for degrees")
        contact = self.write("contact.adm", ADAMS.replace("ACCGRAV", "CONTACT/1\nACCGRAV"))
        self.refuses(2, ["import", contact, "--out", self.folder / "contact"], "CONTACT", "--ignore")
        run = self.succeeds("import", contact, "--ignore", "contact", "--out", self.folder / "contact")
        self.assertIn("left out by wish", run.stdout)
        robot = self.write("arm.urdf", URDF)
        self.succeeds("import", robot, "--out", self.folder / "robot")
        self.assertEqual(self.result(self.folder / "robot")["kind"], "urdf")
        self.refuses(2, ["simulate", self.write("deg.urdf", URDF.replace('rpy="0 0 0"', 'rpy="0 90 0"')), "--out", self.folder / "deg"], "deg.urdf:4", "radians")

    def test_options_shorten_a_run(self):
        self.succeeds("simulate", self.model(), "--duration-s", "0.05", "--step-s", "0.005", "--samples", "3", "--out", self.out, "--no-report")
        result = self.result()
        self.assertEqual(result["counts"]["steps"], 10)
        self.assertLessEqual(len(result["series"]["time_s"]), 3)

    def test_flexible_body_from_a_file(self):
        self.succeeds("simulate", MODELS / "beam_on_bushings.json", "--duration-s", "0.02", "--out", self.out)
        signals = self.result()["series"]["signals"]
        # At rest the bushings carry the weight: 1 m of 30 x 20 x 2 mm steel box, 7850 * 184e-6 kg = 1.444 kg.
        weight = -signals["left.fz.load"]["values"][0] - signals["right.fz.load"]["values"][0]
        self.assertAlmostEqual(weight, 9.81 * 1.4444, delta=0.02 * weight)
        self.assertIn("beam.mode_1", signals)

    def test_wrong_joint(self):
        def kind(m): m["joints"][0]["kind"] = "revolut"
        self.refuses(2, ["simulate", self.model(kind), "--out", self.out], "joints[0].kind", "revolute")

        def body(m): m["joints"][0]["markers"][1]["body"] = "ground"
        self.refuses(2, ["simulate", self.model(body), "--out", self.out], "joint hinge", "same body")

        def gap(m): m["joints"].append({"name": "bolt", "kind": "spherical", "markers": [{"body": "ground", "position": [5, 0, 0]}, "tip"]})
        self.refuses(2, ["simulate", self.model(gap), "--out", self.out], "bolt", "off by 4")

    def test_missing_files(self):
        self.refuses(4, ["simulate", "nowhere.json", "--out", self.out], "nowhere.json")

        def law(m): m["springs"] = [{"name": "s", "markers": [{"body": "ground", "position": [1, 1, 0]}, "tip"], "law": "gone.json", "rest_length": 1}]
        self.refuses(4, ["simulate", self.model(law), "--out", self.out], "gone.json")

        def shape(m): m["bodies"].append({"name": "soft", "flexible": {"file": "gone.fem"}})
        self.refuses(4, ["simulate", self.model(shape), "--out", self.out], "gone.fem")

        def table(m): m["loads"][0]["force"][0] = {"file": "gone.csv", "column": "fx"}
        self.refuses(4, ["simulate", self.model(table), "--out", self.out], "gone.csv")

    def test_singular_mass(self):
        def zero(m): m["bodies"][0]["inertia"] = [0, 0, 0]
        self.refuses(2, ["simulate", self.model(zero), "--out", self.out], "body bar", "no inertia about the axis")

        def line(m):
            m["bodies"].append({"name": "beam", "flexible": {"stiffness": [[100]], "nodes": [
                {"position": [x, 0, 0], "mass": 1, "shapes": [[0, 0, x * x, 0, 0, 0]]} for x in (0, 0.5, 1)]}})
        self.refuses(2, ["simulate", self.model(line), "--out", self.out], "body beam", "rotary inertia")

        def rigid(m):
            m["bodies"].append({"name": "beam", "flexible": {"stiffness": [[100]], "nodes": [
                {"position": [x, 0, 0], "mass": 1, "inertia": [0.1, 0.1, 0.1], "shapes": [[0, 0, 1, 0, 0, 0]]} for x in (0, 0.5, 1)]}})
        self.refuses(2, ["simulate", self.model(rigid), "--out", self.out], "body beam", "rigid-body motion")

    def test_tables_with_nan(self):
        def null(m): m["loads"][0]["force"][0] = [[0, 0], [1, None]]
        self.refuses(2, ["simulate", self.model(null), "--out", self.out], "loads[0].force[0][1]")
        self.write("loads.csv", "time [s],fx [N]\n0,0\n0.1,nan\n0.2,1\n")

        def file(m): m["loads"][0]["force"][0] = {"file": "loads.csv", "column": "fx"}
        self.refuses(2, ["simulate", self.model(file), "--out", self.out], "loads.csv:3")
        self.write("nan.json", json.dumps(PENDULUM).replace('"3*sin(t)"', "[[0, 0], [1, NaN]]"))
        self.refuses(2, ["simulate", "nan.json", "--out", self.out], "nan.json:1")

        def formula(m): m["loads"][0]["force"][1] = "sqrt(0.1005 - t)"
        result, rows = self.fails_late(self.model(formula), "load push", "not a finite number")
        self.assertAlmostEqual(result["last_time_s"], 0.1, places=6)
        self.assertAlmostEqual(float(rows[-1][0]), 0.1, places=6)

    def test_diverging_step(self):
        def stubborn(m): m["run"].update({"step_s": 0.05, "duration_s": 10, "max_iterations": 2, "tolerance": 1e-14})
        result, rows = self.fails_late(self.model(stubborn), "Newton did not converge")
        self.assertEqual(result["status"], "diverged")
        self.assertAlmostEqual(float(rows[-1][0]), result["last_time_s"], places=9)
        self.assertTrue(all("nan" not in cell for cell in rows[-1]))

    def test_no_static_equilibrium(self):
        def free(m):
            m["joints"] = []
            m["run"]["static_start"] = True
        self.fails_late(self.model(free), "free motions")

    def test_redundant_joints_are_told(self):
        def twice(m): m["joints"].append({"name": "again", "kind": "revolute", "markers": [{"body": "ground"}, {"body": "bar"}]})
        self.succeeds("simulate", self.model(twice), "--out", self.out)
        codes = [f["code"] for f in self.result()["findings"]]
        self.assertIn("redundant_joints", codes)

    # A block on one bushing whose rubber stiffens: 200 N/mm, four times that beyond 2 mm.
    CURVE = [[-0.004, -2000], [-0.002, -400], [0, 0], [0.002, 400], [0.004, 2000]]

    def coupled(self, laws, **keys):
        model = {
            "run": {"step_s": 0.001, "duration_s": 0.1},
            "bodies": [{"name": "block", "mass": 10, "inertia": [0.1, 0.1, 0.1]}],
            "bushings": [{"name": "mount", "markers": [{"body": "ground"}, {"body": "block"}], "laws": laws, **keys}],
            "loads": [{"name": "push", "marker": {"body": "block"}, "force": ["300*sin(30*t)", "200*sin(40*t)", 0]}],
        }
        return self.write("coupled.json", json.dumps(model))

    def test_coupled_bushing_from_a_file(self):
        rubber = {"model": "elastomer", "parameters": {"curve": self.CURVE}}
        stiff = {"model": "kelvin_voigt", "parameters": {"stiffness": 2000, "damping": 2}}
        bushing = {"model": "bushing", "coupling": "cylindrical",
                   "axes": {"fx": rubber, "fy": rubber, "fz": stiff, "tx": stiff, "ty": stiff, "tz": stiff}}
        self.write("bushing.json", json.dumps(bushing))
        # The rig takes the same file.
        self.succeeds("rig", "bushing.json", "--axis", "fx", "--program", "static", "--static-amplitude-m", "3e-3", "--out", self.out, "--no-report")
        self.succeeds("simulate", self.coupled("bushing.json"), "--out", self.out)
        result = self.result()
        signals = {name: s["values"] for name, s in result["series"]["signals"].items()}
        # Equal odd curves: the force is radial.
        largest = 0
        for i in range(len(result["series"]["time_s"])):
            x, y, fx, fy = (signals[f"mount.{n}"][i] for n in ("fx.deflection", "fy.deflection", "fx.load", "fy.load"))
            self.assertAlmostEqual(fx * y, fy * x, delta=1e-9)
            largest = max(largest, math.hypot(x, y))
        self.assertGreater(largest, 1e-3)
        self.assertIn("energy.total", signals)
        # In place and with the key of the bushing: the same numbers.
        first = (self.out / "series.csv").read_text()
        self.succeeds("simulate", self.coupled(bushing["axes"], coupling="cylindrical"), "--out", self.out)
        self.assertEqual((self.out / "series.csv").read_text(), first)
        # Coupling matters here.
        self.succeeds("simulate", self.coupled(bushing["axes"]), "--out", self.out)
        self.assertNotEqual((self.out / "series.csv").read_text(), first)
        # Different curves: no potential, and that is said.
        other = copy.deepcopy(bushing)
        other["axes"]["fy"]["parameters"]["curve"] = [[-0.004, -900], [0, 0], [0.004, 1100]]
        self.succeeds("simulate", self.coupled(other), "--out", self.out)
        result = self.result()
        self.assertIn("no_potential", [f["code"] for f in result["findings"]])
        self.assertNotIn("energy.total", result["series"]["signals"])
        self.assertIn("energy.kinetic", result["series"]["signals"])
        # Modes about rest take the file too.
        self.succeeds("modes", self.coupled("bushing.json"), "--out", self.out)
        self.refuses(2, ["simulate", self.coupled(bushing, coupling="spherical"), "--out", self.out], "bushings[0].coupling", "cylindrical")

    def test_insitu_through_a_coupled_bushing(self):
        curves = {"model": "elastomer", "parameters": {"curve": self.CURVE, "rdl": 0, "rho": 0}}
        soft = {"model": "kelvin_voigt", "parameters": {"stiffness": 2000, "damping": 2}}
        bushing = {"model": "bushing", "coupling": "cylindrical",
                   "axes": {"fx": curves, "fy": curves, "fz": soft, "tx": soft, "ty": soft, "tz": soft}}
        self.write("bushing.json", json.dumps(bushing))
        model = self.coupled("bushing.json")
        self.succeeds("simulate", model, "--out", self.folder / "measured", "--no-report")
        self.succeeds("insitu", model, "--data", self.folder / "measured" / "series.csv", "--signals", "block.position.x", "block.position.y",
                      "--start", "mount.fx.scale_curve=1.1,mount.fy.scale_curve=0.9", "--out", self.out)
        result = self.result()
        for axis in ("fx", "fy"):
            self.assertAlmostEqual(result["parameters"][f"mount.{axis}.scale_curve"]["value"], 1, delta=1e-5)
        self.assertLess(result["gradient_check"]["adjoint_forward"], 1e-8)
        found = json.loads((self.out / "model.json").read_text())["bushings"][0]
        self.assertEqual(found["coupling"], "cylindrical")
        self.assertEqual(sorted(found["laws"]), ["fx", "fy", "fz", "tx", "ty", "tz"])
        again = self.folder / "again"
        self.succeeds("simulate", self.out / "model.json", "--out", again, "--no-report")
        one, two = (self.result(f)["series"]["signals"]["block.position.x"]["values"] for f in (self.folder / "measured", again))
        self.assertLess(max(abs(a - b) for a, b in zip(one, two)), 1e-8)

    def test_step_control(self):
        def pulse(m):
            # 1 ms inside a step of 20 ms; without it a free fall.
            m["joints"] = []
            m["gravity"] = [0, 0, 0]
            m["bodies"][0]["centre"] = [1, 0, 0]
            m["run"] = {"step_s": 0.02, "duration_s": 0.2, "step_control": {"tolerance": 1e-8}}
            m["loads"][0]["force"] = [[[0.0712, 0], [0.0717, 800], [0.0722, 0]], 0, 0]
        self.succeeds("simulate", self.model(pulse), "--out", self.out)
        result = self.result()
        self.assertEqual(self.files_written(), ["document.json", "report.html", "result.json", "series.csv", "state.json", "steps.csv"])
        steps = result["steps"]
        self.assertEqual(steps["accepted"], result["counts"]["steps"])
        self.assertGreater(steps["accepted"], 10)
        self.assertEqual(len(steps["time_s"]), steps["accepted"])
        self.assertLessEqual(steps["smallest_s"], 5e-4)
        # Outputs stay on the grid, and the momentum is the impulse: 0.4 N s over 2 kg.
        for n, t in enumerate(result["series"]["time_s"]):
            self.assertAlmostEqual(t, 0.02 * n, delta=1e-15)
        self.assertAlmostEqual(result["series"]["signals"]["bar.velocity.x"]["values"][-1], 0.2, delta=1e-5)
        self.assertIn("Step over time", (self.out / "report.html").read_text())

        def fixed(m):
            pulse(m)
            del m["run"]["step_control"]
        self.succeeds("simulate", self.model(fixed), "--out", self.out, "--no-report")
        self.assertIn("load_between_steps", [f["code"] for f in self.result()["findings"]])
        self.succeeds("simulate", self.model(fixed), "--step-tolerance", "1e-8", "--out", self.out, "--no-report")
        self.assertAlmostEqual(self.result()["series"]["signals"]["bar.velocity.x"]["values"][-1], 0.2, delta=1e-5)

        def wrong(m):
            pulse(m)
            m["run"]["step_control"] = {"largest_step_s": 0.05}
        shutil.rmtree(self.out)
        self.refuses(2, ["simulate", self.model(wrong), "--out", self.out], "run.step_control.largest_step_s", "step_s")

    def test_too_long_a_run_is_refused(self):
        self.refuses(2, ["simulate", self.model(), "--duration-s", "1e9", "--out", self.out], "disk", "output_step_s")
        self.refuses(2, ["simulate", self.model(), "--duration-s", "1e9", "--json"], "memory", "--out")


class Outputs(CliTest):
    """What a run writes: chosen signals, fewer rows, other files, and states to go on from."""

    def engine(self, *words, out=None):
        self.succeeds("simulate", MODELS / "engine.json", "--duration-s", 0.3, "--out", out or self.out, "--no-report", *words)
        return self.result(out) if out else self.result()

    def rows(self, folder=None):
        with open((folder or self.out) / "series.csv", newline="") as file:
            names, *rows = csv.reader(file)
        return names, [[float(x) for x in row] for row in rows]

    def test_chosen_signals_are_those_of_all(self):
        every = self.engine(out=self.folder / "all")
        few = self.engine("--signals", "left.*.load", "*.position.z", "energy.total")
        names = [n for n in every["summary"] if n == "energy.total" or n.endswith(".position.z") or (n.startswith("left.") and n.endswith(".load"))]
        self.assertGreater(len(names), 4)
        self.assertLess(len(names), len(every["summary"]) / 4)
        self.assertEqual(list(few["summary"]), names)
        self.assertEqual(list(few["series"]["signals"]), names)
        for name in names:
            self.assertEqual(few["summary"][name], every["summary"][name])
            self.assertEqual(few["series"]["signals"][name], every["series"]["signals"][name])
        titles, table = self.rows()
        all_titles, whole = self.rows(self.folder / "all")
        self.assertEqual([t.split(" [")[0] for t in titles], ["time"] + names)
        self.assertEqual(table, [[row[all_titles.index(t)] for t in titles] for row in whole])
        self.assertEqual(few["series_file"], {"name": "series.csv", "step_s": every["run"]["step_s"], "filtered": False, "rows": len(table), "signals": len(names)})

    def test_summaries_are_of_every_row(self):
        result = self.engine("--samples", 5)
        self.assertLessEqual(len(result["series"]["time_s"]), 5)
        titles, rows = self.rows()
        for i, title in enumerate(titles[1:], 1):
            values, about = [row[i] for row in rows], result["summary"][title.split(" [")[0]]
            scale = max(map(abs, values))
            for key, value in (("min", min(values)), ("max", max(values)), ("mean", sum(values) / len(values)), ("first", values[0]), ("last", values[-1]),
                               ("rms", math.sqrt(sum(v * v for v in values) / len(values)))):
                self.assertAlmostEqual(about[key], value, delta=1e-11 * scale + 1e-300, msg=f"{title} {key}")
            # Twelve digits of the file cannot tell which of two nearly equal rows is the smaller one.
            for key in ("min", "max"):
                row = min(range(len(rows)), key=lambda n: abs(rows[n][0] - about[key + "_at_s"]))
                self.assertAlmostEqual(values[row], about[key], delta=1e-11 * scale + 1e-300)

    def test_unknown_signals_are_refused(self):
        self.refuses(2, ["simulate", MODELS / "engine.json", "--signals", "left.fz.laod", "--out", self.out], "left.fz.laod", "left.fz.load")
        run = self.kdyn("simulate", MODELS / "engine.json", "--signals", "nothing.*", "--out", self.out)
        self.assertEqual(run.returncode, 2)
        self.assertIn("parts", run.stderr)
        self.assertLess(len(run.stderr), 600)
        self.assertFalse(self.out.exists())

    def test_no_samples_and_no_file(self):
        result = self.engine("--samples", 0, "--series", "none")
        self.assertEqual(self.files_written(), ["result.json", "state.json"])
        self.assertEqual(result["series"]["time_s"], [])
        self.assertNotIn("signals", result["series"])
        self.assertNotIn("series_file", result)
        self.assertIn("left.fz.load", result["summary"])

    def test_fewer_rows(self):
        """A load at 30 Hz and one at 400 Hz on a free mass; rows at 200 Hz hold the first and not the second, or fold it."""
        def model(m):
            m["joints"], m["gravity"] = [], [0, 0, 0]
            m["bodies"][0]["centre"] = [0, 0, 0]
            m["markers"][0]["position"] = [0, 0, 0]
            m["run"] = {"step_s": 2e-4, "duration_s": 2}
            m["loads"][0]["force"] = ["2*sin(2*pi*30*t) + 6*sin(2*pi*423*t)", 0, 0]
        words = ["simulate", Simulate.model(self, model), "--signals", "bar.acceleration.x", "--output-step-s", 0.005, "--no-report"]
        self.succeeds(*words, "--out", self.out)
        result = self.result()
        _, rows = self.rows()
        self.assertEqual(len(rows), 401)
        self.assertAlmostEqual(rows[1][0], 0.005, places=12)
        # By hand: a = F/m. The scheme itself moves a sine of 30 Hz by some 1e-3.
        for t, a in rows[20:-20]:
            self.assertAlmostEqual(a, math.sin(2 * math.pi * 30 * t), delta=5e-3)
        self.assertGreater(result["summary"]["bar.acceleration.x"]["max"], 3.5)
        note = next(f for f in result["findings"] if f["code"] == "decimated")
        self.assertIn("1 of 1 signals", note["message"])
        folder = self.folder / "folded"
        self.succeeds(*words, "--anti-alias", "false", "--out", folder)
        self.assertIn("folded", [f["code"] for f in self.result(folder)["findings"]])
        _, plain = self.rows(folder)
        self.assertGreater(max(abs(a) for _, a in plain), 2.5)
        self.refuses(2, [*words[:3], *words[4:4], "bar.*", "--output-step-s", 0.0003, "--out", self.out], "output_step_s", "0.0002 or 0.0004")

    def test_hdf5_holds_the_same(self):
        self.engine("--signals", "left.*", "engine.acceleration.*")
        self.engine("--signals", "left.*", "engine.acceleration.*", "--series", "hdf5", out=self.folder / "h5")
        self.assertEqual(sorted(p.name for p in (self.folder / "h5").iterdir()), ["result.json", "series.h5", "state.json"])
        channels = ["left.fz.load", "engine.acceleration.z"]
        found = []
        for path in (self.out / "series.csv", self.folder / "h5" / "series.h5"):
            self.succeeds("assess", path, "--channels", *channels, "--out", self.folder / "assess", "--no-report")
            found.append({name: c["rms"] for name, c in self.result(self.folder / "assess")["channels"].items()})
        self.assertEqual(sorted(found[0]), sorted(channels))
        for name in channels:
            self.assertAlmostEqual(found[0][name], found[1][name], delta=1e-10 * abs(found[0][name]))

    def test_restart_is_the_same_run(self):
        first, second = self.folder / "first", self.folder / "second"
        words = ["simulate", MODELS / "engine.json", "--signals", "*", "--no-report"]
        self.succeeds(*words, "--duration-s", 0.3, "--out", self.out)
        self.succeeds(*words, "--duration-s", 0.12, "--out", first)
        self.succeeds(*words, "--duration-s", 0.3, "--restart", first / "state.json", "--out", second)
        titles, whole = self.rows()
        _, one = self.rows(first)
        _, two = self.rows(second)
        self.assertEqual(whole, one + two[1:])
        self.assertEqual(one[-1], two[0])
        self.assertEqual((self.out / "state.json").read_text(), (second / "state.json").read_text())
        refused = [*words, "--restart", first / "state.json", "--out", self.folder / "third"]
        self.refuses(2, [*refused, "--duration-s", 0.1], "duration_s", "later")
        self.refuses(2, ["simulate", MODELS / "double_mass.json", *refused[2:]], "state.json", "bodies")
        (first / "state.json").write_text((first / "state.json").read_text().replace('"q"', '"p"'))
        self.refuses(2, refused, "state.json", "p")

    def test_restart_counts_turns_and_late_sensors_on(self):
        """A bar that spins freely by several turns, seen by an angle sensor that shows 3.3 ms late."""
        model = {"run": {"step_s": 1e-3, "duration_s": 1.2},
                 "bodies": [{"name": "bar", "mass": 1, "inertia": [0.1, 0.1, 0.1], "angular_velocity": [0, 0, 20]}],
                 "markers": [{"name": "tip", "body": "bar", "position": [0, 0, 0]}, {"name": "base", "body": "ground", "position": [0, 0, 0]}],
                 "sensors": [{"name": "angle", "kind": "angle", "markers": ["base", "tip"], "axes": "z", "delay_s": 0.0033}]}
        path, first, second = self.write("spin.json", json.dumps(model)), self.folder / "first", self.folder / "second"
        words = ["simulate", path, "--signals", "bar.rotation.z", "angle*", "--no-report"]
        self.succeeds(*words, "--out", self.out)
        self.succeeds(*words, "--duration-s", 0.5, "--out", first)
        self.succeeds(*words, "--restart", first / "state.json", "--out", second)
        _, whole = self.rows()
        _, two = self.rows(second)
        self.assertEqual(len(two), 701)
        for row, again in zip(whole[500:], two):
            for a, b in zip(row, again):
                self.assertAlmostEqual(a, b, delta=1e-11 * max(1, abs(a)))
            # By hand: the angle grows by 20 rad/s; the scheme turns too slowly by a share (20 h)^2/12.
            self.assertAlmostEqual(again[1], 20 * again[0], delta=2e-3)
            self.assertAlmostEqual(again[2], 20 * (again[0] - 0.0033), delta=2e-3)

    def test_memory_does_not_grow_with_the_run(self):
        """Ten times the rows: the same memory, but for what is written at once."""
        def peak(duration):
            program = ("import resource, subprocess, sys; code = subprocess.call(sys.argv[1:], stdout=subprocess.DEVNULL); "
                       "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss); sys.exit(code)")
            words = [KDYN, "simulate", Simulate.model(self), "--duration-s", duration, "--no-report", "--out", self.folder / f"run{duration}"]
            return int(subprocess.run([sys.executable, "-c", program, *map(str, words)], capture_output=True, text=True, check=True).stdout)
        # 30 signals: 100 s are 24 MB of rows as numbers, and were several times that.
        self.assertLess(peak(100), peak(10) + 8000)

    def test_a_killed_run_leaves_nothing(self):
        path = Simulate.model(self)
        run = subprocess.Popen([KDYN, "simulate", str(path), "--duration-s", "1e5", "--out", str(self.out)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            for _ in range(2000):
                if any(p.is_file() and p.stat().st_size > 100000 for p in self.out.glob(".kdyn-new-*/*")):
                    break
                time.sleep(0.01)
        finally:
            run.kill()
            run.wait()
        self.assertEqual([p.name for p in self.out.iterdir() if not p.name.startswith(".")], [])
        self.succeeds("simulate", path, "--out", self.out)
        self.assertEqual([p.name for p in self.out.iterdir() if p.name.startswith(".")], [])

    def test_a_stopped_run_goes_on(self):
        path = Simulate.model(self)
        words = [KDYN, "simulate", str(path), "--signals", "bar.rotation.z", "--no-report", "--duration-s"]
        run = subprocess.Popen([*words, "1e5", "--out", str(self.out)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(2000):
            if any(p.is_file() and p.stat().st_size > 100000 for p in self.out.glob(".kdyn-new-*/*")):
                break
            time.sleep(0.01)
        run.send_signal(signal.SIGINT)
        self.assertEqual(run.wait(timeout=60), 3)
        result = self.result()
        self.assertEqual(result["status"], "stopped")
        _, rows = self.rows()
        self.assertAlmostEqual(rows[-1][0], result["last_time_s"], places=9)
        end, second = result["last_time_s"] + 1, self.folder / "second"
        self.succeeds(*words[1:], end, "--restart", self.out / "state.json", "--out", second)
        self.assertEqual(len(self.rows(second)[1]), 1001)

    def test_the_report_shows_what_was_chosen(self):
        self.succeeds("simulate", MODELS / "engine.json", "--duration-s", 0.2, "--signals", "left.fz.*", "--out", self.out)
        document = json.loads((self.out / "document.json").read_text())
        text = json.dumps(document)
        self.assertIn("Deflections of mounts from static equilibrium", text)
        self.assertIn("Smallest and largest values", text)
        self.assertNotIn("Positions of bodies", text)
        self.succeeds("simulate", MODELS / "engine.json", "--duration-s", 0.2, "--out", self.out)
        text = (self.out / "document.json").read_text()
        self.assertIn("that move: those with the largest range. All are in series.csv.", text)
        self.assertNotIn("Velocities of bodies", text)


class Modes(CliTest):
    def test_mass_on_bushings(self):
        # Three ways to move without coupling: sqrt(k/m)/2 pi, damping c/(2 sqrt(k m)).
        law = {f"f{a}": {"model": "kelvin_voigt", "parameters": {"stiffness": k, "damping": 2e-4 * k}} for a, k in zip("xyz", (1e5, 2e5, 4e5))}
        law |= {f"t{a}": {"model": "kelvin_voigt", "parameters": {"stiffness": 4e4, "damping": 1}} for a in "xyz"}
        model = {"gravity": [0, 0, -9.81], "bodies": [{"name": "m", "mass": 5, "inertia": [0.1, 0.1, 0.1]}],
                 "bushings": [{"name": "b", "markers": [{"body": "ground"}, {"body": "m"}], "laws": law}],
                 "loads": [{"name": "shaker", "marker": {"body": "m"}, "force": [0, 0, "5*sin(t)"]}]}
        path = self.write("model.json", json.dumps(model))
        run = self.succeeds("modes", path, "--outputs", "m.acceleration.z", "b.fz.load", "--from-hz", "10", "--to-hz", "60", "--lines", "51", "--out", self.out)
        self.assertEqual(self.files_written(), ["document.json", "frf.csv", "frf.h5", "frf.uff", "modes.uff", "report.html", "result.json"])
        result = self.result()
        for mode, k, axis in zip(result["modes"], (1e5, 2e5, 4e5), "xyz"):
            self.assertAlmostEqual(mode["frequency_hz"], math.sqrt(k / 5) / (2 * math.pi), delta=1e-9)
            self.assertAlmostEqual(mode["damping"], 2e-4 * k / (2 * math.sqrt(k * 5)), delta=1e-9)
            self.assertEqual(mode["moves"], f"m along {axis}")
        self.assertIn("m along z", run.stdout)
        frf = result["frf"]
        self.assertEqual([(c["output"], c["input"]) for c in frf["channels"]], [("m.acceleration.z", "shaker.force.z"), ("b.fz.load", "shaker.force.z")])
        for i in (0, 25, 50):
            s = 2j * math.pi * frf["frequency_hz"][i]
            dynamic = 5 * s * s + 4e5 * (1 + 2e-4 * s)
            for channel, exact in zip(frf["channels"], (s * s / dynamic, 4e5 * (1 + 2e-4 * s) / dynamic)):
                self.assertLess(abs(complex(channel["real"][i], channel["imaginary"][i]) - exact), 1e-10 * abs(exact))
        # The files go on to the identification of modes: the pole along z is found again.
        modal = self.folder / "modal"
        self.succeeds("modes", path, "--outputs", "m.acceleration.z", "--from-hz", "10", "--to-hz", "80", "--lines", "400", "--out", self.out, "--no-report")
        self.succeeds("modal", self.out / "frf.uff", "--out", modal, "--no-report")
        poles = [(p["frequency_hz"], p["damping"]) for p in self.result(modal)["poles"]]
        exact = math.sqrt(4e5 / 5) / (2 * math.pi)
        frequency, damping = min(poles, key=lambda p: abs(p[0] - exact))
        self.assertAlmostEqual(frequency / exact, 1, delta=1e-3)
        self.assertAlmostEqual(damping, 0.0283, delta=1e-3)

    def test_examples_have_modes(self):
        for name in ("engine", "subframe"):
            self.succeeds("modes", MODELS / f"{name}.json", "--lines", "50", "--out", self.out)
            result = self.result()
            self.assertGreater(len(result["modes"]), 5)
            self.assertTrue(all(mode["damping"] > 0 for mode in result["modes"]))
            self.assertIn('"shapes"', (self.out / "report.html").read_text())

    def test_refusals(self):
        moving = copy.deepcopy(PENDULUM)
        moving["bodies"][0]["angular_velocity"] = [0, 0, 1]
        self.refuses(2, ["modes", self.write("moving.json", json.dumps(moving)), "--out", self.out], "moves at the start")
        self.refuses(2, ["modes", self.write("bar.json", json.dumps(PENDULUM)), "--static-start", "false", "--out", self.out], "does not stay")
        self.refuses(2, ["modes", MODELS / "engine.json", "--inputs", "engin.force.z", "--out", self.out], "engin.force.z")
        self.refuses(2, ["modes", MODELS / "engine.json", "--from-hz", "50", "--to-hz", "20", "--out", self.out], "empty")
        free = copy.deepcopy(PENDULUM)
        free["joints"] = []
        run = self.kdyn("modes", self.write("free.json", json.dumps(free)), "--out", self.out)
        self.assertEqual(run.returncode, 3, run.stdout + run.stderr)
        self.assertEqual(self.result()["status"], "no_static_equilibrium")


class InsituPlace(CliTest):
    def test_folder_of_the_result_can_be_moved(self):
        # A flexible body from a file, a law from a file, a hammer from a table: the result takes them along.
        source = self.folder / "source"
        source.mkdir()
        model = json.loads((MODELS / "beam_on_bushings.json").read_text())
        shutil.copy(MODELS / "beam.fem", source)
        (source / "law.json").write_text(json.dumps(model["bushings"][1]["laws"]["fy"]))
        (source / "hammer.csv").write_text("time [s],f [N]\n0,0\n0.001,150\n0.002,0\n0.1,0\n")
        model["bushings"][1]["laws"]["fy"] = "law.json"
        model["loads"][0]["force"] = [0, 60, {"file": "hammer.csv", "column": "f"}]
        # Markers of its own, so that its place can move.
        model["bushings"][0]["markers"][1] = {"body": "beam", "node": 1}
        model["run"]["duration_s"] = 0.05
        (source / "model.json").write_text(json.dumps(model))
        truth = copy.deepcopy(model)
        truth["bushings"][0]["shift"] = [0, 0.01, 0]
        (source / "truth.json").write_text(json.dumps(truth))
        self.succeeds("simulate", source / "truth.json", "--out", self.folder / "measured", "--no-report")
        self.succeeds("insitu", source / "model.json", "--data", self.folder / "measured" / "series.csv", "--signals",
                      "middle.acceleration.y", "middle.acceleration.z", "right_end.acceleration.y", "struck.position.y",
                      "--start", "left.position.y=0,left.fz.stiffness=1.1e5", "--out", self.out)
        result = self.result()
        self.assertAlmostEqual(result["parameters"]["left.position.y"]["value"], 0.01, delta=1e-6)
        self.assertAlmostEqual(result["parameters"]["left.fz.stiffness"]["value"] / 1.2e5, 1, delta=1e-5)
        self.assertEqual(result["parameters"]["left.position.y"]["unit"], "m")
        self.assertLess(result["gradient_check"]["adjoint_forward"], 1e-8)
        self.assertIn("left.position.y", result["identifiability"]["after"]["std"])
        self.assertEqual(self.files_written(), ["document.json", "model.json", "model_beam.fem", "model_hammer.csv", "report.html", "result.json"])
        self.assertNotIn(str(self.folder), (self.out / "model.json").read_text())
        # Elsewhere, and with the sources gone, it still runs and gives the measured motion.
        moved = self.folder / "elsewhere"
        shutil.move(self.out, moved)
        shutil.rmtree(source)
        again = self.folder / "again"
        self.succeeds("simulate", moved / "model.json", "--out", again, "--no-report")
        one, two = (self.result(f)["series"]["signals"]["middle.position.z"]["values"] for f in (self.folder / "measured", again))
        self.assertLess(max(abs(a - b) for a, b in zip(one, two)), 1e-7)


class InsituCopies(CliTest):
    def test_only_what_the_model_reads_is_copied(self):
        """A model from somebody else names a private file in a comment; the folder of the result is passed on."""
        secret = self.write("secret.txt", "secret-4711")
        model = json.loads((MODELS / "double_mass.json").read_text())
        model["comment"] = {"file": str(secret)}
        model["bodies"][0]["comment"] = {"file": "secret.txt", "and": [{"file": "../" + self.folder.name + "/secret.txt"}]}
        self.write("model.json", json.dumps(model))
        self.succeeds("simulate", MODELS / "double_mass.json", "--out", self.folder / "truth", "--no-report")
        run = self.kdyn("insitu", "model.json", "--data", "truth/series.csv", "--signals", "m2.position.x", "--start", START, "--max-iterations", 1,
                        "--out", self.out)
        self.assertIn(run.returncode, (0, 3), run.stderr)
        self.assertEqual(self.files_written(), ["document.json", "model.json", "report.html", "result.json"])
        for path in self.out.iterdir():
            self.assertNotIn("secret-4711", path.read_text())
        self.assertEqual(json.loads((self.out / "model.json").read_text())["comment"], model["comment"])


class Insitu(CliTest):
    def setUp(self):
        super().setUp()
        self.truth = self.folder / "truth"
        self.succeeds("simulate", MODELS / "double_mass.json", "--out", self.truth, "--no-report")

    def record(self, times, name):
        """The exact signal at any times: a fine run, read between its steps by cubics (error (h/l)^4 of a smooth signal)."""
        fine = self.folder / "fine"
        if not fine.exists():
            self.succeeds("simulate", MODELS / "double_mass.json", "--step-s", "1e-4", "--out", fine, "--no-report")
        lines = (fine / "series.csv").read_text().splitlines()
        column = next(i for i, title in enumerate(lines[0].split(",")) if title.startswith("m2.position.x"))
        values = [float(line.split(",")[column]) for line in lines[1:]]

        def at(t):
            x = t / 1e-4
            first = min(max(int(x) - 1, 0), len(values) - 4)
            total = 0.0
            for k in range(4):
                weight = 1.0
                for j in range(4):
                    if j != k:
                        weight *= (x - first - j) / (k - j)
                total += weight * values[first + k]
            return total

        path = self.folder / name
        path.write_text("time [s],m2.position.x [m]\n" + "".join(f"{t:.9g},{at(t):.12g}\n" for t in times))
        return path

    def test_records_of_any_start_and_sampling_give_the_same_parameters(self):
        end = json.loads((MODELS / "double_mass.json").read_text())["run"]["duration_s"]
        records = {
            "late, off the steps": [0.3003 + 0.7e-3 * i for i in range(int((end - 0.3003) / 0.7e-3))],
            "ends early, off the steps": [1.3e-3 * i for i in range(int(0.6 * end / 1.3e-3))],
            "coarse": [0.0203 + 0.02 * i for i in range(int((end - 0.0203) / 0.02))],
            "with a gap": [1.1e-3 * i for i in range(int(end / 1.1e-3)) if not 0.2 * end < 1.1e-3 * i < 0.4 * end],
        }
        # A record that begins late says little about how often the masses have swung before: an initial guess within 20 %.
        near = ",".join(f"{name}={1.2 * value}" for name, value in TRUTH.items())
        for name, times in records.items():
            with self.subTest(name):
                data = self.record(times, "record.csv")
                out = self.folder / "found"
                self.succeeds("insitu", MODELS / "double_mass.json", "--data", data, "--signals", "m2.position.x", "--start", near, "--out", out,
                              "--no-report")
                result = json.loads((out / "result.json").read_text())
                for parameter, value in TRUTH.items():
                    # The run of the model has steps of 1 ms, the record is exact: 1 % is what these steps cost.
                    self.assertAlmostEqual(result["parameters"][parameter]["value"] / value, 1.0, delta=0.01, msg=f"{name}: {parameter}")

    def test_sensors_are_found_with_the_mounts(self):
        """The example of docs/multibody.md: block.json shows what its sensors show, block_insitu.json finds mounts and sensors."""
        truth = self.folder / "block"
        self.succeeds("simulate", MODELS / "block.json", "--out", truth, "--no-report")
        run = self.succeeds("insitu", MODELS / "block_insitu.json", "--data", truth / "series.csv", "--out", self.out)
        result = self.result()
        self.assertEqual(result["status"], "converged", run.stdout)
        model = json.loads((MODELS / "block.json").read_text())
        # Simulation and fit read between steps by the same curve; the table has twelve digits of signals of 10 m/s^2.
        for bushing in ("left", "rear"):
            laws = next(b["laws"] for b in model["bushings"] if b["name"] == bushing)
            for axis in ("fx", "fy", "fz"):
                self.assertAlmostEqual(result["parameters"][f"{bushing}.{axis}.stiffness"]["value"] / laws[axis]["parameters"]["stiffness"], 1, delta=1e-6)
        for sensor in model["sensors"][:3]:
            for axis in "xyz":
                found = {what: result["parameters"][f"{sensor['name']}.{axis}.{what}"]["value"] for what in ("gain", "offset", "delay")}
                self.assertAlmostEqual(found["gain"], sensor["gain"], delta=1e-6)
                self.assertAlmostEqual(found["offset"], sensor["offset"], delta=1e-6)
                self.assertAlmostEqual(found["delay"], sensor["delay_s"], delta=1e-8)
        self.assertLess(result["gradient_check"]["adjoint_forward"], 1e-10)
        self.assertLess(result["gradient_check"]["adjoint_differences"], 1e-7)
        self.assertEqual({c["signal"] for c in result["channels"]}, {f"{s['name']}.{a}" for s in model["sensors"][:3] for a in "xyz"} | {"gyro.y", "gyro.z", "pot", "cell.z"})
        # The follower stands in the model that was found.
        found = json.loads((self.out / "model.json").read_text())
        left, right = (next(b["laws"]["fz"]["parameters"]["stiffness"] for b in found["bushings"] if b["name"] == n) for n in ("left", "right"))
        self.assertAlmostEqual(left, right, delta=1e-9 * left)

    def test_orientations_loads_and_ends_are_found(self):
        """Sensors that sit turned, loads with another factor, time and frequency, step control, and an end point; the values the record was made with are the oracle."""
        model = json.loads((MODELS / "block.json").read_text())
        model["run"].update(duration_s=0.3, step_control={"tolerance": 1e-6})
        model["sensors"] = [dict(s, gain=1, offset=0, delay_s=0) for s in model["sensors"]]
        truth = json.loads(json.dumps(model))
        truth["sensors"][0]["turn"] = [0.08, -0.05, 0.03]
        force = model["loads"][0]["force"]
        truth["loads"][0]["force"] = [{"signal": force[0], "factor": 1.2}, {"signal": force[1], "time_shift_s": 0.0015}, {"signal": force[2], "frequency_factor": 1.02}]
        self.succeeds("simulate", self.write("truth.json", json.dumps(truth)), "--out", self.folder / "truth", "--no-report")
        with open(self.folder / "truth" / "series.csv", newline="") as file:
            rows = list(csv.reader(file))
        at = next(i for i, name in enumerate(rows[0]) if name.startswith("block.position.z"))
        model["sensors"][0]["unknown"] = ["orientation"]
        self.write("model.json", json.dumps(model))
        job = {"model": "model.json", "data": ["truth/series.csv"], "start": {"left.fz.stiffness": 1.3e5, "shaker.force.x.factor": 1, "shaker.force.y.time_shift": 0, "shaker.force.z.frequency_factor": 1},
               "end_points": [{"signal": "block.position.z", "value": float(rows[-1][at]), "std": 1e-6}]}
        self.succeeds("insitu", self.write("job.json", json.dumps(job)), "--out", self.out)
        result = self.result()
        exact = {"a1.turn.x": 0.08, "a1.turn.y": -0.05, "a1.turn.z": 0.03, "shaker.force.x.factor": 1.2, "shaker.force.y.time_shift": 0.0015, "shaker.force.z.frequency_factor": 1.02,
                 "left.fz.stiffness": 1.6e5}
        for name, value in exact.items():
            # Steps chosen by their error differ a little between simulation and fit.
            self.assertAlmostEqual(result["parameters"][name]["value"] / value, 1, delta=1e-3, msg=name)
        self.assertLess(result["gradient_check"]["adjoint_forward"], 1e-10)
        self.assertLess(result["gradient_check"]["adjoint_differences"], 1e-6)
        self.assertEqual(result["method"], "gauss_newton")
        self.assertIn("step_control", [f["code"] for f in result["findings"]])
        self.assertAlmostEqual(result["end_points"][0]["found"], result["end_points"][0]["given"], delta=3e-6)
        # What was found stands in the model, which runs.
        found = json.loads((self.out / "model.json").read_text())
        self.assertAlmostEqual(found["loads"][0]["force"][0]["factor"], 1.2, delta=1e-3)
        self.assertAlmostEqual(found["sensors"][0]["turn"][0], 0.08, delta=1e-4)
        self.succeeds("simulate", self.out / "model.json", "--out", self.folder / "again", "--no-report")
        # The time of a table of straight lines has corners.
        model["loads"][0]["force"][0] = [[0, 0], [0.1, 50], [0.3, 0]]
        self.write("model.json", json.dumps(model))
        job["start"] = {"shaker.force.x.time_shift": 0}
        self.refuses(2, ["insitu", self.write("job.json", json.dumps(job)), "--out", self.out], "shaker.force.x")

    def test_turns_beyond_half_a_circle_are_counted(self):
        spun = json.loads(json.dumps(PENDULUM))
        spun["bodies"][0]["angular_velocity"] = [0, 0, 25]
        spun["run"]["duration_s"] = 0.6
        spun["sensors"] = [{"name": "angle", "kind": "angle", "markers": ["g", "b"]}]
        spun.setdefault("markers", []).extend([{"name": "g", "body": "ground"}, {"name": "b", "body": "bar"}])
        self.succeeds("simulate", self.write("spun.json", json.dumps(spun)), "--out", self.out, "--no-report")
        with open(self.out / "series.csv", encoding="utf-8") as file:
            rows = [[float(x) for x in row] for row in list(csv.reader(file))[1:]]
        names = (self.out / "series.csv").read_text().splitlines()[0].split(",")
        column = {name.split(" ")[0]: i for i, name in enumerate(names)}
        time, angle, rotation, spin = (
            [row[column[name]] for row in rows] for name in ("time", "angle", "bar.rotation.z", "bar.angular_velocity.z"))
        # What has been turned is the integral of the angular velocity: trapezoids, h^2/12 of its change of slope.
        turned = angle[0]
        for n in range(1, len(time)):
            turned += 0.5 * (time[n] - time[n - 1]) * (spin[n] + spin[n - 1])
        self.assertGreater(abs(turned), 2 * math.pi)
        self.assertAlmostEqual(angle[-1], turned, delta=1e-3)
        self.assertAlmostEqual(rotation[-1] - rotation[0], turned - angle[0], delta=1e-3)
        self.assertNotIn("turned_too_far", [f["code"] for f in self.result()["findings"]])

    def test_a_sensor_of_wrong_sign_is_named(self):
        truth = self.folder / "block"
        self.succeeds("simulate", MODELS / "block.json", "--out", truth, "--no-report")
        with open(truth / "series.csv", newline="") as file:
            rows = list(csv.reader(file))
        at = next(i for i, name in enumerate(rows[0]) if name.startswith("a2.z"))
        for row in rows[1:]:
            row[at] = str(-float(row[at]))
        data = self.folder / "wrong.csv"
        with open(data, "w", newline="") as file:
            csv.writer(file).writerows(rows)
        run = self.kdyn("insitu", MODELS / "block_insitu.json", "--data", data, "--out", self.out, "--no-report", "--check-gradient", "false")
        self.assertEqual(run.returncode, 3, run.stdout + run.stderr)
        result = self.result()
        self.assertEqual(result["status"], "poor_fit")
        self.assertIn(("channel_sign", "a2.z"), [(f["code"], f["where"]) for f in result["findings"]])

    def test_reactions_and_gyros_are_signals(self):
        model = self.write("pendulum.json", json.dumps(dict(PENDULUM, sensors=[{"name": "acc", "kind": "accelerometer", "body": "bar", "position": [1, 0, 0]}])))
        truth = self.folder / "swing"
        self.succeeds("simulate", model, "--out", truth, "--no-report")
        self.succeeds("insitu", model, "--data", truth / "series.csv", "--signals", "hinge.force.y", "bar.angular_velocity.z", "bar.rotation.z", "acc.y",
                      "--start", "bar.mass=3", "--out", self.out, "--no-report")
        result = self.result()
        self.assertAlmostEqual(result["parameters"]["bar.mass"]["value"], 2, delta=1e-6)
        self.assertLess(result["gradient_check"]["adjoint_forward"], 1e-9)
        self.refuses(2, ["simulate", self.write("bad.json", json.dumps(dict(PENDULUM, sensors=[{"name": "acc", "kind": "gyro", "body": "baar"}]))), "--out", self.out],
                     "sensors[0].body", "bar")

    def test_double_mass_from_half(self):
        run = self.succeeds("insitu", MODELS / "double_mass.json", "--data", self.truth / "series.csv", "--signals", "m2.position.x", "--start", START,
                            "--out", self.out)
        result = self.result()
        self.assertEqual(result["status"], "converged")
        for name, exact in (("b1.fx.stiffness", 2000), ("b1.fx.damping", 4), ("b2.fx.stiffness", 1000), ("b2.fx.damping", 2)):
            # The table has twelve digits of a position of 1 m that moves by centimetres.
            self.assertAlmostEqual(result["parameters"][name]["value"] / exact, 1, delta=1e-6)
        self.assertLess(result["gradient_check"]["adjoint_forward"], 1e-8)
        self.assertLess(result["gradient_check"]["adjoint_differences"], 1e-8)
        self.assertEqual(set(result["gradient_check"]["gradient"]["b1.fx.stiffness"]), {"adjoint", "forward", "differences"})
        self.assertIn("gradient:", run.stdout)
        self.assertEqual(self.files_written(), ["document.json", "model.json", "report.html", "result.json"])
        # The identified model runs and gives the measured motion.
        again = self.folder / "again"
        self.succeeds("simulate", self.out / "model.json", "--out", again, "--no-report")
        one, two = (self.result(f)["series"]["signals"]["m2.position.x"]["values"] for f in (self.truth, again))
        self.assertLess(max(abs(a - b) for a, b in zip(one, two)), 1e-8)

    def test_ranks_give_identical_starts_and_parameters(self):
        found = []
        for ranks in (0, 2):
            out = self.folder / f"ranks_{ranks}"
            words = ("insitu", MODELS / "double_mass.json", "--data", self.truth / "series.csv", "--signals", "m2.position.x", "--start", START,
                     "--starts", 4, "--quiet", "--no-report", "--out", out)
            self.over_ranks(ranks, *words) if ranks else self.succeeds(*words)
            result = self.result(out)
            self.assertEqual(len(result["starts"]), 4)
            found.append((result["parameters"], result["starts"]))
        self.assertEqual(found[1], found[0])

    def test_job_file_with_experiments_priors_and_resume(self):
        self.write("bench.json", json.dumps({"parameters": {"stiffness": {"value": 2020, "std": 40}, "damping": {"value": 4.1, "std": 0.4}},
                                             "correlation": {"names": ["stiffness", "damping"], "matrix": [[1, 0.2], [0.2, 1]]}}))
        job = {"model": str(MODELS / "double_mass.json"), "signals": ["m2.position.x"], "noise": 0.01,
               "experiments": [{"name": "one", "data": "truth/series.csv"},
                               {"name": "two", "data": "truth/series.csv", "signals": ["m1.position.x", "m1.velocity.x"]}],
               "priors": [{"bench": "bench.json", "axis": "b1.fx"}, {"parameter": "b2.fx.damping", "value": 2.2, "relative_std": 0.2}],
               "start": {"b1.fx.stiffness": 1500, "b1.fx.damping": 3, "b2.fx.stiffness": 800, "b2.fx.damping": 1.5}}
        path = self.write("job.json", json.dumps(job))
        run = self.kdyn("insitu", path, "--max-iterations", "2", "--out", self.out)
        self.assertEqual(run.returncode, 3, run.stdout + run.stderr)
        self.assertEqual(self.result()["status"], "not_converged")
        end = self.folder / "end"
        self.succeeds("insitu", path, "--resume", self.out / "result.json", "--out", end)
        result = self.result(end)
        self.assertAlmostEqual(result["parameters"]["b1.fx.stiffness"]["value"], 2000, delta=4)
        self.assertGreater(len(result["history"]), 3)
        self.assertEqual(result["history"][0]["values"][1], 1500)
        self.assertEqual(len(result["experiments"]), 2)

    def test_refusals(self):
        data, model = self.truth / "series.csv", MODELS / "double_mass.json"
        self.refuses(2, ["insitu", model, "--data", data, "--signals", "m2.position.x", "--out", self.out], "start")
        self.refuses(2, ["insitu", model, "--data", data, "--signals", "m3.position.x", "--start", START, "--out", self.out], "m3.position.x", "m2.position.x")
        self.refuses(2, ["insitu", model, "--data", data, "--signals", "m2.position.x", "--start", "b1.fx.stifness=1", "--out", self.out], "b1.fx.stiffness")
        self.refuses(2, ["insitu", model, "--data", data, "--signals", "m2.position.x", "--start", "b1.fx.stiffness=-1", "--out", self.out], "above 0")
        self.refuses(4, ["insitu", model, "--data", "gone.csv", "--signals", "m2.position.x", "--start", START, "--out", self.out], "gone.csv")
        constant = self.write("constant.csv", "time [s],m2.position.x [m]\n" + "".join(f"{0.001 * i:.3f},1\n" for i in range(200)))
        self.refuses(2, ["insitu", model, "--data", constant, "--signals", "m2.position.x", "--start", START, "--out", self.out], "constant")
        unit = self.write("unit.csv", "time [s],m2.position.x [N]\n" + "".join(f"{0.001 * i:.3f},{i}\n" for i in range(200)))
        self.refuses(2, ["insitu", model, "--data", unit, "--signals", "m2.position.x", "--start", START, "--out", self.out], "measured in N")
        self.refuses(2, ["insitu", model, "--data", data, "--signals", "m2.position.x", "--start", START, "--set", 'priors=[{"axis":"b1.fx"}]', "--out", self.out],
                     "priors[0]")


if __name__ == "__main__":
    unittest.main()
