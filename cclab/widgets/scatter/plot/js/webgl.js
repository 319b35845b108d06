/** Samples drawn by WebGL: one point sprite each, its shape cut out in the fragment shader. */

/** Radius in pixels below which a sample is a speck: a little square, of which only the hue can be told. */
export const SPECK = 2;
/** Specks lie too close for halos: a selection fades the others to this. */
export const FADED = 0.2;

const float = (number) => number.toFixed(4);

/** An expression of the shader that has another value for each form of our table. */
function byForm(shape, value) {
  return FORMS.reduceRight((others, form, i) => `${shape} == ${i}u ? ${value(form)} : ${others}`, value(FORMS[0]));
}

/** How far p lies outside a form, in pixels: outside the edge that it is farthest outside of. */
function outside({ corners, radius }) {
  if (!corners.length) return `far - ${float(radius)} * radius`;
  return corners.map(([x, y], i) => {
    const [toX, toY] = corners[(i + 1) % corners.length];
    const length = Math.hypot(toX - x, toY - y);
    const [across, up] = [(y - toY) / length, (toX - x) / length]; // of unit length, across the edge
    const away = across * x + up * y;
    const sign = Math.sign(away);
    return `dot(p, vec2(${float(sign * across)}, ${float(sign * up)})) - ${float(sign * away)} * radius`;
  }).reduce((one, other) => `max(${one}, ${other})`);
}

const VERTEX = `
uniform vec2 scale, offset;
uniform float radius, haloSize, strength;
uniform sampler2D palette;
layout(location = 0) in vec2 position;
layout(location = 1) in uint color;
layout(location = 2) in uint shape;
layout(location = 3) in float opacity;
flat out vec4 vColor;
#ifndef SPECKS
flat out uint vShape;
flat out float vSize;
#endif
void main() {
  gl_Position = vec4(position * scale + offset, 0.0, 1.0);
  vec4 paint = texelFetch(palette, ivec2(int(color), 0), 0);
  vColor = vec4(paint.rgb, 1.0) * paint.a * opacity * strength;
#ifdef SPECKS
  gl_PointSize = 2.0 * radius;
#else
  // As small as its shape allows: where there is no GPU, the number of fragments is what counts.
  float reach = ${byForm("shape", ({ extent, hollow }) => float(extent + (hollow ? 0.2 : 0)))};
  vSize = haloSize > 0.0 ? haloSize + 2.0 : ceil(2.0 * reach * radius + 1.0);
  vShape = shape;
  gl_PointSize = vSize;
#endif
}`;

const FRAGMENT_OF_SPECKS = `
precision highp float;
flat in vec4 vColor;
out vec4 pixel;
void main() { pixel = vColor; }`;

const FRAGMENT = `
precision highp float;
uniform float radius, edgeWidth;
uniform vec4 edge, halo;
flat in vec4 vColor;
flat in uint vShape;
flat in float vSize;
out vec4 pixel;

float cover(float distance) { return clamp(0.5 - distance, 0.0, 1.0); }

void main() {
  vec2 p = (gl_PointCoord - 0.5) * vSize;
  float far = length(p);
  if (halo.a > 0.0) {
    pixel = vec4(halo.rgb, 1.0) * halo.a * cover(far - 0.5 * vSize + 1.0);
    return;
  }
  float border = ${byForm("vShape", outside)};
  if (${byForm("vShape", ({ hollow }) => hollow)}) {
    float thickness = max(1.2, 0.26 * radius);
    float ring = abs(border) - 0.5 * thickness;
    float cross = max(min(abs(p.x - p.y), abs(p.x + p.y)) * 0.7071 - 0.42 * thickness, border);
    pixel = vColor * cover(min(ring, cross));
    return;
  }
  float rim = edgeWidth > 0.0 ? (1.0 - cover(border + edgeWidth)) * edge.a : 0.0;
  pixel = mix(vColor, vec4(edge.rgb, 1.0) * vColor.a, rim) * cover(border);
}`;

function compile(gl, type, source) {
  const shader = gl.createShader(type);
  gl.shaderSource(shader, source);
  gl.compileShader(shader);
  if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
  return shader;
}

function link(gl, vertex, fragment) {
  const program = gl.createProgram();
  gl.attachShader(program, compile(gl, gl.VERTEX_SHADER, `#version 300 es\n${vertex}`));
  gl.attachShader(program, compile(gl, gl.FRAGMENT_SHADER, `#version 300 es\n${fragment}`));
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
  return { program, at: Object.fromEntries(UNIFORMS.map((name) => [name, gl.getUniformLocation(program, name)])) };
}

const UNIFORMS = ["scale", "offset", "haloSize", "radius", "edgeWidth", "edge", "halo", "strength", "palette"];

export class WebGLMarks {
  static kind = "webgl";

