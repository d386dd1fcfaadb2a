# SPDX-License-Identifier: Apache-2.0
"""Models out: C source and FMUs through the real binary. What they compute is tested in src/kdyn/fmu/test."""
import json
import math
import os
import subprocess
import unittest
import zipfile

from harness import CAB_MOUNT, KDYN, SOURCE, CliTest

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
                self.assertEqual([file["path"] for file in result["files"]], ["cab_z.fmu", "cab_z_check.csv", "cab_z_check_in.csv"])
                self.assertEqual(result["fmu"][0]["fmi_version"], version)
                self.assertEqual(result["fmu"][0]["platforms"][0], platform)
                self.assertEqual(result["findings"], [])
                with zipfile.ZipFile(self.out / "cab_z.fmu") as archive:
                    self.assertIsNone(archive.testzip())
                    names = archive.namelist()
                    self.assertEqual(names[0], "modelDescription.xml")
                    self.assertIn(f"binaries/{platform}/cab_z.so", names)
                    self.assertIn("documentation/index.html", names)
                    self.assertEqual(json.loads(archive.read("resources/model.json"))["model"], "elastomer")
                with open(self.out / "cab_z_check.csv") as file:
                    self.assertEqual(file.readline(), "time,displacement,velocity,force\n")
                with open(self.out / "cab_z_check_in.csv") as file:
                    self.assertEqual(file.readline(), "time,displacement,velocity\n")

    def test_no_other_program_is_needed_and_the_date_can_be_fixed(self):
        empty = self.folder / "empty"
        empty.mkdir()
        words = [KDYN, "export", str(TRUTH), "--to", "fmu2", "--out", str(self.out), "--author", "A. Nonymous", "--model-version", "7"]
        run = subprocess.run(words, capture_output=True, text=True, env=dict(os.environ, PATH=str(empty), SOURCE_DATE_EPOCH="86400"))
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(self.result()["findings"], [])
        with zipfile.ZipFile(self.out / "mount.fmu") as archive:
            self.assertTrue(any(name.startswith("binaries/") for name in archive.namelist()))
            xml = archive.read("modelDescription.xml").decode()
        for words in ('generationDateAndTime="1970-01-02T00:00:00Z"', 'author="A. Nonymous"', 'version="7"', 'license="Runtime: Apache-2.0"'):
            self.assertIn(words, xml)

    def test_what_is_lost_is_told_beforehand(self):
        """Oracle: complex stiffness of a Maxwell mount in closed form; a file with a spring and a damper of the same loss has its imaginary part and
        the static stiffness."""
        static, stiffness, relaxation = 300e3, 120e3, 0.02
        model = self.write("maxwell.json", json.dumps({"model": "maxwell", "parameters": {"static_stiffness": static, "stiffness": [stiffness], "relaxation_time": [relaxation]}}))
        for frequency in (4, 25):
            turn = 2j * math.pi * frequency * relaxation
            k = static + stiffness * turn / (1 + turn)
            off = abs(complex(static, k.imag)) / abs(k) - 1
            run = self.succeeds("export", model, "--to", "bus", "--dry-run", "--frequency-hz", frequency, "--amplitude", 5e-4, "--out", self.out)
            loss = self.result()["loss"]
            self.assertRegex(loss["words"], rf"^{float(f'{-100 * off:.2g}'):g} % too soft at {frequency} Hz, 0.5 mm")
            self.assertEqual(loss["severity"], "warning")
            self.assertIn(f".bus: {loss['words']}", run.stdout)
            # A dry run leaves no file of the format.
            self.assertEqual((self.result()["files"], self.files_written()), ([], ["document.json", "report.html", "result.json"]))
        spring = self.write("spring.json", json.dumps({"model": "kelvin_voigt", "parameters": {"stiffness": 2e5, "damping": 300.0}}))
        for to in ("bus", "gbs", "c", "fmu3"):
            self.assertEqual(self.export(spring, to, "--dry-run")["loss"], {"words": "whole model", "severity": "none"}, to)
        self.assertEqual(self.export(TRUTH, "ubf", "--dry-run")["loss"]["words"].split(";")[0], "whole model")

    def test_an_fmu_gives_its_model_back(self):
        self.export(TRUTH, "fmu3", "--name", "cab_z")
        fmu = self.folder / "cab_z.fmu"
        fmu.write_bytes((self.out / "cab_z.fmu").read_bytes())
        self.succeeds("import", fmu, "--out", self.out)
        name = self.result()["files"][0]["path"]
        truth = json.loads(TRUTH.read_text())
        while isinstance(truth["model"], dict):
            truth = truth["model"]
        self.assertEqual(json.loads((self.out / name).read_text()), truth)

    def test_bushing_and_several_directions(self):
        bushing = self.write("bushing.json", json.dumps({"model": "bushing", "coupling": "cylindrical", "axes": {"fx": SPRING, "fy": SPRING}}))
        self.assertEqual([f["path"] for f in self.export(bushing, "fmu3")["files"]], ["mount.fmu", "mount_check.csv", "mount_check_in.csv"])
        self.assertEqual([f["path"] for f in self.export(bushing, "c")["files"]],
                         ["mount.cpp", "mount.h", "mount_check.csv", "mount_check_in.csv"])
        spring = self.write("spring.json", json.dumps(SPRING))
        self.succeeds("export", TRUTH, spring, "--directions", "fz", "fx", "--to", "c", "--out", self.out)
        self.assertTrue((self.out / "mount_fz.cpp").exists() and (self.out / "mount_fx.h").exists())

    def test_a_multibody_model_is_an_fmu(self):
        engine = SOURCE / "examples" / "multibody" / "engine.json"
        for to, version, platform in (("fmu2", "2.0", "linux64"), ("fmu3", "3.0", "x86_64-linux")):
            with self.subTest(to):
                result = self.export(engine, to, "--name", "engine", "--inputs", "firing", "left.fz.coupling", "--outputs", "left.fz.*")
                fmu = result["fmu"][0]
                self.assertEqual((fmu["fmi_version"], fmu["platforms"]), (version, [platform]))
                self.assertEqual(fmu["inputs"], ["firing.force.z", "firing.torque.x", "left.fz.coupling"])
                self.assertEqual(fmu["outputs"], ["left.fz.deflection", "left.fz.load"])
                self.assertEqual([finding["code"] for finding in result["findings"]], ["replaced", "replaced"])
                with zipfile.ZipFile(self.out / "engine.fmu") as archive:
                    self.assertEqual(archive.namelist(), ["modelDescription.xml", "documentation/index.html", "documentation/licenses/runtime.txt",
                                                          "resources/system.json", f"binaries/{platform}/engine.so"])

    def test_refusals_of_multibody_models(self):
        engine = SOURCE / "examples" / "multibody" / "engine.json"
        self.refuses(2, ["export", engine, "--to", "fmu2", "--inputs", "fring", "--out", self.out], "inputs", "fring")
        self.refuses(2, ["export", engine, "--to", "c", "--out", self.out], "FMU")
        self.refuses(2, ["export", TRUTH, "--to", "fmu2", "--inputs", "firing", "--out", self.out], "inputs")

    def test_refusals(self):
        self.refuses(2, ["export", TRUTH, "--to", "fmu2", "--name", "my mount", "--out", self.out], "name", "my mount")
        self.refuses(2, ["export", TRUTH, "--to", "fmu4", "--out", self.out], "fmu4")
        unknown = self.write("unknown.json", json.dumps({"model": "hydromont"}))
        self.refuses(2, ["export", unknown, "--to", "fmu3", "--out", self.out], "hydromont")


if __name__ == "__main__":
    unittest.main()
