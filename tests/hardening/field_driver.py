#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every field of every operation, with values nobody should give: bounds and beyond, 0, huge, tiny, NaN, wrong types, empty and long.

    KDYN_BINARY=... KDYN_SOURCE_DIR=... field_driver.py [--sample N] [--seed S] [--only OPERATION] [--jobs J]

The fields come from `kdyn describe --json`, nested ones included, so a new option is tried without a line here. Each value is given on top of a job
that works. Allowed: exit 0, 2, 3 or 4, within --seconds, with a message that names something for 2 and 4. A signal, exit 5 (internal error), a
result.json that is no JSON or holds no status, or a hang is a failure. Without --sample everything runs (some ten thousand runs, half an hour);
the tests run a sample.
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

KDYN = os.environ["KDYN_BINARY"]
SOURCE = Path(os.environ["KDYN_SOURCE_DIR"])
DATA = SOURCE / "data"
LONG = "x" * 20000

NUMBERS = [0, -1, 1, 1e-300, -1e-300, 1e300, -1e300, 1e-12, 1e12, "NaN", None, True, "text", [], [1], {}, {"a": 1}]
WHOLE = [0, -1, 1, 2, 2**31, 2**53, -(2**63), 0.5, 1e300, None, "text", [], {}]
TEXTS = ["", " ", "x", "..", "/", "a/b", "ä€𝄞", "\u0001", LONG, 0, None, [], {}, True]
FLAGS = [True, False, 0, 1, "yes", None, [], {}]
LISTS = [[], [None], [0], [-1], [1e300], [1e-300], [0, 0], ["NaN"], ["x"], [[]], [{}], [1.0] * 2000, None, 0, "x", {}, True]
OBJECTS = [{}, {"": 0}, {"x": 0}, {"x": None}, {"x": {"x": []}}, {LONG: 1}, [], [{}], [0], None, 0, "x", True]


def values_of(schema, defs, field=None):
    """Nasty values for a property of an input schema."""
    if "$ref" in schema:
        schema = defs[schema["$ref"].split("/")[-1]]
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else list(kinds)
    out = []
    if "enum" in schema:
        out += [*schema["enum"], *TEXTS]
    if "number" in kinds:
        out += NUMBERS
        for key in ("minimum", "maximum", "exclusiveMinimum"):
            if key in schema:
                limit = schema[key]
                out += [limit, limit * (1 + 1e-9) + 1e-12, limit * (1 - 1e-9) - 1e-12, limit * 10 + 1]
    if "integer" in kinds:
        out += WHOLE
    if "string" in kinds:
        out += TEXTS
    if "boolean" in kinds:
        out += FLAGS
    if "array" in kinds:
        out += LISTS
        items = schema.get("items", {})
        if items:
            out += [[one] for one in values_of(items, defs)[:12]]
    if "object" in kinds or "properties" in schema:
        out += OBJECTS
        for name, inner in schema.get("properties", {}).items():
            out += [{name: one} for one in values_of(inner, defs)[:8]]
    return out or [*NUMBERS, *TEXTS, *LISTS, *OBJECTS]


