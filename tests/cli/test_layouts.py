# SPDX-License-Identifier: Apache-2.0
"""Bench measurements as labs write them, read as meant: one known mount in many layouts and formats (bench_writings.py), and what must be refused.

Oracle: the numbers from which the files were written by other software, to the digits printed there."""
import csv
import importlib.util
import io
import json
import math
import unittest
import zipfile

from bench_writings import AMPLITUDES, FREQUENCIES, book, further, loops_and_records, mat, maps, rows, side_by_side_and_more, text, uncommon
from harness import SOURCE, CliTest

HEADERS = {"map": "frequency_hz,amplitude_mm,preload_n,k_dyn_n_per_mm,loss_angle_deg", "static": "displacement_mm,force_n", "series": "time_s,displacement_mm,force_n",
           "torsion": "frequency_hz,amplitude_deg,preload_nm,k_dyn_nm_per_deg,loss_angle_deg", "torsion_static": "angle_deg,moment_nm"}




HAVE = all(importlib.util.find_spec(name) for name in ("openpyxl", "scipy", "h5py"))


class ReadAsMeant(CliTest):
    def numbers(self, path):
        with open(path, newline="") as file:
            table = list(csv.reader(line for line in file if not line.startswith("#")))
        return ",".join(table[0]), [[float(cell) for cell in row] for row in table[1:]]

    def agrees(self, writing, header, found):
        if writing.kind == "signals":  # SI, channels by name
            names = header.split(",")
            self.assertEqual(names[0], "time_s", writing.name)
            way = next(i for i, name in enumerate(names) if name.endswith("[m]"))
            force = next(i for i, name in enumerate(names) if name.endswith("[N]"))
            found = [[row[0], 1000 * row[way], row[force]] for row in found]
        else:
            columns = header.split(",")
            wanted = HEADERS[writing.kind].split(",")
            self.assertEqual([c for c in columns if c in wanted], wanted, writing.name)
            found = [[row[columns.index(c)] for c in wanted] for row in found]
        self.assertEqual(len(found), len(writing.expected), writing.name)
        key = (lambda row: tuple(round(value, 6) for value in row[:3])) if "map" in writing.kind or writing.kind == "torsion" else None
        for got, meant in zip(sorted(found, key=key) if key else found, sorted(writing.expected, key=key) if key else writing.expected):
            for a, b in zip(got, meant):
                self.assertLessEqual(abs(a - b), writing.digits * abs(b) + 1e-9, f"{writing.name}: {got} for {meant}")

    def read(self, writing):
        path = self.write(writing.name, writing.content)
        out = self.folder / "read.csv"
        run = self.kdyn("convert", path, out, *writing.words, "--layout", "none")
        self.assertEqual(run.returncode, 0, f"{writing.name}: {run.stderr}")
        self.agrees(writing, *self.numbers(out))
        return path

    def test_every_writing(self):
        count = 0
        kinds = {}
        for generator in (maps, uncommon, further, side_by_side_and_more, loops_and_records):
            iterator = generator()
            while True:
                try:
                    writing = next(iterator)
                except StopIteration:
                    break
                except ModuleNotFoundError as missing:
                    print(f"not written here: {missing}")
                    break
                self.read(writing)
                count += 1
                kind = writing.name.rsplit(".", 1)[1]
                kinds[kind] = kinds.get(kind, 0) + 1
        exports = [p for p in sorted((SOURCE / "data" / "bench_exports").rglob("*.*")) if p.name not in ("README.md", "v13_noheader.csv", "nounits.csv")]
        recordings = [p for p in sorted((SOURCE / "data" / "lab").rglob("gen_*")) if p.suffix in (".mf4", ".rsp", ".drv", ".tim", ".tdms")]
        print(f"\n{count} writings of one mount read as meant: {kinds}; beside them {len(exports)} bench exports and {len(recordings)} recordings with tests of their own")
        self.assertGreaterEqual(count, 60)

    def test_units_and_mapping_are_told(self):
        writing = text("told.csv", "Prüffrequenz [Hz];Wegamplitude [µm];Cdyn [N/mm];Verlustwinkel [Grad]", [["1", "50", "400", "3"], ["2", "50", "410", "3,5"]],
                       [], delimiter=";")
        path = self.write(writing.name, writing.content)
        self.succeeds("inspect", path, "--columns", "preload==850 N", "--out", self.out, "--no-report")
        file = self.result()["files"][0]
        self.assertEqual(file["mapping"], {"frequency": "Prüffrequenz [Hz]", "amplitude": "Wegamplitude [µm]", "k_dyn": "Cdyn [N/mm]", "loss_angle": "Verlustwinkel [Grad]",
                                           "preload": "= =850 N"})
        self.assertEqual({c["column"]: c["unit"] for c in file["conversions"]}["Wegamplitude [µm]"], "µm")

    def test_a_static_position_is_no_preload(self):
        path = self.write("position.csv", "Frequency [Hz],Amplitude [mm],Mean displacement [mm],Kdyn [N/mm],Phase [deg]\n1,1,2.5,400,3\n2,1,2.5,410,3\n")
        self.succeeds("inspect", path, "--out", self.out, "--no-report")
        self.assertIn("preload_unknown", [f["code"] for f in self.result()["files"][0]["findings"] if f["severity"] == "warning"])

    @unittest.skipUnless(HAVE, "openpyxl, scipy and h5py are not here")
    def test_provenance_names_sheet_and_columns(self):
        header = ["Frequency [Hz]", "Amplitude [mm]", "Preload [N]", "Kdyn [N/mm]", "Phase [deg]"]
        path = self.write("m.xlsx", book("m.xlsx", {"Messung z": [header] + [list(row) for row in rows()]}, []).content)
        self.kdyn("fit", "elastomer", "--data", path, "--out", self.out, "--no-report")
        entry = self.result()["provenance"]["inputs"][0]
        self.assertEqual(entry["sheet"], "Messung z")
        self.assertEqual(entry["mapping"]["k_dyn"], "Kdyn [N/mm]")


    def findings(self, name, content):
        self.succeeds("inspect", self.write(name, content), "--layout", "none", "--out", self.out, "--no-report")
        return {f["code"]: f for f in self.result()["files"][0]["findings"]}

    def test_what_is_not_used_is_told(self):
        points = "\n".join(f"23,31,{f},{a},{400 + f},5" for a in (0.1, 1) for f in (1, 5, 20))
        found = self.findings("two_temperatures.csv", "Chamber temperature [°C],Specimen temperature [°C],Frequency [Hz],Amplitude [mm],Kdyn [N/mm],Phase [deg]\n" + points + "\n")
        self.assertIn("Specimen temperature [°C]", found["columns_ignored"]["message"])

    def test_times_without_a_unit(self):
        rows = "\n".join(f"{2 * i},{math.sin(i):.3f},{300 * math.sin(i):.1f}" for i in range(50))
        self.assertEqual(self.findings("whole.csv", "Time,Displacement [mm],Force [N]\n" + rows + "\n")["unit_assumed"]["severity"], "warning")
        rows = "\n".join(f"{0.002 * i:.3f},{math.sin(i):.3f},{300 * math.sin(i):.1f}" for i in range(50))
        self.assertEqual(self.findings("parts.csv", "Time,Displacement [mm],Force [N]\n" + rows + "\n")["unit_assumed"]["severity"], "note")

    def test_temperature_of_a_record_in_other_units(self):
        samples = [f"{0.01 * i:.2f},{math.sin(i):.3f},{300 * math.sin(i):.1f}" for i in range(50)]
        for unit, value in (("°F", "73.4"), ("K", "296.15"), ("°C", "23")):
            path = self.write("record.csv", f"Time [s],Displacement [mm],Force [N],Temperature [{unit}]\n" + "\n".join(f"{s},{value}" for s in samples) + "\n")
            self.succeeds("convert", path, self.folder / "cold.csv", "--temperature", "23", "--layout", "none")

    def test_tables_below_names_of_parts_are_parts(self):
        head = "Frequency [Hz],Amplitude [mm],Kdyn [N/mm],Phase [deg]\n"
        def points(scale):
            return "\n".join(f"{f},{a},{scale * (400 + f):.1f},5" for a in (0.1, 1) for f in (1, 5, 20)) + "\n"
        both = "Mount A\n" + head + points(1.0) + "\nMount B\n" + head + points(1.5)
        path = self.write("two.csv", both)
        self.refuses(2, ["convert", path, self.folder / "no.csv", "--layout", "none"], "holds 2 measurements", "Mount B")
        self.succeeds("convert", path, self.folder / "b.csv", "--part", "Mount B", "--layout", "none")
        self.assertAlmostEqual(self.numbers(self.folder / "b.csv")[1][0][3], 601.5)
        path = self.write("directions.csv", both.replace("Mount A", "x direction").replace("Mount B", "z direction"))
        self.succeeds("convert", path, self.folder / "z.csv", "--direction", "z", "--layout", "none")
        self.assertAlmostEqual(self.numbers(self.folder / "z.csv")[1][0][3], 601.5)
        # Runs of one part stay together.
        path = self.write("runs.csv", both.replace("Mount A", "Run 1").replace("Mount B", "Run 2"))
        self.succeeds("convert", path, self.folder / "runs.csv.csv", "--layout", "none")

    def test_static_loops_below_names_of_parts_are_parts(self):
        def curve(scale):
            return "Weg [mm],Kraft [N]\n" + "".join(f"{x},{scale * 300 * x}\n" for x in (0, 1, 2, 1, 0)) + "\n"
        path = self.write("loops.csv", "Mount A\n" + curve(1.0) + "Mount B\n" + curve(1.5))
        self.succeeds("convert", path, self.folder / "b.csv", "--part", "Mount B", "--layout", "none")
        self.assertEqual(self.numbers(self.folder / "b.csv")[1][1], [1.0, 450.0])
        path = self.write("beside.csv", "Mount A,,Mount B,\nWeg [mm],Kraft [N],Weg [mm],Kraft [N]\n" + "".join(f"{x},{300 * x},{x},{450 * x}\n" for x in (0, 1, 2, 1, 0)))
        self.succeeds("convert", path, self.folder / "b.csv", "--part", "Mount B", "--layout", "none")
        self.assertEqual(self.numbers(self.folder / "b.csv")[1][1], [1.0, 450.0])
        # Without a line that tells them apart nobody knows which is meant.
        self.refuses(2, ["convert", self.write("open.csv", "\n".join(path.read_text().split("\n")[1:])), self.folder / "no.csv", "--layout", "none"], "both mean displacement")
        # Two branches of one curve are one part.
        found = self.findings("branches.csv", "Belastung\n" + curve(1.0) + "Entlastung\n" + curve(1.0))
        self.assertNotIn("parts_by_title", found)

    def test_what_leaves_a_number_open_is_told(self):
        points = "\n".join(f"{f},{a},850,{400 + f},5" for a in (0.1, 1) for f in (1, 5, 20))
        found = self.findings("load.csv", "Frequency [Hz],Amplitude [mm],Load [N],Kdyn [N/mm],Phase [deg]\n" + points + "\n")
        self.assertEqual(found["preload_unknown"]["severity"], "warning")
        self.assertIn("--columns preload=", found["preload_unknown"]["remedy"])
        found = self.findings("total.csv", "Frequency [Hz],Total amplitude [mm],Preload [N],Kdyn [N/mm],Phase [deg]\n" + points + "\n")
        self.assertIn("zero-to-peak", found["amplitude_assumed"]["message"])

    def test_moduli_are_known(self):
        path = self.write("dma.csv", "T;f;E';tan delta\nC;Hz;MPa;-\n-20;1;12;0.3\n20;1;5;0.12\n20;10;5.5;0.14\n")
        self.succeeds("inspect", path, "--out", self.out, "--no-report")
        (file,) = self.result()["files"]
        self.assertEqual(file["kind"], "moduli")
        self.assertIn("3 rows", " ".join(file["summary"]))
        self.refuses(2, ["convert", path, self.folder / "no.csv"], "moduli")

    @unittest.skipUnless(HAVE, "openpyxl, scipy and h5py are not here")
    def test_sheets_of_one_map(self):
        table = {f"{a:g} mm": [["Frequency [Hz]", "Kdyn [N/mm]", "Phase [deg]"]] + [[f, 400 + f + a, 5] for f in FREQUENCIES] for a in AMPLITUDES}
        self.succeeds("convert", self.write("sheets.xlsx", book("s.xlsx", table, []).content), self.folder / "joined.csv", "--layout", "none")
        self.assertEqual(sorted(row[3] for row in self.numbers(self.folder / "joined.csv")[1]), sorted(400 + f + a for f in FREQUENCIES for a in AMPLITUDES))
        # Points that come up twice are no parts of one map.
        twice = {name: [["Frequency [Hz]", "Amplitude [mm]", "Kdyn [N/mm]", "Phase [deg]"]] + [[f, 1, k + f, 5] for f in FREQUENCIES] for name, k in (("M17", 400), ("M18", 600))}
        self.refuses(2, ["convert", self.write("parts.xlsx", book("p.xlsx", twice, []).content), self.folder / "no.csv", "--layout", "none"], "holds 2 measurements")

    @unittest.skipUnless(HAVE, "openpyxl, scipy and h5py are not here")
    def test_what_a_workbook_hides(self):
        import openpyxl
        workbook = openpyxl.Workbook()
        sheet = workbook.active
        sheet.append(["Frequency [Hz]", "Amplitude [mm]", "Kdyn [N/mm]", "Phase [deg]"])
        for f in FREQUENCIES:
            sheet.append([f, 0.1, 400 + f, 5])
        sheet.row_dimensions[4].hidden = True
        out = io.BytesIO()
        workbook.save(out)
        self.assertEqual(self.findings("filtered.xlsx", out.getvalue())["hidden_rows"]["where"].rsplit("!", 1)[1], "4")
        sheet["C3"] = "=405*1"
        out = io.BytesIO()
        workbook.save(out)
        self.assertIn("formula_without_value", self.findings("formula.xlsx", out.getvalue()))

    @unittest.skipUnless(HAVE, "openpyxl, scipy and h5py are not here")
    def test_scaling_that_hdf5_asks_for(self):
        import h5py
        out = io.BytesIO()
        with h5py.File(out, "w") as file:
            file.create_dataset("acc", data=range(200), dtype="i2").attrs.update({"units": "m/s^2", "scale_factor": 0.001})
            file.create_dataset("time_s", data=[0.01 * i for i in range(200)])
        self.assertEqual(self.findings("scaled.h5", out.getvalue())["scaling_not_applied"]["severity"], "serious")


