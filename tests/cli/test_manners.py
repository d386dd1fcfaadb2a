# SPDX-License-Identifier: Apache-2.0
"""Manners of the command line: help wherever one asks for it, words completed by shells, the manual page, files without a flag."""
import json
import os
import pty
import shlex
import shutil
import subprocess
import unittest

from harness import CAB_MOUNT, KDYN, SOURCE, CliTest

X_MAP = CAB_MOUNT / "x_map.csv"
HYDRO_MAP = SOURCE / "data" / "hydro_mount" / "map.csv"


class Help(CliTest):
    def test_every_way_to_ask(self):
        page = self.succeeds("--help").stdout
        self.assertEqual(self.succeeds().stdout, page)
        self.assertEqual(self.succeeds("help").stdout, page)
        self.assertEqual(self.succeeds("help", "fit", "elastomer").stdout, self.succeeds("fit", "elastomer", "--help").stdout)
        self.assertEqual(self.succeeds("help", "fit").stdout, self.succeeds("fit", "--help").stdout)
        self.refuses(2, ["help", "fit", "elastomr"], "did you mean")
        self.assertIn("--port", self.succeeds("serve", "--help").stdout)

    def test_pages_fit_a_terminal(self):
        described = json.loads(self.succeeds("describe", "--json").stdout)["operations"]
        pages = [self.succeeds("help").stdout, self.succeeds("serve", "--help").stdout]
        pages += [self.succeeds("help", *one["operation"].split()).stdout for one in described]
        for page in pages:
            for line in page.splitlines():
                # A word or list of choices cannot be wrapped.
                if not line.startswith("Usage:") and len(line.split()) > 2:
                    self.assertLessEqual(len(line), 80, line)
        # An example over several lines is one command for a shell.
        for page, one in zip(pages[2:], described):
            shown = page[page.index("\nExample: ") + len("\nExample: "):]
            self.assertEqual(shlex.split(shown.replace("\\\n", " ")), shlex.split(one["example"]))

    def test_long_names_keep_the_columns(self):
        table = self.succeeds("fit", "hydromount", HYDRO_MAP, "--no-report").stdout.splitlines()
        head = next(line for line in table if line.startswith("  parameter "))
        row = next(line for line in table if line.startswith("  effective_damping_nonlinear "))
        for title in ("value", "95 % interval"):
            self.assertNotEqual(row[head.index(title) + len(title) - 1], " ", (head, row))
        self.assertEqual(row.index("free"), head.index("status"))

    def test_files_need_no_flag(self):
        self.succeeds("fit", "elastomer", X_MAP, "--out", self.out / "a", "--quiet")
        self.succeeds("fit", "elastomer", "--data", X_MAP, "--out", self.out / "b", "--quiet")
        first, second = (json.loads((self.out / name / "result.json").read_text()) for name in "ab")
        self.assertEqual(first["parameters"], second["parameters"])


class Words(CliTest):
    def test_operations_are_guessed(self):
        for words, meant in ((["fti", "elastomer"], "kdyn fit"), (["fit", "elastomr"], "kdyn fit elastomer"), (["simulat"], "kdyn simulate"), (["instu"], "kdyn insitu")):
            run = self.refuses(2, words, "unknown operation")
            self.assertIn(f"did you mean {meant}?", run.stderr)
        self.assertNotIn("did you mean", self.refuses(2, ["xyzzyq"], "unknown operation").stderr)

    def test_every_operation_takes_files_as_words(self):
        described = json.loads(self.succeeds("describe", "--json").stdout)["operations"]
        without = {one["operation"] for one in described if not any(field.get("positional") for field in one["fields"])}
        reading_nothing = {one["operation"] for one in described if not any(field.get("path") == "input" for field in one["fields"])}
        self.assertEqual(without, reading_nothing)
        self.assertEqual(reading_nothing, {"road"})


