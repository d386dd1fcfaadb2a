# SPDX-License-Identifier: Apache-2.0
"""The list of parts: what ldd says of a program is in it, with package, version and licence; npm packages are those of the lock file."""
import json
import pathlib
import shutil
import subprocess
import unittest

import make_sbom

ROOT = pathlib.Path(__file__).resolve().parent.parent


@unittest.skipUnless(shutil.which("dpkg") and shutil.which("ldd"), "not a Debian machine")
class Sbom(unittest.TestCase):
    def test_a_program_of_the_system(self):
        content = make_sbom.bill(shutil.which("dpkg"))
        self.assertEqual((content["bomFormat"], content["metadata"]["component"]["name"]), ("CycloneDX", "kdyn"))
        named = {one["name"]: one for one in content["components"] if one["purl"].startswith("pkg:deb/")}
        linked = subprocess.run(["ldd", shutil.which("dpkg")], capture_output=True, text=True).stdout
        self.assertEqual("libmd.so" in linked, "libmd0" in named)
        self.assertEqual(named["libc6"]["licenses"][0]["license"]["name"], "LGPL-2.1-or-later")
        installed = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", "libc6"], capture_output=True, text=True).stdout
        self.assertEqual(named["libc6"]["version"], installed)

    def test_npm_packages(self):
        found = {one["name"]: one for one in make_sbom.npm(ROOT / "web" / "package-lock.json")}
        wanted = json.loads((ROOT / "web" / "package.json").read_text())
        for name, version in wanted["dependencies"].items():
            self.assertEqual((found[name]["scope"], found[name]["version"]), ("required", version))
            self.assertTrue(found[name]["licenses"])
        for name in wanted["devDependencies"]:
            self.assertEqual(found[name]["scope"], "excluded")


if __name__ == "__main__":
    unittest.main()
