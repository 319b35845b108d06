/** What belongs to this tab of the browser: the session it shows, found again after a reload. */

const keyOf = (model) => `cclab.session.${model.get("app")}.${model.get("slot")}`;

/** The session or the file that the address asks for, or the session that this tab had before a reload. */
export function wantedSession(model) {
  const address = new URL(location.href);
  const asked = address.searchParams.get("session");
  if (asked) {
    address.searchParams.delete("session"); // once: a reload finds what was opened since
    history.replaceState(history.state, "", address);
    return { wanted: asked, returning: false };
  }
  if (address.searchParams.has("given")) { // the file of the command line, once too
    address.searchParams.delete("given");
    history.replaceState(history.state, "", address);
    return { wanted: "given", returning: false };
  }
  let had = null;
  try { had = sessionStorage.getItem(keyOf(model)); } catch { /* refused: the newest one, then */ }
  return { wanted: had ?? "", returning: Boolean(had) };
}

export function rememberSession(model) {
  try { sessionStorage.setItem(keyOf(model), model.get("place")); } catch { /* then a reload opens the newest one */ }
}

/** Hold the page still: nothing in it can be reached, but what covers it and what the shell says. */
export function holdStill(root, still) {
  for (const part of root.children) {
    if (!part.matches(".cc-shell, .cc-cover")) part.inert = still;
  }
  const first = root.querySelector(".cc-cover button");
  if (still) setTimeout(() => first?.focus({ preventScroll: true }));
}
