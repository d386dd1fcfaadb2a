# SPDX-License-Identifier: Apache-2.0
"""Covers of reports. Oracle: the file that was given; base64 of Python's library."""
import base64
import json
import re
import unittest

from harness import CAB_MOUNT, CliTest

X_MAP = CAB_MOUNT / "x_map.csv"


def png(size):
    """A picture of so many bytes behind a head that is right."""
    return b"\x89PNG\r\n\x1a\n" + bytes((7 * i) % 251 for i in range(size))


class Cover(CliTest):
    def document(self):
        html = (self.out / "report.html").read_text()
        return json.loads(re.search(r'<script type="application/json" id="document">(.*?)</script>', html, re.S)[1])

    def test_words_and_logo_stand_in_the_report_and_change_nothing_else(self):
        self.succeeds("inspect", X_MAP, "--out", self.out)
        plain = self.document()
        self.assertNotIn("cover", plain)
        for size in (0, 1, 2, 3, 1000):  # every ending of base64
            logo = png(size)
            self.write("logo.png", logo)
            cover = self.write("cover.json", json.dumps({"part": "4711 <b>", "customer": "Müller & Söhne", "operator": "", "logo": "logo.png"}))
            self.succeeds("inspect", X_MAP, "--out", self.out, "--cover", cover)
            document = self.document()
            self.assertEqual(document.pop("cover"), {"part": "4711 <b>", "customer": "Müller & Söhne", "logo": "data:image/png;base64," + base64.b64encode(logo).decode()})
            for one in (plain, document):
                one.pop("created"), one.pop("provenance")
            self.assertEqual(document, plain)
            plain = dict(document, created="", provenance=[])
            self.assertNotIn("4711 <b>", (self.out / "report.html").read_text())

    def test_what_is_no_cover_is_refused_before_the_run(self):
        self.write("logo.png", "not a picture")
        large = self.write("large.png", png(2 << 20))
        for content, words in (('{"customers": "x"}', "customer"), ('{"logo": "logo.png"}', "no picture"), (json.dumps({"logo": str(large)}), "large.png"), ('{"logo": "nothing.png"}', "nothing.png"), ("[]", "cover.json")):
            run = self.kdyn("inspect", X_MAP, "--out", self.out, "--cover", self.write("cover.json", content))
            self.assertIn(run.returncode, (2, 4), content)
            self.assertIn(words, run.stderr)
            self.assertNotIn("report.html", self.files_written())


if __name__ == "__main__":
    unittest.main()
