/** Where the focus goes: into what is opened to be typed into, and back to the page after a choice in a menu. */

const MOVES = /^(Arrow|Page|Home|End)/;

/** A line that appears takes the focus then, and not before: what is hidden can't have it. */
export function focusWhenShown(root, signal) {
  const watch = new MutationObserver((changes) => {
    for (const { target, oldValue } of changes) {
      const appears = target.matches(".cc-takes-focus:not(.cc-hidden)") && oldValue?.includes("cc-hidden");
      if (appears) focusSoon(target.querySelector("input"));
    }
  });
  watch.observe(root, { subtree: true, attributeFilter: ["class"], attributeOldValue: true });
  signal.addEventListener("abort", () => watch.disconnect());
}

const PATIENCE = 5000; // ms

/** In one of the next frames: what lies around it may have to appear first, by a message that is still under way. */
function focusSoon(input, until = performance.now() + PATIENCE) {
  input?.focus({ preventScroll: true });
  const waits = input && document.activeElement !== input && performance.now() < until;
  if (waits) requestAnimationFrame(() => focusSoon(input, until));
}

/** After a choice in a menu the keys belong to the page again: else the next answer would choose another entry. */
export function giveFocusBack(root, signal) {
  let moving = false; // by arrow keys, on a menu that is closed: whoever does so is not done yet
  root.addEventListener("keydown", (event) => { moving = MOVES.test(event.key); }, { capture: true, signal });
  root.addEventListener("pointerdown", () => { moving = false; }, { capture: true, signal });
  root.addEventListener("change", (event) => {
    if (event.target.matches?.("select") && !moving) root.focus({ preventScroll: true });
  }, { signal });
  root.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.target.matches?.("select")) root.focus({ preventScroll: true });
  }, { signal });
  // And after what is seldom meant twice: Space, which runs the solver, would do it again.
  root.addEventListener("click", (event) => {
    if (event.target.closest?.(".cc-once")) root.focus({ preventScroll: true });
  }, { signal });
  // What drops down from the logo goes with the next click elsewhere.
  root.addEventListener("click", (event) => {
    for (const open of root.querySelectorAll("details.cc-places[open]")) {
      if (!open.contains(event.target)) open.open = false;
    }
  }, { signal });
  root.addEventListener("keydown", (event) => {
    const open = event.key === "Escape" && root.querySelector("details.cc-places[open]");
    if (!open) return;
    open.open = false;
    open.querySelector("summary").focus();
  }, { signal });
}