class DefaultFolder(CliTest):
    def test_named_after_the_input_and_never_over_another_run(self):
        first = self.succeeds("fit", "elastomer", X_MAP, "--no-report")
        self.assertIn("wrote out/x_map_fit_elastomer/result.json", first.stdout)
        before = (self.out / "x_map_fit_elastomer" / "result.json").read_bytes()
        second = self.succeeds("fit", "elastomer", X_MAP, "--no-report", "--quiet")
        self.assertEqual(second.stdout, "")
        third = self.succeeds("fit", "elastomer", "--data", X_MAP, "--no-report")
        self.assertIn("wrote out/x_map_fit_elastomer_3/result.json", third.stdout)
        self.assertEqual(sorted(path.name for path in self.out.iterdir()), ["x_map_fit_elastomer", "x_map_fit_elastomer_2", "x_map_fit_elastomer_3"])
        self.assertEqual((self.out / "x_map_fit_elastomer" / "result.json").read_bytes(), before)
        self.conforms(self.out)

    def test_a_folder_without_result_is_used(self):
        (self.out / "x_map_fit_elastomer").mkdir(parents=True)
        self.succeeds("fit", "elastomer", X_MAP, "--no-report")
        self.assertEqual([path.name for path in self.out.iterdir()], ["x_map_fit_elastomer"])

    def test_names_that_say_nothing(self):
        self.succeeds("fit", "elastomer", X_MAP, "--no-report", "--out", self.folder / "mine")
        self.succeeds("rig", self.folder / "mine" / "result.json", "--frequencies-hz", 10, "--amplitudes-m", 1e-3, "--no-report")
        self.succeeds("fit", "elastomer", "--static-stiffness", 3e5, "--no-report")
        self.assertEqual(sorted(path.name for path in self.out.iterdir()), ["fit_elastomer", "mine_rig"])

    def test_nothing_is_written_where_one_only_looks_or_asks_for_json(self):
        self.succeeds("inspect", X_MAP)
        self.succeeds("fit", "elastomer", X_MAP, "--json")
        self.refuses(2, ["fit", "elastomer", X_MAP, "--criterion", "none"], "criterion")
        self.assertFalse(self.out.exists())

    def test_a_place_that_cannot_be_written_costs_no_result(self):
        # Root writes everywhere: somebody else runs the program then.
        root, nobody = os.geteuid() == 0, 65534
        if root:
            os.chown(self.folder, nobody, nobody)
        self.folder.chmod(0o500)
        try:
            if root:
                os.seteuid(nobody)
            run = self.succeeds("fit", "elastomer", X_MAP)
        finally:
            if root:
                os.seteuid(0)
            self.folder.chmod(0o700)
        self.assertIn("nothing is written", run.stderr)
        self.assertIn("converged", run.stdout)

    def test_a_file_in_the_way_costs_no_result(self):
        self.write("out", "a file")
        run = self.succeeds("fit", "elastomer", X_MAP)
        self.assertIn("nothing is written", run.stderr)
        self.assertIn("converged", run.stdout)
        self.assertEqual((self.folder / "out").read_text(), "a file")


def on_terminal(words, **more):
    """Runs kdyn with its output on a pseudo-terminal; what it shows."""
    master, slave = pty.openpty()
    environment = {key: value for key, value in os.environ.items() if key != "NO_COLOR"} | {"TERM": "xterm"} | more
    process = subprocess.Popen([KDYN, *map(str, words)], stdout=slave, stderr=slave, env=environment)
    os.close(slave)
    shown = b""
    try:
        while part := os.read(master, 65536):
            shown += part
    except OSError:  # how Linux tells that the other side is closed
        pass
    process.wait()
    os.close(master)
    return process.returncode, shown.decode()


class Speech(CliTest):
    def test_the_verdict_is_the_last_line(self):
        run = self.succeeds("fit", "elastomer", X_MAP, "--no-report", "--out", self.out)
        warnings = sum(finding["severity"] == "warning" for finding in self.result()["findings"])
        self.assertEqual(run.stdout.splitlines()[-1], f"verdict: converged, {warnings} warnings")
        self.assertEqual(self.succeeds("rig", CAB_MOUNT / "x_truth.json", "--frequencies-hz", 10, "--no-report", "--out", self.folder / "rig").stdout.splitlines()[-1],
                         "verdict: done, no warnings")
        # A sine record is no rubber mount: exit code 3, and the verdict says why.
        rows = "".join(f"{f},{a},0,{300 + 40 * ((7 * f + 3 * i) % 5)},{2 + 3 * ((f + i) % 4)}\n" for i, a in enumerate((0.1, 0.5, 1.0)) for f in range(1, 31))
        poor = self.kdyn("fit", "elastomer", self.write("odd.csv", "frequency_hz,amplitude_mm,preload_n,k_dyn_n_per_mm,loss_angle_deg\n" + rows), "--no-report", "--out", self.folder / "odd")
        self.assertEqual(poor.returncode, 3)
        self.assertTrue(poor.stdout.splitlines()[-1].startswith("verdict: " + self.result(self.folder / "odd")["status"].replace("_", " ") + ": "), poor.stdout.splitlines()[-1])

    def test_colours_on_terminals_only(self):
        words = ["fit", "elastomer", X_MAP, "--no-report", "--out", self.out]
        code, shown = on_terminal(words)
        self.assertEqual(code, 0)
        self.assertIn("\033[33mverdict: converged, ", shown)
        self.assertIn("\033[33m  warning:\033[0m", shown)
        for more in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            self.assertNotRegex(on_terminal(words, **more)[1], r"\033\[\d+m")
        self.assertNotIn("\033", self.succeeds(*words).stdout)

    def test_one_progress_line(self):
        _, shown = on_terminal(["fit", "elastomer", X_MAP, "--no-report", "--out", self.out])
        bar = shown[:shown.index("status:")]
        self.assertIn("\r\033[K[", bar)
        self.assertNotIn("\n", bar)
        for drawn in bar.split("\r\033[K"):
            self.assertLess(len(drawn), 80)
        self.assertEqual(len(self.succeeds("fit", "elastomer", X_MAP, "--no-report", "--out", self.out).stderr.splitlines()), 1)  # a job of milliseconds

    def test_quiet_and_verbose(self):
        quiet = self.succeeds("fit", "elastomer", X_MAP, "--quiet", "--out", self.out)
        self.assertEqual((quiet.stdout, quiet.stderr), ("", ""))
        verbose = self.succeeds("fit", "elastomer", X_MAP, "--verbose", "--out", self.out).stderr.splitlines()
        self.assertGreater(len(verbose), 2)
        for line in verbose:
            self.assertRegex(line, r"^ *\d+\.\d\d s +\d+ % \w+")


