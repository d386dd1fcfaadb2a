# SPDX-License-Identifier: Apache-2.0
"""Many parts: written one by one, taken over after a kill bit by bit, and summed up."""
import csv
import json
import math
import random
import signal
import subprocess
import time
import unittest

from harness import CAB_MOUNT, KDYN, CliTest


def without_times(result):
    """A result as two runs of the same job share it."""
    result = json.loads(json.dumps(result))
    for key in ("created", "seconds"):
        result["provenance"].pop(key)
    result.get("fit", {}).pop("seconds", None)
    return result


class Population(CliTest):
    def parts(self, count, odd=None, trend=0.0):
        """Copies of one measured direction with other stiffnesses: the law scales with it, everything else stays."""
        folder = self.folder / "parts"
        stream = random.Random(3)
        with (CAB_MOUNT / "x_map.csv").open() as file:
            header, *rows = list(csv.reader(file))
        column = header.index("k_dyn_n_per_mm")
        self.factors = []
        for i in range(count):
            factor = 1.0 + 0.02 * stream.gauss(0, 1) + trend * i / count
            if i == odd:
                factor *= 1.25
            self.factors.append(factor)
            place = folder / f"part{i:03d}"
            place.mkdir(parents=True)
            with (place / "x_map.csv").open("w", newline="") as file:
                csv.writer(file).writerows([header] + [[*row[:column], f"{float(row[column]) * factor:.6f}", *row[column + 1:]] for row in rows])
        return folder

    def command(self, folder, out, *more):
        return ["fit", "elastomer", "--data", str(folder), "--no-report", "--quiet", *more, "--out", str(out)]

    def values(self, out):
        return {p["name"]: p["parameters"]["static_stiffness"]["value"] for p in self.result(out)["parts"]}

    def test_statistics(self):
        folder = self.parts(24, odd=7)
        self.kdyn(*self.command(folder, self.out, "--tolerances", '{"x.static_stiffness": [2.4e5, 2.9e5]}'))
        result = self.result()
        self.assertEqual(len(result["parts"]), 24)
        family = result["families"][0]
        self.assertEqual((family["name"], family["parts"]), ("x", 24))
        spread = family["parameters"]["static_stiffness"]["statistics"]
        values = list(self.values(self.out).values())
        mean = sum(values) / 24
        self.assertAlmostEqual(spread["mean"] / mean, 1.0, delta=1e-12)
        self.assertAlmostEqual(spread["std"], math.sqrt(sum((v - mean) ** 2 for v in values) / 23), delta=1e-9 * mean)
        self.assertEqual(sum(spread["histogram_counts"]), 24)
        # The stiffness of a part is its factor times that of the map.
        ratios = [v / f for v, f in zip(values, self.factors)]
        self.assertLess(max(ratios) / min(ratios) - 1.0, 1e-3)
        odd = [p["name"] for p in result["parts"] if "static_stiffness" in p["outliers"]]
        self.assertEqual(odd, ["part007/x"])
        capability = family["parameters"]["static_stiffness"]["capability"]
        self.assertAlmostEqual(capability["cp"], 0.5e5 / (6 * spread["std"]), delta=1e-9)
        self.assertEqual(capability["outside"], sum(not 2.4e5 <= v <= 2.9e5 for v in values))
        scatter = json.loads((self.out / "scatter_x.json").read_text())
        self.assertEqual(len(scatter["log_covariance"]), len(scatter["names"]))
        self.refuses(2, self.command(folder, self.folder / "no", "--tolerances", '{"stiffness": [1, 2]}'), "tolerances.stiffness")

    def test_a_trend_is_told(self):
        self.kdyn(*self.command(self.parts(16, trend=0.2), self.out))
        told = [f for f in self.result()["findings"] if f["code"] == "trend" and f["where"] == "x.static_stiffness"]
        self.assertEqual(len(told), 1)

    def test_kill_and_resume(self):
        folder = self.parts(12)
        whole = self.folder / "whole"
        begin = time.monotonic()
        self.kdyn(*self.command(folder, whole))
        length = time.monotonic() - begin
        stream = random.Random(1)
        for _ in range(6):
            run = subprocess.Popen([KDYN, *self.command(folder, self.out)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(stream.uniform(0.0, length))
            run.send_signal(signal.SIGKILL)
            run.wait()
            # What is there is whole: every result.json reads and has its model beside it.
            for path in self.out.glob("parts/*/*/result.json"):
                result = json.loads(path.read_text())
                self.assertEqual(json.loads((path.parent / "model.json").read_text()), result["model"])
        finished = {p: p.stat().st_mtime_ns for p in self.out.glob("parts/*/*/result.json")}
        self.kdyn(*self.command(folder, self.out))
        self.assertEqual({p: p.stat().st_mtime_ns for p in finished}, finished)  # taken over, not computed again
        one, two = self.result(whole), self.result(self.out)
        self.assertEqual(one["parts"], two["parts"])
        self.assertEqual(one["families"], two["families"])
        for path in whole.glob("parts/*/*/result.json"):
            other = self.out / path.relative_to(whole)
            self.assertEqual(without_times(json.loads(path.read_text())), without_times(json.loads(other.read_text())))
        # Another option, another content: computed again; a part that is gone leaves.
        (folder / "part003" / "x_map.csv").write_text((CAB_MOUNT / "y_map.csv").read_text())
        (folder / "part004" / "x_map.csv").unlink()
        before = self.values(self.out)
        self.kdyn(*self.command(folder, self.out))
        after = self.values(self.out)
        self.assertNotEqual(before.pop("part003/x"), after.pop("part003/x"))
        before.pop("part004/x")
        self.assertEqual(before, after)
        self.assertFalse((self.out / "parts" / "part004" / "x").exists())
        self.kdyn(*self.command(folder, self.out, "--fix", "rho=5000"))
        self.assertNotEqual(self.values(self.out)["part001/x"], after["part001/x"])


if __name__ == "__main__":
    unittest.main()
