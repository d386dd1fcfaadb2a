#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Faults at every step of writing: is anything half, mixed or lost?

    KDYN_BINARY=... KDYN_SOURCE_DIR=... fault_driver.py [--only WORD] [--every N] [--jobs J]

An operation runs into a folder that holds the results of an earlier run on another file. strace lets one system call of it fail (disk full,
input/output error, no permission) or kills the program at it: every write, rename, fsync, mkdir, unlink and every file that is created, one after
the other. Afterwards must hold:

- exit code 0 or 3: the folder holds all files of the new run;
- any other end: exit code 4 or the kill, never a signal of its own nor 5; where result.json is there, all files beside it are of its run.

Files tell their run by their bytes or by the name of the input that they carry. --every N tries every N-th fault (tests); without it all.
"""
import argparse
import concurrent.futures
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

KDYN = os.environ["KDYN_BINARY"]
SOURCE = Path(os.environ["KDYN_SOURCE_DIR"])
CALLS = {"write": "ENOSPC", "pwrite64": "ENOSPC", "fsync": "EIO", "rename": "ENOSPC", "mkdir": "EACCES", "unlink": "EACCES", "openat": "EMFILE"}
OLD, NEW = "earlier_input", "later_input"

# Words of the command, with {input}; two files that may be the same but for their names.
OPERATIONS = {
    "fit elastomer": (["fit", "elastomer", "{input}"], "data/cab_mount/x_map.csv", "data/cab_mount/y_map.csv"),
    "fit bushing": (["fit", "bushing", "{input}", "--exports", "ubf", "fmu2"], "data/bench_workbook/cab_mount.xlsx", "data/bench_workbook/cab_mount.xlsx"),
    "fit hydromount": (["fit", "hydromount", "{input}", "--detail", "springs"], "data/hydro_mount/map.csv", "data/hydro_mount/map.csv"),
    "inspect": (["inspect", "{input}"], "data/cab_mount/x_map.csv", "data/cab_mount/y_static.csv"),
    "rig": (["rig", "{input}", "--program", "map", "--frequencies-hz", "1,10", "--amplitudes-m", "1e-4"], "data/cab_mount/x_truth.json", "data/cab_mount/y_truth.json"),
    "export": (["export", "{input}", "--to", "fmu3"], "data/cab_mount/x_truth.json", "data/cab_mount/y_truth.json"),
    "modal": (["modal", "{input}"], "data/frame/frf.csv", "data/frame/frf.csv"),
    "fe": (["fe", "{input}", "--count", "8"], "examples/updating/box_ring.bdf", "examples/updating/box_ring.bdf"),
    "correlate": (["correlate", "{input}", "{input}", "--count", "6"], "examples/updating/box_ring.bdf", "examples/updating/box_ring.bdf"),
    "simulate": (["simulate", "{input}"], "examples/multibody/double_mass.json", "examples/multibody/engine.json"),
    "vehicle": (["vehicle", "{input}", "--added-mass", "130", "250", "40", "4", "4", "5", "5"], "data/bump_test/decays.csv", "data/bump_test/decays.csv"),
    "assess": (["assess", "{input}"], "data/bump_test/drive_old.csv", "data/bump_test/drive_new.csv"),
}


def run(words, folder, out, prefix=()):
    return subprocess.run([*prefix, KDYN, *words, "--out", out], cwd=folder, capture_output=True, timeout=300)


def files_of(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file() and ".kdyn" not in str(path.relative_to(folder))}


def belongs_to(content, name, old, new):
    """Which runs a file may be of."""
    runs = set()
    if old.get(name) == content:
        runs.add("old")
    if new.get(name) == content:
        runs.add("new")
    if runs:
        return runs
    told_old, told_new = OLD.encode() in content, NEW.encode() in content
    if told_old != told_new:
        return {"old"} if told_old else {"new"}
    # Archives hold the time they were made at: whole, and with the members of their run.
    members = members_of(content)
    if members and name in old and members == members_of(old[name]):
        runs.add("old")
    if members and name in new and members == members_of(new[name]):
        runs.add("new")
    return runs


def members_of(content):
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            whole = archive.testzip() is None
            return {(one.filename, one.CRC) for one in archive.infolist() if one.filename != "modelDescription.xml"} if whole else None
    except zipfile.BadZipFile:
        return None


class Case:
    def __init__(self, name, place):
        words, first, second = OPERATIONS[name]
        self.name, self.place = name, Path(place)
        ending = Path(first).suffix
        shutil.copy(SOURCE / first, self.place / (OLD + ending))
        shutil.copy(SOURCE / second, self.place / (NEW + ending))
        for beside in (SOURCE / first).parent.glob("*.fem"):  # bodies that models name
            shutil.copy(beside, self.place)
        self.old_words = [word.replace("{input}", OLD + ending) for word in words]
        self.new_words = [word.replace("{input}", NEW + ending) for word in words]
        for words_, out in ((self.old_words, "old"), (self.new_words, "new")):
            done = run(words_, self.place, out)
            if done.returncode not in (0, 3):
                raise SystemExit(f"{name} does not run: {done.stderr.decode()}")
        self.old, self.new = files_of(self.place / "old"), files_of(self.place / "new")

    def faults(self):
        """(system call, which of its calls) that touch the output, as a run without a fault makes them."""
        log = self.place / "log"
        shutil.copytree(self.place / "old", self.place / "tried")
        run(self.new_words, self.place, "tried", ["strace", "-f", "-qq", "-o", str(log), "-e", "trace=" + ",".join(CALLS)])
        shutil.rmtree(self.place / "tried")
        counts, found = {}, []
        for line in log.read_text(errors="replace").splitlines():
            match = re.match(r"\d+\s+(\w+)\((.*)", line)
            if not match or match[1] not in CALLS:
                continue
            call, rest = match[1], match[2]
            counts[call] = counts.get(call, 0) + 1
            if call in ("write", "pwrite64") and re.match(r"[12],", rest):
                continue  # words on the terminal
            if call == "openat" and not ("O_CREAT" in rest and "tried" in rest):
                continue
            found.append((call, counts[call]))
        return found

    def attempt(self, fault):
        """Nothing where all holds, else what does not."""
        call, nth, kill = fault
        with tempfile.TemporaryDirectory(dir=self.place) as folder:
            here = Path(folder)
            for ending in {path.suffix for path in self.place.iterdir() if path.stem in (OLD, NEW)}:
                for stem in (OLD, NEW):
                    shutil.copy(self.place / (stem + ending), here)
            for beside in self.place.glob("*.fem"):
                shutil.copy(beside, here)
            shutil.copytree(self.place / "old", here / "out")
            how = "signal=KILL" if kill else f"error={CALLS[call]}"
            done = run(self.new_words, here, "out", ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={call}", "-e", f"inject={call}:{how}:when={nth}"])
            code, left = done.returncode, files_of(here / "out")
        where = f"{self.name}: {call} {nth} {'killed' if kill else CALLS[call]}, exit {code}"
        if kill and code in (-signal.SIGKILL, 128 + signal.SIGKILL):
            pass
        elif code not in (0, 3, 4):
            return f"{where}: {done.stderr.decode(errors='replace')[-300:]}"
        of = {name: belongs_to(content, name, self.old, self.new) for name, content in left.items()}
        if code in (0, 3):
            missing = set(self.new) - set(left)
            if missing:
                return f"{where}, but without {sorted(missing)}"
            wrong = [name for name in self.new if "new" not in of[name]]
            return f"{where}, but {wrong} are not of this run" if wrong else None
        if "result.json" not in left:
            return None
        try:
            json.loads(left["result.json"])
        except ValueError:
            return f"{where}: half a result.json"
        runs = of["result.json"]
        for name, content in left.items():
            if not runs & of[name]:
                return f"{where}: {name} is not of the run of result.json"
        # A result without its report is a result; one without its other files is none.
        (one,) = runs if len(runs) == 1 else ("new",)
        wanted = set(self.old if one == "old" else self.new) - {"report.html", "document.json"}
        lost = wanted - set(left)
        return f"{where}: result.json of the {one} run without {sorted(lost)}" if lost else None


def main():
    parser = argparse.ArgumentParser(description="Faults at every step of writing.")
    parser.add_argument("--only", default="")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    if shutil.which("strace") is None or subprocess.run(["strace", "-qq", "-o", "/dev/null", "true"], capture_output=True).returncode != 0:
        print("strace is missing or may not trace here: no fault was injected")
        return 77
    tried = failed = at = 0
    for name in OPERATIONS:
        if options.only not in name:
            continue
        with tempfile.TemporaryDirectory(prefix="kdyn_faults_") as place:
            case = Case(name, place)
            faults = [(call, nth, kill) for call, nth in case.faults() for kill in (False, True)]
            chosen = [fault for i, fault in enumerate(faults) if (at + i) % options.every == 0]
            at += len(faults)
            with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
                troubles = [trouble for trouble in pool.map(case.attempt, chosen) if trouble]
            for trouble in troubles:
                print(trouble)
            print(f"{name}: {len(chosen)} of {len(faults)} faults, {len(troubles)} failures", flush=True)
            tried, failed = tried + len(chosen), failed + len(troubles)
    print(f"{tried - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
