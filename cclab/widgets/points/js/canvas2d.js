/** Samples drawn without WebGL: each sign once as a small picture, then stamped. */

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
    this.stamps = new Map();
    this.selection = new Uint32Array();
  }

  setPositions(xy) { this.xy = xy; }
  setMarks(color, shape, opacity) { Object.assign(this, { color, shape, opacity }); }
  setSelection(indices) { this.selection = indices; }

  setColors(palette, edge, halo) {
    Object.assign(this, { palette, edge, halo });
    this.stamps.clear();
  }

  /** The picture of a sign in a colour. */
  stamp(color, shape, radius, ratio) {
    const key = `${color} ${shape} ${radius} ${ratio}`;
    if (this.stamps.has(key)) return this.stamps.get(key);
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
      context.lineWidth = 1;
      if (radius >= 3) context.stroke();
    }
    this.stamps.set(key, canvas);
    return canvas;
  }

  draw(viewport, margin, ratio, radius) {
    const { context, xy } = this;
    const { width, height } = context.canvas;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, width, height);
    context.save();
    context.beginPath();
    context.rect(margin.left * ratio, margin.top * ratio, viewport.width * ratio, viewport.height * ratio);
    context.clip();
    context.fillStyle = css(this.halo);
    const halo = (radius + Math.min(4, radius)) * ratio;
    for (const i of this.selection) {
      context.beginPath();
      context.arc(viewport.pixelX(xy[2 * i]) * ratio, viewport.pixelY(xy[2 * i + 1]) * ratio, halo, 0, 2 * Math.PI);
      context.fill();
    }
    const seen = { x0: viewport.x0, x1: viewport.x1, y0: viewport.y0, y1: viewport.y1 };
    for (let i = 0; i < this.color.length; i++) {
      const x = xy[2 * i];
      const y = xy[2 * i + 1];
      if (x < seen.x0 || x > seen.x1 || y < seen.y0 || y > seen.y1) continue;
      const stamp = this.stamp(this.color[i], this.shape[i], radius, ratio);
      context.globalAlpha = this.opacity[i] / 255;
      context.drawImage(stamp, viewport.pixelX(x) * ratio - stamp.width / 2, viewport.pixelY(y) * ratio - stamp.height / 2);
    }
    context.restore();
    context.globalAlpha = 1;
  }

  release() { this.stamps.clear(); }
}
