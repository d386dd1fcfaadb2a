# SPDX-License-Identifier: Apache-2.0
"""Attacks and faults on the command line, each of which once gave a wrong number, a signal, a hang or a lost result (docs/security.md).

Oracle: what a person sees: exit code, message, findings, files.
"""
import csv
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from plain_jobs import DATA, KDYN, SOURCE, base_jobs  # noqa: E402

MODELS = SOURCE / "examples" / "multibody"


class Attack(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="kdyn_attack_")
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)
        self.out = self.folder / "out"

    def kdyn(self, *words, **how):
        return subprocess.run([KDYN, *map(str, words)], cwd=self.folder, capture_output=True, text=True, errors="replace", timeout=120, **how)

    def codes(self):
        return {(f["code"], f["severity"]) for f in json.loads((self.out / "result.json").read_text())["findings"]}


class Channels(Attack):
    """A sensor that is dead, clipped, hangs or jumps gave numbers without a word."""

    def record(self, name, spoil):
        with open(DATA / "bump_test" / "drive_old.csv", newline="") as file:
            head, *rows = csv.reader(file)
        column = next(i for i, text in enumerate(head) if "seat_z" in text)
        values = spoil([float(row[column]) for row in rows])
        for row, value in zip(rows, values):
            row[column] = repr(value)
        with open(self.folder / name, "w", newline="") as file:
            csv.writer(file).writerows([head, *rows])
        return name

    def spoilt(self):
        def spike(values):
            values[1000] = 1e6
            return values

        def hang(values):
            return values[:1500] + [values[1500]] * 120 + values[1620:]

        return {"dead_channel": lambda v: [0.0] * len(v), "clipped": lambda v: [max(-0.8, min(0.8, x)) for x in v], "spikes": spike, "channel_hangs": hang}

    def test_assess_and_inspect_tell_them(self):
        for operation in ("assess", "inspect"):
            self.assertEqual(self.kdyn(operation, DATA / "bump_test" / "drive_old.csv", "--out", self.out, "--no-report").returncode, 0)
            sound = self.codes()
            for code, spoil in self.spoilt().items():
                with self.subTest(operation=operation, fault=code):
                    self.assertEqual(self.kdyn(operation, self.record("drive.csv", spoil), "--out", self.out, "--no-report").returncode, 0)
                    new = self.codes() - sound
                    self.assertIn(code, {c for c, severity in new if severity in ("warning", "serious")})

    def test_sound_recordings_raise_nothing(self):
        """Every bundled record, of a bench, a road and a modal test."""
        for path in (DATA / "bump_test/drive_old.csv", DATA / "bump_test/drive_new.csv", DATA / "subframe/hits_1.uff", DATA / "engine/measured.csv", DATA / "quarter_car/road.csv"):
            self.assertEqual(self.kdyn("inspect", path, "--out", self.out, "--no-report").returncode, 0)
            self.assertFalse({"dead_channel", "clipped", "spikes", "channel_hangs"} & {code for code, _ in self.codes()}, path)


class Steps(Attack):
    def test_a_blow_between_two_steps(self):
        """The masses did not move, and the run was done without a word."""
        self.assertEqual(self.kdyn("simulate", MODELS / "double_mass.json", "--out", self.out, "--no-report").returncode, 0)
        self.assertNotIn("coarse_steps", {code for code, _ in self.codes()})
        for step, severity in ((0.01, "warning"), (0.05, "serious")):
            self.kdyn("simulate", MODELS / "double_mass.json", "--set", f"step_s={step}", "--out", self.out, "--no-report")
            self.assertIn(("coarse_steps", severity), self.codes())


