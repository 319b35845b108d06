/** Gestures over a bqplot figure. bqplot draws, and its lasso selects; the rest is what it leaves to others. */
import { tell } from "../../tell.js";
import { Viewport } from "./viewport.js";
import { GridIndex } from "./index.js";
import { listenToPointer } from "./gestures.js";
import { Tip } from "./tip.js";

const LASSO_MS = 30; // bqplot reports its lasso on mouse-up, just after our pointer-up

async function attend(model, el, signal) {
  while (!el.isConnected && !signal.aborted) await new Promise(requestAnimationFrame);
  const element = el.closest(".cc-points");
  if (!element || signal.aborted) return;

  const tip = new Tip(el);
  const box = document.createElement("div");
  Object.assign(box.style, {
    position: "absolute", border: "1.5px solid var(--cc-focus)",
    background: "color-mix(in srgb, var(--cc-focus), transparent 93%)",
  });
  let pending = false;
  const plot = {
    viewport: new Viewport(),
    index: null,
    tool: "lasso",
    ownLasso: true,
    hovered: () => tip.hide(),
    sketch(corners) {
      if (!corners) return box.remove();
      const [xs, ys] = [0, 1].map((axis) => corners.map((corner) => corner[axis]));
      Object.assign(box.style, {
        left: `${Math.min(...xs)}px`, width: `${Math.max(...xs) - Math.min(...xs)}px`,
        top: `${Math.min(...ys)}px`, height: `${Math.max(...ys) - Math.min(...ys)}px`,
      });
      el.append(box);
    },
    moved() {
      tip.hide();
      if (pending) return;
      pending = true;
      requestAnimationFrame(() => {
        pending = false;
        const { x0, x1, y0, y1 } = plot.viewport;
        plot.report({ type: "view", view: [x0, x1, y0, y1] });
      });
    },
    lassoed: (mode, moved) => setTimeout(() => plot.report({ type: "lassoed", mode, moved }), LASSO_MS),
    report: (message, indices) => tell(model, message, indices ? [indices.buffer] : []),
  };
  const showTool = () => { plot.tool = element.dataset.tool = model.get("tool"); };
  const readPositions = () => {
    const bytes = model.get("xy");
    plot.index = new GridIndex(new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)));
    plot.viewport.fit();
  };
  const resize = () => {
    plot.viewport.resize(element.clientWidth, element.clientHeight);
    const room = [plot.viewport.width, plot.viewport.height].map(Math.round);
    if (room[0] > 1 && room[1] > 1) plot.report({ type: "room", room });
  };
  const sizes = new ResizeObserver(resize);
  sizes.observe(element);
  signal.addEventListener("abort", () => sizes.disconnect());

  model.on("change:tool", showTool);
  model.on("change:xy", readPositions);
  model.on("msg:custom", (message) => {
    if (message.type === "fit") plot.viewport.fit();
    if (message.type === "tip") {
      const { xy } = plot.index;
      tip.show(message.html, plot.viewport.pixelX(xy[2 * message.index]), plot.viewport.pixelY(xy[2 * message.index + 1]));
    }
  });
  showTool();
  readPositions();
  listenToPointer(element, plot, signal);
}

function render({ model, el }) {
  const closed = new AbortController();
  attend(model, el, closed.signal);
  return () => closed.abort();
}

export default { render };
