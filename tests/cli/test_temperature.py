# SPDX-License-Identifier: Apache-2.0
"""Master curves from DMA tables and maps, and several sines on the rig.

Oracle: the WLF law the table was made with; the formula the sines stand for.
"""
import json
import math
import unittest
import zipfile
from xml.etree import ElementTree

from harness import CAB_MOUNT, CliTest

C1, C2, REFERENCE = 12.0, 130.0, 20.0


def log_a(temperature):
    return -C1 * (temperature - REFERENCE) / (C2 + temperature - REFERENCE)


def modulus(frequency, temperature):
    x = (1j * 10 ** (math.log10(frequency) + log_a(temperature) - 2.0)) ** 0.45
    return 1e6 + 2e9 * x / (1 + x)


TEMPERATURES = (-10, 0, 10, 20, 30, 40, 50)
FREQUENCIES = [10 ** (-1 + k / 3) for k in range(10)]


def wobble(i):
    """A scatter of 0.3 % that needs no random numbers."""
    return 1.0 + 0.004 * math.sin(12.9898 * (i + 1) ** 1.3)


class Temperature(CliTest):
    def table(self, temperatures):
        lines = ["T,f,E',E''", "C,Hz,MPa,MPa"]
        for T in temperatures:
            for f in FREQUENCIES:
                E = modulus(f, T)
                lines.append(f"{T},{f:.9g},{1e-6 * E.real * wobble(len(lines)):.9g},{1e-6 * E.imag * wobble(3 * len(lines)):.9g}")
        return "\n".join(lines) + "\n"

    def test_dma_table(self):
        self.write("dma.csv", self.table(TEMPERATURES))
        self.succeeds("fit", "mastercurve", "--data", "dma.csv", "--reference-c", REFERENCE, "--out", self.out)
        result = json.loads((self.out / "result.json").read_text())
        self.assertEqual(result["status"], "converged")
        self.assertEqual(len(result["shift_factors"]), len(TEMPERATURES))
        for one in result["shift_factors"]:
            # Scatter of 0.3 % and a slope of some tenths a decade: hundredths of a decade.
            self.assertAlmostEqual(one["log10_a"], log_a(one["temperature_c"]), delta=0.05)
        self.assertEqual(result["laws"][0]["law"], "wlf")
        self.assertTrue((self.out / "report.html").exists())

    def test_maps_of_several_temperatures(self):
        lines = ["frequency_Hz,amplitude_mm,temperature_C,K_storage_N/mm,K_loss_N/mm"]
        for T in TEMPERATURES:
            for f in FREQUENCIES:
                K = modulus(f, T) * 1e-3
                lines.append(f"{f:.9g},0.1,{T},{1e-3 * K.real * wobble(len(lines)):.9g},{1e-3 * K.imag * wobble(5 * len(lines)):.9g}")
        text = "\n".join(lines) + "\n"
        text = text.replace("frequency_Hz", "frequency [Hz]").replace("amplitude_mm", "amplitude [mm]").replace("temperature_C", "temperature [degC]")
        text = text.replace("K_storage_N/mm", "K' [N/mm]").replace("K_loss_N/mm", "K'' [N/mm]")
        self.write("map.csv", text)
        self.succeeds("fit", "mastercurve", "--data", "map.csv", "--reference-c", REFERENCE, "--out", self.out)
        result = json.loads((self.out / "result.json").read_text())
        self.assertEqual(result["unit"], "N/m")
        for one in result["shift_factors"]:
            self.assertAlmostEqual(one["log10_a"], log_a(one["temperature_c"]), delta=0.05)

    def test_what_is_refused(self):
        self.write("one.csv", self.table([20]))
        self.refuses(2, ["fit", "mastercurve", "--data", "one.csv", "--out", self.out], "two temperatures")
        self.write("dma.csv", self.table(TEMPERATURES))
        self.refuses(2, ["fit", "mastercurve", "--data", "dma.csv", "--reference-c", 24, "--out", self.out], "reference_c")
        self.refuses(2, ["fit", "mastercurve", "--data", CAB_MOUNT / "x_map.csv", "--out", self.out], "temperature")

    def test_several_sines_on_the_rig(self):
        truth = CAB_MOUNT / "z_truth.json"
        sines = [{"frequency_hz": 2, "amplitude_m": 1e-3}, {"frequency_hz": 25, "amplitude_m": 1e-4, "phase_deg": 90}]
        self.succeeds("rig", truth, "--program", "transient", "--set", "sines=" + json.dumps(sines), "--out", self.out)
        formula = f"1e-3*sin(2*pi*2*t)+1e-4*sin(2*pi*25*t+{math.pi / 2!r})"
        self.succeeds("rig", truth, "--program", "transient", "--formula", formula, "--out", self.folder / "formula")
        one, other = (json.loads((folder / "result.json").read_text())["series"] for folder in (self.out, self.folder / "formula"))
        for a, b in zip(one["force_n"], other["force_n"]):
            self.assertAlmostEqual(a, b, delta=1e-6 * max(map(abs, one["force_n"])))
        self.refuses(2, ["rig", truth, "--program", "map", "--set", "sines=" + json.dumps(sines), "--out", self.out], "transient")

    def test_scaled_input_is_not_compared(self):
        truth, record = CAB_MOUNT / "z_truth.json", CAB_MOUNT / "z_transient.csv"
        self.succeeds("rig", truth, "--program", "transient", "--input", record, "--out", self.out)
        plain = json.loads((self.out / "result.json").read_text())
        self.succeeds("rig", truth, "--program", "transient", "--input", record, "--input-scale", 0.5, "--out", self.folder / "half")
        half = json.loads((self.folder / "half" / "result.json").read_text())
        a, b = plain["series"], half["series"]
        self.assertAlmostEqual(0.5 * max(a["displacement_m"]), max(b["displacement_m"]), delta=1e-12)
        self.assertTrue(any(f["code"] == "not_compared" for f in half["findings"]))
        self.assertFalse(any(f["code"] == "not_compared" for f in plain["findings"]))

    def test_a_motion_is_said_once_and_as_the_programme_takes_it(self):
        truth, record = CAB_MOUNT / "z_truth.json", CAB_MOUNT / "z_transient.csv"
        self.refuses(2, ["rig", truth, "--input", record, "--out", self.out], "input", "transient")
        self.refuses(2, ["rig", truth, "--program", "static", "--formula", "1e-3*t", "--out", self.out], "formula", "transient")
        self.refuses(2, ["rig", truth, "--program", "transient", "--input", record, "--formula", "1e-3*t", "--out", self.out], "twice")
        # 700 Hz at 1000 samples a second would be run as 300 Hz.
        self.refuses(2, ["rig", truth, "--program", "transient", "--formula", "1e-4*sin(2*pi*700*t)", "--out", self.out], "sample_rate_hz")
        self.succeeds("rig", truth, "--program", "transient", "--formula", "1e-4*sin(2*pi*70*t)", "--out", self.out)
        # Length and rate of a file are its own; beyond the curve of the model (5 mm) nobody has measured.
        self.succeeds("rig", truth, "--program", "transient", "--input", record, "--duration-s", 2, "--input-offset-m", 0.01, "--out", self.out)
        told = {f["code"]: f for f in self.result(self.out)["findings"]}
        self.assertEqual(told["not_used"]["where"], "duration_s")
        self.assertIn("straight line", told["beyond_curve"]["message"])
        self.succeeds("rig", truth, "--program", "transient", "--input", record, "--out", self.out)
        self.assertFalse({"not_used", "beyond_curve"} & {f["code"] for f in self.result(self.out)["findings"]})

    def test_hydro_mount_from_map_to_fmu(self):
        """Three temperatures in one map; rig, fit and FMU know them. Oracle: the mount that made the map."""
        rubber = {"model": "elastomer", "parameters": {"static_stiffness": 320e3, "alpha": 0.1, "beta": 0.0963, "gamma": 0.0035, "lambda": 0.38, "rdl": 8e-5, "rho": 4500}}
        factors = {-20: [1.6, 1.9, 1.5], 23: [1, 1, 1], 80: [0.8, 0.6, 0.8]}
        fluid = {-20: [5.0, 1.2], 23: [1, 1], 80: [0.4, 0.9]}
        rubber["temperature"] = [[t, *row] for t, row in factors.items()]
        chamber = json.loads(json.dumps(rubber))
        chamber["parameters"]["static_stiffness"] = 560e3
        truth = {"model": "hydromount", "main_rubber": rubber, "chamber_rubber": chamber, "temperature": [[t, *row] for t, row in fluid.items()],
                 "parameters": {"chamber_area": 4.8e-3, "channel_area": 6.2e-5, "channel_length": 0.21, "fluid_density": 1050,
                                "fluid_damping_linear": 0.12, "fluid_damping_nonlinear": 0.34}}
        model = self.write("truth.json", json.dumps(truth))
        frequencies = ",".join(f"{60 ** (k / 15):.6g}" for k in range(16))
        lines = ["frequency_Hz,amplitude_mm,temperature_C,k_dyn_n_per_mm,loss_angle_deg"]
        for t in factors:
            folder = self.folder / f"rig{t}"
            self.succeeds("rig", model, "--temperature-c", t, "--frequencies-hz", frequencies, "--amplitudes-m", "5e-5,3e-4,1e-3", "--out", folder, "--no-report")
            for row in self.result(folder)["map"]:
                lines.append(f"{row['frequency_hz']!r},{1e3 * row['amplitude_m']!r},{t},{1e-3 * row['k_dyn'] * wobble(len(lines))!r},{row['loss_angle_deg'] + 0.1 * math.sin(len(lines) ** 1.7)!r}")
        table = self.write("map.csv", "\n".join(lines) + "\n")
        self.succeeds("fit", "hydromount", "--data", table, "--out", self.out)
        result = self.result(self.out)
        self.assertEqual(result["status"], "converged")
        levels = {round(level["temperature_c"]): level for level in result["temperature"]}
        self.assertTrue(levels[23]["reference"])
        for t in (-20, 80):
            found = {name: p["value"] for name, p in levels[t]["parameters"].items()}
            self.assertAlmostEqual(found["main_stiffness"] / factors[t][0], 1.0, delta=0.03)  # 48 rows of 0.3 %, shared with friction
            self.assertAlmostEqual(found["chamber_stiffness"] / factors[t][0], 1.0, delta=0.03)
            self.assertAlmostEqual(found["fluid_damping_nonlinear"] / fluid[t][1], 1.0, delta=0.15)
        # What was fitted behaves as the mount did, at a temperature between the rows too.
        maps = []
        for number, path in enumerate((model, self.out / "model.json")):
            folder = self.folder / f"between{number}"
            self.succeeds("rig", path, "--temperature-c", 50, "--frequencies-hz", "3,12,30", "--amplitudes-m", "3e-4", "--out", folder, "--no-report")
            maps.append(self.result(folder)["map"])
        for a, b in zip(*maps):
            self.assertAlmostEqual(a["k_dyn"] / b["k_dyn"], 1.0, delta=0.01)
            self.assertAlmostEqual(a["loss_angle_deg"], b["loss_angle_deg"], delta=0.7)
        # The FMU starts at the temperature of the parameters and knows the others; a property file brings all back.
        self.succeeds("export", self.out / "model.json", "--to", "fmu3", "--name", "mount", "--out", self.folder / "fmu", "--no-report")
        with zipfile.ZipFile(self.folder / "fmu" / "mount.fmu") as archive:
            description = ElementTree.fromstring(archive.read("modelDescription.xml"))
        temperature = next(v for v in description.iter("Float64") if v.get("name") == "temperature_c")
        self.assertEqual((float(temperature.get("start")), temperature.get("causality"), temperature.get("variability")), (23.0, "parameter", "tunable"))
        self.assertFalse([f for f in self.result(self.folder / "fmu")["findings"] if f["code"] == "temperature"])
        self.succeeds("export", self.out / "model.json", "--to", "ubf", "--name", "mount", "--out", self.folder / "ubf", "--no-report")
        self.succeeds("import", self.folder / "ubf" / "mount.ubf", "--out", self.folder / "back", "--no-report")
        fitted = json.loads((self.out / "model.json").read_text())
        imported = [json.loads(p.read_text()) for p in sorted((self.folder / "back").glob("*.json")) if p.name != "result.json"]
        self.assertTrue(any(m.get("temperature") == fitted["temperature"] for m in imported))


if __name__ == "__main__":
    unittest.main()
