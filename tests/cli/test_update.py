# SPDX-License-Identifier: Apache-2.0
"""kdyn update through the real binary: a chain of masses as Nastran deck, its responses computed here, ranks, checkpoints and planning."""
import json
import math
import os
import signal
import subprocess
import time
import unittest

from harness import KDYN, SOURCE, CliTest

MASSES = [1.0, 1.3, 0.9, 1.1, 1.2]
SPRINGS = [(None, 0, 30000.0), (0, 1, 90000.0), (1, 2, 60000.0), (2, 3, 80000.0), (3, 4, 70000.0), (0, 2, 40000.0), (1, 4, 50000.0)]
TRUE_RATIO = {5: 1.5, 6: 0.7}  # two springs differ from the deck
BETA = 3e-5  # C = BETA K: damping ratios BETA w / 2, about 0.4 % at 40 Hz


def deck(bystanders=0):
    """The chain, and so many masses on springs of their own at 300 Hz and above, which no channel sees."""
    text = "SOL 103\nCEND\nSPC = 1\nBEGIN BULK\nPARAM,COUPMASS,1\n"
    for i in range(bystanders):
        text += f"GRID,{1001 + i},,{i}.0,9.0,0.0\nCONM2,{2001 + i},{1001 + i},,0.1\nSPC1,1,23456,{1001 + i}\n"
        text += f"CELAS2,{4001 + i},{0.1 * (2 * math.pi * (300 + 3 * i)) ** 2:.10g},{1001 + i},1\n"
    for i, mass in enumerate(MASSES):
        text += f"GRID,{i + 1},,{i}.0,0.0,0.0\nCONM2,{100 + i},{i + 1},,{mass}\nSPC1,1,23456,{i + 1}\n"
    for k, (a, b, stiffness) in enumerate(SPRINGS):
        text += f"CELAS2,{201 + k},{stiffness},{b + 1},1" + ("\n" if a is None else f",{a + 1},1\n")
    return text + "ENDDATA\n"


