# SPDX-License-Identifier: Apache-2.0
"""Laws at work: against the virtual rig, closed forms and differences; measurements from arrays; results in notebooks."""
import gc
import math
import os
import pickle
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import numpy as np

import kdyn

os.chdir(os.environ["KDYN_SOURCE"])
rubber = "data/cab_mount/z_truth.json"
hydro = "data/hydro_mount/truth.json"


class Laws(unittest.TestCase):
    def test_dynamic_stiffness_is_that_of_the_rig(self):
        for file, amplitude in ((rubber, 5e-4), (hydro, 2e-4)):
            law = kdyn.law(file)
            rig = kdyn.rig(file, program="map", frequencies_hz=[5.0, 20.0], amplitudes_m=[amplitude], preloads_n=[0.0], progress=False)
            rows = rig["map"]
            k = law.dynamic_stiffness([row["frequency_hz"] for row in rows], amplitude)
            measured = np.array([row["k_dyn"] * np.exp(1j * math.radians(row["loss_angle_deg"])) for row in rows])
            # The rig simulates with 512 steps a cycle and settles to 1e-7: 1e-3 covers its reduction of the signals.
            np.testing.assert_allclose(k, measured, rtol=1e-3)

    def test_shapes_broadcast(self):
        law = kdyn.law(rubber)
        grid = law.dynamic_stiffness(np.array([1.0, 10.0])[:, None], np.array([1e-4, 1e-3, 2e-3]))
        self.assertEqual(grid.shape, (2, 3))
        self.assertEqual(grid[1, 2], law.dynamic_stiffness(10.0, 2e-3))
        self.assertEqual(law.dynamic_stiffness([], 1e-3).shape, (0,))
        for bad in ((0.0, 1e-3), (10.0, 0.0), (-1.0, 1e-3), (math.nan, 1e-3), (10.0, math.nan)):
            with self.assertRaises(kdyn.BadInput):
                law.dynamic_stiffness(*bad)

    def test_gradients_are_those_of_differences(self):
        f, a = np.array([1.0, 8.0, 30.0]), np.array([1e-4, 1e-3, 2e-3])
        for file, names in ((rubber, ["rdl", "rho", "alpha", "gamma"]), (hydro, [])):
            law = kdyn.law(file)
            names = names or [next(iter(law.parameters))]
            _, exact = law.dynamic_stiffness(f, a, 100.0, gradient=names)
            for j, name in enumerate(names):
                p, h = law.parameters[name], 1e-4 * law.parameters[name]
                # Five points: error of order h^4, below 1e-7 where the law is smooth.
                values = [law.with_parameters({name: p + s * h}).dynamic_stiffness(f, a, 100.0) for s in (-2, -1, 1, 2)]
                slope = (values[0] - 8 * values[1] + 8 * values[2] - values[3]) / (12 * h)
                scale = np.abs(law.dynamic_stiffness(f, a, 100.0)).max() / p
                np.testing.assert_allclose(exact[:, j], slope, rtol=1e-6, atol=1e-9 * scale, err_msg=name)

    def test_simulation_balances_and_steps_agree(self):
        law = kdyn.law(rubber)
        f, a = 5.0, 1e-3
        t = np.linspace(0.0, 2.0, 4001)
        u, v = a * np.sin(2 * np.pi * f * t), 2 * np.pi * f * a * np.cos(2 * np.pi * f * t)
        force = law.simulate(t, u, v)
        # Work of the last cycle against the loss of the closed form: pi a^2 K''.
        last = t >= 1.8 - 1e-9
        work = np.trapz(force[last] * v[last], t[last])
        self.assertAlmostEqual(work / (np.pi * a * a * law.dynamic_stiffness(f, a).imag), 1.0, delta=2e-3)
        stepper = law.stepper(u[0], v[0])
        stepped = [stepper.step(u[i], v[i], t[i] - t[i - 1]) for i in range(1, len(t))]
        np.testing.assert_array_equal(stepped, force[1:])
        for bad in ((t[::-1], u), (t, u[:-1]), (t[:1], u[:1]), (t, np.where(t > 1, np.nan, u))):
            with self.assertRaises(kdyn.BadInput):
                law.simulate(*bad)

    def test_statics_and_temperature(self):
        law = kdyn.law(rubber)
        forces = np.array([-500.0, 0.0, 300.0])
        np.testing.assert_allclose(law.static_force(law.static_displacement(forces)), forces, atol=1e-6)
        with self.assertRaises(kdyn.BadInput):
            law.at_temperature(60.0)

    def test_bushings_have_axes(self):
        found = kdyn.fit.bushing("data/cab_mount", progress=False)
        bushing = found.model
        self.assertEqual(set(bushing.axes), {"fx", "fy", "fz"})
        self.assertGreater(abs(bushing["fz"].dynamic_stiffness(10.0, 1e-3)), 0.0)
        with self.assertRaises(kdyn.BadInput):
            bushing["tx"]
        again = pickle.loads(pickle.dumps(bushing))
        self.assertEqual(again["fx"].parameters, bushing["fx"].parameters)

    def test_exports(self):
        law = kdyn.law(rubber)
        with tempfile.TemporaryDirectory() as folder:
            result = law.export("fmu2", out=folder)
            self.assertTrue(any(name.endswith(".fmu") for name in os.listdir(folder)))
            self.assertTrue(any(name.endswith(".fmu") for name in result.files))

    def test_pickles(self):
        fit = kdyn.fit.elastomer("data/cab_mount/z_map.csv", progress=False)
        again = pickle.loads(pickle.dumps(fit))
        self.assertEqual(again.result, fit.result)
        self.assertEqual(again.files, fit.files)
        self.assertEqual(again._html(), fit._html())
        law = pickle.loads(pickle.dumps(fit.model))
        self.assertEqual(law.dynamic_stiffness(7.0, 3e-4), fit.model.dynamic_stiffness(7.0, 3e-4))