  /** @returns {WebGLMarks | null} null where there is no WebGL 2 */
  static make(canvas) {
    const gl = canvas.getContext("webgl2", { antialias: false, depth: false });
    if (!gl) return null;
    try {
      return new WebGLMarks(gl);
    } catch (error) {
      console.warn("cclab: WebGL is there but does not work; drawing without it.", error);
      return null;
    }
  }

  constructor(gl) {
    this.gl = gl;
    this.shapes = link(gl, VERTEX, FRAGMENT);
    this.specks = link(gl, `#define SPECKS\n${VERTEX}`, FRAGMENT_OF_SPECKS);
    this.buffers = Array.from({ length: 4 }, () => gl.createBuffer());
    this.selection = gl.createBuffer();
    this.count = this.selected = 0;
    const named = gl.getExtension("WEBGL_debug_renderer_info");
    const renderer = named ? gl.getParameter(named.UNMASKED_RENDERER_WEBGL) : "";
    this.isSoftware = /swiftshader|llvmpipe|softpipe|software|basic render/i.test(renderer);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.bindTexture(gl.TEXTURE_2D, gl.createTexture());
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
  }

  fill(slot, data, size, type, integer, normalized) {
    const { gl } = this;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers[slot]);
    gl.bufferData(gl.ARRAY_BUFFER, data, gl.DYNAMIC_DRAW);
    gl.enableVertexAttribArray(slot);
    if (integer) gl.vertexAttribIPointer(slot, size, type, 0, 0);
    else gl.vertexAttribPointer(slot, size, type, normalized, 0, 0);
  }

  setPositions(xy) {
    this.count = xy.length / 2;
    this.fill(0, xy, 2, this.gl.FLOAT, false, false);
  }

  setMarks(color, shape, opacity) {
    this.fill(1, color, 1, this.gl.UNSIGNED_BYTE, true);
    this.fill(2, shape, 1, this.gl.UNSIGNED_BYTE, true);
    this.fill(3, opacity, 1, this.gl.UNSIGNED_BYTE, false, true);
  }

  setSelection(indices) {
    const { gl } = this;
    this.selected = indices.length;
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.selection);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, indices, gl.DYNAMIC_DRAW);
  }

  /** @param {Uint8ClampedArray} palette RGBA; edge and halo likewise, one colour each */
  setColors(palette, edge, halo) {
    const { gl } = this;
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, palette.length / 4, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(palette));
    this.edge = Array.from(edge, (byte) => byte / 255);
    this.halo = Array.from(halo, (byte) => byte / 255);
  }

  draw(viewport, margin, ratio, radius, strength = 1) {
    const { gl } = this;
    const asSpecks = radius < SPECK;
    const { program, at } = asSpecks ? this.specks : this.shapes;
    const { width, height } = gl.canvas;
    gl.useProgram(program);
    const r = radius * ratio;
    const [w, h] = [viewport.width * ratio, viewport.height * ratio];
    gl.disable(gl.SCISSOR_TEST);
    gl.viewport(0, 0, width, height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.enable(gl.SCISSOR_TEST);
    gl.scissor(margin.left * ratio, height - margin.top * ratio - h, w, h);
    gl.viewport(margin.left * ratio, height - margin.top * ratio - h, w, h);
    const sx = 2 / (viewport.x1 - viewport.x0);
    const sy = 2 / (viewport.y1 - viewport.y0);
    gl.uniform2f(at.scale, sx, sy);
    gl.uniform2f(at.offset, -1 - viewport.x0 * sx, -1 - viewport.y0 * sy);
    gl.uniform1f(at.radius, r);
    gl.uniform1f(at.strength, strength);
    if (asSpecks) this.drawSpecks(at, strength);
    else this.drawShapes(at, ratio, radius, strength);
  }

  drawAll() { this.gl.drawArrays(this.gl.POINTS, 0, this.count); }

  drawSelected() {
    const { gl } = this;
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.selection);
    gl.drawElements(gl.POINTS, this.selected, gl.UNSIGNED_INT, 0);
  }

  drawSpecks(at, strength) {
    const { gl } = this;
    if (this.selected) gl.uniform1f(at.strength, Math.min(strength, FADED));
    this.drawAll();
    if (!this.selected) return;
    gl.uniform1f(at.strength, 1);
    this.drawSelected();
  }

  drawShapes(at, ratio, radius, strength) {
    const { gl } = this;
    gl.uniform4fv(at.edge, this.edge);
    // A full edge would hide a small sample's hue, and in a crowd edges would be all that is seen.
    gl.uniform1f(at.edgeWidth, strength < 0.7 ? 0 : radius < 4 ? 0.5 * ratio : ratio);
    if (this.selected) {
      gl.uniform4fv(at.halo, this.halo);
      gl.uniform1f(at.haloSize, 2 * (radius + Math.min(4, radius)) * ratio);
      this.drawSelected();
    }
    gl.uniform4f(at.halo, 0, 0, 0, 0);
    gl.uniform1f(at.haloSize, 0);
    this.drawAll();
  }

  release() { this.gl.getExtension("WEBGL_lose_context")?.loseContext(); }
}
