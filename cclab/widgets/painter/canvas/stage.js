/** The stage: sheets of canvas over one another, the camera, and changes of the model turned into redrawing. */
import { Camera } from "./camera.js";
import { Colours, composeOverlay, swatchTable } from "./labels_overlay.js";
import { drawStroke, pathOf } from "./strokes.js";
import { Input } from "./input.js";

const HOVER_EVERY = 80; // milliseconds
const NO_VALUE = "#262d3d"; // no grey: it must not be taken for a value
const LAYERS = ["image", "overlay", "strokes", "live"];
const SVG = "http://www.w3.org/2000/svg";

/** The longest of 1, 2 and 5 times a power of ten that takes no more than `most` CSS pixels of `each` units. */
export function roundLength(each, most) {
  const power = 10 ** Math.floor(Math.log10(each * most)), times = [5, 2, 1].find((k) => k * power <= each * most) ?? 1;
  const length = Number((times * power).toPrecision(1));
  return { length, width: length / each };
}

const bytes = (view) => new Uint8Array(view.buffer, view.byteOffset, view.byteLength);

class Stage {
  constructor(model, host) {
    this.model = model;
    this.camera = new Camera();
    this.size = { width: 0, height: 0, above: 0, below: 0 }; // in CSS pixels
    this.ratio = 1; // pixels of the screen to one of these
    this.dirty = new Set(); // what to draw with the next frame
    this.pending = []; // strokes sent to Python that it has not answered yet
    this.sent = 0;
    this.root = host.appendChild(document.createElement("div"));
    this.root.className = "cc-image-canvas";
    this.root.tabIndex = 0;
    this.root.setAttribute("role", "application");
    this.layers = {};
    for (const name of LAYERS) {
      this.layers[name] = this.root.appendChild(document.createElement("canvas"));
      this.layers[name].className = name;
    }
    this.marks = this.root.appendChild(document.createElementNS(SVG, "svg"));
    this.scale = this.root.appendChild(document.createElement("div"));
    this.scale.className = "scale";
    this.ring = this.root.appendChild(document.createElement("div"));
    this.ring.className = "ring";
    this.colours = new Colours(this.root);
    this.closed = new AbortController();
    this.input = new Input(this, this.closed.signal);
    this.listenToModel();
    this.listenToPage();
    this.takeImage();
    this.takeStrokes();
    this.takeOverlay();
    this.takeTool();
  }

  // ---- from the model -------------------------------------------------------------------------------------------

  listenToModel() {
    const handlers = {
      _pixels: () => this.takeImage(),
      strokes: () => this.takeStrokes(),
      tool: () => this.takeTool(),
      size: () => this.takeTool(),
      region: () => this.takeTool(),
      region_colors: () => this.invalidate("strokes"),
      places: () => this.invalidate("marks"),
      original: () => this.showOriginal(),
      label: () => this.describe(),
      pixel_size: () => this.invalidate("view"),
    };
    for (const name of ["_values", "_overlay", "_palette", "_ramp", "outlines", "opacity"])
      handlers[name] = () => this.takeOverlay();
    const on = (name, handler) => {
      this.model.on(name, handler);
      this.closed.signal.addEventListener("abort", () => this.model.off(name, handler));
    };
    for (const [name, handler] of Object.entries(handlers)) on(`change:${name}`, handler);
    on("msg:custom", (message) => {
      if (message.kind === "fit") this.fit();
      if (message.kind === "settled") {
        this.pending = this.pending.filter((stroke) => stroke.number !== message.number);
        this.invalidate("strokes");
      }
    });
  }

  listenToPage() {
    const resized = new ResizeObserver(() => this.resize());
    resized.observe(this.root);
    const themed = new MutationObserver(() => {
      this.colours.forget();
      this.invalidate("view");
    });
    const attributeFilter = ["class", "data-jp-theme-light", "data-cc-theme"];
    for (const element of [document.documentElement, document.body]) themed.observe(element, { attributeFilter });
    window.addEventListener("click", (event) => this.heed(event), { capture: true, signal: this.closed.signal });
    for (const watcher of [resized, themed])
      this.closed.signal.addEventListener("abort", () => watcher.disconnect());
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.root;
    // Padding is where a page lets something float over the stage: a fitted picture stays clear of it.
    const style = getComputedStyle(this.root);
    this.size = { width, height, above: parseFloat(style.paddingTop), below: parseFloat(style.paddingBottom) };
    this.ratio = window.devicePixelRatio;
    for (const canvas of Object.values(this.layers)) {
      canvas.width = Math.round(width * this.ratio);
      canvas.height = Math.round(height * this.ratio);
    }
    if (this.camera.fitted) this.camera.fit(this.size, this.image);
    this.invalidate("view");
  }

