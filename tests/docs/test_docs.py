# SPDX-License-Identifier: Apache-2.0
"""Every command and every JSON snippet of the README and of docs/ runs.

A fenced block ```sh is run line by line in a scratch folder that holds data/ and examples/ of the project. Files that stand for the
reader's own (my_map.csv) are made from bundled data: OWN_FILES. A line that cannot run here stands in LEFT_OUT with the reason; a line of
that list that no longer stands in the docs fails, so that the list stays true. A block ```json is a model or a job file: it is read by the
operation that takes it. Blocks of other kinds (```text, ```c, ```cpp) are not commands.
"""
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["KDYN_SOURCE_DIR"])
BINARY = pathlib.Path(os.environ["KDYN_BINARY"])

# Commands run in the order of the page, so that one may use what an earlier one wrote. Pages that start from results of another page:
STARTS_FROM = {
    "docs/export.md": ["kdyn fit elastomer --data data/cab_mount/z_map.csv data/cab_mount/z_static.csv --out out/z --no-report"],
}

# What a bushing's own motion looks like in a file.
BUSHING_MOTION = "time_s,fx_mm,tz_deg\n" + "".join(f"{0.01 * i},{0.1 * (i % 7)},{0.2 * (i % 5)}\n" for i in range(60))



def ambient_record():
    """Two masses between springs under forces that nobody measured: modes at 5 and 8.7 Hz, 800 s."""
    state, rows, w, x, v = 1, ["time_s,1+X [m/s^2],2+X [m/s^2]"], (31.4, 54.4), [0.0, 0.0], [0.0, 0.0]
    for j in range(160000):
        force = []
        for _ in (0, 1):
            state = (1103515245 * state + 12345) % 2**31
            force.append(state / 2**30 - 1)
        modal = (force[0] + force[1], force[0] - force[1])
        a = [modal[r] - 0.04 * w[r] * v[r] - w[r] ** 2 * x[r] for r in (0, 1)]
        for r in (0, 1):
            v[r] += 0.005 * a[r]
            x[r] += 0.005 * v[r]
        if j % 2 == 0:
            rows.append(f"{j * 0.005:.3f},{a[0] + a[1]:.6g},{a[0] - a[1]:.6g}")
    return "\n".join(rows) + "\n"


OWN_FILES = {
    "my_map.csv": "data/cab_mount/z_map.csv",
    "my_static.csv": "data/cab_mount/z_static.csv",
    "z_map.csv": "data/cab_mount/z_map.csv",
    "z_static.csv": "data/cab_mount/z_static.csv",
    "z_transient.csv": "data/cab_mount/z_transient.csv",
    "road.csv": "data/cab_mount/z_transient.csv",
    "points.uff": "data/frame/points.uff",
}

LEFT_OUT = {
    "./dev run": "builds the project",
    "./dev test": "is this test",
    "./dev wasm": "builds another program; ./dev wasm --test tests it",
    "unzip kdyn_project.zip": "the reader's own project; the archive is tested in web.project_archive",
    "mpirun -n 8 kdyn fe car_body.bdf": "a car body is not bundled; ranks are tested in mpi and update",
    "kdyn fe frame.bdf": "the reader's own deck in other units; units are tested in fe",
    "kdyn fe model.op4": "the reader's own matrices; formats are tested in cli.fe",
    "kdyn fe part.sti": "the reader's own CalculiX matrices; tested in cli.fe",
    "kdyn fe K.mtx": "the reader's own matrices; tested in cli.fe",
    "kdyn fit compare --data run1.json": "the reader's own records; tested in identify",
    "kdyn fit mastercurve --data dma.csv": "the reader's own DMA table; tested in cli.temperature",
    "mpirun -n 2 kdyn study": "ranks are tested in cli.study",
    "kdyn study examples/four_poster": "minutes; a short form runs in cli.four_poster",
    "apt install ./out/packages/kdyn_*.deb": "changes the machine; ./dev package --try does it in a tree of its own",
    "source <(kdyn completion bash)": "a word of the shell; tested in cli.manners",
    "kdyn man | man -l -": "tested in cli.manners",
    "PYTHONPATH=build/release/python python3 -c": "tested in python.docs and python.wheel",
    "cmake --install build/release": "installs; tested in install.find_package",
    "kdyn serve": "does not end; tested in server",
}


def blocks(page, kinds):
    """(line number, kind, text) of the fenced blocks of these kinds."""
    inside, start, kind, lines = False, 0, "", []
    for number, line in enumerate((SOURCE / page).read_text(encoding="utf-8").splitlines(), start=1):
        if line.startswith("```"):
            if inside and kind in kinds:
                yield start, kind, "\n".join(lines)
            inside, start, kind, lines = not inside, number, line[3:].strip(), []
        elif inside:
            lines.append(line)


