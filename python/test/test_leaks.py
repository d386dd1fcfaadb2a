# SPDX-License-Identifier: Apache-2.0
"""Nothing is kept: counts of references, memory over ten thousand calls, and a look by LeakSanitizer at what nobody holds any more."""
import gc
import os
import pathlib
import re
import resource
import subprocess
import sys
import unittest

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import work  # noqa: E402
import kdyn  # noqa: E402

os.chdir(os.environ["KDYN_SOURCE"])


def resident_kb():
    return int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path("/proc/self/status").read_text())[1])


class Leaks(unittest.TestCase):
    def test_references_stay_as_many(self):
        """An object of which a call takes or gives back one reference too many shows it in every sixty rounds."""
        law, hydro = kdyn.law(work.rubber), kdyn.law(work.hydro)
        model = law.model
        # Numbers outside the small ones that the interpreter keeps for itself.
        given = [work.f, work.a, work.t, work.u, law._law, hydro._law, model, True, False, None, kdyn.BadInput, kdyn.Error, np.dtype(float), np.dtype(complex)]
        moved = []
        for _ in range(6):
            gc.collect()
            before = [sys.getrefcount(one) for one in given]
            for _ in range(60):
                work.laws(law, hydro), kdyn.law(model)
            gc.collect()
            moved = [abs(sys.getrefcount(one) - old) for one, old in zip(given, before)]
            # Every round calls each function once at least: a lost reference would be sixty, time and again. Caches of the interpreter let go of None for a while.
            if max(moved) < 30:
                return
        self.fail(f"references that do not come back: {dict(zip((repr(one)[:40] for one in given), moved))}")

    def test_ten_thousand_calls_take_no_memory(self):
        law = kdyn.law(work.rubber)

        def calls(count):
            for i in range(count):
                law.dynamic_stiffness(work.f, work.a)
                law.static_force(work.a)
                if i % 10 == 0:
                    law.simulate(work.t, work.u)
                    work.refused(law.dynamic_stiffness, [0.0], [1e-3])

        calls(1000)
        gc.collect()
        before, objects = resident_kb(), len(gc.get_objects())
        calls(10000)
        gc.collect()
        # One kept array of forty numbers a call would be 3 MB, one kept small object 0.5 MB; pages of the allocator come and go by less.
        self.assertLess(resident_kb() - before, 400)
        self.assertLess(len(gc.get_objects()) - objects, 50)
        self.assertLess(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, 1 << 20)

    def test_nothing_is_lost(self):
        """Blocks without an owner when the interpreter ends, that were taken inside the package: none."""
        found = subprocess.run(["gcc", "-print-file-name=liblsan.so"], capture_output=True, text=True)
        checker = found.stdout.strip()
        if found.returncode != 0 or not os.path.exists(checker):
            self.skipTest("no LeakSanitizer on this machine")
        environment = dict(os.environ, LD_PRELOAD=checker, PYTHONMALLOC="malloc", OPENBLAS_NUM_THREADS="1",
                           LSAN_OPTIONS="exitcode=0:fast_unwind_on_malloc=0:malloc_context_size=60")
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "work.py")
        ended = subprocess.run([sys.executable, "-B", script, "calls", "6"], env=environment, capture_output=True, text=True)
        self.assertEqual((ended.returncode, ended.stdout), (0, "done\n"), ended.stderr[-2000:])
        self.assertNotIn("fatal error", ended.stderr)
        stacks = re.split(r"\n\n", ended.stderr)
        ours = [stack for stack in stacks if " leak of " in stack and "_kdyn." in stack]
        self.assertEqual(ours, [], "\n\n".join(ours)[:4000])


if __name__ == "__main__":
    unittest.main()
