# SPDX-License-Identifier: Apache-2.0
"""Settings of Sphinx for the book; tools/make_book.py puts the pages together and starts it."""
import os

project = "kdyn"
author = "the kdyn authors"
copyright = "the kdyn authors, Apache-2.0"
version = release = os.environ.get("KDYN_VERSION", "")
extensions = ["myst_parser"]
myst_heading_anchors = 4
myst_enable_extensions = ["deflist", "colon_fence"]
suppress_warnings = ["misc.highlighting_failure"]
exclude_patterns = ["README.md"]
smartquotes = False  # commands are copied from here
html_theme = "book"
html_theme_path = [os.environ["KDYN_BOOK_THEME"]]
html_title = "kdyn"
html_copy_source = False
html_show_sphinx = False
html_permalinks_icon = "#"
html_baseurl = ""
pygments_style = "friendly"
