# SPDX-License-Identifier: Apache-2.0
"""Project folders that somebody else made: nothing of them runs before the user says so.

Oracle: a file that a program in the folder would leave, and the processes that were not started (attempts of the job).
"""
import json
import shutil
import subprocess
import unittest

from served import BINARY, SOURCE, Server, ServerCase

MODEL = SOURCE / "data/cab_mount/x_truth.json"


class Foreign(ServerCase):
    def setUp(self):
        super().setUp()
        self.server.stop()
        shutil.copy(MODEL, self.project / "data/model.json")
        self.ran = self.project / "ran"
        for name in ("data/cc", "cc"):
            program = self.project / name
            program.write_text(f"#!/bin/sh\necho x86_64-linux-gnu\ntouch {self.ran}\n")
            program.chmod(0o755)

    def restart(self, **how):
        self.server = Server(self.project, *self.flags, **how)

    def plant(self, name, record):
        folder = self.project / "jobs" / name
        folder.mkdir()
        (folder / "job.json").write_text(json.dumps(record))

    def test_planted_jobs_wait_for_consent(self):
        export = {"operation": "export", "options": {"models": ["data/model.json"], "to": "fmu2", "compilers": ["data/cc"]}, "title": "",
                  "created": "2026-01-01T00:00:00Z", "state": "queued", "attempts": 0}
        inspect = {**export, "operation": "inspect", "options": {"files": ["data/model.json"]}}
        outside = {**export, "operation": "inspect", "options": {"files": ["../secret.csv"]}}
        self.plant("0001-export", export)
        self.plant("0002-inspect", {**inspect, "mark": "0" * 64})
        self.plant("0003-inspect", {**inspect, "state": "running", "pid": 1, "pid_start": 1})
        self.plant("0004-inspect", outside)
        self.restart()
        for job in self.server.json("GET", "api/jobs")["jobs"]:
            self.assertEqual((job["state"], job.get("attempts")), ("held", 0), job)
            self.assertNotIn("mark", job)
        # After a job of one's own all others would have been started too.
        own = self.server.wait(self.server.submit("inspect", files=["data/model.json"]))
        self.assertEqual(own["state"], "done")
        for job in self.server.json("GET", "api/jobs")["jobs"]:
            self.assertEqual(job["state"], "done" if job["id"] == own["id"] else "held")
        # With consent they start, checked as new ones are.
        for name, state in (("0001-export", "failed"), ("0002-inspect", "done"), ("0003-inspect", "done"), ("0004-inspect", "failed")):
            self.server.json("POST", f"api/jobs/{name}/allow", {})
            self.assertEqual(self.server.wait(name)["state"], state)
        self.assertIn("leads out of the project", self.server.job("0004-inspect")["error"]["message"])
        self.assertEqual(self.server.request("POST", "api/jobs/0002-inspect/allow", {})[0], 400)
        self.assertFalse(self.ran.exists())

    def test_held_jobs_can_be_deleted(self):
        self.plant("0001-inspect", {"operation": "inspect", "options": {"files": ["data/model.json"]}, "state": "queued"})
        self.restart()
        self.assertEqual(self.server.json("DELETE", "api/jobs/0001-inspect"), {"removed": "0001-inspect"})
        self.assertFalse((self.project / "jobs/0001-inspect").exists())

    def test_own_job_that_was_changed(self):
        """A queued job of this user runs at the next start; not after its options were changed, and not for another user."""
        self.restart()
        running = self.server.submit("rig", model="data/model.json", frequencies_hz=[1.0 + 0.01 * i for i in range(4000)], samples_per_cycle=4096)
        self.server.wait(running, "running")
        self.server.stop()
        path = self.project / "jobs" / running / "job.json"
        record = path.read_text()
        self.assertEqual(json.loads(record)["state"], "queued")
        self.restart(state=self.root / "state_of_somebody_else")
        self.assertEqual(self.server.job(running)["state"], "held")
        self.server.stop()
        path.write_text(record.replace("4096", "2048"))
        self.restart()
        self.assertEqual(self.server.job(running)["state"], "held")
        self.server.stop()
        path.write_text(record)
        self.restart()
        self.assertIn(self.server.job(running)["state"], ("queued", "running"))
        key = self.root / "state/kdyn/key"
        self.assertEqual((key.stat().st_mode & 0o777, key.parent.stat().st_mode & 0o777), (0o600, 0o700))

    def test_compilers_are_known_ones(self):
        """On the command line too: no path, no other program, and not the current folder although PATH names it."""
        for name in ("data/cc", "./cc", "../cc", str(self.project / "cc"), "sh", "cc;sh", "gcc-", "clang-format"):
            run = subprocess.run([BINARY, "export", "data/model.json", "--to", "fmu2", "--compilers", name, "--out", "out"], cwd=self.project,
                                 capture_output=True, text=True)
            self.assertEqual(run.returncode, 2, (name, run.stderr))
            self.assertIn("compilers", run.stderr)
        for path in (".:/usr/bin:/bin", ":/usr/bin:/bin", "data:/usr/bin:/bin"):
            subprocess.run([BINARY, "export", "data/model.json", "--to", "fmu2", "--out", "out"], cwd=self.project, check=True, capture_output=True,
                           env={"PATH": path})
        self.assertFalse(self.ran.exists())
        self.restart()


if __name__ == "__main__":
    unittest.main()
