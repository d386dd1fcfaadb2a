# SPDX-License-Identifier: Apache-2.0
"""kdyn frf, kdyn modal and kdyn body through the real binary. Oracle: a two-mass system written down here."""
import cmath
import json
import math
import unittest

from harness import SOURCE, CliTest

RATE = 1000.0


def modes_of_pair():
    """Two masses of 1 kg between three springs of 1e4 N/m: (frequency in Hz, shape of unit modal mass)."""
    return [(math.sqrt(1e4) / (2 * math.pi), (math.sqrt(0.5), math.sqrt(0.5))), (math.sqrt(3e4) / (2 * math.pi), (math.sqrt(0.5), -math.sqrt(0.5)))]


def accelerance(f, out, damping=0.01):
    w = 2 * math.pi * f
    return sum(-w * w * s[out] * s[0] / complex(4 * math.pi**2 * f0 * f0 - w * w, 2 * damping * 2 * math.pi * f0 * w) for f0, s in modes_of_pair())


def frf_csv(lines=300, low=5.0, high=45.0, noise=0.0):
    text = "# unit 1+X:1+X m/s^2 N\n# unit 2+X:1+X m/s^2 N\nfrequency_hz,1+X:1+X_re,1+X:1+X_im,2+X:1+X_re,2+X:1+X_im\n"
    state = 1
    for k in range(lines):
        f = low + (high - low) * k / (lines - 1)
        row = [f]
        for out in (0, 1):
            h = accelerance(f, out)
            for part in (h.real, h.imag):
                state = (1103515245 * state + 12345) % 2**31
                row.append(part + noise * (state / 2**30 - 1))
        text += ",".join(f"{x:.12g}" for x in row) + "\n"
    return text


def hits_csv():
    """Three hits on the first mass: free decays of the two modes, exact at the samples for a force of one sample."""
    n, block = 9000, 2800
    force, a = [0.0] * n, [[0.0] * n, [0.0] * n]
    for start in (100, 100 + block, 100 + 2 * block):
        force[start] = 50.0
        for f0, s in modes_of_pair():
            w, z = 2 * math.pi * f0, 0.01
            pole = complex(-z * w, w * math.sqrt(1 - z * z))
            for j in range(block):
                # Acceleration of a unit impulse: derivative of the velocity, Re of lambda^2 e^(lambda t)/(i Im lambda); the impulse itself adds the mass term.
                value = (pole**2 * cmath.exp(pole * j / RATE) / (1j * pole.imag)).real * s[0] / RATE
                for out in (0, 1):
                    a[out][start + j] += 50.0 * s[out] * value
        for out in (0, 1):
            a[out][start] += 50.0 * sum(s[out] * s[0] for _, s in modes_of_pair())
    rows = "".join(f"{j / RATE:.4f},{force[j]:.9g},{a[0][j]:.9g},{a[1][j]:.9g}\n" for j in range(n))
    return "time_s,1+X [N],1+X [m/s^2],2+X [m/s^2]\n" + rows


