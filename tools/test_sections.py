# SPDX-License-Identifier: Apache-2.0
"""Tabs of the application name sections of reports by id: each id must be given by the report of that operation."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent


class Sections(unittest.TestCase):
    def test_every_id_that_a_tab_asks_for_is_given_by_a_report(self):
        text = (ROOT / "web/app/studies.ts").read_text(encoding="utf-8")
        asked = set()
        for names in re.findall(r"(?:sections|hides): \[([^\]]*)\]", text):
            asked |= set(re.findall(r'"(\w+)"', names))
        asked |= set(re.findall(r'first: "(\w+)"', text))
        given = set()
        for path in (ROOT / "src/kdyn/app").rglob("*.cpp"):
            given |= set(re.findall(r'\.named\("(\w+)"\)', path.read_text(encoding="utf-8")))
        self.assertGreater(len(asked), 20)
        self.assertEqual(asked - given, set())

    def test_no_tab_looks_at_titles(self):
        for path in (ROOT / "web/app").glob("*.ts"):
            self.assertIsNone(re.search(r"\.test\(section\.title\)", path.read_text(encoding="utf-8")), path.name)


if __name__ == "__main__":
    unittest.main()