  takeImage() {
    const [height, width, channels] = this.model.get("_shape"), data = bytes(this.model.get("_pixels"));
    const same = this.image?.width === width && this.image?.height === height;
    this.image = new OffscreenCanvas(width, height);
    const pen = this.image.getContext("2d"), out = pen.createImageData(width, height);
    const [red, green, blue] = channels < 3 ? [0, 0, 0] : [0, 1, 2];
    for (let from = 0, to = 0; to < out.data.length; from += channels, to += 4) {
      out.data[to] = data[from + red];
      out.data[to + 1] = data[from + green];
      out.data[to + 2] = data[from + blue];
      out.data[to + 3] = channels === 4 ? data[from + 3] : 255;
    }
    pen.putImageData(out, 0, 0);
    this.holes = channels === 4 && data.filter((_, k) => k % 4 === 3).map((opacity) => !opacity);
    this.describe();
    if (same) return this.invalidate("view"); // another slice, or other greys: the camera stays
    this.pending = [];
    this.input.polygon?.drop();
    this.fit();
  }

  takeStrokes() {
    this.strokes = this.model.get("strokes").map((stroke) => {
      const points = new Float32Array(bytes(stroke.points).slice().buffer);
      return { ...stroke, path: pathOf(points, stroke.kind === "polygon") };
    });
    this.invalidate("strokes");
  }

  takeOverlay() {
    const get = (name) => this.model.get(name), values = bytes(get("_values"));
    const kind = values.length === this.image.width * this.image.height ? get("_overlay") : "none";
    this.overlay = {
      kind, values, palette: get("_palette"), ramp: get("_ramp"), opacity: get("opacity"),
      outlines: get("outlines") && kind === "labels",
    };
    this.invalidate("overlay");
  }

  takeTool() {
    const tool = this.model.get("tool");
    this.root.dataset.tool = tool;
    if (tool !== "polygon") this.input.polygon?.drop();
    this.ring.dataset.kind = tool;
    this.ring.style.setProperty("--size", `${Math.max(2, this.model.get("size") * this.camera.zoom)}px`);
    this.ring.style.setProperty("--paint", this.regionColour(this.model.get("region")));
  }

  /** Take a tool or a region at once, whatever Python is busy with: the next stroke must be what was asked for. */
  choose(name, value) {
    this.model.set(name, value);
    this.model.save_changes();
  }

  /** A click on a region's entry in a palette of the same app chooses it here, too. */
  heed(event) {
    const entry = event.target.closest?.("[data-region]");
    if (entry?.closest(".cc-app")?.contains(this.root)) this.choose("region", Number(entry.dataset.region));
  }

  describe() {
    this.root.setAttribute("aria-label", this.model.get("label"));
  }

  showOriginal(held = false) {
    this.root.classList.toggle("original", held || this.model.get("original"));
  }

  regionColour(region) {
    const names = this.model.get("region_colors");
    return this.colours.css(names[region] ?? names[((region - 1) % (names.length - 1)) + 1]);
  }

  box() {
    return this.root.getBoundingClientRect();
  }

  toImage(event) {
    const box = this.box(), { zoom, x, y } = this.camera;
    return [(event.clientX - box.left - x) / zoom, (event.clientY - box.top - y) / zoom];
  }

  moveRing(event) {
    const box = this.box();
    this.ring.style.translate = `${event.clientX - box.left}px ${event.clientY - box.top}px`;
    this.ring.style.visibility = event.pointerType === "touch" ? "hidden" : "";
  }

  // ---- drawing --------------------------------------------------------------------------------------------------

  /** Redraw a part with the next frame: "view" for all of them, or "overlay", "strokes", "marks". */
  invalidate(part) {
    if (!this.dirty.size) this.frame = requestAnimationFrame(() => this.draw());
    this.dirty.add(part);
  }

