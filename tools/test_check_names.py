#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of check_names.py on small trees."""
import pathlib
import tempfile
import unittest

import check_names


def header(space, body):
    return f"#pragma once\nnamespace {space} {{\n{body}\n}}  // namespace {space}\n"


class CheckNames(unittest.TestCase):
    def complaints(self, files):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in files.items():
                path = root / "src/kdyn" / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return check_names.check(root)

    def test_the_project_passes(self):
        self.assertEqual([], check_names.check(pathlib.Path(__file__).resolve().parent.parent))

    def test_two_modules_with_one_name(self):
        found = self.complaints({"io/a.hpp": header("kdyn::inline io", "struct Excitation {};"),
                                 "sysid/b.hpp": header("kdyn::inline sysid", "enum class Excitation { hammer };")})
        self.assertEqual(1, len(found))
        self.assertIn("two modules define Excitation", found[0])

    def test_two_modules_with_one_function(self):
        found = self.complaints({
            "signal/a.hpp": header("kdyn::inline signal", "std::vector<double> turns(std::span<const double> x, double gate = 0.0);"),
            "doctor/b.hpp": header("kdyn::inline doctor", "// as before\nstd::vector<std::size_t> turns(const std::vector<double>& values,\n  double gate) {\n  return {};\n}")})
        self.assertEqual(1, len(found))
        self.assertIn("two modules define turns(std::vector<double>, double)", found[0])

    def test_overloads_for_own_types_and_members_are_fine(self):
        self.assertEqual([], self.complaints({
            "io/a.hpp": header("kdyn::inline io", "struct A {\n  int size(int n) const;\n};\nint size(const A& a);"),
            "signal/b.hpp": header("kdyn::inline signal", "struct B {\n  int size(int n) const;\n};\nint size(const B& b);")}))

    def test_same_name_behind_a_written_namespace_is_fine(self):
        self.assertEqual([], self.complaints({"io/a.hpp": header("kdyn::inline io", "struct Model {};"),
                                              "mbs/b.hpp": header("kdyn::mbs", "struct Model {};")}))

    def test_a_type_outside_its_namespace(self):
        found = self.complaints({"io/a.hpp": header("kdyn", "class Reader : Base {")})
        self.assertEqual(1, len(found))
        self.assertIn("src/kdyn/io/a.hpp:3: Reader is defined in namespace kdyn; names of io live in kdyn::inline io", found[0])

    def test_forward_declarations_stand_where_the_type_does(self):
        self.assertEqual([], self.complaints({"io/a.hpp": header("kdyn::inline base", "class ByteSource;")}))


if __name__ == "__main__":
    unittest.main()
