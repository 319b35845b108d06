/** A table of any length: rows in sight are asked for, all others are only room to scroll in. */
import { tell } from "../send.js";

const ROW = 27; // pixels
const TALLEST = 1.2e7; // pixels that every browser can scroll
const AROUND = 8; // rows beyond those in sight

function render({ model, el }) {
  el.classList.add("cc-rows", "cc-long-table", "cc-scroll");
  el.tabIndex = 0;
  const room = document.createElement("div");
  const table = document.createElement("table");
  const head = table.createTHead();
  const body = table.createTBody();
  table.setAttribute("aria-label", model.get("label"));
  table.className = "cc-long-body";
  room.append(table);
  el.append(room);
  let asked = "";
  let planned = false;

  const count = () => Math.ceil(el.clientHeight / ROW) + AROUND;
  /** The row at the top: rows are denser than pixels where there are more than fit a browser. */
  const first = () => {
    const n = model.get("n_rows");
    const scrollable = Math.max(1, room.offsetHeight - el.clientHeight);
    const last = Math.max(0, n - Math.floor((el.clientHeight - head.offsetHeight) / ROW));
    return Math.min(last, Math.round((el.scrollTop / scrollable) * last));
  };
  const resize = () => {
    room.style.height = `${Math.min(TALLEST, model.get("n_rows") * ROW + head.offsetHeight + 2)}px`;
  };
  const ask = () => {
    planned = false;
    if (!el.clientHeight) return;
    const wanted = `${model.get("edition")} ${first()} ${count()}`;
    if (wanted === asked) return;
    asked = wanted;
    tell(model, { type: "window", first: first(), count: count() });
  };
  const plan = () => {
    if (planned) return;
    planned = true;
    requestAnimationFrame(ask);
  };
  const show = ({ rows, edition }) => {
    if (edition !== model.get("edition")) return;
    const template = document.createElement("template");
    template.innerHTML = rows.join("");
    body.replaceChildren(...template.content.children);
  };
  const act = (event) => {
    const target = event.target.closest("[data-action]");
    if (!target) return;
    tell(model, {
      type: "act", action: target.dataset.action, id: target.dataset.id ?? null,
      shift: event.shiftKey, ctrl: event.ctrlKey || event.metaKey,
    });
  };
  const changed = () => {
    head.innerHTML = model.get("head");
    resize();
    plan();
  };
  el.addEventListener("scroll", plan, { passive: true });
  el.addEventListener("click", act);
  el.addEventListener("keydown", (event) => {
    if (!["Enter", " "].includes(event.key) || !event.target.matches("[data-action]:not(button)")) return;
    event.preventDefault();
    act(event);
  });
  const sizes = new ResizeObserver(plan);
  sizes.observe(el);
  for (const trait of ["head", "n_rows", "edition"]) model.on(`change:${trait}`, changed);
  model.on("msg:custom", (message) => {
    if (message.type === "rows") show(message);
  });
  changed();
  return () => sizes.disconnect();
}

export default { render };
