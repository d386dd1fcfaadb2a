# SPDX-License-Identifier: Apache-2.0
"""What the checks of this folder share: they print complaints about a tree, and end with 1 when there are any."""
import pathlib


def report(check, arguments):
    """check(root) -> list of lines; the root is the first argument, or this project."""
    root = pathlib.Path(arguments[0]) if arguments else pathlib.Path(__file__).resolve().parent.parent
    complaints = check(root)
    print("\n".join(complaints), end="\n" if complaints else "")
    return 1 if complaints else 0
