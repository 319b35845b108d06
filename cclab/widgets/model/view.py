"""A piece of a page, that draws what is on the desk."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cclab.session import Moment
from cclab.widgets.kit.close import close_all
from cclab.widgets.model.desk import Desk


class View:
    """A piece of a page. A subclass makes `widget` and gives `update`.

    Parameters
    ----------
    desk : Desk

    Attributes
    ----------
    widget : ipywidgets.Widget
    """

    widget: Any

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self._connections: list[tuple[Any, Callable[..., Any]]] = []
        self.listen(desk.changed, self.update)

    @property
    def keys(self) -> dict[str, Callable[[], object]]:
        """What the keys of a page may do here, by their names (see `Shell.bind`)."""
        return {}

    def listen(self, signal: Any, callback: Callable[..., Any]) -> None:
        """Connect for as long as the view is open; what the callback raises stops no one else."""

        def safely(*news: Any) -> None:
            try:
                callback(*news)
            except Exception as error:
                self.desk.view_failed(error)

        signal.connect(safely)
        self._connections.append((signal, safely))

    def update(self, old: Moment | None, new: Moment) -> None:
        """Redraw what is not the same in `new` as in `old`; all of it when `old` is None."""
        raise NotImplementedError

    def close(self) -> None:
        """Stop listening and free the widget, with all that it holds."""
        for signal, callback in self._connections:
            signal.disconnect(callback, missing_ok=True)
        self._connections.clear()
        close_all(self.widget)
