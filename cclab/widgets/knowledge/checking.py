"""Check again: which statements are probably wrong, found in a thread and marked in the table; one click asks again."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from cclab.core import ConstraintSet, Statement
from cclab.core.words import counted
from cclab.oracles import Suspect, suspects
from cclab.session.threads import in_thread
from cclab.widgets.kit.background import Tasks
from cclab.widgets.kit.html import Html, tag
from cclab.widgets.kit.layout import button, show
from cclab.widgets.model.desk import Desk
from cclab.widgets.model.notices import Notice, in_words

#: Statements are marked that are wrong at least this probably.
LEAST_DOUBT = 0.5
#: With fewer statements there is no rest to hold one against.
FEWEST = 8
_HINT = "Look for statements that are probably wrong"


class Checking:
    """Finds suspects in a thread of its own, and marks them for as long as they stand.

    An answer that is undone brings the mark back. What was asked again and is said again is not doubted a second time.

    Parameters
    ----------
    desk : Desk
    on_found : callable
        Called when there is something new to mark.
    """

    def __init__(self, desk: Desk, on_found: Callable[[], object]) -> None:
        self.desk = desk
        self._on_found = on_found
        self._tasks = Tasks()
        self._suspects: list[Suspect] = []  # all that were found
        self._found: dict[int, Suspect] = {}  # those that stand
        self._asked: dict[Statement, int | None] = {}  # what was asked again, and its id then
        self._looking = False
        self.button = button(icon="check", hint=_HINT, on_click=self.look)

    def look(self) -> None:
        """Look for suspects among all that is known now."""
        if not self._looking:
            self._tasks.start(self._look())

    async def _look(self) -> None:
        session = self.desk.session
        here = session.current
        self._looking = self.button.disabled = True
        try:
            found = await in_thread(suspects, here, None, least=LEAST_DOUBT)
        except Exception as error:
            self.desk.tell_of(error, f"Nothing could be checked: {in_words(error)}")
            return
        finally:
            self._looking = self.button.disabled = False
        if session is not self.desk.session:
            return
        self._suspects = [suspect for suspect in found if not self._is_confirmed(suspect.statement)]
        n = len(self._suspects)
        words = f"{counted(n, 'statement')} to check again" if n else "Nothing looks wrong"
        self.desk.tell(Notice("info", words))
        self._on_found()

    def show(self, known: ConstraintSet) -> None:
        """Bring it up to date with what is known: what was forgotten or replaced is no suspect."""
        found = {suspect.statement.id: suspect for suspect in self._suspects if suspect.statement.id is not None}
        standing = set(known.statements(set(found) & set(known.ids.tolist())) if found else ())
        self._found = {id_: suspect for id_, suspect in found.items() if suspect.statement in standing}
        show(self.button, len(known) >= FEWEST)

    def _is_confirmed(self, said: Statement) -> bool:
        """Whether it was asked again and said again."""
        what = _content(said)
        return what in self._asked and self._asked[what] != said.id

    def suspect(self, ids: Iterable[int]) -> Suspect | None:
        """The most doubtful of these statements, if any is a suspect."""
        mine = [self._found[int(id_)] for id_ in ids if int(id_) in self._found]
        return max(mine, key=lambda suspect: suspect.doubt, default=None)

    def doubts(self, ids: Iterable[int]) -> bool:
        """Whether any of these statements is a suspect."""
        return bool(self._found) and self.suspect(ids) is not None

    def reason(self, ids: Iterable[int]) -> str:
        """Why, in words."""
        suspect = self.suspect(ids)
        return "" if suspect is None else "; ".join(suspect.reasons)

    def cell(self, ids: Iterable[int]) -> Html | None:
        """What the table shows of a suspect: a button that asks again; None of others."""
        suspect = self.suspect(ids) if self._found else None
        if suspect is None:
            return None
        return tag(
            "button",
            "check again?",
            class_="cc-again",
            data_action="again",
            data_id=min(int(id_) for id_ in ids),
            title=f"{'; '.join(suspect.reasons)}. Ask again",
        )

    def ask_again(self, ids: Iterable[int]) -> None:
        """Put the question again; the answer replaces what was said."""
        suspect = self.suspect(ids)
        query = None if suspect is None else suspect.query
        if query is not None and suspect is not None:
            self._asked[_content(suspect.statement)] = suspect.statement.id
            self.desk.attempt(self.desk.session.put, query, *self.desk.session.pending)
        elif suspect is not None:
            self.desk.select(list({*suspect.statement.samples, *suspect.statement.others}))
            self.desk.tell(Notice("info", "Too many samples to ask about at once: they are selected"))


def _content(said: Statement) -> Statement:
    """What is said, whoever says it and however surely."""
    return replace(said, id=None, source="", weight=1.0)
