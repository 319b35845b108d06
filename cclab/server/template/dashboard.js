(() => {
  const megabyte = 1024 * 1024;
  const largestUpload = 50 * megabyte;
  const config = () => JSON.parse(document.getElementById("jupyter-config-data").textContent);

  const notice = (words, action, onAction) => {
    document.querySelector(".cc-notice:not(.cc-page)")?.remove();
    const box = document.createElement("div");
    box.className = "cc-notice";
    box.setAttribute("role", "alert");
    const text = document.createElement("span");
    text.textContent = words;
    const button = document.createElement("button");
    button.textContent = action;
    button.onclick = () => { box.remove(); onAction?.(); };
    box.append(text, button);
    document.body.append(box);
  };

  // Voilà shows the cells before the widgets in them are drawn: keep the outline until something is. On a busy machine
  // the widgets' states may be given up by whoever waits for them: then it is best to try again.
  const patience = 40000;
  window.voila_process = () => {};
  window.voila_finish = () => {
    const cells = document.getElementById("rendered_cells");
    cells.style.display = "";
    const drawn = () => cells.querySelector(".jupyter-widgets, .cc-notice");
    const reveal = () => document.getElementById("loading")?.remove();
    const watch = new MutationObserver(() => { if (drawn()) { watch.disconnect(); reveal(); } });
    if (drawn()) reveal(); else watch.observe(cells, { childList: true, subtree: true });
    const again = () => location.reload();
    setTimeout(() => { if (!drawn()) notice("This page takes unusually long to open.", "Try again", again); }, patience);
  };

  // A message that is too large would close the connection, and with it the session.
  const refuseLarge = (event) => {
    const files = [...(event.target.files ?? [])];
    const size = files.reduce((sum, file) => sum + file.size, 0);
    if (size <= largestUpload) return;
    event.stopImmediatePropagation();
    event.target.value = "";
    const name = files.length === 1 ? files[0].name : `${files.length} files`;
    notice(`${name}: ${Math.ceil(size / megabyte)} MB is too large; up to ${largestUpload / megabyte} MB can be sent.`, "Close");
  };
  addEventListener("change", refuseLarge, true);
  // The upload button of ipywidgets clicks an input that is not part of the page: its events pass no window.
  const click = HTMLInputElement.prototype.click;
  HTMLInputElement.prototype.click = function () {
    const whole = this.type === "file" && !this.isConnected && !this.dataset.inPieces; // our own pages send pieces
    if (whole) this.addEventListener("change", refuseLarge, true);
    click.call(this);
  };

  // Look whether the kernel is still there: now and then, and when the visitor comes back.
  const look = async () => {
    if (document.hidden) return;
    const { baseUrl, kernelId } = config();
    const reload = () => location.reload();
    try {
      const answer = await fetch(`${baseUrl}api/kernels/${kernelId}`);
      if (answer.status === 404) notice("The kernel has ended. Your session is saved; reload to go on.", "Reload", reload);
    } catch {
      notice("The server does not answer. Your session is saved; start it again, then reload.", "Reload", reload);
    }
  };
  addEventListener("load", () => {
    setInterval(look, 15000);
    document.addEventListener("visibilitychange", look);
  });
})();
