# SPDX-License-Identifier: Apache-2.0
"""The folder of a result is one transaction: full disks, kills and two runs at once never leave files of different runs beside a result.json.

Oracle: runs with different settings, whose model.json and result.json hold the same numbers when they are of one run.
"""
import json
import os
import random
import shutil
import signal
import subprocess
import time
import unittest

from harness import CAB_MOUNT, KDYN, CliTest

FIT = ("fit", "elastomer", "--data", CAB_MOUNT / "x_map.csv", "--quiet")


class ResultCase(CliTest):
    def agrees(self, folder):
        """result.json, if there is one, and model.json are of one run."""
        if not (folder / "result.json").exists():
            return False
        result, model = json.loads((folder / "result.json").read_text()), json.loads((folder / "model.json").read_text())
        self.assertEqual(result["parameters"]["lambda"]["value"], model["parameters"]["lambda"])
        return True

    def hidden(self, folder):
        return [path.name for path in folder.iterdir() if path.name.startswith(".")]


class Results(ResultCase):
    def test_writability_is_tried_first(self):
        self.write("taken", "")
        self.refuses(4, (*FIT, "--out", "taken/below"), "taken")
        if os.geteuid() != 0:
            (self.folder / "locked").mkdir(mode=0o500)
            self.refuses(4, (*FIT, "--out", "locked/out"))
        # Also before anything is read, and a folder that was made for nothing is gone again.
        run = self.kdyn("fit", "elastomer", "--data", "missing.csv", "--out", "new/deep")
        self.assertEqual(run.returncode, 4)
        self.assertFalse((self.folder / "new").exists())

    def test_a_failed_run_tells_that_the_result_is_old(self):
        self.succeeds(*FIT, "--out", self.out)
        before = (self.out / "result.json").read_bytes()
        run = self.kdyn("fit", "elastomer", "--data", "missing.csv", "--out", self.out)
        self.assertEqual(run.returncode, 4)
        self.assertIn("result.json is of an earlier run", run.stderr)
        self.assertEqual((self.out / "result.json").read_bytes(), before)
        # A report of an earlier run does not stay beside a new result.
        self.assertTrue((self.out / "report.html").exists())
        self.succeeds(*FIT, "--no-report", "--out", self.out)
        self.assertFalse((self.out / "report.html").exists())
        self.assertEqual(self.hidden(self.out), [])

    def test_two_runs_exclude_each_other(self):
        # A folder that is locked as another run locks it; flock of util-linux is that other run.
        self.out.mkdir()
        holder = subprocess.Popen(["flock", str(self.out), "sh", "-c", "echo ready; read line"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        try:
            holder.stdout.readline()
            self.refuses(4, (*FIT, "--out", self.out), "another run")
        finally:
            holder.communicate("\n")
        self.succeeds(*FIT, "--out", self.out)
        self.assertTrue(self.agrees(self.out))

    def test_killed_runs(self):
        """At random times around the moment at which the files are written."""
        out = self.folder / "kept"
        self.succeeds(*FIT, "--fix", "lambda=0.5", "--out", out)
        begin = time.monotonic()
        self.succeeds(*FIT, "--out", self.folder / "timing")
        span = time.monotonic() - begin
        chance = random.Random(4711)
        for _ in range(25):
            shutil.rmtree(self.out, ignore_errors=True)
            shutil.copytree(out, self.out)
            process = subprocess.Popen([KDYN, *map(str, FIT), "--out", str(self.out)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(span * chance.uniform(0.7, 1.1))
            process.send_signal(signal.SIGKILL)
            process.wait()
            self.agrees(self.out)
        # What they left is gone after the next run.
        self.succeeds(*FIT, "--out", self.out)
        self.assertTrue(self.agrees(self.out))
        self.assertEqual(self.hidden(self.out), [])


class FullDisk(ResultCase):
    def setUp(self):
        super().setUp()
        self.disk = self.folder / "disk"
        self.disk.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(self.disk)], capture_output=True).returncode != 0:
            self.skipTest("no right to mount a small disk")
        self.addCleanup(lambda: subprocess.run(["umount", "-l", str(self.disk)], check=True))
        self.out = self.disk / "out"

    def leave(self, free):
        filling = self.disk / "filling"
        if filling.exists():
            filling.unlink()
        stat = os.statvfs(self.disk)
        filling.write_bytes(bytes(max(0, stat.f_bavail * stat.f_frsize - free)))

    def test_every_size_of_room(self):
        """From nothing to enough, 4 kB at a time: exit 0 with everything, or 4; --json prints the result in any case that had one."""
        self.succeeds(*FIT, "--fix", "lambda=0.5", "--out", self.out)
        first = {path.name: path.read_bytes() for path in self.out.iterdir()}
        ends = set()
        for pages in [*range(0, 24), 64, 100, 130, 200, 300]:
            shutil.rmtree(self.out, ignore_errors=True)
            self.out.mkdir()
            for name in ("result.json", "model.json"):
                (self.out / name).write_bytes(first[name])
            self.leave(4096 * pages)
            run = self.kdyn(*FIT, "--json", "--out", self.out)
            self.assertIn(run.returncode, (0, 4), run.stderr)
            there = self.agrees(self.out)
            new = there and self.result()["parameters"]["lambda"]["value"] != 0.5
            if run.returncode == 0:
                self.assertTrue(new)
                self.assertTrue((self.out / "report.html").exists())
            elif run.stdout:
                self.assertNotEqual(json.loads(run.stdout)["parameters"]["lambda"]["value"], 0.5)
            ends.add((run.returncode, new, bool(run.stdout)))
            self.assertEqual(self.hidden(self.out), [])
        # Refused at once; too little for the report; everything.
        self.assertIn((4, False, False), ends)
        self.assertIn((4, True, True), ends)
        self.assertIn((0, True, True), ends)

    def test_standard_output(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        with open("/dev/full", "w") as full:
            run = subprocess.run([KDYN, *map(str, FIT), "--json"], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(run.returncode, 4, run.stderr)


if __name__ == "__main__":
    unittest.main()
