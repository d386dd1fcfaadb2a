#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does everything stop when it is asked to?

    KDYN_BINARY=... KDYN_SOURCE_DIR=... stop_driver.py [--moments N] [--only WORD] [--seed S]

Every operation, with settings that make it long where there are such, gets SIGTERM or SIGINT after a random time. It must end by itself:

- with 0 or 3 and a whole result.json (it was ready, or brings what it had), or with 128 + signal and no result.json, not even a half one;
- within two seconds when it never looked at the request, ten when it looked (apps/cli/stopping.hpp). The driver prints the longest time of each
  operation and fails above --seconds (60), since a busy machine is slow; on an idle one the figures are what the page says.
"""
import argparse
import json
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from plain_jobs import DATA, KDYN, SOURCE, base_jobs  # noqa: E402


def long_jobs(work):
    """Minutes to years of work."""
    model, multibody = str(work / "model.json"), SOURCE / "examples" / "multibody"
    hydro = str(DATA / "hydro_mount" / "truth.json")
    many = ",".join(str(1 + 0.01 * i) for i in range(2000))
    return {
        "rig, long": ["rig", model, "--program", "map", "--frequencies-hz", many, "--amplitudes-m", "1e-4", "--set", "samples_per_cycle=4096"],
        "rig, huge preload": ["rig", hydro, "--program", "map", "--preloads-n", "1e300"],
        "linearise, slow": ["linearise", hydro, "--amplitude-m", "1e-4", "--from-hz", "1e-9"],
        "fe, many modes": ["fe", str(SOURCE / "examples" / "updating" / "box_ring.bdf"), "--count", "2000"],
        "simulate, long": ["simulate", str(multibody / "double_mass.json"), "--set", "duration_s=2000"],
        "update, many starts": ["update", str(work / "update.json"), "--starts", "5000", "--bootstrap-draws", "5000"],
        "insitu, many starts": [*base_jobs(work, "insitu")["insitu"], "--starts", "500"],
        "fit compare, all laws": ["fit", "compare", "--data", str(DATA / "cab_mount" / "z_map.csv"), str(DATA / "cab_mount" / "z_transient.csv")],
        "fit hydromount, all": ["fit", "hydromount", "--data", str(DATA / "hydro_mount" / "map.csv"), str(DATA / "hydro_mount" / "static.csv")],
    }


def attempt(words, work, out, after, which):
    process = subprocess.Popen([KDYN, *words, "--out", str(out), "--quiet"], cwd=work, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace")
    try:
        process.wait(after)
    except subprocess.TimeoutExpired:
        pass
    was_running = process.poll() is None
    if was_running:
        process.send_signal(which)
    begin = time.monotonic()
    try:
        _, told = process.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return None, 60.0, "no end within 60 s"
    took = time.monotonic() - begin
    result = out / "result.json"
    if process.returncode in (0, 3):
        try:
            json.loads(result.read_text())
        except (OSError, ValueError) as error:
            return was_running, took, f"exit {process.returncode}, result.json: {error}"
        return was_running, took, None
    if process.returncode == 128 + which or (process.returncode == -which and was_running):
        return was_running, took, "result.json after an end without result" if result.exists() else None
    if process.returncode in (2, 4) and not was_running:
        return False, took, f"does not run: {told[-200:]}"
    return was_running, took, f"ended with {process.returncode}: {told[-200:]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--moments", type=int, default=3, help="random moments for each operation")
    parser.add_argument("--only", default="")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    stream = random.Random(options.seed)
    tried = failed = running = 0
    with tempfile.TemporaryDirectory(prefix="kdyn_stop_") as folder:
        work = Path(folder)
        jobs = {**base_jobs(work), **long_jobs(work)}
        for name, words in jobs.items():
            if options.only not in name:
                continue
            longest = 0.0
            for moment in range(options.moments):
                which = signal.SIGTERM if moment % 2 == 0 else signal.SIGINT
                after = stream.uniform(0.02, 2.0 if "," in name else 0.3)
                was_running, took, trouble = attempt(words, work, work / f"out_{tried}", after, which)
                tried += 1
                if was_running:
                    running += 1
                    longest = max(longest, took)
                if trouble:
                    failed += 1
                    print(f"{name}, {signal.Signals(which).name} after {after:.3f} s: {trouble}", flush=True)
            print(f"{name}: ended within {longest:.2f} s", flush=True)
    print(f"{running} of {tried} runs were stopped while they worked")
    print(f"{tried - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
