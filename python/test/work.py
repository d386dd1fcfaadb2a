# SPDX-License-Identifier: Apache-2.0
"""What the checks of leaks and races let the package do: every way in and out of the compiled part.

python work.py calls N: N rounds, then it ends. python work.py threads N: the same work in N threads at once, held against the work of one.
"""
import os
import pickle
import sys
import threading

import numpy as np

import kdyn
from kdyn import _kdyn

rubber = "data/cab_mount/z_truth.json"
hydro = "data/hydro_mount/truth.json"
f = np.linspace(1.0, 50.0, 40)
a = np.linspace(1e-5, 1e-3, 40)
t = np.linspace(0.0, 0.2, 200)
u = 1e-3 * np.sin(2 * np.pi * 10 * t)


def refused(function, *arguments, **options):
    try:
        function(*arguments, **options)
    except kdyn.Error as error:
        return str(error)
    raise AssertionError("nothing was refused")


def laws(rubber_law, hydro_law):
    """Cheap calls: arrays in and out, errors from inside, objects that are made and dropped."""
    out = []
    for law in (rubber_law, hydro_law):
        out += [law.dynamic_stiffness(f[:4], a[:4]), law.static_force(a), law.static_displacement([10.0, 100.0]), law.linear_stiffness(f, 10.0),
                law.simulate(t, u, inside=True)[0], np.array(list(law.parameters.values()))]
        stepper = law.stepper()
        out.append(np.array([stepper.step(x, 0.0, 1e-3) for x in u[:20]]))
        out.append(law.with_parameters({next(iter(law.parameters)): 1.1 * next(iter(law.parameters.values()))}).static_force(a))
    out.append(rubber_law.dynamic_stiffness(f, a, gradient=["rdl", "rho"])[1])
    out.append(rubber_law.dynamic_stiffness(np.resize(f, 6000), np.resize(a, 6000)))
    again = pickle.loads(pickle.dumps(rubber_law))
    out.append(again.dynamic_stiffness(f, a))
    words = [refused(rubber_law.dynamic_stiffness, [0.0], [1e-3]), refused(rubber_law.simulate, t[::-1], u), refused(kdyn.law, {"model": "nothing"}),
             refused(kdyn.read, "not_there.csv"), refused(kdyn.run, "fit elastomr", progress=False)]
    return out, words


def operations():
    """Dear calls: files read, fits with a progress function, results as objects."""
    told = []
    m = kdyn.read("data/cab_mount/x_map.csv", "data/cab_mount/x_static.csv")
    fit = kdyn.fit.elastomer(m, progress=lambda fraction, what: told.append(what))
    arrays = kdyn.fit.elastomer(kdyn.measurements(map=m.maps[0]), progress=False)
    described = _kdyn.describe()
    refused(kdyn.fit.elastomer, m, fix={"lambda": -1.0}, progress=False)
    assert all(isinstance(what, str) for what in told) and described["operations"]  # a quick fit may end before it tells anything
    return [np.array([p.value for p in one.parameters.values()]) for one in (fit, arrays)], pickle.loads(pickle.dumps(fit)).status


def same(one, other):
    return one[1] == other[1] and len(one[0]) == len(other[0]) and all(np.array_equal(x, y) for x, y in zip(one[0], other[0]))


def main(kind, count):
    rubber_law, hydro_law = kdyn.law(rubber), kdyn.law(hydro)
    if kind == "calls":
        for i in range(count):
            laws(rubber_law, hydro_law)
            if i % 50 == 0:
                operations()
        return
    expected = laws(rubber_law, hydro_law), operations()
    wrong = []

    def work():
        try:
            # The laws are shared by all threads.
            for _ in range(3):
                if not same(laws(rubber_law, hydro_law), expected[0]):
                    wrong.append("laws")
            if not same(operations(), expected[1]):
                wrong.append("operations")
        except BaseException as error:  # a thread that dies must not pass
            wrong.append(repr(error))

    threads = [threading.Thread(target=work) for _ in range(count)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert not wrong, wrong


if __name__ == "__main__":
    os.chdir(os.environ["KDYN_SOURCE"])
    main(sys.argv[1], int(sys.argv[2]))
    print("done", flush=True)
