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
        if (this.opacity?.[i] === 0) return; // filtered out
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
    const xs = polygon.map(([px]) => viewport.unitX(px));
    const ys = polygon.map(([, py]) => viewport.unitY(py));
    const lowest = ys.reduce((low, y) => Math.min(low, y), Infinity);
    const highest = ys.reduce((high, y) => Math.max(high, y), -Infinity);
    const found = new Uint8Array(this.members.length);
    for (let row = this.cell(lowest); row <= this.cell(highest); row++) this.findInRow(row, xs, ys, found);
    return indicesOf(found);
  }

  /** Samples of one row of cells: those of a cell that the boundary crosses one by one, of the others all or none. */
  findInRow(row, xs, ys, found) {
    const { side, starts, members, xy, opacity } = this;
    const [bottom, top] = [row / side, (row + 1) / side];
    const crossed = new Uint8Array(side);
    for (let i = 0, j = xs.length - 1; i < xs.length; j = i++) {
      // Cells at the rim hold what lies beyond the unit square too.
      const low = row === 0 ? -Infinity : bottom;
      const high = row === side - 1 ? Infinity : top;
      if (Math.max(ys[i], ys[j]) < low || Math.min(ys[i], ys[j]) > high) continue;
      const at = (y) => (ys[i] === ys[j] ? xs[i] : xs[j] + ((xs[i] - xs[j]) * (y - ys[j])) / (ys[i] - ys[j]));
      const ends = [ys[i], ys[j]].map((y) => Math.min(Math.max(y, low), high));
      const [one, other] = ys[i] === ys[j] ? [xs[i], xs[j]] : ends.map(at);
      crossed.fill(1, this.cell(Math.min(one, other)), this.cell(Math.max(one, other)) + 1);
    }
    const crossings = crossingsAt(xs, ys, (bottom + top) / 2);
    for (let column = 0, passed = 0; column < side; column++) {
      while (passed < crossings.length && crossings[passed] < (column + 0.5) / side) passed++;
      const first = starts[row * side + column];
      const end = starts[row * side + column + 1];
      if (first === end) continue;
      const whole = !crossed[column];
      if (whole && passed % 2 === 0) continue;
      for (let k = first; k < end; k++) {
        const i = members[k];
        if (opacity?.[i] === 0) continue;
        if (whole || isInside(xs, ys, xy[2 * i], xy[2 * i + 1])) found[i] = 1;
      }
    }
  }
}

/** Where a horizontal line crosses the boundary, from the left. */
function crossingsAt(xs, ys, y) {
  const crossings = [];
  for (let i = 0, j = xs.length - 1; i < xs.length; j = i++) {
    if (ys[i] > y !== ys[j] > y) crossings.push(((xs[j] - xs[i]) * (y - ys[i])) / (ys[j] - ys[i]) + xs[i]);
  }
  return crossings.sort((one, other) => one - other);
}

function indicesOf(flags) {
  let count = 0;
  for (let i = 0; i < flags.length; i++) count += flags[i];
  const indices = new Uint32Array(count);
  for (let i = 0, k = 0; i < flags.length; i++) if (flags[i]) indices[k++] = i;
  return indices;
}

/** Even-odd rule: a ray from the point crosses the boundary an odd number of times. */
function isInside(xs, ys, x, y) {
  let inside = false;
  for (let i = 0, j = xs.length - 1; i < xs.length; j = i++) {
    if (ys[i] > y !== ys[j] > y && x < ((xs[j] - xs[i]) * (y - ys[i])) / (ys[j] - ys[i]) + xs[i]) inside = !inside;
  }
  return inside;
}
