# SPDX-License-Identifier: Apache-2.0
"""Every law and every axis of a bushing against records of the rig: its own ones agree, those of a stiffer mount do not."""
import json
import unittest

from harness import CliTest

RUBBER = {"model": "elastomer", "parameters": {"static_stiffness": 338e3, "alpha": 0.1, "beta": 0.1, "gamma": 0.0035, "lambda": 0.38, "rdl": 9e-5, "rho": 4500}}
LAWS = [
    RUBBER,
    {"model": "hydromount", "main_rubber": RUBBER, "chamber_rubber": {**RUBBER, "parameters": {**RUBBER["parameters"], "static_stiffness": 6e5}},
     "parameters": {"chamber_area": 8.6e-3, "channel_area": 8.2e-5, "channel_length": 0.25, "fluid_density": 950, "fluid_damping_linear": 0.33, "fluid_damping_nonlinear": 1.4}},
    {"model": "activemount", "parameters": {"cT1": 418.1e3, "cT2": 48.1e3, "dT1": 268.7, "dT2": 11.1, "cB1": 180.4e3, "cB2": 272.9e3, "dB1": 1525.7, "dB2": 62.9, "AT": 3872.4e-6, "AB": 2362.2e-6,
                                            "AA": 1683.9e-6, "AK": 92.5e-6, "lK": 0.3288, "dK": 0.4, "rho": 1000, "cA": 53.5e3, "dA": 19.5, "mA": 0.1058, "R": 3.7, "L": 3.5e-3, "kM": 14.0, "dKq": 2.0}},
    {"model": "kelvin_voigt", "parameters": {"stiffness": 338e3, "damping": 500}},
    {"model": "maxwell", "parameters": {"static_stiffness": 300e3, "stiffness": [80e3, 40e3], "relaxation_time": [0.1, 0.01]}},
    {"model": "berg", "parameters": {"stiffness": 338e3, "friction_max": 60, "friction_displacement": 2e-4, "viscous_stiffness": 30e3, "relaxation_time": 3e-3}},
    {"model": "bouc_wen", "parameters": {"stiffness": 338e3, "hysteretic_stiffness": 100e3, "yield_displacement": 2e-4, "sharpness": 1.5, "shape": 0.6, "damping": 300}},
    {"model": "fractional_zener", "parameters": {"static_stiffness": 338e3, "hardening": 1.0, "relaxation_time": 1e-4, "order": 0.4}},
    {"model": "payne", "parameters": {"static_stiffness": 200e3, "payne_stiffness": 400e3, "payne_displacement": 2e-4, "onset_exponent": 1.2, "tail_exponent": 0.8, "link_stiffness": 15e3,
                                      "frequency_exponent": 0.1, "kept_share": 0.3}},
]
MOTION = "8e-4*sin(2*pi*3*t)+2e-4*sin(2*pi*17*t)"


class Validate(CliTest):
    def record(self, model, *words):
        folder = self.folder / "record"
        self.succeeds("rig", model, "--program", "transient", "--formula", MOTION, "--duration-s", 2, "--no-report", *words, "--out", folder)
        return folder / "series.csv"

    def test_every_law_agrees_with_its_own_records(self):
        for law in LAWS:
            with self.subTest(law["model"]):
                model = self.write("model.json", json.dumps(law))
                record, table = self.record(model), self.folder / "map"
                self.succeeds("rig", model, "--frequencies-hz", "2,20", "--amplitudes-m", "1e-4,1e-3", "--no-report", "--out", table)
                self.succeeds("validate", model, record, table / "map.csv", "--no-report", "--out", self.out)
                self.assertEqual(self.result()["status"], "done")

    def test_a_stiffer_mount_is_told_by_how_much(self):
        """Linear: 1.3 times the stiffness and damping is 1.3 times the force, 30 % of it beside the record."""
        record = self.record(self.write("model.json", json.dumps(LAWS[3])))
        stiff = self.write("stiff.json", json.dumps({"model": "kelvin_voigt", "parameters": {"stiffness": 1.3 * 338e3, "damping": 650}}))
        run = self.kdyn("validate", stiff, record, "--no-report", "--out", self.out)
        self.assertEqual(run.returncode, 3, run.stderr)
        self.assertEqual(self.result()["status"], "poor_fit")
        self.assertIn("30.0 %", run.stdout + run.stderr)

    def test_axes_of_a_bushing(self):
        twist = {"model": "kelvin_voigt", "parameters": {"stiffness": 900.0, "damping": 2.0}}
        bushing = self.write("bushing.json", json.dumps({"model": "bushing", "axes": {"fx": RUBBER, "fz": LAWS[1], "tx": twist}}))
        record = self.record(bushing, "--axis", "fx")
        self.succeeds("validate", bushing, record, "--axis", "fx", "--no-report", "--out", self.out)
        self.assertEqual(self.kdyn("validate", bushing, record, "--axis", "fz", "--no-report", "--out", self.out).returncode, 3)
        self.refuses(2, ["validate", bushing, record, "--no-report", "--out", self.folder / "no"], "axis")
        self.refuses(2, ["validate", bushing, record, "--axis", "tx", "--no-report", "--out", self.folder / "no"], "torsional")


if __name__ == "__main__":
    unittest.main()
