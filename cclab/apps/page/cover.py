"""What lies over a page while its session is not there to be worked on: it is being opened, or is open elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cclab.widgets.kit.bridge import Shell
from cclab.widgets.kit.html import tag
from cclab.widgets.kit.layout import button, column, row, show, text, with_classes

#: The words of a button, and what it does.
Choice = tuple[str, Callable[[], object]]


class Cover:
    """Lies over everything and lets nothing through: neither the pointer nor keys reach the page.

    Parameters
    ----------
    shell : Shell
        Told to hold the page still.
    """

    def __init__(self, shell: Shell) -> None:
        self._shell = shell
        self.is_open = False
        self.words, self._progress = text(), text()
        self.choices = row(css="cc-cover-choices")
        card = column(self.words, self._progress, self.choices, css="cc-cover-card")
        self.widget = column(card, css="cc-cover cc-hidden")

    def show(
        self, title: str, words: str = "", choices: Sequence[Choice] = (), *, opaque: bool = True, busy: bool = False
    ) -> None:
        """Cover the page.

        Parameters
        ----------
        title, words : str
        choices : sequence of (str, callable)
            Buttons; the first is what most people want.
        opaque : bool
            Whether nothing of the page is to be seen.
        busy : bool
            Whether something is under way; `advance` says how far.
        """
        said = tag("div", tag("h2", title), tag("p", words) if words else None, role="alertdialog", aria_label=title)
        self.words.value = said
        self._progress.value = _bar(None) if busy else ""
        show(self._progress, busy)
        looks = ["outlined" if busy else "primary", *["outlined"] * len(choices)]
        self._close_choices()
        self.choices.children = [button(name, act, look=look) for (name, act), look in zip(choices, looks)]
        show(self.choices, bool(choices))
        with_classes(self.widget, "cc-opaque") if opaque else self.widget.remove_class("cc-opaque")
        self.is_open = True
        self._shell.still = True
        show(self.widget, True)

    def advance(self, done: float, total: float) -> None:
        """Say how far it is."""
        self._progress.value = _bar(done / total if total else None)

    def hide(self) -> None:
        """Let the page be used."""
        self.is_open = False
        self._shell.still = False
        show(self.widget, False)

    def _close_choices(self) -> None:
        for old in self.choices.children:
            old.close()


def _bar(share: float | None) -> str:
    """A bar that is full to a share, or moves where that is not known."""
    if share is None:
        return tag("div", tag("i"), class_="cc-progress cc-moving", role="progressbar")
    percent = round(100 * share)
    return tag(
        "div",
        tag("i", style=f"width:{percent}%"),
        class_="cc-progress",
        role="progressbar",
        aria_valuenow=percent,
        aria_valuemin=0,
        aria_valuemax=100,
    )
