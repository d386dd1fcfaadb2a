#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the lines under "Sample runs:" in the header of an example, in an empty folder that sees data/ and examples/ of the source tree.

    run_examples.py EXAMPLE FOLDER_OF_BINARIES...    every line must end with exit code 0 and print something
"""
import os
import subprocess
import sys
import tempfile
from pathlib import Path


def sample_runs(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    comment = "//" if path.suffix == ".cpp" else "#"
    start = next((i for i, line in enumerate(lines) if line.strip() == f"{comment} Sample runs:"), None)
    if start is None:
        return []
    runs = []
    for line in lines[start + 1:]:
        if not line.startswith(f"{comment}   "):
            break
        runs.append(line[len(comment):].strip())
    return runs


def main():
    example = Path(sys.argv[1]).resolve()
    runs = sample_runs(example)
    if not runs:
        sys.exit(f"{example}: no lines under 'Sample runs:'")
    environment = dict(os.environ, PATH=os.pathsep.join([*sys.argv[2:], os.environ["PATH"]]))
    with tempfile.TemporaryDirectory(prefix="kdyn_example_") as folder:
        for name in ("data", "examples"):
            os.symlink(example.parent.parent / name, Path(folder) / name)
        for line in runs:
            print("$", line, flush=True)
            run = subprocess.run(line, shell=True, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True)
            print(run.stdout, end="", flush=True)
            if run.returncode != 0 or not run.stdout:
                sys.exit(f"{example.name}: exit code {run.returncode}, {len(run.stdout)} characters of output")


if __name__ == "__main__":
    main()
