#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every field of every operation, with values nobody should give: bounds and beyond, 0, huge, tiny, NaN, wrong types, empty and long.

    KDYN_BINARY=... KDYN_SOURCE_DIR=... field_driver.py [--sample N] [--seed S] [--only OPERATION] [--jobs J]

The fields come from `kdyn describe --json`, nested ones included, so a new option is tried without a line here. Each value is given on top of a job
that works. Allowed: exit 0, 2, 3 or 4, within --seconds, with a message that names something for 2 and 4. A signal, exit 5 (internal error), a
result.json that is no JSON or holds no status, or a hang is a failure. Without --sample everything runs (some ten thousand runs, an hour of an idle
machine); the tests run a sample. The plain jobs of all operations are those of plain_jobs.py.
"""
import argparse
import concurrent.futures
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from plain_jobs import KDYN, base_jobs  # noqa: E402

LONG = "x" * 20000

NUMBERS = [0, -1, 1, 1e-300, -1e-300, 1e300, -1e300, 1e-12, 1e12, "NaN", None, True, "text", [], [1], {}, {"a": 1}]
WHOLE = [0, -1, 1, 2, 2**31, 2**53, -(2**63), 0.5, 1e300, None, "text", [], {}]
TEXTS = ["", " ", "x", "..", "/", "a/b", "ä€𝄞", "\u0001", LONG, 0, None, [], {}, True]
FLAGS = [True, False, 0, 1, -1, 0.5, "yes", "true", "", None, [], {}, [True]]
LISTS = [[], [None], [0], [-1], [1e300], [1e-300], [0, 0], ["NaN"], ["x"], [[]], [{}], [1.0] * 2000, None, 0, "x", {}, True]
OBJECTS = [{}, {"": 0}, {"x": 0}, {"x": None}, {"x": {"x": []}}, {LONG: 1}, [], [{}], [0], None, 0, "x", True]


def values_of(schema, defs, depth=0):
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
        if items and depth < 3:
            out += [[one] for one in values_of(items, defs, depth + 1)[:12]]
    if "object" in kinds or "properties" in schema:
        out += OBJECTS
        # Schemas may name themselves.
        for name, inner in schema.get("properties", {}).items() if depth < 3 else ():
            out += [{name: one} for one in values_of(inner, defs, depth + 1)[:12]]
    return out or [*NUMBERS, *TEXTS, *LISTS, *OBJECTS]


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
    tried = {operation["operation"] for operation in described["operations"]} & set(jobs)
    print(f"{len(cases)} of {total} values tried on {len(tried)} operations; {len(described['operations']) - len(tried)} operations have no plain job here")
    print(f"{len(cases) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
