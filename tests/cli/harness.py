# SPDX-License-Identifier: Apache-2.0
"""Runs the real binary in a folder of its own. The binary and the source folder come from the environment (tests/CMakeLists.txt sets them)."""
import functools
import json
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from jsonschema import Draft202012Validator

KDYN = os.environ["KDYN_BINARY"]
SOURCE = Path(os.environ["KDYN_SOURCE_DIR"])
CAB_MOUNT = SOURCE / "data" / "cab_mount"
MAP_HEADER = "frequency_hz,amplitude_mm,preload_n,k_dyn_n_per_mm,loss_angle_deg"


@functools.cache
def validators():
    """Of the options and of the result of every operation, by its name."""
    described = json.loads(subprocess.run([KDYN, "describe", "--json"], capture_output=True, text=True, check=True).stdout)
    return {o["operation"]: (Draft202012Validator(o["input_schema"]), Draft202012Validator(o["output_schema"])) for o in described["operations"]}


def thinned(value):
    """Long lists of plain numbers tell no more than their first ones."""
    if isinstance(value, dict):
        return {key: thinned(one) for key, one in value.items()}
    if isinstance(value, list):
        plain = len(value) > 20 and all(one is None or isinstance(one, (int, float)) for one in value)
        return value[:20] if plain else [thinned(one) for one in value]
    return value


def complaints(result):
    """What in a result.json is not as `kdyn describe --json` says, options included."""
    provenance = result["provenance"]
    options, results = validators()[provenance["operation"]]
    errors = list(results.iter_errors(thinned(result))) + list(options.iter_errors(thinned(provenance["options_given"])))
    return [f"{provenance['operation']}: {e.json_path}: {e.message[:300]}" for e in errors]


class CliTest(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory(prefix="kdyn_cli_")
        self.addCleanup(self._folder.cleanup)
        self.folder = Path(self._folder.name)
        self.out = self.folder / "out"

    def kdyn(self, *words, timeout=120):
        words = list(map(str, words))
        run = subprocess.run([KDYN, *words], cwd=self.folder, capture_output=True, text=True, timeout=timeout)
        if "--out" in words[:-1] and run.returncode in (0, 3):
            self.conforms(self.folder / words[words.index("--out") + 1])
        return run

    def conforms(self, folder):
        """Every result.json in the folder is as its operation describes it."""
        for path in folder.rglob("result.json"):
            self.assertEqual(complaints(json.loads(path.read_text())), [], path)

    def over_ranks(self, ranks, *words, code=0):
        """The same by mpirun; more ranks than cores are fine."""
        mpirun = shutil.which("mpirun")
        if mpirun is None:
            self.skipTest("no mpirun here")
        environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1",
                           OMPI_MCA_btl_vader_single_copy_mechanism="none", OMPI_MCA_mpi_yield_when_idle="1",
                           OMPI_MCA_hwloc_base_binding_policy="none")
        run = subprocess.run([mpirun, "-n", str(ranks), KDYN, *map(str, words)], cwd=self.folder, capture_output=True, text=True, env=environment)
        if code is not None:  # None: the test looks at it
            self.assertEqual(run.returncode, code, run.stderr)
        return run

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text) if isinstance(text, str) else path.write_bytes(text)
        return path

    def result(self, folder=None):
        return json.loads(((folder or self.out) / "result.json").read_text())

    def files_written(self):
        return sorted(p.relative_to(self.out).as_posix() for p in self.out.rglob("*")) if self.out.exists() else []

    def succeeds(self, *words):
        run = self.kdyn(*words)
        self.assertEqual(run.returncode, 0, run.stderr)
        return run

    def refuses(self, code, words, *mentions):
        """Ends with this exit code, names everything in `mentions` and a remedy, and writes nothing."""
        before = self.files_written()
        run = self.kdyn(*words)
        self.assertEqual(run.returncode, code, f"{words}: {run.stdout}{run.stderr}")
        self.assertIn("remedy:", run.stderr)
        for text in mentions:
            self.assertIn(str(text), run.stderr)
        self.assertEqual(run.stdout, "")
        self.assertEqual(self.files_written(), before)
        return run
