/** Files out (download) and in (dropped or chosen), in pieces that a websocket lets through. */
import { tell } from "../send.js";

const PIECE_BYTES = 4 * 2 ** 20; // a server drops messages of 10 MiB and more

export function download(name, mediaType, bytes) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([bytes], { type: mediaType }));
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** A text to the clipboard; a browser that refuses saves it. */
export async function copy(bytes) {
  try {
    await navigator.clipboard.writeText(new TextDecoder().decode(bytes));
  } catch {
    download("copied.tsv", "text/tab-separated-values", bytes);
  }
}

const megabytes = (bytes) => `${(bytes / 2 ** 20).toFixed(bytes < 10 * 2 ** 20 ? 1 : 0)} MB`;

/** Why a file cannot be sent, in words, or nothing. */
export function refusal(file, maxBytes) {
  if (file.size > maxBytes) return `${file.name} has ${megabytes(file.size)}; the limit is ${megabytes(maxBytes)}.`;
  if (file.size === 0) return `${file.name} is empty.`;
  return null;
}

/** Why files cannot be sent together, in words, or nothing. */
export function refusalOfAll(files, maxBytes) {
  const size = files.reduce((sum, file) => sum + file.size, 0);
  return size > maxBytes ? `${files.length} files have ${megabytes(size)} together; the limit is ${megabytes(maxBytes)}.` : null;
}

/**
 * Send a file piece by piece; each waits until the one before has arrived.
 * @param {string} purpose what it was chosen for
 * @param {(percent: number) => void} progress
 * @param {number} left how many files that belong to it are still to come
 */
export async function sendFile(model, file, purpose, progress, left = 0) {
  const id = `${Date.now()}-${Math.random()}`;
  const count = Math.ceil(file.size / PIECE_BYTES);
  for (let index = 0; index < count; index++) {
    const piece = await file.slice(index * PIECE_BYTES, (index + 1) * PIECE_BYTES).arrayBuffer();
    const arrived = new Promise((resolve) => {
      const listen = (message) => {
        if (message.type !== "arrived" || message.id !== id || message.index !== index) return;
        model.off("msg:custom", listen);
        resolve();
      };
      model.on("msg:custom", listen);
    });
    tell(model, { type: "file", id, name: file.name, size: file.size, index, count, purpose, left }, [piece]);
    await arrived;
    progress(Math.round((100 * (index + 1)) / count));
  }
}

/** Let files be dropped on the app, or chosen by a click on any .cc-choose-file within it. */
export function takeFiles(root, layer, accept, several, take, signal) {
  const zone = Object.assign(document.createElement("div"), { className: "cc-dropzone", textContent: "Drop to open" });
  const carriesFiles = (event) => accept() !== null && event.dataTransfer?.types.includes("Files");
  let depth = 0; // dragenter and dragleave come once for each element below the pointer
  const on = (type, handle) => root.addEventListener(type, (event) => {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    event.stopPropagation();
    handle(event);
  }, { signal, capture: true });
  on("dragenter", () => { depth += 1; layer.append(zone); });
  on("dragover", (event) => { event.dataTransfer.dropEffect = "copy"; });
  on("dragleave", () => { depth -= 1; if (depth <= 0) { depth = 0; zone.remove(); } });
  on("drop", (event) => { depth = 0; zone.remove(); take(event.dataTransfer.files); });
  root.addEventListener("click", (event) => {
    if (event.target.closest(".cc-choose-file")) chooseFile(accept(), take, several());
  }, { signal });
}

/** Let files be chosen, and take them all. */
export function chooseFile(accept, take, multiple = false, folder = false) {
  const input = Object.assign(document.createElement("input"), { type: "file", accept: accept ?? "", multiple, webkitdirectory: folder });
  input.dataset.inPieces = "yes"; // so that no limit on single messages holds it back
  input.addEventListener("change", () => {
    const endings = folder ? (accept ?? "").split(",") : [""]; // of a folder, all files are given
    const wanted = [...input.files].filter((file) => endings.some((ending) => file.name.toLowerCase().endsWith(ending)));
    take(wanted.sort((a, b) => a.name.localeCompare(b.name, undefined, { numeric: true })));
  });
  input.click();
}