class Data(unittest.TestCase):
    def test_arrays_give_what_files_give(self):
        m = kdyn.read("data/cab_mount/z_map.csv", "data/cab_mount/z_static.csv")
        self.assertEqual((len(m.maps), len(m.loops), m.directions), (1, 1, ["z"]))
        of_files = kdyn.fit.elastomer(m, progress=False)
        of_arrays = kdyn.fit.elastomer(kdyn.measurements(map=m.maps[0], loop=m.loops[0].columns), progress=False)
        for name, parameter in of_files.parameters.items():
            # Loss angles go through degrees and back, nominal amplitudes are not carried: the last digits may differ.
            self.assertTrue(math.isclose(parameter.value, of_arrays.parameters[name].value, rel_tol=2e-3), (name, parameter, of_arrays.parameters[name]))

    def test_arrays_are_read_back_to_the_bit(self):
        rng = np.random.default_rng(4)
        table = {"frequency_hz": rng.uniform(1, 50, 40), "amplitude": rng.uniform(1e-5, 1e-3, 40), "k_dyn": rng.uniform(1e5, 1e6, 40),
                 "loss_angle_deg": rng.uniform(1, 20, 40), "preload": np.full(40, 123.25)}
        again = kdyn.measurements(map=table).maps[0]
        for name in table:
            if name == "loss_angle_deg":
                np.testing.assert_allclose(again.columns[name], table[name], rtol=4e-16 * 2)
            else:
                np.testing.assert_array_equal(again.columns[name], table[name])
        turning = kdyn.measurements(loop=([0.0, 0.1, 0.0], [0.0, 5.0, 0.1]), rotation=True)
        self.assertTrue(turning.loops[0].rotation)

    def test_bad_arrays_are_refused(self):
        good = {"frequency_hz": [1.0, 2.0], "amplitude": [1e-3, 1e-3], "k_dyn": [1e5, 1e5], "loss_angle_deg": [1.0, 1.0]}
        for change in ({"k_dyn": [1e5]}, {"k_dyn": [1e5, math.nan]}, {"stiffness": [1, 2]}, {"k_dyn": None}, {"frequency_hz": [1, 2, 3]}):
            table = {k: v for k, v in {**good, **change}.items() if v is not None}
            if change == {"k_dyn": [1e5]}:
                continue  # one value holds for all rows
            with self.assertRaises(kdyn.BadInput, msg=str(change)):
                kdyn.measurements(map=table)
        with self.assertRaises(kdyn.BadInput):
            kdyn.measurements()

    def test_other_contents(self):
        found = kdyn.read("data/bump_test/drive_old.csv")
        self.assertTrue(found.signals or found.tables)
        with self.assertRaises(kdyn.Error):
            kdyn.read("README.md")
        with self.assertRaises(kdyn.Error):
            kdyn.read()

    def test_simulated_signals(self):
        motion = kdyn.multibody("examples/multibody/double_mass.json").simulate(signals=["m1.position.*"], progress=False)
        self.assertEqual(set(motion.signals), {"m1.position.x", "m1.position.y", "m1.position.z"})
        self.assertEqual(len(motion.time_s), len(motion["m1.position.x"]))
        with self.assertRaises(kdyn.BadInput):
            kdyn.multibody("examples/multibody/double_mass.json").simulate(signals=["m9.*"], progress=False)

    def test_structures(self):
        modes = kdyn.structure("examples/updating/box_ring.bdf").modes(8, progress=False)
        self.assertEqual((modes.status, len(modes["frequencies_hz"])), ("converged", 8))

    def test_notebooks(self):
        fit = kdyn.fit.elastomer("data/cab_mount/z_map.csv", progress=False)
        page = fit._repr_html_()
        for word in ("<svg", "rdl", "95 % interval", "converged"):
            self.assertIn(word, page)
        self.assertIn("rdl", repr(fit))


