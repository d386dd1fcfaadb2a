# SPDX-License-Identifier: Apache-2.0
"""kdyn study through the real binary: runs are what the command line gives for changed files, kills cost nothing, ranks do not show, failures are told."""
import csv
import json
import math
import os
import random
import signal
import subprocess
import time
import unittest

from harness import KDYN, SOURCE, CliTest

MOUNT = {"model": "elastomer", "law": "masing", "parameters": {"static_stiffness": 338000, "alpha": 0.1, "beta": 0.1, "gamma": 0.0035, "lambda": 0.38,
                                                              "rdl": 8.9e-05, "rho": 4500, "ymax": 0.0002}}
# k + i w c: |K| = sqrt(k^2 + (w c)^2) in closed form.
KELVIN = {"model": "kelvin_voigt", "parameters": {"stiffness": 1e5, "damping": 500.0}}
OSCILLATOR = {
    "run": {"step_s": 0.002, "duration_s": 0.2},
    "bodies": [{"name": "mass", "mass": 10, "inertia": [1, 1, 1], "velocity": [0, 0, 0.3]}],
    "joints": [{"name": "rail", "kind": "translational", "markers": [{"body": "ground"}, {"body": "mass"}]}],
    "bushings": [{"name": "left", "markers": [{"body": "ground"}, {"body": "mass"}], "laws": {"fz": "spring.json"}},
                 {"name": "right", "markers": [{"body": "ground"}, {"body": "mass"}], "laws": {"fz": "spring.json"}}],
}


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


