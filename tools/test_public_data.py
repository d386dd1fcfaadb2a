# SPDX-License-Identifier: Apache-2.0
"""Files of data/public are the ones their MANIFEST.json names, and may be passed on."""
import hashlib
import json
import pathlib
import unittest

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "data" / "public"
FREE = ("MIT", "BSD-", "CC-BY", "CC0")


class PublicData(unittest.TestCase):
    def test_every_set_names_origin_licence_and_hashes(self):
        sets = sorted(path for path in FOLDER.iterdir() if path.is_dir())
        self.assertGreater(len(sets), 0)
        for folder in sets:
            with self.subTest(folder=folder.name):
                manifest = json.loads((folder / "MANIFEST.json").read_text())
                self.assertTrue(manifest["origin"] and manifest["reduction"] and manifest["originals_sha256"])
                self.assertTrue(manifest["licence"].startswith(FREE), manifest["licence"])
                written = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir() if path.name != "MANIFEST.json"}
                self.assertEqual(written, manifest["sha256"])
                self.assertLess(sum(path.stat().st_size for path in folder.iterdir()), 100_000, "small reduced facts")


if __name__ == "__main__":
    unittest.main()
