# SPDX-License-Identifier: Apache-2.0
# Tutorial: bushings of a subframe by updating. Run it in the folder that `kdyn example subframe` writes.
# %% What the deck says before
import json

import kdyn

before = kdyn.structure("on_bushings.bdf").modes(10)
print("deck:", [round(f, 1) for f in before["frequencies_hz"][:7]])

# %% Update
update = kdyn.update("job.json", out="out/updated")
print(update.status)

# %% Which bushing is worn?
truth = json.load(open("MANIFEST.json"))["truth"]["stiffness"]
for name, p in update.parameters.items():
    low, high = p.interval
    true = f"{truth[name]:.4g}" if name in truth else "left and right together"
    print(f"{name:14s} {p.value:10.4g} {p.unit:8s} {low:10.4g} ... {high:10.4g}   true {true}")

# %% The updated deck
after = kdyn.structure("out/updated/updated/on_bushings.bdf").modes(10)
print("updated:", [round(f, 1) for f in after["frequencies_hz"][:7]])
