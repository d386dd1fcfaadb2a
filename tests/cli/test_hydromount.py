# SPDX-License-Identifier: Apache-2.0
"""Hydro mounts through the command line: what the levels of detail leave in result.json."""
import json
import unittest

from harness import SOURCE, CliTest

HYDRO = SOURCE / "data" / "hydro_mount"


class HydroMount(CliTest):
    def fit(self, *words):
        run = self.kdyn("fit", "hydromount", "--data", HYDRO / "map.csv", *words, "--out", self.out, "--no-report")
        return run, json.loads((self.out / "result.json").read_text()) if run.returncode in (0, 3) else None

    def test_a_poor_fit_tries_all_levels_and_writes_its_result(self):
        # With a noise that nobody has, every level is poor and the last ones are tried; the level with a pressure limit once had no name in the
        # table of results, and the run ended as an internal error.
        run, result = self.fit("--set", "noise_loss_angle_deg=0.0001")
        self.assertEqual(run.returncode, 3, run.stderr)
        self.assertEqual(result["status"], "poor_fit")
        self.assertIn("limit", [level["detail"] for level in result["levels"]])

    def test_every_level_can_be_asked_for(self):
        for detail in ("springs", "rubber", "decoupler", "bypass", "limit"):
            with self.subTest(detail):
                run, result = self.fit("--detail", detail)
                self.assertIn(run.returncode, (0, 3), run.stderr)
                self.assertIn(detail, [level["detail"] for level in result["levels"]])


if __name__ == "__main__":
    unittest.main()
