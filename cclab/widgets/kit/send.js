/** Send a message to Python; once the kernel is gone there is no one to hear it, which the shell says in words. */
export function tell(model, message, buffers = []) {
  try {
    model.send(message, undefined, buffers);
  } catch (error) {
    console.debug("cclab: not sent,", error.message);
  }
}
