# SPDX-License-Identifier: Apache-2.0
import json
import pathlib
import tempfile
import unittest

import docs_figures


class Figures(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp())
        (self.root / "docs/figures").mkdir(parents=True)
        (self.root / "docs/figures/case.json").write_text(json.dumps({"figures": {"coverage, %": 94.66}}))

    def page(self, text):
        (self.root / "docs/page.md").write_text(text)
        return docs_figures.check(self.root)

    def test_a_right_figure_passes_and_a_wrong_one_is_named_with_its_line(self):
        self.assertEqual(self.page("seen: 94.7<!-- case: coverage, %: .1f --> %"), ([], 1))
        complaints, _ = self.page("\nseen: 92.5<!-- case: coverage, %: .1f --> %")
        self.assertEqual(len(complaints), 1)
        self.assertIn("page.md:2: 92.5 stands here, case found 94.7", complaints[0])

    def test_missing_files_and_quantities_are_named(self):
        self.assertIn("there is no docs/figures/other.json", self.page("1<!-- other: x: .1f -->")[0][0])
        self.assertIn("has no 'x'; it has coverage, %", self.page("1<!-- case: x: .1f -->")[0][0])

    def test_patterns_and_factors(self):
        (self.root / "docs/figures/case.json").write_text(json.dumps({"figures": {"a: worst, %": 0.2, "b: worst, %": 0.04, "share": 0.951}}))
        text = "0.20<!-- case: max *: worst, %: .2f --> 0.04<!-- case: min *: worst, %: .2f --> 95.1<!-- case: share: x100 .1f -->"
        self.assertEqual(self.page(text), ([], 3))
        self.assertIn("has no 'max c*'", self.page("1<!-- case: max c*: .1f -->")[0][0])

    def test_a_study_that_is_named_carries_a_figure(self):
        good = "| study (`validation_case`) | 94.7<!-- case: coverage, %: .1f --> % |"
        self.assertEqual(self.page(good), ([], 1))
        complaints, _ = self.page("text\n\n| a | 1 |\n| study (`validation_case`) | 92.5 % |\n")
        self.assertEqual(complaints, ["page.md:4: case is named, and none of its figures is marked"])

    def test_write_mends(self):
        self.page("seen: 92.5<!-- case: coverage, %: .1f --> %")
        docs_figures.check(self.root, write=True)
        self.assertEqual((self.root / "docs/page.md").read_text(), "seen: 94.7<!-- case: coverage, %: .1f --> %")


class Project(unittest.TestCase):
    def test_the_docs_of_this_project(self):
        complaints, _ = docs_figures.check(pathlib.Path(__file__).resolve().parent.parent)
        self.assertEqual(complaints, [])


if __name__ == "__main__":
    unittest.main()
