/** The shell of an app: everything between page and browser that is no widget's own business. */
import { tell } from "../send.js";
import { listenForKeys } from "./keys.js";
import { keepNames } from "./aria.js";
import { keepTime } from "./clock.js";
import { chooseFile, copy, download, refusal, refusalOfAll, sendFile, takeFiles } from "./files.js";
import { watchKernel } from "./kernel_watch.js";
import { focusWhenShown, giveFocusBack } from "./menus.js";
import { holdStill, rememberSession, wantedSession } from "./tab.js";

const [TOAST_MS, LETTER_MS, OFFER_MS] = [6000, 70, 15_000]; // at least, for each letter that is to be read, with a button
const BRIEF_MS = 1000; // what is over, and needs no reading
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

/** Once a page: what must not happen twice when the app is shown twice. */
function initialize({ model }) {
  const tellTheme = () => {
    model.set("theme", cclabTheme.current());
    try { model.save_changes(); } catch { /* the kernel has ended, which the shell says in words */ }
  };
  addEventListener("cclab-theme", tellTheme);

  // Views draw in the same animation frame, and asked for it earlier. A browser that falls behind gives fewer
  // animation frames; a hidden tab gives none, and no one should wait for it.
  let painting = Promise.resolve();
  model.on("change:frame", async () => {
    const [frame, before] = [model.get("frame"), painting];
    painting = document.hidden ? before : new Promise(requestAnimationFrame);
    await (model.get("early") ? before : painting);
    tell(model, { type: "painted", frame });
  });
  model.on("change:place", () => rememberSession(model));
  model.on("msg:custom", (message, buffers) => {
    if (message.type === "download") download(message.name, message.media_type, buffers[0]);
    if (message.type === "copy") copy(buffers[0]);
    if (message.type === "visit") location.assign(message.address);
    if (message.type === "theme") cclabTheme.toggle();
  });
  return () => removeEventListener("cclab-theme", tellTheme);
}

/** Wait until an element is on the page: widgets are rendered before they are attached. */
async function attachment(element, signal) {
  while (!element.isConnected && !signal.aborted) await new Promise(requestAnimationFrame);
}

function toaster(layer) {
  const toast = document.createElement("div");
  toast.className = "cc-toast";
  let timer;
  let lasts = 0;
  const wait = () => { if (lasts) timer = setTimeout(() => toast.remove(), lasts); };
  toast.addEventListener("pointerenter", () => clearTimeout(timer));
  toast.addEventListener("pointerleave", wait);
  return (text, { alert = false, stays = false, brief = false, action = null } = {}) => {
    clearTimeout(timer);
    toast.setAttribute("role", alert ? "alert" : "status");
    toast.textContent = text;
    if (action) {
      const button = Object.assign(document.createElement("button"), { className: "cc-button cc-outlined" });
      button.textContent = action.label;
      button.addEventListener("click", () => { toast.remove(); action.act(); });
      toast.append(button);
    }
    layer.append(toast);
    lasts = stays ? 0 : brief ? BRIEF_MS : Math.max(action ? OFFER_MS : TOAST_MS, LETTER_MS * text.length);
    wait();
  };
}

async function attend(model, el, signal) {
  const say = toaster(el);
  await attachment(el, signal);
  const root = el.closest(".cc-app");
  if (!root || signal.aborted) return;
  // Only now: what Python answers would be lost on widgets of the app that are not on this page yet.
  model.set({ visitor: visitorOf(model.get("app")), theme: cclabTheme.current(), ...wantedSession(model) });
  model.save_changes();
  root.setAttribute("role", "region");
  root.setAttribute("aria-label", model.get("label"));

  const report = (name, event, down) => tell(model, {
    type: "key", name, down, key: event.key, shift: event.shiftKey, ctrl: event.ctrlKey || event.metaKey, alt: event.altKey,
  });
  const together = () => model.get("together");
  // One file, or several: opened as one thing where the app knows what to make of them, else taken one after the other.
  const take = async (files, purpose = "open") => {
    const one = purpose === "open", chosen = [...files].slice(0, one && !together() ? 1 : undefined);
    const reasons = chosen.map((file) => refusal(file, model.get("max_bytes")));
    if (one && !reasons.some(Boolean)) reasons.push(refusalOfAll(chosen, model.get("max_bytes")));
    const fit = one && reasons.some(Boolean) ? [] : chosen.filter((_, k) => !reasons[k]);
    for (const [k, file] of fit.entries()) {
      const words = fit.length > 1 ? `Reading ${file.name}, ${k + 1} of ${fit.length}` : `Reading ${file.name}`;
      say(words, { stays: true });
      const progress = (percent) => say(`${words}, ${percent} %`, { stays: percent < 100, brief: true });
      await sendFile(model, file, purpose, progress, one ? fit.length - k - 1 : 0);
    }
    if (reasons.some(Boolean)) say(reasons.filter(Boolean).join(" "), { alert: true });
  };
  const unlessStill = (trait, instead) => () => (model.get("still") ? instead : model.get(trait));
  listenForKeys(root, unlessStill("bindings", {}), report, signal);
  keepNames(root, signal);
  keepTime(root, signal);
  giveFocusBack(root, signal);
  focusWhenShown(root, signal);
  takeFiles(root, el, unlessStill("accept", null), together, take, signal);
  const reload = document.body.dataset.voila === undefined ? null : { label: "Reload", act: () => location.reload() };
  watchKernel(model, () => say(ENDED, { alert: true, stays: true, action: reload }), signal);

  model.on("msg:custom", (message) => {
    const action = message.action ? { label: message.action, act: () => tell(model, { type: "action" }) } : null;
    if (message.type === "say") say(message.text, { ...message, action });
    if (message.type === "choose") chooseFile(model.get("accept"), (files) => take(files, message.purpose), message.several, message.folder);
  });
  const still = () => holdStill(root, model.get("still"));
  model.on("change:still", still);
  signal.addEventListener("abort", () => model.off("change:still", still));
  still();
}

function render({ model, el }) {
  el.classList.add("cc-shell");
  const closed = new AbortController();
  attend(model, el, closed.signal);
  return () => closed.abort();
}

export default { initialize, render };
