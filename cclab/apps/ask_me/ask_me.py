"""Ask me: the query game. A solver asks, a person answers, and random questions are the opponent."""

from __future__ import annotations

import asyncio
import os
from functools import partial
from pathlib import Path

import numpy as np

import cclab.algorithms  # noqa: F401  (enters all solvers into the registry)
from cclab.apps import exports
from cclab.apps.game import GAMES, N_OPPONENTS, N_QUESTIONS, STEPS, agreement, game_of, moves_of, new_game, opponent
from cclab.apps.game_views import Agreement, Answers, Card
from cclab.apps.heading import dropdown, heading
from cclab.apps.keeping import Keeper
from cclab.apps.keys import KeySheet
from cclab.apps.page import Page
from cclab.core.registry import strategies
from cclab.session import Session, Snapshot
from cclab.widgets.desk import in_words
from cclab.widgets.html import join, tag
from cclab.widgets.layout import button, column, row, text
from cclab.widgets.running import run

KEYS = {
    "S D X": "same, different, don’t know",
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
    'pair'
    >>> page.close()
    """
    return AskMe(new_game(data, seed), journal=journal, height=height)


class AskMe(Page):
    """The page that `ask_me` makes."""

    def __init__(self, session: Session, *, journal: str | Path | None = None, height: int | None = None) -> None:
        # Under the workbench's name, so that the workbench finds what is handed over to it.
        super().__init__("workbench", "cclab ask me", session, slot="ask_me", journal=journal)
        self._seed = session.problem.seed
        self.key_sheet = KeySheet(KEYS)
        self.data = dropdown("Data set", [(title, name) for name, (title, *_) in GAMES.items()], game_of(session))
        asking = [
            (cls.title, name)
            for name in strategies.names()
            if (cls := strategies.get(name)).kind == "pair" and cls.suits(session.partition)
        ]
        self.strategy = dropdown("asks by", asking, "UncertaintyQueries", plain=True)
        self.data.observe(
            lambda change: self.new_game() if change["new"] != game_of(self.desk.session) else None, "value"
        )
        self.strategy.observe(lambda _: self._ask_anew(), "value")
        tools = (
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
        bar = heading(self.shell, "Ask me", (self.data, self.strategy), tools)
        self.show(bar, body, row(self._status, css="cc-status"), self.key_sheet.widget, height=height)
        self.desk.changed.connect(self._changed)
        keys = {"s": "same", "d": "different", "x": None}
        for key, answer in keys.items():
            self.shell.bind(key, partial(self.answer, answer))
        self.shell.bind("ctrl+z", self.undo)
        self.shell.bind("n", self.new_game)
        self.shell.bind("?", self.key_sheet.toggle)
        self.shell.bind("Escape", self.key_sheet.hide)
        self._show_status()
        self._begin()

    # ------------------------------------------------------------------ gestures

    def answer(self, answer: str | None) -> None:
        """Answer the question, or set it aside by None; the solver goes on, then asks the next."""
        session = self.desk.session
        query = next(iter(session.pending), None)
        if query is None or len(moves_of(session)) >= N_QUESTIONS:
            return
        done = session.reject(query) if answer is None else self.desk.attempt(session.answer, query, answer)
        if done is not None:
            self._tasks.start(self._turn(0 if answer is None else STEPS))

    def undo(self) -> None:
        """Take the last answer back, with what it has led to."""
        session = self.desk.session
        session.pause()
        n_moves = len(moves_of(session))
        while session.can_undo and n_moves and len(moves_of(session)) == n_moves:
            session.undo()
        if not session.pending:
            self._tasks.start(self._turn(0))

    def new_game(self) -> None:
        """Begin again, with other samples."""
        self._seed += 1
        self._tasks.start(self._open_with(partial(new_game, self.data.value, self._seed)))

    def hand_over(self) -> None:
        """Open a copy of the session in the workbench; where there is no such page, save it as a file."""
        session, served = self.desk.session, os.environ.get("SERVER_SOFTWARE", "").startswith("voila")
        if not served or not self.shell.visitor:
            self.download(exports.session_json)
            self.desk.tell("info", "Open this file in the workbench")
            return
        copy = Session.from_json(session.to_json())
        try:
            Keeper("workbench", self.shell.visitor).keep(copy)
        except OSError as error:
            self.shell.say(f"The session can’t be kept on disk: {in_words(error)}", alert=True)
            return
        copy.close()
        self.shell.visit("workbench")

    def _ask_anew(self) -> None:
        if len(moves_of(self.desk.session)) < N_QUESTIONS:
            self._tasks.start(self._turn(0))

    # ------------------------------------------------------------------ the game goes on

    def _begin(self) -> None:
        """Let the solver settle, ask, and let the opponent play aside."""
        session = self.desk.session
        fresh = session.position == 0
        self._tasks.start(self._turn(None if fresh else 0))
        self._tasks.start(self._play_opponents(session))

    async def _turn(self, steps: int | None) -> None:
        """Some steps (None: until the solver rests, as after the last question), then the next question."""
        session = self.desk.session
        over = len(moves_of(session)) >= N_QUESTIONS
        if steps != 0:
            await run(self.desk, None if over else steps)
        self.card.trouble = ""
        if not over and not session.running:
            try:
                found = await session.apropose(self.strategy.value)
                self.card.trouble = "" if found else "Nothing to ask. Every pair is either stated or settled."
            except Exception as error:
                self.card.trouble = f"No question could be found: {in_words(error)}"
        if session is self.desk.session:
            self.desk.changed.emit(session.current, session.current)

    async def _play_opponents(self, session: Session) -> None:
        """Play random questions from the same start, a few times; the chart follows."""
        while session is self.desk.session and not (session.pending or moves_of(session)):
            await asyncio.sleep(0.05)
        games: list[list[float]] = []
        for seed in range(N_OPPONENTS):
            rounds = opponent(session, seed)
            games.append([])
            while (reached := await asyncio.to_thread(next, rounds, None)) is not None:
                games[-1].append(reached)
                if session is not self.desk.session:
                    return
            longest = max(map(len, games))
            self.card.n_rivals = len(games)
            self.chart.rival = self.card.rival = np.mean(
                [game + game[-1:] * (longest - len(game)) for game in games], axis=0
            )
            self.desk.changed.emit(session.current, session.current)

    def _changed(self, old: Snapshot | None, new: Snapshot) -> None:
        if old is None:
            self.chart.rival = self.card.rival = np.empty(0)
            self.data.value = game_of(self.desk.session)
            self._begin()
        if not self.desk.session.running:
            self._show_status()

    # ------------------------------------------------------------------ words

    def _told(self, kind: str, words: str) -> None:
        if words:
            self.shell.say(words, alert=kind == "bad")

    def _show_status(self) -> None:
        session, moves = self.desk.session, moves_of(self.desk.session)
        own, rival = agreement(session), self.chart.rival
        over = len(moves) >= N_QUESTIONS
        state = "Game over" if over and not session.running else "Your turn" if session.pending else "Thinking"
        against = join(", random ", tag("b", f"{rival[len(own) - 1]:.2f}")) if len(rival) >= len(own) else None
        aside = sum(move.answer is None for move in moves)
        items = [
            tag("span", state, class_="cc-state cc-running" if state == "Thinking" else "cc-state"),
            join("n ", tag("b", session.data.n_samples), " · k ", tag("b", session.partition.n_clusters)),
            join("answered ", tag("b", len(moves) - aside)),
            join("set aside ", tag("b", aside)) if aside else None,
            join("ARI ", tag("b", f"{own[-1]:.2f}"), against),
        ]
        shown = [tag("span", item, class_="cc-item") for item in items if item is not None]
        self._status.value = tag("div", shown, class_="cc-status-items", role="status", aria_live="polite")

    def close(self) -> None:
        self.desk.changed.disconnect(self._changed, missing_ok=True)
        super().close()
