# SPDX-License-Identifier: Apache-2.0
"""Tests of check_build_budget.py."""
import contextlib
import io
import pathlib
import tempfile
import unittest

import check_build_budget

LOG = """# ninja log v5
0\t5000\t1\ta.cpp.o\tx
0\t190000\t1\tb.cpp.o\tx
5000\t30000\t2\tb.cpp.o\ty
0\t400000\t2\tlibkdyn.a\tz
"""


class BuildBudget(unittest.TestCase):
    def run_on(self, text, *arguments):
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as out:
            log = pathlib.Path(folder, ".ninja_log")
            log.write_text(text)
            return check_build_budget.main([str(log), *arguments]), out.getvalue()

    def test_the_last_entry_of_an_object_counts(self):
        self.assertEqual(check_build_budget.compile_times(LOG), {"a.cpp.o": 5.0, "b.cpp.o": 25.0})

    def test_slow_sources_are_listed_and_pass(self):
        status, text = self.run_on(LOG)
        self.assertEqual(status, 0)
        self.assertIn("2 sources in 30 s", text)
        self.assertIn("25.0 s  b.cpp.o", text)
        self.assertNotIn("a.cpp.o", text)

    def test_a_source_above_the_limit_fails(self):
        self.assertEqual(self.run_on(LOG, "--limit", "24")[0], 1)

    def test_no_log_is_told(self):
        with contextlib.redirect_stdout(io.StringIO()) as out:
            self.assertEqual(check_build_budget.main(["/nowhere/.ninja_log"]), 2)
        self.assertIn("build first", out.getvalue())


if __name__ == "__main__":
    unittest.main()
