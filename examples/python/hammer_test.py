# SPDX-License-Identifier: Apache-2.0
# Tutorial: from hammer blows to modes to a flexible body. Run it in the folder that `kdyn example subframe` writes.
# %% Frequency responses
import json

import kdyn

frf = kdyn.frf("hits_1.uff", "hits_2.uff", geometry="points.uff", band_hz=[20, 280], out="out/frf")
print(frf["averages"], "averages")

# %% Modes
modes = kdyn.modal("out/frf/frf.uff", band_hz=[40, 270], out="out/modal")
truth = json.load(open("MANIFEST.json"))["truth"]["free"]
for pole, true in zip(modes["poles"], truth):
    print(f"{pole['frequency_hz']:8.2f} Hz ({true['frequency_hz']:.2f})   {100 * pole['damping']:.2f} % ({100 * true['damping']:.2f} %)")

# %% A flexible body with the shapes of the test at all points of the deck
body = kdyn.body(modes="out/modal/result.json", fe="frame.bdf", out="out/body")
print(body.status, len(body["modes"]), "modes")

# %% It moves: a blow on the subframe on its bushings
motion = kdyn.multibody("motion.json").simulate(signals=["corner.*"])
print(f"largest acceleration {abs(motion['corner.acceleration.z']).max():.0f} m/s^2")
