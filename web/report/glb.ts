// SPDX-License-Identifier: Apache-2.0
// A picture as binary glTF 2.0 for other viewers: surfaces and lines, and the chosen shape as a morph target that swings.

import type { Mesh } from "./surface";

// `shape`: displacements that are drawn at amplitude 1, already scaled; null for a structure at rest.
export function glb(mesh: Mesh, shape: Float32Array | null, seconds: number): Blob {
  const chunks: Uint8Array[] = [];
  const views: object[] = [];
  const accessors: object[] = [];
  let length = 0;
  const add = (data: Float32Array | Uint32Array, type: "SCALAR" | "VEC3", target?: number): number => {
    views.push({ buffer: 0, byteOffset: length, byteLength: data.byteLength, ...(target ? { target } : {}) });
    chunks.push(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
    length += data.byteLength;
    const width = type === "VEC3" ? 3 : 1;
    const bounds = (pick: (a: number, b: number) => number, from: number) =>
      Array.from({ length: width }, (_, axis) => {
        let found = from;
        for (let i = axis; i < data.length; i += width) found = pick(found, data[i]!);
        return found;
      });
    accessors.push({ bufferView: views.length - 1, componentType: data instanceof Float32Array ? 5126 : 5125, count: data.length / width, type, min: bounds(Math.min, Infinity), max: bounds(Math.max, -Infinity) });
    return accessors.length - 1;
  };
  const position = add(mesh.points, "VEC3", 34962);
  const target = shape ? add(shape, "VEC3", 34962) : -1;
  const targets = shape ? { targets: [{ POSITION: target }] } : {};
  const primitives: object[] = [];
  for (const triangles of mesh.triangles) if (triangles.length > 0) primitives.push({ attributes: { POSITION: position }, indices: add(triangles, "SCALAR", 34963), mode: 4, material: 0, ...targets });
  for (const lines of [mesh.edges, mesh.wires]) if (lines.length > 0) primitives.push({ attributes: { POSITION: position }, indices: add(lines, "SCALAR", 34963), mode: 1, material: 1, ...targets });
  const animations: object[] = [];
  if (shape) {
    const steps = 24;
    const times = Float32Array.from({ length: steps + 1 }, (_, i) => (seconds * i) / steps);
    const weights = Float32Array.from({ length: steps + 1 }, (_, i) => Math.cos((2 * Math.PI * i) / steps));
    animations.push({
      samplers: [{ input: add(times, "SCALAR"), output: add(weights, "SCALAR"), interpolation: "LINEAR" }],
      channels: [{ sampler: 0, target: { node: 0, path: "weights" } }],
    });
  }
  const document = {
    asset: { version: "2.0", generator: "kdyn" },
    scene: 0,
    scenes: [{ nodes: [0] }],
    // glTF has y up, measurements have z up.
    nodes: [{ mesh: 0, rotation: [-Math.SQRT1_2, 0, 0, Math.SQRT1_2] }],
    meshes: [{ primitives, ...(shape ? { weights: [0] } : {}) }],
    materials: [
      { pbrMetallicRoughness: { baseColorFactor: [0.27, 0.5, 0.72, 1], metallicFactor: 0.1, roughnessFactor: 0.7 }, doubleSided: true },
      { pbrMetallicRoughness: { baseColorFactor: [0.1, 0.12, 0.15, 1], metallicFactor: 0, roughnessFactor: 1 } },
    ],
    ...(animations.length > 0 ? { animations } : {}),
    buffers: [{ byteLength: length }],
    bufferViews: views,
    accessors,
  };
  let text = JSON.stringify(document);
  while (new TextEncoder().encode(text).length % 4 !== 0) text += " ";
  const json = new TextEncoder().encode(text);
  const head = (values: number[]) => new Uint8Array(Uint32Array.from(values).buffer);
  const parts = [head([0x46546c67, 2, 12 + 8 + json.length + 8 + length]), head([json.length, 0x4e4f534a]), json, head([length, 0x004e4942]), ...chunks];
  return new Blob(parts as BlobPart[], { type: "model/gltf-binary" });
}
