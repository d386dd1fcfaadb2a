#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A model file in other hands: as C source in a small program of one's own, and as FMU driven from outside and compared with kdyn.
#
# Sample runs:
#   examples/export_mount.sh out/export
set -eu
out=${1:-out/export}
here=$(dirname "$0")

kdyn export data/cab_mount/z_truth.json --to c --out "$out/c"
cc -std=c99 -O2 -I "$out/c" -c -o "$out/c/mass_on_mount.o" "$here/mass_on_mount.c"
c++ -std=c++17 -O2 -o "$out/c/mass_on_mount" "$out/c/mass_on_mount.o" "$out/c/mount.cpp"
"$out/c/mass_on_mount"

kdyn export data/cab_mount/z_truth.json --to fmu2 --out "$out/fmu2"
python3 "$here/run_fmu.py" "$out/fmu2/mount.fmu" "$out/fmu2/mount_check.csv"
