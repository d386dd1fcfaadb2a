# SPDX-License-Identifier: Apache-2.0
"""Bundled examples: listed, written into a folder, never over something, and their commands run."""
import json
import shlex
import unittest

from harness import SOURCE, CliTest

ALL = json.loads((SOURCE / "src" / "kdyn" / "app" / "bundled_examples.json").read_text())["examples"]


class Example(CliTest):
    def test_list(self):
        listed = self.succeeds("example").stdout
        for one in ALL:
            self.assertIn(one["name"], listed)

    def test_each_is_written_whole(self):
        for one in ALL:
            with self.subTest(one["name"]):
                self.succeeds("example", one["name"])
                written = {p.relative_to(self.folder / one["name"]).as_posix(): p.read_bytes() for p in (self.folder / one["name"]).rglob("*") if p.is_file()}
                source = {p.relative_to(SOURCE / one["folder"]).as_posix(): p.read_bytes() for p in (SOURCE / one["folder"]).rglob("*") if p.is_file()}
                readme = written.pop("README.txt").decode()
                self.assertEqual(written, source)
                for command in one["commands"]:
                    self.assertIn(command, readme)

    def test_nothing_is_overwritten(self):
        mine = self.folder / "cab_mount"
        mine.mkdir()
        (mine / "z_map.csv").write_text("mine")
        self.refuses(4, ["example", "cab_mount"], "not empty")
        self.assertEqual([p.name for p in mine.iterdir()], ["z_map.csv"])
        self.assertEqual((mine / "z_map.csv").read_text(), "mine")
        self.succeeds("example", "cab_mount", "--out", "other")
        self.refuses(2, ["example", "cab_mont"], "cab_mount")

    def test_commands_run(self):
        for one in ALL:
            self.succeeds("example", one["name"])
            for command in one["commands"]:
                with self.subTest(one["name"], command=command):
                    words = shlex.split(command)
                    self.assertEqual(words[0], "kdyn")
                    home, self.folder = self.folder, self.folder / one["name"]
                    try:
                        run = self.kdyn(*words[1:])
                    finally:
                        self.folder = home
                    self.assertEqual(run.returncode, 0, run.stderr)


if __name__ == "__main__":
    unittest.main()
