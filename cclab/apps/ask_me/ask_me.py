"""Ask me: the query game. A solver asks, a person answers, and random questions are the opponent."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np

import cclab.algorithms  # noqa: F401  (enters all solvers into the registry)
from cclab.apps.ask_me.game import (
    GAMES,
    LOOP,
    N_OPPONENTS,
    N_QUESTIONS,
    agreement,
    game_of,
    moves_of,
    new_game,
    opponent,
    own_game,
)
from cclab.apps.ask_me.game_views import Agreement, Answers, Card
from cclab.apps.page.key_sheet import KeySheet
from cclab.apps.page.page import Page
from cclab.apps.page.top_bar import open_button, title_bar
from cclab.apps.page.visitor_store import VisitorStore, cell_id, is_served, slot_of
from cclab.core.registry import strategies
from cclab.core.words import decimal
from cclab.datasets import Dataset
from cclab.export import files as exports
from cclab.session import Moment, Session
from cclab.session.threads import in_thread
from cclab.widgets.kit.html import join, tag
from cclab.widgets.kit.layout import button, column, dropdown, row, text
from cclab.widgets.model.notices import Notice, in_words
from cclab.widgets.model.run import run
from cclab.widgets.queries.card import answer_suits
from cclab.widgets.queries.desk_talk import DeskTalk
from cclab.widgets.timeline.status import status_line

KEYS = {
    "S D": "same, different",
    "1 to 8": "does not belong with the others",
    "Enter": "that is my answer about these",
    "X": "don’t know",
    "Ctrl+Z": "take the last answer back",
    "N": "new game",
    "?": "this list",
}
_HAND_OVER = "Open in the workbench: go on there with these answers"


def ask_me(
    data: str = "digits", *, seed: int = 0, journal: str | Path | None = None, height: int | None = None
) -> AskMe:
    """The query game, to be shown in a notebook or served as a page.

    Parameters
    ----------
    data : {"digits", "iris"}
    seed : int
        Which samples are in the game, and where the solver starts.
    journal : path, optional
        A folder to keep the game in; by default it is kept for the visitor's browser.
    height : int, optional
        In pixels. By default 760 in a notebook, and the whole window as a page of its own.

    Examples
    --------
    >>> page = ask_me("iris")
    >>> page.desk.session.pending[0].kind
    'group'
    >>> page.close()
    """
    slot = slot_of("ask_me", data, seed) if cell_id() else "ask_me"
    return AskMe(new_game(data, seed), slot=slot, journal=journal, height=height)


class AskMe(Page):
    """The page that `ask_me` makes."""

    def __init__(
        self, session: Session, *, slot: str = "ask_me", journal: str | Path | None = None, height: int | None = None
    ) -> None:
        # Under the workbench's name where there is one: it finds what is handed over to it.
        name = "workbench" if slot == "ask_me" else "ask_me"
        super().__init__(name, "cclab ask me", session, slot=slot, journal=journal)
        self._seed = session.problem.seed
        #: One's own data, of which each game draws some.
        self._own = session.data
        self.key_sheet = KeySheet(KEYS)
        self.data = dropdown("Data set", [(title, name) for name, (title, *_) in GAMES.items()], "digits")
        self.show_choices()
        asking = [
            (cls.title, name)
            for name in strategies.names()
            if (cls := strategies.get(name)).kind in ("pair", "group") and cls.suits(session.partition)
        ]
        self.strategy = dropdown("asks by", asking, "GroupQueries", plain=True)
        self.data.observe(
            lambda change: self.new_game() if change["new"] not in (game_of(self.desk.session), None) else None, "value"
        )
        self.strategy.observe(lambda change: self._ask_anew(change["old"]), "value")
        tools = (
            self.recent_button(),
            open_button(),
            button("New game", self.new_game, look="outlined", hint="New game (N)"),
            button("Open in the workbench", self.hand_over, icon="export", hint=_HAND_OVER, css="cc-shrink"),
            button(icon="help", hint="Keys (?)", on_click=self.key_sheet.toggle),
        )
        self.chart = self.add(Agreement(self.desk))
        self.card = self.add(Card(self.desk, on_answer=self.answer, on_undo=self.undo, on_new=self.new_game))
        self.answers = self.add(Answers(self.desk))
        self._status = text()
        side = column(self.chart.widget, self.answers.widget, css="cc-column cc-right")
        body = row(self.card.widget, side, css="cc-body")
        bar = title_bar(self.shell, "Ask me", (self.data, self.strategy), tools)
        self.show(bar, body, row(self._status, css="cc-status"), self.key_sheet.widget, height=height)
        self.desk.changed.connect(self._changed)
        for key, answer in {"s": "same", "d": "different", "x": None}.items():
            self.shell.bind(key, partial(self.answer, answer))
        for place in range(8):
            self.shell.bind(str(place + 1), partial(self.card.mark_place, place))
        self.shell.bind("Enter", self.card.confirm)
        self.shell.bind("ctrl+z", self.undo)
        self.shell.bind("n", self.new_game)
        self.shell.bind("?", self.key_sheet.toggle)
        self.bind_keys(own={}, floating=(self.key_sheet,))
        self._show_status()
        self._begin()

    # ------------------------------------------------------------------ gestures

    def answer(self, answer: str | Sequence[int] | None) -> None:
        """Answer the question, or set it aside by None; the solver goes on, then asks the next."""
        session = self.desk.session
        query = next(iter(session.pending), None)
        if query is None or len(moves_of(session)) >= N_QUESTIONS:
            return
        if answer is not None and not answer_suits(query, answer):
            return
        done = session.reject(query) if answer is None else self.desk.attempt(session.answer, query, answer)
        if done is not None:
            self._tasks.start(self._turn(heard=answer is not None))

    def undo(self) -> None:
        """Take the last answer back, with what it has led to."""
        session = self.desk.session
        session.pause()
        n_moves = len(moves_of(session))
        while session.can_undo and n_moves and len(moves_of(session)) == n_moves:
            session.undo()
        if not session.pending:
            self._tasks.start(self._turn())

    def new_game(self) -> None:
        """Begin again, with other samples."""
        self._seed += 1
        name = self.data.value
        make = partial(new_game, name, self._seed) if name in GAMES else partial(own_game, self._own, self._seed)
        self._tasks.start(self._open_with(make))

    def _started_on(self, data: Dataset) -> Session:
        self._own = data
        return own_game(data, self._seed)

    def hand_over(self) -> None:
        """Open a copy of the session in the workbench; where there is no such page, save it as a file."""
        session = self.desk.session
        if not is_served() or not self.shell.visitor:
            self.download(exports.session_json)
            self.desk.tell(Notice("info", "Open this file in the workbench"))
            return
        copy = Session.from_json(session.to_json())
        try:
            entry = VisitorStore("workbench", self.shell.visitor).keep(copy)
        except OSError as error:
            self.shell.say(f"The session can’t be kept on disk: {in_words(error)}", alert=True)
            return
        copy.close()
        self.shell.visit(f"workbench?session={entry.id}")

    @property
    def _kind(self) -> str:
        """What is asked about."""
        return strategies.get(self.strategy.value).kind

    def _ask_anew(self, before: str) -> None:
        session = self.desk.session
        if len(moves_of(session)) < N_QUESTIONS:
            self._tasks.start(self._turn())
        if strategies.get(before).kind != self._kind:
            self._tasks.start(self._play_opponents(session))

    # ------------------------------------------------------------------ the game goes on

    def _begin(self) -> None:
        """Let the solver settle, ask, and let the opponent play meanwhile."""
        session = self.desk.session
        fresh = session.position == 0
        self._tasks.start(self._turn(fresh=fresh))
        self._tasks.start(self._play_opponents(session))

    async def _turn(self, *, heard: bool = False, fresh: bool = False) -> None:
        """The solver goes on where it has `heard` an answer, or settles in a `fresh` game; then the next question."""
        session = self.desk.session
        talk = DeskTalk(self.desk, lambda: session.apropose(self.strategy.value))
        over = LOOP.is_over(len(moves_of(session)))
        if fresh:
            await run(self.desk)
        elif heard:
            await LOOP.go_on(talk, over)
        trouble = ""
        if not over and not session.running:
            try:
                found = await LOOP.look(talk)
                trouble = "" if found else "Nothing to ask. All is either stated or settled."
            except Exception as error:
                trouble = f"No question could be found: {in_words(error)}"
        if session is self.desk.session:
            self.card.say_why_not(trouble)

    async def _play_opponents(self, session: Session) -> None:
        """Play random questions of the same kind from the same start, a few times; the chart follows."""
        kind = self._kind
        while session is self.desk.session and not (session.pending or moves_of(session)):
            await asyncio.sleep(0.05)
        games: list[list[float]] = []
        for seed in range(N_OPPONENTS):
            rounds = opponent(session, seed, kind)
            games.append([])
            while (reached := await in_thread(next, rounds, None)) is not None:
                games[-1].append(reached)
                if session is not self.desk.session or kind != self._kind:
                    return
            longest = max(map(len, games))
            rival = np.mean([game + game[-1:] * (longest - len(game)) for game in games], axis=0)
            self.card.play_against(rival, len(games))
            self.chart.play_against(rival)
            self._show_status()

    def _changed(self, old: Moment | None, new: Moment) -> None:
        if old is None:
            self.show_choices()
            self._begin()
        if not new.running:
            self._show_status()

    def show_choices(self) -> None:
        name = game_of(self.desk.session)
        if name not in GAMES:
            games = [(title, known) for known, (title, *_) in GAMES.items()]
            self.data.options = [(self.desk.session.data.name, name), *games]
        self.data.value = name

    # ------------------------------------------------------------------ words

    def _told(self, notice: Notice) -> None:
        self.shell.say(notice.words, alert=notice.kind == "bad")

    def _show_status(self) -> None:
        session, moves = self.desk.session, moves_of(self.desk.session)
        own, rival = agreement(session), self.chart.rival
        over = len(moves) >= N_QUESTIONS
        state = "Game over" if over and not session.running else "Your turn" if session.pending else "Thinking"
        against = join(", random ", tag("b", decimal(rival[len(own) - 1]))) if len(rival) >= len(own) else None
        aside = sum(move.answer is None for move in moves)
        items = (
            tag("span", state, class_="cc-state cc-running" if state == "Thinking" else "cc-state"),
            join("n ", tag("b", session.data.n_samples), " · k ", tag("b", session.current.partition.n_clusters)),
            join("answered ", tag("b", len(moves) - aside)),
            join("set aside ", tag("b", aside)) if aside else None,
            join("ARI ", tag("b", decimal(own[-1])), against),
        )
        self._status.value = status_line(items)

    def close(self) -> None:
        self.desk.changed.disconnect(self._changed, missing_ok=True)
        super().close()
