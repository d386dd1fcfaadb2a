#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes data/bench_workbook/cab_mount.xlsx: the maps and static loops of data/cab_mount as a workbook, as benches export them.

Six sheets, a map and a static loop for each direction, with head lines above the table and units in the column names. Written by openpyxl,
so that the file is not one of kdyn's own. Run it after tools/make_cab_mount.py.
"""
import csv
import datetime
import pathlib

import openpyxl
from openpyxl.styles import Font

HERE = pathlib.Path(__file__).resolve().parent.parent
MAP = {"frequency_hz": "Frequency [Hz]", "amplitude_mm": "Amplitude [mm]", "preload_n": "Preload [N]", "k_dyn_n_per_mm": "Kdyn [N/mm]",
       "loss_angle_deg": "Loss angle [deg]"}
LOOP = {"displacement_mm": "Displacement [mm]", "force_n": "Force [N]"}


def main():
    book = openpyxl.Workbook()
    book.remove(book.active)
    for direction in "xyz":
        for kind, names in (("map", MAP), ("static", LOOP)):
            with open(HERE / "data" / "cab_mount" / f"{direction}_{kind}.csv", encoding="utf-8") as file:
                rows = list(csv.reader(line for line in file if not line.startswith("#")))
            sheet = book.create_sheet(f"{direction} {kind}")
            sheet.append(["Part", "cab mount 4711"])
            sheet.append(["Direction", direction])
            sheet.append([])
            keep = [i for i, name in enumerate(rows[0]) if name in names]
            sheet.append([names[rows[0][i]] for i in keep])
            for cell in sheet[4]:
                cell.font = Font(bold=True)
            for row in rows[1:]:
                sheet.append([float(row[i]) for i in keep])
    # A fixed date: equal content gives an equal file as far as openpyxl allows.
    book.properties.created = book.properties.modified = datetime.datetime(2026, 1, 1)
    book.save(HERE / "data" / "bench_workbook" / "cab_mount.xlsx")


if __name__ == "__main__":
    main()
