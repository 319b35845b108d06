/** The camera over the picture. */

const MARGIN = 16; // around a picture that is fitted, in CSS pixels
const FARTHEST = 1 / 16, NEAREST = 64; // CSS pixels to one of the picture

/** Where the image lies: stage = image * zoom + (x, y), in CSS pixels. */
export class Camera {
  zoom = 1;
  x = 0;
  y = 0;
  fitted = true; // until the person zooms or pans, the image follows the size of the stage

  /** Into the middle of the stage, between what floats at its upper and at its lower edge. */
  fit({ width, height, above, below }, image) {
    const room = (side, free) => Math.max(1, free - 2 * MARGIN) / side;
    this.zoom = Math.min(room(image.width, width), room(image.height, height - above - below), NEAREST);
    this.x = (width - image.width * this.zoom) / 2;
    this.y = above + (height - above - below - image.height * this.zoom) / 2;
    this.fitted = true;
  }

  moveBy(dx, dy) {
    this.x += dx;
    this.y += dy;
    this.fitted = false;
  }

  zoomAbout(factor, x, y) {
    const zoom = Math.min(NEAREST, Math.max(FARTHEST, this.zoom * factor));
    this.x = x - ((x - this.x) * zoom) / this.zoom;
    this.y = y - ((y - this.y) * zoom) / this.zoom;
    this.zoom = zoom;
    this.fitted = false;
  }
}
