# SPDX-License-Identifier: Apache-2.0
"""Many threads at once, on shared laws: each finds what one thread alone finds. test_races.py runs the same under helgrind."""
import os
import subprocess
import sys
import unittest


class Threads(unittest.TestCase):
    def test_each_finds_what_one_alone_finds(self):
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "work.py")
        ended = subprocess.run([sys.executable, "-B", script, "threads", "6"], capture_output=True, text=True)
        self.assertEqual((ended.returncode, ended.stdout), (0, "done\n"), ended.stderr[-2000:])


if __name__ == "__main__":
    unittest.main()
