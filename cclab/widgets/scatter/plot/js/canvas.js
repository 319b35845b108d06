/** The scatter: three canvases, of which only those that changed are drawn again, at most once a frame. */
import { tell } from "../../../kit/send.js";
import { MARGIN, Viewport } from "./viewport.js";
import { GridIndex } from "./index.js";
import { listenToPointer } from "./gestures.js";
import { Tip } from "./tip.js";
import { onThemeChange, resolveColors, resolveTokens } from "./colors.js";
import { WebGLMarks } from "./webgl.js";
import { CanvasMarks } from "./canvas2d.js";
import { Density, FROM } from "./density.js";
import { drawAbove, drawBelow, drawSketch, TOKENS } from "./overlay.js";

/** Trait bytes as a typed array: copied where they are not aligned. */
function read(model, name, Type) {
  const bytes = model.get(name);
  const aligned = bytes.byteOffset % Type.BYTES_PER_ELEMENT === 0;
  const buffer = aligned ? bytes.buffer : bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  return new Type(buffer, aligned ? bytes.byteOffset : 0, bytes.byteLength / Type.BYTES_PER_ELEMENT);
}

const LARGEST = 4.5;
const MANY = 30000; // samples, beyond which WebGL without a GPU is slower than none
const REST_MS = 120; // without a move, after which the whole picture is drawn

/** Radius of a sample in pixels: the smaller the more there are, and larger as one comes closer. */
function radiusFor(n, viewport) {
  const radius = n <= 5e3 ? LARGEST : n <= 2e4 ? 2.5 : n <= 6e4 ? 2.2 : 1.5;
  const closeness = 1 / Math.min(viewport.x1 - viewport.x0, viewport.y1 - viewport.y0);
  return Math.min(LARGEST, radius * Math.max(1, Math.sqrt(closeness)));
}

/** Call back when a pixel of the page becomes more or fewer of the screen: it was zoomed, or moved to another screen. */
function onRatioChange(callback, signal) {
  const watch = () => matchMedia(`(resolution: ${window.devicePixelRatio}dppx)`)
    .addEventListener("change", () => { callback(); watch(); }, { once: true, signal });
  watch();
}

class Plot {
  viewport = new Viewport();
  polygon = null;
  unread = new Set(); // names of the methods that read what Python has changed
  stale = new Set(); // layers to draw again: "below", "marks", "above"
  moving = false;
  isDescribed = false;
  underPointer = -1;
  density = null;
  #index = null;
  #planned = false;
  #resting = 0;

  constructor(model, el, signal) {
    this.model = model;
    this.el = el;
    this.signal = signal;
    el.classList.add("cc-points");
    el.setAttribute("role", "img");
    this.below = this.addCanvas();
    this.marks = null;
    this.tip = new Tip(el);
    const sizes = new ResizeObserver(() => this.resize());
    sizes.observe(el);
    onRatioChange(() => this.resize(), signal);
    signal.addEventListener("abort", () => { sizes.disconnect(); this.marks.release(); });
    this.makeMarks(model.get("renderer"));
    this.above = this.addCanvas();
    onThemeChange(() => this.readColors(), signal);
    this.readPositions();
    this.readLinks();
    this.readMarkers();
    this.readMarks();
    this.readSelection();
    this.readColors();
    this.readTool();
  }

  addCanvas(before = null) {
    const canvas = document.createElement("canvas");
    this.el.insertBefore(canvas, before);
    return canvas;
  }

  /**
   * WebGL where there is one, but not for many samples where no GPU is behind it.
   * A canvas that has given one kind of context never gives another.
   */
  makeMarks(renderer) {
    const canvas = this.addCanvas(this.above);
    this.marks = renderer === "2d" ? null : WebGLMarks.make(canvas);
    const isSoftware = !this.marks || this.marks.isSoftware;
    if (this.marks && isSoftware && this.model.get("color").byteLength > MANY) {
      this.marks.release();
      this.marks = null;
    }
    if (!this.marks) {
      canvas.remove();
      this.marksCanvas = this.addCanvas(this.above);
      this.marks = CanvasMarks.make(this.marksCanvas);
    } else {
      this.marksCanvas = canvas;
      canvas.addEventListener("webglcontextlost", () => this.signal.aborted || this.fallBack(), { once: true });
    }
    this.el.dataset.renderer = this.marks.constructor.kind;
    this.el.dataset.graphics = isSoftware ? "software" : "hardware";
  }

