#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Multibody models with mount laws: the double mass of Vanpaemel et al. 2018, an engine on hydro mounts, and the bushings of the double mass
# found again from the motion of one mass.
#
# Sample runs:
#   examples/multibody.sh out/multibody
set -eu
out=${1:-out/multibody}
kdyn simulate examples/multibody/double_mass.json --out "$out/double_mass"
kdyn simulate examples/multibody/engine.json --duration-s 0.2 --out "$out/engine"
kdyn insitu examples/multibody/double_mass.json --data "$out/double_mass/series.csv" --signals m2.position.x \
  --start b1.fx.stiffness=1000,b1.fx.damping=2,b2.fx.stiffness=500,b2.fx.damping=1 --out "$out/insitu"
