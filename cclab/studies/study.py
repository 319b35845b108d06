"""`Study`: an experiment as a declaration, and what can be done with it."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from cclab.core.warning import warn_caller
from cclab.core.words import counted, did_you_mean
from cclab.datasets import Dataset
from cclab.studies.claims import Comparison, Printed
from cclab.studies.declaration import Cell
from cclab.studies.identity import fingerprint
from cclab.studies.result_tables import curves, markdown, results_table, thinned
from cclab.studies.results import Results, TrialKey
from cclab.studies.running import WorkersLost, workers
from cclab.studies.time_limit import can_limit
from cclab.studies.trial import Measure, loaded_data, run_trial

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RESULTS = Path("results")


class StaleResults(UserWarning):
    """Results that are there already come from other code than there is now."""


@dataclass(frozen=True)
class Study:
    """An experiment: cells, each repeated in trials, and what they are held against.

    Parameters
    ----------
    name : str
        One word, for ``cclab study NAME`` and the folder of results.
    title : str
        What it shows, in a line.
    cells : iterable of Cell
        See `grid`.
    trials : int
        How often each cell is repeated.
    paper : str
        The source: author, title, year.
    measures : iterable of callables
        Each makes a dict of numbers out of an `Outcome`, beside the usual scores.
    show : iterable of str
        Which measures the table shows.
    printed : iterable of Printed
    comparisons : iterable of Comparison
    seed : int
    limit : float, optional
        So many seconds of processor time a trial may take; one that takes longer has failed.
    """

    name: str
    title: str
    cells: Sequence[Cell]
    trials: int = 10
    paper: str = ""
    measures: Sequence[Measure] = ()
    show: Sequence[str] = ("ari", "ari_free")
    printed: Sequence[Printed] = ()
    comparisons: Sequence[Comparison] = ()
    seed: int = 0
    limit: float | None = None

    def __post_init__(self) -> None:
        for field in ("cells", "measures", "show", "printed", "comparisons"):
            object.__setattr__(self, field, tuple(getattr(self, field)))
        # What belongs to one data set stands together in frames and tables.
        places = list(dict.fromkeys(cell.data.label for cell in self.cells))
        object.__setattr__(self, "cells", tuple(sorted(self.cells, key=lambda cell: places.index(cell.data.label))))
        self._check()

    def _check(self) -> None:
        if not self.cells:
            raise ValueError(f"study {self.name} has no cells: make them by grid(data, methods, knowledge)")
        twice = [key for key, n in Counter(key for cell in self.cells for key in cell.keys).items() if n > 1]
        if twice:
            called = ", ".join(twice[0])
            raise ValueError(f"study {self.name}: two cells are called {called}; tell them apart by label= or name=")
        known = {key for cell in self.cells for key in cell.keys}
        printed = [key for printed in self.printed for key in printed.figures]
        sides = [side for comparison in self.comparisons for side in (comparison.left, comparison.right)]
        for spoken_of, names in ((printed, known), (sides, {key[1:] for key in known})):
            for key in spoken_of:
                if key not in names:
                    hint = did_you_mean(key, names, "study.cells has them all")
                    raise ValueError(f"study {self.name} speaks of {key}, which is no cell; {hint}")

    # ------------------------------------------------------------------ running

    def run(
        self,
        trials: int | None = None,
        *,
        n_jobs: int = 1,
        out: str | Path | None = RESULTS,
        only: Collection[str] = (),
        fresh: bool = False,
        scheduler: str | None = None,
        minutes: float | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> pd.DataFrame:
        """Run what is not in the results file yet, and give all of it.

        Parameters
        ----------
        trials : int, optional
            Default: the study's own.
        n_jobs : int
            Processes; -1: one a core.
        out : path or None
            The folder of results, one below it for each study; None writes nothing.
        only : collection of str
            Labels of the data sets, methods and kinds of knowledge to run, or patterns of them; default: all.
        fresh : bool
            Whether to run again what is there already.
        scheduler : str, optional
            The address of a Dask scheduler (``tcp://host:port``): trials then run at its workers, and `n_jobs` has no
            say. Results are the same, and are kept here.
        minutes : float, optional
            After so many no further trial is begun: the frame has what is there by then. 0: run nothing.
        progress : callable, optional
            Called with the number of trials done and the number of all.

        Returns
        -------
        DataFrame
            One row a trial, or a point of a learning curve: ``dataset, method, knowledge, drawn_by, count, trial``,
            scores and measures, ``seconds``, ``date``, ``error``, ``warnings``.

        Raises
        ------
        ValueError
            The time was too short for any trial, and none is there from before.
        """
        trials = self.trials if trials is None else trials
        if trials < 1:
            raise ValueError(f"trials must be at least 1, got {trials}")
        keys = self._keys(self.selected(only), trials)
        results = Results(None if out is None else Path(out) / self.name / "trials.jsonl")
        missing = {key: cell for key, cell in keys.items() if fresh or not results.done(key, self.limit)}
        if missing and results.unreadable:
            cut = counted(results.unreadable, "line")
            warn_caller(f"{results.path} has {cut} cut short: those trials are run again, if they are asked for")
        stale = sum(results.done_otherwise(key, cell.key) for key, cell in missing.items())
        if stale and not fresh:
            warn_caller(
                f"{results.path} has {stale} of these trials from other code, or another declaration: run again",
                StaleResults,
            )
        if missing:
            results.open()
        tell = progress or (lambda done, total: None)
        there = len(keys) - len(missing)
        tell(there, len(keys))
        for done, (key, record) in enumerate(self._finished(missing, n_jobs, scheduler, minutes), start=there + 1):
            results.add(key, record)
            tell(done, len(keys))
        ran = [(cell, key[1], results[key]) for key, cell in keys.items() if key in results]
        if not ran:
            raise ValueError(f"study {self.name}: no trial has been run, and there was no time for one")
        return _tidy(ran, self.cells)

    def selected(self, only: Collection[str] = ()) -> tuple[Cell, ...]:
        """The cells that are named: all data sets, methods or kinds of knowledge where none of them is.

        A name may stand for several: ``n 5000, *``.
        """
        labels = [{cell.key[part] for cell in self.cells} for part in range(3)]
        named = [{label for label in part for name in only if _stands_for(name, label)} for part in labels]
        for name in only:
            if not any(_stands_for(name, label) for part in labels for label in part):
                known = sorted(set().union(*labels))
                hint = did_you_mean(name, known, f"known are {', '.join(known)}")
                raise ValueError(f"study {self.name} has no data set, method or knowledge {name!r}; {hint}")
        chosen = [some or part for some, part in zip(named, labels)]
        return tuple(cell for cell in self.cells if all(label in some for label, some in zip(cell.key, chosen)))

    def _keys(self, cells: Iterable[Cell], trials: int) -> dict[TrialKey, Cell]:
        """All trials in the order in which they are run: the first of every cell before the second of any."""
        prints = [(fingerprint(self.seed, cell, self.measures, run_trial), cell) for cell in cells]
        return {(cell_print, trial): cell for trial in range(trials) for cell_print, cell in prints}

    def _finished(
        self, missing: dict[TrialKey, Cell], n_jobs: int, scheduler: str | None, minutes: float | None
    ) -> Iterator[tuple[TrialKey, dict[str, Any]]]:
        """Trials as they finish."""
        try:
            from joblib import Parallel, delayed
        except ImportError as error:  # pragma: no cover
            raise ImportError('studies need more packages: pip install "cclab[study]"') from error

        end = float("inf") if minutes is None else time.monotonic() + 60 * minutes
        # Processes of this machine load what they need; to others, data are sent.
        loaded = {} if scheduler is None else loaded_data(cell.data for cell in missing.values())
        left, limit = dict(missing), self.limit
        while left and time.monotonic() < end:
            before = len(left)
            trials = (
                delayed(_keyed_trial)(key, cell, self.seed, self.measures, limit, loaded.get(cell.data))
                for key, cell in takewhile(lambda _: time.monotonic() < end, list(left.items()))
            )
            try:
                with workers(scheduler, tuple(loaded.values())):
                    for key, record in Parallel(n_jobs=n_jobs, return_as="generator_unordered")(trials):
                        del left[key]
                        yield key, record
            except (WorkersLost, BrokenExecutor) as error:
                # A worker that goes takes data along that others wait for: they begin again with what is left. Where
                # that leads nowhere it is a trial that ends its process, so each has one of its own from then on.
                if len(left) == before or isinstance(error, BrokenExecutor):
                    if limit is not None or not can_limit():
                        raise
                    limit = math.inf

    # ------------------------------------------------------------------ looking

    def table(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Means and deviations beside the published figures: see `cclab.studies.result_tables.results_table`."""
        cells = [cell for cell, trials in zip(self.cells, self.trials_run(frame)) if trials]
        points = {key for printed in self.printed for key in printed.figures}
        return results_table(frame, cells, self.show, self.printed, points)

    def trials_run(self, frame: pd.DataFrame) -> list[int]:
        """How many trials of each cell there are, those that failed among them."""
        counts = frame.groupby(["dataset", "method", "knowledge"])["trial"].nunique().to_dict()
        return [max(counts.get(key, 0) for key in cell.keys) for cell in self.cells]

    def extent(self, frame: pd.DataFrame) -> str:
        """How much of the study has been run, in words."""
        counts = self.trials_run(frame)
        some = [count for count in counts if count]
        fewest, most = min(some, default=0), max(some, default=0)
        often = counted(most, "trial") if fewest == most else f"{fewest} to {most} trials"
        missing = len(counts) - len(some)
        return f"{often} of {self.trials}" + (f"; {missing} of {len(counts)} cells not run" if missing else "")

    def compared_on(self, comparison: Comparison) -> int:
        """How many data sets have both sides of a comparison."""
        left, right = (
            {data for cell in self.cells for data, *about in cell.keys if tuple(about) == side}
            for side in (comparison.left, comparison.right)
        )
        return len(left & right)

    def curves(self, frame: pd.DataFrame, measure: str = "ari") -> pd.DataFrame:
        """Learning curves: see `cclab.studies.result_tables.curves`."""
        return curves(frame, measure)

    def pictures(self, frame: pd.DataFrame) -> dict[str, Figure]:
        """Pictures by name, for a study that draws some."""
        return {}

    def report(self, frame: pd.DataFrame) -> str:
        """All of it in Markdown: the table, learning curves, comparisons, what the methods warned of."""
        parts = [f"# {self.title}", self.paper, f"Run: {self.extent(frame)}."]
        parts += [printed.rule for printed in self.printed]
        parts += [markdown(self.table(frame))]
        asked = {cell.knowledge.drawn_by for cell in self.cells if len(cell.keys) > 1}
        learning = self.curves(frame[frame["drawn_by"].isin(asked)], self.show[0])
        if len(learning):
            parts += [f"Mean {self.show[0]} by the number of questions:", markdown(thinned(learning))]
        for comparison in self.comparisons:
            table = comparison.table(frame)
            sets = self.compared_on(comparison)
            parts += [comparison.summary(table, sets), markdown(table)] if len(table) else []
        for method, said in frame[frame["warnings"] != ""].groupby("method", sort=False)["warnings"]:
            parts += [f"{method} warned in {len(said)} of {len(frame)} rows, first of: {said.iloc[0]}"]
        return "\n\n".join(part for part in parts if part) + "\n"


def _stands_for(name: str, label: str) -> bool:
    """Whether a label is named: as it is, or by a pattern."""
    return name == label or fnmatchcase(label, name)


def _keyed_trial(
    key: TrialKey,
    cell: Cell,
    seed: int,
    measures: tuple[Measure, ...],
    limit: float | None,
    data: Dataset | None = None,
) -> tuple[TrialKey, dict[str, Any]]:
    called = dict(zip(("dataset", "method", "knowledge"), cell.key))  # for people who read the file
    return key, called | run_trial(cell, key[1], seed, measures, limit, data)


def _tidy(records: list[tuple[Cell, int, dict[str, Any]]], cells: Iterable[Cell]) -> pd.DataFrame:
    """One row for each recorded state, and one for each failed trial, in the order of the cells."""
    place = {cell.key: number for number, cell in enumerate(cells)}
    rows = []
    for cell, trial, record in sorted(records, key=lambda item: place[item[0].key]):
        data, method, knowledge = cell.key
        about = {"dataset": data, "method": method, "knowledge": knowledge, "drawn_by": cell.knowledge.drawn_by}
        ending = {"trial": trial, "date": record.get("date"), "error": record["error"]}
        ending["warnings"] = "; ".join(record["warnings"])
        rows += [about | row | ending for row in record["rows"] or [{}]]
    frame = pd.DataFrame(rows)
    first = ["dataset", "method", "knowledge", "drawn_by", "count", "trial"]
    last = ["seconds", "date", "error", "warnings"]
    return frame.reindex(columns=first + [name for name in frame if name not in first + last] + last)
