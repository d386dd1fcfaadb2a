# SPDX-License-Identifier: Apache-2.0
"""The book as `kdyn serve` hands it out: pages by their names, nothing outside of its folder, no page without the token.

The program is copied beside a small book of our own, as it is installed: bin/kdyn and share/kdyn/book."""
import os
import pathlib
import shutil
import tempfile
import unittest

import served

PAGE = "<!doctype html><title>book</title><p>the start page"


class Book(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.home = pathlib.Path(tempfile.mkdtemp(prefix="kdyn_book_"))
        (cls.home / "bin").mkdir()
        shutil.copy(served.BINARY, cls.home / "bin" / "kdyn")
        share = cls.home / "share" / "kdyn"
        (share / "book" / "tutorials").mkdir(parents=True)
        shutil.copy(served.SOURCE / "src/kdyn/app/bundled_examples.json", share / "examples.json")
        (share / "book" / "index.html").write_text(PAGE)
        (share / "book" / "tutorials" / "bushing.html").write_text("<p>bushing")
        (share / "book" / "book.css").write_text("p { margin: 0 }")
        (share / "book" / ".hidden.html").write_text("hidden")
        (share / "secret.html").write_text("secret")
        os.symlink(share / "secret.html", share / "book" / "link.html")
        cls.before, served.BINARY = served.BINARY, str(cls.home / "bin" / "kdyn")
        cls.server = served.Server(cls.home / "project")

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()
        served.BINARY = cls.before
        shutil.rmtree(cls.home)

    def test_pages_by_name(self):
        status, headers, body = self.server.request("GET", "book/index.html")
        self.assertEqual((status, body.decode()), (200, PAGE))
        self.assertEqual(headers["Content-Type"], "text/html; charset=utf-8")
        self.assertIn("script-src 'self';", headers["Content-Security-Policy"])
        self.assertEqual(self.server.request("GET", "book/")[2].decode(), PAGE)
        self.assertEqual(self.server.request("GET", "book/tutorials/bushing.html")[2], b"<p>bushing")
        self.assertEqual(self.server.request("GET", "book/book.css")[1]["Content-Type"], "text/css; charset=utf-8")
        self.assertTrue(self.server.json("GET", "api/app")["book"])

    def test_nothing_else(self):
        for path in ("../secret.html", "..%2fsecret.html", "%2e%2e/secret.html", "tutorials/../../secret.html", "link.html", ".hidden.html", "/etc/passwd", "%2fetc%2fpasswd",
                     "tutorials", "nothing.html", "index.html%00.css", "..\\secret.html"):
            status, _, body = self.server.request("GET", "book/" + path)
            self.assertIn(status, (400, 403, 404), path)
            self.assertNotIn(b"secret\n", body)
            self.assertNotIn(b"root:", body)
        self.assertEqual(self.server.request("POST", "book/index.html", body={})[0] // 100, 4)

    def test_not_without_the_token(self):
        for token in ("0" * 64, "", "book"):
            self.assertIn(self.server.request("GET", "book/index.html", token=token)[0], (400, 403, 404))


if __name__ == "__main__":
    unittest.main()
