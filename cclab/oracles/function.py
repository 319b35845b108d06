"""`Function`: any callable as an oracle, with a cache, a budget, timeouts and retries."""

from __future__ import annotations

import asyncio
import inspect
import sys
import threading
from collections.abc import Callable, Coroutine, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from cclab.core.words import counted
from cclab.oracles.answer_file import AnswerFile
from cclab.oracles.answers import Answer, Nonsense, Oracle, read_answer
from cclab.oracles.question import Contents, Question, digest, fingerprint_of, question_of
from cclab.queries.base import Query

Progress = Callable[[int, int], object]

#: After so many questions in a row that came to nothing the callable is taken to be broken.
GIVES_UP_AFTER = 5


class Function(Oracle):
    """Asks a callable: rules, a model on this machine, or whatever it sends the question to.

    Nothing leaves the machine unless the callable sends it.

    Parameters
    ----------
    function : callable
        Called with a `Question`; plain or async. It returns a verdict, ``(verdict, confidence)`` or a mapping: see
        `read_answer`. What it raises, or does not return in time, or returns and is no answer, is tried again.
    contents : sequence or callable, optional
        What each sample is: texts, say; default: its features by name.
    cache : path, optional
        A file to keep answers in, by the content of what was asked. The same call goes on from there after a kill, and
        nothing that was answered is asked twice. Without one answers are kept as long as the oracle.
    budget : int, optional
        The most calls that are made in all, retries and those of earlier processes with the same cache included.
    batch : int
        How many questions go out at once: of an async callable in one loop, of a plain one in as many threads.
    timeout : float, optional
        Seconds until a call is given up.
    retries : int
        How often a question is put again that came to nothing.
    pause : float
        Seconds before the first retry; twice as long before each further one.
    name : str, optional
        Whose answers these are, in the cache and as the source of statements. Default: the name of the callable.
        Change it when what the callable would answer changes: another model, another prompt.
    progress : bool or callable
        Whether to show a bar where several questions are asked; or who is told: ``progress(done, total)``.

    Attributes
    ----------
    troubles : list of str
        What went wrong so far, in words.

    Examples
    --------
    >>> def by_colour(question):
    ...     return "same" if question[0].split()[0] == question[1].split()[0] else "different"
    >>> oracle = Function(by_colour, contents=["red ball", "red cube", "blue cube"])
    >>> [oracle.answer(Query.pair(i, j, "", 0)).verdict for i, j in ((0, 1), (1, 2))]
    ['same', 'different']
    """

    def __init__(
        self,
        function: Callable[[Question], Any],
        /,
        *,
        contents: Contents | None = None,
        cache: str | Path | None = None,
        budget: int | None = None,
        batch: int = 1,
        timeout: float | None = 60.0,
        retries: int = 2,
        pause: float = 0.5,
        name: str | None = None,
        progress: bool | Progress = True,
    ) -> None:
        if not callable(function):
            raise TypeError(f"a Function needs something to call, got {type(function).__name__}")
        for what, value, least in (("batch", batch, 1), ("retries", retries, 0), ("budget", budget, 0)):
            if value is not None and (not isinstance(value, int) or value < least):
                raise ValueError(f"{what} must be a whole number of at least {least}, got {value!r}")
        if timeout is not None and not timeout > 0:
            raise ValueError(f"timeout must be above 0 seconds, or None for no limit, got {timeout!r}")
        self.function = function
        self.contents = contents
        self.budget = budget
        self.batch = batch
        self.timeout = timeout
        self.retries = retries
        self.pause = pause
        self.name = name or str(getattr(function, "__name__", type(function).__name__))
        self.progress = progress
        self.troubles: list[str] = []
        self._kept = AnswerFile(cache, self.name)
        self._failed_in_a_row = 0

    # ------------------------------------------------------------------ asking

    @property
    def n_calls(self) -> int:
        """How many calls were made, those of earlier processes with the same cache included."""
        return self._kept.n_calls

    @property
    def exhausted(self) -> str:
        """Why nothing more is asked: the budget is used up, or the callable seems broken."""
        if self.budget is not None and self.n_calls >= self.budget:
            return f"the budget of {counted(self.budget, 'call')} of {self.name} is used up"
        if self._failed_in_a_row >= GIVES_UP_AFTER:
            return f"{self.name} failed {GIVES_UP_AFTER} times in a row, at last: {self.troubles[-1]}"
        return ""

    def try_again(self) -> None:
        """Ask it again although it has failed too often in a row: it may have been mended meanwhile."""
        self._failed_in_a_row = 0

    def answer(self, query: Query, data: Any = None) -> Answer:
        """What the callable says; unsure, with the reason as the note, where it comes to nothing."""
        return self.answers([query], data)[0]

    def answers(self, queries: Sequence[Query], data: Any = None) -> list[Answer]:
        """What it says to each of the questions; `batch` of them are under way at once."""
        self._kept.check_data(fingerprint_of(data))  # here already, so that a warning points at the caller
        return run_coroutine(self.aanswers(queries, data))

    async def aanswers(self, queries: Sequence[Query], data: Any = None) -> list[Answer]:
        """As `answers`, for a callable that must run in the loop that is under way."""
        questions = {query: question_of(query, data, self.contents) for query in queries}
        about = fingerprint_of(data)
        self._kept.check_data(about)
        fresh = {_key(question): query for query, question in questions.items() if self._known(question, query) is None}
        said: dict[str, Answer] = {}
        if fresh:
            with self._kept.writing(), self._shown(len(queries) - len(fresh), len(queries)) as tick:
                gate = asyncio.Semaphore(self.batch)

                async def one(key: str, query: Query) -> None:
                    async with gate:
                        said[key] = await self._ask(key, query, questions[query], about)
                    tick()

                try:
                    async with asyncio.TaskGroup() as tasks:
                        for key, query in fresh.items():
                            tasks.create_task(one(key, query))
                except BaseExceptionGroup as trouble:  # the disk is full, say
                    raise trouble.exceptions[0] from None
        found = {q: self._known(question, q) or said[_key(question)] for q, question in questions.items()}
        return [found[query] for query in queries]

    def _known(self, question: Question, query: Query) -> Answer | None:
        """What was answered before to the same content."""
        kept = self._kept.get(_key(question))
        if kept is None:
            return None
        verdict = kept["verdict"]
        if query.kind == "group":
            verdict = [i for i, content in zip(query.samples, question.contents) if digest(content) in verdict]
        return read_answer(query, {"verdict": verdict, "confidence": kept["confidence"], "note": kept["note"]})

    async def _ask(self, key: str, query: Query, question: Question, about: str) -> Answer:
        """Call, again where that comes to nothing, and keep the answer."""
        trouble = ""
        for attempt in range(self.retries + 1):
            if attempt:
                await asyncio.sleep(self.pause * 2 ** (attempt - 1))
            if self.exhausted:
                return Answer.unsure("; ".join(filter(None, [trouble, self.exhausted])))
            self._kept.calling(key)
            try:
                answer = read_answer(query, await asyncio.wait_for(self._called(question), self.timeout))
            except TimeoutError:
                trouble = f"no answer within {self.timeout:g} s"
            except Nonsense as error:
                trouble = str(error)
            except Exception as error:
                trouble = f"{type(error).__name__}: {error}"[:300]
            else:
                self._failed_in_a_row = 0
                outside = answer.verdict if isinstance(answer.verdict, tuple) else ()
                contents = dict(zip(query.samples, question.contents))
                verdict = sorted(digest(contents[i]) for i in outside) if query.kind == "group" else answer.verdict
                self._kept.add(key, answer, verdict, about)
                return answer
        self._failed_in_a_row += 1
        self.troubles.append(f"{query.kind} {', '.join(map(str, query.samples))}: {trouble}")
        return Answer.unsure(trouble)

    async def _called(self, question: Question) -> Any:
        if any(map(inspect.iscoroutinefunction, (self.function, type(self.function).__call__))):
            return await self.function(question)
        said = await _in_a_thread(self.function, question)
        return await said if inspect.isawaitable(said) else said

    @contextmanager
    def _shown(self, done: int, total: int) -> Any:
        """A function to be called after each answer, which moves the bar on."""
        tell, close = _bar(total) if self.progress is True else (self.progress or (lambda *_: None), lambda: None)
        tell(done, total)

        def tick() -> None:
            nonlocal done
            done += 1
            tell(done, total)

        try:
            yield tick
        finally:
            close()

    def __repr__(self) -> str:
        return f"<Function {self.name}: {counted(len(self._kept), 'answer')}, {counted(self.n_calls, 'call')}>"


