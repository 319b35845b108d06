/** Samples drawn without a GPU: each sign once as a small picture, then stamped; many samples as little squares. */
import { Raster } from "./raster.js";
import { FADED, SPECK } from "./webgl.js";

const STAMPED = 60000; // samples in view that still have their signs; while the view moves
const STAMPED_MOVING = 20000;
const SQUARES_MOVING = 200000; // while the view moves, so many are drawn, chosen at random
const COARSE = 0.5; // and so many pixels of a raster are one of the page

const css = ([r, g, b, a]) => `rgb(${r} ${g} ${b} / ${a / 255})`;

export class CanvasMarks {
  static kind = "2d";
  slow = true;

  static make(canvas) { return new CanvasMarks(canvas.getContext("2d")); }

  constructor(context) {
    this.context = context;
    this.raster = new Raster();
    this.stamps = []; // by colour and shape
    this.stampSize = "";
    this.selection = new Uint32Array();
  }

  setPositions(xy) {
    this.xy = xy;
    this.seen = new Uint32Array(STAMPED);
  }

  setMarks(color, shape, opacity) { Object.assign(this, { color, shape, opacity }); }
  setSelection(indices) { this.selection = indices; }

  setColors(palette, edge, halo) {
    Object.assign(this, { palette, edge, halo });
    this.stamps = [];
  }

  /** The picture of a sign in a colour. */
  makeStamp(color, shape, radius, ratio, edged) {
    const form = FORMS[shape];
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = Math.ceil((2 * form.extent * radius + 2) * ratio);
    const context = canvas.getContext("2d");
    context.translate(canvas.width / 2, canvas.height / 2);
    context.scale(ratio, ratio);
    const paint = css(this.palette.subarray(4 * color, 4 * color + 4));
    const edge = form.hollow || !edged ? 0 : radius < 4 ? 0.5 : 1;
    const unit = radius - edge / 2; // the edge is drawn half outside
    form.corners.forEach(([x, y]) => context.lineTo(x * unit, y * unit));
    if (!form.corners.length) context.arc(0, 0, form.radius * unit, 0, 2 * Math.PI);
    context.closePath();
    if (form.hollow) {
      const arm = form.radius * unit * Math.SQRT1_2;
      context.moveTo(-arm, -arm);
      context.lineTo(arm, arm);
      context.moveTo(arm, -arm);
      context.lineTo(-arm, arm);
      context.strokeStyle = paint;
      context.lineWidth = Math.max(1.2, 0.26 * radius);
      context.stroke();
    } else {
      context.fillStyle = paint;
      context.fill();
      if (!edged) return canvas;
      context.strokeStyle = css(this.edge);
      context.lineWidth = edge;
      context.stroke();
    }
    return canvas;
  }

  draw(viewport, margin, ratio, radius, strength = 1, thinned = false) {
    const { context } = this;
    const { width, height } = context.canvas;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, width, height);
    context.save();
    context.beginPath();
    context.rect(margin.left * ratio, margin.top * ratio, viewport.width * ratio, viewport.height * ratio);
    context.clip();
    const seen = radius < SPECK ? null : this.inView(viewport, radius, thinned ? STAMPED_MOVING : STAMPED);
    if (seen) {
      this.drawHalos(viewport, ratio, radius);
      this.drawStamps(viewport, ratio, radius, seen, strength);
    } else {
      const others = this.selection.length ? Math.min(strength, FADED) : strength;
      this.drawSquares(null, viewport, margin, ratio, radius, others, thinned);
      if (this.selection.length) this.drawSquares(this.selection, viewport, margin, ratio, radius, 1, thinned);
    }
    context.restore();
  }

  /** The samples of which something is seen, or null where they are more than `most`. */
  inView(viewport, radius, most) {
    const { xy, opacity, seen } = this;
    const { x0, x1, y0, y1 } = viewport;
    const reach = 2 * radius; // a little more than any sign has
    const [left, right] = [-reach, viewport.width + reach].map((px) => x0 + (px / viewport.width) * (x1 - x0));
    const [low, high] = [-reach, viewport.height + reach].map((py) => y0 + (py / viewport.height) * (y1 - y0));
    let count = 0;
    for (let i = 0; i < opacity.length; i++) {
      const x = xy[2 * i];
      const y = xy[2 * i + 1];
      if (x < left || x > right || y < low || y > high || opacity[i] === 0) continue;
      if (count === most) return null;
      seen[count++] = i;
    }
    return seen.subarray(0, count);
  }

  drawHalos(viewport, ratio, radius) {
    const { context, xy } = this;
    context.fillStyle = css(this.halo);
    const size = (radius + Math.min(4, radius)) * ratio;
    for (const i of this.selection) {
      const [px, py] = [viewport.pixelX(xy[2 * i]) * ratio, viewport.pixelY(xy[2 * i + 1]) * ratio];
      if (px < -size || py < -size || px > context.canvas.width + size || py > context.canvas.height + size) continue;
      context.beginPath();
      context.arc(px, py, size, 0, 2 * Math.PI);
      context.fill();
    }
  }

  drawStamps(viewport, ratio, radius, drawn, strength) {
    const { context, xy, stamps } = this;
    const edged = strength >= 0.7; // in a crowd edges would be all that is seen
    const size = `${radius} ${ratio} ${edged}`;
    if (this.stampSize !== size) stamps.length = 0;
    this.stampSize = size;
    for (const i of drawn) {
      const key = FORMS.length * this.color[i] + this.shape[i];
      const stamp = (stamps[key] ??= this.makeStamp(this.color[i], this.shape[i], radius, ratio, edged));
      context.globalAlpha = (strength * this.opacity[i]) / 255;
      const half = stamp.width / 2;
      context.drawImage(stamp, viewport.pixelX(xy[2 * i]) * ratio - half, viewport.pixelY(xy[2 * i + 1]) * ratio - half);
    }
  }

  /** Little squares; while the view moves some of them, on a coarse raster. */
  drawSquares(chosen, viewport, margin, ratio, radius, strength, thinned) {
    const { context } = this;
    const n = chosen ? chosen.length : this.opacity.length;
    const stride = thinned ? Math.ceil(n / SQUARES_MOVING) : 1;
    const fine = thinned ? COARSE : ratio;
    const exact = 2 * Math.min(radius, SPECK) * fine;
    const side = Math.max(1, thinned ? Math.floor(exact) : Math.round(exact));
    const picture = this.raster.draw(this, chosen, stride, viewport, fine, side, strength);
    const [left, top] = [margin.left * ratio, margin.top * ratio];
    context.imageSmoothingEnabled = false;
    context.drawImage(picture, left, top, viewport.width * ratio, viewport.height * ratio);
  }

  release() { this.stamps = []; }
}
