"""What a session has found, applied to a table that need not fit into memory."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from cclab.core import Partition, Solver
from cclab.core.beliefs.numbering import living_first, numbers_in
from cclab.core.warning import warn_caller
from cclab.core.words import counted
from cclab.datasets import Dataset
from cclab.datasets.columns.new_rows import Recipe
from cclab.datasets.parquet_rows import Progress, check_column, parquet_columns, parquet_frames, write_frames
from cclab.session import Session


def apply(
    session: Session,
    source: str | os.PathLike[str],
    out: str | os.PathLike[str],
    progress: Progress | None = None,
) -> int:
    """Write what a session believes of every row of a Parquet file into another, some thousands of rows at a time.

    Clusters are counted from 1 and named as on the page; rows that lack a number or a date have empty cells, and a
    warning counts them; a word that the session has not met counts as none. Where the file is the
    one that the session was opened on, or the session has a coreset of it, samples that statements name keep what the
    statements made of them.

    Parameters
    ----------
    session : Session
    source : path
        A Parquet file with the columns that the session's features are made of, in any order.
    out : path
        Another Parquet file, in place of one that is there already; it is there once all of it is.
    progress : callable, optional
        Called with the rows that are done and all of them.

    Returns
    -------
    int
        The number of rows.

    Raises
    ------
    ValueError
        The solver can't tell where new samples belong, a feature is not made of a single column, or a column is not
        there or holds something else; the words name it.
    OSError
        The result can't be written.
    """
    source, out = Path(source).expanduser(), Path(out).expanduser()
    _check_place(out, source)
    here, data = session.current, session.data
    if not isinstance(data, Dataset):
        raise ValueError(f"{data.name} is no table but a {data.kind}; a table can't be told by it")
    if type(here.solver).believe is Solver.believe:
        raise ValueError(f"{type(here.solver).__name__} can't tell where new samples belong; try FCM, ECM or CECM")
    recipe = Recipe.of(data)
    names, n_rows = parquet_columns(source)
    for column in recipe.columns:
        check_column(column, names, source.name)
    if not n_rows:
        raise ValueError(f"{source.name} has no rows")
    ids = [column for column in (data.plan.columns("id") if data.plan else []) if column in names]
    ids = [column for column in ids if column not in recipe.columns]
    # Statements are heard at the samples that they name.
    known = here.problem.constraints
    named = np.union1d(np.union1d(known.must.samples, known.cannot.samples), known.labels.sample)
    at_rows = data.rows.positions[named]
    of_file = data.rows.n_rows if data.coreset is None else data.coreset.n_rows
    at_rows = at_rows if data.coreset is None else data.coreset.rows[at_rows]
    in_order = np.argsort(at_rows) if of_file == n_rows else np.empty(0, dtype=np.int64)
    named, at_rows = named[in_order], at_rows[in_order]
    numbering, n_empty = _Numbering(session), 0

    def told() -> Iterator[pd.DataFrame]:
        nonlocal n_empty
        start = 0
        for frame in parquet_frames(source, [*recipe.columns, *ids], as_stored=ids):
            try:
                X = recipe(frame)
            except ValueError as error:
                raise ValueError(f"{source.name}: {error}") from None
            first, last = np.searchsorted(at_rows, (start, start + len(X)))
            rows, samples = at_rows[first:last] - start, named[first:last]
            same = np.isclose(X[rows], _dense(data.X[samples]), rtol=1e-6, atol=1e-9).all(axis=1)
            said = numbering.frame(X, rows[same], samples[same])
            yield pd.concat([frame[ids], said], axis=1)
            n_empty += int(said["cluster"].isna().sum())
            start += len(X)

    write_frames(out, told(), n_rows, progress)
    if n_empty:
        lack = "lack" if n_empty > 1 else "lacks"
        warn_caller(
            f"{counted(n_empty, 'row')} of {n_rows:,} {lack} a value that is clustered by: empty cells in {out.name}"
        )
    return n_rows


def apply_file(session: str, source: str, out: str) -> int:
    """As `apply`, of a session that was saved, with a bar in the terminal."""
    if not Path(session).exists():
        raise FileNotFoundError(f"there is no session {session!r} (looked in {Path.cwd()})")
    _check_place(Path(out).expanduser(), Path(session))
    opened = Session.open(session, read_only=True) if Path(session).is_dir() else Session.load(session)
    try:
        from tqdm import tqdm
    except ImportError:
        return apply(opened, source, out)
    with tqdm(unit=" rows", unit_scale=True, disable=None) as bar:

        def shown(done: int, n_rows: int) -> None:
            bar.total = n_rows
            bar.update(done - bar.n)

        return apply(opened, source, out, shown)


def _check_place(out: Path, read: Path) -> None:
    """Raise in words, before anything is read, where the result can't go."""
    if out.suffix.lower() not in (".parquet", ".pq"):
        raise ValueError(f"{out.name}: the result is a Parquet file; let its name end in .parquet")
    if not out.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {str(out.parent)!r} to write {out.name} to")
    if out.is_dir():
        raise IsADirectoryError(f"{out} is a folder; name a file")
    if out.exists() and read.exists() and out.samefile(read):
        raise ValueError(f"{out.name} is what is read; name another file for the result")


class _Numbering:
    """Beliefs as a page tells them: clusters counted from 1, with their names."""

    def __init__(self, session: Session) -> None:
        self.here = session.current
        self.order = living_first(self.here.partition)
        numbers = numbers_in(self.order)
        named = self.here.cluster_names.items()
        self.names = {1 + int(numbers[place]): each.name for place, each in named if each.name}
        self.known = self._told(self.here.partition)

    def _told(self, belief: Partition) -> pd.DataFrame:
        said = belief.reordered(self.order).to_frame(first=1).rename(columns={"label": "cluster"})
        if self.names:
            said.insert(1, "cluster_name", said["cluster"].map(self.names).astype("string"))
        return said.astype({"cluster": "Int64", "outlier": "boolean"})

    def frame(self, X: NDArray, rows: NDArray, samples: NDArray) -> pd.DataFrame:
        """One row for each of `X`, empty where a value is missing; some are samples of the session."""
        whole = np.isfinite(X).all(axis=1)
        said = self.known.iloc[:0]
        if whole.any():
            belief = self.here.solver.believe(X[whole], self.here.state)
            said = self._told(belief).set_axis(np.flatnonzero(whole))
        said = said.reindex(np.arange(len(X)))
        if len(rows):
            said.iloc[rows] = self.known.iloc[samples]
        return said


def _dense(X: Any) -> NDArray:
    return X.toarray() if hasattr(X, "toarray") else np.asarray(X)
