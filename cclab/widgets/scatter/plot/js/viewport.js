/** The part of the plane that is seen, and the pixels it is seen in. Samples live in the unit square. */

export const MARGIN = { top: 8, right: 12, bottom: 44, left: 46 };
const PADDING = 0.04; // of the data's spread, on each side of a fitted view
const DEEPEST = 1e-5; // smallest span that zooming reaches

export class Viewport {
  constructor() {
    this.width = this.height = 1;
    this.fit();
  }

  fit() {
    this.x0 = this.y0 = -PADDING;
    this.x1 = this.y1 = 1 + PADDING;
  }

  /** Size of the whole figure; the plot area is what its margins leave. */
  resize(width, height) {
    this.width = Math.max(1, width - MARGIN.left - MARGIN.right);
    this.height = Math.max(1, height - MARGIN.top - MARGIN.bottom);
  }

  contains(px, py) {
    const x = px - MARGIN.left;
    const y = py - MARGIN.top;
    return x >= 0 && y >= 0 && x <= this.width && y <= this.height;
  }

  pixelX(x) { return MARGIN.left + ((x - this.x0) / (this.x1 - this.x0)) * this.width; }
  pixelY(y) { return MARGIN.top + (1 - (y - this.y0) / (this.y1 - this.y0)) * this.height; }
  unitX(px) { return this.x0 + ((px - MARGIN.left) / this.width) * (this.x1 - this.x0); }
  unitY(py) { return this.y0 + (1 - (py - MARGIN.top) / this.height) * (this.y1 - this.y0); }

  /** Zoom by a factor (below 1: closer) about a pixel, which stays where it is. */
  zoom(px, py, factor) {
    const span = (this.x1 - this.x0) * factor;
    if (span < DEEPEST || span > 1 / DEEPEST) return;
    const x = this.unitX(px);
    const y = this.unitY(py);
    this.x0 = x + (this.x0 - x) * factor;
    this.x1 = x + (this.x1 - x) * factor;
    this.y0 = y + (this.y0 - y) * factor;
    this.y1 = y + (this.y1 - y) * factor;
  }

  pan(dx, dy) {
    const x = (-dx / this.width) * (this.x1 - this.x0);
    const y = (dy / this.height) * (this.y1 - this.y0);
    this.x0 += x;
    this.x1 += x;
    this.y0 += y;
    this.y1 += y;
  }
}

/** Round values within [low, high], about one every `spacing` pixels, and how to write them. */
export function ticks(low, high, pixels, spacing) {
  const rough = ((high - low) * spacing) / pixels;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((multiple) => multiple * power >= rough * 0.999);
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const large = Math.max(Math.abs(low), Math.abs(high)) >= 1e6 || decimals > 5;
  const values = [];
  for (let k = Math.ceil(low / step); k * step <= high; k++) values.push(k * step);
  return values.map((value) => ({ value, text: large ? value.toExponential(1) : value.toFixed(decimals).replace(/^-(0\.?0*)$/, "$1") }));
}
