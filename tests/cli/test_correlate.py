# SPDX-License-Identifier: Apache-2.0
"""kdyn correlate through the real binary. Oracle: the bundled frame, whose test was computed with the deck (data/subframe/MANIFEST.json has its
frequencies), and changes made here: a reversed sensor, millimetres, other axes, responses times two."""
import json
import re
import unittest

from harness import SOURCE, CliTest

FRAME = SOURCE / "data" / "subframe"
TRUTH = [72.2151, 132.8656, 141.1365, 224.3870]


class Correlate(CliTest):
    def setUp(self):
        super().setUp()
        self.succeeds("frf", FRAME / "hits_1.uff", FRAME / "hits_2.uff", "--geometry", FRAME / "points.uff", "--band-hz", "20,280", "--out", self.folder / "frf")
        self.succeeds("modal", self.folder / "frf" / "frf.uff", "--band-hz", "40,270", "--out", self.folder / "modal")
        self.modes = self.folder / "modal" / "modes.uff"

    def pairs(self, result):
        return result["modes"]["pairs"]

    def test_test_against_deck(self):
        for modes in (self.modes, self.folder / "modal" / "result.json"):
            with self.subTest(modes.name):
                run = self.succeeds("correlate", modes, FRAME / "frame.bdf", "--out", self.out)
                result = self.result()
                self.assertEqual(len(self.pairs(result)), 4)
                for pair, hz in zip(self.pairs(result), TRUTH):
                    self.assertLess(abs(pair["test_hz"] / hz - 1), 1e-4)
                    self.assertLess(abs(pair["difference"]), 1e-4)  # the truth is the deck; 0.3 % of noise in the signals
                    self.assertGreater(pair["mac"], 0.999)
                self.assertEqual(result["modes"]["test_alone"], [])
                self.assertNotIn("sensor_reversed", json.dumps(result["findings"]))
                self.assertGreater(min(s["comac"] for s in result["modes"]["sensors"]), 0.99)
                self.assertIn("report.html", self.files_written())
                self.assertIn("MAC", run.stdout)
        shapes = result["modes"]["orthogonality"]
        for i, row in enumerate(shapes):
            for j, value in enumerate(row):
                self.assertLess(abs(value - (i == j)), 0.03, (i, j))  # noise of the shapes

    def test_two_decks_and_a_set_with_itself(self):
        self.succeeds("correlate", FRAME / "frame.bdf", FRAME / "frame.bdf", "--count", 8, "--out", self.out)
        for pair in self.pairs(self.result()):
            self.assertEqual(pair["test_mode"], pair["model_mode"])
            self.assertLess(abs(pair["mac"] - 1), 1e-9)

    def test_a_reversed_sensor_is_named(self):
        result = json.loads((self.folder / "modal" / "result.json").read_text())
        which = next(i for i, name in enumerate(result["outputs"]) if name.endswith("+Z"))
        for pole in result["poles"]:
            pole["shape_re"][which] *= -1
            pole["shape_im"][which] *= -1
        self.succeeds("correlate", self.write("turned.json", json.dumps(result)), FRAME / "frame.bdf", "--out", self.out)
        named = [f for f in self.result()["findings"] if f["code"] == "sensor_reversed"]
        self.assertEqual([f["where"] for f in named], [result["outputs"][which]])

    def test_millimetres(self):
        # The point at the origin would still meet its node, and three sensors there make any two modes look alike.
        self.refuses(2, ["correlate", self.modes, FRAME / "frame.bdf", "--length-m", "0.001", "--out", self.out], "no partner", "millimetres")

    def test_responses(self):
        frf = self.folder / "frf" / "frf.csv"
        twice = "\n".join(
            line if not re.match(r"[0-9]", line) else ",".join([line.split(",")[0]] + [f"{2 * float(x):.12g}" for x in line.split(",")[1:]])
            for line in frf.read_text().splitlines())
        self.succeeds("correlate", frf, self.write("twice.csv", twice + "\n"), "--band-hz", "40,270", "--out", self.out)
        channels = self.result()["responses"]["channels"]
        self.assertGreater(len(channels), 8)
        for channel in channels:
            self.assertLess(abs(channel["frac"] - 1), 1e-9)
            self.assertLess(abs(channel["size"] - 2), 1e-9)

    def test_refusals(self):
        self.refuses(2, ["correlate", self.modes, "--out", self.out], "two sets")
        self.refuses(2, ["correlate", self.modes, self.folder / "frf" / "frf.uff", "--out", self.out], "cannot be compared")
        self.refuses(2, ["correlate", self.modes, FRAME / "frame.bdf", "--band-hz", "500,600", "--out", self.out], "band_hz")
        self.refuses(2, ["correlate", self.modes, FRAME / "frame.bdf", "--band-hz", "5", "--out", self.out], "band_hz")
        self.refuses(4, ["correlate", self.modes, "nowhere.bdf", "--out", self.out], "nowhere.bdf")
        self.refuses(2, ["correlate", SOURCE / "data" / "cab_mount" / "z_map.csv", FRAME / "frame.bdf", "--out", self.out], "modes")


if __name__ == "__main__":
    unittest.main()
