#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tells which sources are slow to compile, from the log that ninja keeps.

Usage: check_build_budget.py build/release/.ninja_log [--slow SECONDS] [--limit SECONDS]

Lists the sources above --slow (20 s). The log holds wall time, which grows with everything else that runs on the machine; therefore only a
source above --limit (120 s) fails. Measure a suspicious one alone: /usr/bin/time -f "%U s %M kB" and the line of compile_commands.json.
"""
import argparse
import pathlib
import sys


def compile_times(text):
    """Seconds by object file; the last entry of an object is the one that counts."""
    times = {}
    for line in text.splitlines():
        fields = line.split("\t")
        if line.startswith("#") or len(fields) < 5 or not fields[3].endswith(".o"):
            continue
        times[fields[3]] = (int(fields[1]) - int(fields[0])) / 1000.0
    return times


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Tells which sources are slow to compile.")
    parser.add_argument("log", type=pathlib.Path)
    parser.add_argument("--slow", type=float, default=20.0, help="listed from here, in seconds")
    parser.add_argument("--limit", type=float, default=120.0, help="failed from here, in seconds")
    options = parser.parse_args(arguments)
    if not options.log.is_file():
        print(f"build budget: no log at {options.log}; build first")
        return 2
    times = compile_times(options.log.read_text())
    slow = sorted(((seconds, name) for name, seconds in times.items() if seconds > options.slow), reverse=True)
    print(f"build budget: {len(times)} sources in {sum(times.values()):.0f} s of wall time, {len(slow)} above {options.slow:g} s")
    for seconds, name in slow:
        print(f"  {seconds:6.1f} s  {name}")
    return 1 if slow and slow[0][0] > options.limit else 0


if __name__ == "__main__":
    sys.exit(main())
