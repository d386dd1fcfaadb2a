# SPDX-License-Identifier: Apache-2.0
"""Small pictures for notebooks, without other packages."""
from __future__ import annotations

import math
from typing import Any, Mapping, Sequence

_colours = ("#1b6ca8", "#d1495b", "#3a7d44", "#8e6c8a", "#e08e0b", "#4c6a92", "#7a5c3e", "#2a9d8f")
_width, _height, _left, _bottom = 420, 240, 52, 34


def _rows(found: Any) -> list[Mapping[str, Any]]:
    rows = found if isinstance(found, list) else found.get("rows", []) if isinstance(found, Mapping) else []
    return [row for row in rows if isinstance(row, Mapping) and row.get("frequency_hz") and row.get("k_dyn")]


def _levels(values: Sequence[float], gap: float) -> list[int]:
    """Number of the level each value belongs to: a new one begins where sorted values jump by more than the gap (relative)."""
    order = sorted(range(len(values)), key=lambda i: values[i])
    out, level = [0] * len(values), 0
    for before, i in zip([order[0], *order], order):
        if values[i] > values[before] * (1.0 + gap):
            level += 1
        out[i] = level
    return out


def map_svg(found: Any) -> str:
    """Stiffness over frequency: points are measured, lines are the model, one colour for each amplitude."""
    rows = _rows(found)
    model = next((key for key in ("k_dyn_model", "k_dyn_fit", "model_k_dyn") if rows and key in rows[0]), None)
    amplitude = next((key for key in ("nominal_amplitude_m", "amplitude_m", "amplitude_rad") if rows and key in rows[0]), None)
    if not rows or amplitude is None:
        return ""
    levels = _levels([row[amplitude] for row in rows], 0.12)
    loads = [row.get("preload_n", row.get("preload_nm", 0.0)) or 0.0 for row in rows]
    widest = max(abs(load) for load in loads)
    load_levels = _levels([load + 2.0 * widest for load in loads], 0.04) if widest > 0.0 else [0] * len(rows)
    curves: dict[tuple[int, int], list[Mapping[str, Any]]] = {}
    for row, level, load in zip(rows, levels, load_levels):
        curves.setdefault((level, load), []).append(row)
    xs = [math.log10(row["frequency_hz"]) for row in rows]
    ys = [row[key] for row in rows for key in ("k_dyn", model) if key and row.get(key)]
    x0, x1 = min(xs), max(max(xs), min(xs) + 1e-9)
    tick = min((t for t in (d * 10.0 ** e for e in range(-3, 12) for d in (1, 2, 5)) if 5 * t >= max(ys)), default=max(ys))
    y1 = tick * math.ceil(1.02 * max(ys) / tick)

    def at(row: Mapping[str, Any], key: str) -> tuple[float, float]:
        x = (math.log10(row["frequency_hz"]) - x0) / (x1 - x0)
        return _left + x * (_width - _left - 8), (_height - _bottom) * (1.0 - row[key] / y1) + 6

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{_width + 60}" height="{_height}" font-family="sans-serif" font-size="11">',
             f'<path d="M{_left} 6V{_height - _bottom + 6}H{_width - 8}" fill="none" stroke="#888"/>']
    for step in range(round(y1 / tick) + 1):
        y = (_height - _bottom) * (1 - step * tick / y1) + 6
        parts.append(f'<text x="{_left - 5}" y="{y + 4:.1f}" text-anchor="end">{step * tick / 1e3:.4g}</text>')
    for decade in range(math.floor(x0), math.ceil(x1) + 1):
        for digit in (1, 2, 5):
            value = digit * 10.0 ** decade
            if x0 <= math.log10(value) <= x1:
                x = _left + (math.log10(value) - x0) / (x1 - x0) * (_width - _left - 8)
                parts.append(f'<text x="{x:.1f}" y="{_height - _bottom + 20}" text-anchor="middle">{value:g}</text>')
    parts.append(f'<text x="{_left}" y="{_height - 3}">frequency, Hz; stiffness, kN/m; points measured (hollow: left out), lines model</text>')
    for (level, _), curve in sorted(curves.items(), key=lambda one: one[0]):
        colour = _colours[level % len(_colours)]
        for row in curve:
            x, y = at(row, "k_dyn")
            fill = colour if row.get("used", True) else "none"
            parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.2" fill="{fill}" stroke="{colour}"/>')
        if model:
            line: Sequence[tuple[float, float]] = [at(row, model) for row in sorted(curve, key=lambda r: r["frequency_hz"]) if row.get(model)]
            parts.append(f'<polyline points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in line)}" fill="none" stroke="{colour}"/>')
    for level in sorted(set(levels)):
        middle = sorted(row[amplitude] for row, one in zip(rows, levels) if one == level)
        value = middle[len(middle) // 2]
        name = f"{math.degrees(value):.2g}°" if amplitude.endswith("rad") else f"{1e3 * value:.2g} mm"
        parts.append(f'<text x="{_width - 4}" y="{16 + 14 * level}" fill="{_colours[level % len(_colours)]}">{name}</text>')
    return "".join(parts) + "</svg>"
