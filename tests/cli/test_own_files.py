# SPDX-License-Identifier: Apache-2.0
"""What operations write, `kdyn inspect` knows; and conversions between all formats that can hold the content give the numbers back.

Oracle of the conversions: the file that was converted first, read again at the end of the way."""
import itertools
import unittest

from harness import CAB_MOUNT, SOURCE, CliTest

DATA, EXAMPLES = SOURCE / "data", SOURCE / "examples"
TRUTH = CAB_MOUNT / "z_truth.json"


def runs(folder):
    """One quick run of every operation that writes files: name and words."""
    out = lambda name: ["--out", folder / name]
    yield "fit", ["fit", "elastomer", "--data", CAB_MOUNT / "x_map.csv", CAB_MOUNT / "x_static.csv", *out("fit")]
    yield "batch", ["fit", "elastomer", "--data", CAB_MOUNT / "x_map.csv", CAB_MOUNT / "y_map.csv", *out("batch")]
    yield "sheet", ["fit", "elastomer", "--static-stiffness", 338e3, "--dynamic-hardening-1", 1.314, "--dynamic-hardening-2", 1.124, "--loss-angle-deg", 2.47, *out("sheet")]
    yield "active", ["fit", "activemount", "--data", DATA / "active_mount" / "s_x.csv", DATA / "active_mount" / "p_yx.csv", "--model", DATA / "active_mount" / "model.json", *out("active")]
    yield "aem", ["aem", DATA / "active_mount" / "model.json", *out("aem")]
    yield "map", ["rig", TRUTH, "--program", "map", "--frequencies-hz", "1,10", "--amplitudes-m", "1e-4,1e-3", *out("map")]
    yield "static", ["rig", TRUTH, "--program", "static", "--static-amplitude-m", "4e-3", *out("static")]
    yield "transient", ["rig", TRUTH, "--program", "transient", "--formula", "1e-3*sin(2*pi*5*t)", "--duration-s", "1", *out("transient")]
    yield "validate", ["validate", TRUTH, CAB_MOUNT / "z_transient.csv", *out("validate")]
    yield "linear", ["linearise", TRUTH, "--amplitude-m", "2e-4", "--preload-n", "0", *out("linear")]
    for to in ("ubf", "bus", "gbs", "c", "fmu2", "fmu3"):
        yield f"export_{to}", ["export", TRUTH, "--to", to, *out(f"export_{to}")]
    yield "import", ["import", folder / "export_bus" / "mount.bus", *out("import")]
    yield "fe", ["fe", EXAMPLES / "updating" / "box_ring.bdf", "--count", "6", *out("fe")]
    yield "modal", ["modal", DATA / "frame" / "frf.csv", "--band-hz", "25,260", *out("modal")]
    yield "vehicle", ["vehicle", "--data", DATA / "bump_test" / "decays.csv", "--added-mass", "130", "250", "40", "4", "4", "5", "5", *out("vehicle")]
    yield "assess", ["assess", DATA / "bump_test" / "drive_old.csv", "--compare", DATA / "bump_test" / "drive_new.csv", *out("assess")]
    yield "simulate", ["simulate", EXAMPLES / "multibody" / "double_mass.json", *out("simulate")]
    yield "modes", ["modes", EXAMPLES / "multibody" / "double_mass.json", *out("modes")]


class OwnFiles(CliTest):
    def test_inspect_knows_every_file_of_every_operation(self):
        seen = 0
        for name, words in runs(self.folder):
            run = self.kdyn(*words)
            self.assertIn(run.returncode, (0, 3), f"{name}: {run.stderr}")
            written = [p for p in sorted((self.folder / name).rglob("*")) if p.is_file()]
            self.assertTrue(written, name)
            self.succeeds("inspect", *written, "--out", self.out, "--no-report")
            for file in self.result()["files"]:
                self.assertNotEqual(file["kind"], "unknown", f"{name}: {file['path']}: {file['findings']}")
                seen += 1
        print(f"\n{seen} files of {len(list(runs(self.folder)))} runs are recognised")


