/** Colours of the theme as a canvas needs them. */

/** Resolve CSS variables to RGBA bytes, four a variable, as they are at an element now. */
export function resolveColors(element, variables) {
  const probe = document.createElement("span");
  element.append(probe);
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, variables.length);
  canvas.height = 1;
  const context = canvas.getContext("2d", { willReadFrequently: true });
  variables.forEach((variable, i) => {
    probe.style.color = `var(${variable})`;
    context.fillStyle = getComputedStyle(probe).color;
    context.fillRect(i, 0, 1, 1);
  });
  probe.remove();
  return context.getImageData(0, 0, canvas.width, 1).data;
}

/** The theme's colours by token name, as CSS text. */
export function resolveTokens(element, names) {
  const probe = document.createElement("span");
  element.append(probe);
  const colors = Object.fromEntries(names.map((name) => {
    probe.style.color = `var(--cc-${name})`;
    return [name, getComputedStyle(probe).color];
  }));
  probe.remove();
  return colors;
}

/** Call back when the page changes between light and dark. */
export function onThemeChange(callback, signal) {
  const watcher = new MutationObserver(callback);
  watcher.observe(document.documentElement, { attributes: true, attributeFilter: ["data-cc-theme"] });
  watcher.observe(document.body, { attributes: true, attributeFilter: ["data-jp-theme-light"] });
  signal.addEventListener("abort", () => watcher.disconnect());
}
