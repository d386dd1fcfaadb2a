#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No memory, no thread: every operation with its n-th request refused.

    KDYN_BINARY=... KDYN_SOURCE_DIR=... scarce_driver.py [--only WORD] [--memory N] [--threads N] [--seed S] [--jobs J]

scarce.c, loaded before the program, counts what each operation asks for and lets one request fail, or that one and all later ones. N requests of
each operation, spread evenly with a random shift (the first five always), and every thread. Afterwards must hold:

- exit code 0 or 3: result.json is that of a run without faults, number by number. A fault that changes a number in silence is the worst of all;
- else exit code 2 or 4, with a message, and no result.json;
- never a signal, 5, or a hang, but for requests that came through a library of others that cannot do without (NOT_OURS): counted beside.
"""
import argparse
import concurrent.futures
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "hardening"))
from plain_jobs import KDYN, base_jobs, without_times  # noqa: E402

# Libraries of others that do not survive a refused request at any place: HDF5 1.10 calls itself for ever when its start fails.
NOT_OURS = ("libhdf5",)
HERE = Path(__file__).resolve().parent


def run(words, folder, out, library, **faults):
    environment = dict(os.environ, LD_PRELOAD=str(library), OPENBLAS_NUM_THREADS="1", **{key: str(value) for key, value in faults.items()})
    try:
        return subprocess.run([KDYN, *words, "--out", out, "--quiet"], cwd=folder, capture_output=True, text=True, errors="replace", timeout=120, env=environment)
    except subprocess.TimeoutExpired:
        return None


def results_of(folder):
    return {str(path.relative_to(folder)): without_times(json.loads(path.read_text())) for path in sorted(folder.rglob("result.json"))}


class Case:
    def __init__(self, name, words, place, library):
        self.name, self.words, self.place, self.library = name, words, place, library
        log = place / "log"
        plain = run(words, place, place / "plain", library, SCARCE_LOG=log)
        if plain is None or plain.returncode not in (0, 3):
            raise SystemExit(f"{name} does not run: {plain and plain.stderr}")
        self.code, self.wanted = plain.returncode, results_of(place / "plain")
        self.memory, self.threads = map(int, log.read_text().split())

    def attempt(self, fault):
        kind, nth, every = fault
        with tempfile.TemporaryDirectory(dir=self.place) as folder:
            out = Path(folder) / "out"
            log = Path(folder) / "log"
            done = run(self.words, self.place, out, self.library, SCARCE_LOG=log, **{kind: nth}, **({"SCARCE_ALL": 1} if every else {}))
            asked = log.read_text().split() if log.exists() else []
            where = f"{self.name}: {kind} {nth}{' and all later' if every else ''}"
            if done is None:
                return f"{where}: no end within 120 s"
            where += f", exit {done.returncode}"
            left = results_of(out) if out.exists() else {}
            if done.returncode in (0, 3):
                if done.returncode == self.code and left == self.wanted:
                    return None
                # A part of a batch, or one direction, that failed is told: exit 3 and the part named.
                if done.returncode == 3 and "memory" in json.dumps(left.get("result.json", {})):
                    return None
                return f"{where}: another result than without a fault"
            if done.returncode not in (2, 4):
                if any(name.startswith(one) for name in asked for one in NOT_OURS):
                    return NOT_OURS
                return f"{where}: {done.stderr.strip()[-300:]}"
            if "result.json" in left and not ("its report is not" in done.stderr and left == self.wanted):
                return f"{where}: and result.json is written"
            return None if len(done.stderr.strip()) > 10 else f"{where}: no message"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", default="")
    parser.add_argument("--memory", type=int, default=400, help="requests of memory that fail, of each operation")
    parser.add_argument("--threads", type=int, default=10**6, help="threads that fail, of each operation")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        print("no C compiler here: no fault was injected")
        return 77
    tried = failed = 0
    stream = random.Random(options.seed)
    with tempfile.TemporaryDirectory(prefix="kdyn_scarce_") as place:
        place = Path(place)
        library = place / "scarce.so"
        subprocess.run([compiler, "-O1", "-shared", "-fPIC", "-o", library, HERE / "scarce.c", "-ldl", "-pthread"], check=True)
        for name, words in base_jobs(place).items():
            if options.only not in name:
                continue
            work = place / ("work_" + name.replace(" ", "_"))
            work.mkdir()
            case = Case(name, words, work, library)
            first = min(5, case.memory, options.memory)
            chosen = set(range(1, first + 1))
            if options.memory > first:
                width = max(1.0, (case.memory - first) / (options.memory - first))
                chosen |= {min(case.memory, int(first + 1 + width * (i + stream.random()))) for i in range(options.memory - first)}
            faults = [("SCARCE_MEMORY", n, False) for n in sorted(chosen)] + [("SCARCE_MEMORY", n, True) for n in sorted(chosen)[::5]]
            faults += [("SCARCE_THREAD", n, every) for n in range(1, min(case.threads, options.threads) + 1) for every in (False, True)]
            with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
                ends = list(pool.map(case.attempt, faults))
            others = ends.count(NOT_OURS)
            troubles = [trouble for trouble in ends if trouble and trouble != NOT_OURS]
            for trouble in troubles:
                print(trouble)
            print(f"{name}: {len(faults)} faults ({case.memory} requests of memory, {case.threads} threads), {len(troubles)} failures"
                  + (f", {others} ends in libraries of others" if others else ""), flush=True)
            tried, failed = tried + len(faults), failed + len(troubles)
    print(f"{tried - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
