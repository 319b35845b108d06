/** Pointers, wheel and keys on the stage. */
import { Brush, Pan, Pinch, Polygon } from "./brush_gestures.js";

const LINE = 16; // CSS pixels that a wheel means by one line
const TOOLS = { b: "brush", e: "eraser", g: "polygon", h: "hand" };
const WHEEL_SPEED = 0.0015, PINCH_SPEED = 0.01; // a pinch on a touchpad comes as a wheel with Ctrl

export class Input {
  constructor(stage, signal) {
    this.stage = stage;
    this.touches = new Map(); // pointerId -> where it is
    this.gesture = null;
    this.owner = null; // the event that began the gesture
    this.polygon = null; // begun and not yet closed
    this.space = null; // "held", and "used" once something was dragged with it
    this.listenToPointers(signal);
    this.listenToKeys(signal);
  }

  /** Draw again what is being painted. */
  redraw() {
    this.polygon?.redraw();
    this.gesture?.redraw();
  }

  listenToPointers(signal) {
    const on = (name, handle, options) => this.stage.root.addEventListener(name, handle, { signal, ...options });
    on("pointerdown", (event) => this.down(event));
    on("pointermove", (event) => this.move(event));
    on("pointerup", (event) => this.release(event, "end"));
    on("pointercancel", (event) => this.release(event, "cancel"));
    on("pointerleave", () => this.stage.hover(null));
    on("wheel", (event) => this.wheel(event), { passive: false });
    on("contextmenu", (event) => event.preventDefault());
    on("mousedown", (event) => event.button === 1 && event.preventDefault()); // no scrolling by the middle button
  }

  down(event) {
    this.stage.root.focus({ preventScroll: true });
    this.stage.root.setPointerCapture(event.pointerId);
    const isPalm = event.pointerType === "touch" && this.owner?.pointerType === "pen";
    if (event.pointerType === "touch" && !isPalm) this.touches.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (this.touches.size === 2) {
      this.gesture?.cancel(); // the first finger was not painting after all
      this.gesture = new Pinch(this.stage, this.touches);
      this.owner = null;
    } else if (!this.gesture) {
      this.gesture = this.gestureFor(event);
      this.owner = this.gesture && event;
    }
  }

  gestureFor(event) {
    const { stage } = this, tool = stage.model.get("tool");
    if (this.space) this.space = "used";
    if (event.button === 1 || this.space || tool === "hand") return new Pan(stage, event);
    if (event.button === 5) return new Brush(stage, event, "erase"); // the other end of a pen
    if (event.button !== 0) return null;
    if (tool !== "polygon") return new Brush(stage, event, tool === "eraser" ? "erase" : "brush");
    if (this.polygon) this.polygon.place(event);
    else this.polygon = new Polygon(stage, event, () => (this.polygon = null));
    return null;
  }

  move(event) {
    if (this.touches.has(event.pointerId)) this.touches.set(event.pointerId, { x: event.clientX, y: event.clientY });
    this.stage.moveRing(event);
    if (!this.gesture) this.polygon?.follow(event);
    else if (this.isOwner(event)) this.gesture.move(event);
    this.stage.hover(event);
  }

  /** A gesture listens to the pointer that began it; two fingers belong to no one pointer. */
  isOwner(event) {
    return !this.owner || this.owner.pointerId === event.pointerId;
  }

  release(event, outcome) {
    this.touches.delete(event.pointerId);
    const { gesture } = this;
    if (!gesture || !this.isOwner(event)) return;
    this.gesture = this.owner = null;
    gesture[outcome]();
  }

  wheel(event) {
    event.preventDefault();
    if (this.gesture) return; // the paper holds still under the brush
    const turned = event.deltaY * (event.deltaMode === 1 ? LINE : 1);
    const box = this.stage.box(), factor = Math.exp(-turned * (event.ctrlKey ? PINCH_SPEED : WHEEL_SPEED));
    this.stage.camera.zoomAbout(factor, event.clientX - box.left, event.clientY - box.top);
    this.stage.invalidate("view");
  }

  /**
   * Keys of the stage are taken before the page's own, while the pointer is over the stage or the
   * focus in it; those of regions all over its app. Space pans while a pointer drags; a mere tap of it is handed on to the page.
   */
  listenToKeys(signal) {
    const on = (name, handle) => window.addEventListener(name, handle, { capture: true, signal });
    const offered = (offer, event) => {
      if (!this.takesKeys(event) || !this.take(event)) return;
      offer.preventDefault();
      offer.stopImmediatePropagation();
    };
    on("keydown", (event) => offered(event, event));
    on("cc-key", (event) => offered(event, event.detail)); // from an app that heard it first
    on("keyup", (event) => this.giveBack(event));
    on("blur", () => this.letGo());
  }

  takesKeys(event) {
    const { root } = this.stage;
    const presses = event.code === "Space" || event.key === "Enter"; // what a button has its own use for
    const elsewhere = event.target.closest?.(`input, textarea, select, [contenteditable=true]${presses ? ", button" : ""}`);
    const mine = /^\d$/.test(event.key) ? root.closest(".cc-app") ?? root : root; // a region is chosen from anywhere
    const here = mine.matches(":hover") || mine.contains(document.activeElement);
    return here && !elsewhere && !event.ctrlKey && !event.metaKey && !event.altKey && !this.handingOn;
  }

  take(event) {
    const key = event.key.toLowerCase();
    if (event.code === "Space") {
      this.space ??= "held";
      this.stage.root.classList.add("panning");
    } else if (key === "o") this.stage.showOriginal(true);
    else if (key in TOOLS) this.stage.choose("tool", TOOLS[key]);
    else if (/^\d$/.test(key) && key < this.stage.model.get("region_colors").length) this.stage.choose("region", Number(key));
    else if (this.polygon && event.key === "Enter") this.polygon.close();
    else if (this.polygon && event.key === "Escape") this.polygon.drop();
    else if (this.polygon && event.key === "Backspace") this.polygon.back();
    else return false;
    return true;
  }

  giveBack(event) {
    const tapped = event.code === "Space" && this.space === "held";
    if (event.code === "Space" || event.key.toLowerCase() === "o") this.letGo();
    if (!tapped) return;
    this.handingOn = true;
    event.target.dispatchEvent(new KeyboardEvent("keydown", { key: " ", code: "Space", bubbles: true }));
    this.handingOn = false;
  }

  letGo() {
    this.space = null;
    this.stage.root.classList.remove("panning");
    this.stage.showOriginal(false);
  }
}
