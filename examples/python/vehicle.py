# SPDX-License-Identifier: Apache-2.0
# Tutorial: a car from free decays, ride comfort and durability. Run it in the folder that `kdyn example bump_test` writes.
# %% Masses, springs and dampers
import json

import kdyn

car = kdyn.vehicle("decays.csv", added_mass=[130, 250, 40, 4, 4, 5, 5])
truth = json.load(open("MANIFEST.json"))["truth"]
print(car.status)
for name, p in car.parameters.items():
    if name in truth:
        low, high = p.interval
        print(f"{name:4s} {p.value:10.4g} {p.unit:7s} {low:10.4g} ... {high:10.4g}   true {truth[name]:g}")

# %% Ride comfort and pseudo-damage before and after a change
change = kdyn.assess("drive_old.csv", compare="drive_new.csv")
print(change.status)
change.report("ride.html")

# %% What a test would tell, before it is made
plan = kdyn.vehicle(plan=True, added_mass=[130, 250, 40, 4, 4, 5, 5], target_percent=1)
print(plan.status)
