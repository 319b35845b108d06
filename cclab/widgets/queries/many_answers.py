"""Many answers at once: an oracle is asked, what is sure is stated, the rest waits for the person's eye."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Callable, Mapping, Sequence

import ipywidgets as widgets

from cclab.datasets import Dataset
from cclab.oracles import Answer, Function, Oracle, Review, Truth, review
from cclab.oracles.guarded import Guarded
from cclab.queries.base import Query
from cclab.session import Session
from cclab.session.threads import in_thread
from cclab.widgets.kit.background import Tasks
from cclab.widgets.kit.html import Html, tag
from cclab.widgets.kit.layout import button, row, show, text, with_classes
from cclab.widgets.model.desk import Desk
from cclab.widgets.model.notices import Notice, in_words, sentence

#: How many questions an oracle may be given at once.
MANY = (20, 50, 200, 1000)


class ManyAnswers:
    """A row of the query card: answer so many questions by whom.

    Parameters
    ----------
    desk : Desk
    oracles : mapping from str to Oracle
        Who may be asked, beside the truth where that is known.
    strategy : callable
        Gives the name of the strategy that finds the questions, or None.
    on_done : callable
        Called when the oracle was asked, with whether anything was stated.
    """

    def __init__(
        self,
        desk: Desk,
        oracles: Mapping[str, Oracle],
        *,
        strategy: Callable[[], str | None],
        on_done: Callable[[bool], object],
    ) -> None:
        self.desk = desk
        self._oracles = dict(oracles)
        self._strategy = strategy
        self._on_done = on_done
        self._tasks = Tasks()
        self._running = False
        self._found: tuple[Session | None, Review | None] = None, None  # what came of it last, and in which session
        self.note = text(css="cc-note")
        self.many = with_classes(widgets.Dropdown(description="How many", options=MANY, value=200), "cc-quiet-label")
        self.oracle = with_classes(widgets.Dropdown(description="Answered by"), "cc-quiet-label")
        self.go_button = button("Answer", self.start, hint="What is sure is stated, the rest is put to you")
        by = text(tag("span", "by"), css="cc-note")
        self.widget = row(self.go_button, self.many, by, self.oracle, self.note, css="cc-foot cc-many-answers")

    def offered(self) -> dict[str, Oracle]:
        """Who may be asked about the data on the desk."""
        target = self.desk.session.data.target
        return self._oracles | ({} if target is None else {"the truth": Truth(target)})

    def show(self, suited: bool) -> None:
        """Bring it up to date; `suited` is whether there may be anything to answer."""
        offered = tuple(self.offered())
        show(self.widget, bool(offered) and suited)
        if offered != tuple(self.oracle.options):
            self.oracle.options = offered
            self.oracle.value = next(iter(offered), None)
        self.go_button.disabled = self._running or self._strategy() is None
        if not self._running:
            session, found = self._found
            self.note.value = self._left_of(found) if found is not None and session is self.desk.session else ""

    def _left_of(self, found: Review) -> Html | str:
        """How many of the questions still want the person's eye."""
        waiting = {query.samples for query in self.desk.session.pending}
        n = sum(query.samples in waiting for query in found.eye)
        if found.eye and not n:
            return ""
        words = f"{n} {'wants' if n == 1 else 'want'} your eye" if n else "all stated"
        return tag("span", words, title=str(found))

    def start(self) -> None:
        """Let the oracle answer."""
        oracle, strategy = self.offered().get(self.oracle.value), self._strategy()
        if oracle is not None and strategy is not None and not self._running:
            self._tasks.start(self._answer(self.oracle.value, oracle, strategy, self.many.value))

    async def _answer(self, name: str, oracle: Oracle, strategy: str, n: int) -> None:
        self._running = True
        asked = Guarded(oracle, name)
        found = None
        try:
            found = await self._reviewed(name, asked, strategy, n)
        except Exception as error:
            self.desk.tell_of(error, f"{name} could not be asked: {in_words(error)}")
        finally:
            self._running = False
            self._found = self.desk.session, found
        if found is not None:
            why = f" {sentence(asked.exhausted)}" if asked.exhausted else ""
            self.desk.tell(Notice("info", f"{sentence(str(found))}{why}"))
        self._on_done(found is not None and bool(found.stated))

    async def _reviewed(self, name: str, asked: Guarded, strategy: str, n: int) -> Review | None:
        """What came of it; None where there was nothing to ask, or another session was opened meanwhile."""
        oracle = asked.oracle
        session, loop = self.desk.session, asyncio.get_running_loop()
        self.go_button.disabled = True
        self._count(0, n)
        waited = session.pending
        queries = await session.apropose(strategy, n)
        if not queries:
            self.desk.tell(Notice("info", "Nothing to ask. Choose another strategy, or step on."))
            return None
        if isinstance(oracle, Function):
            oracle.try_again()  # who asks once more may have mended it
        told = getattr(oracle, "progress", None)
        if told is not None:  # a Function tells how far it is
            oracle.progress = lambda done, total: loop.call_soon_threadsafe(self._count, done, total)  # type: ignore
        try:
            answers, warned = await in_thread(_answers, asked, queries, session.data)
        finally:
            if told is not None:
                oracle.progress = told  # type: ignore
        if session is not self.desk.session:
            return None
        for warning in warned:
            self.desk.tell_of(warning)
        if asked.exhausted and not any(answer.is_sure for answer in answers):
            self.desk.attempt(session.put, *waited)
            self.desk.tell(Notice("warning", f"{sentence(asked.exhausted)} Nothing was stated."))
            return None
        found = review(queries[: len(answers)], answers, session.constraints, by=name)
        source = "query" if name == "the truth" else name
        # First what stays open: else another question is looked for between the two, and takes its place.
        self.desk.attempt(session.put, *found.eye)
        self.desk.attempt(session.reply, found.stated, source=source)
        return found

    def _count(self, done: int, total: int) -> None:
        self.note.value = tag("span", f"{done} of {total}")

    def close(self) -> None:
        """Stop what is under way."""
        self._tasks.cancel()


def _answers(oracle: Oracle, queries: Sequence[Query], data: Dataset) -> tuple[Sequence[Answer], list[UserWarning]]:
    """What an oracle says, and what it warns of: that its cache is about other data, say."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        answers = oracle.answers(queries, data)
    return answers, [w.message for w in caught if isinstance(w.message, UserWarning)]
