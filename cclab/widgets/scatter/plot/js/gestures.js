/** What a pointer does on a plot: select by lasso or box, move, zoom, point at a sample. */

const CLICK_PX = 4; // a press that moves less is a click
const VERTEX_PX = 3; // distance between two corners of a lasso
const HOVER_PX = 12;
const HOVER_MS = 25;

const modeOf = (event) => (event.shiftKey ? "add" : event.altKey ? "remove" : "replace");
const boxOf = ([x0, y0], [x1, y1]) => [[x0, y0], [x1, y0], [x1, y1], [x0, y1]];

/**
 * Turn pointer events into calls on a plot, which has
 *   viewport, index (GridIndex), tool ("lasso", "box", "hand"),
 *   sketch(polygon | null): draw the selection under way,
 *   moved(): the viewport has changed,
 *   report(message, buffer): tell Python,
 *   hovered(i): the pointer is at sample i (-1: at none).
 * @param {HTMLElement} element receives the events, and has the plot's size
 */
export function listenToPointer(element, plot, signal) {
  let drag = null;
  let hovered = -1;
  let latest = null; // where the pointer was last, while a hover is waiting its turn
  let lookedAt = 0; // when

  const place = (event) => {
    const box = element.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  const hover = (i) => {
    if (i === hovered) return;
    hovered = i;
    element.classList.toggle("cc-over-point", i >= 0);
    plot.hovered(i);
    plot.report({ type: "hover", index: i < 0 ? null : i });
  };
  const down = (event) => {
    const at = place(event);
    if (event.button !== 0 || !plot.viewport.contains(...at)) return;
    drag = { tool: plot.tool, mode: modeOf(event), path: [at], last: at, moved: false };
    hover(-1);
    window.addEventListener("pointermove", move, { signal });
    window.addEventListener("pointerup", up, { signal });
    window.addEventListener("pointercancel", cancel, { signal });
  };
  const move = (event) => {
    const at = place(event);
    const [start] = drag.path;
    drag.moved ||= Math.hypot(at[0] - start[0], at[1] - start[1]) >= CLICK_PX;
    if (!drag.moved) return;
    if (drag.tool === "hand") {
      plot.viewport.pan(at[0] - drag.last[0], at[1] - drag.last[1]);
      plot.moved();
    } else if (drag.tool === "box") {
      plot.sketch(boxOf(start, at));
    } else {
      const corner = drag.path.at(-1);
      if (Math.hypot(at[0] - corner[0], at[1] - corner[1]) >= VERTEX_PX) drag.path.push(at);
      plot.sketch(drag.path);
    }
    drag.last = at;
  };
  const stop = () => {
    window.removeEventListener("pointermove", move);
    window.removeEventListener("pointerup", up);
    window.removeEventListener("pointercancel", cancel);
    plot.sketch(null);
    const ended = drag;
    drag = null;
    return ended;
  };
  const cancel = () => stop();
  const up = (event) => {
    const { tool, mode, path, moved } = stop();
    const at = place(event);
    if (!moved) {
      const i = plot.index.nearest(plot.viewport, ...at, HOVER_PX);
      plot.report({ type: "click", index: i < 0 ? null : i });
    }
    if (tool === "hand" || !moved) return;
    const polygon = tool === "box" ? boxOf(path[0], at) : path;
    const began = performance.now();
    const inside = plot.index.inside(plot.viewport, polygon);
    performance.measure("cclab lasso", { start: began });
    // Where samples stand for others, Python looks for those too.
    const { viewport } = plot;
    const region = plot.scene.weight?.length ? polygon.map(([x, y]) => [viewport.unitX(x), viewport.unitY(y)]) : null;
    plot.report(region ? { type: "select", mode, region } : { type: "select", mode }, inside);
  };
  const look = () => {
    const at = latest;
    latest = null;
    lookedAt = performance.now();
    if (drag || !at) return;
    hover(plot.viewport.contains(...at) ? plot.index.nearest(plot.viewport, ...at, HOVER_PX) : -1);
  };
  const point = (event) => {
    const waiting = latest !== null;
    latest = place(event);
    if (waiting) return;
    const wait = lookedAt + HOVER_MS - performance.now();
    if (wait > 0) setTimeout(look, wait);
    else look(); // it has rested: nothing is gained by waiting
  };
  const leave = () => {
    latest = null;
    hover(-1);
  };
  const wheel = (event) => {
    const at = place(event);
    if (!plot.viewport.contains(...at)) return;
    event.preventDefault();
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 30 : 1;
    plot.viewport.zoom(...at, Math.exp(Math.max(-1, Math.min(1, event.deltaY * lines * 0.0016))));
    plot.moved();
  };
  const fit = () => {
    plot.viewport.fit();
    plot.moved();
  };
  element.addEventListener("pointerdown", down, { signal });
  element.addEventListener("pointermove", point, { signal });
  element.addEventListener("pointerleave", leave, { signal });
  element.addEventListener("wheel", wheel, { signal, passive: false });
  element.addEventListener("dblclick", fit, { signal });
}
