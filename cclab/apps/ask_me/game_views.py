"""Views of the query game: the card with the question, the agreement with the truth, the answers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import count
from typing import Any

import bqplot
import numpy as np
from numpy.typing import NDArray

from cclab.apps.ask_me.game import (
    N_QUESTIONS,
    Move,
    agreement,
    is_true,
    moves_of,
    n_settled,
    question_of,
    stages_of,
)
from cclab.core.words import decimal
from cclab.looks.encoding import Look
from cclab.queries.base import Query
from cclab.session import Moment, Snapshot
from cclab.widgets.kit.html import Html, join, tag
from cclab.widgets.kit.layout import button, column, heading, row, show, text
from cclab.widgets.kit.rows import Rows
from cclab.widgets.model.desk import Desk
from cclab.widgets.model.view import View
from cclab.widgets.queries.answer_buttons import AnswerButtons
from cclab.widgets.queries.question_views import Marked, group_rows
from cclab.widgets.queries.sample import sample_content
from cclab.widgets.watch.one_sample import sample_bars
from cclab.widgets.watch.ticks import put_ticks, ticks

_WORDS = {"same": "Same", "different": "Different", None: "Don’t know", (): "All belong"}
_OUTCOME = "pairs that need no question any more · samples that changed their cluster"


class Card(View):
    """The question, its samples (two with what is believed of them, or a group), the answers, and how far the game is.

    Parameters
    ----------
    desk : Desk
    on_answer : callable
        Called with "same" or "different", with the samples that do not belong, or with None.
    on_undo, on_new : callables
        What the buttons do.
    """

    def __init__(
        self,
        desk: Desk,
        *,
        on_answer: Callable[[Any], object],
        on_undo: Callable[[], object],
        on_new: Callable[[], object],
    ) -> None:
        super().__init__(desk)
        self._on_answer = on_answer
        self._trouble = ""
        self._rival: NDArray[np.float64] = np.empty(0)
        self._n_rivals = 0
        self._top = text()
        self._pair = text(css="cc-game-pair")
        self._marked = Marked()
        self.group = Rows(label="The samples in question")
        self.group.on_action(lambda action: self.mark(int(action.id)))
        for css in ("cc-group-rows", "cc-game-group"):
            self.group.add_class(css)
        self._buttons = AnswerButtons(on_answer, self.confirm, partial(on_answer, None))
        self._buttons.widget.add_class("cc-large")
        self.again_button = button("New game", on_new, look="primary", hint="New game (N)")
        self.undo_button = button(icon="undo", hint="Take the last answer back (Ctrl+Z)", on_click=on_undo)
        self._dots = text()
        foot = row(self._dots, row(self.undo_button, css="cc-push"), css="cc-foot")
        answers = self._buttons.widget
        body = column(self._top, self._pair, self.group, answers, self.again_button, css="cc-game-body")
        self.widget = column(column(body, foot, css="cc-panel cc-game"), css="cc-table")
        self.update(None, desk.moment)

    @property
    def query(self) -> Query | None:
        """The question that is asked now."""
        return next(iter(self.desk.session.pending), None)

    def mark(self, sample: int) -> None:
        """Mark a sample of the group as one that does not belong, or take the mark away."""
        if self._marked.toggle(self.query, sample):
            self._show()

    def mark_place(self, place: int) -> None:
        """Mark the sample at a place, from 0."""
        if self.query is not None and place < len(self.query.samples):
            self.mark(self.query.samples[place])

    def confirm(self) -> None:
        """Answer that the marked samples do not belong, and the others do."""
        if self.query is not None and self.query.kind == "group":
            self._on_answer(sorted(self._marked.of(self.query)))

    def say_why_not(self, trouble: str) -> None:
        """Say why there is no question; "" is that there will be one."""
        self._trouble = trouble
        self._show()

    def play_against(self, rival: NDArray[np.float64], n_games: int) -> None:
        """Take the opponent's agreement after each question: the mean of some games."""
        self._rival, self._n_rivals = rival, n_games
        self._show()

    def update(self, old: Moment | None, new: Moment) -> None:
        if old is None:
            self._rival = np.empty(0)
        self._show()

    def _show(self) -> None:
        if self.desk.moment.running:  # what counts is where it comes to rest
            return
        session = self.desk.session
        moves, query = moves_of(session), self.query
        over = len(moves) >= N_QUESTIONS
        kind = "pair" if query is None else query.kind
        show(self._buttons.widget, not over)
        show(self.again_button, over)
        show(self._pair, not over and kind == "pair")
        show(self.group, not over and kind == "group")
        outside = self._marked.of(query)
        self._buttons.offer(kind, query is not None, meanings={}, n_outside=len(outside))
        self.undo_button.disabled = not moves
        self._dots.value = _dots(moves)
        if over:
            self._top.value = self._ending(moves)
            return
        title = question_of(session, kind)
        number = tag("span", f"Question {len(moves) + 1} of {N_QUESTIONS}", class_="cc-chip")
        why = query.reason if query is not None else self._trouble or "The solver thinks about what to ask."
        self._top.value = tag("div", number, tag("h2", title), tag("p", why), class_="cc-question", aria_live="polite")
        if query is not None and kind == "group":
            pictures = session.data.images is not None
            (self.group.add_class if pictures else self.group.remove_class)("cc-pictures")
            self.group.show(group_rows(query, self.desk, outside))
        elif query is not None:
            cards = [self._card(letter, sample, session.current) for letter, sample in zip("ab", query.samples)]
            self._pair.value = tag("div", cards)

    def _card(self, letter: str, sample: int, snapshot: Snapshot) -> Html:
        bars = sample_bars(snapshot.partition.restrict(sample), Look.of(snapshot))
        largest = [bar for bar in sorted(bars, key=lambda bar: -bar.value)[:3] if bar.value >= 0.005]
        belief = [
            join(
                tag("span", f"cluster {bar.name}" if bar.name.isdigit() else bar.name),
                tag(
                    "span",
                    tag("i", style=f"width:{100 * bar.value:.0f}%;background:var({bar.color})"),
                    class_="cc-meter",
                ),
                tag("span", f"{bar.value:.2f}"),
            )
            for bar in largest
        ]
        content = tag("div", sample_content(self.desk.session.data, sample), class_="cc-sample")
        return tag("div", content, tag("b", f"{letter} · sample {sample}"), tag("div", belief, class_="cc-belief"))

    def _ending(self, moves: list[Move]) -> Html:
        """How the game went, as it was."""
        session, rival = self.desk.session, self._rival
        first, *_, last = agreement(session)
        verb = _compared(last - first, "rose", "stayed", "fell")
        title, verdict = "That was the last question", "Random questions are still being played."
        if len(rival):
            title = _compared(last - rival[-1], "You beat random questions", "A draw", "Random questions did better")
            games = "one game" if self._n_rivals == 1 else f"mean of {self._n_rivals} games"
            verdict = f"Random questions, answered by the truth, came to {decimal(rival[-1])} ({games})."
        answered = [move for move in moves if move.answer is not None]
        wrong, aside = sum(not is_true(session, move) for move in answered), len(moves) - len(answered)
        slips = (
            "All your answers agree with the truth."
            if not wrong
            else f"{wrong} of {len(answered)} answers differ from the truth."
        )
        lines = [
            f"Agreement with the truth {verb} from {decimal(first)} to {decimal(last)}.",
            verdict,
            slips + (f" {aside} set aside." if aside else ""),
            "One game says little: what wins on these samples may lose on others.",
        ]
        chip = tag("span", f"{len(moves)} of {N_QUESTIONS}", class_="cc-chip")
        return tag("div", chip, tag("h2", title), [tag("p", line) for line in lines], class_="cc-question")

    def close(self) -> None:
        self._buttons.close()
        super().close()


