/** Many samples as little squares, worked out pixel by pixel: where there is no GPU, nothing that draws is as quick. */

const MOST = 250; // of 255: what is opaque can't be mixed

export class Raster {
  #sums = new Float32Array(); // of each pixel: red, green and blue times weight, weight
  #across = new Float32Array();
  #canvas = document.createElement("canvas");

  /**
   * Where squares overlap their colours are mixed, none before another: no cluster hides one that was drawn earlier.
   * @param {{xy: Float32Array, color: Uint8Array, opacity: Uint8Array, palette: Uint8ClampedArray}} samples
   * @param {Uint32Array | null} chosen which of them; null for all
   * @param {number} stride one in so many of these
   * @param {number} ratio pixels of the picture for one of the page
   * @param {number} side of a square in pixels of the picture
   * @returns {HTMLCanvasElement} the area within the margins
   */
  draw(samples, chosen, stride, viewport, ratio, side, strength) {
    const width = Math.max(1, Math.round(viewport.width * ratio));
    const height = Math.max(1, Math.round(viewport.height * ratio));
    if (this.#sums.length !== 4 * width * height) {
      this.#sums = new Float32Array(4 * width * height);
      this.#across = new Float32Array(4 * width * height);
    } else this.#sums.fill(0);
    this.add(samples, chosen, stride, viewport, width, height, strength);
    spread(this.#sums, this.#across, width, height, side);
    return this.paint(width, height);
  }

  add({ xy, color, opacity, palette }, chosen, stride, { x0, x1, y0, y1 }, width, height, strength) {
    const sums = this.#sums;
    const [toColumn, toRow] = [width / (x1 - x0), height / (y1 - y0)];
    const weights = weightsOf(strength);
    const n = chosen ? chosen.length : opacity.length;
    for (let k = 0, turn = 1; k < n; k += stride) {
      let i = k;
      if (stride > 1) { // one of the next few, by chance: data may repeat themselves in any rhythm
        turn = (Math.imul(turn, 1664525) + 1013904223) >>> 0;
        i = Math.min(n - 1, k + ((turn >>> 8) % stride));
      }
      if (chosen) i = chosen[i];
      const column = Math.floor((xy[2 * i] - x0) * toColumn);
      const row = Math.floor((y1 - xy[2 * i + 1]) * toRow);
      if (column < 0 || row < 0 || column >= width || row >= height) continue;
      const weight = weights[opacity[i]];
      const at = 4 * (row * width + column);
      const paint = 4 * color[i];
      sums[at] += weight * palette[paint];
      sums[at + 1] += weight * palette[paint + 1];
      sums[at + 2] += weight * palette[paint + 2];
      sums[at + 3] += weight;
    }
  }

  paint(width, height) {
    const canvas = this.#canvas;
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    const context = canvas.getContext("2d", { willReadFrequently: true });
    const picture = context.createImageData(width, height);
    const { data } = picture;
    const sums = this.#sums;
    for (let at = 0; at < sums.length; at += 4) {
      const weight = sums[at + 3];
      if (weight < 1e-4) continue;
      data[at] = sums[at] / weight;
      data[at + 1] = sums[at + 1] / weight;
      data[at + 2] = sums[at + 2] / weight;
      data[at + 3] = 255 * (1 - Math.exp(-weight));
    }
    context.putImageData(picture, 0, 0);
    return canvas;
  }
}

/** What a sample of each opacity weighs: such weights add up where transparencies multiply. */
function weightsOf(strength) {
  return Float32Array.from({ length: 256 }, (_, byte) => -Math.log1p(-Math.min(MOST, byte * strength) / 255));
}

/** Give each pixel the sum of the square around it: first along its row, then along its column. */
function spread(sums, across, width, height, side) {
  if (side <= 1) return;
  const before = side >> 1;
  const after = side - 1 - before;
  spreadAlongRows(sums, across, width, height, before, after);
  spreadAlongColumns(across, sums, width, height, before, after);
}

function spreadAlongRows(from, to, width, height, before, after) {
  for (let row = 0; row < height; row++) {
    const start = 4 * row * width;
    let [red, green, blue, weight] = [0, 0, 0, 0];
    for (let column = -after; column < width; column++) {
      if (column + after < width) {
        const come = start + 4 * (column + after);
        red += from[come];
        green += from[come + 1];
        blue += from[come + 2];
        weight += from[come + 3];
      }
      if (column > before) {
        const gone = start + 4 * (column - before - 1);
        red -= from[gone];
        green -= from[gone + 1];
        blue -= from[gone + 2];
        weight -= from[gone + 3];
      }
      if (column < 0) continue;
      const at = start + 4 * column;
      to[at] = red;
      to[at + 1] = green;
      to[at + 2] = blue;
      to[at + 3] = weight;
    }
  }
}

/** All columns at once, row by row: in the order in which pixels lie in memory. */
function spreadAlongColumns(from, to, width, height, before, after) {
  const length = 4 * width;
  const sums = new Float64Array(length);
  for (let row = -after; row < height; row++) {
    const [come, gone, at] = [row + after, row - before - 1, row].map((each) => each * length);
    if (row + after < height) for (let k = 0; k < length; k++) sums[k] += from[come + k];
    if (row > before) for (let k = 0; k < length; k++) sums[k] -= from[gone + k];
    if (row >= 0) for (let k = 0; k < length; k++) to[at + k] = sums[k];
  }
}
