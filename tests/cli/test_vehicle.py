# SPDX-License-Identifier: Apache-2.0
"""kdyn vehicle and kdyn assess through the real binary."""
import json
import unittest

from harness import SOURCE, CliTest

BUMP = SOURCE / "data" / "bump_test"
NOISY = SOURCE / "src/kdyn/vehicle/test/reference/vehicle_noisy_30dB"
ADDED = ["--added-mass", "130", "250", "40", "4", "4", "5", "5"]
HEADER = "time_s,zs [m/s^2],theta [rad/s^2],phi [rad/s^2],zuA [m/s^2],zuB [m/s^2],zuC [m/s^2],zuD [m/s^2]\n"


class Vehicle(CliTest):
    def test_reference_case_through_the_command_line(self):
        answer = json.loads(NOISY.with_suffix(".json").read_text())["ml"]
        self.succeeds("vehicle", "--data", NOISY.with_suffix(".csv"), "--set", "sample_interval_s=0.005", "--set", "quantity=acceleration",
                      "--set", "added_mass=[130,250,40,4,4,5,5]", "--set", 'fixed={"a":1.25,"b":1.51,"tf":0.74,"tr":0.74}', "--out", self.out,
                      "--added-mass-std", "0")  # the reference takes it for exact
        result = self.result()
        self.assertEqual(result["status"], "converged")
        for name, value in answer["struct_known"]["estimate"].items():
            p = result["parameters"][name]
            half = value * answer["struct_known"]["ci95_percent"][name] / 100
            self.assertLess(abs(p["value"] - value), 1e-3 * half, name)
            self.assertLess(abs(p["upper_95"] - value - half), 1e-3 * half, name)
            self.assertEqual(p["status"], "free")
        self.assertEqual(result["parameters"]["a"]["status"], "fixed")
        self.assertIn("Verdict", (self.out / "report.html").read_text())

    def test_bundled_decays_with_bump(self):
        self.succeeds("vehicle", "--data", BUMP / "decays.csv", *ADDED, "--out", self.out)
        result = self.result()
        self.assertLess(abs(result["parameters"]["ms"]["value"] / 1380 - 1), 0.02)
        self.assertTrue(all(0.29 <= r["start_s"] <= 0.35 for r in result["fit"]["records"]))

    def test_sensors_where_they_sit(self):
        truth = json.loads((BUMP / "MANIFEST.json").read_text())["truth"]
        job = json.loads((BUMP / "sensors.json").read_text())
        job["data"] = [str(BUMP / "sensors.csv")]
        good = self.write("job.json", json.dumps(job))
        self.succeeds("vehicle", "--config", good, "--out", self.out)
        result = self.result()
        self.assertEqual(result["status"], "converged")
        for name, value in truth.items():
            p = result["parameters"][name]
            self.assertLess(abs(p["value"] - value), 4.5 * p["std"], name)
            self.assertLess(p["std"], 0.1 * value, name)
        self.assertEqual(len(result["fit"]["channels"]), 10)
        # A sensor that is described where it does not sit, and one whose column is missing.
        job["sensors"][0]["position"] = [1200, 550, 0]
        self.refuses(2, ["vehicle", "--config", self.write("mm.json", json.dumps(job)), "--out", self.out], "sensors[0].position", "metres")
        job["sensors"][0].update(position=[0.15, 0.55, 0], name="floor_xx")
        self.refuses(2, ["vehicle", "--config", self.write("xx.json", json.dumps(job)), "--out", self.out], "floor_xx.z is missing")

    def test_a_missing_channel_is_no_reason_to_refuse(self):
        rows = [line.split(",") for line in (BUMP / "decays.csv").read_text().splitlines()]
        at = next(i for i, name in enumerate(rows[0]) if name.startswith("zuC"))
        text = "\n".join(",".join(cell for i, cell in enumerate(row) if i != at) for row in rows)
        self.succeeds("vehicle", "--data", self.write("six.csv", text + "\n"), *ADDED, "--out", self.out)
        result = self.result()
        self.assertIn("channel_missing", [f["code"] for f in result["findings"]])
        self.assertLess(abs(result["parameters"]["mur"]["value"] - 45.4), 4.5 * result["parameters"]["mur"]["std"])

    def test_plan(self):
        run = self.succeeds("vehicle", "--plan", *ADDED, "--target-percent", "1", "--out", self.out)
        self.assertIn("least effort", run.stdout)
        self.assertEqual(self.files_written(), ["document.json", "report.html", "result.json"])
        self.assertIsNotNone(self.result()["recommended"])

    def test_refusals(self):
        rows = "".join(f"{i * 0.01:.2f}" + f",{i % 7}" * 7 + "\n" for i in range(80))
        good = self.write("good.csv", HEADER + rows)
        self.refuses(2, ["vehicle", "--out", self.out], "data")
        self.refuses(4, ["vehicle", "--data", "nowhere.csv", *ADDED, "--out", self.out], "nowhere.csv")
        missing = self.write("missing.csv", "time_s,zs [m/s^2],theta [rad/s^2]\n" + "".join(f"{i * 0.01:.2f},1,1\n" for i in range(5)))
        self.refuses(2, ["vehicle", "--data", missing, *ADDED, "--out", self.out], "missing.csv:1", "channel phi, zuA")
        unit = self.write("unit.csv", HEADER.replace("zs [m/s^2]", "zs [N]") + rows)
        self.refuses(2, ["vehicle", "--data", unit, *ADDED, "--out", self.out], "unit.csv:1", "zs")
        short = self.write("short.csv", HEADER + "".join(rows.splitlines(True)[:20]))
        self.refuses(2, ["vehicle", "--data", good, "--data-loaded", short, *ADDED, "--out", self.out], "too short")
        self.refuses(2, ["vehicle", "--data", good, "--data-loaded", good, "--added-mass", "0", "0", "0", "0", "0", "0", "0", "--out", self.out], "added mass is zero")
        self.refuses(2, ["vehicle", "--data", good, "--added-mass", "1", "2", "--out", self.out], "seven")
        fast = self.write("fast.csv", HEADER + "".join(f"{i * 0.005:.3f}" + f",{i % 7}" * 7 + "\n" for i in range(200)))
        self.refuses(2, ["vehicle", "--data", good, "--data-loaded", fast, *ADDED, "--out", self.out], "sampling rates are mixed")
        self.refuses(2, ["vehicle", "--data", good, "--set", "fixed.kS=3", *ADDED, "--out", self.out], "fixed.kS")

    def test_what_cannot_be_computed(self):
        """Each of these ended by a signal or with 5."""
        data = ["vehicle", "--data", BUMP / "decays.csv", *ADDED, "--out", self.out]
        for hz in ("1e-9", "1e-300", "0.001"):
            self.refuses(2, [*data, "--low-pass-hz", hz], "low_pass_hz")
        self.refuses(2, ["vehicle", "--plan", *ADDED, "--set", "mass_factors=[1e300]", "--out", self.out], "mass_factors")
        rows = [line.split(",") for line in (BUMP / "decays.csv").read_text().splitlines()]
        for dead in ([3], [5], [6, 7, 8, 9], list(range(3, 10))):
            text = "\n".join(",".join(row[:3] + ["0" if i in dead else x for i, x in enumerate(row) if i > 2]) if n > 0 else ",".join(row)
                             for n, row in enumerate(rows))
            self.refuses(2, ["vehicle", "--data", self.write("dead.csv", text + "\n"), *ADDED, "--out", self.out], "is 0 in every record")


