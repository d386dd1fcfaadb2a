#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Multibody models with mount laws: the double mass of Vanpaemel et al. 2018, a flexible beam on two bushings, an engine on two hydro mounts and
# one elastomer mount, a block with sensors whose gains, offsets and delays are found with its mounts, and a flexible subframe whose 24 bushing
# stiffnesses are found again from noisy accelerations of two hammer strikes; a tyre over a cleat and one that is steered.
#
# Sample runs:
#   examples/multibody.sh out/multibody
set -eu
out=${1:-out/multibody}
models=examples/multibody
kdyn simulate $models/double_mass.json --out "$out/double_mass"
kdyn insitu $models/double_mass.json --data "$out/double_mass/series.csv" --signals m2.position.x \
  --start b1.fx.stiffness=1000,b1.fx.damping=2,b2.fx.stiffness=500,b2.fx.damping=1 --out "$out/double_mass_insitu"
kdyn simulate $models/beam_on_bushings.json --out "$out/beam"
kdyn simulate $models/engine.json --duration-s 0.3 --out "$out/engine"
kdyn simulate $models/axle.json --out "$out/axle"
kdyn simulate $models/cleat.json --out "$out/cleat"
kdyn simulate $models/tyre_sweep.json --out "$out/tyre_sweep"
kdyn simulate $models/skyhook.json --out "$out/skyhook"
kdyn simulate $models/winch.json --out "$out/winch"
kdyn modes $models/engine.json --out "$out/engine_modes"
kdyn modes $models/subframe.json --lines 200 --out "$out/subframe_modes"
kdyn simulate $models/beam_on_bushings.json --step-s 0.002 --step-tolerance 1e-7 --out "$out/beam_chosen_steps"
kdyn simulate $models/block.json --out "$out/block"
kdyn insitu $models/block_insitu.json --data "$out/block/series.csv" --out "$out/block_insitu"
kdyn simulate $models/subframe.json --out "$out/strike1"
kdyn simulate $models/subframe_second.json --out "$out/strike2"
mkdir -p "$out/job"
cp $models/subframe.json $models/subframe_second.json $models/subframe.fem $models/subframe_insitu.json "$out/job"
python3 $models/add_noise.py "$out/strike1/series.csv" "$out/job/measured1.csv" --seed 1 --columns corner side
python3 $models/add_noise.py "$out/strike2/series.csv" "$out/job/measured2.csv" --seed 2 --columns corner side
kdyn insitu "$out/job/subframe_insitu.json" --set check_gradient=false --out "$out/subframe_insitu"
