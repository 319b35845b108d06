"""The name at the left of every bar: it leads home, and to the other dashboards."""

from __future__ import annotations

import os

from cclab.apps import __all__ as apps
from cclab.apps import is_built
from cclab.apps.page.visitor_store import is_served
from cclab.widgets.kit.html import Html, join, tag

_SIGN = Html(
    '<svg viewBox="0 0 24 24" aria-hidden="true" fill="none" stroke="var(--cc-text)" stroke-width="1.6">'
    '<path d="M6 7l12-1"/><path stroke-dasharray="1.6 2" d="M7 9l6 9M18 8l-4 10"/>'
    '<g stroke="none"><circle style="fill:var(--cc-c1)" cx="6" cy="7" r="4.4"/>'
    '<circle style="fill:var(--cc-c1)" cx="18.5" cy="6" r="4"/>'
    '<circle style="fill:var(--cc-c2)" cx="13" cy="19" r="4"/></g></svg>'
)
_TITLES = {
    "workbench": "Workbench",
    "painter": "Painter",
    "compare": "Compare",
    "ask_me": "Ask me",
    "how_many": "How many clusters",
    "credal": "Credal explained",
}


def brand(title: str = "") -> Html:
    """The sign, the name and a dashboard's title; on a page of the gallery a link home, with a menu of dashboards."""
    name = tag("span", title, class_="cc-app-name") if title else None
    here = _dashboard()
    if here is None:
        return tag("span", _SIGN, "cclab", name, class_="cc-brand")
    home = tag("a", _SIGN, "cclab", class_="cc-brand", href="../", title="All dashboards")
    links = [
        tag("a", _TITLES[app], href=app, aria_current="page" if app == here else None) for app in apps if is_built(app)
    ]
    menu = tag(
        "details",
        tag("summary", title="Other dashboards", aria_label="Other dashboards"),
        tag("nav", tag("a", "All dashboards", href="../"), links, class_="cc-menu", aria_label="Dashboards"),
        class_="cc-places",
    )
    return join(tag("span", home, name, menu, class_="cc-home"))


def _dashboard() -> str | None:
    """The name of the dashboard, where this is the gallery's page of it."""
    folder, _, name = os.environ.get("SCRIPT_NAME", "").rpartition("/")
    return name if is_served() and folder.endswith("/open") and name in apps else None