  fallBack() {
    this.marksCanvas.remove();
    this.makeMarks("2d");
    this.marks.setPositions(this.scene.xy);
    this.readMarks();
    this.readSelection();
    this.readColors();
    this.resize();
  }

  get index() {
    this.#index ??= new GridIndex(this.scene.xy);
    this.#index.opacity = this.scene.opacity;
    return this.#index;
  }

  /** Make the index while nothing else is to be done, so that the first hover need not wait for it. */
  makeIndexSoon() {
    if (this.#index || this.signal.aborted) return;
    requestIdleCallback(() => this.signal.aborted || this.index, { timeout: 2000 });
  }

  /** Draw layers again in the next frame. */
  redraw(...layers) {
    layers.forEach((layer) => this.stale.add(layer));
    if (this.#planned) return;
    this.#planned = true;
    requestAnimationFrame(() => this.draw());
  }

  /** Read from the model again in the next frame: several traits of one update are read once. */
  reread(method) {
    this.unread.add(method);
    this.redraw();
  }

  readPositions() {
    const xy = read(this.model, "xy", Float32Array);
    this.scene = { ...this.scene, xy, extent: this.model.get("extent"), labels: this.model.get("labels") };
    this.#index = this.density = null;
    this.marks.setPositions(xy);
    this.viewport.fit();
    this.el.setAttribute("aria-label", `Scatter plot of ${xy.length / 2} samples`);
    this.redraw("below", "marks", "above");
  }

  readLinks() {
    const { model } = this;
    Object.assign(this.scene, {
      linkPairs: read(model, "link_pairs", Uint32Array),
      linkStyle: read(model, "link_style", Uint8Array),
      linkOpacity: read(model, "link_opacity", Uint8Array),
      linkWidth: read(model, "link_width", Float32Array),
      outlines: model.get("outlines"),
    });
    this.redraw("below", "above"); // the names of outlines are above
  }

  readMarkers() {
    const { model } = this;
    Object.assign(this.scene, {
      centers: read(model, "centers", Float32Array),
      ghosts: read(model, "ghosts", Float32Array),
      query: model.get("query"),
      rings: read(model, "rings", Uint32Array),
    });
    this.redraw("above");
  }

  readMarks() {
    const [color, shape, opacity] = ["color", "shape", "opacity"].map((name) => read(this.model, name, Uint8Array));
    Object.assign(this.scene, { color, opacity, weight: read(this.model, "weight", Float32Array) });
    this.density = null;
    this.marks.setMarks(color, shape, opacity);
    this.redraw(...(this.isDense ? ["below", "marks"] : ["marks"]));
  }

  get isDense() { return this.scene.xy.length / 2 >= FROM; }

  readSelection() {
    this.marks.setSelection(read(this.model, "selection", Uint32Array));
    this.redraw("marks");
  }

  readColors() {
    const { el, model } = this;
    this.font = getComputedStyle(el).fontFamily;
    this.colors = resolveTokens(el, TOKENS);
    const [edge, halo] = [["--cc-edge"], ["--cc-halo"]].map((names) => resolveColors(el, names));
    this.palette = resolveColors(el, model.get("palette"));
    this.density = null;
    this.marks.setColors(this.palette, edge, halo);
    this.redraw("below", "marks", "above");
  }

  readTool() { this.tool = this.el.dataset.tool = this.model.get("tool"); }

  resize() {
    this.ratio = window.devicePixelRatio || 1;
    const { clientWidth, clientHeight } = this.el;
    if (!clientWidth || !clientHeight) return;
    for (const canvas of [this.below, this.marksCanvas, this.above]) {
      canvas.width = Math.round(clientWidth * this.ratio);
      canvas.height = Math.round(clientHeight * this.ratio);
      // Exactly as many pixels as it has: stretched by a fraction of one, all of it would be blurred.
      canvas.style.width = `${canvas.width / this.ratio}px`;
      canvas.style.height = `${canvas.height / this.ratio}px`;
    }
    this.viewport.resize(clientWidth, clientHeight);
    this.density = null;
    this.readColors(); // the theme's variables are known only once the plot is on the page
  }

  draw() {
    for (const method of this.unread) this[method]();
    this.unread.clear();
    this.#planned = false;
    if (!this.ratio) return; // not on the page yet
    this.radius = radiusFor(this.scene.xy.length / 2, this.viewport);
    if (this.isDense && !this.density) this.density = new Density(this.scene, this.viewport, this.palette);
    const thinned = this.moving && this.marks.slow;
    const strength = thinned || !this.density ? 1 : this.density.strength(this.radius);
    for (const layer of this.stale) {
      if (layer === "marks") this.marks.draw(this.viewport, MARGIN, this.ratio, this.radius, strength, thinned);
      else this.drawLayer(layer);
    }
    this.stale.clear();
    this.el.dataset.drawn = thinned ? "thinned" : "whole";
    if (!this.moving) this.makeIndexSoon();
  }

  drawLayer(layer) {
    const context = this[layer].getContext("2d");
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, context.canvas.width, context.canvas.height);
    context.scale(this.ratio, this.ratio);
    const { viewport, scene, colors, font } = this;
    if (layer === "below") {
      this.density?.draw(context, viewport, MARGIN);
      return drawBelow(context, viewport, scene, colors, font);
    }
    drawAbove(context, viewport, scene, colors, font, this.radius);
    if (this.polygon) drawSketch(context, this.polygon, colors);
  }

  // What gestures ask of a plot.
  sketch(polygon) {
    this.polygon = polygon;
    this.redraw("above");
  }

  moved() {
    this.tip.hide();
    this.moving = true;
    clearTimeout(this.#resting);
    this.#resting = setTimeout(() => this.rest(), REST_MS);
    this.redraw("below", "marks", "above");
  }

  /** Nothing moves any more: what was left out meanwhile is drawn. */
  rest() {
    this.moving = false;
    if (!this.isDense && !this.marks.slow) return;
    this.density = null;
    this.redraw("below", "marks", "above");
  }

  hovered(i) {
    this.tip.hide();
    this.underPointer = i;
    if (i < 0 || !this.isDescribed) return;
    const { xy, labels, extent: [left, right, low, high] } = this.scene;
    const [x, y] = [xy[2 * i], xy[2 * i + 1]];
    const places = [left + x * (right - left), low + y * (high - low)];
    const values = places.map((value, axis) => `${labels[axis]} ${Number(value.toPrecision(4))}`.trim());
    this.tip.expect(i, values, this.viewport.pixelX(x), this.viewport.pixelY(y));
  }

  report(message, indices) { tell(this.model, message, indices ? [indices.buffer] : []); }

  fit() {
    this.viewport.fit();
    this.moved();
  }

  showTip(index, html) {
    this.isDescribed = true; // so that words may be expected from now on
    if (index !== this.underPointer) return; // they come too late
    const { xy } = this.scene;
    this.tip.show(html, this.viewport.pixelX(xy[2 * index]), this.viewport.pixelY(xy[2 * index + 1]));
  }
}

const READERS = {
  readPositions: ["xy", "extent", "labels"],
  readLinks: ["link_pairs", "link_style", "link_opacity", "link_width", "outlines"],
  readMarkers: ["centers", "ghosts", "query", "rings"],
  readMarks: ["color", "shape", "opacity", "weight"],
  readSelection: ["selection"],
  readColors: ["palette"],
  readTool: ["tool"],
};

function render({ model, el }) {
  const closed = new AbortController();
  const plot = new Plot(model, el, closed.signal);
  for (const [method, traits] of Object.entries(READERS)) {
    for (const trait of traits) model.on(`change:${trait}`, () => plot.reread(method));
  }
  model.on("msg:custom", (message) => {
    if (message.type === "fit") plot.fit();
    if (message.type === "tip") plot.showTip(message.index, message.html);
  });
  listenToPointer(el, plot, closed.signal);
  return () => closed.abort();
}

export default { render };