def pages():
    """The tutorials run in test_tutorials, which also looks at what comes out."""
    found = [path.relative_to(SOURCE) for path in (SOURCE / "docs").rglob("*.md")]
    return ["README.md"] + sorted(str(path) for path in found if "tutorials" not in path.parts)


def commands(page):
    """(line number, command) of each command of a page; a comment behind it is cut off."""
    for start, _, text in blocks(page, {"sh"}):
        for offset, line in enumerate(text.splitlines(), start=1):
            line = re.sub(r"\s+#.*", "", line).strip().removeprefix("build/release/")
            if line and not line.startswith("#"):
                yield start + offset, line


def left_out(command):
    return next((start for start in LEFT_OUT if command.startswith(start)), None)


def scratch_folder():
    folder = pathlib.Path(tempfile.mkdtemp(prefix="kdyn_docs_"))
    for name in ["data", "examples"]:
        os.symlink(SOURCE / name, folder / name)
    for name, origin in OWN_FILES.items():
        shutil.copy(SOURCE / origin, folder / name)
    (folder / "bushing_road.csv").write_text(BUSHING_MOTION)
    (folder / "night.csv").write_text(ambient_record())
    models = [json.loads(text) for _, _, text in blocks("docs/guide.md", {"json"})]
    bushing = next(model for model in models if model.get("model") == "bushing")
    (folder / "bushing.json").write_text(json.dumps(bushing))
    return folder


def run(command, folder):
    words = shlex.split(command)
    if words[0] == "kdyn":
        words[0] = str(BINARY)
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=900)


def run_page(page, folder):
    """Runs the commands of a page one after the other: (line, command, what came out). `cd` holds for the rest of the page."""
    for line, command in commands(page):
        if left_out(command) and "tutorials" not in page:
            continue
        if command.startswith("cd "):
            folder = folder / command[3:].strip()
            continue
        yield line, command, run(command, folder)


class Commands(unittest.TestCase):
    def test_every_command_of_the_docs_runs(self):
        count = 0
        for page in pages():
            folder = scratch_folder()
            for command in STARTS_FROM.get(page, []):
                done = run(command, folder)
                self.assertEqual(done.returncode, 0, f"{page}, preparation '{command}': {done.stderr}")
            for _, name, text in blocks(page, {"json"}):  # a page may use its own snippets by the name of the model
                content = json.loads(text)
                if "model" in content and isinstance(content["model"], str):
                    (folder / f"{content['model']}.json").write_text(text)
            for line, command, done in run_page(page, folder):
                with self.subTest(page=page, line=line, command=command):
                    self.assertEqual(done.returncode, 0, f"{page}:{line}: {command}\n{done.stderr or done.stdout}")
                count += 1
            shutil.rmtree(folder)
        print(f"{count} commands of the docs ran, {len(LEFT_OUT)} are left out with a reason")
        self.assertGreater(count, 10)

    def test_what_is_left_out_stands_in_the_docs(self):
        seen = {left_out(command) for page in pages() for _, command in commands(page)}
        self.assertEqual(set(LEFT_OUT) - seen, set())


class Snippets(unittest.TestCase):
    def test_every_json_snippet_is_read(self):
        count = 0
        for page in pages():
            for line, _, text in blocks(page, {"json"}):
                with self.subTest(page=page, line=line):
                    content = json.loads(text)
                    if not isinstance(content.get("model"), str):
                        continue  # a job file: its keys are checked against the table of its operation below
                    folder = scratch_folder()
                    (folder / "snippet.json").write_text(text)
                    done = run("kdyn inspect snippet.json --out out/look --no-report", folder)
                    self.assertEqual(done.returncode, 0, f"{page}:{line}\n{done.stderr or done.stdout}")
                    shutil.rmtree(folder)
                    count += 1
        self.assertGreater(count, 2)

    def test_job_snippets_name_options_of_their_operation(self):
        for page, operation in [("docs/updating.md", "update"), ("docs/vehicle.md", "vehicle"), ("docs/study.md", "study")]:
            done = run(f"kdyn describe {operation} --json", SOURCE)
            described = done.stdout
            for line, _, text in blocks(page, {"json"}):
                for key in json.loads(text):
                    with self.subTest(page=page, line=line, key=key):
                        self.assertIn(f'"{key}"', described)


if __name__ == "__main__":
    unittest.main()
