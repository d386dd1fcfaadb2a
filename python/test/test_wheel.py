# SPDX-License-Identifier: Apache-2.0
"""The wheel: the same bytes each time, hashes that hold, and a package that works from it."""
import base64
import hashlib
import os
import subprocess
import sys
import tempfile
import unittest
import zipfile

import kdyn

source = os.environ["KDYN_SOURCE"]


class Wheel(unittest.TestCase):
    def test_wheel(self):
        with tempfile.TemporaryDirectory() as folder:
            contents = []
            for name in ("first", "second"):
                out = os.path.join(folder, name)
                os.mkdir(out)
                made = subprocess.run([sys.executable, os.path.join(source, "tools", "make_wheel.py"), os.path.dirname(kdyn.__file__),
                                       kdyn.__version__, out], capture_output=True, text=True, check=True).stdout.strip()
                with open(made, "rb") as file:
                    contents.append(file.read())
            self.assertEqual(contents[0], contents[1])
            site = os.path.join(folder, "site")
            with zipfile.ZipFile(made) as wheel:
                wheel.extractall(site)
                record = next(name for name in wheel.namelist() if name.endswith("RECORD"))
                lines = wheel.read(record).decode().splitlines()
            checked = 0
            for line in lines:
                name, digest, _ = line.split(",")
                if digest:
                    with open(os.path.join(site, name), "rb") as file:
                        found = base64.urlsafe_b64encode(hashlib.sha256(file.read()).digest()).rstrip(b"=").decode()
                    self.assertEqual(digest, "sha256=" + found, name)
                    checked += 1
            self.assertGreater(checked, 8)
            script = f"import kdyn; assert kdyn.__file__.startswith({site!r}); print(kdyn.fit.elastomer('data/cab_mount/x_map.csv', progress=False).status)"
            ran = subprocess.run([sys.executable, "-c", script], env={**os.environ, "PYTHONPATH": site}, cwd=source, capture_output=True, text=True)
            self.assertEqual(ran.stdout.strip(), "converged", ran.stderr)


if __name__ == "__main__":
    unittest.main()
