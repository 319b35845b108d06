"""The query card: what the solver would like to know, one question at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import ipywidgets as widgets
import numpy as np

from cclab.core.registry import strategies
from cclab.oracles import Answer, Loop, Oracle, Truth
from cclab.oracles.loop import is_settled
from cclab.queries.base import Query
from cclab.session import Moment, Snapshot
from cclab.widgets.kit.background import Tasks
from cclab.widgets.kit.html import Html, join, tag
from cclab.widgets.kit.layout import button, column, heading, press, row, show, text, with_classes
from cclab.widgets.kit.rows import Rows
from cclab.widgets.kit.throttle import Throttle
from cclab.widgets.model.desk import Desk
from cclab.widgets.model.notices import in_words
from cclab.widgets.model.run import Pace
from cclab.widgets.model.view import View
from cclab.widgets.queries.answer_buttons import AnswerButtons
from cclab.widgets.queries.desk_talk import DeskTalk
from cclab.widgets.queries.many_answers import ManyAnswers
from cclab.widgets.queries.question_views import Marked, group_rows, pair_row, title_of
from cclab.widgets.queries.sample import Samples

_LOOKING = "Looking for a question…"
_THINKING = tag("div", _LOOKING, class_="cc-empty")
_WAIT = 0.1


class Queries(View):
    """Asks, and turns answers into statements.

    Parameters
    ----------
    desk : Desk
    strategy : str
        Name of the first strategy; another one is taken where it doesn't suit the belief.
    step_after : bool
        Whether the solver makes a step after each answer.
    batch : int
        How many questions "Ask the truth" answers at once by its second button.
    pace : coroutine function, optional
        Awaited between the answers of a batch: see `Stepper`.
    about : Samples, optional
        What questions are about, how they look, and what becomes of answers; default: the samples of the data.
    oracles : mapping from str to Oracle
        Who may answer many questions at once, beside the truth.
    """

    def __init__(
        self,
        desk: Desk,
        strategy: str = "UncertaintyQueries",
        *,
        step_after: bool = True,
        batch: int = 10,
        pace: Pace | None = None,
        about: Samples | None = None,
        oracles: Mapping[str, Oracle] | None = None,
    ) -> None:
        super().__init__(desk)
        self.about = about or Samples(desk)
        self.step_after = step_after
        self.batch = batch
        self._pace = pace
        self._tasks = Tasks()
        self._throttle = Throttle()
        self._looking = False
        self._left = 0  # questions of a batch still to be answered
        self._found_nothing: tuple[Any, ...] | None = None
        self._asked_at: tuple[Query, Snapshot] | None = None  # the last question that was found, and where
        self._marked = Marked()

        self.title = text()
        self.strategy = with_classes(
            widgets.Dropdown(description="Strategy", layout={"width": "auto"}), "cc-plain cc-quiet-label"
        )
        self.why = text(css="cc-why")
        self.samples = Rows(label="The samples in question")
        self.samples.add_class("cc-pair-rows")
        self.samples.on_hover(lambda sample: desk.point_at(None if sample is None else int(sample)))
        self.samples.on_action(lambda action: self.mark(int(action.id)))
        self._buttons = AnswerButtons(self.answer, self.confirm, self.reject)
        self.same_button, self.different_button = self._buttons.same, self._buttons.different
        self.unknown_button, self.group_button = self._buttons.unknown, self._buttons.group
        self.answers = self._buttons.widget
        self.counts = text(css="cc-note")
        self.step_button = button(icon="step", hint="Step after each answer", on_click=self.toggle_step_after)
        self.truth_button = button("Ask the truth", self.ask_truth, hint="Answer this one from the known classes")
        self.batch_button = button(
            icon="batch", hint=f"Ask the truth about {batch} questions", on_click=self.toggle_batch
        )
        self.step_button.add_class("cc-push")
        self.many = ManyAnswers(desk, oracles or {}, strategy=lambda: self.strategy.value, on_done=self._many_answered)
        self._fill_strategies(desk.session.current, strategy)
        self.strategy.observe(self._strategy_chosen, "value")
        self.foot = row(self.counts, self.step_button, self.truth_button, self.batch_button, css="cc-foot")
        self.widget = column(
            row(self.title, text(tag("span", "by"), css="cc-push cc-note"), self.strategy, css="cc-head"),
            column(self.why, self.samples, self.answers, css="cc-query"),
            self.foot,
            self.many.widget,
            css="cc-panel cc-queries",
        )
        self.listen(desk.thresholded, lambda _: self._show())
        for signal in self.about.renamed:
            self.listen(signal, self._show)
        self.update(None, desk.moment)

    # ------------------------------------------------------------------ gestures

    @property
    def keys(self) -> dict[str, Callable[[], object]]:
        return {"s": partial(self._choose, 0), "d": partial(self._choose, 1), "x": self.reject}

    def _choose(self, place: int) -> None:
        """The first or the second answer of two."""
        kind = "pair" if self.query is None else self.query.kind
        if kind == "label":
            label = self._buttons.label_at(place)
            if label is not None:
                self.answer(label)
            return
        self.answer(("b", "c")[place] if kind == "triplet" else ("same", "different")[place])

    @property
    def query(self) -> Query | None:
        """The question that is asked now."""
        query = self.desk.question
        return query if query is not None and self.about.stands(self._where(query)) else None

    def _where(self, query: Query) -> Snapshot | None:
        """The snapshot at which a question was found, unless that was before this page."""
        asked, where = self._asked_at or (None, None)
        return where if asked == query else None

    def answer(self, answer: str | int | Sequence[int]) -> None:
        """Answer the question: "same" or "different" about a pair, a label (from 0) about one sample, and so on."""
        query = self.query
        if query is not None and answer_suits(query, answer) and self.about.answer(query, answer):
            self._go_on()

    def mark(self, sample: int) -> None:
        """Mark a sample of the group as one that does not belong, or take the mark away."""
        if self._marked.toggle(self.query, sample):
            self._show()

    def mark_place(self, place: int) -> bool:
        """Mark the sample at a place, from 0; False where no group is asked about."""
        query = self.query
        if query is None or query.kind != "group" or place >= len(query.samples):
            return False
        self.mark(query.samples[place])
        return True

    @property
    def outside(self) -> frozenset[int]:
        """The samples of the group that were marked."""
        return self._marked.of(self.query)

    def confirm(self) -> None:
        """Answer that the marked samples do not belong, and the others do."""
        if self.query is not None and self.query.kind == "group":
            self.answer(sorted(self.outside))

    def reject(self) -> None:
        """Set the question aside: don't know."""
        if self.query is not None:
            self.desk.attempt(self.desk.session.reject, self.query)

    def ask_truth(self) -> None:
        """Answer the question from the known classes."""
        query, target = self.query, self.desk.session.data.target
        if query is not None and target is not None:
            self._hear(query, Truth(target).answer(query, self.desk.session.data))

    def _hear(self, query: Query, answer: Answer) -> None:
        if answer.is_sure:
            self.answer(answer.verdict)
        else:
            self.reject()

    def toggle_batch(self) -> None:
        """Let the truth answer `batch` questions, or stop it."""
        if self._left:
            self._left = 0
            self._show()
        elif self.desk.session.data.target is not None:
            self._left = self.batch
            self._tasks.start(self._answer_batch())

    def toggle_step_after(self) -> None:
        """Step after each answer, or leave the steps to the person."""
        self.step_after = not self.step_after
        self._show_foot()

    def propose(self) -> None:
        """Look for another question, aside."""
        if not self._looking and self.about.ready and self.strategy.value is not None:
            self._looking = True
            self._tasks.start(self._look())

    def _strategy_chosen(self, _change: dict) -> None:
        self._found_nothing = None
        self.propose()

    def _go_on(self) -> None:
        if self.step_after and not self._left and not self.desk.session.running:
            self._tasks.start(self._loop.go_on(DeskTalk(self.desk, self._next), over=False))

    @property
    def _loop(self) -> Loop:
        return Loop(self.batch, steps_per_round=1 if self.step_after else 0, settles=False)

    async def _answer_batch(self) -> None:
        talk = DeskTalk(self.desk, self._next, hear=self._hear, pace=self._pace)
        try:
            async for count, _ in self._loop.rounds(talk, Truth(self.desk.session.data.target)):
                self._left = min(self._left, self.batch - count)
        finally:
            self._left = 0
            self._show()

    async def _next(self) -> Sequence[Query]:
        """The question that is asked now, once it is found; none when the person has had enough."""
        if self._left and self.query is None and not self._looking:
            self._looking = True
            await self._look()
        while self._looking:
            await asyncio.sleep(_WAIT / 10)
        return () if self.query is None or not self._left else (self.query,)

    def _many_answered(self, stated: bool) -> None:
        if stated:
            self._go_on()
        self._show()

    # ------------------------------------------------------------------ looking for a question

    async def _look(self) -> None:
        """Propose until there is a question or surely none; a proposal overtaken by a verb is made anew."""
        try:
            self._show()
            while True:
                session = self.desk.session
                if session.running or not self.about.settled:
                    await asyncio.sleep(_WAIT)
                    continue
                before = self._situation()
                try:
                    found = await self.about.find(session, self.strategy.value)
                except Exception as error:
                    self.desk.tell_of(error, f"No question could be found: {in_words(error)}")
                    found = ()
                if session is self.desk.session and self._situation() == before:
                    if not found:
                        self._found_nothing = before
                    else:
                        self._asked_at = found[0], session.current
                    break
        finally:
            self._looking = False
            self._show()

    def _situation(self) -> tuple[Any, ...]:
        """What a proposal depends on."""
        session = self.desk.session
        return session.current, session.asked, self.strategy.value

    def _fill_strategies(self, snapshot: Snapshot, wanted: str) -> None:
        """Offer the strategies that suit the belief and the solver; keep the chosen one where it does."""
        suiting = self.about.strategies(snapshot)
        options = tuple((strategies.get(name).title, name) for name in suiting)
        if options != tuple(self.strategy.options):
            self.strategy.options = options
            self.strategy.value = wanted if wanted in suiting else next(iter(suiting), None)
        self.strategy.disabled = not options

    # ------------------------------------------------------------------ showing

    def update(self, old: Moment | None, new: Moment) -> None:
        before, here = None if old is None else old.snapshot, new.snapshot
        if before is None or before.solver is not here.solver or type(before.partition) is not type(here.partition):
            self._fill_strategies(here, self.strategy.value)
        same_knowledge = old is not None and old.constraints is new.constraints
        self._drop_settled(same_knowledge)
        if self._wants_another(same_knowledge) or (before is not None and _names_gone(before, here)):
            self.propose()
        if not (same_knowledge and self._throttle.holds(new)):
            self._show()

    def _drop_settled(self, same_knowledge: bool) -> None:
        """Of several questions that wait, those that answers have settled by now are not put."""
        session = self.desk.session
        first, *rest = session.pending or (None,)
        if not same_knowledge and rest and first is not None and is_settled(first, session.constraints):
            session.put(*(query for query in rest if not is_settled(query, session.constraints)))

    def _wants_another(self, same_knowledge: bool) -> bool:
        query = self.query
        if not self.about.ready:
            return False
        if query is None:
            return self._situation() != self._found_nothing and bool(self.strategy.options)
        return self._is_outdated(query) or (not same_knowledge and is_settled(query, self.desk.session.constraints))

    def _is_outdated(self, query: Query) -> bool:
        """Whether the question came from another solver, or from other parameters: its reason says nothing any more."""
        where = self._where(query)
        return where is not None and where.solver is not self.desk.session.solver

    def _show(self) -> None:
        query = self.query
        kind = self.about.kind if query is None else query.kind
        self.title.value = heading(title_of(kind, self.about))
        # While it looks the last samples stay, faint: what is below keeps its place.
        waiting = query is None and self._looking and bool(self.samples.rows)
        if query is None:
            why = self.about.why_nothing(bool(self.strategy.options))
            nothing = tag("div", tag("strong", "Nothing to ask"), why, class_="cc-empty")
            self.why.value = (_LOOKING if waiting else _THINKING) if self._looking else nothing
            if not waiting:
                self.samples.show([])
        else:
            self.why.value = join(self.about.reason(query), self._when(query))
            if kind == "group":
                self.samples.show(group_rows(query, self.desk, self.outside))
            else:
                self.samples.show(pair_row(query, self.about))
        pictures = kind == "group" and self.desk.session.data.images is not None
        for css, wanted in (("cc-group-rows", kind == "group"), ("cc-pictures", pictures)):
            (self.samples.add_class if wanted else self.samples.remove_class)(css)
        (self.samples.add_class if waiting else self.samples.remove_class)("cc-waiting")
        show(self.samples, query is not None or waiting)
        meanings = self.about.meanings(self.desk.session.current) if kind == "label" else {}
        self._buttons.offer(kind, query is not None, meanings=meanings, n_outside=len(self.outside))
        for part in (self.answers, self.foot):  # before anything can be asked there is nothing to answer
            show(part, self.about.ready)
        self._show_foot()
        self.about.asked(query)

    def _when(self, query: Query) -> Html | None:
        """When it was asked, where the solver has gone on since and the reason is no longer quite true."""
        where, now = self._where(query), self.desk.session.current.summary.iteration
        if where is None or where.summary.iteration == now:
            return None
        return tag("span", f" Asked at iteration {where.summary.iteration}.", class_="cc-faint")

    def _show_foot(self) -> None:
        session = self.desk.session
        batch = tag("span", f"Answering, {self.batch - self._left} of {self.batch}")
        self.counts.value = batch if self._left else self.about.counts(session)
        press(self.step_button, self.step_after)
        self.many.show(self.about.takes_many)
        for tool in (self.truth_button, self.batch_button):
            show(tool, session.data.target is not None)
            tool.disabled = self.query is None
        self.batch_button.disabled = self.query is None and not self._left

    def close(self) -> None:
        self._left = 0
        self._tasks.cancel()
        self.many.close()
        self._buttons.close()
        super().close()


def _names_gone(old: Snapshot, new: Snapshot) -> bool:
    """Whether clusters have vanished that the reason of a question may name."""
    if old.state is new.state or not old.kept or old.partition.n_clusters == new.partition.n_clusters:
        return False
    return not np.isin(old.state.cluster_ids, new.state.cluster_ids).all()


def answer_suits(query: Query, answer: object) -> bool:
    """Whether this is an answer to such a question."""
    match query.kind:
        case "pair":
            return answer in ("same", "different")
        case "triplet":
            return answer in ("b", "c")
        case "group":
            return isinstance(answer, list | tuple)
        case "label":
            return isinstance(answer, int | np.integer)
    return isinstance(answer, str)
