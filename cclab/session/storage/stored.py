"""How the commands of a session are done, kept and found again: `Session` adds the verbs."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from psygnal import Signal

from cclab.session.commands import COMMANDS, Command, Redo, read_command
from cclab.session.history import History, Moment
from cclab.session.origin import Origin, Poser
from cclab.session.outcome import CantReplay, Written, versions
from cclab.session.snapshot import Progress, Snapshot
from cclab.session.storage.about import write_about
from cclab.session.storage.beside import Beside
from cclab.session.storage.checkpoint import recall_state
from cclab.session.storage.disk import write_whole
from cclab.session.storage.file import from_document, to_document
from cclab.session.storage.journal import SCHEMA, Journal, Kept, read_versions
from cclab.session.storage.serialize import json_pieces, read_json
from cclab.session.storage.writer import Writer
from cclab.session.subject import Data
from cclab.session.worker import Runner

MAX_BYTES = 256 * 2**20


class _Done:
    """A command that was done, where it led, and with which versions, where these are others than before."""

    def __init__(self, command: Command, moment: Moment, versions: Mapping[str, str]) -> None:
        self.command = command
        self.moment: Moment | None = moment
        self.versions = versions

    @cached_property
    def record(self) -> dict[str, Any]:
        """What is written of it: when someone wants to read it, since labels take time; then the moment is let go."""
        assert self.moment is not None
        result = {"result": self.command.result(self.moment)} if self.command.tells else {}
        others = {"versions": dict(self.versions)} if self.versions else {}
        self.moment = None
        return {**self.command.to_json(), **result, **others}


class StoredSession:
    """A session without its verbs."""

    changed = Signal(object, object)

    def _set_up(self, data: Data, max_bytes: int, poser: Poser | None) -> None:
        """A session before its first command."""
        self.failures: list[Exception] = []
        self.on_failure: Callable[[Exception], None] | None = None
        self._history = History(Origin(data, poser), max_bytes)
        self._runner = Runner(lambda: self.moment, self._prepare_in_worker, self._commit)
        self._done: list[_Done] = []
        self._writer: Writer | None = None
        self._checkpointed = False
        self._run = 0
        #: What was made from the data at some cost: where t-SNE places the samples, say.
        self.beside = Beside()
        # With which the first command was done, and the last.
        self._first_versions: Mapping[str, str] = versions()
        self._last_versions: Mapping[str, str] = self._first_versions

    @property
    def first_data(self) -> Data:
        """The data that the session began with, and is kept with."""
        return self._history.origin.data

    @property
    def data(self) -> Any:
        """The data as they are clustered now: see `Session.set_columns`."""
        return self.current.data

    @property
    def current(self) -> Snapshot:
        """The snapshot we are at."""
        return self._history.current

    @property
    def moment(self) -> Moment:
        """The snapshot we are at, the questions, and whether the solver runs."""
        history = self._history
        return Moment(history.current, history.dialogue, self._runner.running, history.origin.names)

    @property
    def commands(self) -> tuple[dict[str, Any], ...]:
        """All commands so far, those that were taken back included, each with what it led to under "result"."""
        return tuple(done.record for done in self._done)

    # ------------------------------------------------------------------ doing: prepare, write, commit

    def _do(self, command: Command) -> Snapshot:
        """Carry out a command."""
        prepared = command.prepare(self.moment, self._history)
        command.warn(self.current, prepared.snapshot)
        self._commit(command, prepared)
        return self.current

    def new_run(self) -> int:
        """A number for verbs that are to be undone as one."""
        return self._run + 1

    def _prepare_in_worker(self, command: Command, moment: Moment) -> Moment:
        """As `prepare`, in the worker thread: whoever looks at it, or writes it, finds the labels made."""
        prepared = command.prepare(moment, self._history)
        if command.tells:
            command.result(prepared)
        return prepared

    def _commit(self, command: Command, moment: Moment) -> None:
        """Let a command that was prepared take effect, and tell all who watch."""
        before, could_redo = self.current, self._history.can_redo
        self._take(command, moment, versions())
        if could_redo and not self._history.can_redo and not isinstance(command, Redo):
            self._tell_of_what_is_gone()
        self.changed.emit(before, self.current)

    def _take(self, command: Command, moment: Moment, done_with: Mapping[str, str]) -> _Done:
        """Write a command to the journal, where there is one, and let it take effect."""
        done = _Done(command, moment, {} if done_with == self._last_versions else done_with)
        if self._writer is not None:
            self._writer.write(done.record, sync=command.said)
        self._done.append(done)
        self._last_versions = done_with
        self._run = max(self._run, command.run or 0)
        command.commit(moment, self._history)
        if self._writer is not None:
            self._writer.now_at(self.current)
        return done

    def _tell_of_what_is_gone(self) -> None:
        """Write down what led to snapshots that can't be gone back to any more, so that their memory is free."""
        there = set(self._history.all_snapshots())
        for done in self._done:
            if done.moment is not None and done.moment.snapshot not in there:
                done.record  # noqa: B018

    def _at_rest(self) -> None:
        if self._writer is not None:
            self._writer.rest()

    # ------------------------------------------------------------------ keeping

    def keep(self, folder: str | Path) -> None:
        """Keep a journal in `folder` from now on, in place of what is there; what was done so far goes first.

        Raises
        ------
        InUse
            A session in `folder` is open elsewhere.
        """
        journal = Journal(folder)
        if self._writer is not None and self._writer.journal.folder.resolve() == journal.folder.resolve():
            self.close()
        journal.begin(self.first_data, self.commands, self._first_versions)
        self.close()
        self._writer = Writer(journal, self.data, self.current, checkpointed=False)
        write_about(journal.folder, self.data, self.current)
        self.beside.keep_in(journal.folder)

    @property
    def saved_at(self) -> float | None:
        """When the last verb was written to the journal, in seconds since the epoch; None where there is no journal."""
        return None if self._writer is None else self._writer.journal.written_at

    @property
    def wanted_elsewhere(self) -> bool:
        """Whether someone has asked for this session's folder (see `ask_for`): `close` lets it go."""
        return self._writer is not None and self._writer.journal.lock.wanted

    def close(self) -> None:
        """Let go of the journal. A verb after this takes it again, if the session has not gone on elsewhere."""
        if self._writer is not None:
            self._writer.close()

    def to_json(self) -> dict[str, Any]:
        """The whole session as a JSON-ready dictionary."""
        return to_document(self.first_data, list(self.commands), self._first_versions)

    def save(self, path: str | Path) -> Path:
        """Write the session to one JSON file."""
        path = Path(path)
        write_whole(path, json_pieces(self.to_json()))
        return path

    # ------------------------------------------------------------------ finding again

    @classmethod
    def load(cls, path: str | Path, **options: Any) -> Self:
        """Read a session that `save` wrote, as it was left; the options are those of `open`."""
        path = Path(path)
        return cls.from_json(read_json(path.read_bytes(), f"{path} is no session file"), where=str(path), **options)

    @classmethod
    def from_json(cls, document: Any, *, where: str = "this document", **options: Any) -> Self:
        """The inverse of `to_json`; the options are those of `open`."""
        return cls._recalled(from_document(document, where), lambda place: f"{where}: command {place}", **options)

    @classmethod
    def open(cls, folder: str | Path, *, read_only: bool = False, **options: Any) -> Self:
        """Open the session whose journal is in `folder`, as it was left, and go on writing there.

        All verbs are there by what was written of them; one is done again only when someone goes there.

        Parameters
        ----------
        folder : path
        read_only : bool
            Look at it only, even if it is open elsewhere: nothing is written, and what is done from now on is kept
            nowhere until `keep` says where. A folder that can't be written to is opened in this way, with a warning.
        max_bytes : int
        poser : callable, optional
            As for `Session`.
        poser_of : callable, optional
            Gives the poser for the data that are found.
        progress : callable, optional
            Called with how many verbs were done again and how many have to be, where the last state is not kept. It
            may raise to give up; then nothing has changed.

        Raises
        ------
        InUse
            It is open elsewhere.
        ValueError
            There is no session, or it is damaged: what is wrong, and in which line.
        """
        journal = Journal(folder)
        if not read_only and not journal.writable:
            read_only = True
            warnings.warn(
                f"{journal.folder} can't be written to: what is done from now on is not kept there; "
                "session.keep(folder) keeps it elsewhere",
                stacklevel=2,
            )
        kept = journal.read() if read_only else journal.resume()
        try:
            session = cls._recalled(kept, journal.place_of, journal=journal, **options)
            if not read_only:
                if kept.schema < SCHEMA:
                    journal.rewrite(session.commands, session._first_versions)
                    session._checkpointed = False  # it went with the old lines
                session._writer = Writer(journal, session.data, session.current, session._checkpointed)
        except BaseException:
            journal.close()
            raise
        session.beside.keep_in(journal.folder, read_only=read_only)
        return session

    @classmethod
    def _recalled(
        cls,
        kept: Kept,
        place_of: Callable[[int], str],
        *,
        journal: Journal | None = None,
        max_bytes: int = MAX_BYTES,
        poser: Poser | None = None,
        poser_of: Callable[[Any], Poser] | None = None,
        progress: Progress | None = None,
    ) -> Self:
        """The session that was kept, at its last state."""
        session = cls.__new__(cls)
        session._set_up(kept.data, max_bytes, poser if poser_of is None else poser_of(kept.data))
        if kept.versions:
            session._first_versions = session._last_versions = dict(kept.versions)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # they were given when it was first done
                reached = session._recall(kept.records, progress)
                if journal is not None:
                    session._checkpointed = recall_state(journal, reached) is session.current
                session.current.restore(progress)
            session._check_pending()
        except CantReplay as error:
            raise ValueError(f"{place_of(error.number)} can't be replayed: {error.why}") from None
        return session

    def _check_pending(self) -> None:
        n_samples = self.current.problem.n_samples
        beyond = [i for query in self._history.dialogue.pending for i in query.samples if i >= n_samples]
        if beyond:
            error = ValueError(f"a question is about sample {beyond[0]} of {n_samples}")
            raise CantReplay(len(self._done) - 1, error)

    def _recall(self, records: list[dict[str, Any]], progress: Progress | None) -> list[Snapshot]:
        """All commands that were written, and the snapshot that was the current one after each."""
        reached: list[Snapshot] = []
        for number, record in enumerate(records or [{}]):
            # Earlier versions wrote no results.
            done_now = "result" not in record and COMMANDS.get(str(record.get("verb")), Command).tells
            if done_now and number and progress is not None:
                progress(number, len(records))
            try:
                command = read_command(record, first=not number)
                now = versions() if done_now else read_versions(record) or self._last_versions
                written = None if done_now else Written(number, record.get("result", {}), now)
                moment = command.prepare(self.moment if number else None, self._history, written)  # type: ignore[arg-type]
                self._take(command, moment, now).record  # noqa: B018
            except Exception as error:  # a file may hold anything
                raise CantReplay(number, error) from error
            reached.append(self.current)
        return reached