def _key(question: Question) -> str:
    """The same for the same question about the same content."""
    parts = [digest(content) for content in question.contents]
    return digest([question.kind, *(sorted(parts) if question.kind in ("pair", "group") else parts)])


async def _in_a_thread(call: Callable[[Question], Any], question: Question) -> Any:
    """What a plain callable returns. One that hangs is left behind: its thread does not keep the process alive."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Any] = loop.create_future()

    def settle(result: Any, error: BaseException | None) -> None:
        if not future.done():
            if error is None:
                future.set_result(result)
            else:
                future.set_exception(error)

    def work() -> None:
        result, error = None, None
        try:
            result = call(question)
        except Exception as raised:
            error = raised
        except BaseException as raised:  # sys.exit, say: no reason to end the loop
            error = RuntimeError(f"{type(raised).__name__} {raised}")
        if not loop.is_closed():
            loop.call_soon_threadsafe(settle, result, error)

    threading.Thread(target=work, daemon=True).start()
    return await future


def run_coroutine(work: Coroutine[Any, Any, Any]) -> Any:
    """What comes of a coroutine, whether or not a loop is under way here, as it always is in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    result: list[Any] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            result.append(asyncio.run(work))
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return result[0]


def _bar(total: int) -> tuple[Progress, Callable[[], object]]:
    """A bar for several questions where someone may see it, and how to take it away."""
    seen = sys.stderr is not None and (sys.stderr.isatty() or "ipykernel" in sys.modules)
    try:
        from tqdm.auto import tqdm
    except ImportError:
        seen = False
    if not seen or total < 2:
        return (lambda *_: None), (lambda: None)
    bar = tqdm(total=total, unit="question")

    def tell(done: int, _total: int) -> None:
        bar.n = done
        bar.refresh()

    return tell, bar.close
