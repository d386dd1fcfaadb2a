# SPDX-License-Identifier: Apache-2.0
"""The contract of the command line: what scripts rely on (docs/architecture.md, "The command line is a contract")."""
import json
import signal
import subprocess
import unittest

from harness import CAB_MOUNT, KDYN, CliTest

Z = [CAB_MOUNT / f"z_{kind}.csv" for kind in ("map", "static", "transient")]
# A map that the law describes by itself; the one of z needs the static curve beside it.
X_MAP = CAB_MOUNT / "x_map.csv"
TRUTH = CAB_MOUNT / "z_truth.json"


class FitElastomer(CliTest):
    def test_joint_fit_writes_result_report_and_model(self):
        run = self.succeeds("fit", "elastomer", "--data", *Z, "--out", self.out)
        self.assertEqual(self.files_written(), ["document.json", "model.json", "report.html", "result.json"])
        result = self.result()
        self.assertEqual(result["status"], "converged")
        for key in ("parameters", "correlation", "fit", "findings", "provenance", "model", "options_used"):
            self.assertIn(key, result)
        self.assertLess(result["fit"]["rms_kdyn_rel"], 0.01)
        self.assertLess(result["fit"]["rms_loss_deg"], 0.12)
        for name, parameter in result["parameters"].items():
            self.assertEqual(list(parameter), ["value", "unit", "std", "lower_95", "upper_95", "status"], name)
            self.assertIn(parameter["status"], ("free", "fixed", "derived"))
        # The bundled truth lies within twice the interval of every parameter.
        truth = json.loads(TRUTH.read_text())["parameters"]
        for name in ("static_stiffness", "alpha", "beta", "gamma", "rdl", "rho", "ymax"):
            p = result["parameters"][name]
            width = p["upper_95"] - p["lower_95"]
            self.assertLess(abs(p["value"] - truth[name]), width, name)
        self.assertIn("converged", run.stdout)
        self.assertIn("rdl", run.stdout)
        self.assertIn("% reading", run.stderr)  # progress goes to stderr
        report = (self.out / "report.html").read_text()
        self.assertIn("Verdict", report)
        self.assertIn("default-src 'none'", report)  # the browser is told to load nothing from anywhere
        provenance = result["provenance"]
        self.assertEqual(len(provenance["inputs"]), 3)
        self.assertEqual(len(provenance["inputs"][0]["sha256"]), 64)

    def test_no_report(self):
        self.succeeds("fit", "elastomer", "--data", X_MAP, "--out", self.out, "--no-report", "--quiet")
        self.assertEqual(self.files_written(), ["model.json", "result.json"])

    def test_json_on_stdout_is_result_json(self):
        run = self.succeeds("fit", "elastomer", "--data", X_MAP, "--out", self.out, "--json")
        self.assertEqual(run.stdout, (self.out / "result.json").read_text())
        # Without --out as well.
        self.assertEqual(json.loads(self.succeeds("fit", "elastomer", "--data", X_MAP, "--json").stdout)["status"], "converged")

    def test_quiet_prints_nothing(self):
        run = self.succeeds("fit", "elastomer", "--data", X_MAP, "--out", self.out, "--quiet")
        self.assertEqual(run.stdout + run.stderr, "")

    def test_without_out_the_folder_is_named_after_the_input(self):
        run = self.succeeds("fit", "elastomer", "--data", X_MAP)
        self.assertIn("wrote out/x_map_fit_elastomer/result.json", run.stdout)
        self.conforms(self.out)

    def test_set_wins_over_flags_and_flags_over_config(self):
        job = self.write("job.json", json.dumps({"data": [str(X_MAP)], "fix": {"lambda": 0.2}, "max_iterations": 50, "curve_intervals": 4, "title": "from the file"}))
        self.succeeds("fit", "elastomer", "--config", job, "--max-iterations", 60, "--curve-intervals", 5, "--set", "curve_intervals=3", "--out", self.out)
        used = self.result()["options_used"]
        self.assertEqual((used["max_iterations"], used["curve_intervals"], used["title"]), (60, 3, "from the file"))
        self.assertEqual(self.result()["parameters"]["lambda"], {"value": 0.2, "unit": "-", "std": 0.0, "lower_95": 0.2, "upper_95": 0.2, "status": "fixed"})

    def test_ways_to_write_a_map_of_parameters(self):
        for words in (["--fix", "lambda=0.3,rho=4000"], ["--fix", "lambda=0.3", "rho=4000"], ["--set", 'fix={"lambda": 0.3, "rho": 4000}'],
                      ["--set", "fix.lambda=0.3", "--set", "fix.rho=4000"], ["--fix", '{"lambda": 0.3, "rho": 4000}']):
            self.succeeds("fit", "elastomer", "--data", X_MAP, *words, "--out", self.out, "--no-report")
            self.assertEqual(self.result()["options_used"]["fix"], {"lambda": 0.3, "rho": 4000.0})

    def test_data_sheet(self):
        self.succeeds("fit", "elastomer", "--static-stiffness", 338e3, "--dynamic-hardening-1", 444 / 338, "--dynamic-hardening-2", 380 / 338, "--loss-angle-deg", 2.47, "--out", self.out)
        parameters = self.result()["parameters"]
        self.assertAlmostEqual(parameters["rdl"]["value"] / 9.2525e-5, 1, delta=1e-3)
        self.assertAlmostEqual(parameters["lambda"]["value"] / 0.3852, 1, delta=1e-3)
        self.assertIsNone(parameters["rdl"]["std"])
        self.assertIn("report.html", self.files_written())

    def test_infeasible_data_sheet_is_exit_3_with_a_result(self):
        run = self.kdyn("fit", "elastomer", "--static-stiffness", 338e3, "--dynamic-hardening-1", 1.4721, "--dynamic-hardening-2", 1.08, "--loss-angle-deg", 5,
                        "--fix", "alpha=0.3717,beta=0.0971,gamma=0.0084", "--out", self.out)
        self.assertEqual(run.returncode, 3)
        self.assertEqual(self.result()["status"], "infeasible")
        self.assertIn("lambda would be -0.1", self.result()["reason"])

    def test_not_converged_is_exit_3_with_a_result(self):
        run = self.kdyn("fit", "elastomer", "--data", X_MAP, "--max-iterations", 1, "--start", "rho=1e6,rdl=1e-7,gamma=1e-5,beta=3", "--out", self.out)
        self.assertEqual(run.returncode, 3, run.stdout)
        self.assertEqual(self.result()["status"], "not_converged")
        self.assertIn("parameters", self.result())

    def test_two_runs_give_the_same_numbers(self):
        other = self.folder / "other"
        for folder in (self.out, other):
            self.succeeds("fit", "elastomer", "--data", *Z, "--out", folder, "--no-report")
        self.assertEqual(self.result()["parameters"], self.result(other)["parameters"])

    def test_units_given_by_hand(self):
        text = Z[1].read_text().replace("displacement_mm,force_n", "displacement_mm,force")
        bare = self.write("bare.csv", text)
        self.refuses(2, ["fit", "elastomer", "--data", CAB_MOUNT / "z_map.csv", bare, "--out", self.out], "bare.csv", "force")
        self.succeeds("fit", "elastomer", "--data", CAB_MOUNT / "z_map.csv", bare, "--units", '{"force": "N"}', "--out", self.out, "--no-report")


