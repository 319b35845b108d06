"""`Study`: an experiment as a declaration, and what can be done with it."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from cclab.studies.claims import Comparison, Printed
from cclab.studies.declaration import Cell
from cclab.studies.identity import fingerprint
from cclab.studies.results import Results, TrialKey
from cclab.studies.tables import markdown, results_table
from cclab.studies.trial import Measure, run_trial

RESULTS = Path("results")


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
    """

    name: str
    title: str
    cells: Iterable[Cell]
    trials: int = 10
    paper: str = ""
    measures: Iterable[Measure] = ()
    show: Iterable[str] = ("ari", "ari_free")
    printed: Iterable[Printed] = ()
    comparisons: Iterable[Comparison] = ()
    seed: int = 0

    def __post_init__(self) -> None:
        for field in ("cells", "measures", "show", "printed", "comparisons"):
            object.__setattr__(self, field, tuple(getattr(self, field)))
        twice = [key for key, n in Counter(cell.key for cell in self.cells).items() if n > 1]
        if twice:
            raise ValueError(
                f"study {self.name}: two cells are called {', '.join(twice[0])}; tell them apart by label="
            )

    # ------------------------------------------------------------------ running

    def run(
        self,
        trials: int | None = None,
        *,
        n_jobs: int = 1,
        out: str | Path | None = RESULTS,
        only: Collection[str] = (),
        fresh: bool = False,
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
            Labels of the data sets, or of the methods, to run; default: all.
        fresh : bool
            Whether to run again what is there already.
        progress : callable, optional
            Called with the number of trials done and the number of all.

        Returns
        -------
        DataFrame
            One row a trial, or a point of a learning curve: ``dataset, method, knowledge, drawn_by, count, trial``,
            scores and measures, ``seconds``, ``error``, ``warnings``.
        """
        trials = self.trials if trials is None else trials
        keys = self._keys(self.selected(only), trials)
        results = Results(None if out is None else Path(out) / self.name / "trials.jsonl")
        missing = {key: cell for key, cell in keys.items() if fresh or not results.done(key)}
        there = len(keys) - len(missing)
        if progress is not None:
            progress(there, len(keys))
        for done, (key, record) in enumerate(self._finished(missing, n_jobs), start=there + 1):
            results.add(key, record)
            if progress is not None:
                progress(done, len(keys))
        return _tidy([(cell, key[1], results.get(key)) for key, cell in keys.items()], self.cells)

    def selected(self, only: Collection[str] = ()) -> tuple[Cell, ...]:
        """The cells whose data set or method is named; all if nothing is."""
        names = {label for cell in self.cells for label in cell.key[:2]}
        for name in only:
            if name not in names:
                close = difflib.get_close_matches(name, names, n=3, cutoff=0.4) or sorted(names)
                raise ValueError(
                    f"study {self.name} has no data set or method {name!r}; did you mean {', '.join(close)}?"
                )
        return tuple(cell for cell in self.cells if not only or set(only) & set(cell.key[:2]))

    def _keys(self, cells: Iterable[Cell], trials: int) -> dict[TrialKey, Cell]:
        """All trials in the order in which they are run: the first of every cell before the second of any."""
        prints = [(fingerprint(self.seed, cell, self.measures), cell) for cell in cells]
        return {(cell_print, trial): cell for trial in range(trials) for cell_print, cell in prints}

    def _finished(self, missing: dict[TrialKey, Cell], n_jobs: int) -> Iterator[tuple[TrialKey, dict[str, Any]]]:
        """Trials as they finish."""
        try:
            from joblib import Parallel, delayed
        except ImportError as error:  # pragma: no cover
            raise ImportError('studies need more packages: pip install "cclab[study]"') from error

        def trial(key: TrialKey, cell: Cell) -> tuple[TrialKey, dict[str, Any]]:
            return key, run_trial(cell, key[1], self.seed, self.measures)

        parallel = Parallel(n_jobs=n_jobs, return_as="generator_unordered")
        yield from parallel(delayed(trial)(key, cell) for key, cell in missing.items())

    # ------------------------------------------------------------------ looking

    def table(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Means and deviations beside the printed figures: see `cclab.studies.tables.results_table`."""
        ran = {tuple(key) for key in frame[["dataset", "method"]].to_numpy()}
        cells = [cell for cell in self.cells if cell.key[:2] in ran]
        return results_table(frame, cells, self.show, self.printed, self._named(frame))

    def _named(self, frame: pd.DataFrame) -> set[tuple[str, str, str]]:
        """The cells that printed figures and comparisons speak of."""
        named = {key for printed in self.printed for key in printed.figures}
        sides = [side for comparison in self.comparisons for side in (comparison.left, comparison.right)]
        return named | {(data, *side) for data in frame["dataset"].unique() for side in sides}

    def curves(self, frame: pd.DataFrame, measure: str = "ari") -> pd.DataFrame:
        """Mean, deviation and number of trials of a measure by ``dataset, method, drawn_by, count``."""
        by = frame.groupby(["dataset", "method", "drawn_by", "count"], sort=False)[measure]
        return by.agg(["mean", "std", "count"]).rename(columns={"count": "trials"})

    def report(self, frame: pd.DataFrame) -> str:
        """The table and all comparisons in Markdown."""
        parts = [
            f"# {self.title}",
            self.paper,
            *(printed.rule for printed in self.printed),
            markdown(self.table(frame)),
        ]
        for comparison in self.comparisons:
            table = comparison.table(frame)
            parts += [comparison.summary(table), markdown(table)] if len(table) else []
        return "\n\n".join(part for part in parts if part) + "\n"


def _tidy(trials: list[tuple[Cell, int, dict[str, Any]]], order: tuple[Cell, ...]) -> pd.DataFrame:
    """One row for each recorded state, and one for each failed trial, in the order of the cells."""
    place = {cell.key: number for number, cell in enumerate(order)}
    rows = []
    for cell, trial, record in sorted(trials, key=lambda done: place[done[0].key]):
        data, method, knowledge = cell.key
        whole = {"dataset": data, "method": method, "knowledge": knowledge, "drawn_by": cell.knowledge.drawn_by}
        about = {"trial": trial, "error": record["error"], "warnings": "; ".join(record["warnings"])}
        rows += [whole | row | about for row in record["rows"] or [{"count": float("nan")}]]
    frame = pd.DataFrame(rows)
    last = ["seconds", "error", "warnings"]
    first = ["dataset", "method", "knowledge", "drawn_by", "count", "trial"]
    scored = [name for name in frame.columns if name not in first + last]
    return frame.reindex(columns=first + scored + last)
