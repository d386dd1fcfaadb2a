# SPDX-License-Identifier: Apache-2.0
"""kdyn fe through the real binary. Oracles: the free-free chain of two masses, and the bundled deck read back from every format."""
import json
import math
import struct
import os
import subprocess
import unittest

from harness import KDYN, SOURCE, CliTest

RING = SOURCE / "examples" / "updating" / "box_ring.bdf"
# Two nodes with 2 kg and 3 kg and a spring of 1e5 N/m along x; everything else is held.
PAIR = """BEGIN BULK
GRID,1,,0.,0.,0.,,23456
GRID,2,,1.,0.,0.,,23456
CELAS2,1,1.+5,1,1,2,1
CONM2,2,1,,2.
CONM2,3,2,,3.
ENDDATA
"""


def mtx(entries, size):
    lines = [f"{i} {j} {v}" for i, j, v in entries]
    return f"%%MatrixMarket matrix coordinate real symmetric\n{size} {size} {len(lines)}\n" + "\n".join(lines) + "\n"


def shapes_of(path):
    """Components of each mode in the datasets 55 of a universal file."""
    shapes, lines = [], path.read_text().splitlines()
    for i in (i for i, line in enumerate(lines) if line.strip() == "55" and lines[i - 1].strip() == "-1"):
        numbers = []
        for line in lines[i + 9:]:
            words = line.split()
            if words == ["-1"]:
                break
            if len(words) > 1:  # the lines between hold node labels
                numbers += map(float, words)
        shapes.append(numbers)
    return shapes


