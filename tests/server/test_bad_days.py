# SPDX-License-Identifier: Apache-2.0
"""Full disks, floods of connections, odd files: the server lives on, and nothing that was finished is lost.

Oracle: the server answers afterwards, and jobs come to the end they would have come to.
A full disk is made by a small file system (tmpfs), where this user may mount one; else those tests are skipped.
"""
import json
import os
import pathlib
import resource
import shutil
import socket
import subprocess
import tempfile
import time
import unittest

from served import PATIENCE, SOURCE, Server, ServerCase

LONG = {"model": "data/x_truth.json", "frequencies_hz": [1.0 + 0.01 * i for i in range(60)], "samples_per_cycle": 4096}


class OddRecords(ServerCase):
    def test_damaged_jobs_are_shown(self):
        good = self.server.submit("inspect", files=["data/none.csv"])
        self.server.wait(good)
        self.server.stop()
        record = json.loads((self.project / "jobs" / good / "job.json").read_text())
        odd = [5, [], None, "x", {}, {**record, "operation": 5}, {**record, "operation": "no such"}, {**record, "state": None}, {**record, "state": "odd"},
               {**record, "attempts": "x"}, {**record, "attempts": -1}, {**record, "attempts": 1.5}, {**record, "pid": "abc", "state": "running"}, {**record, "pid": -1},
               {**record, "pid": 1e300}, {**record, "pid": 2**40}, {**record, "options": 5}, {**record, "options": []}, {**record, "title": {}},
               {**record, "error": "x"}, {**record, "created": 5}, {**record, "status": []}, {**record, "pid_start": "x"}]
        for i, content in enumerate(odd):
            folder = self.project / "jobs" / f"{100 + i:04}-odd"
            folder.mkdir()
            (folder / "job.json").write_text(json.dumps(content))
        folder = self.project / "jobs" / "0200-deep"
        folder.mkdir()
        (folder / "job.json").write_text("[" * 100000)
        self.server = Server(self.project)
        jobs = {job["id"]: job for job in self.server.json("GET", "api/jobs")["jobs"]}
        self.assertEqual(len(jobs), len(odd) + 2)
        for name, job in jobs.items():
            if name == good:
                continue
            self.assertEqual(job["state"], "damaged", job)
            self.assertIn(name, job["error"]["where"])
            self.assertTrue(job["error"]["remedy"])
            self.assertEqual(self.server.request("POST", f"api/jobs/{name}/again", {})[0], 400)
            self.assertEqual(self.server.request("POST", f"api/jobs/{name}/allow", {})[0], 400)
            self.server.json("DELETE", f"api/jobs/{name}")
        self.assertEqual(self.server.wait(self.server.submit("inspect", files=["data/none.csv"]))["state"], "failed")


class Measurements(ServerCase):
    def test_a_replaced_file_is_read_again(self):
        text = (SOURCE / "data/cab_mount/x_map.csv").read_text()
        self.server.upload("map.csv", text.encode())
        path, body = self.project / "data/map.csv", {"files": ["data/map.csv"]}
        first = self.server.json("POST", "api/workbench/open", body)
        before = path.stat()
        changed = text.replace("1", "2")
        self.assertEqual(len(changed), len(text))
        # Same name, size and time of change: as copying programs leave it.
        path.write_text(changed)
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
        self.assertNotEqual(self.server.json("POST", "api/workbench/open", body)["measured"], first["measured"])


class Limits(ServerCase):
    flags = ("--job-hours", "0.0005")

    def test_time_of_a_job(self):
        self.server.upload("x_truth.json", (SOURCE / "data/cab_mount/x_truth.json").read_bytes())
        job = self.server.wait(self.server.submit("rig", **{**LONG, "frequencies_hz": [1.0 + 0.001 * i for i in range(20000)]}))
        self.assertEqual(job["state"], "not_complete")
        self.assertIn("--job-hours", job["reason"])