def solve(matrix, right):
    """Gaussian elimination with pivoting, complex."""
    n = len(right)
    rows = [list(matrix[i]) + [right[i]] for i in range(n)]
    for i in range(n):
        pivot = max(range(i, n), key=lambda r: abs(rows[r][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for r in range(i + 1, n):
            factor = rows[r][i] / rows[i][i]
            for c in range(i, n + 1):
                rows[r][c] -= factor * rows[i][c]
    out = [0j] * n
    for i in reversed(range(n)):
        out[i] = (rows[i][n] - sum(rows[i][c] * out[c] for c in range(i + 1, n))) / rows[i][i]
    return out


def true_stiffness():
    n = len(MASSES)
    k = [[0.0] * n for _ in range(n)]
    for index, (a, b, stiffness) in enumerate(SPRINGS):
        s = stiffness * TRUE_RATIO.get(index, 1.0)
        k[b][b] += s
        if a is not None:
            k[a][a] += s
            k[a][b] -= s
            k[b][a] -= s
    return k


def responses(noise=0.002, lines=260, low=6.0, high=110.0, seed=1, loss=()):
    """Accelerances of the true chain; `loss`: (spring, loss factor) of springs with hysteresis."""
    n, k = len(MASSES), true_stiffness()
    lost = [[0.0] * n for _ in range(n)]
    for index, eta in loss:
        a, b, stiffness = SPRINGS[index]
        s = eta * stiffness * TRUE_RATIO.get(index, 1.0)
        lost[a][a] += s
        lost[b][b] += s
        lost[a][b] -= s
        lost[b][a] -= s
    channels = [(o, u) for u in (0, 3) for o in range(n)]
    text = "".join(f"# unit {o + 1}+X:{u + 1}+X m/s^2 N\n" for o, u in channels)
    text += "frequency_hz," + ",".join(f"{o + 1}+X:{u + 1}+X_re,{o + 1}+X:{u + 1}+X_im" for o, u in channels) + "\n"
    state = seed
    for line in range(lines):
        f = low + (high - low) * line / (lines - 1)
        w = 2 * math.pi * f
        dynamic = [[k[i][j] * complex(1, w * BETA) + 1j * lost[i][j] - (w * w * MASSES[i] if i == j else 0) for j in range(n)] for i in range(n)]
        columns = {u: solve(dynamic, [1.0 if i == u else 0.0 for i in range(n)]) for u in (0, 3)}
        row = [f"{f:.10g}"]
        for o, u in channels:
            h = -w * w * columns[u][o]
            for part in (h.real, h.imag):
                state = (1103515245 * state + 12345) % 2**31
                row.append(f"{part + noise * (state / 2**30 - 1):.12g}")
        text += ",".join(row) + "\n"
    return text


def jacobi(a):
    """Eigenvalues and vectors of a symmetric matrix."""
    n = len(a)
    a = [row[:] for row in a]
    v = [[float(i == j) for j in range(n)] for i in range(n)]
    for _ in range(60):
        for p in range(n):
            for q in range(p + 1, n):
                if abs(a[p][q]) < 1e-300:
                    continue
                theta = 0.5 * math.atan2(2 * a[p][q], a[q][q] - a[p][p])
                c, s = math.cos(theta), math.sin(theta)
                for k in range(n):
                    a[k][p], a[k][q] = c * a[k][p] - s * a[k][q], s * a[k][p] + c * a[k][q]
                for k in range(n):
                    a[p][k], a[q][k] = c * a[p][k] - s * a[q][k], s * a[p][k] + c * a[q][k]
                for k in range(n):
                    v[k][p], v[k][q] = c * v[k][p] - s * v[k][q], s * v[k][p] + c * v[k][q]
    return [a[i][i] for i in range(n)], v


def equalised(damping, lines=160, low=12.0, high=110.0):
    """Accelerances of the true chain with one damping ratio for all modes, by its modes."""
    n, k = len(MASSES), true_stiffness()
    values, vectors = jacobi([[k[i][j] / math.sqrt(MASSES[i] * MASSES[j]) for j in range(n)] for i in range(n)])
    channels = [(o, u) for u in (0, 3) for o in range(n)]
    text = "".join(f"# unit {o + 1}+X:{u + 1}+X m/s^2 N\n" for o, u in channels)
    text += "frequency_hz," + ",".join(f"{o + 1}+X:{u + 1}+X_re,{o + 1}+X:{u + 1}+X_im" for o, u in channels) + "\n"
    for line in range(lines):
        w = 2 * math.pi * (low + (high - low) * line / (lines - 1))
        row = [f"{w / (2 * math.pi):.15g}"]
        for o, u in channels:
            h = sum(-w * w * vectors[o][r] * vectors[u][r] / math.sqrt(MASSES[o] * MASSES[u])
                    / complex(values[r] - w * w, 2 * damping * math.sqrt(values[r]) * w) for r in range(n))
            row += [f"{h.real:.15g}", f"{h.imag:.15g}"]
        text += ",".join(row) + "\n"
    return text


class Update(CliTest):
    def path(self, *names):
        return str(self.folder.joinpath(*names))

    def run_to(self, name, *words):
        self.succeeds("update", *words, "--out", self.path(name))
        return self.result(self.folder / name)

    def job(self, low=6.0, **more):
        self.write("chain.bdf", deck())
        self.write("frf.csv", responses(low=low))
        job = {
            "model": ["chain.bdf"],
            "data": ["frf.csv"],
            "parameters": [
                {"name": "k06", "kind": "scalar_spring", "labels": [206]},
                {"name": "k07", "kind": "scalar_spring", "labels": [207]},
                {"name": "m2", "kind": "point_mass", "labels": [101], "fixed": True},
            ],
            "band_hz": [low, 110],
            "starts": 4,
            "basis_modes": 5,
            "bootstrap_draws": 10,
        }
        job.update(more)
        return str(self.write("job.json", json.dumps(job)))

    def test_finds_the_stiffnesses_and_writes_a_report(self):
        result = self.run_to("out", self.job(validation=["2+X"]))
        self.assertEqual(result["status"], "converged")
        for name, nominal, ratio in (("k06", 40000.0, 1.5), ("k07", 50000.0, 0.7)):
            found = result["parameters"][name]
            self.assertEqual(found["nominal"], nominal)
            self.assertAlmostEqual(found["value"] / (nominal * ratio), 1.0, delta=0.01)
            self.assertEqual(found["status"], "free")
            self.assertTrue(found["identifiable"])
        self.assertEqual(result["parameters"]["m2"]["status"], "fixed")
        self.assertLess(result["metric"]["calibration"], 0.05 * result["metric"]["calibration_nominal"])
        self.assertEqual(result["parts"][0]["same_as_best"], 4)
        self.assertTrue(os.path.exists(self.path("out", "report.html")))

    def test_a_mode_beside_the_band_is_told(self):
        """The first mode, 10.8 Hz, lies just below responses that begin at 12 Hz: what the model leaves there is not noise."""
        result = self.run_to("out", self.job(low=12.0))
        self.assertIn("model_error", [finding["code"] for finding in result["findings"]])
        for name, true in (("k06", 60000.0), ("k07", 35000.0)):
            found = result["parameters"][name]
            self.assertLess(found["lower_95"], true)
            self.assertGreater(found["upper_95"], true)

    def test_ranks_give_identical_parameters(self):
        job = self.job(monte_carlo_draws=4)
        found = []
        for ranks in (0, 1, 2, 4):
            out = self.folder / f"ranks_{ranks}"
            words = ("update", job, "--quiet", "--no-report", "--out", out)
            self.over_ranks(ranks, *words) if ranks else self.succeeds(*words)
            result = self.result(out)
            found.append((result["parameters"], result["parts"][0]["starts"]))
        for other in found[1:]:
            self.assertEqual(other, found[0])

    def test_ranks_share_the_eigenproblem_of_the_full_model(self):
        job = self.job()
        self.write("chain.bdf", deck(600))  # more unknowns than are solved in full
        words = ("update", job, "--quiet", "--no-report", "--out")
        self.succeeds(*words, self.out)
        own = self.result()["parameters"]
        for ranks in (1, 2, 4):
            with self.subTest(ranks=ranks):
                out = self.folder / f"ranks_{ranks}"
                run = self.over_ranks(ranks, "update", job, "--eigensolver", "slepc", "--quiet", "--no-report", "--out", out, code=None)
                if "is not installed" in run.stderr:
                    self.skipTest("built without SLEPc")
                self.assertEqual(run.returncode, 0, run.stderr)
                for name, other in self.result(out)["parameters"].items():
                    # Modes agree to twelve digits, and the calibration takes the same path from them; seen: 5e-15.
                    self.assertLess(abs(other["value"] / own[name]["value"] - 1), 1e-9, name)

    def test_parts_over_ranks_give_identical_results(self):
        # Three parts: whole parts over 2 and 3 ranks, starts and draws of one part after the other over 4.
        job = self.job(data=[], parts=[{"name": f"S{i}", "data": [f"s{i}.csv"]} for i in (1, 2, 3)], starts=2, monte_carlo_draws=3)
        for i in (1, 2, 3):
            self.write(f"s{i}.csv", responses(seed=i))
        found = []
        for ranks in (0, 1, 2, 3, 4):
            out = self.folder / f"ranks_{ranks}"
            words = ("update", job, "--quiet", "--out", out)
            self.over_ranks(ranks, *words) if ranks else self.succeeds(*words)
            result = self.result(out)
            self.assertTrue((out / "report.html").exists())
            found.append({key: result[key] for key in ("status", "reason", "parameters", "metric", "parts", "population", "findings")})
        for other in found[1:]:
            self.assertEqual(other, found[0])
        self.assertNotEqual(found[0]["parts"][0]["parameters"], found[0]["parts"][1]["parameters"])

    def test_parts_wait_for_each_other_when_ranks_share_the_eigenproblem(self):
        job = self.job(data=[], parts=[{"name": f"S{i}", "data": [f"s{i}.csv"]} for i in (1, 2)], starts=2, monte_carlo_draws=0)
        self.write("chain.bdf", deck(600))
        for i in (1, 2):
            self.write(f"s{i}.csv", responses(seed=i))
        self.succeeds("update", job, "--quiet", "--no-report", "--out", self.out)
        own = self.result()["parts"]
        out = self.folder / "ranks"
        run = self.over_ranks(2, "update", job, "--eigensolver", "slepc", "--quiet", "--no-report", "--out", out, code=None)
        if "is not installed" in run.stderr:
            self.skipTest("built without SLEPc")
        self.assertEqual(run.returncode, 0, run.stderr)
        for part, other in zip(own, self.result(out)["parts"]):
            for name in part["parameters"]:
                # As for one part: modes agree to twelve digits.
                self.assertLess(abs(other["parameters"][name]["value"] / part["parameters"][name]["value"] - 1), 1e-9, name)

    def test_a_bad_part_is_named_on_every_number_of_ranks(self):
        job = self.job(data=[], parts=[{"name": "S1", "data": ["s1.csv"]}, {"name": "S2", "data": ["s2.csv"]}], validation=["1", "2", "3", "4", "5"])
        for i in (1, 2):
            self.write(f"s{i}.csv", responses(seed=i))
        run = self.kdyn("update", job, "--out", self.path("bad"))
        self.assertEqual(run.returncode, 2)
        self.assertIn("S1", run.stderr)
        run = self.over_ranks(2, "update", job, "--out", self.path("bad"), code=2)
        self.assertIn("S1", run.stderr)

    def test_a_killed_job_goes_on_where_it_was(self):
        job = self.job(starts=12, monte_carlo_draws=0)
        folder = self.path("checkpoint")
        whole = self.run_to("whole", job, "--no-report")
        command = [KDYN, "update", job, "--checkpoint", folder, "--quiet", "--no-report", "--out", self.path("killed")]
        process = subprocess.Popen(command)
        kept = os.path.join(folder, "part_000")
        deadline = time.monotonic() + 60.0
        while process.poll() is None and time.monotonic() < deadline and not (os.path.isdir(kept) and len(os.listdir(kept)) >= 2):
            time.sleep(0.002)
        process.send_signal(signal.SIGKILL)
        process.wait()
        finished = [name for name in os.listdir(kept) if name.startswith("start_") and name.endswith(".json")]
        self.assertGreaterEqual(len(finished), 1)
        stamps = {name: os.stat(os.path.join(kept, name)).st_mtime_ns for name in finished}
        resumed = self.run_to("resumed", job, "--checkpoint", folder, "--no-report")
        self.assertEqual(resumed["parameters"], whole["parameters"])
        for name, stamp in stamps.items():  # finished starts were taken, not computed again
            self.assertEqual(os.stat(os.path.join(kept, name)).st_mtime_ns, stamp)

    def test_the_updated_deck_holds_what_was_found(self):
        result = self.run_to("out", self.job(starts=1))
        (written,) = result["updated_decks"]
        self.assertEqual({(c["card"], c["field"]) for c in written["changes"]}, {("CELAS2 206", "K"), ("CELAS2 207", "K")})
        text = (self.folder / "out" / written["deck"]).read_text()
        # Only the two cards differ, and kdyn fe finds in the deck what it finds in one written here with the same stiffness.
        by_hand = deck()
        for name, index in (("k06", 5), ("k07", 6)):
            stiffness = f"CELAS2,{201 + index},{SPRINGS[index][2]},"
            self.assertIn(stiffness, by_hand)
            by_hand = by_hand.replace(stiffness, f"CELAS2,{201 + index},{result['parameters'][name]['value']!r},")
        before, after = deck().splitlines(), text.splitlines()
        gone = [line for line in before if line not in after]
        self.assertEqual([line[:10] for line in gone], ["CELAS2,206", "CELAS2,207"])
        self.assertEqual([line for line in before if line not in gone], [line for line in after if line in before])
        found = []
        for name, content in (("updated.bdf", text), ("by_hand.bdf", by_hand)):
            self.write(name, content)
            self.succeeds("fe", self.path(name), "--count", "5", "--no-report", "--out", self.path("fe_" + name))
            found.append(self.result(self.folder / ("fe_" + name))["frequencies_hz"])
        for a, b in zip(*found):
            self.assertAlmostEqual(a / b, 1.0, delta=1e-9)  # eleven digits of stiffness

    def test_an_updated_deck_with_includes_reads_back(self):
        """The bundled subframe, its properties in an included file with comments inside and behind cards."""
        data = SOURCE / "data" / "subframe"
        deck_lines, properties = [], ["$ steel, section, bushings"]
        for line in (data / "on_bushings.bdf").read_text().splitlines():
            if not line.startswith(("MAT1", "PBAR", "PBUSH")):
                deck_lines.append(line)
            elif line.startswith("PBUSH,202"):
                properties += ["PBUSH*  202                            K        600000.0        600000.0*", "$ inside the card",
                               "*               900000.0           900.0           900.0           600.0"]
            else:
                properties.append(line + ("  $ behind the card" if line.startswith("PBUSH,203") else ""))
        end = deck_lines.index("ENDDATA") if "ENDDATA" in deck_lines else len(deck_lines)
        deck_lines[end:end] = ["$ properties", "INCLUDE 'props.inc'"]
        sources = {"on_bushings.bdf": "\n".join(deck_lines) + "\n", "props.inc": "\n".join(properties) + "\n"}
        for name, text in sources.items():
            self.write(name, text)
        job = json.loads((data / "job.json").read_text())
        job.update(data=[str(data / "frf.uff")], starts=1, bootstrap_draws=0)
        job["parameters"] += [{"kind": "young", "name": "E", "labels": [1]}, {"kind": "point_mass", "name": "m", "labels": [101]}]
        self.write("subframe.json", json.dumps(job))
        result = self.run_to("out", self.path("subframe.json"), "--no-report")
        changed = set()
        for name, text in sources.items():
            after = (self.folder / "out" / "updated" / name).read_text().splitlines()
            before = text.splitlines()
            gone = [line for line in before if line not in after]
            changed |= {line[:9] for line in gone if not line.startswith("*")}
            # What stays is in order, comments inside and behind cards among it.
            self.assertEqual([line for line in before if line not in gone], [line for line in after if line in before])
            for remark in ("$ inside the card", "$ behind the card"):
                self.assertEqual("\n".join(before).count(remark), "\n".join(after).count(remark))
        self.assertEqual(changed, {"CONM2,101", "MAT1,1,2.", "PBUSH,201", "PBUSH*  2", "PBUSH,203", "PBUSH,204"})
        self.succeeds("fe", self.path("out/updated/on_bushings.bdf"), "--no-report", "--out", self.path("fe"))
        found = self.result(self.folder / "fe")["frequencies_hz"]
        modes = result["parts"][0]["modes"]
        self.assertEqual(len(modes), 10)
        for mode in modes:  # of the small model that was calibrated
            self.assertLess(min(abs(f / mode["after_hz"] - 1.0) for f in found if f > 0.0), 1e-6)

    def test_stiffness_and_loss_factor_are_found_together(self):
        job = self.job(starts=1, parameters=[
            {"name": "k06", "kind": "scalar_spring", "labels": [206]},
            {"name": "k07", "kind": "scalar_spring", "labels": [207]},
            {"name": "eta06", "kind": "scalar_loss_factor", "labels": [206]},
            {"name": "eta07", "kind": "scalar_loss_factor", "labels": [207], "nominal": 0.05},
        ])
        self.write("frf.csv", responses(loss=((5, 0.2), (6, 0.1))))
        result = self.run_to("out", job)
        self.assertLess(result["model_to_noise"], 2.0)
        for name, truth, unit in (("k06", 60000.0, "N/m"), ("k07", 35000.0, "N/m"), ("eta06", 0.2, "-"), ("eta07", 0.1, "-")):
            found = result["parameters"][name]
            self.assertEqual(found["unit"], unit)
            self.assertAlmostEqual(found["value"] / truth, 1.0, delta=0.01 if unit == "N/m" else 0.08, msg=name)
        self.assertEqual(result["parameters"]["eta07"]["nominal"], 0.05)
        self.assertEqual(len(result["parts"][0]["damping_of_modes"]), 5)
        for mode in result["parts"][0]["damping_of_modes"]:
            self.assertGreater(mode["damping"], mode["beside_loss_factors"])
        (written,) = result["updated_decks"]
        self.assertEqual({(c["card"], c["field"]) for c in written["changes"]},
                         {("CELAS2 206", "K"), ("CELAS2 207", "K"), ("CELAS2 206", "GE"), ("CELAS2 207", "GE")})
        report = (self.folder / "out" / "report.html").read_text()
        self.assertIn("What damps each mode", report)

    def test_what_is_known_beforehand_tells_parallel_springs_apart(self):
        """Two springs between the same masses: the data know their sum, a bench knows one of them."""
        job = self.job(starts=1, parameters=[
            {"name": "k06", "kind": "scalar_spring", "labels": [206], "known_value": 22000.0, "known_percent": 5.0},
            {"name": "beside", "kind": "scalar_spring", "labels": [208]},
            {"name": "k07", "kind": "scalar_spring", "labels": [207]},
        ])
        shared = deck().replace("CELAS2,206,40000.0,", "CELAS2,206,20000.0,").replace("ENDDATA", "CELAS2,208,20000.0,3,1,1,1\nENDDATA")
        self.write("chain.bdf", shared)
        result = self.run_to("out", job)
        first, second = result["parameters"]["k06"], result["parameters"]["beside"]
        # The sum by the data, its first part as the bench says, both with the interval of the bench.
        self.assertAlmostEqual((first["value"] + second["value"]) / 60000.0, 1.0, delta=0.01)
        self.assertAlmostEqual(first["value"], 22000.0, delta=200.0)
        for one in (first, second):
            half = 0.5 * (one["upper_95"] - one["lower_95"])
            self.assertGreater(half, 1.96 * 0.05 * 20000.0 * 0.95)
            self.assertLess(half, 1.96 * 0.05 * 20000.0 * 1.4)
        self.assertNotIn("not_determined", {f["code"] for f in result["findings"]})
        # Without the bench they cannot be told apart, and that is said.
        plain = json.loads((self.folder / "job.json").read_text())
        for parameter in plain["parameters"]:
            parameter.pop("known_value", None), parameter.pop("known_percent", None)
        self.write("plain.json", json.dumps(plain))
        run = self.kdyn("update", self.path("plain.json"), "--out", self.path("plain"))
        self.assertIn("not_determined", {f["code"] for f in self.result(self.folder / "plain")["findings"]}, run.stderr)
        plain["parameters"][0]["known_value"] = 22000.0
        self.write("bad.json", json.dumps(plain))
        run = self.kdyn("update", self.path("bad.json"), "--out", self.path("bad"))
        self.assertEqual(run.returncode, 2)
        self.assertIn("known_percent", run.stderr)

    def test_what_one_configuration_found_is_carried_into_the_next(self):
        """The second test sees the sum of two parallel springs alone; the first has found one of them."""
        both = deck().replace("ENDDATA", "CELAS2,208,20000.0,3,1,1,1\nENDDATA")
        self.write("both.bdf", both)
        spring = {"kind": "scalar_spring"}
        first = [{**spring, "name": "k06", "labels": [206]}, {**spring, "name": "k07", "labels": [207]}]
        # The truth of the second test: 60000 + 20000 between masses 1 and 3.
        SPRINGS.append((0, 2, 20000.0))
        try:
            self.write("both.csv", responses(seed=5))
        finally:
            SPRINGS.pop()
        job = self.job(starts=1, configurations=[
            {"name": "alone", "parameters": first},
            {"name": "both", "model": ["both.bdf"], "data": ["both.csv"], "carry_over": True,
             "parameters": first + [{**spring, "name": "beside", "labels": [208], "lower": -0.9, "upper": 3.0}]},
        ])
        result = self.run_to("out", job)
        second = result["configurations"][1]["parts"][0]["parameters"]
        self.assertAlmostEqual(second["k06"]["value"] / 60000.0, 1.0, delta=0.01)
        self.assertAlmostEqual(second["beside"]["value"] / 20000.0, 1.0, delta=0.03)
        self.assertIn("carried_over", {f["code"] for f in result["findings"]})

    def test_a_turned_sensor_is_named_and_left_out(self):
        job = self.job(starts=1)
        lines = responses().splitlines()
        names = next(line for line in lines if line.startswith("frequency_hz")).split(",")
        turned = {i for i, name in enumerate(names) if name.startswith("3+X:")}
        start = next(i for i, line in enumerate(lines) if line.startswith("frequency_hz")) + 1
        for i in range(start, len(lines)):
            values = lines[i].split(",")
            lines[i] = ",".join(repr(-float(v)) if k in turned else v for k, v in enumerate(values))
        self.write("frf.csv", "\n".join(lines) + "\n")
        run = self.kdyn("update", job, "--out", self.path("turned"))
        self.assertEqual(run.returncode, 3, run.stderr)
        result = self.result(self.folder / "turned")
        self.assertEqual([(f["channel"], f["kind"]) for f in result["parts"][0]["channel_faults"]], [("3+X", "sign")])
        self.assertIn("channel_sign", {f["code"] for f in result["findings"]})
        found = self.run_to("left_out", "--leave-out-faulty", "true", job)
        for name, truth in (("k06", 60000.0), ("k07", 35000.0)):
            self.assertAlmostEqual(found["parameters"][name]["value"] / truth, 1.0, delta=0.01)
        run = self.kdyn("update", self.job(leave_out=["77+X"]), "--out", self.path("bad"))
        self.assertEqual(run.returncode, 2, run.stderr)
        self.assertIn("77+X", run.stderr)

    def test_equalised_responses_skip_the_identification(self):
        self.job()  # writes the deck
        given = []
        for damping in (0.1, 0.02):
            self.write(f"equalised_{damping}.csv", equalised(damping))
            given.append({"damping": damping, "data": [f"equalised_{damping}.csv"]})
        result = self.run_to("out", self.job(data=[], equalised=given, monte_carlo_draws=4, starts=2))
        part = result["parts"][0]
        self.assertEqual(part["identified_modes"], 0)
        for name, truth in (("k06", 60000.0), ("k07", 35000.0)):  # exact responses: only the digits of the file are missing
            self.assertAlmostEqual(result["parameters"][name]["value"] / truth, 1.0, delta=1e-6)
        self.assertLess(result["metric"]["calibration"], 1e-12)
        codes = {finding["code"] for finding in result["findings"]}
        self.assertIn("noise_assumed", codes)
        self.assertIn("no_recalibration", codes)
        for change, word in (
            ({"equalised": [{"damping": 2, "data": ["equalised_0.1.csv"]}]}, "damping"),
            ({"equalised": [{"damping": 0.02}]}, "data"),
            ({"equalised": given, "data": ["frf.csv"]}, "equalised"),
        ):
            run = self.kdyn("update", self.job(**{"data": [], **change}), "--out", self.path("bad"))
            self.assertEqual(run.returncode, 2, run.stderr)
            self.assertIn(word, run.stderr)

    def test_sensors_along_a_vector_or_an_axis_of_a_coordinate_system(self):
        # The chain lies along an axis turned by 30 degrees about z. Sensors still say X, which is now the axis of the chain.
        turned = deck().replace("BEGIN BULK\n", "BEGIN BULK\nCORD2R,5,0,0.,0.,0.,0.,0.,1.\n+,0.866025403784,0.5,0.\n")
        turned = turned.replace(".0,0.0,0.0\n", ".0,0.0,0.0,5\n")
        plain = self.run_to("plain", self.job())
        labels = [f"{i + 1}+X" for i in range(5)]
        for name, directions in (("system", {str(i + 1): 5 for i in range(5)}), ("vector", {label: [1.732050807569, 1.0, 0.0] for label in labels})):
            job = self.job(directions=directions)
            self.write("chain.bdf", turned)
            found = self.run_to(name, job)
            for parameter in ("k06", "k07"):
                self.assertAlmostEqual(found["parameters"][parameter]["value"] / plain["parameters"][parameter]["value"], 1.0, delta=1e-6)
        # Without directions X is the global axis: the sensors see 0.866 of the motion, and the calibration cannot reach the responses.
        job = self.job()
        self.write("chain.bdf", turned)
        run = self.kdyn("update", job, "--out", self.path("blind"))
        self.assertEqual(run.returncode, 3, run.stderr)
        blind = self.result(self.folder / "blind")
        self.assertEqual(blind["status"], "poor_fit")
        self.assertGreater(blind["model_to_noise"], 3.0)
        self.assertFalse(any(blind["parameters"][name]["identifiable"] for name in ("k06", "k07")))
        self.assertGreater(blind["metric"]["calibration"], 10 * plain["metric"]["calibration"])
        for directions, word in (
            ({"1+X": [0, 0, 0]}, "direction"),
            ({"1+X": [1, 0]}, "vector"),
            ({"1": 7}, "coordinate system 7"),
            ({"77+X": [1, 0, 0]}, "77+X"),
            ({"1": [1, 0, 0]}, "directions.1"),
        ):
            job = self.job(directions=directions)
            self.write("chain.bdf", turned)
            run = self.kdyn("update", job, "--out", self.path("bad"))
            self.assertEqual(run.returncode, 2, run.stderr)
            self.assertIn(word, run.stderr)

    def test_several_configurations_make_the_tables_of_the_paper(self):
        for i in (1, 2):
            self.write(f"s{i}.csv", responses(seed=i))
        parts = [{"name": f"S{i}", "data": [f"s{i}.csv"], "weighed_kg": 5.5 + 0.01 * i} for i in (1, 2)]
        bare = [{"name": p["name"], "data": p["data"]} for p in parts]
        result = self.run_to("out", self.job(data=[], starts=1, validation=["2+X"], configurations=[
            {"name": "bare", "parts": parts}, {"name": "loaded", "parts": bare}, {"name": "solid", "parts": bare[1:], "phases": ["all"]}]))
        self.assertEqual([c["name"] for c in result["configurations"]], ["bare", "loaded", "solid"])
        self.assertEqual(result["parts"], result["configurations"][0]["parts"])
        self.assertEqual(result["parts"][0]["mass_kg"]["weighed"], 5.51)
        report = (self.folder / "out" / "report.html").read_text()
        for number, title in enumerate(["Parameters, nominal and updated, bare", "Mass, kg, bare", "Eigenfrequencies, Hz, bare", "Deviation metric, bare",
                                        "Parameters, nominal and updated, loaded", "Eigenfrequencies, Hz, loaded", "Deviation metric, loaded",
                                        "Parameters, nominal and updated, solid", "Eigenfrequencies, Hz, solid", "Deviation metric, solid"]):
            self.assertIn(f"Table {number + 1}. {title}", report)
        for change, word in (({"configurations": [{"model": []}]}, "name"), ({"configurations": [{"name": "a", "colour": 1}]}, "colour")):
            run = self.kdyn("update", self.job(**change), "--out", self.path("bad"))
            self.assertEqual(run.returncode, 2, run.stderr)
            self.assertIn(word, run.stderr)

    def test_plans_a_test(self):
        result = self.run_to("plan", self.job(), "--plan", "--sensors", "5")
        self.assertEqual(result["status"], "done")
        self.assertEqual(len(result["sensors"]), 5)
        self.assertIn("k06", result["parameters"])

    def test_a_plan_without_lists(self):
        for field in ("damping", "lines_per_half_bandwidth"):
            run = self.kdyn("update", self.job(), "--plan", "--set", f"{field}=[]", "--out", self.path("bad"))
            self.assertEqual(run.returncode, 2, run.stderr)
            self.assertIn(field, run.stderr)

    def test_values_of_another_type(self):
        """Exit 2 with the field, not 5: the file is wrong, not kdyn."""
        good = {"name": "k", "kind": "scalar_spring", "labels": [206]}
        odd = [5, [], {}, None, True]
        for field in ("name", "kind", "group", "fixed", "lower", "labels"):
            for value in odd + ["text"]:
                # null is "not given" where a field may be left out
                if (field, value) in (("fixed", True), ("fixed", None), ("lower", None), ("name", "text"), ("group", "text")):
                    continue
                run = self.kdyn("update", self.job(parameters=[{**good, field: value}]), "--out", self.path("bad"))
                self.assertEqual(run.returncode, 2, (field, value, run.stderr))
        for change in ({"groups": {"g": 5}, "parameters": [{**good, "group": "g"}]}, {"parts": [{"name": 5, "data": []}]}, {"parts": [5]}, {"groups": []}):
            run = self.kdyn("update", self.job(**change), "--out", self.path("bad"))
            self.assertEqual(run.returncode, 2, (change, run.stderr))

    def test_bad_jobs_are_named(self):
        for change, word in (
            ({"parameters": [{"name": "k", "kind": "scalar_spring", "labels": [999]}]}, "999"),
            ({"parameters": [{"name": "k", "kind": "sprng", "labels": [206]}]}, "sprng"),
            ({"parameters": [{"name": "k", "kind": "scalar_spring", "labels": [206], "lower": -2}]}, "lower"),
            ({"validation": ["1", "2", "3", "4", "5"]}, "validation"),
            ({"phases": ["nobody"]}, "nobody"),
            ({"channel_map": {"1+X": "77+X"}}, "77+X"),
            ({"data": ["missing.csv"]}, "missing.csv"),
        ):
            with self.subTest(change):
                run = self.kdyn("update", self.job(**change), "--out", self.path("bad"))
                self.assertIn(run.returncode, (2, 4))
                self.assertIn(word, run.stderr)
                self.assertFalse(os.path.exists(self.path("bad", "result.json")))


if __name__ == "__main__":
    unittest.main()
