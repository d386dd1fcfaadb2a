# SPDX-License-Identifier: Apache-2.0
"""The car on four posts (examples/four_poster): energy of every level of mounts balances, levels and scatter run as a study, in a short form."""
import csv
import json
import shutil
import unittest

from harness import SOURCE, CliTest

CAR = SOURCE / "examples" / "four_poster"
MOUNTS = {"engine": "engine_*", "gearbox": "gearbox", "subframe": "*_subframe_*", "arm": "arm_*"}


def work(force, motion):
    """The integral of force over motion by trapezoids."""
    return sum(0.5 * (force[i] + force[i + 1]) * (motion[i + 1] - motion[i]) for i in range(len(force) - 1))


class FourPoster(CliTest):
    def setUp(self):
        super().setUp()
        shutil.copytree(CAR, self.folder / "car")

    def job(self, name, change):
        job = json.loads((CAR / name).read_text())
        change(job)
        path = self.folder / "car" / f"short_{name}"
        path.write_text(json.dumps(job))
        return path

    def study(self, name, change, out=None):
        out = out or self.out
        done = self.kdyn("study", self.job(name, change), "--out", out, "--no-report")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return json.loads((out / "result.json").read_text())

    def test_energy_of_every_level_balances(self):
        """What the posters put in is what mounts, springs and tyres absorb and what is stored as motion and height. Both by trapezoids over the
        samples: second order in 2 ms, far below the limit."""
        levels = json.loads((CAR / "levels.json").read_text())["parameters"][1]["levels"]
        for level, settings in levels.items():
            model = json.loads((CAR / "car.json").read_text())
            laws = {place.split(".")[3]: value for place, value in settings.items()}
            for bushing in model["bushings"]:
                name = bushing["name"]
                key = next((k for k in laws if name == k or (k.endswith("*") and not k.startswith("*") and name.startswith(k[:-1])) or (k == "*_subframe_*" and "_subframe_" in name)), None)
                if isinstance(bushing["laws"], str):
                    self.assertIsNotNone(key, name)
                    bushing["laws"] = laws[key]
            (self.folder / "car" / "level.json").write_text(json.dumps(model))
            out = self.folder / level
            done = self.kdyn("simulate", self.folder / "car" / "level.json", "--duration-s", "2", "--out", out, "--no-report")
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(out / "series.csv", newline="", encoding="utf-8") as file:
                rows = list(csv.reader(file))
            columns = dict(zip((name.split(" [")[0] for name in rows[0]), zip(*[[float(x) for x in row] for row in rows[1:]])))
            posts = [name.removeprefix("road_").removesuffix(".force.z") for name in columns if name.startswith("road_") and name.endswith(".force.z")]
            self.assertEqual(len(posts), 4)
            given = sum(work(columns[f"road_{p}.force.z"], columns[f"post_{p}.position.z"]) for p in posts)
            absorbed = sum(work(columns[name], columns[name[:-5] + ".deflection"]) for name in columns if name.endswith(".load"))
            stored = sum(columns[name][-1] - columns[name][0] for name in ("energy.kinetic", "energy.gravity"))
            # Potential energy goes in and out: the net work may vanish, so the size is that of what goes to and fro.
            size = max(abs(given), abs(absorbed), abs(stored))
            self.assertGreater(size, 1.0)
            self.assertLess(abs(given - absorbed - stored), 1e-3 * size, level)

    def test_levels_are_a_study(self):
        def short(job):
            job["chain"][0]["options"]["duration_s"] = job["chain"][1]["options"]["duration_s"] = 2.5
            job["parameters"][0]["levels"] = {"motorway": {"road.roughness": 16e-6}}
        result = self.study("levels.json", short)
        self.assertEqual((result["done"], result["failed"]), (4, 0))
        levels = result["responses"]["powertrain z"]["levels"]["mounts"]["levels"]
        self.assertEqual(list(levels), ["hydro", "rubber", "linear", "spring_damper"])
        self.assertGreater(abs(levels["rubber"]["against_first"]["mean"]), 0.0)

    def test_scatter_is_a_study_and_ranks_do_not_show(self):
        def short(job):
            job["chain"][0]["options"]["duration_s"] = job["chain"][1]["options"]["duration_s"] = 2.2
            job["runs"] = 4
            job["keep"] = []
        result = self.study("tolerance.json", short)
        self.assertEqual((result["done"], result["failed"]), (4, 0))
        self.assertGreater(result["responses"]["seat z"]["spread"]["std"], 0.0)
        self.over_ranks(2, "study", self.folder / "car" / "short_tolerance.json", "--threads", "1", "--no-report", "--out", self.folder / "ranks")
        self.assertEqual((self.out / "runs.csv").read_bytes(), (self.folder / "ranks" / "runs.csv").read_bytes())


if __name__ == "__main__":
    unittest.main()
