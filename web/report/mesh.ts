// SPDX-License-Identifier: Apache-2.0
// The points, surfaces and lines of a picture in space, sorted for drawing.

import type { AnimationBlock } from "./model";
import type { Mesh } from "./surface";
import type { Vector } from "./view3d";

export interface Box {
  low: Vector;
  high: Vector;
  centre: Vector;
  size: number; // of its diagonal
}

// Of x y z after x y z; reduced by a loop, since large meshes have more points than a call may have arguments.
export function boxOf(places: ArrayLike<number>[]): Box {
  const low: Vector = [Infinity, Infinity, Infinity];
  const high: Vector = [-Infinity, -Infinity, -Infinity];
  for (const place of places)
    for (let i = 0; i < place.length; ++i) {
      low[i % 3] = Math.min(low[i % 3]!, place[i]!);
      high[i % 3] = Math.max(high[i % 3]!, place[i]!);
    }
  const centre = [0, 1, 2].map((axis) => (low[axis]! + high[axis]!) / 2) as Vector;
  return { low, high, centre, size: Math.hypot(...[0, 1, 2].map((axis) => high[axis]! - low[axis]!)) || 1 };
}

// A line between points of surfaces is an edge; one to anything else stands alone. Lines that connect bodies are left to the caller.
export function meshOf(block: AnimationBlock): Mesh {
  const onSurface = new Uint8Array(block.points.length / 3);
  for (const { triangles } of block.surfaces) for (const corner of triangles) onSurface[corner] = 1;
  const dashed = new Set(block.dashed);
  const edges: number[] = [];
  const wires: number[] = [];
  for (let i = 0; i < block.lines.length / 2; ++i) {
    if (dashed.has(i)) continue;
    const [a, b] = [block.lines[2 * i]!, block.lines[2 * i + 1]!];
    (onSurface[a] && onSurface[b] ? edges : wires).push(a, b);
  }
  return {
    points: new Float32Array(block.points),
    triangles: block.surfaces.map(({ triangles }) => new Uint32Array(triangles)),
    onSurface,
    edges: new Uint32Array(edges),
    wires: new Uint32Array(wires),
  };
}

// The point whose picture is nearest to a place on the screen, and nearest to the reader among those.
export function pointAt(seen: (i: number) => [number, number, number], count: number, x: number, y: number, reach = 10): number {
  let best = -1;
  let bestDepth = Infinity;
  for (let i = 0; i < count; ++i) {
    const [right, down, depth] = seen(i);
    if (Math.hypot(right - x, down - y) <= reach && depth < bestDepth) [best, bestDepth] = [i, depth];
  }
  return best;
}
