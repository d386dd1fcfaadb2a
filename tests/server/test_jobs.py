# SPDX-License-Identifier: Apache-2.0
"""Jobs of the web application: progress, cancel, and what is left when the server or the machine dies.

Oracle: result.json of the same run on the command line.
"""
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest

from served import BINARY, PATIENCE, SOURCE, Server, ServerCase

MAP = (SOURCE / "data/cab_mount/x_map.csv").read_bytes()
# A rig run that takes many seconds: enough to be killed in the middle, with progress at every point.
LONG = {"model": "data/x_truth.json", "frequencies_hz": [1.0 + 0.01 * i for i in range(4000)], "samples_per_cycle": 4096}


class Jobs(ServerCase):
    flags = ("--jobs", "1")

    def setUp(self):
        super().setUp()
        for name in ("x_map.csv", "x_truth.json"):
            self.server.upload(name, (SOURCE / "data/cab_mount" / name).read_bytes())

    def restart(self):
        self.server = Server(self.project, *self.flags)

    def pid(self, job):
        return json.loads((self.project / "jobs" / job / "job.json").read_text()).get("pid")

    def wait_for_progress(self, job):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            seen = self.server.job(job)
            if seen["state"] == "running" and seen["fraction"] > 0:
                return seen
            self.assertIn(seen["state"], ("queued", "running"))
            time.sleep(0.02)
        raise AssertionError(f"no progress: {seen}")

    def test_same_as_command_line(self):
        job = self.server.submit("fit elastomer", data=["data/x_map.csv"])
        done = self.server.wait(job)
        self.assertEqual((done["state"], done["status"], done["has_report"]), ("done", "converged", True))
        ours = json.loads(self.server.request("GET", f"files/jobs/{job}/result.json")[2])
        with tempfile.TemporaryDirectory() as out:
            subprocess.run([BINARY, "fit", "elastomer", "--data", "data/x_map.csv", "--out", out], cwd=self.project, check=True, capture_output=True)
            theirs = json.loads((pathlib.Path(out) / "result.json").read_text())
        for result in (ours, theirs):
            for volatile in ("created", "seconds"):
                del result["provenance"][volatile]
            del result["fit"]["seconds"]
        self.assertEqual(ours, theirs)
        # The folder of a job is a job for the command line too.
        (self.project / "jobs" / job / "result.json").unlink()
        subprocess.run([BINARY, "job", "jobs/" + job], cwd=self.project, check=True)
        self.assertTrue((self.project / "jobs" / job / "result.json").exists())

    def test_errors_name_the_remedy(self):
        self.server.upload("bad.csv", b"a,b\n1,2\n")
        job = self.server.wait(self.server.submit("fit elastomer", data=["data/bad.csv"]))
        self.assertEqual(job["state"], "failed")
        self.assertIn("data/bad.csv", job["error"]["where"])
        self.assertTrue(job["error"]["remedy"])

    def test_cancel(self):
        running = self.server.submit("rig", **LONG)
        waiting = self.server.submit("rig", **LONG)
        self.wait_for_progress(running)
        self.server.json("POST", f"api/jobs/{waiting}/cancel", {})
        self.assertEqual(self.server.job(waiting)["state"], "stopped")
        self.server.json("POST", f"api/jobs/{running}/cancel", {})
        done = self.server.wait(running)
        # What was computed up to then is kept.
        self.assertEqual((done["state"], done["status"]), ("not_complete", "stopped"))
        self.assertEqual(self.server.json("DELETE", f"api/jobs/{waiting}"), {"removed": waiting})
        self.assertFalse((self.project / "jobs" / waiting).exists())

    def test_events(self):
        import http.client

        line = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=PATIENCE)
        line.request("GET", f"/{self.server.token}/api/events?since=0")
        stream = line.getresponse()
        self.assertEqual(stream.getheader("Content-Type"), "text/event-stream")
        job = self.server.submit("fit elastomer", data=["data/x_map.csv"])
        states = []
        while not states or states[-1] != "done":
            text = stream.readline().decode()
            if text.startswith("data: "):
                states += [one["state"] for one in json.loads(text[6:])["jobs"] if one["id"] == job]
        self.assertIn("running", states)
        line.close()

    def test_killed_server(self):
        """The process of a job outlives its server; the next one finds what was finished and goes on with the rest."""
        finished = self.server.submit("fit elastomer", data=["data/x_map.csv"])
        before = self.server.wait(finished)
        running = self.server.submit("rig", **{**LONG, "frequencies_hz": LONG["frequencies_hz"][:400]})
        waiting = self.server.submit("fit elastomer", data=["data/x_map.csv"])
        self.wait_for_progress(running)
        process = self.pid(running)
        token, port = self.server.token, self.server.port
        self.server.kill()
        os.kill(process, 0)  # it is still there
        self.restart()
        self.assertEqual(self.server.token, token)  # an open page goes on working
        self.assertEqual(self.server.job(finished), before)
        self.assertIn(self.server.job(running)["state"], ("running", "done"))
        self.assertEqual(self.server.wait(running)["state"], "done")
        self.assertEqual(self.server.wait(running)["attempts"], 1)
        self.assertEqual(self.server.wait(waiting)["state"], "done")

    def test_killed_machine(self):
        """Server and process die together: the job runs again; when that happens twice it is reported."""
        running = self.server.submit("rig", **LONG)
        for attempt in (1, 2):
            self.assertEqual(self.wait_for_progress(running)["attempts"], attempt)
            process = self.pid(running)
            self.server.kill()
            os.kill(process, signal.SIGKILL)
            self.restart()
        job = self.server.wait(running)
        self.assertEqual(job["state"], "interrupted")
        self.assertIn("again", job["error"]["remedy"])
        again = self.server.json("POST", f"api/jobs/{running}/again", {})
        self.assertEqual(again["options"], job["options"])
        self.server.json("POST", f"api/jobs/{again['id']}/cancel", {})
        self.server.wait(again["id"])

    def test_ended_server(self):
        """Ctrl-C: the job is put back and runs again from the start at the next server."""
        running = self.server.submit("rig", **{**LONG, "frequencies_hz": LONG["frequencies_hz"][:400]})
        self.wait_for_progress(running)
        self.assertEqual(self.server.stop(), 0)
        self.assertEqual(json.loads((self.project / "jobs" / running / "job.json").read_text())["state"], "queued")
        self.restart()
        self.assertEqual(self.server.wait(running)["state"], "done")

    def test_half_written_folders(self):
        (self.project / "jobs" / "0007-rubbish").mkdir()
        (self.project / "jobs" / "0008-rubbish").mkdir()
        (self.project / "jobs" / "0008-rubbish" / "job.json").write_text("{")
        self.server.kill()
        self.restart()
        (damaged,) = self.server.json("GET", "api/jobs")["jobs"]
        self.assertEqual((damaged["id"], damaged["state"]), ("0008-rubbish", "damaged"))
        self.assertTrue(self.server.submit("inspect", files=["data/x_map.csv"]).startswith("0009"))


if __name__ == "__main__":
    unittest.main()
