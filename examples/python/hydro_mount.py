# SPDX-License-Identifier: Apache-2.0
# Tutorial: a hydro mount, and what its map can see. Run it in the folder that `kdyn example hydro_mount` writes.
# %% Fit with the areas of the drawing
import kdyn
import numpy as np

fit = kdyn.fit.hydromount("map.csv", "static.csv", chamber_area=4.8e-3, channel_area=6.2e-5, fluid_density=1050)
print(fit.status)
for name, p in fit.parameters.items():
    if p.status == "free":
        low, high = p.interval
        print(f"{name:28s} {p.value:12.5g} {p.unit:8s} {low:12.5g} ... {high:12.5g}")

# %% The loss angle has its peak where the fluid swings
f = np.linspace(2, 40, 77)
for amplitude in (1e-4, 1e-3):
    k = fit.model.dynamic_stiffness(f, amplitude=amplitude)
    angle = np.degrees(np.angle(k))
    print(f"{1e3 * amplitude:g} mm: largest loss angle {angle.max():.1f} deg at {f[angle.argmax()]:.1f} Hz")

# %% Hand it on
fit.model.export("fmu2", out="fmu")
