#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""kill -9 at random moments: is anything that was finished lost, are results always of one run, is what goes on equal to what was never stopped?

    KDYN_BINARY=... KDYN_SOURCE_DIR=... kill_driver.py [--moments N] [--only WORD] [--seed S]

- fit, batch, insitu, update: into a folder with results of an earlier run with other settings. After each kill: no result.json, or one that reads and
  whose model is that of its run. Parts of a batch that were finished stay, byte by byte, until a run with the same settings is complete. At the end one
  run that is not killed gives the numbers of a run that never was.
- update with a checkpoint: killed runs go on in the checkpoint; the last one gives the numbers of an uninterrupted run.
- insitu --resume from a run that ended early gives those of... an uninterrupted one within the tolerance of the search: not tried here (tests/cli).
- serve: the server, its jobs, or both are killed while jobs wait and run; in the end every job is done once, with the result of the command line, and
  those that were done before a kill are as they were.

200 moments of each take about an hour of an idle machine; the tests run a few.
"""
import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "server"))
from plain_jobs import DATA, KDYN, base_jobs, without_times  # noqa: E402


def start(words, work):
    return subprocess.Popen([KDYN, *words, "--quiet"], cwd=work, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def whole(words, work, out):
    """A run that nobody disturbs: results by file, and how long it took."""
    begin = time.monotonic()
    done = subprocess.run([KDYN, *words, "--quiet", "--out", str(out)], cwd=work, capture_output=True, text=True)
    if done.returncode not in (0, 3):
        raise SystemExit(f"{words} does not run: {done.stderr}")
    return results(out), time.monotonic() - begin


def results(out):
    return {str(path.relative_to(out)): without_times(json.loads(path.read_text())) for path in sorted(out.rglob("*.json")) if path.name in ("result.json", "model.json")}


class Trouble(Exception):
    pass


def check(condition, words):
    if not condition:
        raise Trouble(words)


def killed_fit(words, other, work, moments, stream):
    """`other`: further words that give another result, which lies there first."""
    wanted, length = whole(words, work, work / "wanted")
    earlier, _ = whole([*words, *other], work, work / "earlier")
    check(earlier != wanted, "the earlier run gives the same: the driver would see nothing")
    out = work / "out"
    for _ in range(moments):
        shutil.rmtree(out, ignore_errors=True)
        shutil.copytree(work / "earlier", out)
        process = start([*words, "--out", str(out)], work)
        time.sleep(length * stream.uniform(0.0, 1.1))
        process.kill()
        process.wait()
        left = results(out)
        if "result.json" in left:
            check(left in (wanted, earlier), f"files of two runs: {sorted(left)}")
    check(whole(words, work, out)[0] == wanted, "the last run gives another result")
    check(not [path for path in out.iterdir() if path.name.startswith(".")], "hidden files are left")


def killed_batch(words, work, moments, stream):
    wanted, length = whole(words, work, work / "wanted")
    out = work / "out"
    finished = {}
    for _ in range(moments):
        if out.exists() and (out / "result.json").exists() or len(finished) == len(wanted):
            shutil.rmtree(out)
            finished = {}
        process = start([*words, "--out", str(out)], work)
        time.sleep(length * stream.uniform(0.0, 0.8))
        process.kill()
        process.wait()
        for path, content in finished.items():
            check(path.exists() and path.read_bytes() == content, f"{path.relative_to(out)} was finished and is lost")
        for path in out.glob("parts/**/result.json"):
            check(without_times(json.loads(path.read_text())) == wanted[str(path.relative_to(out))], f"{path.relative_to(out)} is another")
            check(json.loads((path.parent / "model.json").read_text()) == json.loads(path.read_text())["model"], f"{path.parent}: model of another run")
            if (path.parent / "report.html").exists():
                finished[path] = path.read_bytes()
    check(whole(words, work, out)[0] == wanted, "the last run gives another result")


def killed_checkpoint(words, work, moments, stream):
    wanted, length = whole(words, work, work / "wanted")
    place = work / "checkpoint"
    for _ in range(moments):
        if stream.random() < 0.1:
            shutil.rmtree(place, ignore_errors=True)
        process = start([*words, "--checkpoint", str(place), "--out", str(work / "out")], work)
        time.sleep(length * stream.uniform(0.0, 1.1))
        process.kill()
        process.wait()
    found, _ = whole([*words, "--checkpoint", str(place)], work, work / "out")
    check(without_counts(found) == without_counts(wanted), "the run that went on gives another result")


def without_counts(value):
    """Paths, and how often something was computed, which a checkpoint saves."""
    if isinstance(value, dict):
        return {key: without_counts(one) for key, one in value.items() if key not in ("evaluations", "options_used", "provenance", "resumed", "checkpoint", "full_solutions")}
    return [without_counts(one) for one in value] if isinstance(value, list) else value


def killed_serve(work, moments, stream):
    from served import Server
    jobs = [("fit elastomer", {"data": ["data/x_map.csv"]}), ("rig", {"model": "data/x_truth.json", "frequencies_hz": [1 + 0.1 * i for i in range(40)], "samples_per_cycle": 1024}),
            ("inspect", {"files": ["data/x_map.csv"]})]
    project, wanted = work / "project", {}
    for name in ("x_map.csv", "x_truth.json"):
        (project / "data").mkdir(parents=True, exist_ok=True)
        shutil.copy(DATA / "cab_mount" / name, project / "data")
    for name, options in jobs:
        (work / "job.json").write_text(json.dumps(options))
        done = subprocess.run([KDYN, *name.split(), "--config", str(work / "job.json"), "--json"], cwd=project, capture_output=True, text=True)
        wanted[name] = without_times(json.loads(done.stdout))
    submitted, over = {}, {}
    server = Server(project, "--jobs", "2", state=work / "state")
    try:
        for moment in range(moments):
            for _ in range(stream.randrange(3)):
                name, options = stream.choice(jobs)
                submitted[server.submit(name, **options)] = name
            time.sleep(stream.uniform(0.0, 0.6))
            processes = [json.loads(path.read_text()).get("pid") for path in project.glob("jobs/*/job.json")]
            server.kill()
            if moment % 3 == 0:  # as a power cut: the jobs die, too
                for pid in filter(None, processes):
                    if b"kdyn" in (Path(f"/proc/{pid}/cmdline").read_bytes() if Path(f"/proc/{pid}").exists() else b""):
                        os.kill(pid, signal.SIGKILL)
            server = Server(project, "--jobs", "2", state=work / "state")
            listed = {job["id"]: job for job in server.json("GET", "api/jobs")["jobs"]}
            check(set(submitted) <= set(listed), f"lost: {set(submitted) - set(listed)}")
            for name, content in over.items():
                check((project / "jobs" / name / "result.json").read_bytes() == content, f"{name} was done and is another now")
            over = {name: (project / "jobs" / name / "result.json").read_bytes() for name, job in listed.items() if job["state"] == "done"}
        interrupted = 0
        for name, operation in submitted.items():
            job = server.wait(name)
            if job["state"] == "interrupted":  # killed twice: told, and run again by the user
                interrupted += 1
                name = server.json("POST", f"api/jobs/{name}/again", {})["id"]
                job = server.wait(name)
            check(job["state"] in ("done", "not_complete"), f"{name}: {job['state']}")
            check(without_times(json.loads((project / "jobs" / name / "result.json").read_text())) == wanted[operation], f"{name}: another result")
        print(f"serve: {len(submitted)} jobs, {interrupted} killed twice and told")
    finally:
        server.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--moments", type=int, default=200)
    parser.add_argument("--only", default="")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    failed = tried = 0
    with tempfile.TemporaryDirectory(prefix="kdyn_kill_") as folder:
        plain = Path(folder) / "plain"
        plain.mkdir()
        jobs = base_jobs(plain)
        ways = {
            "fit": lambda w, n, s: killed_fit(jobs["fit elastomer"], ["--fix", "lambda=0.5"], w, n, s),
            "batch": lambda w, n, s: killed_batch(jobs["batch"], w, n, s),
            "insitu": lambda w, n, s: killed_fit(jobs["insitu"], ["--max-iterations", "3"], w, n, s),
            "update": lambda w, n, s: killed_fit(jobs["update"], ["--set", "band_hz=[6,60]"], w, n, s),
            "update checkpoint": lambda w, n, s: killed_checkpoint(jobs["update"], w, n, s),
            "serve": killed_serve,
        }
        for name, way in ways.items():
            if options.only not in name:
                continue
            work = Path(folder) / ("work_" + name.replace(" ", "_"))
            work.mkdir()
            tried += options.moments
            try:
                way(work, options.moments, random.Random(options.seed))
                print(f"{name}: killed at {options.moments} moments, all as it should be", flush=True)
            except (Trouble, AssertionError) as trouble:
                failed += 1
                print(f"{name}: {trouble}", flush=True)
    print(f"killed at {tried} moments; {failed} of the ways failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