class Interpreter(unittest.TestCase):
    def test_threads_give_the_same(self):
        expected = kdyn.fit.elastomer("data/cab_mount/z_map.csv", progress=False)["parameters"]
        found, told = [None] * 6, []

        def work(i):
            found[i] = kdyn.fit.elastomer("data/cab_mount/z_map.csv", progress=lambda fraction, what: told.append(what))["parameters"]

        threads = [threading.Thread(target=work, args=(i,)) for i in range(len(found))]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        for one in found:
            self.assertEqual(one, expected)

    def test_interrupt_stops_the_work(self):
        script = ("import kdyn, sys\n"
                  "print('ready', flush=True)\n"
                  "try:\n"
                  "    kdyn.rig('data/hydro_mount/truth.json', program='map', samples_per_cycle=4096, settle_tolerance=1e-12, max_cycles=100000,\n"
                  "             frequencies_hz=[0.5 + 0.1 * i for i in range(400)], amplitudes_m=[1e-4, 2e-4, 5e-4, 1e-3], progress=False)\n"
                  "except KeyboardInterrupt:\n"
                  "    print('stopped', flush=True)\n")
        with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as process:
            self.assertEqual(process.stdout.readline(), "ready\n")
            time.sleep(1.0)
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.stdout.readline(), "stopped\n")

    def test_a_raising_progress_function_stops_the_work(self):
        def tell(fraction, what):
            raise RuntimeError("enough")

        with self.assertRaisesRegex(RuntimeError, "enough"):
            kdyn.rig(hydro, program="map", samples_per_cycle=4096, settle_tolerance=1e-12, max_cycles=100000,
                     frequencies_hz=[0.5 + 0.1 * i for i in range(400)], progress=tell)

    def test_nothing_is_kept(self):
        def once():
            fit = kdyn.fit.elastomer("data/cab_mount/x_map.csv", progress=False)
            law = fit.model
            law.dynamic_stiffness(np.linspace(1, 50, 2000), 1e-3)
            law.simulate(np.linspace(0, 1, 2000), np.zeros(2000))
            pickle.loads(pickle.dumps(fit))
            try:
                kdyn.fit.elastomer("not_there.csv", progress=False)
            except kdyn.Error:
                pass

        for _ in range(10):
            once()
        gc.collect()
        before, objects = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, len(gc.get_objects())
        for _ in range(60):
            once()
        gc.collect()
        # A fit's report alone is 0.5 MB: sixty kept ones would be 30 MB.
        self.assertLess(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, 12 * 1024)
        self.assertLess(len(gc.get_objects()) - objects, 300)


if __name__ == "__main__":
    unittest.main()
