// What this browser has worked on, asked for by the ids that it alone keeps.
(async () => {
  const section = document.getElementById("recent");
  const visitors = {};
  try {
    for (const key of Object.keys(localStorage)) {
      const app = key.match(/^cclab\.visitor\.(\w+)$/)?.[1];
      if (app) visitors[app] = localStorage.getItem(key);
    }
  } catch { return; }
  if (!Object.keys(visitors).length) return;
  const xsrf = document.cookie.match(/(?:^|; )_xsrf=([^;]*)/)?.[1] ?? "";
  const headers = { "Content-Type": "application/json", "X-XSRFToken": xsrf };
  const answer = await fetch("recent", { method: "POST", headers, body: JSON.stringify(visitors) });
  if (!answer.ok) return;
  const { sessions } = await answer.json();
  if (!sessions.length) return;
  const words = (session) => [
    session.app,
    session.solver,
    `${session.statements} ${session.statements === 1 ? "statement" : "statements"}`,
    session.in_use ? "open now" : session.when,
  ].filter(Boolean).join(" · ");
  for (const session of sessions) {
    const link = Object.assign(document.createElement("a"), { href: session.address });
    const title = Object.assign(document.createElement("b"), { textContent: session.title });
    const about = Object.assign(document.createElement("span"), { textContent: words(session) });
    link.append(title, about);
    const item = document.createElement("li");
    item.append(link);
    section.querySelector("ul").append(item);
  }
  section.hidden = false;
})();
