#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes data/subframe: a welded subframe in two tests, hung in soft cords and hit by a hammer, and on four bushings with a shaker.

    tools/make_subframe.py data/subframe

Tubes are Euler-Bernoulli beams with consistent mass, written here from textbook formulas; nothing of kdyn is used. The decks carry the
bushings of the drawing, the responses those of the part: TRUTH, also in MANIFEST.json. Hammer signals come from the modes by a long discrete
Fourier transform, so that force and accelerations belong to each other exactly before noise is added."""
import hashlib
import json
import struct
import sys
from pathlib import Path

import numpy as np
from scipy.linalg import eigh

# Square steel tube 40 x 40 x 2 mm.
E, POISSON, DENSITY = 2.1e11, 0.3, 7850.0
SIDE, WALL = 0.040, 0.002
AREA = SIDE**2 - (SIDE - 2 * WALL) ** 2
INERTIA = (SIDE**4 - (SIDE - 2 * WALL) ** 4) / 12
TORSION = (SIDE - WALL) ** 3 * WALL  # thin-walled: 4 Am^2 t / perimeter
G = E / (2 * (1 + POISSON))
LENGTH, WIDTH, CELLS = 0.90, 0.60, 6  # elements along each tube
RISE = 0.10  # the side tubes rise to the cross member: nothing is plane in such a part
CORNER_MASSES = [1.1, 0.9, 1.4, 1.2]  # brackets, kg; they break the symmetry
BUSHING_NOMINAL = [6.0e5, 6.0e5, 9.0e5, 900.0, 900.0, 600.0]  # N/m, N m/rad: the drawing
# Part over drawing, bushing by bushing; one of them is worn.
TRUTH = [[1.08, 0.93, 1.15, 1, 1, 1], [0.95, 1.06, 1.12, 1, 1, 1], [1.02, 0.98, 1.20, 1, 1, 1], [0.72, 0.70, 0.65, 1, 1, 1]]
BUSHINGS = ["front_left", "rear_left", "rear_right", "front_right"]
NOISE = 0.01
RATE, BLOCK = 800.0, 1024


def build():
    """Nodes {label: position}, elements [(label, a, b)], corners."""
    nodes, elements = {}, []
    labels = {}

    def node(x, y):
        key = (round(x, 6), round(y, 6))
        if key not in labels:
            labels[key] = len(labels) + 1
            nodes[labels[key]] = np.array([x, y, RISE * min(3 * x / LENGTH, 1.5 * (1 - x / LENGTH))])
        return labels[key]

    def tube(a, b):
        places = [np.array(a) + (np.array(b) - np.array(a)) * i / CELLS for i in range(CELLS + 1)]
        for p, q in zip(places, places[1:]):
            elements.append((len(elements) + 1, node(*p), node(*q)))

    corners = [(0, 0), (LENGTH, 0), (LENGTH, WIDTH), (0, WIDTH)]
    for a, b in zip(corners, corners[1:] + corners[:1]):
        tube(a, b)
    tube((LENGTH / 3, 0), (LENGTH / 3, WIDTH))  # cross member: off the middle, on a node of the long tubes
    return nodes, elements, [node(*c) for c in corners]


def beam(a, b):
    """Stiffness and mass of a square tube in global axes, u v w rx ry rz at each end."""
    axis = b - a
    length = np.linalg.norm(axis)
    x = axis / length
    y = np.cross([0.0, 0.0, 1.0], x)
    y /= np.linalg.norm(y)
    rotation = np.kron(np.eye(4), np.vstack([x, y, np.cross(x, y)]))
    k, m = np.zeros((12, 12)), np.zeros((12, 12))
    m0 = DENSITY * AREA * length
    for first, value, mass in ((0, E * AREA / length, m0), (3, G * TORSION / length, DENSITY * 2 * INERTIA * length)):
        at = np.ix_([first, first + 6], [first, first + 6])
        k[at] += value * np.array([[1, -1], [-1, 1]])
        m[at] += mass / 6 * np.array([[2, 1], [1, 2]])
    c = E * INERTIA / length**3
    bend = c * np.array([[12, 6 * length, -12, 6 * length], [6 * length, 4 * length**2, -6 * length, 2 * length**2],
                         [-12, -6 * length, 12, -6 * length], [6 * length, 2 * length**2, -6 * length, 4 * length**2]])
    inert = m0 / 420 * np.array([[156, 22 * length, 54, -13 * length], [22 * length, 4 * length**2, 13 * length, -3 * length**2],
                                 [54, 13 * length, 156, -22 * length], [-13 * length, -3 * length**2, -22 * length, 4 * length**2]])
    for rows, sign in (([1, 5, 7, 11], 1.0), ([2, 4, 8, 10], -1.0)):  # v with rz, w with -ry
        turn = np.diag([1, sign, 1, sign])
        k[np.ix_(rows, rows)] += turn @ bend @ turn
        m[np.ix_(rows, rows)] += turn @ inert @ turn
    return rotation.T @ k @ rotation, rotation.T @ m @ rotation


def matrices(nodes, elements, corners, bushings=None):
    size = 6 * len(nodes)
    k, m = np.zeros((size, size)), np.zeros((size, size))
    for _, a, b in elements:
        ke, me = beam(nodes[a], nodes[b])
        rows = [6 * (n - 1) + d for n in (a, b) for d in range(6)]
        k[np.ix_(rows, rows)] += ke
        m[np.ix_(rows, rows)] += me
    for corner, mass in zip(corners, CORNER_MASSES):
        for d in range(3):
            m[6 * (corner - 1) + d, 6 * (corner - 1) + d] += mass
    if bushings is not None:
        for corner, ratios in zip(corners, bushings):
            for d in range(6):
                k[6 * (corner - 1) + d, 6 * (corner - 1) + d] += BUSHING_NOMINAL[d] * ratios[d]
    return k, m


def deck(nodes, elements, corners, bushings):
    out = ["$ Welded subframe of square tubes 40 x 40 x 2 mm" + (", on four bushings. SI units." if bushings else ", free. SI units."), "$ Made by tools/make_subframe.py",
           "SOL 103", "CEND", *(["SPC = 1"] if bushings else []), "BEGIN BULK", "PARAM,COUPMASS,1"]
    number = lambda v: f"{v:.4E}".replace("E+0", "+").replace("E-0", "-").replace("E", "") if abs(v) >= 1e5 or 0 < abs(v) < 1e-2 else f"{v:g}" + ("." if float(v).is_integer() else "")
    for label, p in nodes.items():
        out.append(f"GRID,{label},,{p[0]:.5f},{p[1]:.5f},{p[2]:.5f}")
    for label, a, b in elements:
        out.append(f"CBAR,{label},1,{a},{b},0.,0.,1.")
    out.append(f"PBAR,1,1,{number(AREA)},{number(INERTIA)},{number(INERTIA)},{number(TORSION)}")
    out.append(f"MAT1,1,{number(E)},,{POISSON},{DENSITY:.1f}")
    for i, (corner, mass) in enumerate(zip(corners, CORNER_MASSES)):
        out.append(f"CONM2,{101 + i},{corner},,{mass}")
        if bushings:
            p = nodes[corner]
            out.append(f"GRID,{901 + i},,{p[0]:.5f},{p[1]:.5f},{p[2]:.5f}")
            out.append(f"SPC1,1,123456,{901 + i}")
            out.append(f"PBUSH,{201 + i},K," + ",".join(number(v) for v in BUSHING_NOMINAL))
            out.append(f"CBUSH,{301 + i},{201 + i},{corner},{901 + i},,,,0")
    return "\n".join(out + ["ENDDATA", ""])


def points_uff(nodes, points, traces):
    lines = ["    -1", "  2411"]
    for label in points:
        lines.append(f"{label:10d}{0:10d}{0:10d}{11:10d}")
        lines.append("".join(f"{v:25.16E}" for v in nodes[label]))
    lines.append("    -1")
    for n, trace in enumerate(traces, 1):
        lines += ["    -1", "    82", f"{n:10d}{len(trace):10d}{1:10d}", "subframe", "".join(f"{node:10d}" for node in trace), "    -1"]
    return "\n".join(lines) + "\n"


def dataset_58b(kind, response, reference, values, start, step, abscissa, ordinate, denominator=None):
    """One function; response and reference are (node, direction 1 2 3), axes (code, length exponent, force exponent, label, unit)."""
    axis = lambda a: f"{a[0]:10d}{a[1]:5d}{a[2]:5d}{0:5d} {a[3]:<20s} {a[4]:<20s}" if a else f"{0:10d}{0:5d}{0:5d}{0:5d} {'NONE':<20s} {'NONE':<20s}"
    is_complex = np.iscomplexobj(values)
    body = np.asarray(values, np.complex64 if is_complex else np.float32).tobytes()
    head = [f"{kind} of the subframe", "NONE", "01-MAR-26 10:00:00", "NONE", "NONE",
            f"{4 if is_complex else 1:5d}{0:10d}{0:5d}{0:10d} {'NONE':<10s}{response[0]:10d}{response[1]:4d} {'NONE':<10s}{reference[0]:10d}{reference[1]:4d}",
            f"{5 if is_complex else 2:10d}{len(values):10d}{1:10d}{start:13.5E}{step:13.5E}{0.0:13.5E}",
            axis(abscissa), axis(ordinate), axis(denominator), axis(None)]
    first = f"    -1\n    58b{1:6d}{2:6d}{11:12d}{len(body):12d}{0:6d}{0:6d}{0:12d}{0:12d}\n"
    return (first + "\n".join(head) + "\n").encode() + body + b"\n    -1\n"


TIME, HERTZ = (17, 0, 0, "Time", "s"), (18, 0, 0, "Frequency", "Hz")
ACCELERATION, FORCE = (12, 1, 0, "Acceleration", "m/s^2"), (13, 0, 1, "Force", "N")


def accelerance(omega, shapes, damping, out, source, s):
    """Rows: outputs. Rigid motions (omega 0) included."""
    total = np.zeros((len(out), len(s)), complex)
    for w, z, phi in zip(omega, damping, shapes.T):
        total += np.outer(phi[out] * phi[source], s**2 / (s**2 + 2 * z * w * s + w**2))
    return total


def modes_of(k, m, below_hz):
    values, shapes = eigh(k, m)
    omega = np.sqrt(np.maximum(values, 0.0))
    omega[omega < 2 * np.pi * 0.5] = 0.0
    keep = omega < 2 * np.pi * below_hz
    return omega[keep], shapes[:, keep]


def hammer(omega, shapes, damping, outputs, source, hits, dice):
    """Force and accelerations of several blows, one block each: arrays (samples,), (outputs, samples)."""
    long = 16 * BLOCK  # the decay ends long before the transform wraps around
    f = np.fft.rfftfreq(long, 1 / RATE)
    # The recorder's anti-aliasing filter: the same for all channels.
    filter_ = 1 / (1 + (f / 300.0) ** 16)
    force, response = [], []
    for hit in range(hits):
        t = np.arange(long) / RATE
        strength, width, start = 400 + 80 * dice.standard_normal(), 0.0035, 0.02
        pulse = np.where((t >= start) & (t < start + width), np.sin(np.pi * (t - start) / width), 0.0) * strength
        fine = np.linspace(start, start + width, 200)
        shape = np.sin(np.pi * (fine - start) / width) * strength
        spectrum = np.array([np.trapz(shape * np.exp(-2j * np.pi * one * fine), fine) for one in f[f < 420]]) * RATE
        spectrum = np.concatenate([spectrum, np.zeros(len(f) - len(spectrum))]) * filter_
        s = 2j * np.pi * f
        h = accelerance(omega, shapes, damping, outputs, source, np.where(f == 0, 1e-9j, s))
        force.append(np.fft.irfft(spectrum, long)[:BLOCK])
        response.append(np.fft.irfft(h * spectrum, long)[:, :BLOCK])
    force, response = np.concatenate(force), np.concatenate(response, axis=1)
    response += 0.003 * np.std(response, axis=1, keepdims=True) * dice.standard_normal(response.shape)
    return force + 0.02 * dice.standard_normal(force.shape), response


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    dice = np.random.default_rng(4711)
    nodes, elements, corners = build()
    at = lambda x, y: min(nodes, key=lambda n: np.hypot(nodes[n][0] - x, nodes[n][1] - y))
    points = sorted(set(corners + [at(LENGTH / 3, 0), at(LENGTH / 3, WIDTH), at(LENGTH / 3, WIDTH / 2), at(2 * LENGTH / 3, 0), at(2 * LENGTH / 3, WIDTH)]))
    outputs = [(n, d) for n in points for d in (1, 2, 3)]
    rows = [6 * (n - 1) + d - 1 for n, d in outputs]
    ring = [corners[0], at(LENGTH / 3, 0), at(2 * LENGTH / 3, 0), corners[1], corners[2], at(2 * LENGTH / 3, WIDTH), at(LENGTH / 3, WIDTH), corners[3], corners[0]]
    (folder / "points.uff").write_text(points_uff(nodes, points, [ring, [at(LENGTH / 3, 0), at(LENGTH / 3, WIDTH / 2), at(LENGTH / 3, WIDTH)]]))
    (folder / "frame.bdf").write_text(deck(nodes, elements, corners, False))
    (folder / "on_bushings.bdf").write_text(deck(nodes, elements, corners, True))

    # Test 1: free, hammer.
    k, m = matrices(nodes, elements, corners)
    omega, shapes = modes_of(k, m, 600.0)
    damping = np.where(omega > 0, 0.004 + 0.004 * dice.random(len(omega)), 0.0)
    free = [{"frequency_hz": round(w / 2 / np.pi, 4), "damping": round(z, 6)} for w, z in zip(omega, damping) if 0 < w < 2 * np.pi * 320]
    for number, (node, direction, hits) in enumerate([(corners[2], 3, 3), (corners[0], 2, 3)], 1):
        force, response = hammer(omega, shapes, damping, rows, 6 * (node - 1) + direction - 1, hits, dice)
        text = dataset_58b("Hammer", (node, direction), (0, 0), force, 0.0, 1 / RATE, TIME, FORCE)
        for (n, d), signal in zip(outputs, response):
            text += dataset_58b("Acceleration", (n, d), (0, 0), signal, 0.0, 1 / RATE, TIME, ACCELERATION)
        (folder / f"hits_{number}.uff").write_bytes(text)

    # Test 2: on bushings, shaker at four places.
    k, m = matrices(nodes, elements, corners, TRUTH)
    omega, shapes = modes_of(k, m, 1500.0)
    damping = 0.006 + 0.006 * dice.random(len(omega))
    mounted = [{"frequency_hz": round(w / 2 / np.pi, 4), "damping": round(z, 6)} for w, z in zip(omega, damping) if w < 2 * np.pi * 320]
    lines = np.arange(30.0, 300.0 + 0.5, 1.0)
    text = b""
    for node, direction in [(corners[2], 3), (corners[0], 1), (corners[1], 2), (corners[3], 3)]:
        h = accelerance(omega, shapes, damping, rows, 6 * (node - 1) + direction - 1, 2j * np.pi * lines)
        level = NOISE / np.sqrt(2) * np.sqrt(np.mean(abs(h) ** 2, axis=1, keepdims=True))
        h = h + level * (dice.standard_normal(h.shape) + 1j * dice.standard_normal(h.shape))
        for (n, d), one in zip(outputs, h):
            text += dataset_58b("Frequency response", (n, d), (node, direction), one, lines[0], lines[1] - lines[0], HERTZ, ACCELERATION, FORCE)
    (folder / "frf.uff").write_bytes(text)

    job = {"title": "Subframe on four bushings", "model": ["on_bushings.bdf"], "data": ["frf.uff"],
           "parameters": [{"kind": "spring", "name": f"{name}_{axis}", "labels": [301 + i], "component": axis, "lower": -0.6, "upper": 1.5}
                          for i, name in enumerate(BUSHINGS) for axis in "xz"]
           # Left and right move alike along y, since the tube between them is stiff: the data show their sum.
           + [{"kind": "spring", "name": f"{name}_y", "labels": labels, "component": "y", "lower": -0.6, "upper": 1.5} for name, labels in (("front", [301, 304]), ("rear", [302, 303]))],
           "band_hz": [30, 290], "validation": [f"{at(2 * LENGTH / 3, WIDTH)}"], "starts": 3}
    (folder / "job.json").write_text(json.dumps(job, indent=1) + "\n")

    bushing = lambda i: {"name": f"b{i + 1}", "markers": [{"body": "ground", "position": [float(v) for v in nodes[corners[i]]]}, {"body": "subframe", "node": corners[i]}],
                         "laws": {axis: {"model": "kelvin_voigt", "parameters": {"stiffness": value, "damping": value * 2e-5}}
                                  for axis, value in zip(("fx", "fy", "fz", "tx", "ty", "tz"), BUSHING_NOMINAL)}}
    motion = {"title": "Subframe with the modes of its test, on four bushings",
              "run": {"step_s": 2e-4, "duration_s": 0.25, "rho_infinity": 0.8},
              "bodies": [{"name": "subframe", "flexible": {"file": "out/body/body.json"}}],
              "markers": [{"name": "corner", "body": "subframe", "node": corners[2]}],
              "bushings": [bushing(i) for i in range(4)],
              "loads": [{"name": "blow", "marker": "corner", "force": [0, 0, [[0, 0], [0.01, 0], [0.0115, 300], [0.013, 0], [1, 0]]]}]}
    (folder / "motion.json").write_text(json.dumps(motion, indent=1) + "\n")

    manifest = {"name": "subframe", "origin": "synthetic: tools/make_subframe.py", "licence": "Apache-2.0", "units": "SI: m, kg, s, N",
                "noise": "hammer test: 0.3 % of the rms of each acceleration, 0.02 N; responses: 1 % of the rms of each channel",
                "truth": {"free": free, "on_bushings": mounted, "mass_kg": round(float(m[0::6, 0::6].sum()), 6),
                          "stiffness": {f"{name}_{axis}": round(BUSHING_NOMINAL[d] * TRUTH[i][d], 3) for i, name in enumerate(BUSHINGS) for d, axis in enumerate("xyz")}},
                "files": [{"file": p.name, "sha256": hashlib.sha256(p.read_bytes()).hexdigest()} for p in sorted(folder.iterdir()) if p.name != "MANIFEST.json"]}
    (folder / "MANIFEST.json").write_text(json.dumps(manifest, indent=1) + "\n")


if __name__ == "__main__":
    main()
