"""What all views of one page share: a session, and what the person points at."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from psygnal import Signal

from cclab.session import Session, Snapshot
from cclab.widgets.freeing import close_all

log = logging.getLogger(__name__)


class Desk:
    """The model behind a page.

    Everything about data, knowledge and steps is in the session; here is only what belongs to the page: which session
    is open, which samples are selected or under the pointer, the threshold for outliers, and what to tell the person.
    Views read it, listen to its signals, and never to each other.

    Parameters
    ----------
    session : Session

    Attributes
    ----------
    changed : Signal(Snapshot or None, Snapshot)
        After each verb of the session; the first is None when another session was opened.
    selected : Signal(array of int)
    put_aside : Signal(array of int)
        The first of two selections, which is kept until the second is made.
    pointed : Signal(int or None)
        The sample under the pointer.
    thresholded : Signal(float or None)
    told : Signal(str, str)
        A message for the person: kind ("info", "warning" or "bad") and text; "" clears it.
    stopped : Signal(Snapshot)
        The solver failed on its way from there.
    """

    changed = Signal(object, object)
    selected = Signal(object)
    put_aside = Signal(object)
    pointed = Signal(object)
    thresholded = Signal(object)
    told = Signal(str, str)
    stopped = Signal(object)

    def __init__(self, session: Session) -> None:
        self._take(session)

    def _take(self, session: Session) -> None:
        self.selection: NDArray[np.int64] = np.empty(0, dtype=np.int64)
        self.aside: NDArray[np.int64] = np.empty(0, dtype=np.int64)
        self.sample: int | None = None
        self.threshold: float | None = None
        self.session = session
        self._stop_watching = session.watch(lambda old, new: self.changed.emit(old, new))

    def open(self, session: Session) -> None:
        """Put another session on the desk; views redraw all."""
        self.session.pause()
        self._stop_watching()
        self._take(session)
        self.changed.emit(None, session.current)
        self.selected.emit(self.selection)
        self.put_aside.emit(self.aside)
        self.pointed.emit(None)
        self.thresholded.emit(None)

    def select(self, samples: ArrayLike) -> None:
        """Select these samples, and no others."""
        self.selection = np.unique(np.asarray(samples, dtype=np.int64))
        self.selected.emit(self.selection)

    def keep_aside(self, samples: ArrayLike) -> None:
        """Keep these samples aside, as the first of two selections; none ends it."""
        self.aside = np.unique(np.asarray(samples, dtype=np.int64))
        self.put_aside.emit(self.aside)

    def point_at(self, sample: int | None) -> None:
        """Say which sample is under the pointer."""
        if sample != self.sample:
            self.sample = sample
            self.pointed.emit(sample)

    def set_threshold(self, threshold: float | None) -> None:
        """Set the threshold for outliers; None is the belief's own."""
        self.threshold = threshold
        self.thresholded.emit(threshold)

    def tell(self, kind: str, text: str) -> None:
        """Tell the person something."""
        self.told.emit(kind, text)

    def attempt(self, verb: Callable[..., Any], *args: Any, **options: Any) -> Any:
        """Carry out a verb of the session; what goes wrong, or is warned of, is told in words and nothing is lost."""
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                result = verb(*args, **options)
        except Exception as error:
            log.info("a verb failed", exc_info=True)
            self.tell("bad", in_words(error))
            return None
        for warning in caught:
            if issubclass(warning.category, UserWarning):
                self.tell("warning", str(warning.message))
        return result

    def view_failed(self, error: Exception) -> None:
        """A view could not draw something: that is logged and told, and stops nothing."""
        log.error("a view failed", exc_info=error)
        self.session.failures.append(error)
        if self.session.on_failure is not None:
            self.session.on_failure(error)


def in_words(error: Exception) -> str:
    """What went wrong, for a person: our own errors as they are, others with their kind."""
    text = str(error).strip() or type(error).__name__
    return text if isinstance(error, ValueError | OSError) else f"{type(error).__name__}: {text}"


def sentence(words: str) -> str:
    """`words` with a capital, unless they begin with a file's name, and a full stop."""
    start = words[:1] if "." in words.split(" ")[0] else words[:1].upper()
    return start + words[1:] + ("" if words.endswith((".", "!", "?")) else ".")


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

    def update(self, old: Snapshot | None, new: Snapshot) -> None:
        """Redraw what is not the same in `new` as in `old`; all of it when `old` is None."""
        raise NotImplementedError

    def close(self) -> None:
        """Stop listening and free the widget, with all that it holds."""
        for signal, callback in self._connections:
            signal.disconnect(callback, missing_ok=True)
        self._connections.clear()
        close_all(self.widget)