class Modal(CliTest):
    def check_poles(self, result, tolerance):
        self.assertEqual([round(p["frequency_hz"]) for p in result["poles"]], [16, 28])
        for pole, (f0, shape) in zip(result["poles"], modes_of_pair()):
            self.assertLess(abs(pole["frequency_hz"] / f0 - 1), tolerance)
            self.assertLess(abs(pole["damping"] / 0.01 - 1), 20 * tolerance)
            self.assertTrue(result["shapes_scaled"])
            for got, true in zip(pole["shape_re"], shape):
                self.assertLess(abs(abs(got) - abs(true)), 0.02)

    def test_noise_free_responses_are_exact(self):
        self.succeeds("modal", self.write("frf.csv", frf_csv()), "--out", self.out)
        result = self.result()
        self.assertEqual(result["status"], "done")
        self.check_poles(result, 1e-8)  # twelve digits in the file
        self.assertLess(result["misfit"], 1e-9)
        system = result["state_space"]
        self.assertEqual((len(system["A"]), len(system["B"][0]), len(system["C"]), len(system["D"])), (4, 1, 2, 2))
        self.assertIn("report.html", self.files_written())
        self.assertIn("modes.uff", self.files_written())

    def test_a_map_far_from_the_band(self):
        data = self.write("frf.csv", frf_csv(noise=1e-3))
        for hz in ("1e-300", "1e-9", "1e7"):
            self.refuses(2, ["modal", data, "--map-hz", hz, "--out", self.out], "map_hz")

    def test_manual_choice_equalising_and_weighting(self):
        data = self.write("frf.csv", frf_csv(noise=1e-3))
        self.succeeds("modal", data, "--select-hz", "27.6", "--equalise", "0.05", "--weighting", "relative", "--out", self.out)
        result = self.result()
        self.assertEqual(len(result["poles"]), 1)
        self.assertEqual(result["used"]["weighting"], "relative")
        self.assertIn("equalised.csv", self.files_written())
        self.succeeds("modal", data, "--method", "lscf", "--out", self.out)
        self.check_poles(self.result(), 1e-3)

    def test_time_data_to_modes_with_the_window_taken_off(self):
        self.succeeds("frf", self.write("hits.csv", hits_csv()), "--block-s", "2.5", "--band-hz", "5,60", "--decay-to", "0.05", "--out", self.out)
        result = self.result()
        self.assertEqual(result["averages"], 3)
        self.assertGreater(result["added_decay"], 1.0)
        for name in ("frf.uff", "frf.h5", "frf.csv"):
            with self.subTest(name):
                other = self.folder / name.replace(".", "_")
                self.succeeds("modal", self.out / name, "--out", other)
                # The samples are those of the impulse response: the transform of a sampled signal, within its aliases.
                self.check_poles(self.result(other), 2e-3)

    def test_modal_scaling_of_the_universal_file(self):
        """phi phi^T/A and the pole of every mode of modes.uff make the measured driving point again."""
        self.succeeds("modal", self.write("frf.csv", frf_csv()), "--out", self.out)
        sets = [part.splitlines() for part in (self.out / "modes.uff").read_text().split("    -1\n") if part.startswith("    55\n")]
        self.assertEqual(len(sets), 2)
        modes = []
        for lines in sets:
            numbers = [float(x) for x in lines[8].split()]
            pole, modal_a = complex(*numbers[0:2]), complex(*numbers[2:4])
            first = [float(lines[10][13 * i:13 * i + 13]) for i in range(6)]
            modes.append((pole, modal_a, complex(first[0], first[1])))
        for f in (7.0, 15.5, 22.0, 40.0):
            s = 2j * math.pi * f
            h = sum(s * s * (phi * phi / a / (s - pole) + (phi * phi / a).conjugate() / (s - pole.conjugate())) for pole, a, phi in modes)
            self.assertLess(abs(h / accelerance(f, 0) - 1), 1e-3)  # six digits in the file

    def test_mass_line_of_the_bundled_subframe(self):
        """Its hits are those of frame.bdf, whose mass is known to kdyn fe."""
        frame = SOURCE / "data" / "subframe"
        self.succeeds("frf", frame / "hits_1.uff", frame / "hits_2.uff", "--geometry", frame / "points.uff", "--band-hz", "10,280", "--out", self.folder / "frf")
        self.succeeds("fe", frame / "frame.bdf", "--count", "8", "--out", self.folder / "fe")
        mass = self.result(self.folder / "fe")["mass"]
        self.succeeds("modal", self.folder / "frf" / "frf.uff", "--band-hz", "40,270", "--mass-line-hz", "15,40", "--out", self.out)
        body = self.result()["rigid_body"]
        found = {p["name"]: p for p in body["parameters"]}
        self.assertLess(body["misfit"], 0.05)
        self.assertLess(abs(found["mass"]["value"] / mass["value"] - 1), 0.05)
        # Two hits do not tell all ten numbers, and that is said.
        self.assertFalse(body["complete"])
        self.assertIn("not_determined", [f["code"] for f in self.result()["findings"]])
        self.refuses(2, ["modal", self.folder / "frf" / "frf.uff", "--mass-line-hz", "10,10.1", "--out", self.folder / "x"], "mass_line_hz")

    def test_modes_of_responses_alone(self):
        """The two masses under forces that nobody measured, 400 s, by semi-implicit steps: sin(w' dt/2) = w dt/2."""
        state, rows, x, v = 1, ["time_s,1+X [m/s^2],2+X [m/s^2]"], [0.0, 0.0], [0.0, 0.0]
        step, w = 0.002, [2 * math.pi * f for f, _ in modes_of_pair()]
        for j in range(200000):
            force = []
            for _ in (0, 1):
                state = (1103515245 * state + 12345) % 2**31
                force.append(state / 2**30 - 1)
            a = [0.0, 0.0]
            for r, (_, shape) in enumerate(modes_of_pair()):
                a[r] = shape[0] * force[0] + shape[1] * force[1] - 0.02 * w[r] * v[r] - w[r] ** 2 * x[r]
                v[r] += step * a[r]
                x[r] += step * v[r]
            if j % 2 == 0:
                motion = [sum(a[r] * shape[i] for r, (_, shape) in enumerate(modes_of_pair())) for i in (0, 1)]
                rows.append(f"{j * step:.3f},{motion[0]:.6g},{motion[1]:.6g}")
        data = self.write("night.csv", "\n".join(rows) + "\n")
        self.refuses(2, ["frf", data, "--out", self.out], "ambient")
        self.succeeds("frf", data, "--excitation", "ambient", "--block-s", "4", "--band-hz", "8,45", "--out", self.folder / "frf")
        result = self.result(self.folder / "frf")
        self.assertNotIn("coherence_median", result)
        self.assertGreater(result["averages"], 20)
        for name in ("frf.uff", "frf.h5", "frf.csv"):
            with self.subTest(name):
                out = self.folder / name.replace(".", "_")
                self.succeeds("modal", self.folder / "frf" / name, "--out", out)
                modal = self.result(out)
                self.assertFalse(modal["shapes_scaled"])
                for f0, shape in modes_of_pair():
                    f0 = math.asin(math.pi * f0 * step) / (math.pi * step)
                    pole = min(modal["poles"], key=lambda p: abs(p["frequency_hz"] - f0))
                    # Scatter of 400 s: sqrt(0.01/(2 pi f T)) is 5e-4; three of them.
                    self.assertLess(abs(pole["frequency_hz"] / f0 - 1), 2.5e-3)
                    self.assertLess(abs(pole["damping"] - 0.01), 3e-3)
                    ratio = pole["shape_re"][1] / pole["shape_re"][0]
                    self.assertLess(abs(ratio - shape[1] / shape[0]), 0.05)

    def test_refusals(self):
        good = self.write("frf.csv", frf_csv())
        self.refuses(2, ["modal", "--out", self.out], "data")
        self.refuses(4, ["modal", "nowhere.csv", "--out", self.out], "nowhere.csv")
        self.refuses(2, ["modal", good, "--band-hz", "300,400", "--out", self.out], "band_hz", "0 frequency lines")
        self.refuses(2, ["modal", good, "--band-hz", "30", "--out", self.out], "band_hz")
        self.refuses(2, ["modal", good, "--weighting", "covariance", "--out", self.out], "covariance")
        self.refuses(2, ["modal", good, "--order", "4000", "--out", self.out], "order")
        self.refuses(2, ["modal", self.write("gap.csv", frf_csv().replace("2+X:1+X_im", "2+X:1+X_in")), "--out", self.out], "gap.csv")
        text = frf_csv().splitlines()
        self.refuses(2, ["modal", self.write("nan.csv", "\n".join(text[:9] + ["9,nan,1,1,1"] + text[40:])), "--out", self.out], "nan")
        self.refuses(2, ["frf", good, "--out", self.out], "frf.csv", "time signals")
        self.refuses(2, ["frf", self.write("quiet.csv", "time_s,1+X [N],2+X [m/s^2]\n" + "".join(f"{j / RATE},0,1\n" for j in range(400))), "--out", self.out], "force signal is zero")
        self.refuses(2, ["body", "--out", self.out], "modes")
        self.refuses(2, ["body", "--modes", good, "--fe", good, "--out", self.out], "frf.csv", "modes")
        self.refuses(2, ["body", "--modes", self.write("no.json", '{"poles": [{"frequency_hz": "x"}], "outputs": ["1+X"]}'), "--fe", good, "--out", self.out], "no.json")
        self.refuses(2, ["body", "--from", "fe", "--out", self.out], "fe")

    def test_body_from_matrices(self):
        """A free chain of six masses in all three directions, as Matrix Market with its node map: the body has the modes of the chain."""
        n = 6
        lines_k, lines_m = [], []
        for i in range(n):
            for d in range(3):
                row = 3 * i + d + 1
                lines_m.append(f"{row} {row} 2.0")
                ends = (1 if i > 0 else 0) + (1 if i < n - 1 else 0)
                lines_k.append(f"{row} {row} {1e5 * ends}")
                if i > 0:
                    lines_k.append(f"{row} {row - 3} -1e5")
        head = "%%MatrixMarket matrix coordinate real symmetric\n{0} {0} {1}\n"
        self.write("chain_K.mtx", head.format(3 * n, len(lines_k)) + "\n".join(lines_k) + "\n")
        self.write("chain_M.mtx", head.format(3 * n, len(lines_m)) + "\n".join(lines_m) + "\n")
        # Without a node map the rows have no names: that is refused, with a remedy.
        files = ["chain_K.mtx", "chain_M.mtx"]
        self.refuses(2, ["body", "--from", "fe", "--fe", *files, "--method", "normal_modes", "--out", self.out], "chain_K.mtx", "which row")
        dash = "    -1\n"
        points = "".join(f"{i + 1:10d}{0:10d}{0:10d}{7:10d}{0.1 * i:13.5E}{0.0:13.5E}{0.0:13.5E}\n" for i in range(n))
        self.write("points.uff", dash + "    15\n" + points + dash)
        self.succeeds("body", "--from", "fe", "--fe", *files, "points.uff", "--method", "normal_modes", "--normal-modes", 6, "--out", self.out)
        result = self.result()
        for k in (1, 2):
            exact = 2 * math.sqrt(1e5 / 2) * math.sin(k * math.pi / (2 * n)) / (2 * math.pi)
            for mode in result["modes"][3 * k - 3:3 * k]:
                self.assertLess(abs(mode["frequency_hz"] / exact - 1), 1e-9)
        self.assertLess(abs(result["rigid"]["mass"] - 12.0), 1e-9)
        self.assertEqual(json.loads((self.out / "body.json").read_text())["kind"], "flexible_body")
        self.assertTrue({"body.h5", "body.uff", "report.html"} <= set(self.files_written()))
        # Three bars in a row do not hold a body by one point in one direction.
        self.assertEqual(self.kdyn("body", "--from", "fe", "--fe", *files, "points.uff", "--interface-nodes", "1+X", "--out", self.folder / "x").returncode, 2)


if __name__ == "__main__":
    unittest.main()
