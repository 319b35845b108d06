/** Which samples lie where: a grid over the unit square, so that hovering and selecting need not look at all of them. */

const PER_CELL = 4;

export class GridIndex {
  /** @param {Float32Array} xy positions in the unit square, x and y by turns */
  constructor(xy) {
    const n = xy.length / 2;
    this.xy = xy;
    this.side = Math.max(1, Math.min(1024, Math.floor(Math.sqrt(n / PER_CELL))));
    const cellOf = (i) => this.cell(xy[2 * i + 1]) * this.side + this.cell(xy[2 * i]);
    this.starts = new Uint32Array(this.side * this.side + 1);
    for (let i = 0; i < n; i++) this.starts[cellOf(i) + 1]++;
    for (let c = 0; c < this.side * this.side; c++) this.starts[c + 1] += this.starts[c];
    const next = this.starts.slice();
    this.members = new Uint32Array(n);
    for (let i = 0; i < n; i++) this.members[next[cellOf(i)]++] = i;
  }

  cell(unit) { return Math.min(this.side - 1, Math.max(0, Math.floor(unit * this.side))); }

  /** Call `visit(i)` for every sample in a cell that the rectangle touches. */
  visit(x0, y0, x1, y1, visit) {
    for (let row = this.cell(y0); row <= this.cell(y1); row++) {
      const first = this.starts[row * this.side + this.cell(x0)];
      const end = this.starts[row * this.side + this.cell(x1) + 1];
      for (let k = first; k < end; k++) visit(this.members[k]);
    }
  }

  /** The sample nearest to a pixel, or -1 where none is within `radius` pixels. */
  nearest(viewport, px, py, radius) {
    let best = -1;
    let least = radius * radius;
    this.visit(
      viewport.unitX(px - radius), viewport.unitY(py + radius), viewport.unitX(px + radius), viewport.unitY(py - radius),
      (i) => {
        const dx = viewport.pixelX(this.xy[2 * i]) - px;
        const dy = viewport.pixelY(this.xy[2 * i + 1]) - py;
        const distance = dx * dx + dy * dy;
        if (distance <= least) { least = distance; best = i; }
      },
    );
    return best;
  }

  /** The samples inside a polygon given in pixels, in order. */
  inside(viewport, polygon) {
    const corners = polygon.map(([px, py]) => [viewport.unitX(px), viewport.unitY(py)]);
    const xs = corners.map(([x]) => x);
    const ys = corners.map(([, y]) => y);
    const [x0, x1, y0, y1] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    const found = [];
    this.visit(x0, y0, x1, y1, (i) => {
      const x = this.xy[2 * i];
      const y = this.xy[2 * i + 1];
      if (x >= x0 && x <= x1 && y >= y0 && y <= y1 && isInside(xs, ys, x, y)) found.push(i);
    });
    return Uint32Array.from(found).sort();
  }
}

/** Even-odd rule: a ray from the point crosses the boundary an odd number of times. */
function isInside(xs, ys, x, y) {
  let inside = false;
  for (let i = 0, j = xs.length - 1; i < xs.length; j = i++) {
    if (ys[i] > y !== ys[j] > y && x < ((xs[j] - xs[i]) * (y - ys[i])) / (ys[j] - ys[i]) + xs[i]) inside = !inside;
  }
  return inside;
}
