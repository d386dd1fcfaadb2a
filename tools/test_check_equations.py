# SPDX-License-Identifier: Apache-2.0
import pathlib
import tempfile
import unittest

import check_equations

E1, E2, E3 = "[rig E1]", "[rig E2]", "[rig E3]"


class CheckEquations(unittest.TestCase):
    def complaints(self, files):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in files.items():
                path = root / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            return check_equations.check(root)

    def assert_one(self, files, *parts):
        complaints = self.complaints(files)
        self.assertEqual(len(complaints), 1, complaints)
        for part in parts:
            self.assertIn(part, complaints[0])

    def test_defined_and_cited(self):
        self.assertEqual([], self.complaints({
            "src/kdyn/rig/THEORY.md": f"# Rig\n**{E1}** F = k u\n\n**{E2}** text; see {E1}\n",
            "src/kdyn/rig/rig.hpp": f"// stiffness {E1}\n",
            "src/kdyn/rig/test/rig_test.cpp": f"// oracle: {E2}\n",
            "apps/cli/main.cpp": f"// {E2}\n",
        }))

    def test_cited_but_not_defined(self):
        self.assert_one({"src/kdyn/rig/rig.cpp": f"int x;\n// {E3}\n"}, "src/kdyn/rig/rig.cpp:2:", E3, "no THEORY.md defines it")

    def test_a_mention_in_running_text_is_no_definition(self):
        self.assert_one({"src/kdyn/rig/THEORY.md": f"as in {E1}\n", "src/kdyn/rig/rig.cpp": f"// {E1}\n"}, "no THEORY.md defines it")

    def test_defined_twice(self):
        self.assert_one({"src/kdyn/rig/THEORY.md": f"**{E1}** a\n**{E1}** b\n", "src/kdyn/rig/rig.cpp": f"// {E1}\n"},
                        "src/kdyn/rig/THEORY.md:2:", "already defined at src/kdyn/rig/THEORY.md:1")

    def test_defined_in_the_wrong_module(self):
        self.assert_one({"src/kdyn/io/THEORY.md": f"**{E1}** a\n", "src/kdyn/rig/rig.cpp": f"// {E1}\n"}, "defined in module io")

    def test_a_citation_elsewhere_does_not_count_as_home(self):
        self.assert_one({"src/kdyn/rig/THEORY.md": f"**{E1}** a\n", "src/kdyn/app/a.cpp": f"// {E1}\n"}, "cited nowhere in the code or tests of rig")

    def test_lists_and_ranges_count_each_equation(self):
        self.assertEqual(["E7", "E9", "E10", "E11"], check_equations.expand("E7, E9-E11"))
        self.assertEqual(["E7", "E8"], check_equations.expand("E7 to E8"))
        self.assertEqual(["E2a", "E2b"], check_equations.expand("E2a, E2b"))
        theory = "".join(f"**{tag}** a\n" for tag in (E1, E2, E3))
        self.assertEqual([], self.complaints({"src/kdyn/rig/THEORY.md": theory, "src/kdyn/rig/rig.cpp": "// [rig E1, E2-E3]\n"}))

    def test_a_tag_broken_at_the_end_of_a_line_counts(self):
        theory = "".join(f"**{tag}** a\n" for tag in (E1, E2))
        broken = "// by the law [rig\n// E1], see [rig E1,\n// E2]\n"
        self.assertEqual([], self.complaints({"src/kdyn/rig/THEORY.md": theory, "src/kdyn/rig/rig.cpp": broken}))


if __name__ == "__main__":
    unittest.main()
