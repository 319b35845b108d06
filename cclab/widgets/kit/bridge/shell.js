/** The shell of an app: everything between page and browser that is no widget's own business. */
import { tell } from "../tell.js";
import { listenForKeys } from "./keys.js";
import { keepNames } from "./names.js";
import { chooseFile, download, refusal, sendFile, takeFiles } from "./files.js";
import { watchKernel } from "./kernel.js";

const THEME = "cclab.theme";
const TOAST_MS = 4000;
const ENDED = "The kernel has ended. Your session is saved; reload to go on.";

/** The browser's storage, or nothing where it is refused. */
const stored = {
  get(key) { try { return localStorage.getItem(key); } catch { return null; } },
  set(key, value) { try { localStorage.setItem(key, value); } catch { /* this page only, then */ } },
};

function visitorOf(app) {
  const key = `cclab.visitor.${app}`;
  let id = stored.get(key);
  if (!/^[0-9a-f]{32}$/.test(id ?? "")) {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    id = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    stored.set(key, id);
  }
  return id;
}

function currentTheme() {
  const chosen = document.documentElement.dataset.ccTheme;
  return chosen ?? (document.body.dataset.jpThemeLight === "false" ? "dark" : "light");
}

function setTheme(model, theme) {
  document.documentElement.dataset.ccTheme = theme;
  stored.set(THEME, theme);
  model.set("theme", theme);
  model.save_changes();
}

/** Once a page: what must not happen twice when the app is shown twice. */
function initialize({ model }) {
  const chosen = stored.get(THEME);
  if (chosen) document.documentElement.dataset.ccTheme = chosen;

  // Views draw in the same animation frame, and asked for it earlier. A browser that falls behind gives fewer
  // animation frames; a hidden tab gives none, and no one should wait for it.
  let painting = Promise.resolve();
  model.on("change:frame", async () => {
    const [frame, before] = [model.get("frame"), painting];
    painting = document.hidden ? before : new Promise(requestAnimationFrame);
    await (model.get("early") ? before : painting);
    tell(model, { type: "painted", frame });
  });
  model.on("msg:custom", (message, buffers) => {
    if (message.type === "download") download(message.name, message.media_type, buffers[0]);
    if (message.type === "visit") location.assign(message.address);
    if (message.type === "theme") setTheme(model, currentTheme() === "dark" ? "light" : "dark");
  });
}

/** Wait until an element is on the page: widgets are rendered before they are attached. */
async function attachment(element, signal) {
  while (!element.isConnected && !signal.aborted) await new Promise(requestAnimationFrame);
}

function toaster(layer) {
  const toast = document.createElement("div");
  toast.className = "cc-toast";
  let timer;
  return (text, { alert = false, stays = false } = {}) => {
    clearTimeout(timer);
    toast.setAttribute("role", alert ? "alert" : "status");
    toast.textContent = text;
    layer.append(toast);
    if (!stays) timer = setTimeout(() => toast.remove(), TOAST_MS);
  };
}

async function attend(model, el, signal) {
  const say = toaster(el);
  await attachment(el, signal);
  const root = el.closest(".cc-app");
  if (!root || signal.aborted) return;
  // Only now: what Python answers would be lost on widgets of the app that are not on this page yet.
  model.set({ visitor: visitorOf(model.get("app")), theme: currentTheme() });
  model.save_changes();
  root.setAttribute("role", "region");
  root.setAttribute("aria-label", model.get("label"));

  const report = (name, event, down) => tell(model, {
    type: "key", name, down, key: event.key, shift: event.shiftKey, ctrl: event.ctrlKey || event.metaKey, alt: event.altKey,
  });
  const take = async (file) => {
    const reason = refusal(file, model.get("max_bytes"));
    if (reason) return say(reason, { alert: true });
    say(`Reading ${file.name}`, { stays: true });
    await sendFile(model, file, (percent) => say(`Reading ${file.name}, ${percent} %`, { stays: percent < 100 }));
  };
  listenForKeys(root, () => model.get("bindings"), report, signal);
  keepNames(root, signal);
  takeFiles(root, el, () => model.get("accept"), take, signal);
  watchKernel(model, () => say(ENDED, { alert: true, stays: true }), signal);

  model.on("msg:custom", (message) => {
    if (message.type === "say") say(message.text, message);
    if (message.type === "choose") chooseFile(model.get("accept"), take);
  });
}

function render({ model, el }) {
  el.classList.add("cc-shell");
  const closed = new AbortController();
  attend(model, el, closed.signal);
  return () => closed.abort();
}

export default { initialize, render };
