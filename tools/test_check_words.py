# SPDX-License-Identifier: Apache-2.0
import pathlib
import tempfile
import unittest

import check_words


class CheckWords(unittest.TestCase):
    def tree(self, **files):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        root = pathlib.Path(folder.name)
        base = {"docs/words.md": "| write | for | not |\n|---|---|---|\n| validation channels | x | `kept aside`, `in the main` |\n", "README.md": "fine\n"}
        for name, content in {**base, **{k.replace("__", "/").replace("_cpp", ".cpp").replace("_md", ".md"): v for k, v in files.items()}}.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
        return root

    def test_texts_of_the_program_and_documents(self):
        root = self.tree(src__a_cpp='// kept aside\nf("channels kept\\taside", "Channels Kept aside");\n', docs__b_md="well in\nin the main\n")
        found = check_words.complaints(root)
        self.assertEqual([line.split(": ")[0] for line in found], ["src/a.cpp:2", "docs/b.md:2"])

    def test_clean(self):
        self.assertEqual(check_words.complaints(self.tree(src__a_cpp='f("the mainland");\n')), [])

    def test_the_house_is_clean(self):
        self.assertEqual(check_words.complaints(check_words.ROOT), [])


if __name__ == "__main__":
    unittest.main()
