"""Recent: every session that this visitor has opened, to go back to or to delete."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress

from ipywidgets import Button

from cclab.apps.page.kept_sessions import Entry
from cclab.apps.page.popover import Popover
from cclab.apps.page.visitor_store import VisitorStore
from cclab.core.words import counted
from cclab.session import InUse
from cclab.widgets.kit.bridge import Shell
from cclab.widgets.kit.html import Html, tag
from cclab.widgets.kit.layout import button, column, row, text
from cclab.widgets.kit.rows import Action, Rows

_NOTHING = "Nothing here yet. Every session that you open is listed here, and stays until you delete it."
_DAY = 86400


class RecentSheet(Popover):
    """A list that floats over the page when it is asked for.

    Parameters
    ----------
    shell : Shell
        Says what was deleted, and offers to bring it back.
    store : callable
        Who keeps the sessions; None while that is not known.
    current : callable
        The one that is open on this page, or None.
    on_open : callable
        Called with an entry.
    """

    def __init__(
        self,
        shell: Shell,
        *,
        store: Callable[[], VisitorStore | None],
        current: Callable[[], Entry | None],
        on_open: Callable[[Entry], object],
    ) -> None:
        self._shell, self._store, self._current, self._on_open = shell, store, current, on_open
        self._shown: dict[str, Entry] = {}
        self.table = Rows(kind="table", label="Recent sessions")
        self.table.on_action(self._act)
        self._note = text(css="cc-note")
        self._all = button(
            "Delete all", self._delete_all, icon="forget", hint="Delete all but the one that is open here"
        )
        head = row(
            text(tag("span", "Recent", class_="cc-title")),
            self._note,
            button(icon="close", hint="Close (Esc)", on_click=self.hide, css="cc-push"),
            css="cc-head",
        )
        foot = row(self._all, css="cc-foot")
        super().__init__(column(head, self.table, foot, css="cc-recent cc-over"), "cc-sheet-layer")

    def toggle(self) -> None:
        """Show the list as it is now, or put it away."""
        if not self.is_open:
            self.refresh()
        super().toggle()

    def refresh(self) -> None:
        """Read the list anew."""
        current, store = self._current(), self._store()
        entries = [] if store is None else store.entries()
        here = None if current is None else current.folder
        self._shown = {entry.id: entry for entry in entries}
        now = time.time()
        self.table.head = _HEAD if entries else ""
        rows = [(entry.id, _row(entry, entry.folder == here, now)) for entry in entries]
        nothing = tag("tr", tag("td", _NOTHING, class_="cc-faint"))
        self.table.show(rows or [("nothing", nothing)])
        total = sum(entry.n_bytes for entry in entries)
        self._note.value = f"{len(entries):,} kept, {size(total)}" if entries else ""
        self._all.disabled = not any(entry.folder != here for entry in entries)

    def _act(self, action: Action) -> None:
        entry = self._shown.get(str(action.id))
        if entry is None:
            return
        if action.name == "delete":
            self._delete([entry])
        else:
            self.hide()
            self._on_open(entry)

    def _delete_all(self) -> None:
        current = self._current()
        here = None if current is None else current.folder
        self._delete([entry for entry in self._shown.values() if entry.folder != here])

    def _delete(self, entries: Sequence[Entry]) -> None:
        """Delete sessions, but for those that are open elsewhere; for a while they can be brought back."""
        store = self._store()
        assert store is not None
        gone = []
        for entry in entries:
            with suppress(InUse):
                store.delete(entry)
                gone.append(entry)

        def undo() -> None:
            for entry in gone:
                store.restore(entry)
            self.refresh()

        words = told_deleted(gone, len(entries) - len(gone))
        self._shell.say(words, action="Undo" if gone else "", on_action=undo)
        self.refresh()


_HEAD = tag(
    "tr",
    *(tag("th", name) for name in ("Data", "Solver")),
    *(tag("th", name, class_="cc-number") for name in ("Statements", "Steps", "Size")),
    tag("th", "Last used"),
    tag("th", ""),
)


def _row(entry: Entry, here: bool, now: float) -> Html:
    about = entry.about
    name = tag("b", named(entry.name))
    state = "open here" if here else "open in another tab" if entry.in_use else ""
    if entry.trouble:
        state = f"can’t be opened: {entry.trouble}"
    numbers = ("", "") if about is None else (f"{about.n_statements:,}", f"{about.n_steps:,}")
    hint = f"Delete {named(entry.name)}"
    css = "cc-button cc-icon cc-ghost cc-remove cc-i-close"
    delete = tag("button", class_=css, type="button", data_action="delete", data_id=entry.id, title=hint)
    what = {"title": entry.trouble} if entry.trouble else {}
    return tag(
        "tr",
        tag("td", name, tag("span", f" · {state}", class_="cc-faint", **what) if state else None),
        tag("td", "" if about is None else about.solver),
        *(tag("td", number, class_="cc-number") for number in (*numbers, size(entry.n_bytes))),
        tag("td", when(entry.seen, now)),
        tag("td", None if here else delete, class_="cc-tool"),
        data_action=None if here else "open",
        data_id=entry.id,
        tabindex=None if here else 0,
        aria_label=None if here else f"Open {named(entry.name)}",
        class_="cc-current" if here else None,
    )


def recent_button(on_click: Callable[[], object]) -> Button:
    """What opens the list."""
    hint = "Recent: every session that you have opened"
    return button("Recent", on_click, icon="recent", hint=hint, css="cc-shrink")


def described(entry: Entry) -> str:
    """What a session is about, in a line."""
    about = entry.about
    if about is None:
        return ""
    said = counted(about.n_statements, "statement")
    return f"{named(about.data)} · {about.solver} · {said} · {when(entry.seen, time.time())}"


def told_dropped(dropped: Sequence[Entry]) -> str:
    """What had to go to make room for others; empty where nothing had to."""
    if not dropped:
        return ""
    names = ", ".join(named(entry.name) for entry in dropped[:5]) + (" …" if len(dropped) > 5 else "")
    n = "one session" if len(dropped) == 1 else f"{len(dropped):,} sessions"
    return f"To make room, {n} not used for longest had to go: {names}"


def told_deleted(gone: Sequence[Entry], n_busy: int) -> str:
    """What was deleted, and how many could not be."""
    said = f"{named(gone[0].name)} is deleted" if len(gone) == 1 else f"{len(gone):,} sessions are deleted"
    stay = "one is open elsewhere and stays" if n_busy == 1 else f"{n_busy:,} are open elsewhere and stay"
    words = ", ".join(([said] if gone else []) + ([stay] if n_busy else []))
    return words[:1].upper() + words[1:]


def named(name: str) -> str:
    """A data set's name for a person.

    >>> named("soybean_small"), named("my table.csv")
    ('Soybean small', 'My table.csv')
    """
    return name[:1].upper() + name[1:].replace("_", " ")


def when(seen: float, now: float) -> str:
    """How long ago, or the day.

    >>> when(1000.0, 1042.0), when(1000.0, 9000.0), when(0.0, 400 * 86400)
    ('just now', '2 h ago', '1 January 1970')
    """
    seconds = now - seen
    if seconds < 60:
        return "just now"
    if seconds < 3600:
        return f"{int(seconds // 60)} min ago"
    if seconds < _DAY:
        return f"{int(seconds // 3600)} h ago"
    moment = time.localtime(seen)
    year = "" if seconds < 300 * _DAY else f" {moment.tm_year}"
    return f"{moment.tm_mday} {time.strftime('%B', moment)}{year}"


def size(n_bytes: int) -> str:
    """A number of bytes, short.

    >>> size(812), size(45_000), size(3 * 10**6)
    ('1 kB', '45 kB', '3.0 MB')
    """
    if n_bytes < 10**6:
        return f"{max(1, round(n_bytes / 1000))} kB"
    return f"{n_bytes / 10**6:.1f} MB" if n_bytes < 10**9 else f"{n_bytes / 10**9:.1f} GB"
