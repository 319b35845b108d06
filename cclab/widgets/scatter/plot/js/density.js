/** How densely samples lie, as a picture under them: where they cover each other, only this tells how many there are. */

export const FROM = 20000; // samples, from which on there is a density
const CELL = 4; // pixels a side
const STRONGEST = 0.9;

export class Density {
  /** Count the samples in view, and mix their colours, cell by cell. */
  constructor(scene, viewport, palette) {
    const { xy, color, opacity, weight } = scene; // a weight for each sample, or none
    const columns = Math.max(1, Math.ceil(viewport.width / CELL));
    const rows = Math.max(1, Math.ceil(viewport.height / CELL));
    const { x0, x1, y0, y1 } = viewport;
    this.bounds = { x0, x1, y0, y1 };
    const [toColumn, toRow] = [columns / (x1 - x0), rows / (y1 - y0)];
    const sums = new Float32Array(4 * columns * rows);
    let drawn = 0;
    for (let i = 0, n = xy.length / 2; i < n; i++) {
      const column = Math.floor((xy[2 * i] - x0) * toColumn);
      const row = Math.floor((y1 - xy[2 * i + 1]) * toRow);
      if (column < 0 || row < 0 || column >= columns || row >= rows || opacity[i] === 0) continue;
      const cell = 4 * (row * columns + column);
      const paint = 4 * color[i];
      const many = weight.length ? weight[i] : 1;
      sums[cell] += many * palette[paint];
      sums[cell + 1] += many * palette[paint + 1];
      sums[cell + 2] += many * palette[paint + 2];
      sums[cell + 3] += many;
      drawn++;
    }
    // How many others the samples have in their cell, in the mean.
    let [all, squares] = [0, 0];
    for (let c = 3; c < sums.length; c += 4) {
      all += sums[c];
      squares += sums[c] * sums[c];
    }
    this.crowd = all ? squares / all : 0;
    this.drawn = all ? drawn / all : 1; // of what is counted, the share that is drawn as points
    this.canvas = this.paint(sums, columns, rows);
  }

  paint(sums, columns, rows) {
    const canvas = document.createElement("canvas");
    canvas.width = columns;
    canvas.height = rows;
    const context = canvas.getContext("2d");
    const picture = context.createImageData(columns, rows);
    const scale = 255 * STRONGEST / Math.sqrt(2 * Math.max(1, this.crowd));
    for (let c = 0; c < sums.length; c += 4) {
      const count = sums[c + 3];
      if (!count) continue;
      for (let k = 0; k < 3; k++) picture.data[c + k] = sums[c + k] / count;
      picture.data[c + 3] = scale * Math.sqrt(count);
    }
    context.putImageData(picture, 0, 0);
    return canvas;
  }

  /** Draw it where it belongs, also when the view has moved on. */
  draw(context, viewport, margin) {
    const { x0, x1, y0, y1 } = this.bounds;
    context.save();
    context.beginPath();
    context.rect(margin.left, margin.top, viewport.width, viewport.height);
    context.clip();
    context.imageSmoothingEnabled = true;
    const [left, top] = [viewport.pixelX(x0), viewport.pixelY(y1)];
    context.drawImage(this.canvas, left, top, viewport.pixelX(x1) - left, viewport.pixelY(y0) - top);
    context.restore();
  }

  /** How opaque samples of a radius may be, so that those in dense places do not hide how dense they are. */
  strength(radius) {
    const layers = (this.crowd * this.drawn * Math.PI * radius * radius) / (CELL * CELL);
    return Math.min(1, Math.max(0.06, 0.8 / Math.max(layers, 0.01)));
  }
}
