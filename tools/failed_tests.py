#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Repeats at the end what the failed tests of the last ctest run said last, so that nobody has to look for it in the whole log.

Usage: failed_tests.py BUILD_FOLDER    reads BUILD_FOLDER/Testing/Temporary/LastTest.log; prints nothing where no test failed
"""
import pathlib
import re
import sys

TEST = re.compile(r"^\d+/\d+ Testing: (\S+)$(.*?)^\"\1\" end time:", re.MULTILINE | re.DOTALL)
LINES, WIDTH = 40, 300


def failures(log):
    """(name, last lines of its output) of each test that failed."""
    for name, text in TEST.findall(log):
        if not re.search(r"^Test (?:Passed|Skipped)\.$", text, re.MULTILINE):
            output = text.split("Output:", 1)[-1].split("<end of output>", 1)[0]
            yield name, [line[:WIDTH] for line in output.splitlines() if line.strip() and not line.startswith("-----")][-LINES:]


def main(arguments):
    log = pathlib.Path(arguments[0] if arguments else "build/release") / "Testing" / "Temporary" / "LastTest.log"
    if log.is_file():
        for name, lines in failures(log.read_text(encoding="utf-8", errors="replace")):
            print("\n".join([f"== {name} failed; it said last:", *lines]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