class Floods(ServerCase):
    def setUp(self):
        before = resource.getrlimit(resource.RLIMIT_NOFILE)
        if before[1] < 4096:
            self.skipTest("too few files for a flood")
        # The server gets the usual limit and may not raise it; the attacker has more.
        resource.setrlimit(resource.RLIMIT_NOFILE, (1024, before[1]))
        self.addCleanup(lambda: resource.setrlimit(resource.RLIMIT_NOFILE, before))
        super().setUp()
        resource.prlimit(self.server.process.pid, resource.RLIMIT_NOFILE, (1024, 1024))
        resource.setrlimit(resource.RLIMIT_NOFILE, (4096, before[1]))

    def test_connections_without_token(self):
        self.server.upload("x_truth.json", (SOURCE / "data/cab_mount/x_truth.json").read_bytes())
        job = self.server.submit("rig", **LONG)
        self.server.wait(job, "running")
        lines = []
        try:
            for i in range(1500):
                line = socket.create_connection(("127.0.0.1", self.server.port), timeout=PATIENCE)
                lines.append(line)
                try:
                    line.send(b"GET / HTTP/1.1\r\nX: ")
                except OSError:  # given up already
                    pass
            # The owner is served meanwhile, and jobs start, run and end.
            self.assertEqual(self.server.request("GET", "api/app")[0], 200)
            second = self.server.submit("inspect", files=["data/x_truth.json"])
            self.assertEqual(self.server.wait(second)["state"], "done")
            self.assertEqual(self.server.wait(job)["state"], "done")
            self.assertEqual(self.server.job(job)["attempts"], 1)
        finally:
            for line in lines:
                line.close()
        self.assertIsNone(self.server.process.poll())

    def test_endless_headers(self):
        """They are not kept: 4 connections that sent header lines for 5 s once cost 160 MB."""
        def memory():
            status = pathlib.Path(f"/proc/{self.server.process.pid}/status").read_text()
            return int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1])
        self.assertEqual(self.server.request("GET", "api/app")[0], 200)
        before = memory()
        for _ in range(4):
            with socket.create_connection(("127.0.0.1", self.server.port), timeout=PATIENCE) as line:
                try:
                    line.sendall(b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 1_000_000)
                    self.assertNotIn(b" 200 ", line.recv(1000).split(b"\r\n")[0])
                except OSError:
                    pass
        self.assertLess(memory() - before, 20_000)
        self.assertEqual(self.server.request("GET", "api/app")[0], 200)


class FullDisk(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="kdyn_disk_"))
        self.addCleanup(lambda: shutil.rmtree(self.folder, ignore_errors=True))
        disk = self.folder / "disk"
        disk.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(disk)], capture_output=True).returncode != 0:
            self.skipTest("no right to mount a small disk")
        self.addCleanup(lambda: subprocess.run(["umount", "-l", str(disk)], check=True))
        self.project = disk / "project"
        self.server = Server(self.project, state=self.folder / "state")
        self.addCleanup(lambda: self.server.stop())
        self.server.upload("x_truth.json", (SOURCE / "data/cab_mount/x_truth.json").read_bytes())

    def fill(self):
        with open(self.project / "filling", "wb", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(4096))
            except OSError:
                pass

    def test_full_while_a_job_runs(self):
        job = self.server.submit("rig", **LONG)
        self.server.wait(job, "running")
        self.fill()
        status, _, body = self.server.request("POST", "api/jobs", {"operation": "inspect", "options": {"files": ["data/x_truth.json"]}})
        self.assertNotEqual(status, 200)
        self.assertIn("disk", json.loads(body)["error"]["remedy"])
        time.sleep(2)  # progress cannot be written meanwhile
        self.assertIsNone(self.server.process.poll(), "the server ended")
        (self.project / "filling").unlink()
        done = self.server.wait(job)
        self.assertEqual((done["state"], done["attempts"]), ("done", 1))
        self.assertEqual(json.loads((self.project / "jobs" / job / "job.json").read_text())["state"], "done")

    def test_full_until_after_its_end(self):
        job = self.server.submit("rig", **{**LONG, "frequencies_hz": [1.0, 2.0]})
        self.fill()
        time.sleep(3)
        (self.project / "filling").unlink()
        self.assertEqual(self.server.wait(job)["state"], "done")


if __name__ == "__main__":
    unittest.main()