class Assess(CliTest):
    def test_gravity_is_no_vibration(self):
        """A sensor that measures from 0 Hz on shows 1 g on the vertical axis."""
        lines = (BUMP / "drive_old.csv").read_text().splitlines()
        columns = lines[0].split(",")
        z = next(i for i, name in enumerate(columns) if name.startswith("seat_z"))
        rows = [line.split(",") for line in lines[1:]]
        for row in rows:
            row[z] = f"{float(row[z]) + 9.81:.10g}"
        found = []
        for name, content in (("plain", lines[1:]), ("gravity", [",".join(row) for row in rows])):
            self.succeeds("assess", self.write(name + ".csv", "\n".join([lines[0], *content]) + "\n"), "--no-report", "--out", self.folder / name)
            found.append(self.result(self.folder / name))
        plain, gravity = (one["weighted_rms"]["seat_z"] for one in found)
        # Nine digits in the file, and values a hundred times the vibration.
        self.assertAlmostEqual(gravity / plain, 1, delta=1e-6)
        codes = [[f["code"] for f in one["findings"]] for one in found]
        self.assertNotIn("offset", codes[0])
        self.assertIn("offset", codes[1])

    def test_one_record(self):
        self.succeeds("assess", BUMP / "drive_old.csv", "--out", self.out)
        result = self.result()
        self.assertEqual(set(result["weighted_rms"]), {"seat_x", "seat_y", "seat_z"})
        total = sum(value**2 for value in result["weighted_rms"].values()) ** 0.5
        self.assertAlmostEqual(result["vibration_total"]["seat"], total, places=9)
        self.assertEqual([d["exponent"] for d in result["damage"]["spring_front_left"]], [3.0, 5.0, 7.0])
        self.assertEqual(len(result["level_crossings"]["seat_z"]["level"]), 64)
        spring = result["channels"]["spring_front_left"]
        self.assertEqual(len(spring["rainflow"]["range"]), 64)
        self.assertLessEqual(spring["rainflow"]["cycles_at_least"][0], spring["rainflow_cycles"])
        self.assertEqual(sorted(spring["range_pairs"]["cycles_at_least"], reverse=True), spring["range_pairs"]["cycles_at_least"])
        # The integral of the density is the variance of the signal.
        psd = spring["psd"]
        self.assertAlmostEqual((sum(psd["density"]) * psd["frequency_hz"][1]) ** 0.5 / spring["rms"], 1.0, delta=0.15)

    def test_two_records(self):
        self.succeeds("assess", BUMP / "drive_old.csv", "--compare", BUMP / "drive_new.csv", "--out", self.out)
        result = self.result()
        self.assertIn("seat_z", result["relative_weighted_rms"])
        self.succeeds("assess", BUMP / "drive_old.csv", "--compare", BUMP / "drive_old.csv", "--out", self.folder / "same")
        for ratios in self.result(self.folder / "same")["relative_damage"].values():
            for one in ratios:
                self.assertEqual(one["ratio"], 1.0)

    def test_refusals(self):
        self.refuses(2, ["assess", "--out", self.out], "file")
        single = self.write("single.csv", "seat_z [m/s^2]\n1\n2\n")
        self.refuses(2, ["assess", single, "--out", self.out], "single.csv:1", "no table found")
        no_time = self.write("a.csv", "seat_z [m/s^2],seat_x [m/s^2]\n1,2\n2,3\n")
        self.refuses(2, ["assess", no_time, "--out", self.out], "no time column")
        odd = self.write("b.csv", "time_s,seat_z [parsec]\n" + "".join(f"{i},1\n" for i in range(30)))
        self.refuses(2, ["assess", odd, "--out", self.out], "b.csv:1", "parsec")
        fine = self.write("c.csv", "time_s,seat_z [m/s^2]\n" + "".join(f"{i * 0.01:.2f},{i % 5}\n" for i in range(300)))
        self.refuses(2, ["assess", fine, "--channels", "seat_y", "--out", self.out], "seat_y", "seat_z")
        self.refuses(2, ["assess", fine, "--set", 'weighting={"seat_z":"Wq"}', "--out", self.out], "Wq")
        other = self.write("d.csv", "time_s,floor_z [m/s^2]\n" + "".join(f"{i * 0.01:.2f},{i % 5}\n" for i in range(300)))
        self.refuses(2, ["assess", fine, "--compare", other, "--out", self.out], "no channel in common")


if __name__ == "__main__":
    unittest.main()
