# SPDX-License-Identifier: Apache-2.0
import json
import pathlib
import tempfile
import unittest

import compare_bench
import merge_bench


def run(name, time, unit="ns", **more):
    return {"name": name, "run_name": name, "run_type": "iteration", "cpu_time": time, "time_unit": unit, **more}


class CompareBench(unittest.TestCase):
    def test_units_are_brought_together(self):
        self.assertEqual({"a": 2000.0, "b": 3e6}, compare_bench.times({"benchmarks": [run("a", 2, "us"), run("b", 3, "ms")]}))

    def test_repetitions_count_by_their_median_and_failed_runs_not_at_all(self):
        document = {"benchmarks": [run("a", 1), run("a", 9), run("a", 2), run("b", 5, error_occurred=True)]}
        self.assertEqual({"a": 2}, compare_bench.times(document))

    def test_ratio_and_geometric_mean(self):
        lines = compare_bench.compare({"a": 1.0, "b": 8.0, "gone": 1.0}, {"a": 2.0, "b": 4.0, "new": 1.0})
        self.assertTrue(lines[1].startswith("a ") and lines[1].endswith("2.000"))
        self.assertTrue(lines[2].endswith("0.500"))
        self.assertTrue(any("gone" in line and "only before" in line for line in lines))
        self.assertTrue(any("new" in line and "only after" in line for line in lines))
        self.assertTrue(lines[-1].endswith("1.000"))


class MergeBench(unittest.TestCase):
    def test_benchmarks_of_all_files_stand_in_one(self):
        with tempfile.TemporaryDirectory() as folder:
            parts = [pathlib.Path(folder, f"{i}.json") for i in range(3)]
            parts[0].write_text(json.dumps({"context": {"num_cpus": 2}, "benchmarks": [run("a", 1)]}), encoding="utf-8")
            parts[1].write_text("", encoding="utf-8")
            parts[2].write_text(json.dumps({"context": {"num_cpus": 2}, "benchmarks": [run("b", 1)]}), encoding="utf-8")
            merged = merge_bench.merge(parts)
        self.assertEqual({"num_cpus": 2}, merged["context"])
        self.assertEqual(["a", "b"], [entry["name"] for entry in merged["benchmarks"]])

    def test_figures_are_numbers_by_benchmark_and_quantity(self):
        merged = {"context": {"host_name": "mine"}, "benchmarks": [run("a", 1.5, threads=1, iterations=7, ratio=0.17)]}
        self.assertEqual({"a: cpu_time": 1.5, "a: ratio": 0.17}, merge_bench.figures_of(merged))


if __name__ == "__main__":
    unittest.main()
