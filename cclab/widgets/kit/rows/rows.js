/** A list or a table of rows in HTML, of which only those that changed are touched. */
import { tell } from "../send.js";

const ACTION = "[data-action]";

function parse(html) {
  const template = document.createElement("template");
  template.innerHTML = html.trim();
  return template.content.firstElementChild ?? document.createElement("div");
}

/** Where the focus is: which row, and which of its actions. */
function focusedAction(body, entries) {
  const focused = document.activeElement;
  if (!body.contains(focused)) return null;
  const place = entries.findIndex(({ node }) => node.contains(focused));
  const action = focused.closest(ACTION)?.dataset.action;
  return place < 0 ? null : { key: entries[place].key, place, action };
}

/** Give the focus back to the same action of the same row, or of the row that took its place. */
function restoreFocus(entries, focus) {
  if (!focus || entries.length === 0) return;
  const same = entries.find(({ key }) => key === focus.key) ?? entries[Math.min(focus.place, entries.length - 1)];
  if (same.node.contains(document.activeElement)) return;
  const action = `[data-action="${CSS.escape(focus.action ?? "")}"]`;
  (same.node.matches(action) ? same.node : same.node.querySelector(action))?.focus({ preventScroll: true });
}

/** Bring the body's rows to the wanted ones; returns the new entries. */
function patch(body, entries, wanted) {
  const focus = focusedAction(body, entries);
  const known = new Map(entries.map((entry) => [entry.key, entry]));
  const next = wanted.map(([key, html]) => {
    const old = known.get(key);
    if (old?.html === html) return old;
    return { key, html, node: parse(html) };
  });
  const kept = new Set(next.map(({ node }) => node));
  for (const { node } of entries) if (!kept.has(node)) node.remove();
  next.forEach(({ node }, place) => {
    if (body.children[place] !== node) body.insertBefore(node, body.children[place] ?? null);
  });
  restoreFocus(next, focus);
  return next;
}

function skeleton(kind, label) {
  const table = kind === "table";
  const outer = document.createElement(table ? "table" : "div");
  const head = document.createElement(table ? "thead" : "div");
  const body = document.createElement(table ? "tbody" : "div");
  outer.setAttribute("aria-label", label);
  if (!table) {
    outer.setAttribute("role", "group"); // what has no role may have no name
    body.className = "cc-list";
  }
  outer.append(head, body);
  return { outer, head, body };
}

/** Follow classes that are added or removed later: anywidget takes the view's own listener for them away. */
function keepClasses(model, el) {
  let shown = model.get("_dom_classes");
  model.on("change:_dom_classes", () => {
    el.classList.remove(...shown);
    shown = model.get("_dom_classes");
    el.classList.add(...shown);
  });
}

function render({ model, el }) {
  el.classList.add("cc-rows", "cc-scroll");
  const { outer, head, body } = skeleton(model.get("kind"), model.get("label"));
  el.append(outer);
  let entries = [];
  let hovered = null;

  const showHead = () => { head.innerHTML = model.get("head"); };
  const showRows = () => { entries = patch(body, entries, model.get("rows")); };
  const act = (target, event, value) => tell(model, {
    type: "act", action: target.dataset.action, id: target.dataset.id ?? null, value,
    shift: event.shiftKey ?? false, ctrl: (event.ctrlKey || event.metaKey) ?? false,
  });
  const hover = (id) => {
    if (id === hovered) return;
    hovered = id;
    tell(model, { type: "hover", id });
  };
  const isField = (target) => target.matches("input, select, textarea");

  el.addEventListener("click", (event) => {
    const target = event.target.closest(ACTION);
    if (target && !isField(target)) act(target, event, null);
  });
  el.addEventListener("change", (event) => {
    const target = event.target;
    if (target.matches(ACTION)) act(target, event, target.type === "checkbox" ? target.checked : target.value);
  });
  el.addEventListener("keydown", (event) => {
    const target = event.target;
    if (event.key === "Enter" && target.matches("input")) return target.blur(); // done: keys are the page's again
    if (!["Enter", " "].includes(event.key) || !target.matches(`${ACTION}:not(button, a, input, select, textarea)`)) return;
    event.preventDefault();
    act(target, event, null);
  });
  el.addEventListener("pointerover", (event) => hover(event.target.closest("[data-hover]")?.dataset.hover ?? null));
  el.addEventListener("pointerleave", () => hover(null));

  model.on("change:head", showHead);
  model.on("change:rows", showRows);
  model.on("msg:custom", ({ type, key }) => {
    if (type === "reveal") entries.find((entry) => entry.key === key)?.node.scrollIntoView({ block: "nearest" });
  });
  keepClasses(model, el);
  showHead();
  showRows();
}

export default { render };