def _clusters(snapshot: Snapshot) -> NDArray[np.int64]:
    """(n,) the cluster of each sample, by the name that it keeps."""
    return snapshot.state.cluster_ids[snapshot.partition.labels()]


def _compared(difference: float, more: str, alike: str, less: str) -> str:
    return more if difference > 0.005 else less if difference < -0.005 else alike


def _dots(moves: list[Move]) -> Html:
    named = {"different": "cc-different", None: "cc-unknown"}
    kinds = [named.get(move.answer, "cc-same") for move in moves]  # type: ignore[arg-type]
    kinds += ["cc-now"] * (len(moves) < N_QUESTIONS) + [""] * (N_QUESTIONS - len(moves) - 1)
    title = f"{len(moves)} of {N_QUESTIONS} questions: filled is answered, hollow is different, a dash is don’t know"
    return tag("div", [tag("i", class_=kind) for kind in kinds], class_="cc-dots", title=title)


class Agreement(View):
    """Agreement with the truth as the game goes on, the person's and the opponent's."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._x = bqplot.LinearScale(min=0, max=N_QUESTIONS)
        self._y = bqplot.LinearScale(min=0, max=1)
        scales = {"x": self._x, "y": self._y}
        self._random = bqplot.Lines(
            x=[0],
            y=[0],
            scales=scales,
            colors=["var(--cc-text3)"],
            stroke_width=1.4,
            line_style="dashed",
            visible=False,
        )
        self._own = bqplot.Lines(x=[0], y=[0], scales=scales, colors=["var(--cc-ink)"], stroke_width=2)
        self._now = bqplot.Scatter(x=[0], y=[0], scales=scales, colors=["var(--cc-ink)"], default_size=36)
        self._y_axis = bqplot.Axis(scale=self._y, side="left", grid_lines="solid")
        x_axis = bqplot.Axis(scale=self._x, grid_lines="none", tick_values=[0, 5, 10, 15, 20], tick_format="d")
        figure = bqplot.Figure(
            marks=[self._random, self._own, self._now],
            axes=[x_axis, self._y_axis],
            fig_margin={"top": 10, "bottom": 22, "left": 40, "right": 16},
            background_style={"fill": "transparent"},
            display_toolbar=False,
            animation_duration=0,
            layout={"width": "100%", "height": "196px", "min_width": "0", "min_height": "0"},
        )
        self._key = text()
        title = text(heading("Agreement with the truth"))
        self.widget = column(
            row(title, text("adjusted Rand index", css="cc-push cc-note"), css="cc-head"),
            figure,
            self._key,
            css="cc-panel",
        )
        self.rival: NDArray[np.float64] = np.empty(0)
        self.update(None, desk.moment)

    def play_against(self, rival: NDArray[np.float64]) -> None:
        """Take the opponent's agreement after each question."""
        self.rival = rival
        self._show()

    def update(self, old: Moment | None, new: Moment) -> None:
        if old is None:
            self.rival = np.empty(0)
        self._show()

    def _show(self) -> None:
        if self.desk.moment.running:  # what counts is where it comes to rest
            return
        own, rival = agreement(self.desk.session), self.rival
        low = np.floor(5 * min([*own, *rival])) / 5
        self._y.min = float(min(low, 0.8))
        put_ticks(self._y_axis, *ticks(self._y.min, 1, 160, 40))
        self._random.visible = bool(len(rival))
        for mark, values in ((self._own, own), (self._random, rival if len(rival) else own)):
            with mark.hold_sync():
                mark.x, mark.y = np.arange(len(values)), np.asarray(values)
        with self._now.hold_sync():
            self._now.x, self._now.y = [len(own) - 1], [own[-1]]
        ink, grey = "2px solid var(--cc-ink)", "1.4px dashed var(--cc-text3)"
        told = decimal(rival[len(own) - 1]) if len(rival) >= len(own) else "…"
        entries = [
            tag("span", tag("i", style=f"border-top:{line}"), words, tag("b", value))
            for line, words, value in ((ink, "you ", decimal(own[-1])), (grey, "random questions ", told))
        ]
        self._key.value = tag("div", entries, class_="cc-line-key")


