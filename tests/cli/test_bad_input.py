# SPDX-License-Identifier: Apache-2.0
"""Bad input: exit code, place, value, rule and remedy; and nothing is written."""
import json
import os
import subprocess
import unittest

from harness import CAB_MOUNT, KDYN, MAP_HEADER, SOURCE, CliTest

MAP = CAB_MOUNT / "z_map.csv"
TRUTH = CAB_MOUNT / "z_truth.json"
ROW = "1,0.1,0,400,3\n"


class BadFiles(CliTest):
    def fit(self, *files):
        return ["fit", "elastomer", "--data", *files, "--out", self.out]

    def test_content(self):
        for name, text, mentions in (
            ("empty.csv", "", ["the file is empty"]),
            ("blank.csv", "\n\n \n", ["blank.csv"]),
            ("header.csv", MAP_HEADER + "\n", ["header.csv:1", "without rows"]),
            ("column.csv", MAP_HEADER.replace("amplitude_mm", "amplitud_mm") + "\n" + ROW, ["column.csv:1", "amplitud_mm"]),
            ("gaps.csv", f"{MAP_HEADER}\n2,0.1,0,nan,3\n3,0.1,0,inf,3\n", ["gaps.csv:1", "no row"]),
            ("negative.csv", f"{MAP_HEADER}\n{ROW}-2,0.1,0,400,3\n", ["negative.csv:3", "frequency_hz", "-2", "> 0"]),
            ("zero.csv", f"{MAP_HEADER}\n{ROW}2,0,0,400,3\n", ["zero.csv:3", "amplitude_mm"]),
            ("text.csv", f"{MAP_HEADER}\n{ROW}2,0.1,0,soft,3\n", ["text.csv:3", "k_dyn_n_per_mm", "soft"]),
            ("short.csv", f"{MAP_HEADER}\n{ROW}2,0.1,0\n", ["short.csv:3"]),
            ("unit.csv", MAP_HEADER.replace("n_per_mm", "furlong") + "\n" + ROW, ["unit.csv:1"]),
            ("huge.csv", f"{MAP_HEADER}\n{ROW}2,0.1,0,1e999,3\n", ["huge.csv:3"]),
            ("prose.csv", "Dear colleague,\nplease find the data attached.\n", ["prose.csv"]),
            ("back.csv", "time_s,displacement_mm,force_n\n0,0,0\n0.1,0.1,30\n0.05,0.2,60\n", ["back.csv:4", "time"]),
        ):
            with self.subTest(name):
                self.refuses(2, self.fit(self.write(name, text)), *mentions)

    def test_random_bytes(self):
        for seed in range(8):
            # No library randomness: a small congruential generator gives the same bytes everywhere.
            state, bytes_ = seed + 1, bytearray()
            for _ in range(4000):
                state = (1103515245 * state + 12345) % 2**31
                bytes_.append(state >> 16 & 255)
            with self.subTest(seed):
                self.refuses(2, self.fit(self.write("random.csv", bytes(bytes_))), "random.csv")

    def test_too_few_rows_for_the_parameters(self):
        self.refuses(2, self.fit(self.write("few.csv", MAP_HEADER + "\n" + ROW + ROW.replace("1,", "2,", 1))), "few.csv", "4 values", "6 parameters")

    def test_files_that_do_not_go_together(self):
        torsion = self.write("twist.csv", "angle_deg,moment_nmm\n" + "".join(f"{i / 10},{i * 100}\n" for i in range(30)))
        self.refuses(2, self.fit(MAP, torsion), "twist.csv", "torsional")

    def test_missing_unreadable_and_folders_are_exit_4(self):
        self.refuses(4, self.fit("nowhere.csv"), "nowhere.csv", "No such file")
        self.refuses(4, self.fit(self.folder), str(self.folder), "directory")
        self.refuses(4, ["inspect", "nowhere.csv", "--out", self.out], "nowhere.csv")
        self.refuses(4, ["inspect", self.folder, "--out", self.out], "directory")
        self.refuses(4, ["rig", "nowhere.json", "--out", self.out], "nowhere.json")
        self.refuses(4, ["fit", "elastomer", "--config", "nowhere.json", "--out", self.out], "nowhere.json")
        secret = self.write("secret.csv", MAP_HEADER + "\n" + ROW)
        secret.chmod(0)
        if os.geteuid() != 0:  # root reads everything
            self.refuses(4, self.fit(secret), "secret.csv")

    def test_out_must_be_a_folder(self):
        file = self.write("file", "")
        run = self.kdyn("fit", "elastomer", "--data", MAP, "--out", file)
        self.assertEqual(run.returncode, 4)
        self.assertIn("not a folder", run.stderr)
        self.assertNotIn("fitting", run.stderr)  # said before the work, not after it

    def test_a_failed_run_leaves_an_older_result_alone(self):
        self.kdyn("fit", "elastomer", "--data", MAP, "--out", self.out, "--no-report")
        before = (self.out / "result.json").read_bytes()
        for words in (self.fit("nowhere.csv"), self.fit(self.write("empty.csv", ""))):
            self.assertIn(self.kdyn(*words).returncode, (2, 4))
            self.assertEqual((self.out / "result.json").read_bytes(), before)
            self.assertEqual(self.files_written(), ["model.json", "result.json"])


