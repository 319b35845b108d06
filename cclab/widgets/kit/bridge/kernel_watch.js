/** Notice that the kernel behind the page is gone. */

const GONE = new Set(["dead", "restarting", "autorestarting", "terminating"]);

/** Call `ended` once, when the model's kernel has died, was stopped, or was started anew. */
export function watchKernel(model, ended, signal) {
  const kernel = model.widget_manager?.kernel;
  if (!kernel) return;
  let told = false;
  const tell = () => {
    if (told) return;
    told = true;
    ended();
  };
  const onStatus = (_, status) => GONE.has(status) && tell();
  const onConnection = (_, status) => status === "disconnected" && tell();
  kernel.statusChanged.connect(onStatus);
  kernel.connectionStatusChanged.connect(onConnection);
  kernel.disposed.connect(tell);
  signal.addEventListener("abort", () => {
    kernel.statusChanged.disconnect(onStatus);
    kernel.connectionStatusChanged.disconnect(onConnection);
    kernel.disposed.disconnect(tell);
  });
}
