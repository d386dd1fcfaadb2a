# SPDX-License-Identifier: Apache-2.0
# Tutorial: from the workbook of a bench to a bushing model. Run it in the folder that `kdyn example bench_workbook` writes.
# %% What is in the workbook
import kdyn

measured = kdyn.read("cab_mount.xlsx")
for table in measured.maps:
    print(f"{len(table.frequency_hz)} points, {table.frequency_hz.min():g} to {table.frequency_hz.max():g} Hz")

# %% All directions in one fit
bushing = kdyn.fit.bushing("cab_mount.xlsx")
print(bushing.status)
bushing.report("bushing.html")

# %% One direction: stiffness over frequency and amplitude
law = bushing.model["fz"]
stiffness = law.dynamic_stiffness([5, 15, 30], amplitude=5e-4)
print(abs(stiffness) / 1e3, "N/mm")

# %% Does it predict? The softest and the hardest amplitude of the map, from the law alone
soft, hard = (abs(law.dynamic_stiffness([15], amplitude=a))[0] for a in (2e-3, 1e-4))
assert hard > soft, "rubber hardens when the amplitude falls"

# %% Files for other programs
bushing.model.export("bus", out="adams")
bushing.model.export("fmu3", out="fmu")
