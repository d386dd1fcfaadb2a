// SPDX-License-Identifier: Apache-2.0
// Shaded surfaces and lines with hidden parts hidden, by WebGL 2. One context serves all pictures of a page, since browsers allow few; it draws
// into a canvas of its own, which is copied into the picture. Shapes move in the vertex shader, so that large meshes stay quick.

import { coarser } from "./coarse";
import type { Vector } from "./view3d";

export interface Mesh {
  points: Float32Array; // x y z of each point
  triangles: Uint32Array[]; // of each surface
  onSurface: Uint8Array; // of each point: 1 where a triangle has it
  edges: Uint32Array; // pairs: thin lines on surfaces
  wires: Uint32Array; // pairs: lines that are on no surface, drawn thick
}

export interface Look {
  width: number; // CSS pixels
  height: number;
  density: number;
  rows: [Vector, Vector, Vector]; // right, up and away from the reader
  centre: Vector;
  scale: number; // pixels per unit of length
  size: number; // of the scene, for the depth
  phase: number;
  deflection: number; // times the shape
  largest: number; // displacement of the shape: the end of the colour bar
  coloured: boolean; // by displacement; else each surface in its own colour
  shown: boolean[]; // surfaces
  cut: { axis: number; at: number } | null; // what lies beyond is not drawn
  sequence: string[]; // colours of displacement, small to large
  own: string[]; // colours of surfaces, softened by the first colour of the sequence
  ink: string; // of edges
  ghost: string | null; // lines at rest; null: none
  moving: boolean; // one of many pictures in a row: quick counts more than fine
}

const largeFrom = 40_000; // triangles
const slowFrom = 20; // ms for one picture

const vertexSource = `#version 300 es
in vec3 at, re, im, otherAt, otherRe, otherIm;
in float side;
uniform mat3 view;
uniform vec3 centre;
uniform vec3 fit;
uniform vec2 pixels;
uniform float c, s, deflection, largest, nudge, thick;
out vec3 seen, placed;
out float moved;
vec3 place(vec3 p, vec3 a, vec3 b) { return view * (p - centre + deflection * (a * c - b * s)); }
void main() {
  seen = place(at, re, im);
  placed = at;
  moved = sqrt(dot(re, re) + dot(im, im)) / largest;
  vec3 clip = seen * fit;
  if (thick > 0.0) {
    vec2 along = (place(otherAt, otherRe, otherIm) * fit - clip).xy * pixels;
    float length2 = dot(along, along);
    vec2 across = length2 > 1e-12 ? vec2(-along.y, along.x) * inversesqrt(length2) : vec2(0.0);
    clip.xy += side * thick * across / pixels;
  }
  gl_Position = vec4(clip.xy, clip.z - nudge, 1.0);
}`;

const fragmentSource = `#version 300 es
precision highp float;
in vec3 seen, placed;
in float moved;
uniform sampler2D sequence;
uniform vec4 own;
uniform vec4 cut;
uniform bool byMotion, lit;
out vec4 colour;
void main() {
  if (dot(placed, cut.xyz) > cut.w) discard;
  vec3 base = byMotion ? texture(sequence, vec2(clamp(moved, 0.0, 1.0), 0.5)).rgb : own.rgb;
  float light = 1.0;
  if (lit) {
    vec3 n = normalize(cross(dFdx(seen), dFdy(seen)));
    light = 0.55 + 0.45 * abs(dot(n, normalize(vec3(-0.35, 0.55, -1.0))));
  }
  colour = vec4(base * light * own.a, own.a);
}`;

class Painter {
  readonly canvas = document.createElement("canvas");
  readonly gl: WebGL2RenderingContext;
  readonly program: WebGLProgram;
  private readonly places = new Map<string, WebGLUniformLocation | null>();
  private readonly ramp: WebGLTexture;
  private rampOf = "";

  constructor() {
    const gl = this.canvas.getContext("webgl2", { antialias: true, alpha: true, premultipliedAlpha: true });
    if (!gl) throw new Error("no WebGL 2");
    this.gl = gl;
    this.program = gl.createProgram()!;
    for (const [kind, source] of [
      [gl.VERTEX_SHADER, vertexSource],
      [gl.FRAGMENT_SHADER, fragmentSource],
    ] as const) {
      const shader = gl.createShader(kind)!;
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader) ?? "shader");
      gl.attachShader(this.program, shader);
    }
    attributes.forEach((name, i) => gl.bindAttribLocation(this.program, i, name));
    gl.linkProgram(this.program);
    if (!gl.getProgramParameter(this.program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(this.program) ?? "program");
    this.ramp = gl.createTexture()!;
  }

  place(name: string): WebGLUniformLocation | null {
    if (!this.places.has(name)) this.places.set(name, this.gl.getUniformLocation(this.program, name));
    return this.places.get(name)!;
  }

  colours(sequence: string[]): void {
    const { gl } = this;
    gl.bindTexture(gl.TEXTURE_2D, this.ramp);
    if (this.rampOf === sequence.join()) return;
    this.rampOf = sequence.join();
    const bytes = new Uint8Array(sequence.flatMap((one) => [...rgb(one), 255]));
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, sequence.length, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
  }
}

