# SPDX-License-Identifier: Apache-2.0
"""What the built program itself must be: nothing beside a measurement may run in its place.

Oracle: readelf, and the loader of the system.
"""
import re
import shutil
import subprocess
import unittest
from pathlib import Path

from harness import KDYN, CliTest

BUILT = Path(KDYN).parent


def dynamic(path):
    """Entries of the dynamic section: [(tag, text)]."""
    text = subprocess.run(["readelf", "-d", "-W", str(path)], capture_output=True, text=True, check=True).stdout
    return re.findall(r"\((\w+)\)\s+(.*)", text)


def programs():
    """kdyn, its module and whatever test programs are built."""
    return [path for path in [Path(KDYN), BUILT / "kdyn_slepc.so", *sorted((BUILT / "tests").glob("test_*"))] if path.is_file()]


@unittest.skipIf(shutil.which("readelf") is None, "no readelf here")
class Binary(CliTest):
    def test_libraries_come_from_absolute_folders(self):
        """An empty entry of the search path is the current folder, and a relative one lies below it."""
        for program in programs():
            for tag, text in dynamic(program):
                if tag not in ("RPATH", "RUNPATH"):
                    continue
                path = text[text.index("[") + 1 : text.rindex("]")]
                for folder in path.split(":"):
                    self.assertTrue(folder.startswith("/"), f"{program}: {tag} {path!r}")

    def test_hardening(self):
        """Release builds: relocations are read-only, the program has no fixed place, stacks are guarded, copies are checked."""
        if BUILT.name != "release":
            self.skipTest("other builds are for sanitizers and debuggers")
        for program in programs():
            tags = dict(dynamic(program))
            self.assertIn("NOW", tags.get("FLAGS_1", "") + tags.get("FLAGS", ""), program)
            head = subprocess.run(["readelf", "-h", "-l", "-W", str(program)], capture_output=True, text=True, check=True).stdout
            self.assertIn("GNU_RELRO", head, program)
            self.assertRegex(head, r"Type:\s+DYN", program)
            self.assertNotRegex(head, r"GNU_STACK.*RWE", program)
        symbols = subprocess.run(["readelf", "--dyn-syms", "-W", KDYN], capture_output=True, text=True, check=True).stdout
        self.assertIn("__stack_chk_fail", symbols)
        self.assertRegex(symbols, r"__\w+_chk@")

    def test_a_library_beside_the_data_is_not_run(self):
        """Files named like every library that kdyn needs; the loader would stop at the first one it looked at ("file too short")."""
        needed = [text[text.index("[") + 1 : text.rindex("]")] for tag, text in dynamic(KDYN) if tag == "NEEDED"]
        self.assertGreater(len(needed), 5)
        for name in needed:
            self.write(name, "")
        self.succeeds("--version")


if __name__ == "__main__":
    unittest.main()
