/** Colours of the theme, and a label image or a map of degrees as pixels of the screen. */

const FALLBACKS = {
  c1: "#0072B2", c2: "#E69F00", c3: "#009E73", c4: "#CC79A7", c5: "#56B4E9", c6: "#D55E00", c7: "#F0E442",
  outlier: "#5B6472", focus: "#3D5AE0", bad: "#C42B2B",
};
const OTHER = "#88909C";
const HATCH_PERIOD = 8, HATCH_WIDTH = 2.5, HATCH_ALPHA = 0.92; // in CSS pixels
const MOST_PIXELS = 2.5e6; // beyond, the overlay is composed more coarsely than the screen

/** Any CSS colour, or a token such as --cc-c1, as [red, green, blue, alpha], each from 0 to 255. */
export class Colours {
  constructor(host) {
    this.probe = host.appendChild(document.createElement("span"));
    this.probe.hidden = true;
    this.pen = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
    this.known = new Map();
  }

  /** The browser resolves variables, light-dark() and color-mix(); painting one pixel turns the result into numbers. */
  rgba(name) {
    if (!this.probe.isConnected) return [0, 0, 0, 0]; // off the page nothing has a style yet
    if (!this.known.has(name)) {
      const token = name.startsWith("--cc-") && name.slice(5);
      this.probe.style.color = token ? `var(${name}, ${FALLBACKS[token] ?? OTHER})` : name;
      this.pen.clearRect(0, 0, 1, 1);
      this.pen.fillStyle = getComputedStyle(this.probe).color;
      this.pen.fillRect(0, 0, 1, 1);
      this.known.set(name, [...this.pen.getImageData(0, 0, 1, 1).data]);
    }
    return this.known.get(name);
  }

  css(name) {
    const [red, green, blue, alpha] = this.rgba(name);
    return `rgb(${red} ${green} ${blue} / ${alpha / 255})`;
  }

  forget() {
    this.known.clear();
  }
}

/** Four bytes as ImageData keeps them (every browser runs on little-endian machines). */
const packed = ([red, green, blue, alpha]) => ((alpha << 24) | (blue << 16) | (green << 8) | red) >>> 0;

/** What each of the 256 values looks like: its colour, its colour on an outline, whether it is hatched. */
export function swatchTable({ kind, palette, ramp, opacity }, colours) {
  const fill = new Uint32Array(256), edge = new Uint32Array(256), hatched = new Uint8Array(256);
  const stops = ramp.map((name) => colours.rgba(name));
  for (let value = 0; value < 256; value++) {
    const swatch = palette[value];
    let colour = [0, 0, 0, 0];
    if (kind === "map") {
      const place = (value / 255) * (stops.length - 1), below = Math.min(Math.floor(place), stops.length - 2);
      colour = stops[below].map((from, k) => from + (stops[below + 1][k] - from) * (place - below));
    } else if (swatch) {
      colour = colours.rgba(swatch.color);
      hatched[value] = swatch.hatched;
    }
    fill[value] = packed([...colour.slice(0, 3), colour[3] * opacity]);
    edge[value] = packed(colour);
  }
  const hatch = packed([255, 255, 255, 255 * HATCH_ALPHA * Math.min(1, 2 * opacity)]);
  return { fill, edge, hatched, hatch };
}

/**
 * Compose the overlay for a stage: one pass over its pixels, as a shader would make it. Hatching and outlines
 * have the same width at every zoom because they are drawn here, on the screen, and not in the image.
 */
export function composeOverlay(canvas, overlay, table, image, camera, stage, ratio) {
  const scale = Math.min(ratio, Math.sqrt(MOST_PIXELS / (stage.width * stage.height)));
  canvas.width = Math.round(stage.width * scale);
  canvas.height = Math.round(stage.height * scale);
  const zoom = camera.zoom * scale, x0 = camera.x * scale, y0 = camera.y * scale;
  const left = Math.max(0, Math.round(x0)), right = Math.min(canvas.width, Math.round(x0 + image.width * zoom));
  const top = Math.max(0, Math.round(y0)), bottom = Math.min(canvas.height, Math.round(y0 + image.height * zoom));
  const width = right - left, height = bottom - top;
  if (width <= 0 || height <= 0) return;

  const pen = canvas.getContext("2d"), out = pen.createImageData(width, height);
  const pixels = new Uint32Array(out.data.buffer);
  const { fill, edge, hatched, hatch } = table, { values, outlines, holes } = overlay;
  const within = (index, size) => Math.min(size - 1, Math.max(0, index));
  const columns = Int32Array.from({ length: width }, (_, i) =>
    within(Math.floor((left + i + 0.5 - x0) / zoom), image.width));
  const rowStart = (j) => within(Math.floor((top + j + 0.5 - y0) / zoom), image.height) * image.width;
  const reach = Math.max(1, Math.round(scale)); // an outline is one CSS pixel wide
  const period = HATCH_PERIOD * scale, stripe = HATCH_WIDTH * scale;
  // Stripes move with the image. Their phase is a sum along the two axes, so it is kept as a table.
  const origin = left - x0 + top - y0 + period * 1e4;
  const striped = Uint8Array.from({ length: width + height }, (_, k) => (origin + k) % period < stripe);

  for (let j = 0, at = 0; j < height; j++) {
    const row = rowStart(j), above = rowStart(Math.max(0, j - reach));
    for (let i = 0; i < width; i++, at++) {
      const column = columns[i], value = values[row + column];
      if (holes && holes[row + column]) continue; // without a value a pixel is nowhere
      if (outlines) {
        const up = values[above + column], aside = values[row + columns[i < reach ? 0 : i - reach]];
        if (up !== value || aside !== value) {
          pixels[at] = edge[Math.max(value, up, aside)];
          continue;
        }
      }
      pixels[at] = hatched[value] && striped[i + j] ? hatch : fill[value];
    }
  }
  pen.putImageData(out, left, top);
}