class Fe(CliTest):
    def test_two_masses(self):
        self.succeeds("fe", self.write("pair.bdf", PAIR), "--count", "2", "--out", self.out)
        result = self.result()
        self.assertEqual(result["status"], "converged")
        self.assertEqual(result["rigid_modes"], 1)
        exact = math.sqrt(1e5 * (1 / 2 + 1 / 3)) / (2 * math.pi)
        self.assertAlmostEqual(result["frequencies_hz"][1], exact, delta=1e-9 * exact)
        self.assertAlmostEqual(result["mass"]["value"], 5.0, delta=1e-9)  # of the whole, though only x moves
        self.assertTrue(result["mass"]["whole"])
        for found, exact_value in zip(result["mass"]["centre_m"] + result["mass"]["inertia_kg_m2"], [0.6, 0, 0, 0, 1.2, 1.2, 0, 0, 0]):
            self.assertAlmostEqual(found, exact_value, delta=1e-9)
        self.assertTrue(result["sturm"]["checked"])
        self.assertEqual(self.files_written(), ["document.json", "report.html", "result.json"])

    def test_cards_that_are_not_understood(self):
        deck = self.write("weld.bdf", PAIR.replace("ENDDATA", "PLOTEL,8,1,2\nCWELD,5,6,7\nCWELD,9,6,7\nENDDATA"))
        run = self.kdyn("fe", deck, "--out", self.out)
        self.assertEqual(run.returncode, 2)
        for word in ("weld.bdf:8", "CWELD", "2 cards", "--ignore-cards CWELD"):
            self.assertIn(word, run.stderr)
        self.succeeds("fe", deck, "--count", "2", "--ignore-cards", "CWELD", "--out", self.out)
        findings = {f["code"]: f for f in self.result()["findings"]}
        self.assertEqual(findings["cards_ignored"]["severity"], "warning")
        self.assertIn("PLOTEL", findings["cards_not_used"]["message"])

    def test_includes_from_anywhere(self):
        (self.folder / "sub").mkdir()
        self.write("beside.inc", "CONM2,2,1,,2.\n")
        self.write("sub/deep.inc", "INCLUDE 'deeper.inc'\n")
        self.write("sub/deeper.inc", "CONM2,3,2,,3.\n")
        bulk = PAIR.replace("CONM2,2,1,,2.\nCONM2,3,2,,3.\n", "INCLUDE '../beside.inc'\nINCLUDE '%s'\n" % (self.folder / "sub" / "deep.inc"))
        self.succeeds("fe", self.write("sub/deck.bdf", bulk), "--count", "2", "--out", self.out)
        self.assertAlmostEqual(self.result()["mass"]["value"], 5.0, delta=1e-9)
        run = self.kdyn("fe", self.write("lost.bdf", PAIR.replace("CONM2,3", "INCLUDE 'nowhere.inc'\nCONM2,3")), "--out", self.out)
        self.assertEqual(run.returncode, 2)
        self.assertIn("lost.bdf:6", run.stderr)
        self.assertIn("nowhere.inc", run.stderr)

    def test_units_of_the_deck(self):
        deck = self.write("pair.bdf", PAIR.replace("1.+5", "100.").replace(",,2.", ",,.002").replace(",,3.", ",,.003").replace("2,,1.,", "2,,1000.,"))
        self.succeeds("fe", deck, "--count", "2", "--length-m", "0.001", "--mass-kg", "1000", "--out", self.out)
        self.assertAlmostEqual(self.result()["frequencies_hz"][1], math.sqrt(1e5 * 5 / 6) / (2 * math.pi), delta=1e-6)

    def test_every_matrix_format_gives_the_same_modes(self):
        self.succeeds("fe", RING, "--count", "14", "--no-report", "--write", "matrices.op4", "matrices.h5", "matrices.mtx", "matrices.sti", "matrices.pch",
                      "model.bdf", "--out", self.out)
        first = self.result()["frequencies_hz"]
        self.assertEqual(self.result()["rigid_modes"], 6)
        self.assertAlmostEqual(first[6], 62.75, delta=0.05)
        # DMIG holds ten digits of each entry, CalculiX fourteen; stiffness entries are 1e8 times the differences that make the first mode.
        for files, tolerance in ((["matrices.op4"], 1e-8), (["matrices.h5"], 1e-8), (["matrices_K.mtx", "matrices_M.mtx"], 1e-8), (["matrices.sti"], 1e-6),
                                 (["matrices.pch"], 1e-3), (["model.bdf"], 1e-6)):
            with self.subTest(files=files):
                other = self.folder / ("again_" + files[0])
                self.succeeds("fe", *[self.out / f for f in files], "--count", "14", "--no-report", "--write", "modes.h5", "--out", other)
                again = self.result(other)
                if files != ["matrices.pch"]:  # ten digits of the stiffness are too few for a motion of zero energy
                    self.assertEqual(again["rigid_modes"], 6)
                for a, b in zip(first[6:], again["frequencies_hz"][6:]):
                    self.assertLess(abs(a / b - 1), tolerance)

    def test_ranks_share_an_eigenproblem(self):
        """SLEPc and MUMPS on 1, 2 and 4 ranks against block Lanczos: another formulation, another factor."""
        words = ("fe", RING, "--count", "20", "--write", "modes.uff", "--quiet", "--no-report", "--out")
        self.succeeds(*words, self.out)
        own, shapes = self.result(), shapes_of(self.out / "modes.uff")
        for ranks in (1, 2, 4):
            with self.subTest(ranks=ranks):
                out = self.folder / f"ranks_{ranks}"
                run = self.over_ranks(ranks, *words, out, "--eigensolver", "slepc", code=None)
                if "is not installed" in run.stderr:
                    self.skipTest("built without SLEPc")
                self.assertEqual(run.returncode, 0, run.stderr)
                result = self.result(out)
                self.assertEqual(result["solver"]["eigensolver"], "slepc")
                self.assertEqual((result["status"], result["rigid_modes"], result["sturm"]["checked"], result["sturm"]["modes_below"]),
                                 ("converged", 6, True, 20))
                self.assertLess(max(result["residuals"]), 1e-9)
                for a, b in zip(result["frequencies_hz"][6:], own["frequencies_hz"][6:]):
                    self.assertLess(abs(a / b - 1), 1e-10)
                others = shapes_of(out / "modes.uff")
                self.assertEqual(len(others), len(shapes))
                for mine, other in zip(shapes, others):  # rigid ones too: basis and signs follow from the model alone; the file has six digits
                    self.assertLess(max(abs(a - b) for a, b in zip(mine, other)), 2e-5 * max(map(abs, mine)))

    def test_says_what_to_do_without_slepc(self):
        environment = dict(os.environ, KDYN_SLEPC_MODULE=str(self.folder / "none.so"))
        run = subprocess.run([KDYN, "fe", RING, "--eigensolver", "slepc"], capture_output=True, text=True, env=environment)
        self.assertEqual(run.returncode, 2)
        self.assertIn("none.so", run.stderr)
        self.assertIn("slepc-dev", run.stderr)

    def test_reduction(self):
        words = ["fe", RING, "--count", "12", "--interface-nodes", "769", "772", "775", "778", "--write", "reduced.h5", "--no-report"]
        errors = []
        for method in (["--reduce", "guyan"], ["--reduce", "craig_bampton", "--fixed-modes", "40"]):
            out = self.folder / method[1]
            self.succeeds(*words, *method, "--out", out)
            reduction = self.result(out)["reduction"]
            errors.append(reduction["largest_frequency_error"])
            self.assertEqual(reduction["size"], 24 if method[1] == "guyan" else 64)
        self.assertLess(errors[1], 0.01)
        self.assertLess(errors[1], errors[0])
        # The reduced matrices are a model again.
        self.succeeds("fe", self.folder / "craig_bampton" / "reduced.h5", "--count", "12", "--write", "modes.h5", "--no-report", "--out", self.out)
        for a, b in zip(self.result()["frequencies_hz"][6:], self.result(self.folder / "craig_bampton")["reduction"]["frequencies_hz"][6:]):
            self.assertAlmostEqual(a, b, delta=1e-5 * b)

    def test_body_from_a_deck(self):
        """Both ways of reduction keep the frequencies of the whole model, its mass, and the motion of points that follow others."""
        self.succeeds("fe", RING, "--count", "14", "--no-report", "--out", self.folder / "fe")
        whole = self.result(self.folder / "fe")
        for method in ("craig_bampton", "free_interface"):
            out = self.folder / method
            self.succeeds("body", "--from", "fe", "--fe", RING, "--method", method, "--interface-nodes", "769,772,775", "778", "--normal-modes", "60",
                          "--no-report", "--out", out)
            body = self.result(out)
            for mode, exact in zip(body["modes"], whole["frequencies_hz"][6:]):
                self.assertLess(abs(mode["frequency_hz"] / exact - 1), 5e-3)
            self.assertLess(abs(body["rigid"]["mass"] / whole["mass"]["value"] - 1), 1e-9)
            self.assertEqual(len(json.loads((out / "body.json").read_text())["interface_dofs"]), 24)
        self.refuses(2, ["body", "--from", "fe", "--fe", RING, "--interface-nodes", "12345678", "--out", self.out], "12345678")

    def test_derivatives_come_along(self):
        self.write("K.mtx", mtx([(1, 1, 3e4), (2, 2, 3e4), (2, 1, -1e4)], 2))
        self.write("M.mtx", mtx([(1, 1, 1.0), (2, 2, 1.0)], 2))
        self.write("dK_middle.mtx", mtx([(1, 1, 1e4), (2, 2, 1e4), (2, 1, -1e4)], 2))
        self.succeeds("fe", "K.mtx", "M.mtx", "dK_middle.mtx", "--count", "2", "--out", self.out)
        self.assertEqual(self.result()["derivatives"], ["middle"])
        self.assertAlmostEqual(self.result()["frequencies_hz"][1], math.sqrt(4e4) / (2 * math.pi), delta=1e-9)
        # They are written with M and K, and are derivatives again when read back.
        self.succeeds("fe", "K.mtx", "M.mtx", "dK_middle.mtx", "--count", "2", "--write", "matrices.h5", "matrices.mtx", "--out", self.out)
        for files in (["matrices.h5"], ["matrices_K.mtx", "matrices_M.mtx", "dK_middle.mtx"]):
            with self.subTest(files=files):
                self.succeeds("fe", *[self.out / f for f in files], "--count", "2", "--out", self.folder / files[0])
                again = self.result(self.folder / files[0])
                self.assertEqual(again["derivatives"], ["middle"])
                self.assertAlmostEqual(again["frequencies_hz"][1], math.sqrt(4e4) / (2 * math.pi), delta=1e-9)

    def test_names_in_files_lead_nowhere_else(self):
        """An array called dK_/../../x becomes the name of a file."""
        def array(name, rows):
            size = len(rows)
            part = lambda kind, data: struct.pack("<II", kind, len(data)) + data + bytes(-len(data) % 8)
            content = part(6, struct.pack("<II", 6, 0)) + part(5, struct.pack("<ii", size, size)) + part(1, name.encode())
            return part(14, content + part(9, struct.pack(f"<{size * size}d", *[x for row in zip(*rows) for x in row])))
        head = b"MATLAB 5.0 MAT-file".ljust(124) + struct.pack("<HH", 0x0100, 0x4D49)
        outside = self.folder / "x.mtx"
        for bad in ("dK_/../../x", "dK_/x", "dK_" + "../" * 12 + str(self.folder)[1:] + "/x"):
            self.write("model.mat", head + array("K", [[3e4, -1e4], [-1e4, 3e4]]) + array("M", [[1.0, 0.0], [0.0, 1.0]]) +
                       array(bad, [[1e4, -1e4], [-1e4, 1e4]]))
            run = self.kdyn("fe", "model.mat", "--count", 2, "--write", "matrices.mtx", "--out", self.out / "deep" / "result")
            self.assertFalse(outside.exists(), bad)
            self.assertEqual([p for p in self.folder.rglob("x.mtx") if self.out / "deep" / "result" not in p.parents], [], bad)
            self.assertIn(run.returncode, (0, 2), run.stderr)
            if run.returncode == 2:
                self.assertIn("leads out", run.stderr)

    def test_what_a_deck_asks_for_is_not_silent(self):
        deck = self.write("pair.bdf", PAIR.replace("BEGIN BULK", "BEGIN BULK\nEIGRL,1,,500.,7"))
        self.succeeds("fe", deck, "--count", "2", "--out", self.out)
        self.assertIn("7 modes", next(f for f in self.result()["findings"] if f["code"] == "eigrl")["message"])

    def test_the_doctor(self):
        def findings():
            return {f["code"]: f for f in self.result()["findings"]}

        general = "%%MatrixMarket matrix coordinate real general\n2 2 4\n1 1 3e4\n2 2 3e4\n1 2 -1e4\n2 1 -1.1e4\n"
        self.write("K.mtx", general)
        self.write("M.mtx", mtx([(1, 1, 1.0), (2, 2, 1.0)], 2))
        self.succeeds("fe", "K.mtx", "M.mtx", "--count", "2", "--out", self.out)
        self.assertEqual(findings()["not_symmetric"]["severity"], "serious")
        self.assertIn("remedy", findings()["not_symmetric"])
        # A second mass that nothing ties: two free motions where the whole has one.
        loose = PAIR.replace("CELAS2,1,1.+5,1,1,2,1", "CELAS2,1,1.+5,1,1,2,1\nGRID,3,,2.,0.,0.,,23456\nCONM2,4,3,,1.\nPARAM,AUTOSPC,NO")
        self.succeeds("fe", self.write("loose.bdf", loose), "--count", "3", "--out", self.out)
        self.assertIn("3+X", findings()["mechanism"]["message"])
        # Nastran holds it unless told otherwise; its mass counts all the same.
        self.succeeds("fe", self.write("loose.bdf", loose.replace(",NO", ",YES")), "--count", "2", "--out", self.out)
        self.assertEqual(findings()["held_with_mass"]["severity"], "warning")
        self.assertAlmostEqual(self.result()["mass"]["value"], 6.0, delta=1e-9)
        self.succeeds("fe", self.write("long.bdf", PAIR.replace("2,,1.,", "2,,1000.,")), "--count", "2", "--out", self.out)
        self.assertIn("length_m", findings()["units_length"]["remedy"])
        self.succeeds("fe", RING, "--count", "8", "--no-report", "--out", self.out)
        self.assertIn("massless", findings())

    def test_bad_input(self):
        bad = [
            (2, ["fe"], "files"),
            (4, ["fe", "nowhere.bdf"], "nowhere.bdf"),
            (2, ["fe", self.write("empty.bdf", "BEGIN BULK\nENDDATA\n")], "empty.bdf"),
            (2, ["fe", self.write("word.txt", "hello\n")], "word.txt"),
            (2, ["fe", self.write("only_K.mtx", mtx([(1, 1, 1.0)], 1))], "mass"),
            (2, ["fe", self.write("hole.bdf", PAIR.replace("CELAS2,1,1.+5,1,1,2,1", "CELAS2,1,1.+5,1,1,9,1"))], "hole.bdf:4", "GRID 9"),
            (2, ["fe", self.write("pair.bdf", PAIR), "--count", "0"], "count"),
            (2, ["fe", "pair.bdf", "--write", "modes.xyz"], "modes.xyz"),
            (2, ["fe", "pair.bdf", "--write", "../modes.uff"], "folder"),
            (2, ["fe", "pair.bdf", "--reduce", "guyan"], "interface_nodes"),
            (2, ["fe", "pair.bdf", "--reduce", "guyan", "--interface-nodes", "77"], "77"),
            (2, ["fe", "pair.bdf", "--reduce", "static"], "craig_bampton"),
            (2, ["fe", self.write("negative.bdf", PAIR.replace("1.+5", "-1.+5"))], "negative"),
        ]
        nan = self.write("nan_K.mtx", mtx([(1, 1, "nan")], 1))
        bad.append((2, ["fe", nan, self.write("nan_M.mtx", mtx([(1, 1, 1.0)], 1))], "nan_K"))
        for code, words, *mentions in bad:
            with self.subTest(words=words):
                self.refuses(code, [*words, "--out", self.out], *mentions)


if __name__ == "__main__":
    unittest.main()
