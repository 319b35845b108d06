"""What all views of one page share: a session, and what the person points at."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from psygnal import Signal

from cclab.core import Solver
from cclab.core.arrays import distinct
from cclab.looks.sample_columns import SampleColumns
from cclab.queries.base import Query
from cclab.session import Moment, Session
from cclab.widgets.model.notices import Fix, Notice, in_words

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
    moment : Moment
        Where the session was when views were last told.
    changed : Signal(Moment or None, Moment)
        After each verb of the session, and when a run begins or ends; the first is None when another session was
        opened.
    kept : Signal
        The session is kept in another folder from now on, or in none.
    selected : Signal(array of int)
    first_selected : Signal(array of int)
        The first of two selections, which is kept until the second is made.
    pointed : Signal(int or None)
        The sample under the pointer.
    thresholded : Signal(float or None)
    filtered : Signal(array of bool or None)
        The samples that are looked at; None is all.
    pinned_columns : Signal(tuple of str)
        The columns that cards show.
    busied : Signal(str)
        What is under way that the person waits for, in words; "" when it is over.
    told : Signal(Notice)
        A message for the person.
    stopped : Signal(Snapshot)
        The solver failed on its way from there.
    """

    changed = Signal(object, object)
    kept = Signal()
    selected = Signal(object)
    first_selected = Signal(object)
    pointed = Signal(object)
    thresholded = Signal(object)
    filtered = Signal(object)
    pinned_columns = Signal(object)
    busied = Signal(str)
    told = Signal(object)
    stopped = Signal(object)

    def __init__(self, session: Session) -> None:
        #: What would help against an error or a warning: a page may know.
        self.fix_for: Callable[[Exception], Fix | None] = lambda trouble: None
        self._take(session)

    def _take(self, session: Session) -> None:
        self._point_at_nothing()
        self.pinned: tuple[str, ...] = ()
        self.busy = ""
        self.session = session
        self.moment: Moment = session.moment
        self._stop_watching = session.watch(lambda old, new: self._move_on())

    def _point_at_nothing(self) -> None:
        self.selection: NDArray[np.int64] = np.empty(0, dtype=np.int64)
        self.first_selection: NDArray[np.int64] = np.empty(0, dtype=np.int64)
        self.sample: int | None = None
        self.threshold: float | None = None
        self.filters: dict[str, NDArray[np.bool_]] = {}

    def _tell_all(self) -> None:
        """Let views redraw all."""
        self.changed.emit(None, self.moment)
        self.selected.emit(self.selection)
        self.first_selected.emit(self.first_selection)
        self.pointed.emit(None)
        self.thresholded.emit(None)
        self.filtered.emit(None)
        self.busied.emit(self.busy)

    def _move_on(self) -> None:
        before, self.moment = self.moment, self.session.moment
        if before.snapshot.data is self.moment.snapshot.data:
            self.changed.emit(before, self.moment)
        else:  # columns are used otherwise: samples and features may be others
            self._point_at_nothing()
            self._tell_all()

    def catch_up(self) -> None:
        """Tell views where the session is, if they don't know: a run begins and ends without a verb."""
        if self.session.moment != self.moment:
            self._move_on()

    def open(self, session: Session) -> None:
        """Put another session on the desk; views redraw all."""
        self.session.pause()
        self._stop_watching()
        self._take(session)
        self._tell_all()

    @property
    def columns(self) -> SampleColumns:
        """All that is known of the samples, column by column."""
        return SampleColumns(self.session.data, self.session.current)

    @property
    def looked_at(self) -> NDArray[np.bool_] | None:
        """(n,) the samples that all filters let through; None where there is no filter."""
        return np.logical_and.reduce(list(self.filters.values())) if self.filters else None

    def set_filter(self, words: str, mask: NDArray[np.bool_] | None) -> None:
        """Look only at samples for which a condition, in words, holds; None takes it away again. Filters combine."""
        others = {name: kept for name, kept in self.filters.items() if name != words}
        self.filters = others if mask is None else others | {words: np.asarray(mask, dtype=bool)}
        self.filtered.emit(self.looked_at)

    def pin(self, column: str) -> None:
        """Show a column on cards, or no longer."""
        others = tuple(name for name in self.pinned if name != column)
        self.pinned = others if column in self.pinned else (*others, column)
        self.pinned_columns.emit(self.pinned)

    def set_busy(self, words: str) -> None:
        """Say what is under way that the person waits for; "" when it is over."""
        self.busy = words
        self.busied.emit(words)

    @property
    def question(self) -> Query | None:
        """The question that waits for an answer, unless the present solver could make nothing of one."""
        query = next(iter(self.session.pending), None)
        useless = query is not None and query.kind == "pair" and hears_labels_alone(self.session.solver)
        return None if useless else query

    def select(self, samples: ArrayLike) -> None:
        """Select these samples, and no others."""
        self.selection = distinct(samples)
        self.selected.emit(self.selection)

    def select_first(self, samples: ArrayLike) -> None:
        """Keep these samples as the first of two selections; none ends it."""
        self.first_selection = distinct(samples)
        self.first_selected.emit(self.first_selection)

    def point_at(self, sample: int | None) -> None:
        """Say which sample is under the pointer."""
        if sample != self.sample:
            self.sample = sample
            self.pointed.emit(sample)

    def set_threshold(self, threshold: float | None) -> None:
        """Set the threshold for outliers; None is the belief's own."""
        self.threshold = threshold
        self.thresholded.emit(threshold)

    def tell(self, notice: Notice) -> None:
        """Tell the person something."""
        self.told.emit(notice)

    def tell_of(self, trouble: Exception, words: str = "") -> None:
        """Tell the person of an error or a warning, in its own words by default, with what would help."""
        kind: Any = "warning" if isinstance(trouble, Warning) else "bad"
        self.tell(Notice(kind, words or in_words(trouble), self.fix_for(trouble)))

    def attempt(self, verb: Callable[..., Any], *args: Any, **options: Any) -> Any:
        """Carry out a verb of the session; what goes wrong, or is warned of, is told in words and nothing is lost."""
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                result = verb(*args, **options)
        except Exception as error:
            log.info("a verb failed", exc_info=True)
            self.tell_of(error)
            return None
        for warning in caught:
            if isinstance(warning.message, UserWarning):
                self.tell_of(warning.message)
        return result

    def view_failed(self, error: Exception) -> None:
        """A view could not draw something: that is logged and told, and stops nothing."""
        log.error("a view failed", exc_info=error)
        self.session.failures.append(error)
        if self.session.on_failure is not None:
            self.session.on_failure(error)


def hears_labels_alone(solver: Solver) -> bool:
    """Whether a solver takes labels and no links."""
    return solver.uses & {"labels", "must", "cannot"} == {"labels"}