def base_jobs(work):
    """A job of each operation that works and takes little time. Files are copies: whatever a run does to them, the next one starts anew."""
    cab, hydro, active, bump, frame = (DATA / name for name in ("cab_mount", "hydro_mount", "active_mount", "bump_test", "frame"))
    multibody, updating = SOURCE / "examples" / "multibody", SOURCE / "examples" / "updating"
    model = work / "model.json"
    subprocess.run([KDYN, "fit", "elastomer", "--data", cab / "z_map.csv", "--out", work / "z", "--no-report", "--quiet"], check=True, capture_output=True)
    shutil.copy(work / "z" / "model.json", model)
    jobs = {
        "inspect": ["inspect", cab / "z_map.csv"],
        "fit elastomer": ["fit", "elastomer", "--data", cab / "z_map.csv", cab / "z_static.csv"],
        "fit hydromount": ["fit", "hydromount", "--data", hydro / "map.csv"],
        "fit bushing": ["fit", "bushing", "--data", cab / "x_map.csv", cab / "z_map.csv"],
        "fit activemount": ["fit", "activemount", "--data", active / "s_x.csv", active / "p_yx.csv", "--model", active / "model.json"],
        "fit compare": ["fit", "compare", "--data", cab / "z_map.csv"],
        "aem": ["aem", active / "model.json"],
        "rig": ["rig", model, "--program", "map", "--frequencies-hz", "1,10", "--amplitudes-m", "1e-4"],
        "validate": ["validate", model, cab / "z_transient.csv"],
        "linearise": ["linearise", model, "--amplitude-m", "2e-4"],
        "modal": ["modal", frame / "frf.csv"],
        "fe": ["fe", updating / "box_ring.bdf", "--count", "6"],
        "report": ["report", work / "z", work / "z"],
        "convert": ["convert", cab / "z_transient.csv", "out.uff"],
        "export": ["export", model, "--to", "ubf"],
        "vehicle": ["vehicle", "--data", bump / "decays.csv", "--added-mass", "130", "250", "40", "4", "4", "5", "5"],
        "simulate": ["simulate", multibody / "double_mass.json"],
        "modes": ["modes", multibody / "engine.json"],
        "assess": ["assess", bump / "drive_old.csv"],
    }
    jobs = {name: list(map(str, words)) for name, words in jobs.items()}
    for name, words in jobs.items():
        run = subprocess.run([KDYN, *words, "--out", work / "try" / name.replace(" ", "_"), "--no-report"], cwd=work, capture_output=True, text=True)
        if run.returncode not in (0, 3):
            raise SystemExit(f"the plain job of {name} ends with {run.returncode}: {run.stderr[-300:]}")
    return jobs


def judge(run, out, seconds):
    """What is wrong with the end of a run, or None."""
    if run is None:
        return f"no end within {seconds} s"
    if run.returncode not in (0, 2, 3, 4):
        return f"ended with {run.returncode}: {run.stderr.strip()[-200:]}"
    result = out / "result.json"
    if run.returncode in (2, 4):
        if result.exists():
            return f"ended with {run.returncode} and wrote result.json"
        return None if len(run.stderr.strip()) > 10 else "refused without a message"
    try:
        json.loads(result.read_text(), parse_constant=lambda word: (_ for _ in ()).throw(ValueError(word)))
    except (OSError, ValueError) as error:
        return f"result.json: {error}"
    return None


def attempt(job, field, value, seconds):
    with tempfile.TemporaryDirectory(prefix="kdyn_field_") as folder:
        config = Path(folder) / "job.json"
        config.write_text(json.dumps({field: value}, ensure_ascii=False).replace('"NaN"', "NaN"), encoding="utf-8")
        out = Path(folder) / "result"
        words = [KDYN, *job, "--config", str(config), "--out", str(out), "--no-report"]
        try:
            run = subprocess.run(words, cwd=folder, capture_output=True, text=True, errors="replace", timeout=seconds)
        except subprocess.TimeoutExpired:
            run = None
        return judge(run, out, seconds)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sample", type=int, default=0, help="so many runs instead of all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    described = json.loads(subprocess.run([KDYN, "describe", "--json"], capture_output=True, text=True, check=True).stdout)
    with tempfile.TemporaryDirectory(prefix="kdyn_fields_") as folder:
        jobs = base_jobs(Path(folder))
        cases = []
        for operation in described["operations"]:
            name, schema = operation["operation"], operation["input_schema"]
            if name not in jobs or (options.only and name != options.only):
                continue
            positional = {f["name"] for f in operation["fields"] if f.get("positional")}
            for field, inner in schema.get("properties", {}).items():
                if field in positional:
                    continue
                seen = set()
                for value in values_of(inner, schema.get("$defs", {})):
                    key = json.dumps(value, sort_keys=True)
                    if key not in seen:
                        seen.add(key)
                        cases.append((name, field, value))
        total = len(cases)
        if options.sample:
            cases = random.Random(options.seed).sample(cases, min(options.sample, total))
        failed = []
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            ends = pool.map(lambda c: attempt(jobs[c[0]], c[1], c[2], options.seconds), cases)
            for (name, field, value), wrong in zip(cases, ends):
                if wrong:
                    failed.append(f"{name}: {field} = {json.dumps(value)[:80]}: {wrong}")
                    print(failed[-1], flush=True)
    print(f"{len(cases)} of {total} values tried on {len(jobs)} operations; {len(described['operations']) - len(jobs)} operations have no plain job here")
    print(f"{len(cases) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
