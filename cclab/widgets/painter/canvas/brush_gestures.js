/** What a pointer does on the stage: a gesture has move(event), end(), cancel() and redraw(). */
import { drawOpenPolygon, drawPiece, pathOf } from "./strokes.js";

const SMALLEST_MOVE = 0.35; // in CSS pixels: nearer points add nothing
const SAME_CORNER = 6; // in CSS pixels: a click so near means the corner that is there

export class Pan {
  constructor(stage, event) {
    Object.assign(this, { stage, x: event.clientX, y: event.clientY });
  }

  move(event) {
    this.stage.camera.moveBy(event.clientX - this.x, event.clientY - this.y);
    Object.assign(this, { x: event.clientX, y: event.clientY });
    this.stage.invalidate("view");
  }

  end() {}
  cancel() {}
  redraw() {}
}

/** Two fingers: the image stays under both. */
export class Pinch {
  constructor(stage, touches) {
    Object.assign(this, { stage, touches });
    this.last = this.grip();
  }

  grip() {
    const [one, other] = this.touches.values(), box = this.stage.box();
    return {
      x: (one.x + other.x) / 2 - box.left,
      y: (one.y + other.y) / 2 - box.top,
      spread: Math.hypot(one.x - other.x, one.y - other.y) || 1,
    };
  }

  move() {
    if (this.touches.size < 2) return;
    const now = this.grip(), { camera } = this.stage;
    camera.moveBy(now.x - this.last.x, now.y - this.last.y);
    camera.zoomAbout(now.spread / this.last.spread, now.x, now.y);
    this.last = now;
    this.stage.invalidate("view");
  }

  end() {}
  cancel() {}
  redraw() {}
}

export class Brush {
  constructor(stage, event, kind) {
    this.stage = stage;
    this.stroke = { kind, region: stage.model.get("region"), size: stage.model.get("size") };
    this.points = [];
    // The eraser cuts what is painted; a brush paints on a sheet of its own above it.
    this.layer = kind === "erase" ? "strokes" : "live";
    this.colour = stage.regionColour(this.stroke.region);
    this.add(event);
  }

  move(event) {
    const events = event.getCoalescedEvents?.() ?? [];
    for (const each of events.length ? events : [event]) this.add(each);
  }

  add(event) {
    const [x, y] = this.stage.toImage(event), { points } = this, n = points.length;
    const pixel = 1 / this.stage.camera.zoom;
    if (n && Math.hypot(x - points[n - 2], y - points[n - 1]) < SMALLEST_MOVE * pixel) return;
    points.push(x, y);
    drawPiece(this.stage.pen(this.layer), this.stroke, pathOf(points.slice(-4), false), this.colour, pixel);
  }

  redraw() {
    drawPiece(this.stage.pen(this.layer), this.stroke, pathOf(this.points, false), this.colour, 1 / this.stage.camera.zoom);
  }

  end() {
    this.stage.finish(this.stroke, this.points);
  }

  cancel() {
    this.stage.invalidate("strokes");
  }
}

/** Click by click; it outlives its clicks, and closes with a double click, Enter or a click on its first corner. */
export class Polygon {
  /** @param {() => void} over called when it is closed or dropped */
  constructor(stage, event, over) {
    Object.assign(this, { stage, over });
    this.stroke = { kind: "polygon", region: stage.model.get("region"), size: 1 };
    this.colour = stage.regionColour(this.stroke.region);
    this.points = [];
    this.place(event);
  }

  place(event) {
    const [x, y] = this.stage.toImage(event), { points } = this, n = points.length;
    const near = (k) => Math.hypot(x - points[k], y - points[k + 1]) * this.stage.camera.zoom < SAME_CORNER;
    if (n >= 2 && (near(n - 2) || (n >= 6 && near(0)))) {
      this.close();
    } else {
      points.push(x, y);
      this.follow(event);
    }
  }

  follow(event) {
    this.tip = this.stage.toImage(event);
    this.redraw();
  }

  redraw() {
    const pen = this.stage.clear("live");
    drawOpenPolygon(pen, [...this.points, ...this.tip], this.colour, 1 / this.stage.camera.zoom);
  }

  back() {
    this.points.length -= 2;
    if (this.points.length) this.redraw();
    else this.drop();
  }

  close() {
    if (this.points.length < 6) { // two corners enclose nothing
      this.drop();
      return;
    }
    this.over();
    this.stage.finish(this.stroke, this.points);
  }

  drop() {
    this.over();
    this.stage.clear("live");
  }
}