class Answers(View):
    """What was answered, the newest first, and what it settled."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._count = text(css="cc-note")
        self.rows = Rows(label="Your answers")
        self.rows.add_class("cc-grow")
        title = text(heading("Your answers"))
        self.widget = column(row(title, self._count, css="cc-head"), self.rows, css="cc-panel cc-grow cc-moves")
        self.update(None, desk.moment)

    def update(self, old: Moment | None, new: Moment) -> None:
        if new.running:  # what counts is where it comes to rest
            return
        session = self.desk.session
        moves, stages = moves_of(session), stages_of(session)
        self._count.value = f"{len(moves)} given, newest first" if moves else "none yet"
        step = count(1)
        rows = []
        for place, move in enumerate(moves):
            outcome = "set aside"
            if move.answer is not None:
                k = next(step)
                before, after = stages[k - 1], stages[k]
                pairs = n_settled(after) - n_settled(before)
                moved = int((_clusters(before) != _clusters(after)).sum())
                outcome = f"settled {pairs} · moved {moved}"
            outside = move.answer if isinstance(move.answer, tuple) else ()
            pictures = [
                tag("span", self._thumb(sample), class_="cc-thumb" + " cc-outside" * (sample in outside))
                for sample in move.samples
            ]
            said = f"{len(outside)} out" if outside else _WORDS[move.answer]  # type: ignore[index]
            cells = tag("span", said), tag("span", outcome, class_="cc-faint", title=_OUTCOME)
            css = "cc-move" + " cc-of-group" * (len(move.samples) > 2)
            rows.append((place, tag("div", tag("span", pictures), *cells, class_=css)))
        self.rows.show(rows[::-1])

    def _thumb(self, sample: int) -> Html | str:
        data = self.desk.session.data
        return str(sample) if data.images is None else sample_content(data, sample)
