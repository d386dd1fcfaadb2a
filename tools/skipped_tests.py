#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Says in one line how many tests of the last ctest run were skipped, and why.

Usage: skipped_tests.py BUILD_FOLDER    reads BUILD_FOLDER/Testing/Temporary/LastTest.log

Counted are GTEST_SKIP, unittest's skips and programs that end with 77. Most stand for measurements that are not part of the
repository, or for programs that are not installed: what they check is not checked where they are skipped.
"""
import collections
import pathlib
import re
import sys

# One test of ctest in its log, from its first line to "end time".
TEST = re.compile(r"^\d+/\d+ Testing: (\S+)$(.*?)^\"\1\" end time:", re.MULTILINE | re.DOTALL)
GTEST = re.compile(r"^(?:\S+:\d+: )?Skipped\n(.*)$", re.MULTILINE)
UNITTEST = re.compile(r"\.\.\. skipped ['\"](.*)['\"]$", re.MULTILINE)


def reasons(log):
    """reason -> number of tests, in the order of their numbers."""
    counts = collections.Counter()
    for name, text in TEST.findall(log):
        found = [reason.strip() for reason in GTEST.findall(text) + UNITTEST.findall(text)]
        if not found and "Test Skipped." in text:
            output = text.split("Output:", 1)[-1].strip().splitlines()
            words = [line for line in output if line.strip() and not line.startswith(("-", "<", "Test "))]
            found = [words[-1].strip() if words else name]
        # A path in a reason would split one reason into many.
        counts.update(re.sub(r"\s(?:at|in)? ?/\S+", "", reason) for reason in found)
    return counts


def summary(log):
    counts = reasons(log)
    if not counts:
        return "no test was skipped"
    words = ", ".join(f"{count} because {reason}" if count > 1 else f"one because {reason}" for reason, count in counts.most_common())
    total = sum(counts.values())
    return f"{total} {'test was' if total == 1 else 'tests were'} skipped: {words}"


def main(arguments):
    log = pathlib.Path(arguments[0] if arguments else "build/release") / "Testing" / "Temporary" / "LastTest.log"
    if not log.is_file():
        print(f"{log} is not there: run the tests first")
        return 1
    print(summary(log.read_text(encoding="utf-8", errors="replace")))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
