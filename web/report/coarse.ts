// SPDX-License-Identifier: Apache-2.0
// A coarser mesh on the same points, for pictures that move on slow graphics: points in one cell of a grid become one of them.

import { boxOf } from "./mesh";

const mostCells = 9_000; // that hold a point; about two triangles each

// Of surfaces on these points: triangles between cells, each with one of its points for a corner.
export function coarser(points: Float32Array, surfaces: Uint32Array[]): Uint32Array[] {
  const { low, high } = boxOf([points]);
  const extent = Math.max(...[0, 1, 2].map((axis) => high[axis]! - low[axis]!)) || 1;
  for (let cells = 160; ; cells = Math.floor(0.8 * cells)) {
    const found = clustered(points, surfaces, low, cells / extent, cells + 1);
    if (found.occupied <= mostCells || cells < 8) return found.surfaces;
  }
}

function clustered(points: Float32Array, surfaces: Uint32Array[], low: ArrayLike<number>, perLength: number, side: number): { surfaces: Uint32Array[]; occupied: number } {
  const first = new Map<number, number>(); // by cell: the point that stands for it
  const standsFor = new Int32Array(points.length / 3).fill(-1);
  const of = (point: number): number => {
    if (standsFor[point]! >= 0) return standsFor[point]!;
    const at = (axis: number) => Math.floor((points[3 * point + axis]! - low[axis]!) * perLength);
    const cell = (at(0) * side + at(1)) * side + at(2);
    if (!first.has(cell)) first.set(cell, point);
    return (standsFor[point] = first.get(cell)!);
  };
  const out = surfaces.map((corners) => {
    const kept: number[] = [];
    for (let i = 0; i < corners.length; i += 3) {
      const [a, b, c] = [of(corners[i]!), of(corners[i + 1]!), of(corners[i + 2]!)];
      if (a !== b && b !== c && c !== a) kept.push(a, b, c);
    }
    return new Uint32Array(kept);
  });
  return { surfaces: out, occupied: first.size };
}
