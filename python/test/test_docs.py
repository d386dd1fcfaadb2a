# SPDX-License-Identifier: Apache-2.0
"""Every snippet of Python in the documents runs, in order, as a reader would run them."""
import os
import pathlib
import re
import tempfile
import unittest

source = os.environ["KDYN_SOURCE"]


class Documents(unittest.TestCase):
    def test_snippets_run(self):
        ran = 0
        pages = [os.path.join(source, "README.md")] + sorted(str(page) for page in pathlib.Path(source, "docs").rglob("*.md"))
        for page in pages:
            with open(page, encoding="utf-8") as file:
                snippets = re.findall(r"^```python\n(.*?)^```", file.read(), re.S | re.M)
            if not snippets:
                continue
            with self.subTest(page), tempfile.TemporaryDirectory() as folder:
                for name in ("data", "examples"):
                    os.symlink(os.path.join(source, name), os.path.join(folder, name))
                os.chdir(folder)
                names = {}
                for snippet in snippets:
                    exec(compile(snippet, page, "exec"), names)
                    ran += 1
                os.chdir(source)
        self.assertGreaterEqual(ran, 5)


if __name__ == "__main__":
    unittest.main()
