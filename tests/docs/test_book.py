# SPDX-License-Identifier: Apache-2.0
"""The book builds without a warning, is complete, leads nowhere wrong and needs no network.

Links and pictures are looked at by a reader of HTML of our own, not by the tool that wrote them."""
import html.parser
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest
import urllib.parse

SOURCE = pathlib.Path(os.environ["KDYN_SOURCE_DIR"])
BINARY = os.environ["KDYN_BINARY"]


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.links, self.loads, self.ids, self.inline_scripts, self.formulas = [], [], set(), 0, 0
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if given.get("id"):
            self.ids.add(given["id"])
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        if tag in ("img", "script") and given.get("src"):
            self.loads.append(given["src"])
        if tag == "link" and given.get("href"):
            self.loads.append(given["href"])
        self.inline_scripts += tag == "script" and "src" not in given
        self.formulas += tag == "math"


@unittest.skipUnless(shutil.which("sphinx-build") and pathlib.Path("/usr/share/fonts/opentype/stix-word").exists(), "no Sphinx or no STIX font on this machine")
class Book(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.home = tempfile.mkdtemp(prefix="kdyn_book_")
        cls.book = pathlib.Path(cls.home, "book")
        done = subprocess.run([str(SOURCE / "tools" / "make_book.py"), "--binary", BINARY, "--out", str(cls.book), "--python", os.environ.get("KDYN_STUBS", "")],
                              capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        cls.pages = {path.relative_to(cls.book).as_posix(): Page(path.read_text(encoding="utf-8")) for path in cls.book.rglob("*.html")}

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.home)

    def test_every_link_leads_somewhere(self):
        for name, page in self.pages.items():
            for link in page.links:
                parts = urllib.parse.urlsplit(link)
                if parts.scheme or parts.netloc:
                    self.assertIn(parts.scheme, ("http", "https", "mailto"), (name, link))
                    continue
                target = (self.book / name).parent / urllib.parse.unquote(parts.path) if parts.path else self.book / name
                target = pathlib.Path(os.path.normpath(target))
                self.assertTrue(target.is_file(), f"{name}: {link}")
                if parts.fragment and target.suffix == ".html":
                    self.assertIn(urllib.parse.unquote(parts.fragment), self.pages[target.relative_to(self.book).as_posix()].ids, f"{name}: {link}")

    def test_nothing_is_loaded_from_elsewhere_and_no_script_stands_in_a_page(self):
        for name, page in self.pages.items():
            self.assertEqual(page.inline_scripts, 0, name)
            for load in page.loads:
                if load.startswith("data:"):
                    continue
                self.assertFalse(urllib.parse.urlsplit(load).netloc, f"{name}: {load}")
                self.assertTrue(((self.book / name).parent / urllib.parse.urlsplit(load).path).is_file(), f"{name}: {load}")

    def test_every_operation_and_option_is_there(self):
        described = json.loads(subprocess.run([BINARY, "describe", "--json"], capture_output=True, text=True, check=True).stdout)
        for operation in described["operations"]:
            text = (self.book / "reference" / (operation["operation"].replace(" ", "_") + ".html")).read_text(encoding="utf-8")
            for field in operation["fields"]:
                self.assertIn("--" + field["name"].replace("_", "-"), text)
            # Fields of the result at the top, asked of the schema here and not of the generator.
            schema = operation["output_schema"]
            for one in schema.get("oneOf") or schema.get("anyOf") or [schema]:
                one = schema["$defs"][one["$ref"].rsplit("/", 1)[-1]] if "$ref" in one else one
                for key in one.get("properties", {}):
                    self.assertRegex(text, rf">{key}(\[\]|\.NAME)?<", operation["operation"])

    def test_equations_are_drawn_and_can_be_linked_to(self):
        tags = re.findall(r"^\*\*\[([a-z]+) (E\d+)\]\*\*", "\n".join(p.read_text(encoding="utf-8") for p in SOURCE.glob("src/kdyn/*/THEORY.md")), re.M)
        self.assertGreater(len(tags), 100)
        for module, number in tags:
            self.assertIn(f"{module}-{number.lower()}", self.pages[f"theory/{module}.html"].ids)
        self.assertGreater(self.pages["theory/elastomer.html"].formulas, 50)

    def test_finding_codes_are_listed(self):
        text = (self.book / "troubleshooting.html").read_text(encoding="utf-8")
        for code in ("outlier", "poor_fit", "channel_sign", "model_error", "duplicate_rows", "mechanism"):  # one of each kind of source
            self.assertRegex(text, rf">{code}<")
        self.assertGreater(text.count("<tr"), 250)

    def test_pages_of_the_help_links_exist(self):
        text = (SOURCE / "web" / "app" / "book.ts").read_text(encoding="utf-8")
        named = re.findall(r'"([a-z_/]+\.html)"', text)
        self.assertGreater(len(named), 7)
        for name in named:
            self.assertIn(name, self.pages)


class Pictures(unittest.TestCase):
    def test_pictures_are_small_and_used(self):
        pictures = sorted((SOURCE / "docs" / "pictures").glob("*"))
        self.assertGreater(len(pictures), 10)
        texts = "".join(path.read_text(encoding="utf-8") for path in (SOURCE / "docs").rglob("*.md"))
        for path in pictures:
            self.assertEqual((path.suffix, path.read_bytes()[:4]), (".webp", b"RIFF"))
            self.assertLessEqual(path.stat().st_size, 80_000, path.name)
            self.assertIn(f"{path.name}", texts)
        self.assertLessEqual(sum(path.stat().st_size for path in pictures), 2_000_000)


if __name__ == "__main__":
    unittest.main()
