/** Samples drawn without WebGL: each sign once as a small picture, then stamped; many samples as little squares. */
import { FADED, SPECK } from "./webgl.js";

const LEVELS = 8; // of opacity, for specks: those alike are painted together

const css = ([r, g, b, a]) => `rgb(${r} ${g} ${b} / ${a / 255})`;

function trace(context, shape, radius) {
  context.beginPath();
  if (shape === 0 || shape === 3) {
    context.arc(0, 0, shape === 3 ? 1.1 * radius : radius, 0, 2 * Math.PI);
  } else if (shape === 1) {
    context.moveTo(0, -1.65 * radius);
    context.lineTo(0.95 * radius, 0);
    context.lineTo(0, 1.65 * radius);
    context.lineTo(-0.95 * radius, 0);
    context.closePath();
  } else {
    context.rect(-0.86 * radius, -0.86 * radius, 1.72 * radius, 1.72 * radius);
  }
}

export class CanvasMarks {
  static kind = "2d";

  static make(canvas) { return new CanvasMarks(canvas.getContext("2d")); }

  constructor(context) {
    this.context = context;
    this.stamps = []; // by colour and shape
    this.stampSize = "";
    this.selection = new Uint32Array();
  }

  setPositions(xy) { this.xy = xy; }
  setMarks(color, shape, opacity) { Object.assign(this, { color, shape, opacity }); }
  setSelection(indices) { this.selection = indices; }

  setColors(palette, edge, halo) {
    Object.assign(this, { palette, edge, halo });
    this.stamps = [];
  }

  /** The picture of a sign in a colour. */
  makeStamp(color, shape, radius, ratio) {
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = Math.ceil((3.3 * radius + 2) * ratio);
    const context = canvas.getContext("2d");
    context.translate(canvas.width / 2, canvas.height / 2);
    context.scale(ratio, ratio);
    const paint = css(this.palette.subarray(4 * color, 4 * color + 4));
    trace(context, shape, shape === 3 ? radius : radius - 0.5);
    if (shape === 3) {
      const arm = 0.72 * radius;
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
      context.strokeStyle = css(this.edge);
      context.lineWidth = radius < 4 ? 0.5 : 1;
      context.stroke();
    }
    return canvas;
  }

  draw(viewport, margin, ratio, radius) {
    const { context } = this;
    const { width, height } = context.canvas;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, width, height);
    context.save();
    context.beginPath();
    context.rect(margin.left * ratio, margin.top * ratio, viewport.width * ratio, viewport.height * ratio);
    context.clip();
    if (radius >= SPECK) {
      this.drawHalos(viewport, ratio, radius);
      this.drawStamps(viewport, ratio, radius);
    } else {
      this.drawSpecks(viewport, ratio, radius, this.color.keys(), this.selection.length ? FADED : 1);
      this.drawSpecks(viewport, ratio, radius, this.selection, 1);
    }
    context.restore();
  }

  drawHalos(viewport, ratio, radius) {
    const { context, xy } = this;
    context.fillStyle = css(this.halo);
    for (const i of this.selection) {
      context.beginPath();
      context.arc(
        viewport.pixelX(xy[2 * i]) * ratio, viewport.pixelY(xy[2 * i + 1]) * ratio,
        (radius + Math.min(4, radius)) * ratio, 0, 2 * Math.PI,
      );
      context.fill();
    }
  }

  drawStamps(viewport, ratio, radius) {
    const { context, xy, stamps } = this;
    const size = `${radius} ${ratio}`;
    if (this.stampSize !== size) stamps.length = 0;
    this.stampSize = size;
    for (let i = 0; i < this.color.length; i++) {
      const key = 4 * this.color[i] + this.shape[i];
      const stamp = (stamps[key] ??= this.makeStamp(this.color[i], this.shape[i], radius, ratio));
      context.globalAlpha = this.opacity[i] / 255;
      const half = stamp.width / 2;
      context.drawImage(stamp, viewport.pixelX(xy[2 * i]) * ratio - half, viewport.pixelY(xy[2 * i + 1]) * ratio - half);
    }
  }

  drawSpecks(viewport, ratio, radius, chosen, strength) {
    const { context, xy, color, opacity } = this;
    const alike = new Map(); // colour and level of opacity -> samples
    for (const i of chosen) {
      const key = LEVELS * color[i] + ((opacity[i] * LEVELS) >> 8);
      if (alike.has(key)) alike.get(key).push(i);
      else alike.set(key, [i]);
    }
    const side = Math.round(2 * radius * ratio);
    for (const [key, samples] of alike) {
      const paint = Math.floor(key / LEVELS);
      context.fillStyle = css(this.palette.subarray(4 * paint, 4 * paint + 4));
      context.globalAlpha = (strength * ((key % LEVELS) + 0.5)) / LEVELS;
      for (const i of samples) {
        const px = Math.round(viewport.pixelX(xy[2 * i]) * ratio - side / 2);
        const py = Math.round(viewport.pixelY(xy[2 * i + 1]) * ratio - side / 2);
        context.fillRect(px, py, side, side);
      }
    }
  }

  release() { this.stamps = []; }
}
