/** Names for those who cannot see: what only a tooltip says is said to a screen reader too. */

/** Keep names in step with what widgets put on the page, until the signal ends it. */
export function keepNames(root, signal) {
  let planned = false;
  const name = () => {
    planned = false;
    for (const element of root.querySelectorAll("button[title], [role=button][title]")) {
      if (element.title) element.setAttribute("aria-label", element.title);
    }
    for (const toggle of root.querySelectorAll(".cc-toggle, .widget-toggle-button")) {
      const on = toggle.classList.contains("cc-on") || toggle.classList.contains("mod-active");
      toggle.setAttribute("aria-pressed", String(on));
    }
    for (const handle of root.querySelectorAll(".noUi-handle")) {
      const label = handle.closest(".jupyter-widgets")?.querySelector(".widget-label")?.textContent;
      if (label) handle.setAttribute("aria-label", label);
    }
  };
  const watcher = new MutationObserver(() => {
    if (planned) return;
    planned = true;
    requestAnimationFrame(name);
  });
  watcher.observe(root, { childList: true, subtree: true, attributes: true, attributeFilter: ["title", "class"] });
  signal.addEventListener("abort", () => watcher.disconnect());
  name();
}
