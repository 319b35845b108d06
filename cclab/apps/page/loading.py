"""What a page can open: named data sets, one's own files, saved sessions, tables of constraints."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from cclab.core import Solver
from cclab.core.registry import solvers
from cclab.datasets import Dataset, list_datasets, load_dataset, read_table
from cclab.session import Session

#: File name endings that Open takes.
ENDINGS = ".csv,.tsv,.txt,.data,.parquet,.json"
#: Files above this are refused before they are sent; Voilà's websocket is set for as much.
MAX_BYTES = 50 * 2**20
MOST_SAMPLES = 1_000_000
# Features whose spreads differ more than this are hardly in the same unit.
_UNLIKE = 20

_CONSTRAINT_COLUMNS = {"kind", "weight", "source"}


@cache
def named_sets() -> tuple[str, ...]:
    """The data sets that can be loaded without the network."""
    listed = list_datasets()
    return tuple(listed["name"][listed["available"]])


def read_file(name: str, content: bytes) -> Dataset | Session | pd.DataFrame:
    """Data, a session or a table of constraints, told apart by what is in the file.

    Raises
    ------
    ValueError
        Anything else, with the reason.
    """
    if content.lstrip()[:1] == b"{":
        return _read_session(name, content)
    frame = read_table(content, name)
    if set(frame.columns) >= _CONSTRAINT_COLUMNS:
        return frame
    if len(frame) > MOST_SAMPLES:
        raise ValueError(f"{name} has {len(frame):,} rows; a page takes up to {MOST_SAMPLES:,}. Open a sample of it.")
    return load_dataset(frame)


def _read_session(name: str, content: bytes) -> Session:
    try:
        document = json.loads(content)
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{name} is no session file: {error}") from None
    return Session.from_json(document, where=name)


def session_on(data: Any, solver: Solver | str, seed: int | None = None) -> Session:
    """A new session. A solver given by name looks for as many clusters as there are classes, where these are known."""
    data = data if isinstance(data, Dataset) else load_dataset(data)
    return Session(data, solver_for(data, solver) if isinstance(solver, str) else solver, seed=seed)


def unlike_spreads(data: Dataset) -> str | None:
    """A sentence about features that others drown out by their units alone, or None where there are none.

    >>> unlike_spreads(load_dataset("iris"))
    """
    if sparse.issparse(data.X) or data.n_samples < 2:
        return None
    spreads = np.std(data.X, axis=0)
    varying = np.flatnonzero(spreads > 0)
    if len(varying) < 2:
        return None
    most, least = varying[np.argmax(spreads[varying])], varying[np.argmin(spreads[varying])]
    if spreads[most] < _UNLIKE * spreads[least]:
        return None
    names = data.feature_names
    return (
        f"{names[most]} spreads {spreads[most] / spreads[least]:,.0f} times as far as {names[least]}: features with "
        "large numbers decide the distances. Standardise them if their units differ"
    )


def solver_for(data: Dataset, name: str, n_clusters: int | None = None) -> Solver:
    """The solver of this name, with a number of clusters that suits the data."""
    solver = solvers.get(name)()
    if n_clusters is None:
        n_clusters = data.n_classes or getattr(solver, "n_clusters", None)
    if n_clusters is not None and hasattr(solver, "n_clusters"):
        solver.set_params(n_clusters=max(1, min(n_clusters, data.n_samples)))
    return solver


def suiting_solver(data: Dataset, wanted: str) -> str:
    """The wanted solver, or one that takes sparse data where these are."""
    if sparse.issparse(data.X) and not solvers.get(wanted).accepts_sparse:
        return next(name for name in solvers.names() if solvers.get(name).accepts_sparse)
    return wanted