const attributes = ["at", "re", "im", "otherAt", "otherRe", "otherIm", "side"];

// #rrggbb as in the theme.
function rgb(colour: string): [number, number, number] {
  const value = parseInt(colour.trim().slice(1, 7), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

// Halfway to the other one: large areas want quiet colours.
function soft(colour: string, towards: string): string {
  const [a, b] = [rgb(colour), rgb(towards)];
  return "#" + a.map((part, i) => Math.round((part + b[i]!) / 2).toString(16).padStart(2, "0")).join("");
}

let shared: Painter | null | undefined;

// Nothing where the browser has no WebGL: pictures are then drawn as wire frames.
function painter(): Painter | null {
  if (shared === undefined || shared?.gl.isContextLost()) {
    try {
      shared = new Painter();
    } catch {
      shared = null;
    }
  }
  return shared;
}

export class Surface {
  private painter: Painter | null = null;
  private points: { array: WebGLVertexArrayObject; buffers: WebGLBuffer[] } | null = null;
  private thick: { array: WebGLVertexArrayObject; buffers: WebGLBuffer[]; index: WebGLBuffer; count: number } | null = null;
  private triangles: { index: WebGLBuffer; count: number }[] = [];
  private coarse: { index: WebGLBuffer; count: number }[] | null = null;
  private edges: { index: WebGLBuffer; count: number } | null = null;
  private readonly isLarge: boolean;
  private cost = Infinity; // ms, the least of the pictures that were timed
  private timed = 0;
  private real: Float32Array;
  private imaginary: Float32Array;

  constructor(private readonly mesh: Mesh) {
    this.real = new Float32Array(mesh.points.length);
    this.imaginary = new Float32Array(mesh.points.length);
    this.isLarge = mesh.triangles.reduce((sum, { length }) => sum + length, 0) > 3 * largeFrom;
  }

  static get possible(): boolean {
    return painter() !== null;
  }

  setShape(real: ArrayLike<number>, imaginary: ArrayLike<number>): void {
    this.real.fill(0);
    this.imaginary.fill(0);
    this.real.set(real);
    this.imaginary.set(imaginary);
    if (this.painter) this.upload([1, 2]);
  }

  // Where the points are now, of a motion over time.
  setPoints(points: Float32Array): void {
    this.mesh.points.set(points);
    if (this.painter) this.upload([0]);
  }

  // Builds what the graphics card holds; again after its context was lost.
  private prepare(): boolean {
    const now = painter();
    if (!now) return false;
    if (this.painter === now) return true;
    this.painter = now;
    const { gl } = now;
    const buffers = (count: number) => Array.from({ length: count }, () => gl.createBuffer()!);
    const index = (data: Uint32Array) => {
      const buffer = gl.createBuffer()!;
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, buffer);
      gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, data, gl.STATIC_DRAW);
      return buffer;
    };
    gl.bindVertexArray(null);
    this.coarse = null;
    this.points = { array: gl.createVertexArray()!, buffers: buffers(3) };
    this.triangles = this.mesh.triangles.map((data) => ({ index: index(data), count: data.length }));
    this.edges = { index: index(this.mesh.edges), count: this.mesh.edges.length };
    const lines = this.mesh.wires.length / 2;
    const corners = new Uint32Array(6 * lines);
    for (let i = 0; i < lines; ++i) corners.set([4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 1, 4 * i + 3, 4 * i + 2], 6 * i);
    this.thick = { array: gl.createVertexArray()!, buffers: buffers(7), index: index(corners), count: corners.length };
    const bind = (array: WebGLVertexArrayObject, list: WebGLBuffer[]) => {
      gl.bindVertexArray(array);
      list.forEach((buffer, i) => {
        gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
        gl.enableVertexAttribArray(i);
        gl.vertexAttribPointer(i, i === 6 ? 1 : 3, gl.FLOAT, false, 0, 0);
      });
    };
    this.upload([0, 1, 2]);
    bind(this.points.array, this.points.buffers);
    const sides = new Float32Array(4 * lines);
    for (let i = 0; i < lines; ++i) sides.set([1, -1, -1, 1], 4 * i); // the far end looks back: its sides are exchanged
    gl.bindBuffer(gl.ARRAY_BUFFER, this.thick.buffers[6]!);
    gl.bufferData(gl.ARRAY_BUFFER, sides, gl.STATIC_DRAW);
    bind(this.thick.array, this.thick.buffers);
    gl.bindVertexArray(null);
    return true;
  }

  private upload(which: number[]): void {
    const { gl } = this.painter!;
    const sources = [this.mesh.points, this.real, this.imaginary];
    const { wires } = this.mesh;
    for (const i of which) {
      const source = sources[i]!;
      gl.bindBuffer(gl.ARRAY_BUFFER, this.points!.buffers[i]!);
      gl.bufferData(gl.ARRAY_BUFFER, source, gl.DYNAMIC_DRAW);
      // A thick line has two corners at each end; each corner knows its own end and the other one.
      const own = new Float32Array(6 * wires.length);
      const other = new Float32Array(6 * wires.length);
      for (let line = 0; line < wires.length / 2; ++line)
        for (let corner = 0; corner < 4; ++corner) {
          const [a, b] = corner < 2 ? [wires[2 * line]!, wires[2 * line + 1]!] : [wires[2 * line + 1]!, wires[2 * line]!];
          for (let axis = 0; axis < 3; ++axis) {
            own[3 * (4 * line + corner) + axis] = source[3 * a + axis]!;
            other[3 * (4 * line + corner) + axis] = source[3 * b + axis]!;
          }
        }
      for (const [slot, data] of [
        [i, own],
        [i + 3, other],
      ] as const) {
        gl.bindBuffer(gl.ARRAY_BUFFER, this.thick!.buffers[slot]!);
        gl.bufferData(gl.ARRAY_BUFFER, data, gl.DYNAMIC_DRAW);
      }
    }
  }

  // The picture, to be copied at once: the next picture of the page uses the same canvas.
  draw(look: Look): HTMLCanvasElement | null {
    if (!this.prepare()) return null;
    const since = performance.now();
    const rough = look.moving && this.isLarge && this.timed > 2 && this.cost > slowFrom;
    const { gl, canvas, program } = this.painter!;
    const p = (name: string) => this.painter!.place(name);
    const [width, height] = [Math.round(look.width * look.density), Math.round(look.height * look.density)];
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    gl.viewport(0, 0, width, height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LEQUAL);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.useProgram(program);
    this.painter!.colours(look.sequence);
    const [right, up, away] = look.rows;
    gl.uniformMatrix3fv(p("view"), false, [0, 1, 2].flatMap((axis) => [right[axis]!, up[axis]!, away[axis]!]));
    gl.uniform3fv(p("centre"), look.centre);
    gl.uniform3f(p("fit"), (2 * look.scale) / look.width, (2 * look.scale) / look.height, 0.4 / look.size);
    gl.uniform2f(p("pixels"), look.width / 2, look.height / 2);
    gl.uniform1f(p("c"), Math.cos(look.phase));
    gl.uniform1f(p("s"), Math.sin(look.phase));
    gl.uniform1f(p("largest"), look.largest);
    const normal = [0, 0, 0];
    if (look.cut) normal[look.cut.axis] = 1;
    gl.uniform4f(p("cut"), normal[0]!, normal[1]!, normal[2]!, look.cut ? look.cut.at : 1);
    const paint = (colour: string, alpha: number, byMotion: boolean, lit: boolean, nudge: number, deflection: number) => {
      const [r, g, b] = rgb(colour);
      gl.uniform4f(p("own"), r / 255, g / 255, b / 255, alpha);
      gl.uniform1i(p("byMotion"), byMotion ? 1 : 0);
      gl.uniform1i(p("lit"), lit ? 1 : 0);
      gl.uniform1f(p("nudge"), nudge);
      gl.uniform1f(p("deflection"), deflection);
    };
    const put = (mode: number, part: { index: WebGLBuffer; count: number }) => {
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, part.index);
      gl.drawElements(mode, part.count, gl.UNSIGNED_INT, 0);
    };
    gl.bindVertexArray(this.points!.array);
    gl.uniform1f(p("thick"), 0);
    (rough ? this.coarseTriangles() : this.triangles).forEach((part, i) => {
      if (look.shown[i] === false) return;
      paint(soft(look.own[i % look.own.length]!, look.sequence[0]!), 1, look.coloured, true, 0, look.deflection);
      put(gl.TRIANGLES, part);
    });
    paint(look.ink, 0.28, false, false, 0.0015, look.deflection);
    if (!rough) put(gl.LINES, this.edges!);
    gl.bindVertexArray(this.thick!.array);
    if (look.ghost) {
      gl.uniform1f(p("thick"), 0.6);
      paint(look.ghost, 0.8, false, false, 0, 0);
      put(gl.TRIANGLES, this.thick!);
    }
    gl.uniform1f(p("thick"), 1.4);
    paint(look.ink, 1, look.coloured, false, 0.001, look.deflection);
    put(gl.TRIANGLES, this.thick!);
    gl.bindVertexArray(null);
    // Only what is read back is surely drawn. The first pictures also bring the mesh to the card.
    if (this.isLarge && !rough && this.timed < 5) {
      gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
      if (++this.timed > 2) this.cost = Math.min(this.cost, performance.now() - since);
    }
    return canvas;
  }

  private coarseTriangles(): { index: WebGLBuffer; count: number }[] {
    const { gl } = this.painter!;
    this.coarse ??= coarser(this.mesh.points, this.mesh.triangles).map((data) => {
      const index = gl.createBuffer()!;
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, index);
      gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, data, gl.STATIC_DRAW);
      return { index, count: data.length };
    });
    return this.coarse;
  }
}