class Parts(Attack):
    def test_two_suppliers_with_equal_file_names(self):
        """One fit went through the parts of both."""
        lines = (DATA / "cab_mount" / "x_map.csv").read_text().splitlines()
        column = next(i for i, name in enumerate(lines[0].split(",")) if "k_dyn" in name)
        for supplier, factor in (("one", 1.0), ("two", 1.05)):
            rows = [row.split(",") for row in lines[1:]]
            for row in rows:
                row[column] = repr(float(row[column]) * factor)
            (self.folder / supplier).mkdir()
            (self.folder / supplier / "x_map.csv").write_text("\n".join([lines[0], *(",".join(row) for row in rows)]) + "\n")
        self.assertEqual(self.kdyn("fit", "elastomer", "--data", "one", "two", "--out", self.out, "--no-report").returncode, 0)
        stiffness = {}
        for name in ("one", "two"):
            stiffness[name] = json.loads((self.out / "parts" / name / "x" / "result.json").read_text())["parameters"]["static_stiffness"]["value"]
        self.assertAlmostEqual(stiffness["two"] / stiffness["one"], 1.05, delta=1e-6)


class Stopping(Attack):
    def stopped(self, *words, second=False):
        process = subprocess.Popen([KDYN, *map(str, words), "--out", str(self.out), "--quiet"], cwd=self.folder, stderr=subprocess.PIPE, text=True)
        time.sleep(1.5)
        self.assertIsNone(process.poll(), "it was ready before it could be stopped")
        process.send_signal(signal.SIGTERM)
        if second:
            time.sleep(0.3)
            process.send_signal(signal.SIGTERM)
        return process.communicate(timeout=100)[1], process.returncode

    def slow(self):
        return "linearise", DATA / "hydro_mount" / "truth.json", "--amplitude-m", "1e-4", "--from-hz", "1e-9"

    def test_work_that_never_looks_at_the_request(self):
        """It ran on for minutes; nothing but kill -9 ended it."""
        told, code = self.stopped(*self.slow())
        self.assertEqual(code, 128 + signal.SIGTERM)
        self.assertIn("stopped", told)
        self.assertFalse(self.out.exists(), "the folder that was made for the run is gone with it")

    def test_an_earlier_result_stays(self):
        self.out.mkdir()
        (self.out / "result.json").write_text("{}")
        self.stopped(*self.slow())
        self.assertEqual([path.name for path in self.out.iterdir()], ["result.json"])
        self.assertEqual((self.out / "result.json").read_text(), "{}")

    def test_a_second_request_ends_at_once(self):
        self.assertEqual(self.stopped(*self.slow(), second=True)[1], -signal.SIGTERM)


class Checkpoints(Attack):
    def test_a_folder_that_takes_nothing_is_refused_before_the_work(self):
        job = base_jobs(self.folder)["update"]
        (self.folder / "a_file").write_text("")
        run = self.kdyn(*job, "--checkpoint", "a_file/below", "--out", self.out)
        self.assertEqual(run.returncode, 4, run.stderr)
        self.assertIn("a_file", run.stderr)
        self.assertFalse((self.out / "result.json").exists())


class Words(Attack):
    def test_a_part_of_what_has_none(self):
        """Found by fuzz_words: an internal error, exit 5."""
        run = self.kdyn("rig", DATA / "cab_mount" / "z_truth.json", "--set", "frequencies_hz=1", "--set", "frequencies_hz.x=2", "--out", self.out)
        self.assertEqual(run.returncode, 2, run.stderr)
        self.assertIn("frequencies_hz", run.stderr)


class Memory(Attack):
    def test_no_signal_when_memory_ends(self):
        """Too little address space at every stage: refused with a message, never a signal."""
        import resource
        ends = set()
        for megabytes in (60, 120, 160, 200, 240, 280, 320, 400):
            limit = megabytes << 20
            run = self.kdyn("fit", "elastomer", "--data", DATA / "cab_mount" / "z_map.csv", DATA / "cab_mount" / "z_static.csv", "--json",
                            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)), env=dict(os.environ, OPENBLAS_NUM_THREADS="1"))
            # 127: the loader had no room for the libraries; kdyn was not started.
            self.assertIn(run.returncode, (0, 2, 4, 127), f"{megabytes} MB: {run.stderr[-300:]}")
            ends.add(run.returncode)
        self.assertIn(0, ends)


if __name__ == "__main__":
    unittest.main()
