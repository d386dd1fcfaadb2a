# SPDX-License-Identifier: Apache-2.0
"""What must not be possible through the web application, tried on the real server.

Oracle: a file with a known secret beside the project folder; its content must never come back, and nothing but the project folder may change.
"""
import concurrent.futures
import http.client
import json
import pathlib
import signal
import socket
import subprocess
import time
import unittest

from served import BINARY, PATIENCE, SOURCE, Server, ServerCase

SECRET = b"frequency_hz,amplitude_mm,secret-4711\n1,2,3\n"


class Security(ServerCase):
    flags = ("--max-upload-mb", "1")

    def setUp(self):
        super().setUp()
        self.secret = self.root / "secret.csv"
        self.secret.write_bytes(SECRET)
        self.before = self.outside()
        self.addCleanup(lambda: self.assertEqual(self.outside(), self.before, "something outside the project changed"))

    def outside(self):
        return {
            str(path.relative_to(self.root)): path.read_bytes()
            for path in self.root.rglob("*")
            if not {self.project, self.root / "state"} & {path, *path.parents} and path.is_file()
        }

    def refused(self, statuses, answer):
        status, _, body = answer
        self.assertIn(status, statuses, body[:300])
        self.assertNotIn(b"secret-4711", body)

    def raw(self, text, timeout=PATIENCE):
        """Sends bytes as they are; returns what comes back until the connection ends."""
        with socket.create_connection(("127.0.0.1", self.server.port), timeout=timeout) as line:
            line.sendall(text)
            got = b""
            while True:
                try:
                    piece = line.recv(65536)
                except ConnectionResetError:
                    return got
                if not piece:
                    return got
                got += piece

    def test_token(self):
        good = self.server.token
        self.assertEqual(self.server.request("GET", "api/app")[0], 200)
        for token in ("", "0" * 64, good[:-1], good + "0", good[:-1] + ("0" if good[-1] != "0" else "1"), good.upper() + "x", "..", "%2e%2e"):
            self.refused((400, 403), self.server.request("GET", "api/app", token=token))
            self.refused((400, 403), self.server.request("GET", "", token=token))
            self.refused((400, 403), self.server.request("POST", "api/jobs", {"operation": "inspect"}, token=token))
        # The page and its script need it too, and it never travels onwards.
        self.refused((403,), self.server.request("GET", "../app.js", token="x"))
        self.assertEqual(self.server.request("GET", "")[1]["Referrer-Policy"], "no-referrer")
        # A new start has a new one. One that was killed is followed by the same, for open pages, kept where its owner alone can read it.
        self.assertEqual((self.project / ".kdyn/session.json").stat().st_mode & 0o777, 0o600)
        self.server.kill()
        self.server = Server(self.project, *self.flags)
        self.assertEqual(self.server.token, good)
        self.server.stop()
        self.assertNotIn(good.encode(), b"".join(path.read_bytes() for path in self.project.rglob("*") if path.is_file()))
        # Nobody can bring one along with a folder.
        (self.project / ".kdyn/session.json").write_text(json.dumps({"token": good, "folder": str(self.project.resolve()), "mark": "0" * 64}))
        (self.project / ".kdyn/session.json").chmod(0o600)
        self.server = Server(self.project, *self.flags)
        self.assertNotEqual(self.server.token, good)

    def test_browser_gets_the_address_by_a_private_file(self):
        """Words of a command can be read by everybody on the machine (/proc/PID/cmdline)."""
        programs = self.root / "state" / "programs"
        programs.mkdir(parents=True)
        seen = programs / "seen"
        (programs / "xdg-open").write_text(f'#!/bin/sh\necho "$@" > {seen}.new; mv {seen}.new {seen}\n')
        (programs / "xdg-open").chmod(0o755)
        project = self.root / "state" / "other"
        process = subprocess.Popen([BINARY, "serve", "--project", str(project), "--port", "0"], stdout=subprocess.PIPE, text=True,
                                   env={"PATH": f"{programs}:/usr/bin:/bin", "DISPLAY": ":99", "XDG_STATE_HOME": str(self.root / "state")})
        try:
            address = next(line for line in process.stdout if "http://" in line).strip()
            end = time.monotonic() + PATIENCE
            while not seen.exists() and time.monotonic() < end:
                time.sleep(0.02)
            path = pathlib.Path(seen.read_text().strip())
            self.assertNotIn(address.split("/")[3], str(path))
            self.assertEqual(path.stat().st_mode & 0o777, 0o600)
            self.assertIn(f"url={address}", path.read_text())
            # Everything of the project is its owner's.
            for one in [project, *project.rglob("*")]:
                self.assertEqual(one.stat().st_mode & 0o077, 0, one)
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(PATIENCE)
            process.stdout.close()
        self.assertFalse(path.exists())

    def test_host_and_origin(self):
        port = self.server.port
        for host in ("evil.example", f"evil.example:{port}", "127.0.0.1", f"127.0.0.1:{port + 1}", "", f"127.0.0.1:{port}.evil.example", f"[::1]:{port}"):
            self.refused((400, 421), self.server.request("GET", "api/app", headers={"Host": host}))
        self.assertEqual(self.server.request("GET", "api/app", headers={"Host": f"localhost:{port}"})[0], 200)
        for origin in ("http://evil.example", "null", "https://127.0.0.1", f"http://127.0.0.1:{port + 1}", f"http://127.0.0.1:{port}.evil.example"):
            self.refused((403,), self.server.request("GET", "api/app", headers={"Origin": origin}))
            self.refused((403,), self.server.request("POST", "api/jobs", {"operation": "inspect"}, {"Origin": origin, "Content-Type": "application/json"}))
        self.assertEqual(self.server.request("GET", "api/app", headers={"Origin": f"http://127.0.0.1:{port}"})[0], 200)
        for site in ("cross-site", "same-site"):
            self.refused((403,), self.server.request("GET", "api/app", headers={"Sec-Fetch-Site": site}))
        # To the first page one may come from anywhere, with the token; to nothing else.
        arriving = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
        self.assertEqual(self.server.request("GET", "", headers=arriving)[0], 200)
        self.refused((403,), self.server.request("GET", "", headers={**arriving, "Sec-Fetch-Dest": "iframe"}))
        self.refused((403,), self.server.request("GET", "api/app", headers=arriving))
        self.refused((403,), self.server.request("GET", "", headers=arriving, token="0" * 64))
        for name, value in (("Origin", f"http://127.0.0.1:{port}"), ("Sec-Fetch-Site", "same-origin")):
            twice = f"GET /{self.server.token}/api/app HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{name}: {value}\r\n{name}: http://evil.example\r\n\r\n"
            self.assertIn(b" 400 ", self.raw(twice.encode()).split(b"\r\n")[0])
        two = f"GET /{self.server.token}/api/app HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nHost: evil.example\r\nConnection: close\r\n\r\n"
        self.assertIn(b" 421 ", self.raw(two.encode()).split(b"\r\n")[0])

    def test_loopback_only(self):
        listening = [line.split() for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]]
        ours = [entry[1] for entry in listening if entry[3] == "0A" and int(entry[1].split(":")[1], 16) == self.server.port]
        self.assertEqual([address.split(":")[0] for address in ours], ["0100007F"])

    def test_headers(self):
        _, page, _ = self.server.request("GET", "")
        policy = page["Content-Security-Policy"]
        for rule in ("default-src 'none'", "script-src 'self'", "connect-src 'self'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'"):
            self.assertIn(rule, policy)
        self.assertNotIn("http", policy)
        self.assertEqual(page["X-Content-Type-Options"], "nosniff")

    def test_a_page_in_the_project_runs_as_a_stranger(self):
        self.assertEqual(self.server.upload("evil.html", b"<script>alert(1)</script>")[0], 200)
        _, headers, _ = self.server.request("GET", "files/data/evil.html")
        self.assertEqual(headers["Content-Type"], "application/octet-stream")
        self.assertIn("attachment", headers["Content-Disposition"])
        job = self.server.submit("inspect", files=["data/evil.html"])
        self.server.wait(job)
        (self.project / "jobs" / job / "report.html").write_text("<script>fetch('/')</script>")
        # As a page only under a key of its own, which opens nothing else: its address is what its scripts can tell somebody.
        self.assertEqual(self.server.request("GET", f"files/jobs/{job}/report.html")[1]["Content-Type"], "text/plain; charset=utf-8")
        key, _, path = self.server.job(job)["report"].partition("/")
        self.assertNotEqual(key, self.server.token)
        status, headers, body = self.server.request("GET", path, token=key)
        self.assertEqual((status, body), (200, b"<script>fetch('/')</script>"))
        self.assertTrue(headers["Content-Security-Policy"].startswith("sandbox allow-scripts"))
        self.assertNotIn("allow-same-origin", headers["Content-Security-Policy"])
        other = self.server.submit("inspect", files=["data/evil.html"])
        self.server.wait(other)
        for elsewhere in ("", "api/app", "app.js", f"jobs/{other}/report.html", f"jobs/{job}/result.json", f"files/{path}", path + "/", "jobs/../" + path):
            self.refused((403,), self.server.request("GET", elsewhere, token=key))
        self.refused((403,), self.server.request("POST", path, {}, token=key))
        self.refused((403,), self.server.request("DELETE", path, token=key))

    def test_traversal_of_addresses(self):
        for path in (
            "files/../secret.csv", "files/data/../../secret.csv", "files/%2e%2e/secret.csv", "files/data/%2e%2e/%2e%2e/secret.csv",
            "files/data/..%2f..%2fsecret.csv", "files//etc/passwd", "files/%2fetc%2fpasswd", f"files/{self.secret}", f"files/%2f{str(self.secret)[1:]}",
            "files/.kdyn/session.json", "files/./.kdyn/session.json", "files/data/.hidden", "files/data%00/../../secret.csv", "files/..%5csecret.csv", "files/",
            "files/data", "api/files?folder=..", "api/files?folder=/etc", "api/files?folder=data/../..", "api/files?folder=.kdyn", "api/jobs/..%2f..",
            "example/cab_mount/z_map.csv", "app.js/../../secret.csv", "files/data/" + "a/" * 300 + "x", "files/" + "%2e" * 500,
        ):
            with self.subTest(path=path):
                self.refused((400, 403, 404, 414), self.server.request("GET", path))

    def test_links(self):
        data = self.project / "data"
        (data / "link.csv").symlink_to(self.secret)
        (data / "folder").symlink_to(self.root)
        (self.project / "word").symlink_to(self.root)
        (data / "twice").symlink_to("folder")
        for path in ("files/data/link.csv", "files/data/folder/secret.csv", "files/word/secret.csv", "files/data/twice/secret.csv", "api/files?folder=word"):
            with self.subTest(path=path):
                self.refused((400, 403, 404), self.server.request("GET", path))
        listed = json.dumps(self.server.json("GET", "api/files"))
        self.assertNotIn("secret", listed)
        self.assertNotIn("link.csv", listed)
        for path in ("data/link.csv", "data/folder/secret.csv", "data/twice/secret.csv", "word/secret.csv", "word"):
            with self.subTest(option=path):
                self.refused((400,), self.server.request("POST", "api/jobs", {"operation": "inspect", "options": {"files": [path]}}))
        # A name that is taken by a link is not written through.
        status, _, body = self.server.upload("link.csv", b"new")
        self.assertEqual((status, json.loads(body)["path"]), (200, "data/link_2.csv"))
        self.assertEqual(self.secret.read_bytes(), SECRET)

    def test_traversal_of_options(self):
        """Every text of every operation is a possible path."""
        paths = ("/etc/passwd", str(self.secret), "../secret.csv", "data/../../secret.csv", "~/x", ".kdyn/session.json", "./../secret.csv", "data/../.kdyn/session.json")
        tried = 0
        for operation in self.server.json("GET", "api/app")["operations"]:
            needed = {}
            for field in operation["fields"]:
                if field.get("required"):
                    needed[field["name"]] = ["data/x.csv"] if field["kind"] == "list of texts" else "data/x.csv"
            for field in operation["fields"]:
                for path in paths:
                    value = {"text": path, "list of texts": ["data/x.csv", path], "any": {"a": {"b": [path]}, path: 1}}.get(field["kind"])
                    if value is None:
                        continue
                    tried += 1
                    with self.subTest(operation=operation["operation"], field=field["name"], path=path):
                        body = {"operation": operation["operation"], "options": {**needed, field["name"]: value}}
                        self.refused((400,), self.server.request("POST", "api/jobs", body))
        self.assertGreater(tried, 200)
        self.assertEqual(self.server.json("GET", "api/jobs")["jobs"], [])
        for body in ({"files": ["../secret.csv"]}, {"files": ["/etc/passwd"]}, {"files": [".kdyn/session.json"]}):
            for address in ("api/workbench/open", "api/responses"):
                self.refused((400, 404), self.server.request("POST", address, body))

    def test_includes_of_files(self):
        """A deck may include other files; the process that reads it must not get out either."""
        if "confined" not in self.server.json("GET", "api/app")["confinement"]:
            self.skipTest("this kernel has no Landlock")
        secret = self.root / "secret.bdf"
        secret.write_text("GRID,4711,,1.0,2.0,3.0\n")
        self.before = self.outside()
        (self.project / "data/link.bdf").symlink_to(secret)
        includes = f"INCLUDE '{secret}'\nINCLUDE '../../secret.bdf'\nINCLUDE 'link.bdf'\n"
        self.server.upload("deck.bdf", f"CEND\nBEGIN BULK\nGRID,1,,0.,0.,0.\n{includes}ENDDATA\n".encode())
        job = self.server.submit("inspect", files=["data/deck.bdf"])
        self.assertEqual(self.server.wait(job)["state"], "done")
        result = json.loads((self.project / "jobs" / job / "result.json").read_text())
        self.assertIn("1 GRID", result["files"][0]["summary"][0])
        self.assertEqual([f["code"] for f in result["findings"]], ["include"] * 3)

    def test_names_of_uploads(self):
        for name in ("..", ".", "../x", "a/b", "/etc/x", ".hidden", "a\\b", "x" * 300, "a\nb", "a\0b", " a", "c:x"):
            with self.subTest(name=name):
                self.refused((400, 403, 404, 414), self.server.upload(name, b"1"))
        self.assertEqual([p.name for p in (self.project / "data").iterdir()], [])
        status, _, body = self.server.upload("Größe 1.csv", b"a")
        self.assertEqual((status, json.loads(body)["path"]), (200, "data/Größe 1.csv"))
        # The same again is the same file; another content is another file.
        self.assertEqual(json.loads(self.server.upload("Größe 1.csv", b"a")[2])["path"], "data/Größe 1.csv")
        self.assertEqual(json.loads(self.server.upload("Größe 1.csv", b"b")[2])["path"], "data/Größe 1_2.csv")

    def test_oversized(self):
        self.assertEqual(self.server.upload("fits.csv", b"x" * (1 << 20))[0], 200)
        self.refused((413,), self.server.upload("big.csv", b"x" * ((1 << 20) + 1)))
        token, port = self.server.token, self.server.port
        head = f"PUT /{token}/api/files/big.csv HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/octet-stream\r\n"
        # A length that is not true, none, and one that is no number.
        for length, status in (("Content-Length: 99999999999999\r\n", b" 413 "), ("", b" 411 "), ("Content-Length: -5\r\n", b" 400 "),
                               ("Transfer-Encoding: chunked\r\n", b" 411 "), ("Content-Length: 3\r\nTransfer-Encoding: chunked\r\n", b" 411 "),
                               ("Content-Length: 10\r\nContent-Encoding: gzip\r\n", b" 415 ")):
            with self.subTest(length=length):
                self.assertIn(status, self.raw((head + length + "\r\n").encode()).split(b"\r\n")[0])
        self.refused((413,), self.server.request("POST", "api/jobs", b"[" * (17 << 20), {"Content-Type": "application/json"}))
        # Endless header, long address.
        got = self.raw(b"GET / HTTP/1.1\r\nX: " + b"a" * 300000 + b"\r\n\r\n")
        self.assertNotIn(b" 200 ", got.split(b"\r\n")[0])
        self.assertIn(b" 414 ", self.raw(f"GET /{token}/{'a' * 5000} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode()).split(b"\r\n")[0])
        self.assertEqual([p.name for p in (self.project / "data").iterdir()], ["fits.csv"])
        self.assertEqual(self.server.request("GET", "api/app")[0], 200)

    def test_slow(self):
        """Clients that send a byte now and then are given up, and disturb nobody meanwhile."""
        token, port = self.server.token, self.server.port
        head = f"PUT /{token}/api/files/slow.csv HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/octet-stream\r\nContent-Length: 1000\r\n\r\n"
        slow = [socket.create_connection(("127.0.0.1", port)) for _ in range(40)]
        for line in slow[:20]:
            line.sendall(b"GET / HT")
        for line in slow[20:]:
            line.sendall(head.encode() + b"12")
        begin = time.monotonic()
        self.assertEqual(self.server.request("GET", "api/app")[0], 200)
        still = set(slow)
        while still and time.monotonic() - begin < PATIENCE:
            for line in list(still):
                line.settimeout(0.01)
                try:
                    line.send(b"a")
                    if not line.recv(1000).startswith(b"HTTP/1.1 2"):
                        still.discard(line)
                except socket.timeout:
                    pass
                except OSError:
                    still.discard(line)
            time.sleep(0.5)
        for line in slow:
            line.close()
        self.assertEqual(len(still), 0, "slow connections are still open")
        self.assertEqual([p.name for p in (self.project / "data").iterdir()], [])

    def test_malformed(self):
        deep = b"[" * 100000
        for body in (b"", b"{", b"[]", b"null", b"\xff\xfe", deep, b'{"operation": 5}', b'{"operation": "inspect", "options": 3}', b'{"operation": "nothing"}',
                     b'{"operation": "inspect", "options": {"unknown": 1}}', b'{"operation": "inspect"}', b'{"options": {}}', b'{"operation": "inspect", "title": {}}'):
            with self.subTest(body=body[:40]):
                status, _, content = self.server.request("POST", "api/jobs", body, {"Content-Type": "application/json"})
                self.assertEqual(status, 400, content[:300])
                self.assertTrue(json.loads(content)["error"]["message"])
        for body in (b"{", b'{"files": 3}', b'{"files": [3]}', b'{"files": {}}', b'{"files": [], "model": 3}', b'{"files": [], "model": {}, "options": {"points": 1e9}}'):
            with self.subTest(body=body):
                for address in ("api/workbench/evaluate", "api/workbench/follow", "api/responses"):
                    status, _, _ = self.server.request("POST", address, body, {"Content-Type": "application/json"})
                    self.assertEqual(status, 400, address)
        for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"):
            self.refused((415,), self.server.request("POST", "api/jobs", b'{"operation": "inspect"}', {"Content-Type": kind}))
        for method in ("OPTIONS", "PATCH", "TRACE", "HEAD", "PROPFIND"):
            self.assertIn(self.server.request(method, "api/app", headers={"Content-Length": "0"})[0], (400, 405))
        for text in (b"\r\n\r\n", b"GET\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00", b"GET / HTTP/9.9\r\n\r\n", bytes(range(256)) * 10 + b"\r\n\r\n"):
            self.assertNotIn(b" 200 ", self.raw(text, 30).split(b"\r\n")[0])
        self.assertEqual(self.server.request("GET", "api/app")[0], 200)

    def test_a_refused_body_is_not_the_next_request(self):
        port = self.server.port
        inner = f"GET /{self.server.token}/api/app HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n"
        outer = f"POST /wrong/api/jobs HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\nContent-Length: {len(inner)}\r\n\r\n{inner}"
        self.assertEqual(self.raw(outer.encode()).count(b"HTTP/1.1 "), 1)

    def test_200_clients(self):
        names = [f"part_{i}.csv" for i in range(200)]
        content = (SOURCE / "data/cab_mount/x_static.csv").read_bytes()

        def client(name):
            line = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=PATIENCE)
            base = f"/{self.server.token}/"
            line.request("PUT", base + "api/files/" + name, content, {"Content-Type": "application/octet-stream"})
            first = line.getresponse()
            first_body = json.loads(first.read())
            line.request("GET", base + "files/data/" + name)
            second = line.getresponse()
            same = second.read() == content
            line.close()
            return first.status, first_body["path"], second.status, same

        with concurrent.futures.ThreadPoolExecutor(200) as pool:
            answers = list(pool.map(client, names))
        self.assertEqual(answers, [(200, "data/" + name, 200, True) for name in names])
        self.assertEqual(sorted(p.name for p in (self.project / "data").iterdir()), sorted(names))

    def test_one_server_for_a_project(self):
        with self.assertRaisesRegex(RuntimeError, "another kdyn serve works on this project"):
            Server(self.project)


if __name__ == "__main__":
    unittest.main()