class BadOptions(CliTest):
    def fit(self, *words):
        return ["fit", "elastomer", "--data", MAP, *words, "--out", self.out]

    def test_unknown_words(self):
        self.refuses(2, self.fit("--lw", "g4"), "unknown option '--lw' of kdyn fit elastomer", "did you mean --law?")
        self.refuses(2, self.fit("--max-iteration", 5), "--max-iterations")
        self.refuses(2, self.fit("--set", "rh=1"), "--set rh", "known:")
        self.refuses(2, self.fit("--set", "law"), "--set law", "'='")
        self.refuses(2, ["ft", "elastomer"], "unknown operation 'ft'", "did you mean kdyn fit?")
        self.refuses(2, ["fit", "elastomr"], "unknown operation 'fit elastomr'", "did you mean kdyn fit elastomer?")
        self.refuses(2, ["fit"], "no operation")
        self.refuses(2, ["--frobnicate"], "--frobnicate")
        self.refuses(2, ["describe", "nothing"], "nothing", "known:")

    def test_values(self):
        self.refuses(2, self.fit("--law", "g5"), "law", "g5", "masing, g4")
        self.refuses(2, self.fit("--max-iterations", 0), "max_iterations", "0", "[1, 10000]")
        self.refuses(2, self.fit("--max-iterations", "many"), "max_iterations", "many")
        self.refuses(2, self.fit("--weight-k-dyn", -1), "weight_k_dyn", "-1")
        self.refuses(2, self.fit("--fix", "rho=-1"), "fix.rho", "-1")
        self.refuses(2, self.fit("--fix", "roh=1"), "fix.roh", "known: static_stiffness", "rho")
        self.refuses(2, self.fit("--fix", "rho"), "fix", "name=value")
        self.refuses(2, self.fit("--bounds", '{"rho": [5, 1]}'), "rho")
        self.refuses(2, self.fit("--static-stiffness", 1e5), "static_stiffness", "fix")
        self.refuses(2, [*self.fit(), "--law"], "--law needs a value")
        self.refuses(2, ["rig", TRUTH, "--frequencies-hz", "0,1", "--out", self.out], "frequencies_hz[0]", "0", "> 0")
        self.refuses(2, ["rig", TRUTH, "--program", "mep", "--out", self.out], "program", "did you mean 'map'?")
        self.refuses(2, ["rig", TRUTH, "--program", "transient", "--out", self.out], "--formula")
        self.refuses(2, ["rig", TRUTH, "--program", "transient", "--formula", "sin(", "--out", self.out], "formula")
        self.refuses(2, ["rig", "--out", self.out], "model")
        self.refuses(2, ["fit", "elastomer", "--out", self.out], "static_stiffness", "--data")

    def test_job_files(self):
        for text, mention in (("[1]", "object"), ("{", "job.json:1"), ('{"lw": "g4"}', "lw"), ('{"law": 3}', "law"), ('{"fix": {"rho": "x"}}', "fix")):
            with self.subTest(text):
                self.refuses(2, ["fit", "elastomer", "--config", self.write("job.json", text), "--data", MAP, "--out", self.out], mention)

    def test_models(self):
        good = json.loads(TRUTH.read_text())
        for change, mention in (
            (lambda m: m.pop("model"), "model"),
            (lambda m: m.update(model="steel"), "steel"),
            (lambda m: m["parameters"].update(rho=-1), "rho"),
            (lambda m: m["parameters"].update(rhoo=1), "rhoo"),
            (lambda m: m["parameters"].update(alpha="x"), "alpha"),
            (lambda m: m["parameters"].update(curve=[[0, 0], [1, -1]]), "curve"),
            (lambda m: m["parameters"].pop("static_stiffness") and m["parameters"].pop("curve"), "static_stiffness"),
        ):
            model = json.loads(json.dumps(good))
            change(model)
            with self.subTest(mention):
                self.refuses(2, ["rig", self.write("model.json", json.dumps(model)), "--out", self.out], "model.json", mention)


class ThingsThatEndedBadly(CliTest):
    """Each of these ended by a signal or as an internal error."""

    def test_a_control_run_without_samples(self):
        for seconds in ("1e-4", "1e-300"):
            self.refuses(2, ["aem", SOURCE / "data/active_mount/model.json", "--duration-s", seconds, "--out", self.out], "duration_s")

    def test_results_with_odd_types(self):
        good = self.write("good.json", json.dumps({"parameters": {"k": {"value": 1.0, "std": 0.1, "unit": "N/m"}}}))
        for i, odd in enumerate([{"value": 1.0, "unit": 5}, {"value": "x", "unit": "N/m"}, {"value": []}, 5, None, [], "x"]):
            other = self.write(f"odd_{i}.json", json.dumps({"parameters": {"k": odd}, "fit": odd, "map": odd, "status": odd}))
            run = self.kdyn("report", good, other, "--out", self.out)
            self.assertIn(run.returncode, (0, 2), run.stderr)

    def test_too_little_memory(self):
        """A part, or a whole run, that does not fit into memory says so; it is no bug to report."""
        limited = ["sh", "-c", 'ulimit -v 700000; exec "$@"', "sh", KDYN, "rig", str(CAB_MOUNT / "x_truth.json"), "--frequencies-hz", "1", "--samples-per-cycle", "100000000"]
        run = subprocess.run(limited, cwd=self.folder, capture_output=True, text=True, timeout=120)
        self.assertIn(run.returncode, (0, 2), run.stderr)

    def test_converting_a_file_onto_itself(self):
        before = (CAB_MOUNT / "x_map.csv").read_bytes()
        self.write("map.csv", before)
        self.kdyn("convert", "map.csv", "map.csv")
        self.assertEqual((self.folder / "map.csv").read_bytes(), before)


if __name__ == "__main__":
    unittest.main()