class SelfTest(CliTest):
    def test_a_good_installation(self):
        run = self.succeeds("self-test")
        self.assertEqual(run.stdout.splitlines()[-1], "verdict: this installation computes what it should")
        self.assertNotIn("wrong ", run.stdout)

    def test_wrong_data_are_noticed(self):
        """A copy of the program whose bundled truth was changed."""
        (self.folder / "bin").mkdir()
        shutil.copy(KDYN, self.folder / "bin" / "kdyn")
        share = self.folder / "share" / "kdyn"
        share.mkdir(parents=True)
        shutil.copy(SOURCE / "src/kdyn/app/bundled_examples.json", share / "examples.json")
        for name in ("cab_mount", "bump_test", "subframe"):
            shutil.copytree(SOURCE / "data" / name, share / "data" / name)
        run = subprocess.run([self.folder / "bin" / "kdyn", "self-test"], capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stdout)
        truth = json.loads((share / "data/cab_mount/z_truth.json").read_text())
        truth["parameters"]["static_stiffness"] *= 1.05
        (share / "data/cab_mount/z_truth.json").write_text(json.dumps(truth))
        (share / "data/subframe/frame.bdf").unlink()
        run = subprocess.run([self.folder / "bin" / "kdyn", "self-test"], capture_output=True, text=True)
        self.assertEqual(run.returncode, 5)
        self.assertEqual([line.split()[1] for line in run.stdout.splitlines() if line.startswith("wrong")], ["rubber", "finite"])
        self.assertIn("2 of 7 checks", run.stdout.splitlines()[-1])


class Shells(CliTest):
    def complete(self, *words):
        script = self.succeeds("completion", "bash").stdout
        script += f"COMP_WORDS=({' '.join(w or repr('') for w in words)})\nCOMP_CWORD={len(words) - 1}\n_kdyn\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"\n"
        return subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True).stdout.split()

    def test_bash_completes_operations_flags_and_choices(self):
        self.assertEqual(set(self.complete("kdyn", "fi")), {"fit"})
        self.assertIn("hydromount", self.complete("kdyn", "fit", ""))
        self.assertEqual(self.complete("kdyn", "fit", "elastomer", "--crit"), ["--criterion"])
        self.assertEqual(self.complete("kdyn", "fit", "elastomer", "--criterion", ""), ["harmonic", "loop"])
        self.assertIn("--out", self.complete("kdyn", "simulate", "--o"))

    def test_other_shells(self):
        self.assertIn("bashcompinit", self.succeeds("completion", "zsh").stdout)
        script = self.succeeds("completion", "fish").stdout
        self.assertIn("-l criterion", script)
        self.refuses(2, ["completion", "powershell"], "bash, zsh and fish")

    @unittest.skipUnless(shutil.which("man"), "no man on this machine")
    def test_manual_page(self):
        page = self.succeeds("man").stdout
        shown = subprocess.run(["man", "--warnings", "-l", "-"], input=page, capture_output=True, text=True)
        self.assertEqual((shown.returncode, shown.stderr), (0, ""))
        self.assertIn("fit elastomer", shown.stdout)


if __name__ == "__main__":
    unittest.main()
