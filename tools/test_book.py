# SPDX-License-Identifier: Apache-2.0
"""What tools/book makes of formulas, finding codes and schemas; the expected MathML was written by hand."""
import pathlib
import sys
import unittest
import xml.etree.ElementTree as ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools" / "book"))

import findings  # noqa: E402
import formula  # noqa: E402
import headers  # noqa: E402
import reference  # noqa: E402
import theory  # noqa: E402


def inside(text):
    return formula.mathml(text).removeprefix("<math><mrow>").removesuffix("</mrow></math>")


class Formula(unittest.TestCase):
    def test_parts(self):
        self.assertEqual(inside("k u"), "<mi>k</mi><mi>u</mi>")
        self.assertEqual(inside("omega^2"), "<msup><mi>ω</mi><mn>2</mn></msup>")
        self.assertEqual(inside("y_max"), '<msub><mi>y</mi><mi mathvariant="normal">max</mi></msub>')
        self.assertEqual(inside("u0"), "<msub><mi>u</mi><mn>0</mn></msub>")
        self.assertEqual(inside("a/(b + c)"), "<mfrac><mi>a</mi><mrow><mi>b</mi><mo>+</mo><mi>c</mi></mrow></mfrac>")
        self.assertEqual(inside("a b/c d"), "<mfrac><mrow><mi>a</mi><mi>b</mi></mrow><mi>c</mi></mfrac><mi>d</mi>")  # a product above, one factor below
        self.assertEqual(inside("x/f(u)"), '<mfrac><mi>x</mi><mrow><mi>f</mi><mrow class="b"><mo>(</mo><mi>u</mi><mo>)</mo></mrow></mrow></mfrac>')
        self.assertEqual(inside("c/sin c"), '<mfrac><mi>c</mi><mrow><mi mathvariant="normal">sin</mi><mi>c</mi></mrow></mfrac>')
        self.assertEqual(inside("1/(n)!"), '<mfrac><mn>1</mn><mrow><mrow class="b"><mo>(</mo><mi>n</mi><mo>)</mo></mrow><mo>!</mo></mrow></mfrac>')
        self.assertEqual(inside("sum_i x/y"), "<munder><mo>∑</mo><mi>i</mi></munder><mfrac><mi>x</mi><mi>y</mi></mfrac>")
        self.assertEqual(inside("sqrt(x)"), "<msqrt><mi>x</mi></msqrt>")
        self.assertEqual(inside("x'"), "<msup><mi>x</mi><mo>′</mo></msup>")
        self.assertEqual(inside("zdot"), '<mover accent="true"><mi>z</mi><mo>˙</mo></mover>')
        self.assertEqual(inside("sum_i v_i"), "<munder><mo>∑</mo><mi>i</mi></munder><msub><mi>v</mi><mi>i</mi></msub>")
        self.assertEqual(inside("|K|^2"), "<msup><mrow><mo>|</mo><mi>K</mi><mo>|</mo></mrow><mn>2</mn></msup>")
        self.assertEqual(inside("a <= b"), "<mi>a</mi><mo>≤</mo><mi>b</mi>")

    def test_what_is_no_formula_stays_code(self):
        for text in ("docs/references.bib", "noise_k_dyn_rel", "kdyn fit compare", "masing_test.cpp", "--criterion", "static_stiffness"):
            self.assertEqual(formula.shown(text), f"<code>{text}</code>")
        self.assertEqual(formula.shown("(0, 3 s]"), "<code>(0, 3 s]</code>")  # brackets that do not match

    def test_every_formula_of_the_modules_is_well_formed(self):
        count = 0
        for path in ROOT.glob("src/kdyn/*/THEORY.md"):
            for piece in path.read_text(encoding="utf-8").split("`")[1::2]:
                shown = formula.shown(piece)
                ElementTree.fromstring(shown)
                count += shown.startswith("<math")
        self.assertGreater(count, 1000)


class Headers(unittest.TestCase):
    def test_types_keep_their_members_and_functions_lose_their_bodies(self):
        text = """// SPDX
// What it is.
#pragma once
namespace kdyn {
// A thing.
struct Thing {
  int a = 0;  // of it
};
double half(double x);
// Twice
// as much.
inline double twice(double x) {
  return 2 * x;
}
inline constexpr std::array<int, 2> both = {
  1, 2};
int last();
}  // namespace kdyn"""
        lines = text.splitlines()
        self.assertEqual(headers.opening(lines), "What it is.")
        self.assertEqual(headers.declarations(lines[3:]), [
            ("A thing.", "struct Thing {\n  int a = 0;  // of it\n};"),
            ("", "double half(double x);"),
            ("Twice as much.", "inline double twice(double x);"),
            ("", "inline constexpr std::array<int, 2> both;"),
            ("", "int last();"),
        ])

    def test_every_public_header_is_on_a_page(self):
        for module in ("elastomer", "mbs", "numerics"):
            paths = sorted((ROOT / "src" / "kdyn" / module).glob("*.hpp"))
            text = headers.page(module, paths)
            for path in paths:
                self.assertIn(f"## kdyn/{module}/{path.name}", text)


class Theory(unittest.TestCase):
    def test_equations_get_anchors_and_links(self):
        known = {("element", "E2"), ("elastomer", "E1")}
        lines = theory.equation("elastomer", "E1", "`F = k u` by [element E2], not [element E99]", known)
        self.assertIn('id="elastomer-e1"', lines[1])
        self.assertIn('<a href="element.html#element-e2">', lines[1])
        self.assertNotIn("element-e99", lines[1])


class Findings(unittest.TestCase):
    def test_codes_in_source(self):
        text = '''f.push_back({Severity::warning, "cold_part", "data",
                     fmt::format("the part is at {} degC, "
                                 "warm it up", t), "wait an hour"});
                  status = "not_a_finding"; Finding g = told("wrong_way", "it goes the wrong way", "turn it");'''
        self.assertEqual(list(findings.in_source(text)), [("cold_part", "warning", "the part is at … degC, warm it up", "wait an hour"),
                                                          ("wrong_way", "", "it goes the wrong way", "turn it")])


class Reference(unittest.TestCase):
    def test_fields_of_a_schema(self):
        schema = {"oneOf": [{"$ref": "#/$defs/A"}], "$defs": {
            "A": {"properties": {"status": {"description": "How it ended"}, "rows": {"type": "array", "items": {"$ref": "#/$defs/Row"}, "description": "Rows"},
                                 "parameters": {"additionalProperties": {"$ref": "#/$defs/Row"}}}},
            "Row": {"properties": {"value": {"description": "Value", "unit": "N"}}}}}
        self.assertEqual(reference.Results(schema).rows, [("status", "", "How it ended"), ("rows[]", "", "Rows"), ("rows[].value", "N", "Value"),
                                                         ("parameters.NAME", "", ""), ("parameters.NAME.value", "N", "Value")])


if __name__ == "__main__":
    unittest.main()