  draw() {
    const parts = new Set(this.dirty), all = parts.has("view");
    this.dirty.clear();
    if (!this.size.width || !this.size.height) return;
    if (all) {
      this.drawImage();
      this.takeTool();
      this.drawScale();
    }
    if (all || parts.has("overlay")) this.drawOverlay();
    if (all || parts.has("strokes")) this.drawStrokes();
    if (all || parts.has("marks")) this.drawMarks();
    for (const part of parts) this.root.dispatchEvent(new CustomEvent("drawn", { detail: part }));
  }

  /** The pen of a layer, in image coordinates. */
  pen(layer) {
    const pen = this.layers[layer].getContext("2d"), { zoom, x, y } = this.camera, ratio = this.ratio;
    pen.setTransform(ratio * zoom, 0, 0, ratio * zoom, ratio * x, ratio * y);
    return pen;
  }

  clear(layer) {
    const canvas = this.layers[layer], pen = canvas.getContext("2d");
    pen.resetTransform();
    pen.clearRect(0, 0, canvas.width, canvas.height);
    return this.pen(layer);
  }

  drawImage() {
    const pen = this.clear("image");
    pen.imageSmoothingEnabled = this.camera.zoom < 1; // magnified pixels stay pixels
    if (this.holes) {
      pen.fillStyle = NO_VALUE;
      pen.fillRect(0, 0, this.image.width, this.image.height);
    }
    pen.drawImage(this.image, 0, 0);
  }

  /** A bar of a round length that is about a sixth of the stage wide. */
  drawScale() {
    const pixel = this.model.get("pixel_size"), unit = this.model.get("length");
    this.scale.hidden = !(pixel > 0);
    if (this.scale.hidden) return;
    const { length, width } = roundLength(pixel / this.camera.zoom, this.size.width / 6);
    this.scale.style.width = `${width}px`;
    this.scale.textContent = `${length} ${unit}`;
  }

  drawOverlay() {
    const shown = this.overlay.kind !== "none";
    this.layers.overlay.style.visibility = shown ? "" : "hidden";
    if (!shown) return;
    const table = swatchTable(this.overlay, this.colours);
    composeOverlay(this.layers.overlay, { ...this.overlay, holes: this.holes }, table, this.image, this.camera, this.size, this.ratio);
  }

  drawStrokes() {
    const pen = this.clear("strokes"), pixel = 1 / this.camera.zoom;
    for (const stroke of [...this.strokes, ...this.pending])
      drawStroke(pen, stroke, this.regionColour(stroke.region), pixel);
    this.clear("live");
    this.input.redraw();
  }

  drawMarks() {
    const { zoom, x, y } = this.camera;
    this.marks.replaceChildren(...this.model.get("places").map(([row, column], k) => {
      const mark = document.createElementNS(SVG, "g");
      mark.setAttribute("transform", `translate(${x + (column + 0.5) * zoom} ${y + (row + 0.5) * zoom})`);
      mark.innerHTML = `<circle class="outer" r="12"/><circle class="inner" r="10"/>
        <circle class="badge" cx="13" cy="-13" r="8"/><text x="13" y="-9.5">${"abcdefghi"[k]}</text>`;
      return mark;
    }));
  }

  fit() {
    this.camera.fit(this.size, this.image);
    this.invalidate("view");
  }

  // ---- to Python ------------------------------------------------------------------------------------------------

  /** A stroke is complete: keep it in sight until Python has answered for it. */
  finish(stroke, points) {
    const number = ++this.sent, buffer = new Float32Array(points);
    this.pending.push({ ...stroke, number, path: pathOf(buffer, stroke.kind === "polygon") });
    this.model.send({ kind: "stroke", number, stroke }, undefined, [buffer.buffer]);
    this.invalidate("strokes");
  }

  hover(event) {
    const [x, y] = event ? this.toImage(event).map(Math.floor) : [-1, -1];
    const inside = x >= 0 && y >= 0 && x < this.image.width && y < this.image.height;
    this.pixel = inside ? [y, x] : null;
    this.hoverTimer ??= setTimeout(() => {
      this.hoverTimer = null;
      if (String(this.pixel) === String(this.told)) return;
      this.told = this.pixel;
      this.model.send({ kind: "hover", pixel: this.pixel });
    }, HOVER_EVERY);
  }

  remove() {
    this.closed.abort();
    cancelAnimationFrame(this.frame);
    clearTimeout(this.hoverTimer);
  }
}

export default {
  render({ model, el }) {
    const stage = new Stage(model, el);
    return () => stage.remove();
  },
};
