# SPDX-License-Identifier: Apache-2.0
# Tutorial: engine mounts found in the car. Run it in the folder that `kdyn example engine` writes.
# %% What the drawing predicts
import kdyn

drawing = kdyn.multibody("engine.json").modes()
print("drawing:", [round(m["frequency_hz"], 2) for m in drawing["modes"]])

# %% Mounts from the accelerations
mounts = kdyn.insitu("job.json", out="out/mounts")
print(mounts.status)
for name, p in mounts.parameters.items():
    if name.endswith("stiffness"):
        low, high = p.interval
        print(f"{name:22s} {p.value / 1e3:8.1f} N/mm  {low / 1e3:8.1f} ... {high / 1e3:8.1f}")

# %% Modes with the mounts that were found
found = kdyn.multibody("out/mounts/model.json").modes()
print("found:  ", [round(m["frequency_hz"], 2) for m in found["modes"]])

# %% A cable is connected the wrong way: it is named
wrong = kdyn.insitu("job.json", data=["reversed.csv"])
print(wrong.status, [f["message"] for f in wrong.findings if f["code"] == "channel_sign"])