class Refused(CliTest):
    """Each kind of file in bad variants: a place, a reason and a remedy, and nothing is written."""

    def no(self, name, content, *mentions, words=()):
        self.refuses(2, ["convert", self.write(name, content), self.folder / "no.csv", *words, "--layout", "none"], *mentions)

    def test_tables_of_text(self):
        head = "frequency_hz,amplitude_mm,preload_n,k_dyn_n_per_mm,loss_angle_deg\n"
        self.no("cut.csv", head + "1,0.1,0,400,3\n2,0.1,0,4", "cut.csv:3")
        self.no("type.csv", head + "1,0.1,0,400,3\n2,0.1,0,high,3\n", "type.csv:3", "'high'")
        self.no("times.csv", "time_s,Running Time (s),displacement_mm,force_n\n0,0,0,0\n1,1,1,1\n", "times.csv:1", "both mean time", "--columns time=")
        self.no("units.csv", "displacement_mm,force_n\nin,N\n0,0\n1,1\n", "units.csv:1", "'in' is told", "--units")
        self.no("brackets.csv", "Frequency [Hz],Amplitude [mm],Kdyn [N/mm] (kN/mm),Phase [deg]\n1,1,1,1\n2,1,1,1\n", "brackets.csv:1", "is told")
        self.no("dimension.csv", "frequency_hz,amplitude_mm,k_dyn_mm,loss_angle_deg\n1,1,1,1\n2,1,1,1\n", "dimension.csv:1")
        self.no("unknown.csv", "displacement [parsec],force_n\n0,0\n1,1\n", "unknown.csv:1", "parsec")
        self.no("unitless.csv", "displacement,force\n0,0\n1,1\n", "unitless.csv:1", "--units")
        self.no("both.csv", "Kdyn [N/mm],Stiffness [N/mm],Frequency [Hz],Amplitude [mm],Phase [deg]\n1,2,3,4,5\n1,2,3,4,5\n", "both.csv:1", "both mean k_dyn")
        self.no("cross.csv", "force_x_n,force_y_n,displacement_mm\n1,1,1\n2,2,2\n", "cross.csv:1", "force")
        self.no("decimals.csv", "Weg [mm];Kraft [N]\n0,5;1.25\n1.5;2,5\n", "decimals.csv")
        self.no("back.csv", "time_s,displacement_mm,force_n\n0,0,0\n1,1,1\n0.5,2,2\n", "back.csv:4", "time after")
        self.no("negative.csv", head + "-1,0.1,0,400,3\n", "negative.csv:2", "> 0")
        self.no("header.csv", head, "header.csv:1", "header without rows")
        self.no("empty.csv", "", "empty.csv", "empty")
        self.no("half_complex.csv", "Frequency [Hz],Amplitude [mm],K* [N/mm]\n1,1,400+20i\n2,1,410\n3,1,420+20i\n", "half_complex.csv:3", "complex")
        self.no("numbered.csv", "f [Hz],A [mm],K1 [N/mm],K2 [N/mm],K3 [N/mm],delta [deg]\n1,1,400,401,402,3\n2,1,410,411,412,3\n", "numbered.csv:1", "k_dyn")
        self.no("angles.csv", "f [Hz],A [mm],K' [N/mm],K'' [N/mm],delta [deg]\n1,1,400,401,3\n2,1,410,411,3\n", "angles.csv:1", "another angle", "--columns k_dyn=")
        self.no("decibel.csv", "Frequency [Hz],Amplitude [mm],Kdyn [dB re 1 N/m],Phase [deg]\n1,1,112,3\n2,1,113,3\n", "decibel.csv:1", "dB")
        self.no("clock.csv", "Time,Displacement (mm),Force (N)\n12:00,0,0\n12:01,1,1\n", "clock.csv:2", "'12:00'")
        # A column of numbers without a known name under which the points come up again tells parts apart; they are never one measurement.
        points = [(f, a) for a in (0.1, 1) for f in (1, 5, 20)]
        cavities = "\n".join(f"{n},{f},{a},{400 + 40 * n},5" for n in (1, 2, 3) for f, a in points)
        self.no("cavities.csv", "Cavity,Frequency [Hz],Amplitude [mm],Kdyn [N/mm],Phase [deg]\n" + cavities + "\n", "holds 3 measurements", "Cavity 2 map")
        self.no("hint.csv", head + "1,0.1,0,400,3\n", "no such", words=["--columns", "k_dyn=no such"])
        self.no("wide.csv", "Frequency [Hz],Kdyn 0.1mm [N/mm],Kdyn 0.2mm [N/mm]\n1,2,3\n2,3,4\n", "wide.csv:1", "loss_angle")
        self.no("utf16.csv", ("Weg [mm]\tKraft [N]\n1\tx\n2\t2\n").encode("utf-16"), "utf16.csv")
        self.no("bytes.csv", bytes(range(256)) * 8, "bytes.csv", "binary")

    def test_styles_that_leave_something_open(self):
        head = "Frequency [Hz],Amplitude [mm],Kdyn [N/mm],Phase [deg]\n"
        self.no("factor.csv", "Frequency [Hz],Amplitude [mm],Kdyn [N/mm],tan delta x 1000\n1,1,400,60\n2,1,410,61\n", "factor.csv:1", "holds a factor", "loss_factor=1e-3")
        self.no("kilogram.csv", "Frequency [Hz],Amplitude [mm],Kdyn [kg/mm],Phase [deg]\n1,1,40,6\n2,1,41,6\n", "kilogram.csv:1", "k_dyn=kgf/mm")
        self.no("gon.csv", "Frequency [Hz],Amplitude [mm],Kdyn [N/mm],Phase [gon]\n1,1,400,6\n2,1,410,6\n", "gon.csv:1", "gon")
        self.no("nines.csv", head + "1,1,400,6\n2,1,-9999,-9999\n", "nines.csv:3", "-9999")
        self.no("e30.csv", head + "1,1,400,6\n2,1,1.0E+30,1.0E+30\n", "e30.csv:3")
        self.no("log.csv", "log f [Hz],Amplitude [mm],Kdyn [N/mm],Phase [deg]\n0.1,1,400,6\n0.8,1,410,6\n", "log.csv:1", "frequency")
        self.no("ratio.csv", "Frequency [Hz],Amplitude [mm],Kstat [N/mm],Kdyn/Kstat,Phase [deg]\n1,1,300,1.3,6\n2,1,300,1.4,6\n", "ratio.csv:1", "k_dyn")
        self.no("damping_ratio.csv", "Frequency (Hz),Amplitude (mm),Kdyn (N/mm),Damping ratio (-)\n1,1,400,0.03\n2,1,410,0.03\n", "damping_ratio.csv:1", "loss_angle")
        self.no("two_marks.csv", "Frequenz [Hz],Amplitude [mm],Kdyn [N/mm],Phase [deg]\n1,0,0,05,400,0,3,85\n5,0,0,05,424,5,4,69\n", "two_marks.csv:2")
        self.no("behind.csv", "Weg [mm];Kraft [N]\n1.0;300.0\n0.0;10.5-\n1.0-;300.0-\n", "behind.csv:3", "'10.5-'")
        self.no("brackets_negative.csv", "Displacement [mm],Force [N]\n1.0,300.0\n0.5,(10.5)\n(1.0),(300.0)\n", "brackets_negative.csv:3", "'(10.5)'")
        self.no("volts.csv", "Displacement [V],Force [V]\n0,0\n1,2\n", "volts.csv:1", "'V'")
        self.no("twice.csv", "Displacement [mm],Load [kN],Load [N]\n0,0,0\n1,0.3,300\n", "twice.csv:1", "both mean force")
        self.no("pairs.csv", "Weg 1 [mm];Kraft 1 [N];Weg 2 [mm];Kraft 2 [N]\n0;0;0;0\n1;300;1;400\n", "pairs.csv:1", "both mean")
        self.no("again.csv", "Time [s],Displacement [mm],Force [N]\n0,0,0\n0.1,1,300\n0.2,0,0\n0,0,0\n0.1,1,300\n", "again.csv:5", "time")
        self.no("strange.csv", "Frequenza [Hz];Ampiezza [mm];Rigidezza [N/mm];Angolo à perdita [°]\n1;1;400;3\n2;1;410;3\n", "strange.csv:1", "Angolo à perdita [°]")

    @unittest.skipUnless(HAVE, "openpyxl, scipy and h5py are not here")
    def test_workbooks(self):
        header = ["Frequency [Hz]", "Amplitude [mm]", "Kdyn [N/mm]", "Phase [deg]"]
        good = book("g.xlsx", {"Data": [header, [1, 0.1, 400, 3], [2, 0.1, 410, 3]]}, []).content
        self.no("cut.xlsx", good[:len(good) // 2], "cut.xlsx")
        self.no("type.xlsx", book("t.xlsx", {"Data": [header, [1, 0.1, 400, 3], [2, 0.1, "high", 3]]}, []).content, "type.xlsx!Data!C3", "'high'")
        self.no("times.xlsx", book("t.xlsx", {"S": [["Time [s]", "Running Time [s]", "Weg [mm]", "Kraft [N]"], [0, 0, 0, 0], [1, 1, 1, 1]]}, []).content, "times.xlsx!S", "two time columns")
        self.no("units.xlsx", book("t.xlsx", {"S": [["Weg [mm]", "Kraft [N]"], ["in", "N"], [0, 0], [1, 1]]}, []).content, "units.xlsx!S!A1", "is told")
        self.no("sheet.xlsx", good, "no sheet", words=["--sheets", "Nothing"])
        self.no("nothing.xlsx", book("t.xlsx", {"S": [["only", "words"], ["and", "more"]]}, []).content, "nothing.xlsx")
        archive = io.BytesIO()
        with zipfile.ZipFile(archive, "w") as other:
            other.writestr("hello.txt", "no workbook")
        self.no("zip.xlsx", archive.getvalue(), "zip.xlsx")
        self.no("bomb.xlsx", (SOURCE / "data" / "workbooks" / "gen_bomb.xlsx").read_bytes(), "bomb.xlsx")
        self.no("ole.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "ole.xls", ".xlsx")

    @unittest.skipUnless(HAVE, "openpyxl, scipy and h5py are not here")
    def test_arrays(self):
        good = mat("g.mat", {"frequency_hz": FREQUENCIES, "amplitude_mm": [1.0] * 5, "k_dyn_n_per_mm": [400.0] * 5, "loss_angle_deg": [3.0] * 5}, []).content
        self.no("cut.mat", good[:len(good) - 60], "cut.mat")
        self.no("hint.mat", good, "nothing_like_it", words=["--columns", "k_dyn=nothing_like_it"])
        self.no("negative.mat", mat("n.mat", {"f": [-1.0, 2.0, 3.0], "a": [1.0] * 3, "k": [4.0] * 3, "d": [3.0] * 3}, []).content, "negative.mat", "> 0",
                words=["--columns", "frequency=f,amplitude=a,k_dyn=k,loss_angle=d", "--units", "frequency=Hz,amplitude=mm,k_dyn=N/mm,loss_angle=deg"])

    def test_recordings_and_results(self):
        lab = SOURCE / "data" / "lab"
        for path in sorted(lab.rglob("gen_*")):
            if path.suffix not in (".mf4", ".rsp", ".tdms") or "daqmx" in path.name:
                continue
            content = path.read_bytes()
            run = self.kdyn("inspect", self.write("cut" + path.suffix, content[:max(90, len(content) // 3)]), "--out", self.out, "--no-report")
            self.assertEqual(run.returncode, 0, run.stderr)
            findings = self.result()["files"][0]["findings"]
            self.assertTrue(any(f["severity"] in ("serious", "warning") for f in findings), f"{path.name} cut short goes without a word")
        daqmx = next(lab.rglob("*daqmx*"))
        self.refuses(2, ["convert", daqmx, self.folder / "no.csv"], "DAQmx")
        op2 = bytearray()  # the first records of an OP2 file: a date, then the name of a data block
        for words in ((3,), (11, 16, 26), (7,)):
            op2 += (4 * len(words)).to_bytes(4, "little") + b"".join(w.to_bytes(4, "little") for w in words) + (4 * len(words)).to_bytes(4, "little")
        op2 += (28).to_bytes(4, "little") + b"NASTRAN FORT TAPE ID CODE - " + (28).to_bytes(4, "little") + bytes(400)
        self.refuses(2, ["convert", self.write("r.op2", bytes(op2)), self.folder / "no.csv"], "OP2")


class WhoseMeasurements(CliTest):
    """Part and direction of a table that tells none, or another one. Oracle: what was said."""
    MAP = "frequency_hz,amplitude_mm,preload_n,k_dyn_n_per_mm,loss_angle_deg\n1,0.1,0,400,5\n10,0.1,0,450,6\n1,1,0,350,7\n10,1,0,390,8\n"

    def labels(self, path):
        self.succeeds("inspect", path, "--out", self.out, "--no-report")
        file = self.result()["files"][0]
        return file.get("part"), file.get("direction")

    def test_said_of_the_whole_table_and_kept_in_the_copy(self):
        for name, content in (("plain.csv", self.MAP), ("other.csv", "# part: B2\n# direction: x\n" + self.MAP), ("y_map.csv", self.MAP)):
            copy = self.folder / "copy.csv"
            self.succeeds("convert", self.write(name, content), copy, "--columns", "part==A 17,direction==Z")
            self.assertEqual(self.labels(copy), ("A 17", "z"), name)
            self.assertEqual([line for line in copy.read_text().splitlines() if not line.startswith("#")], self.MAP.splitlines(), name)

    def test_labels_of_the_file_stay_in_the_copy(self):
        copy = self.folder / "copy.csv"
        self.succeeds("convert", self.write("named.csv", "# part: B2\n# direction: radial\n# date: 2026-03-01\n" + self.MAP), copy)
        self.assertEqual(self.labels(copy), ("B2", "radial"))
        self.assertIn("# date: 2026-03-01", copy.read_text())
        # Without labels the copy is the bare table.
        self.succeeds("convert", self.write("bare.csv", self.MAP), copy)
        self.assertEqual(copy.read_text(), self.MAP)

    def test_a_direction_without_a_word_is_refused(self):
        run = self.kdyn("convert", self.write("plain.csv", self.MAP), self.folder / "copy.csv", "--columns", "direction==")
        self.assertEqual(run.returncode, 2)
        self.assertIn("names no direction", run.stderr)


if __name__ == "__main__":
    unittest.main()
