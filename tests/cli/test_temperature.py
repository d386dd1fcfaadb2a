# SPDX-License-Identifier: Apache-2.0
"""Master curves from DMA tables and maps, and several sines on the rig.

Oracle: the WLF law the table was made with; the formula the sines stand for.
"""
import json
import math
import unittest

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


if __name__ == "__main__":
    unittest.main()