class Rig(CliTest):
    def test_map(self):
        self.succeeds("rig", TRUTH, "--program", "map", "--frequencies-hz", "5,20", "--amplitudes-m", "1e-4,1e-3", "--preloads-n", "0,800", "--out", self.out)
        result = self.result()
        self.assertEqual(result["status"], "done")
        self.assertEqual(len(result["map"]), 8)
        for key in ("frequency_hz", "amplitude_m", "preload_n", "k_dyn", "loss_angle_deg", "k_dyn_loop", "loss_angle_loop_deg"):
            self.assertIn(key, result["map"][0])
        self.assertEqual(self.files_written(), ["document.json", "map.csv", "report.html", "result.json"])

    def test_static_and_transient(self):
        self.succeeds("rig", TRUTH, "--program", "static", "--out", self.out)
        self.assertEqual(len(self.result()["series"]["force_n"]), 400)
        other = self.folder / "transient"
        self.succeeds("rig", TRUTH, "--program", "transient", "--formula", "1e-3*sin(2*pi*5*t)", "--duration-s", 0.5, "--out", other)
        self.assertEqual(len(self.result(other)["series"]["time_s"]), 501)
        again = self.folder / "again"
        self.succeeds("rig", TRUTH, "--program", "transient", "--input", other / "series.csv", "--out", again)
        a, b = self.result(other)["series"]["force_n"], self.result(again)["series"]["force_n"]
        # The file has no velocity; parabolas through the samples give it to second order.
        self.assertLess(max(abs(x - y) for x, y in zip(a, b)), 0.02 * max(map(abs, a)))

    def test_result_of_a_fit_is_a_model(self):
        fit = self.folder / "fit"
        self.succeeds("fit", "elastomer", "--data", *Z, "--out", fit, "--no-report")
        for model in ("result.json", "model.json"):
            self.succeeds("rig", fit / model, "--frequencies-hz", 10, "--amplitudes-m", 1e-3, "--out", self.out)
        row = self.result()["map"][0]
        truth = self.folder / "truth"
        self.succeeds("rig", TRUTH, "--frequencies-hz", 10, "--amplitudes-m", 1e-3, "--out", truth)
        self.assertAlmostEqual(row["k_dyn"] / self.result(truth)["map"][0]["k_dyn"], 1, delta=0.01)

    def test_rig_and_fit_close_the_circle(self):
        self.succeeds("rig", CAB_MOUNT / "x_truth.json", "--noise-k-dyn-rel", 0.005, "--noise-loss-angle-deg", 0.08, "--seed", 5, "--out", self.out)
        fit = self.folder / "fit"
        self.succeeds("fit", "elastomer", "--data", self.out / "map.csv", "--fix", "lambda=0.3803,ymax=2.6e-4", "--out", fit)
        p = self.result(fit)["parameters"]["rdl"]
        self.assertLess(abs(p["value"] - 7.6e-5), 5 * p["std"])

    def test_ctrl_c_gives_exit_3_and_what_was_computed(self):
        for stop in (signal.SIGINT, signal.SIGTERM):
            run = subprocess.Popen([KDYN, "rig", str(TRUTH), "--frequencies-hz", ",".join(["1"] * 2000), "--amplitudes-m", ",".join(["1e-3"] * 1000), "--samples-per-cycle", "4096",
                                    "--out", str(self.out)], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.assertIn("map", run.stderr.readline())  # the first sign of work, which would take hours
            run.send_signal(stop)
            _, errors = run.communicate(timeout=60)
            self.assertEqual(run.returncode, 3, errors)
            result = self.result()
            self.assertEqual(result["status"], "stopped")
            self.assertGreater(len(result["map"]), 0)
            self.assertIn("stopped after", result["reason"])
            self.assertEqual(self.files_written(), ["document.json", "map.csv", "report.html", "result.json"])


class Inspect(CliTest):
    def test_anything_readable_is_exit_0(self):
        files = [*Z, TRUTH, self.write("empty.csv", ""), self.write("bytes.bin", bytes(range(256)) * 20), self.write("odd.json", "{\"a\": [1, 2"),
                 self.write("prose.txt", "This is no measurement.\nNot at all.\n")]
        run = self.succeeds("inspect", *files, "--out", self.out)
        result = self.result()
        self.assertEqual([f["kind"] for f in result["files"]], ["map", "static", "series", "model", "unknown", "unknown", "unknown", "unknown"])
        self.assertEqual(result["files"][0]["rows"], 241)
        for file in result["files"]:
            self.assertIn("findings", file)
        self.assertGreaterEqual(len(result["findings"]), 5)
        for finding in result["findings"]:
            self.assertEqual(sorted(finding), ["code", "message", "remedy", "severity", "where"])
        self.assertIn("z_map.csv", run.stdout)
        self.assertIn("report.html", self.files_written())

    def test_a_model_is_recognised_by_content(self):
        self.succeeds("inspect", self.write("mount.txt", TRUTH.read_text()), "--out", self.out)
        self.assertEqual(self.result()["files"][0]["kind"], "model")

    def test_what_of_a_deck_can_be_calibrated(self):
        """As the reader of decks finds it: any case, indented, free and small fields, included files; each label once, in order."""
        self.write("more.inc", "CBUSH,7,1,1,2\nmat1,3,2.1+11,,.3\n")
        deck = self.write("deck.bdf", "BEGIN BULK\nGRID,1,,0.,0.,0.\nGRID,2,,1.,0.,0.\n  cbush   12      1       1       2\nCBUSH*,5,1,1,2\n"
                          "PBUSH,1,K,1.+6\nPSHELL,4,3,.002\nMAT1,3,2.1+11,,.3\nCQUAD8,1,1\nINCLUDE 'more.inc'\nENDDATA\n")
        self.succeeds("inspect", deck, "--out", self.out, "--no-report")
        (file,) = self.result()["files"]
        self.assertEqual(file["deck"], {"bushings": [5, 7, 12], "shells": [4], "materials": [3]})


class Describe(CliTest):
    def test_schema_lists_every_field(self):
        schema = json.loads(self.succeeds("describe", "--json").stdout)
        names = [o["operation"] for o in schema["operations"]]
        for name in ("inspect", "fit elastomer", "rig"):
            self.assertIn(name, names)
        fit = json.loads(self.succeeds("describe", "fit", "elastomer", "--json").stdout)["operations"]
        self.assertEqual(len(fit), 1)
        fields = {f["name"]: f for f in fit[0]["fields"]}
        for name in ("data", "law", "criterion", "fix", "free", "bounds", "start", "weight_k_dyn", "static_stiffness", "layout_frequency_hz"):
            self.assertIn(name, fields)
        self.assertEqual(fields["law"]["choices"], ["masing", "g4"])
        self.assertEqual(fields["max_iterations"]["default"], 100)
        # What a run says it used are exactly these fields.
        self.succeeds("fit", "elastomer", "--data", X_MAP, "--out", self.out, "--no-report")
        self.assertEqual(list(self.result()["options_used"]), list(fields))

    def test_plain_text(self):
        self.assertIn("weight_k_dyn", self.succeeds("describe", "fit", "elastomer").stdout)

    def test_help_names_every_option_and_fits_the_screen(self):
        schema = json.loads(self.succeeds("describe", "--json").stdout)
        for operation in schema["operations"]:
            page = self.succeeds(*operation["operation"].split(), "--help").stdout
            self.assertIn("Example: kdyn " + operation["operation"], page)
            unwrapped = " ".join(page.split())
            for field in operation["fields"]:
                self.assertTrue("--" + field["name"].replace("_", "-") in page or field["meaning"] in unwrapped, field["name"])
            for line in page.splitlines():
                if not line.startswith("Example"):
                    self.assertLessEqual(len(line), 110, line)
            self.assertIn(operation["operation"], self.succeeds("--help").stdout)
        self.assertIn("fit elastomer", self.succeeds("fit", "--help").stdout)
        self.assertRegex(self.succeeds("--version").stdout, r"^kdyn \d+\.\d+\.\d+ ")


if __name__ == "__main__":
    unittest.main()
