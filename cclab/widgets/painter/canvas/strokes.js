/** How strokes look. Python's mask is the one that counts; what is drawn here follows the same path. */

const CASING = 1.5; // white rim, in CSS pixels

/** Path of a stroke in image coordinates; points are x, y, x, y, ... */
export function pathOf(points, closed) {
  const path = new Path2D();
  path.moveTo(points[0], points[1]);
  if (points.length === 2) path.lineTo(points[0] + 1e-3, points[1]); // a dot
  for (let k = 2; k < points.length; k += 2) path.lineTo(points[k], points[k + 1]);
  if (closed) path.closePath();
  return path;
}

/** Draw one stroke with a pen that works in image coordinates; `pixel` is the size there of a CSS pixel. */
export function drawStroke(pen, { kind, size, path }, colour, pixel) {
  pen.lineCap = pen.lineJoin = "round";
  if (kind === "erase") {
    pen.globalCompositeOperation = "destination-out";
    drawLine(pen, path, "black", size);
    pen.globalCompositeOperation = "source-over";
    return;
  }
  const width = kind === "polygon" ? 2 * pixel : size;
  drawLine(pen, path, "white", width + 2 * CASING * pixel);
  if (kind === "polygon") {
    pen.globalAlpha = 0.7;
    pen.fillStyle = colour;
    pen.fill(path, "evenodd");
    pen.globalAlpha = 1;
  }
  drawLine(pen, path, colour, width);
}

function drawLine(pen, path, style, width) {
  pen.strokeStyle = style;
  pen.lineWidth = width;
  pen.stroke(path);
}

/** Add a piece to the stroke being painted. The rim goes beneath what is there, so pieces join without a seam. */
export function drawPiece(pen, { kind, size }, path, colour, pixel) {
  pen.lineCap = pen.lineJoin = "round";
  if (kind === "erase") {
    drawStroke(pen, { kind, size, path }, colour, pixel);
    return;
  }
  drawLine(pen, path, colour, size);
  pen.globalCompositeOperation = "destination-over";
  drawLine(pen, path, "white", size + 2 * CASING * pixel);
  pen.globalCompositeOperation = "source-over";
}

/** The polygon so far, the side that follows the pointer, and its corners. */
export function drawOpenPolygon(pen, points, colour, pixel) {
  const path = pathOf(points, false);
  pen.lineCap = pen.lineJoin = "round";
  pen.globalAlpha = 0.25;
  pen.fillStyle = colour;
  pen.fill(path, "evenodd");
  pen.globalAlpha = 1;
  drawLine(pen, path, "white", (2 + 2 * CASING) * pixel);
  drawLine(pen, path, colour, 2 * pixel);
  pen.fillStyle = "white";
  for (let k = 0; k < points.length - 2; k += 2) {
    pen.beginPath();
    pen.arc(points[k], points[k + 1], 3 * pixel, 0, 2 * Math.PI);
    pen.fill();
  }
}
