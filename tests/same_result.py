#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two commands that take --out must write the same result.json.

    same_result.py FOLDER COMMAND... -- COMMAND...
"""
import subprocess
import sys
from pathlib import Path


def main():
    folder = Path(sys.argv[1])
    split = sys.argv.index("--", 2)
    results = []
    for name, command in (("first", sys.argv[2:split]), ("second", sys.argv[split + 1:])):
        out = folder / name
        subprocess.run([*command, "--out", str(out)], check=True)
        results.append((out / "result.json").read_text(encoding="utf-8"))
    if results[0] != results[1]:
        sys.exit("the two results differ")
    print("the same result,", len(results[0]), "characters")


if __name__ == "__main__":
    main()
