# SPDX-License-Identifier: Apache-2.0
"""Recordings of labs through the real binary. Oracle: expected.json beside the files, from the arrays they were written from."""
import csv
import importlib.util
import json
import math
import struct
import unittest

from harness import CAB_MOUNT, SOURCE, CliTest

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

    def test_the_rig_is_driven_by_a_recording_as_by_a_table(self):
        """The same stroke as RPC III, put together here by hand, and as text with all digits."""
        stroke = struct.unpack("<2000f", struct.pack("<2000f", *(0.5 * math.sin(0.01 * math.pi * i) for i in range(2000))))
        keys = {"FORMAT": "BINARY_IEEE_LITTLE_END", "NUM_HEADER_BLOCKS": 4, "NUM_PARAMS": 13, "FILE_TYPE": "TIME_HISTORY", "CHANNELS": 1, "DELTA_T": "1.0E-03",
                "PTS_PER_FRAME": 1000, "PTS_PER_GROUP": 1000, "FRAMES": 2, "DATA_TYPE": "FLOATING_POINT", "DESC.CHAN_1": "stroke", "UNITS.CHAN_1": "mm", "SCALE.CHAN_1": 1}
        head = b"".join(k.encode().ljust(32, b"\0") + str(v).encode().ljust(96, b"\0") for k, v in keys.items()).ljust(2048, b"\0")
        files = (self.write("s.rsp", head + struct.pack("<2000f", *stroke)),
                 self.write("s.csv", "time_s,displacement_mm\n" + "".join(f"{i / 1000},{x!r}\n" for i, x in enumerate(stroke))))
        forces = []
        for i, path in enumerate(files):
            out = self.folder / str(i)
            self.succeeds("rig", CAB_MOUNT / "z_truth.json", "--program", "transient", "--input", path, "--out", out, "--no-report")
            forces.append(self.result(out)["series"]["force_n"])
        # Times differ in their last digit (sum against text): rounding of 200 N.
        for a, b in zip(*forces, strict=True):
            self.assertAlmostEqual(a, b, delta=1e-9)

    def test_assess_takes_a_recording(self):
        self.succeeds("assess", LAB / "rpc" / "gen_float.rsp", "--out", self.out, "--no-report")
        channels = self.result()["channels"]
        want = expected("rpc", "gen_float.rsp", "Fx")
        self.assertAlmostEqual(channels["Fx"]["lowest"], want["min"], delta=1e-10 * abs(want["max"]))
        self.assertEqual(channels["Fx"]["samples"], want["count"])

    @unittest.skipUnless(importlib.util.find_spec("h5py"), "h5py is not here")
    def test_large_hdf5_gives_channels_on_demand(self):
        """Written by h5py in packed chunks; the file is made long by a hole at its end, which takes no room on the disk."""
        import h5py
        import numpy
        path = self.folder / "large.h5"
        count = 20000
        values = numpy.outer(numpy.arange(count), [1.0, 10.0, 100.0])
        with h5py.File(path, "w") as file:
            group = file.create_group("run")
            group.attrs["fs"] = 500.0
            force = group.create_dataset("force", data=numpy.sin(0.01 * numpy.arange(count)).astype("f4"), chunks=(4096,), compression="gzip", shuffle=True)
            force.attrs["unit"] = "kN"
            group.create_dataset("acc", data=values, chunks=(1000, 2), compression="gzip").attrs["unit"] = "m/s^2"
        with open(path, "r+b") as file:
            file.truncate(300 << 20)
        out = self.folder / "part.csv"
        self.succeeds("convert", path, out, "--channels", "force", "acc_3", "--out", self.out, "--no-report")
        rows = list(csv.reader(out.read_text().splitlines()))
        self.assertEqual(rows[0], ["time_s", "force [N]", "acc_3 [m/s^2]"])
        self.assertEqual(len(rows), 1 + count)
        self.assertEqual([float(rows[i + 1][2]) for i in (0, 999, 1000, 19999)], [0.0, 99900.0, 100000.0, 1999900.0])
        # Single precision of the file, in kN.
        self.assertAlmostEqual(float(rows[158][1]), 1000.0 * math.sin(1.57), delta=1e-4)
        self.assertAlmostEqual(float(rows[2][0]), 0.002, delta=1e-15)


if __name__ == "__main__":
    unittest.main()
