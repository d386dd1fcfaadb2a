# SPDX-License-Identifier: Apache-2.0
"""A real `kdyn serve` for tests, on a free port and a folder of its own.

Environment: KDYN_BINARY, the program; KDYN_SOURCE_DIR, the repository.
"""
import http.client
import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time
import unittest
import urllib.parse

SOURCE = pathlib.Path(os.environ.get("KDYN_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
BINARY = os.environ.get("KDYN_BINARY", str(SOURCE / "build/release/kdyn"))
PATIENCE = 120.0  # seconds before a step counts as hung; a machine that also builds is slow


class Server:
    def __init__(self, project, *flags, state=None):
        """`state` is the folder where this user's key lies; by default one beside the project, so that restarts find the same."""
        self.project = pathlib.Path(project)
        environment = dict(os.environ, XDG_STATE_HOME=str(state or self.project.resolve().parent / "state"))
        self.process = subprocess.Popen(
            [BINARY, "serve", "--project", str(project), "--port", "0", "--no-browser", *flags],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=environment,
        )
        lines = []
        for line in self.process.stdout:
            lines.append(line)
            found = re.search(r"http://127\.0\.0\.1:(\d+)/([0-9a-f]{64})/", line)
            if found:
                self.port, self.token = int(found[1]), found[2]
                return
        self.process.stdout.close()
        self.process.wait()
        raise RuntimeError("kdyn serve did not start:\n" + "".join(lines))

    def request(self, method, path, body=None, headers=None, token=None, timeout=PATIENCE):
        """Status, headers and body. `path` is below the token."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            given = {} if headers is None else dict(headers)
            if isinstance(body, (dict, list)):
                body = json.dumps(body)
                given.setdefault("Content-Type", "application/json")
            connection.request(method, f"/{self.token if token is None else token}/{path}", body, given)
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()
        finally:
            connection.close()

    def json(self, method, path, body=None):
        status, _, content = self.request(method, path, body)
        if status != 200:
            raise AssertionError(f"{method} {path}: {status} {content[:500]!r}")
        return json.loads(content)

    def upload(self, name, content):
        return self.request("PUT", "api/files/" + urllib.parse.quote(name, safe=""), content, {"Content-Type": "application/octet-stream"})

    def submit(self, operation, **options):
        return self.json("POST", "api/jobs", {"operation": operation, "options": options})["id"]

    def job(self, name):
        return self.json("GET", "api/jobs/" + name)

    def wait(self, name, *states):
        """Until the job is in one of the states; by default, until it is over."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            job = self.job(name)
            if job["state"] in states or (not states and job["state"] not in ("queued", "running")):
                return job
            time.sleep(0.05)
        raise AssertionError(f"job {name} is {job}")

    def kill(self):
        """As a power cut would: no chance to say goodbye."""
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        self.process.wait(PATIENCE)
        self.process.stdout.close()
        return self.process.returncode


class ServerCase(unittest.TestCase):
    flags = ()

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="kdyn_serve_")
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)
        self.project = self.root / "project"
        self.server = Server(self.project, *self.flags)
        self.addCleanup(lambda: self.server.stop())