class Conversions(CliTest):
    def text_of(self, path):
        out = self.folder / f"{path.stem}_read_{path.suffix[1:]}.csv"
        self.succeeds("convert", path, out)
        return out.read_text()

    def numbers(self, text):
        """Columns that agree by name up to the unit, in SI."""
        lines = [line.split(",") for line in text.strip().split("\n") if not line.startswith("#")]
        return lines[0], [[float(cell) for cell in line] for line in lines[1:]]

    def chain(self, source, formats, tolerance):
        first = self.numbers(self.text_of(source))
        for a, b in itertools.permutations(formats, 2):
            one = self.folder / f"{source.stem}_to{a}"
            two = self.folder / f"{source.stem}_{a.strip('.')}_to{b}"
            self.succeeds("convert", source, one)
            self.succeeds("convert", one, two)
            names, rows = self.numbers(self.text_of(two))
            self.assertEqual(len(rows), len(first[1]), (a, b))
            self.assertEqual(len(names), len(first[0]), (a, b, names))
            for got, meant in zip(rows, first[1]):
                for x, y, label, name in zip(got, meant, names, first[0]):
                    scale = 1e-3 if name.endswith("_mm") and label.endswith("[m]") else 1.0
                    self.assertLessEqual(abs(x - scale * y), tolerance * (abs(scale * y) + 1e-12), (a, b, label, name))

    def test_maps_and_loops(self):
        self.chain(CAB_MOUNT / "x_map.csv", (".csv", ".mat", ".h5"), 1e-12)
        self.chain(CAB_MOUNT / "z_static.csv", (".csv", ".mat", ".h5"), 1e-12)

    def test_time_records(self):
        # Samples in UFF are doubles, their time a start and a step.
        self.chain(CAB_MOUNT / "x_transient.csv", (".csv", ".uff", ".mat", ".h5"), 1e-9)

    def test_frequency_responses(self):
        self.chain(DATA / "frame" / "frf.csv", (".csv", ".uff", ".mat", ".h5"), 1e-9)

    def test_signals_of_recordings(self):
        source = next((DATA / "lab" / "rpc").glob("gen_*.rsp"))
        for suffix in (".csv", ".uff", ".mat", ".h5"):
            run = self.kdyn("convert", source, self.folder / f"r{suffix}")
            self.assertEqual(run.returncode, 0, run.stderr)


class OperationsTakeFormats(CliTest):
    """The same signals in every format lead every operation to the same result."""

    def converted(self, source, suffixes):
        for suffix in suffixes:
            target = self.folder / f"{source.stem}{suffix}"
            self.succeeds("convert", source, target)
            yield target

    def test_fit_of_maps(self):
        self.succeeds("fit", "elastomer", "--data", CAB_MOUNT / "x_map.csv", "--out", self.out, "--no-report")
        meant = self.result()["parameters"]["static_stiffness"]["value"]
        for path in self.converted(CAB_MOUNT / "x_map.csv", (".mat", ".h5")):
            self.succeeds("fit", "elastomer", "--data", path, "--out", self.out, "--no-report")
            self.assertAlmostEqual(self.result()["parameters"]["static_stiffness"]["value"] / meant, 1.0, delta=1e-9, msg=path.name)

    def test_records_on_the_rig_and_in_validation(self):
        meant = None
        for path in [CAB_MOUNT / "x_transient.csv", *self.converted(CAB_MOUNT / "x_transient.csv", (".uff", ".mat", ".h5"))]:
            self.succeeds("rig", CAB_MOUNT / "x_truth.json", "--program", "transient", "--input", path, "--out", self.out, "--no-report")
            force = self.result()["series"]["force"] if isinstance(self.result().get("series"), dict) and "force" in self.result()["series"] else None
            run = self.kdyn("validate", CAB_MOUNT / "x_truth.json", path, "--out", self.folder / "v", "--no-report")
            self.assertIn(run.returncode, (0, 3), f"{path.name}: {run.stderr}")
            if meant is None:
                meant = force
            elif force is not None:
                self.assertLess(max(abs(a - b) for a, b in zip(force, meant)), 1e-6 * max(map(abs, meant)), path.name)

    def test_assessment(self):
        words = ["assess", DATA / "bump_test" / "drive_old.csv", "--out", self.out, "--no-report"]
        run = self.kdyn(*words)
        self.assertEqual(run.returncode, 0, run.stderr)
        for path in self.converted(DATA / "bump_test" / "drive_old.csv", (".uff", ".h5", ".mat")):
            run = self.kdyn("assess", path, "--out", self.folder / "a", "--no-report")
            self.assertEqual(run.returncode, 0, f"{path.name}: {run.stderr}")


if __name__ == "__main__":
    unittest.main()
