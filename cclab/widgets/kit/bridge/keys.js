/** Keys of an app: caught before the notebook sees them, and only while the app has the reader's attention. */

const LETTER = /^\p{L}$/u;
const REPEAT_MS = 60;

/** The name of a key press: "m", "?", "ArrowLeft", "Space", "ctrl+shift+z" (Command counts as Ctrl). */
export function keyName(event) {
  const key = event.key === " " ? "Space" : event.key;
  const printed = key.length === 1 && !LETTER.test(key); // its Shift is part of the sign, as in "?"
  return [
    (event.ctrlKey || event.metaKey) && "ctrl",
    event.altKey && "alt",
    event.shiftKey && !printed && "shift",
    LETTER.test(key) ? key.toLowerCase() : key,
  ].filter(Boolean).join("+");
}

/** Whether an element takes text, so that letters belong to it. */
export function takesText(element) {
  if (!element) return false;
  if (element.isContentEditable || element.matches?.("textarea, select")) return true;
  return element.matches?.("input") && !["button", "checkbox", "radio", "submit", "file"].includes(element.type);
}

/** Whether an element has its own use for this key: Space presses a button, arrows move a slider. */
function hasOwnUse(element, name) {
  if (takesText(element)) return name !== "Escape";
  if (name === "Enter" && element?.matches?.("input[type=checkbox]")) return false;
  if (["Space", "Enter"].includes(name)) return element?.matches?.("button, a, input, [role=button], [data-action]");
  if (/^(Arrow|Page|Home|End)/.test(name)) return element?.matches?.("[role=slider], [role=tab], input[type=radio]");
  return false;
}

/** Offer a key to widgets first: one that has its own use for it, while it has the pointer or the focus, takes it. */
function isTaken(event) {
  return !window.dispatchEvent(new CustomEvent("cc-key", { detail: event, cancelable: true }));
}

/**
 * Listen for the bound keys of an app.
 * @param {HTMLElement} root the app
 * @param {() => Object<string, boolean>} bindings bound key names; true where the release is wanted too
 * @param {(name: string, event: KeyboardEvent, down: boolean) => void} report
 * @param {AbortSignal} signal ends it
 */
export function listenForKeys(root, bindings, report, signal) {
  const isPage = document.body.dataset.voila !== undefined && root.classList.contains("cc-page");
  const held = new Map(); // physical key -> its name when it went down
  let hovered = false;
  let last = 0;
  root.tabIndex = -1; // a click anywhere in the app gives it the focus
  root.style.outline = "none";
  root.addEventListener("pointerenter", () => (hovered = true), { signal });
  root.addEventListener("pointerleave", () => (hovered = false), { signal });

  const attended = () => {
    const focused = document.activeElement;
    if (root.contains(focused)) return true;
    return (hovered || isPage) && !takesText(focused) && !focused?.closest?.(".cc-app");
  };
  const down = (event) => {
    const name = keyName(event);
    if (!(name in bindings()) || !attended() || hasOwnUse(document.activeElement, name)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (isTaken(event)) return;
    if (event.repeat && (bindings()[name] || event.timeStamp - last < REPEAT_MS)) return;
    last = event.timeStamp;
    if (bindings()[name]) held.set(event.code, name);
    report(name, event, true);
  };
  const up = (event) => {
    if (!held.has(event.code)) return;
    report(held.get(event.code), event, false);
    held.delete(event.code);
  };
  window.addEventListener("keydown", down, { capture: true, signal });
  window.addEventListener("keyup", up, { capture: true, signal });
}
