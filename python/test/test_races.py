# SPDX-License-Identifier: Apache-2.0
"""Threads under valgrind's helgrind: two accesses to one place, one of them a write, with nothing between them that puts them in order.

The interpreter has its own ways to order threads, which helgrind does not know: what both threads did inside the interpreter is not looked at.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

here = os.path.dirname(os.path.abspath(__file__))


def races(log):
    """(stack, stack) of races in which both threads were at work in the package, not in the interpreter that called it or that it called."""
    found = []
    text = re.sub(r"==\d+== ?", "", log)
    for block in re.split(r"-{20,}\n", text):
        if "Possible data race" not in block or "This conflicts with" not in block:
            continue
        block = block[block.index("Possible data race"):]
        first, second = block.split("This conflicts with", 1)
        stacks = []
        for part in (first, second):
            frames = []
            for line in part.split("\n"):
                if match := re.match(r"\s+(?:at|by) 0x[0-9A-F]+: (.*)", line):
                    frames.append(match[1])
                elif frames:
                    break  # what follows tells of the address
            stacks.append([frame for frame in frames if "vgpreload" not in frame])
        if all(ours(stack) for stack in stacks):
            found.append(tuple(stacks))
    return found


def ours(stack):
    """The package is on the stack before the interpreter is."""
    for frame in stack:
        if "/_kdyn." in frame:
            return True
        if "/python3" in frame or "libpython" in frame:
            return False
    return False


class Races(unittest.TestCase):
    @unittest.skipUnless(shutil.which("valgrind"), "no valgrind on this machine")
    def test_threads_do_not_race(self):
        with tempfile.TemporaryDirectory() as folder:
            log = os.path.join(folder, "log")
            environment = dict(os.environ, OPENBLAS_NUM_THREADS="1", PYTHONMALLOC="malloc")
            ended = subprocess.run(["valgrind", "--tool=helgrind", "--num-callers=24", f"--log-file={log}", sys.executable, "-B", os.path.join(here, "work.py"), "threads", "2"],
                                   env=environment, capture_output=True, text=True)
            self.assertEqual((ended.returncode, ended.stdout), (0, "done\n"), ended.stderr[-2000:])
            with open(log, encoding="utf-8", errors="replace") as file:
                text = file.read()
        self.assertIn("ERROR SUMMARY", text)
        found = races(text)
        self.assertEqual(found, [], "\n\n".join("\n".join(a[:8]) + "\n  and\n" + "\n".join(b[:8]) for a, b in found)[:4000])

    def test_a_race_in_the_package_is_told_and_one_of_the_interpreter_is_not(self):
        def block(top, other):
            return (f"==1== ----------------\n==1== \n==1== Possible data race during write of size 4 at 0x1 by thread #2\n==1== Locks held: none\n==1==    at 0xA: {top}\n==1==    by 0xB: "
                    f"run (in /x/_kdyn.cpython.so)\n==1== \n==1== This conflicts with a previous write of size 4 by thread #3\n==1== Locks held: none\n==1==    at 0xA: {other}\n"
                    "==1==    by 0xB: run (in /x/_kdyn.cpython.so)\n==1==  Address 0x1 is in a block\n==1==    at 0xC: malloc (in /x)\n==1== ----------------\n")

        self.assertEqual(len(races(block("lgamma (w_lgamma.c:3)", "solve (in /x/_kdyn.cpython.so)"))), 1)
        self.assertEqual(races(block("swap (in /usr/bin/python3.11)", "solve (in /x/_kdyn.cpython.so)")), [])


if __name__ == "__main__":
    unittest.main()