class Study(CliTest):
    def setUp(self):
        super().setUp()
        self.write("mount.json", json.dumps(MOUNT))
        self.write("spring.json", json.dumps(KELVIN))
        self.write("oscillator.json", json.dumps(OSCILLATOR))

    def job(self, name="job.json", **changes):
        job = {
            "chain": [{"name": "bench", "operation": "rig", "options": {"model": "mount.json", "program": "map", "frequencies_hz": [10], "amplitudes_m": [5e-4]}}],
            "parameters": [{"name": "k", "unit": "N/m", "places": ["bench.model.parameters.static_stiffness"], "use": "factor", "distribution": "normal",
                            "mean": 1, "std": 0.05},
                           {"name": "friction", "places": ["bench.model.parameters.alpha"], "distribution": "uniform", "lower": 0.05, "upper": 0.15}],
            "runs": 12,
            "responses": [{"name": "kdyn", "unit": "N/m", "value": "bench.map[0].k_dyn"}],
        }
        job.update(changes)
        return self.write(name, json.dumps(job))

    def oscillator_job(self, **changes):
        job = {
            "chain": [{"name": "swing", "operation": "simulate", "options": {"model": "oscillator.json"}}],
            "parameters": [{"name": "left", "places": ["swing.model.bushings.left.laws.fz.parameters.stiffness"], "values": [50000, 200000]},
                           {"name": "damping", "places": ["swing.model.bushings.*.laws.fz.parameters.damping"], "use": "factor", "values": [0.5, 2]}],
            "design": "grid",
            "responses": [{"name": "rms", "unit": "m", "file": "swing/series.csv", "channel": "mass.position.z", "statistic": "rms"},
                          {"name": "end", "unit": "m", "file": "swing/series.csv", "channel": "mass.position.z", "statistic": "last"}],
        }
        job.update(changes)
        return self.write("oscillator_job.json", json.dumps(job))

    def runs(self, job, *words, code=0, out=None):
        out = out or self.out
        done = self.kdyn("study", job, "--out", out, *words)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return json.loads((out / "result.json").read_text()), rows(out / "runs.csv")

    def same(self, first, second):
        """Everything but times, folders and how many runs were taken over."""
        for name in ("runs.csv", "runs.h5"):
            self.assertEqual((first / name).read_bytes(), (second / name).read_bytes(), name)
        results = [json.loads((folder / "result.json").read_text()) for folder in (first, second)]
        for result in results:
            result.pop("provenance")
            result.pop("findings")
        self.assertEqual(*results)

    def test_a_run_is_what_the_command_line_gives_for_the_changed_file(self):
        _, table = self.runs(self.job(runs=4))
        self.assertEqual(len(table), 4)
        for run in (table[0], table[3]):
            changed = json.loads(json.dumps(MOUNT))
            changed["parameters"]["static_stiffness"] *= float(run["k [N/m]"])
            changed["parameters"]["alpha"] = float(run["friction"])
            model = self.write("changed.json", json.dumps(changed))
            self.kdyn("rig", model, "--program", "map", "--frequencies-hz", "10", "--amplitudes-m", "5e-4", "--out", self.folder / "alone", "--no-report")
            alone = json.loads((self.folder / "alone" / "result.json").read_text())
            self.assertEqual(alone["map"][0]["k_dyn"], float(run["kdyn [N/m]"]))

    def test_places_lead_into_files_that_are_named_and_leave_them_alone_elsewhere(self):
        result, table = self.runs(self.oscillator_job())
        self.assertEqual([(r["left"], r["damping"]) for r in table], [("50000", "0.5"), ("50000", "2"), ("200000", "0.5"), ("200000", "2")])
        for run in table:
            # Left alone is changed, right keeps 1e5; both dampers are multiplied: m x'' + c x' + k x = 0 in closed form.
            k, c, m = float(run["left"]) + 1e5, 1000.0 * float(run["damping"]), 10.0
            decay, omega = c / (2 * m), math.sqrt(k / m - (c / (2 * m)) ** 2)
            exact = 0.3 / omega * math.exp(-decay * 0.2) * math.sin(omega * 0.2)
            # Second order: (omega h)^2/12 of the phase omega t, and as much in amplitude.
            self.assertAlmostEqual(float(run["end [m]"]), exact, delta=0.3 / omega * math.exp(-decay * 0.2) * (omega * 0.002) ** 2 * omega * 0.2)
        levels = result["responses"]["rms"]["levels"]["damping"]["levels"]
        self.assertEqual(levels["2"]["against_first"]["pairs"], 2)
        self.assertLess(levels["2"]["against_first"]["mean"], 0)

    def test_a_wrong_unit_of_a_signal_is_refused(self):
        responses = [{"name": "rms", "unit": "mm", "file": "swing/series.csv", "channel": "mass.position.z"}]
        done = self.kdyn("study", self.oscillator_job(responses=responses), "--out", self.out)
        self.assertEqual(done.returncode, 2)
        self.assertIn("mass.position.z is in m", done.stderr)

    def test_effects_are_the_slopes_of_the_closed_form(self):
        self.write("mount.json", json.dumps(KELVIN))
        job = self.job(runs=200, design="sobol", parameters=[
            {"name": "k", "places": ["bench.model.parameters.stiffness"], "use": "factor", "distribution": "uniform", "lower": 0.95, "upper": 1.05},
            {"name": "c", "places": ["bench.model.parameters.damping"], "use": "factor", "distribution": "uniform", "lower": 0.8, "upper": 1.2}])
        result, _ = self.runs(job)
        k, wc = 1e5, 2 * math.pi * 10 * 500
        size = math.hypot(k, wc)
        effects = result["responses"]["kdyn"]["effects"]
        for name, slope in (("k", k * k / size), ("c", wc * wc / size)):
            self.assertAlmostEqual(effects[name]["slope"], slope, delta=0.01 * slope)  # the curvature within the range is below 1 %
            self.assertLess(effects[name]["lower_95"], effects[name]["per_std"])
        self.assertGreater(result["responses"]["kdyn"]["r_squared"], 0.999)

    def test_sensitivity_indices_share_the_variance(self):
        self.write("mount.json", json.dumps(KELVIN))
        job = self.job(runs=128, design="sensitivity", parameters=[
            {"name": "k", "places": ["bench.model.parameters.stiffness"], "use": "factor", "distribution": "uniform", "lower": 0.95, "upper": 1.05},
            {"name": "c", "places": ["bench.model.parameters.damping"], "use": "factor", "distribution": "uniform", "lower": 0.8, "upper": 1.2}])
        result, table = self.runs(job)
        self.assertEqual(len(table), 128 * 4)
        # Nearly linear: shares are those of the slopes times the widths.
        k, wc = 1e5, 2 * math.pi * 10 * 500
        a, b = (k * k * 0.1) ** 2, (wc * wc * 0.4) ** 2
        effects = result["responses"]["kdyn"]["effects"]
        self.assertAlmostEqual(effects["k"]["sobol"]["first"], a / (a + b), delta=0.05)
        self.assertAlmostEqual(effects["c"]["sobol"]["total"], b / (a + b), delta=0.05)

    def test_steps_hand_files_on_and_what_nothing_changes_runs_once(self):
        job = self.write("chain.json", json.dumps({
            "chain": [{"name": "way", "operation": "road", "options": {"duration_s": 1, "rate_hz": 500, "fade_s": 0.2}},
                      {"name": "swing", "operation": "simulate", "options": {"model": "driven.json"}, "files": {"road.csv": "{way}/road.csv"}},
                      {"name": "ride", "operation": "assess", "options": {"file": "{swing}/series.csv", "channels": ["mass.acceleration.z"]}}],
            "parameters": [{"name": "mass", "unit": "kg", "places": ["swing.model.bodies.mass.mass"], "values": [10, 20]}],
            "responses": [{"name": "rms", "unit": "m/s^2", "value": "ride.channels.mass.acceleration.z.rms"},
                          {"name": "damage", "value": "ride.damage.mass.acceleration.z[exponent=5].equivalent_amplitude"}]}))
        driven = json.loads(json.dumps(OSCILLATOR))
        driven["bodies"][0].pop("velocity")
        driven["bodies"].append({"name": "post", "mass": 1, "inertia": [1, 1, 1]})
        driven["joints"] += [{"name": "guide", "kind": "translational", "markers": [{"body": "ground"}, {"body": "post"}]},
                             {"name": "drive", "kind": "drive_translation", "axis": "z", "markers": [{"body": "ground"}, {"body": "post"}],
                              "drive": {"file": "road.csv", "column": "front_left"}}]
        for bushing in driven["bushings"]:
            bushing["markers"][0] = {"body": "post"}
        driven["run"]["duration_s"] = 0.9
        self.write("driven.json", json.dumps(driven))
        result, table = self.runs(job)
        self.assertEqual(result["done"], 2)
        # The same by hand, with files on the disk.
        self.kdyn("road", "--duration-s", "1", "--rate-hz", "500", "--fade-s", "0.2", "--out", self.folder / "road", "--no-report")
        (self.folder / "road.csv").write_bytes((self.folder / "road" / "road.csv").read_bytes())
        driven["bodies"][0]["mass"] = 20
        self.write("driven.json", json.dumps(driven))
        self.kdyn("simulate", "driven.json", "--out", self.folder / "alone", "--no-report")
        self.kdyn("assess", self.folder / "alone" / "series.csv", "--channels", "mass.acceleration.z", "--out", self.folder / "ride", "--no-report")
        alone = json.loads((self.folder / "ride" / "result.json").read_text())
        self.assertEqual(float(table[1]["rms [m/s^2]"]), alone["channels"]["mass.acceleration.z"]["rms"])

    def stiffness_search(self, **changes):
        """k + i w c: the softest mount at 10 Hz with a loss angle of 8 degrees at least."""
        self.write("mount.json", json.dumps(KELVIN))
        job = {
            "design": "optimise", "runs": 12,
            "parameters": [{"name": "k", "unit": "N/m", "places": ["bench.model.parameters.stiffness"], "lower": 6e4, "upper": 3e5},
                           {"name": "c", "unit": "N*s/m", "places": ["bench.model.parameters.damping"], "lower": 10, "upper": 1500}],
            "responses": [{"name": "kdyn", "unit": "N/m", "value": "bench.map[0].k_dyn"}, {"name": "loss", "unit": "deg", "value": "bench.map[0].loss_angle_deg"}],
            "objective": {"terms": [{"response": "kdyn"}]},
            "constraints": [{"response": "loss", "above": 8}],
        }
        job.update(changes)
        return self.job(**job)

    def test_a_search_meets_the_closed_form(self):
        result, table = self.runs(self.stiffness_search())
        angle, w = math.radians(8), 2 * math.pi * 10
        # k at its lower bound, c = k tan(8 deg)/w, |K| = k/cos(8 deg): met within the tolerance of the search, 1e-5 of each range.
        optimum = result["optimum"]
        self.assertEqual((result["status"], optimum["status"]), ("done", "converged"))
        self.assertEqual(optimum["parameters"]["k"]["value"], 6e4)
        self.assertEqual(optimum["parameters"]["k"]["at_bound"], "lower")
        self.assertAlmostEqual(optimum["parameters"]["c"]["value"], 6e4 * math.tan(angle) / w, delta=0.02)
        self.assertAlmostEqual(optimum["objective"], 6e4 / math.cos(angle), delta=0.5)
        held = optimum["constraints"][0]
        self.assertTrue(held["active"] and held["met"])
        # What a degree is worth: d(k/cos)/d angle; slopes by differences of 1e-4 of the range.
        price = 6e4 * math.sin(angle) / math.cos(angle) ** 2 * math.pi / 180
        self.assertAlmostEqual(held["price"], price, delta=1e-3 * price)
        self.assertAlmostEqual(optimum["responses"]["kdyn"]["slopes"]["k"]["slope"], math.cos(angle), delta=1e-6)
        # The table holds every run, and the best one is kept whole.
        best = table[optimum["run"]]
        self.assertEqual(float(best["objective"]), optimum["objective"])
        self.assertEqual(len(table), result["runs"])
        self.assertEqual([k["run"] for k in result["kept"]], [optimum["run"]])
        self.assertTrue((self.out / "runs" / str(optimum["run"]) / "bench" / "result.json").exists())
        lower = [float(r["objective"]) for r in table if r["objective"] and float(r["violation"]) <= 1e-6]
        self.assertGreater(min(lower), optimum["objective"] - 0.5)

    def test_a_search_brings_responses_to_targets(self):
        target = 1.5e5
        job = self.stiffness_search(objective={"kind": "squares", "terms": [{"response": "kdyn", "target": target, "weight": 1e-5}, {"response": "loss", "target": 10}]},
                                    constraints=[])
        optimum = self.runs(job)[0]["optimum"]
        angle, w = math.radians(10), 2 * math.pi * 10
        self.assertAlmostEqual(optimum["parameters"]["k"]["value"], target * math.cos(angle), delta=1e-5 * 2.4e5)
        self.assertAlmostEqual(optimum["parameters"]["c"]["value"], target * math.sin(angle) / w, delta=1e-5 * 1490)

    def test_a_search_that_was_killed_ends_with_the_same_bits(self):
        job = self.stiffness_search()
        self.runs(job)
        whole = self.folder / "whole"
        self.runs(job, out=whole)
        # Half of the journal is lost, its last entry torn.
        journal = self.out / "runs.journal"
        bytes_ = journal.read_bytes()
        for name in ("runs.csv", "runs.h5", "result.json"):
            (self.out / name).unlink()
        journal.write_bytes(bytes_[: len(bytes_) // 2])
        self.runs(job)
        self.same(self.out, whole)
        # Nor do threads show.
        self.runs(job, "--threads", "3", out=self.folder / "three")
        for name in ("runs.csv", "runs.h5"):
            self.assertEqual((self.folder / "three" / name).read_bytes(), (whole / name).read_bytes(), name)

    def test_a_search_with_more_runs_goes_on(self):
        job = self.stiffness_search(search={"most_runs": 25})
        result, table = self.runs(job, code=3)
        self.assertEqual((result["status"], result["optimum"]["status"]), ("not_converged", "out_of_runs"))
        self.assertIn("raise search.most_runs", " ".join(f["remedy"] for f in result["findings"]))
        more, longer = self.runs(self.stiffness_search())
        self.assertEqual(more["status"], "done")
        self.assertEqual([r["k [N/m]"] for r in table], [r["k [N/m]"] for r in longer[: len(table)]])

    def test_a_search_over_ranks_is_the_same(self):
        job = self.stiffness_search()
        self.runs(job, "--threads", "1")
        self.over_ranks(2, "study", job, "--threads", "1", "--no-report", "--out", self.folder / "ranks")
        self.same(self.out, self.folder / "ranks")

    def test_constraints_that_cannot_be_met_are_told(self):
        result, _ = self.runs(self.stiffness_search(constraints=[{"response": "loss", "above": 80}]), code=3)
        self.assertEqual(result["optimum"]["status"], "infeasible")
        self.assertFalse(result["optimum"]["constraints"][0]["met"])
        self.assertIn("constraint_broken", [f["code"] for f in result["findings"]])

    def test_a_search_without_sense_is_refused(self):
        for changes, text in (({"objective": {}}, "what is brought down"),
                              ({"objective": {"terms": [{"response": "kdy"}]}}, "there is no response"),
                              ({"objective": {"terms": [{"response": "kdyn", "target": 3}]}}, "no targets"),
                              ({"objective": {"kind": "formula", "formula": "kdyn + q"}}, "'q'"),
                              ({"objective": {"kind": "formula", "formula": "kdyn + t"}}, "time"),
                              ({"constraints": [{"response": "loss"}]}, "limit"),
                              ({"constraints": [{"response": "loss", "above": 9, "below": 8}]}, "nothing lies between"),
                              ({"runs": 2000}, "most_runs"),
                              ({"parameters": [{"name": "k", "places": ["bench.model.parameters.stiffness"], "lower": 2, "upper": 1}]}, "both bounds"),
                              ({"parameters": [{"name": "k", "places": ["bench.model.parameters.stiffness"], "values": [1, 2]}]}, "no values"),
                              ({"design": "sobol", "parameters": [{"name": "k", "places": ["bench.model.parameters.stiffness"], "distribution": "uniform", "lower": 1e5, "upper": 2e5}]},
                               "for the design optimise")):
            done = self.kdyn("study", self.stiffness_search(**changes), "--out", self.folder / "refused")
            self.assertEqual(done.returncode, 2, (changes, done.stderr))
            self.assertIn(text, done.stderr)

    def test_a_fit_feeds_the_rig(self):
        job = self.write("chain.json", json.dumps({
            "chain": [{"name": "fit", "operation": "fit elastomer", "options": {"data": [str(SOURCE / "data" / "cab_mount" / "z_map.csv")]}},
                      {"name": "bench", "operation": "rig", "options": {"model": "{fit}/result.json", "program": "map", "frequencies_hz": [10], "amplitudes_m": [5e-4]}}],
            "parameters": [{"name": "weight", "places": ["fit.weight_k_dyn"], "values": [1, 4]}],
            "responses": [{"name": "kdyn", "value": "bench.map[0].k_dyn"}, {"name": "misfit", "value": "fit.fit.rms_kdyn_rel"}]}))
        result, table = self.runs(job, code=0)
        self.assertEqual(result["done"], 2)
        self.assertNotEqual(table[0]["kdyn"], table[1]["kdyn"])

    def test_a_list_gives_the_runs(self):
        self.write("list.csv", "run,k,friction\n0,1.1,0.05\n1,0.9,0.15\n")
        parameters = [{"name": "k", "places": ["bench.model.parameters.static_stiffness"], "use": "factor"}, {"name": "friction", "places": ["bench.model.parameters.alpha"]}]
        _, table = self.runs(self.job(design="list", list="list.csv", parameters=parameters))
        self.assertEqual([(r["k"], r["friction"]) for r in table], [("1.1", "0.05"), ("0.9", "0.15")])
        self.write("list.csv", "k,frictoin\n1,0.1\n")
        done = self.kdyn("study", self.job(design="list", list="list.csv", parameters=parameters), "--out", self.out)
        self.assertEqual(done.returncode, 2)
        self.assertIn("list.csv:1", done.stderr)

    def test_populations_scatter_as_the_batch_did(self):
        self.write("scatter.json", json.dumps({"distribution": "lognormal", "parts": 30, "names": ["static_stiffness", "alpha"],
                                               "log_mean": [math.log(3e5), math.log(0.1)], "log_covariance": [[0.0025, 0.003], [0.003, 0.01]]}))
        _, table = self.runs(self.job(runs=300, parameters=[], populations=[{"name": "mount", "scatter": "scatter.json", "place": "bench.model.parameters"}]))
        logs = [[math.log(float(r[name])) for r in table] for name in ("mount.static_stiffness", "mount.alpha")]
        mean = [sum(x) / 300 for x in logs]
        cov = [[sum((a - mean[i]) * (b - mean[j]) for a, b in zip(logs[i], logs[j])) / 299 for j in (0, 1)] for i in (0, 1)]
        self.assertAlmostEqual(mean[0], 0, delta=0.002)
        self.assertAlmostEqual(cov[0][0], 0.0025, delta=1e-4)  # a Latin hypercube meets margins within 1 %
        self.assertAlmostEqual(cov[0][1] / math.sqrt(cov[0][0] * cov[1][1]), 0.6, delta=0.1)  # 1/sqrt(300) = 0.06

    def test_failed_runs_are_told_and_are_no_numbers(self):
        job = self.job(parameters=[{"name": "k", "places": ["bench.model.parameters.static_stiffness"], "values": [3e5, -1, 4e5]}], allowed_failures=0.5)
        result, table = self.runs(job)
        self.assertEqual((result["done"], result["failed"], result["status"]), (2, 1, "done"))
        self.assertEqual(table[1]["status"], "failed")
        self.assertEqual(table[1]["kdyn [N/m]"], "")
        self.assertIn("static_stiffness", table[1]["reason"])
        self.assertEqual(result["responses"]["kdyn"]["spread"]["count"], 2)
        self.assertIn("failed_runs", [f["code"] for f in result["findings"]])
        result, _ = self.runs(self.job(parameters=[{"name": "k", "places": ["bench.model.parameters.static_stiffness"], "values": [3e5, -1]}]), code=3,
                              out=self.folder / "strict")
        self.assertEqual(result["status"], "incomplete")

    def test_wrong_jobs_say_what_is_wrong(self):
        place = "bench.model.parameters.static_stifness"
        cases = [
            (dict(parameters=[{"name": "k", "places": [place], "values": [1]}]), ["static_stifness", "did you mean 'static_stiffness'"]),
            (dict(parameters=[{"name": "k", "places": ["bensh.model.x"], "values": [1]}]), ["no step 'bensh'", "did you mean 'bench'"]),
            (dict(parameters=[{"name": "k", "places": ["bench.modle.x"], "values": [1]}]), ["unknown field 'modle'", "did you mean 'model'"]),
            (dict(parameters=[{"name": "k", "places": ["bench.model.law"], "use": "factor", "values": [1]}]), ["no number"]),
            (dict(parameters=[]), ["nothing changes"]),
            (dict(responses=[]), ["nothing is taken"]),
            (dict(responses=[{"name": "x", "value": "bench.map[0].kdyn"}]), ["did you mean 'k_dyn'"]),
            (dict(chain=[{"operation": "rigg"}]), ["unknown operation 'rigg'", "did you mean 'rig'"]),
            (dict(chain=[{"name": "a", "operation": "rig", "options": {"model": "{b}/model.json"}}]), ["no earlier step is called 'b'"]),
            (dict(design="grid"), ["grid"]),
            (dict(design="sensitivity", correlations=[{"parameters": ["k", "friction"], "value": 0.5}]), ["independent"]),
            (dict(keep=[{"response": "kdin"}]), ["did you mean 'kdyn'"]),
            (dict(parameters=[{"name": "a", "places": ["bench.model.parameters.alpha"], "values": [1]}, {"name": "b", "places": ["bench.model.parameters.alpha"], "values": [2]}]),
             ["is set by 'a' already"]),
            (dict(correlations=[{"parameters": ["k", "x"], "value": 0.5}]), ["no parameter 'x'"]),
        ]
        for changes, words in cases:
            with self.subTest(changes=changes):
                done = self.kdyn("study", self.job(**changes), "--out", self.out)
                self.assertIn(done.returncode, (2, 3), done.stdout)
                self.assertNotEqual(done.returncode, 0)
                said = done.stderr + done.stdout
                for word in words:
                    self.assertIn(word, said)

    def test_runs_that_are_asked_for_are_kept_whole(self):
        result, _ = self.runs(self.job(keep=[{"response": "kdyn", "smallest": 1, "largest": 1}]))
        self.assertEqual(len(result["kept"]), 2)
        for kept in result["kept"]:
            whole = json.loads((self.out / kept["folder"] / "bench" / "result.json").read_text())
            self.assertEqual(whole["map"][0]["k_dyn"], kept["responses"]["kdyn"])
            self.assertTrue((self.out / kept["folder"] / "changed_mount.json").exists())
            self.assertTrue((self.out / kept["folder"] / "bench" / "report.html").exists())

    def test_ranks_and_threads_do_not_show(self):
        job = self.job(runs=9)
        self.runs(job, "--threads", "1", "--no-report")
        self.over_ranks(2, "study", job, "--threads", "1", "--no-report", "--out", self.folder / "ranks")
        first, second = self.out, self.folder / "ranks"
        self.assertEqual((first / "runs.csv").read_bytes(), (second / "runs.csv").read_bytes())
        self.runs(job, "--threads", "3", "--no-report", out=self.folder / "threads")
        self.assertEqual((first / "runs.csv").read_bytes(), (self.folder / "threads" / "runs.csv").read_bytes())

    def kill_and_resume(self, job, moments, out):
        for moment in moments:
            running = subprocess.Popen([KDYN, "study", str(job), "--out", str(out), "--no-report", "--quiet"], cwd=self.folder)
            time.sleep(moment)
            running.send_signal(signal.SIGKILL)
            running.wait()
        self.runs(job, "--no-report", out=out)

    def test_killed_studies_go_on_to_the_same_bits(self):
        """KDYN_KILLS=30 makes the long form."""
        job = self.job(runs=300)
        begin = time.time()
        self.runs(job, "--no-report")
        whole = time.time() - begin
        chance = random.Random(7)
        out = self.folder / "killed"
        self.kill_and_resume(job, [chance.uniform(0.0, 0.6 * whole) for _ in range(int(os.environ.get("KDYN_KILLS", "4")))], out)
        self.same(self.out, out)
        # A file that the runs read has changed: nothing is taken over.
        self.write("mount.json", json.dumps({**MOUNT, "comment": "another"}))
        result, _ = self.runs(job, "--no-report", out=out)
        self.assertIn("begun_anew", [f["code"] for f in result["findings"]])

    def test_torn_and_foreign_journals_do_no_harm(self):
        job = self.job(runs=20)
        self.runs(job, "--no-report")
        out = self.folder / "torn"
        self.runs(job, "--no-report", out=out)
        journal = out / "runs.journal"
        whole = journal.read_bytes()
        chance = random.Random(3)
        for cut in [0, 1, 15, len(whole) // 2, len(whole) - 1]:
            journal.write_bytes(whole[:cut])
            self.runs(job, "--no-report", out=out)
            self.same(self.out, out)
        for _ in range(5):
            spoiled = bytearray(whole)
            spoiled[chance.randrange(len(whole))] ^= 1 << chance.randrange(8)
            journal.write_bytes(bytes(spoiled))
            self.runs(job, "--no-report", out=out)
            self.same(self.out, out)


class Road(CliTest):
    def road(self, *words):
        done = self.kdyn("road", *words, "--out", self.out, "--no-report")
        self.assertEqual(done.returncode, 0, done.stderr)
        return {name: [float(row[name]) for row in rows(self.out / "road.csv")] for name in
                ("time [s]", "front_left [m]", "front_right [m]", "rear_left [m]", "rear_right [m]")}

    def test_has_the_roughness_of_its_class_and_meets_the_rear_wheels_later(self):
        road = self.road("--roughness", "64e-6", "--speed-m-s", "20", "--wheelbase-m", "2.5", "--duration-s", "60", "--rate-hz", "200", "--fade-s", "0.5")
        front, rear = road["front_left [m]"], road["rear_left [m]"]
        for i in range(2000, 10000, 97):
            self.assertAlmostEqual(rear[i + 25], front[i], delta=1e-9)  # 2.5 m at 20 m/s are 25 rows
        # Variance of waves from 0.02 to 4 in a metre, G0 n0^2 (1/n1 - 1/n2), of chance phases: over 1.2 km the longest waves pass 24 times.
        inner = front[200:-200]
        mean = sum(inner) / len(inner)
        variance = sum((z - mean) ** 2 for z in inner) / len(inner)
        self.assertAlmostEqual(variance / (64e-6 * 0.01 * (1 / 0.02 - 1 / 4)), 1.0, delta=0.35)

    def test_has_its_obstacles(self):
        obstacles = json.dumps([{"at_s": 1.0, "height_m": -0.05, "length_m": 1.0, "right": False}])
        road = self.road("--roughness", "0", "--duration-s", "3", "--set", f"obstacles={obstacles}")
        self.assertAlmostEqual(min(road["front_left [m]"]), -0.05, delta=1e-4)
        self.assertEqual(max(map(abs, road["front_right [m]"])), 0.0)
        lowest = road["front_left [m]"].index(min(road["front_left [m]"]))
        self.assertAlmostEqual(road["time [s]"][lowest], 1.0 + 0.5 / 20, delta=2e-3)

    def test_refuses_what_is_no_road(self):
        for words in (["--duration-s", "1e9"], ["--longest-wave-m", "0.2"], ["--duration-s", "1", "--fade-s", "0.8"], ["--speed-m-s", "0"]):
            done = self.kdyn("road", *words, "--out", self.out)
            self.assertEqual(done.returncode, 2, done.stdout)


if __name__ == "__main__":
    unittest.main()
