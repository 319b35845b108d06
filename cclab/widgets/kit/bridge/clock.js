/** "3 min ago", kept true here: were it sent, a page that nobody looks at would count as being used. */

const UNITS = [[3600, "h"], [60, "min"], [1, "s"]];

export function ago(seconds) {
  const [unit, name] = UNITS.find(([size]) => seconds >= size) ?? UNITS.at(-1);
  return `${Math.floor(seconds / unit)} ${name} ago`;
}

/** Keep every <time class="cc-ago"> of an app in step with the clock, until the signal ends it. */
export function keepTime(root, signal) {
  const show = () => {
    for (const time of root.querySelectorAll("time.cc-ago")) {
      const words = ago(Math.max(0, Date.now() - Date.parse(time.dateTime)) / 1000);
      if (time.textContent !== words) time.textContent = words;
    }
  };
  const watcher = new MutationObserver(show);
  watcher.observe(root, { childList: true, subtree: true });
  const timer = setInterval(show, 1000);
  signal.addEventListener("abort", () => { watcher.disconnect(); clearInterval(timer); });
  show();
}
