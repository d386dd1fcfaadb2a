#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A mount from the five numbers of a data sheet, then its dynamic stiffness on the virtual rig where the sheet says nothing.
#
# Sample runs:
#   examples/data_sheet.sh out/data_sheet
set -eu
out=${1:-out/data_sheet}
kdyn fit elastomer --out "$out/fit" --static-stiffness 338e3 --dynamic-hardening-1 1.314 --amplitude-1 1e-4 --dynamic-hardening-2 1.124 --amplitude-2 1e-3 \
  --loss-angle-deg 2.47 --layout-frequency-hz 10 --noise-k-dyn-rel 0.01 --noise-loss-angle-deg 0.1
kdyn rig "$out/fit/result.json" --out "$out/rig" --program map --frequencies-hz 5,10,20,40 --amplitudes-m 5e-5,2e-4,2e-3
cat "$out/rig/map.csv"
