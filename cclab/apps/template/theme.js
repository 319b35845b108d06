// Runs before anything is painted, so that no page flashes in the other theme.
(() => {
  const key = "cclab-theme";
  const read = () => { try { return localStorage.getItem(key); } catch { return null; } };
  const system = () => (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  const show = () => { document.documentElement.dataset.ccTheme = read() ?? system(); };
  show();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", show);
  addEventListener("storage", (event) => { if (event.key === key) show(); });
  window.cclabToggleTheme = () => {
    const next = document.documentElement.dataset.ccTheme === "dark" ? "light" : "dark";
    document.documentElement.dataset.ccTheme = next;
    try { localStorage.setItem(key, next); } catch { /* private windows: this page only */ }
  };
})();
