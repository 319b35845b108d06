"""What a page can open: named data sets, one's own files, saved sessions, tables of constraints."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from cclab.apps.page.opening import Stages
from cclab.core import Solver
from cclab.core.registry import solvers
from cclab.datasets import Dataset, list_datasets, load_dataset, read_table
from cclab.datasets.limits import MOST_FILE_BYTES, MOST_SAMPLES, check_limit
from cclab.datasets.parquet_rows import parquet_columns
from cclab.datasets.vector_files import read_vectors
from cclab.session import Session
from cclab.session.storage.serialize import read_json

#: File name endings that Open takes.
ENDINGS = ".csv,.tsv,.txt,.data,.xlsx,.parquet,.arrow,.feather,.npy,.npz,.zip,.h5ad,.json"
#: The variable of the environment that names the file which `cclab app FILE` opens.
GIVEN = "CCLAB_GIVEN"
#: So many samples stand for all rows of a file that has too many.
CORESET = 50_000
#: Files above this are refused before they are sent.
MAX_BYTES = MOST_FILE_BYTES
# Features whose spreads differ more than this are hardly in the same unit.
_UNLIKE = 20

_HEAD = 4096
_CONSTRAINT_COLUMNS = ("kind", "weight", "source")


@cache
def named_sets() -> tuple[str, ...]:
    """The data sets that can be loaded without the network."""
    listed = list_datasets()
    return tuple(listed["name"][listed["available"]])


def read_file(
    name: str, content: bytes, beside: Dataset | None = None, stages: Stages | None = None
) -> Dataset | Session | pd.DataFrame:
    """Data, a session or a table of constraints, told apart by what is in the file.

    Parameters
    ----------
    name : str
    content : bytes
    beside : Dataset, optional
        What is open: a file of vectors, one for each row of its table, is about these rows.
    stages : Stages, optional
        Told how far it is.

    Raises
    ------
    ValueError
        Anything else, with the reason.
    """
    if content[:_HEAD].lstrip()[:1] == b"{":
        session = Session.from_json(read_json(content, f"{name} is no session file"), where=name)
        if not isinstance(session.data, Dataset):
            raise ValueError(f"{name} is a session on a picture; open it in the painter")
        return session
    suffix = Path(name).suffix.lower()
    if suffix in (".npy", ".npz"):
        return _read_vectors(name, content, beside)
    if suffix in (".zip", ".h5ad"):
        return load_dataset(content, filename=name)
    frame = read_table(content, name, max_rows=MOST_SAMPLES, progress=None if stages is None else stages.tell)
    if set(frame.columns) >= set(_CONSTRAINT_COLUMNS):
        return frame
    if stages is not None:
        stages.begin("Looking at its columns")
    return load_dataset(frame)


def read_given(
    path: Path, beside: Dataset | None = None, stages: Stages | None = None
) -> Dataset | Session | pd.DataFrame:
    """As `read_file`, of a file on this machine: of a Parquet file with more rows than a page takes, a coreset."""
    if path.suffix.lower() in (".parquet", ".pq") and parquet_columns(path)[1] > MOST_SAMPLES:
        return load_dataset(path, coreset=CORESET)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ValueError(f"{path.name} can't be read: {error.strerror}") from error
    return read_file(path.name, content, beside, stages)


def _read_vectors(name: str, content: bytes, beside: Dataset | None) -> Dataset:
    """Vectors as data of their own, or as those of the rows of the table that is open."""
    values = read_vectors(content, name)
    check_limit(values.shape[0], MOST_SAMPLES, "vectors", "Open a part of them.", where=name)
    table = None if beside is None or beside.rows.is_itself else beside.table
    if table is None or len(table) != values.shape[0]:
        return load_dataset(content, filename=name, n_components="auto")
    assert beside is not None
    frame = table.copy(deep=False)
    frame.attrs.update(file=beside.source, notes=(f"the vectors of {name} are those of the rows of {beside.source}",))
    roles = {} if beside.plan is None else {c: r for c, r in beside.plan.roles.items() if r in ("class", "id", "text")}
    known = {column: role for column, role in roles.items() if column in frame.columns}
    return load_dataset(frame, vectors=values, name=beside.name, roles=known)


def read_constraints(name: str, content: bytes) -> pd.DataFrame:
    """A table of constraints.

    Raises
    ------
    ValueError
        It is another kind of file.
    """
    advice = "Export constraints writes one; Open takes data and sessions."
    if content.lstrip()[:1] == b"{":
        raise ValueError(f"{name} is no table of constraints. {advice}")
    frame = read_table(content, name)
    missing = [column for column in _CONSTRAINT_COLUMNS if column not in frame.columns]
    if missing:
        raise ValueError(f"{name} is no table of constraints: it has no column {missing[0]!r}. {advice}")
    return frame


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
    if data.plan is not None and data.feature_names != tuple(data.plan.columns("feature")):
        return None  # made from texts, pictures or vectors: they have no units
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
