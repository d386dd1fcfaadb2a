# SPDX-License-Identifier: Apache-2.0
"""Recordings of labs through the real binary. Oracle: expected.json beside the files, from the arrays they were written from."""
import csv
import json
import unittest

from harness import SOURCE, CliTest

LAB = SOURCE / "data" / "lab"


def expected(folder, file, name):
    content = json.loads((LAB / folder / "expected.json").read_text())["files"][file]
    return next(c for c in content["channels"] if c["name"] == name)


class Recordings(CliTest):
    def inspected(self, path):
        self.succeeds("inspect", path, "--out", self.out, "--no-report")
        return self.result()["files"][0]

    def test_inspect_lists_channels_and_tells_what_is_no_signal(self):
        found = self.inspected(LAB / "mdf" / "gen_unsorted_vlsd.mf4")
        self.assertEqual((found["kind"], found["format"]), ("signals", "mdf4"))
        words = " ".join(found["summary"])
        for word in ("force", "volt", "oil", "log", "1500 samples"):
            self.assertIn(word, words)
        told = " ".join(f["message"] for f in found["findings"])
        self.assertIn("77 of 1500 samples are marked invalid", told)

    def test_refusals_are_named(self):
        for path, word in (("mdf/gen_mdf330_head.dat", "MDF version 3.30"), ("tdms/gen_daqmx.tdms", "DAQmx"), ("tdms/gen_segments.tdms_index", "index")):
            found = self.inspected(LAB / path)
            self.assertEqual(found["kind"], "unknown")
            self.assertIn(word, found["findings"][0]["message"])

    def test_chosen_channels_become_a_table_in_si(self):
        out = self.folder / "part.csv"
        self.succeeds("convert", LAB / "mdf" / "gen_sorted_dz.mf4", out, "--channels", "force_z", "disp20", "--out", self.out, "--no-report")
        rows = list(csv.reader(out.read_text().splitlines()))
        self.assertEqual(rows[0], ["time_s", "force_z [N]", "disp20 [m]"])
        for column, name, factor in ((1, "force_z", 1.0), (2, "disp20", 1e-3)):
            want = expected("mdf", "gen_sorted_dz.mf4", name)
            values = [float(r[column]) for r in rows[1:]]
            self.assertEqual(len(values), want["count"])
            self.assertAlmostEqual(min(values), factor * want["min"], delta=1e-10 * abs(factor * want["min"]))
            self.assertAlmostEqual(sum(values), factor * want["sum"], delta=1e-9 * abs(factor * want["sum"]))

    def test_a_named_channel_that_is_no_signal_is_an_error(self):
        path = LAB / "mdf" / "gen_unsorted_vlsd.mf4"
        self.refuses(2, ("convert", path, "x.csv", "--channels", "force", "--out", self.out), "77 of 1500")
        self.refuses(2, ("convert", path, "x.csv", "--channels", "forc", "--out", self.out), "forc", "force")
        self.refuses(2, ("convert", path, "x.csv", "--channels", "t", "--out", self.out), "2 channels are called")

    def test_other_formats_carry_the_signals(self):
        for folder, file in (("rpc", "gen_short_groups.rsp"), ("tdms", "gen_segments.tdms")):
            for target in ("a.uff", "a.h5"):
                self.succeeds("convert", LAB / folder / file, self.folder / target, "--out", self.out, "--no-report")
                found = self.inspected(self.folder / target)
                self.assertEqual(found["kind"], "signals")

    def test_assess_takes_a_recording(self):
        self.succeeds("assess", LAB / "rpc" / "gen_float.rsp", "--out", self.out, "--no-report")
        channels = self.result()["channels"]
        want = expected("rpc", "gen_float.rsp", "Fx")
        self.assertAlmostEqual(channels["Fx"]["lowest"], want["min"], delta=1e-10 * abs(want["max"]))
        self.assertEqual(channels["Fx"]["samples"], want["count"])


if __name__ == "__main__":
    unittest.main()
