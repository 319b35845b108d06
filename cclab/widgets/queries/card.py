"""The query card: what the solver would like to know, one question at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any

import ipywidgets as widgets
import numpy as np

from cclab.core import ConstraintSet
from cclab.core.registry import strategies
from cclab.queries.base import Query, Settled
from cclab.session import Session, Snapshot
from cclab.widgets.desk import Desk, View, in_words
from cclab.widgets.freeing import close_all
from cclab.widgets.html import Html, join, tag
from cclab.widgets.layout import button, column, row, show, text, with_classes
from cclab.widgets.rows import Rows
from cclab.widgets.running import Pace, Restraint, run
from cclab.widgets.samples import sample_card
from cclab.widgets.tasks import Tasks

_THINKING = tag("div", "Looking for a question…", class_="cc-empty")
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
    question : str
        The title over a pair.
    """

    def __init__(
        self,
        desk: Desk,
        strategy: str = "UncertaintyQueries",
        *,
        step_after: bool = True,
        batch: int = 10,
        pace: Pace | None = None,
        question: str = "Same cluster?",
    ) -> None:
        super().__init__(desk)
        self.step_after = step_after
        self.batch = batch
        self._question = question
        self._pace = pace
        self._tasks = Tasks()
        self._restraint = Restraint()
        self._looking = False
        self._left = 0  # questions of a batch still to be answered
        self._found_nothing: tuple[Any, ...] | None = None

        self._title = text()
        self.strategy = with_classes(
            widgets.Dropdown(description="Strategy", layout={"width": "auto"}), "cc-plain cc-quiet-label"
        )
        self._why = text(css="cc-why")
        self._samples = Rows(label="The samples in question")
        self._samples.add_class("cc-pair-rows")
        self._samples.on_hover(lambda sample: desk.point_at(None if sample is None else int(sample)))
        self.same_button = self._answer_button("Same", "same", "together", "S")
        self.different_button = self._answer_button("Different", "different", "apart", "D")
        self.unknown_button = button("Don’t know", self.reject, key="X", hint="Don’t know (X)", look="outlined")
        self._cluster_buttons: tuple[widgets.Button, ...] = ()
        self._answers = row(css="cc-answers")
        self._counts = text(css="cc-note")
        self.step_button = button(icon="step", hint="Step after each answer", on_click=self.toggle_step_after)
        self.truth_button = button("Ask the truth", self.ask_truth, hint="Answer this one from the known classes")
        self.batch_button = button(
            icon="batch", hint=f"Ask the truth about {batch} questions", on_click=self.toggle_batch
        )
        self.step_button.add_class("cc-push")
        self._fill_strategies(desk.session.current, strategy)
        self.strategy.observe(self._strategy_chosen, "value")
        self.widget = column(
            row(self._title, text(tag("span", "by"), css="cc-push cc-note"), self.strategy, css="cc-head"),
            column(self._why, self._samples, self._answers, css="cc-query"),
            row(self._counts, self.step_button, self.truth_button, self.batch_button, css="cc-foot"),
            css="cc-panel cc-queries",
        )
        self.listen(desk.thresholded, lambda _: self._show())
        self.update(None, desk.session.current)

    def _answer_button(self, label: str, answer: str, icon: str, key: str) -> widgets.Button:
        hint = f"{label} ({key})"
        return button(label, lambda: self.answer(answer), icon=icon, key=key, hint=hint, look="outlined")

    # ------------------------------------------------------------------ gestures

    @property
    def keys(self) -> dict[str, Callable[[], object]]:
        return {"s": partial(self.answer, "same"), "d": partial(self.answer, "different"), "x": self.reject}

    @property
    def query(self) -> Query | None:
        """The question that is asked now."""
        return next(iter(self.desk.session.pending), None)

    def answer(self, answer: str | int) -> None:
        """Answer the question: "same" or "different" about a pair, a cluster (from 0) about one sample."""
        query = self.query
        if query is None or (query.kind == "pair") != isinstance(answer, str):
            return
        if self.desk.attempt(self.desk.session.answer, query, answer) is not None:
            self._go_on()

    def reject(self) -> None:
        """Set the question aside: don't know."""
        if self.query is not None:
            self.desk.attempt(self.desk.session.reject, self.query)

    def ask_truth(self) -> None:
        """Answer the question from the known classes."""
        if self.query is None:
            return
        answer = true_answer(self.desk.session, self.query)
        if answer is None:
            self.reject()
        else:
            self.answer(answer)

    def toggle_batch(self) -> None:
        """Let the truth answer `batch` questions, or stop it."""
        if self._left:
            self._left = 0
            self._show()
        else:
            self._left = self.batch
            self._tasks.start(self._answer_batch())

    def toggle_step_after(self) -> None:
        """Step after each answer, or leave the steps to the person."""
        self.step_after = not self.step_after
        self._show_foot()

    def propose(self) -> None:
        """Look for another question, aside."""
        if not self._looking:
            self._looking = True
            self._tasks.start(self._look())

    def _strategy_chosen(self, _change: dict) -> None:
        self._found_nothing = None
        self.propose()

    def _go_on(self) -> None:
        if self.step_after and not self._left and not self.desk.session.running:
            self._tasks.start(run(self.desk, 1))

    async def _answer_batch(self) -> None:
        try:
            while self._left and self.query is not None:
                self._left -= 1
                self.ask_truth()
                if self.step_after and not await run(self.desk, 1):
                    break
                if self._pace is not None:
                    await self._pace()
                if self._left and self.query is None and not self._looking:
                    self._looking = True
                    await self._look()
                while self._looking:
                    await asyncio.sleep(_WAIT / 10)
        finally:
            self._left = 0
            self._show()

    # ------------------------------------------------------------------ looking for a question

    async def _look(self) -> None:
        """Propose until there is a question or surely none; a proposal overtaken by a verb is made anew."""
        try:
            self._show()
            while True:
                session = self.desk.session
                if session.running:
                    await asyncio.sleep(_WAIT)
                    continue
                before = self._situation()
                try:
                    found = await session.apropose(self.strategy.value)
                except Exception as error:
                    self.desk.tell("bad", f"No question could be found: {in_words(error)}")
                    found = ()
                if session is self.desk.session and self._situation() == before:
                    if not found:
                        self._found_nothing = before
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
        hears_labels_alone = snapshot.solver.uses & {"labels", "must", "cannot"} == {"labels"}
        suiting = [
            name
            for name in strategies.names()
            if strategies.get(name).suits(snapshot.partition)
            and (strategies.get(name).kind == "label" or not hears_labels_alone)
        ]
        options = tuple((strategies.get(name).title, name) for name in suiting)
        if options != tuple(self.strategy.options):
            self.strategy.options = options
            self.strategy.value = wanted if wanted in suiting else next(iter(suiting), None)

    # ------------------------------------------------------------------ showing

    def update(self, old: Snapshot | None, new: Snapshot) -> None:
        if old is None or old.solver is not new.solver or type(old.partition) is not type(new.partition):
            self._fill_strategies(new, self.strategy.value)
        same_knowledge = old is not None and old.problem.constraints is new.problem.constraints
        if self._wants_another(same_knowledge) or (old is not None and _names_gone(old, new)):
            self.propose()
        if not (same_knowledge and self._restraint.holds(self.desk.session)):
            self._show()

    def _wants_another(self, same_knowledge: bool) -> bool:
        query = self.query
        if query is None:
            return self._situation() != self._found_nothing and bool(self.strategy.options)
        return not same_knowledge and is_settled(query, self.desk.session.constraints)

    def _why_nothing(self) -> str:
        """Why there is no question, and what to do."""
        return "Every pair is either stated or settled. Choose another strategy, or step on."

    def _show(self) -> None:
        query = self.query
        kind = "pair" if query is None else query.kind
        self._title.value = tag(
            "span", self._question if kind == "pair" else "Which cluster?", class_="cc-title", role="heading"
        )
        if query is None:
            nothing = tag("div", tag("strong", "Nothing to ask"), self._why_nothing(), class_="cc-empty")
            self._why.value = _THINKING if self._looking else nothing
            self._samples.show([])
        else:
            self._why.value = self._reason(query)
            cards = [self._card(letter, sample) for letter, sample in zip("ab", query.samples)]
            self._samples.show([("pair", tag("div", cards, class_="cc-pair"))])
        show(self._samples, query is not None)
        self._offer_answers(kind)
        for answer in self._answers.children:
            answer.disabled = query is None
        self._show_foot()

    def _reason(self, query: Query) -> Html:
        return join(query.reason)

    def _card(self, letter: str, sample: int) -> Html:
        session = self.desk.session
        return sample_card(letter, session.data, session.current, sample, self.desk.threshold)

    def _offer_answers(self, kind: str) -> None:
        """Same and different about a pair, the clusters about one sample."""
        if kind == "label":
            self._have_cluster_buttons([str(int(id_) + 1) for id_ in self.desk.session.state.cluster_ids])
            offered = self._cluster_buttons
        else:
            offered = (self.same_button, self.different_button)
        self._answers.add_class("cc-many") if kind == "label" else self._answers.remove_class("cc-many")
        self._answers.children = (*offered, self.unknown_button)

    def _have_cluster_buttons(self, names: list[str]) -> None:
        if [made.description for made in self._cluster_buttons] == names:
            return
        for made in self._cluster_buttons:
            close_all(made)
        self._cluster_buttons = tuple(
            button(name, lambda k=k: self.answer(k), hint=f"Cluster {name}", look="outlined")
            for k, name in enumerate(names)
        )

    def _show_foot(self) -> None:
        session = self.desk.session
        self._counts.value = self._counts_in_words(session)
        self.step_button.add_class("cc-on") if self.step_after else self.step_button.remove_class("cc-on")
        for tool in (self.truth_button, self.batch_button):
            show(tool, session.data.target is not None)
            tool.disabled = self.query is None
        self.batch_button.disabled = self.query is None and not self._left

    def _counts_in_words(self, session: Session) -> Html:
        if self._left:
            return tag("span", f"Answering, {self.batch - self._left} of {self.batch}")
        rejected = len(session.rejected)
        answered = len(session.asked) - rejected
        asked = len(session.asked) + len(session.pending)
        rest = tag("span", f" · {rejected} rejected", class_="cc-wide") if rejected else None
        return join(tag("b", answered), f" of {asked} answered", rest)

    def close(self) -> None:
        self._left = 0
        self._tasks.cancel()
        # Only one kind of answer is on the page.
        for made in (self.same_button, self.different_button, *self._cluster_buttons):
            close_all(made)
        super().close()


def _names_gone(old: Snapshot, new: Snapshot) -> bool:
    """Whether clusters have vanished that the reason of a question may name."""
    if old.state is new.state or not old.kept or old.partition.n_clusters == new.partition.n_clusters:
        return False
    return not np.isin(old.state.cluster_ids, new.state.cluster_ids).all()


def is_settled(query: Query, constraints: ConstraintSet) -> bool:
    """Whether the answer follows from what is stated by now."""
    if query.kind == "label":
        return bool(np.isin(query.samples[0], constraints.labels.sample))
    return Settled(constraints)(*query.samples)


def true_answer(session: Session, query: Query) -> str | int | None:
    """What the known classes say; None where a sample has no class."""
    target = session.data.target
    if target is None:
        return None
    classes = target[list(query.samples)]
    if (classes < 0).any():
        return None
    if query.kind == "label":
        return int(classes[0])
    return "same" if classes[0] == classes[1] else "different"
