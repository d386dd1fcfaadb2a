# SPDX-License-Identifier: Apache-2.0
"""Models out: C source and FMUs through the real binary. What they compute is tested in src/kdyn/fmu/test."""
import json
import os
import subprocess
import unittest
import zipfile

from harness import CAB_MOUNT, KDYN, CliTest

TRUTH = CAB_MOUNT / "z_truth.json"
SPRING = {"model": "elastomer", "parameters": {"static_stiffness": 338e3}}


class Export(CliTest):
    def export(self, model, to, *words):
        self.succeeds("export", model, "--to", to, *words, "--out", self.out)
        return self.result()

    def test_fmu(self):
        for to, version, platform in (("fmu2", "2.0", "linux64"), ("fmu3", "3.0", "x86_64-linux")):
            with self.subTest(to):
                result = self.export(TRUTH, to, "--name", "cab_z")
                self.assertEqual([file["path"] for file in result["files"]], ["cab_z.fmu", "cab_z_check.csv"])
                self.assertEqual(result["fmu"][0]["fmi_version"], version)
                self.assertEqual(result["fmu"][0]["platforms"], [platform])
                self.assertEqual(result["findings"], [])
                with zipfile.ZipFile(self.out / "cab_z.fmu") as archive:
                    self.assertIsNone(archive.testzip())
                    names = archive.namelist()
                    self.assertEqual(names[0], "modelDescription.xml")
                    self.assertIn(f"binaries/{platform}/cab_z.so", names)
                    self.assertIn("documentation/index.html", names)

    def test_without_a_compiler_the_sources_are_written_and_it_is_said(self):
        empty = self.folder / "empty"
        empty.mkdir()
        words = [KDYN, "export", str(TRUTH), "--to", "fmu2", "--out", str(self.out)]
        run = subprocess.run(words, capture_output=True, text=True, env=dict(os.environ, PATH=str(empty)))
        self.assertEqual(run.returncode, 0, run.stderr)
        finding = self.result()["findings"][0]
        self.assertEqual((finding["severity"], finding["code"]), ("warning", "no_binary"))
        self.assertIn("no C compiler", finding["message"])
        with zipfile.ZipFile(self.out / "mount.fmu") as archive:
            self.assertFalse(any(name.startswith("binaries/") for name in archive.namelist()))

    def test_bushing_and_several_directions(self):
        bushing = self.write("bushing.json", json.dumps({"model": "bushing", "coupling": "cylindrical", "axes": {"fx": SPRING, "fy": SPRING}}))
        self.assertEqual([f["path"] for f in self.export(bushing, "fmu3", "--compiler", "none")["files"]], ["mount.fmu"])
        self.assertEqual([f["path"] for f in self.export(bushing, "c")["files"]], ["mount.c", "mount.h"])
        spring = self.write("spring.json", json.dumps(SPRING))
        self.succeeds("export", TRUTH, spring, "--directions", "fz", "fx", "--to", "c", "--out", self.out)
        self.assertTrue((self.out / "mount_fz.c").exists() and (self.out / "mount_fx.c").exists())

    def test_refusals(self):
        self.refuses(2, ["export", TRUTH, "--to", "fmu2", "--name", "my mount", "--out", self.out], "name", "my mount")
        self.refuses(2, ["export", TRUTH, "--to", "fmu4", "--out", self.out], "fmu4")
        unknown = self.write("unknown.json", json.dumps({"model": "hydromont"}))
        self.refuses(2, ["export", unknown, "--to", "fmu3", "--out", self.out], "hydromont")


if __name__ == "__main__":
    unittest.main()
