# SPDX-License-Identifier: Apache-2.0
"""Manners of the command line: help wherever one asks for it, words completed by shells, the manual page, files without a flag."""
import json
import shutil
import subprocess
import unittest

from harness import CAB_MOUNT, CliTest

X_MAP = CAB_MOUNT / "x_map.csv"


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
        pages = [self.succeeds("help").stdout] + [self.succeeds("help", *one["operation"].split()).stdout for one in described]
        for page in pages:
            for line in page.splitlines():
                # Examples are commands to be copied; a word or list of choices cannot be wrapped.
                if not line.startswith(("Example:", "Usage:")) and len(line.split()) > 2:
                    self.assertLessEqual(len(line), 80, line)

    def test_files_need_no_flag(self):
        self.succeeds("fit", "elastomer", X_MAP, "--out", self.out / "a", "--quiet")
        self.succeeds("fit", "elastomer", "--data", X_MAP, "--out", self.out / "b", "--quiet")
        first, second = (json.loads((self.out / name / "result.json").read_text()) for name in "ab")
        self.assertEqual(first["parameters"], second["parameters"])


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
