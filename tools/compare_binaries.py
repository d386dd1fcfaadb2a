#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Stands in for kdyn and runs two builds of it: the new one as asked, the old one beside it. What their result.json say must be the same text, apart
from provenance and computing times; differences are appended to a log. With it every test of the command line compares the two builds:

    KDYN_OLD=old/kdyn KDYN_NEW=new/kdyn KDYN_LOG=differences.txt KDYN_BINARY=tools/compare_binaries.py KDYN_SOURCE_DIR=. \\
        python3 -m unittest discover -s tests/cli
"""
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

TIMES = {"provenance", "seconds", "analysis_s", "factor_s", "lanczos_s", "sturm_s"}


def stable(value):
    if isinstance(value, dict):
        return {key: stable(one) for key, one in value.items() if key not in TIMES}
    return [stable(one) for one in value] if isinstance(value, list) else value


def differences(old, new, path=""):
    if isinstance(old, dict) and isinstance(new, dict):
        for key in old:
            yield from differences(old[key], new[key], f"{path}.{key}") if key in new else [f"{path}.{key}: gone"]
        yield from (f"{path}.{key}: new" for key in new if key not in old)
        if list(old) != list(new) and set(old) == set(new):
            yield f"{path}: order of keys"
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for i, (a, b) in enumerate(zip(old, new)):
            yield from differences(a, b, f"{path}[{i}]")
    elif json.dumps(old) != json.dumps(new):
        yield f"{path}: {json.dumps(old)[:80]} -> {json.dumps(new)[:80]}"


def main():
    words = sys.argv[1:]
    if "--out" not in words[:-1]:
        os.execv(os.environ["KDYN_NEW"], ["kdyn", *words])
    place = words.index("--out") + 1
    out, beside = Path(words[place]), Path(words[place] + "_old")
    old = subprocess.run([os.environ["KDYN_OLD"], *words[:place], str(beside), *words[place + 1:]], capture_output=True, text=True)
    new = subprocess.run([os.environ["KDYN_NEW"], *words])
    found = [] if old.returncode == new.returncode else [f"exit code {old.returncode} -> {new.returncode}: {old.stderr[-200:]}"]
    for path in sorted(beside.rglob("result.json")) if beside.exists() and not found else []:
        twin = out / path.relative_to(beside)
        a, b = (stable(json.loads(p.read_text())) if p.exists() else {} for p in (path, twin))
        found += [d for d in differences(a, b) if str(beside) not in d]
    shutil.rmtree(beside, ignore_errors=True)
    with open(os.environ["KDYN_LOG"], "a", encoding="utf-8") as log:
        log.write(f"{'same' if not found else 'DIFFERENT'}: {' '.join(words)}\n" + "".join(f"    {line}\n" for line in found[:40]))
    sys.exit(new.returncode)


if __name__ == "__main__":
    main()
