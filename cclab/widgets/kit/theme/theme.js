/** Light or dark: one choice for all pages, kept by the browser. A page runs this in its head, before anything is
    painted, and every shell brings it along; whoever comes first makes it. */
window.cclabTheme ??= (() => {
  const key = "cclab.theme";
  const system = matchMedia("(prefers-color-scheme: dark)");
  const page = document.documentElement.dataset;
  let followed = false;

  const chosen = () => {
    try { return { light: "light", dark: "dark" }[localStorage.getItem(key)]; } catch { return undefined; }
  };
  const show = (theme) => {
    if (theme === undefined || theme === page.ccTheme) return;
    page.ccTheme = theme;
    window.dispatchEvent(new Event("cclab-theme"));
  };
  const update = () => show(chosen() ?? (followed ? (system.matches ? "dark" : "light") : undefined));
  system.addEventListener("change", update);
  addEventListener("storage", (event) => { if (event.key === key) update(); });
  update();

  return {
    /** What the page shows; with no choice a notebook's own theme holds. */
    current: () => page.ccTheme ?? (document.body.dataset.jpThemeLight === "false" ? "dark" : "light"),
    /** Show what the system does, until someone chooses. */
    followSystem() { followed = true; update(); },
    toggle() {
      const theme = this.current() === "dark" ? "light" : "dark";
      try { localStorage.setItem(key, theme); } catch { /* private windows: this page only */ }
      show(theme);
    },
  };
})();
