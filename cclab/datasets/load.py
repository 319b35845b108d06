"""One door to all data: a name, a table, a file, a folder of pictures, an upload or an array."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from cclab.datasets.catalogue import known_name, load_named
from cclab.datasets.columns.thumbnails import picture_table
from cclab.datasets.dataset import Dataset
from cclab.datasets.drawing_coreset import load_coreset
from cclab.datasets.frames import from_anndata, is_anndata, is_frame, read_anndata, to_pandas
from cclab.datasets.table_files import read_table
from cclab.datasets.tables import table_to_dataset
from cclab.datasets.vector_files import read_vectors, vectors_beside

_FILES = (str, os.PathLike, bytes, bytearray, memoryview)
_OF_TABLES = ("roles", "missing", "scale", "metric", "n_components", "vectors", "pictures", "embed")


def load_dataset(
    name_or_data: Any,
    *,
    target: Any = None,
    name: str | None = None,
    filename: str | None = None,
    fingerprint: str | None = None,
    roles: Mapping[str, str] | None = None,
    missing: str | Mapping[str, str] | None = None,
    scale: str | Mapping[str, str] | None = None,
    metric: str | None = None,
    n_components: int | str | None = None,
    vectors: Any = None,
    pictures: str | os.PathLike | None = None,
    embed: Callable[[Any], Any] | None = None,
    coreset: int | None = None,
    keep: Any = (),
    **options: Any,
) -> Dataset:
    """A data set by name, or one's own data as a data set.

    Parameters
    ----------
    name_or_data : str, path, DataFrame, bytes, file-like object, array, AnnData or Dataset
        A name out of `list_datasets`; a table (CSV, TSV, Excel, Parquet, Arrow) as a file on disk, a DataFrame of
        pandas, polars or any library that narwhals knows, or the content of a file; a folder of pictures (subfolders
        are classes) or a zip archive of them; an array (n_samples, n_features), sparse ones included, or a file of one
        (``.npy``, ``.npz``). A string with a dot or a slash is a file or a folder, any other a name.
    target : optional
        The truth: the name of a column of a table, or an array-like (n_samples,) of labels for an array.
    name : str, optional
        What to call one's own data.
    filename : str, optional
        What to call the file in messages, where only its content is given.
    fingerprint : str, optional
        The beginning of the `Dataset.fingerprint` that the data must have; anything else is refused.
    roles : mapping from column to role, optional
        ``feature``, ``class``, ``id``, ``text``, ``picture``, ``group`` or ``ignored``; columns that are not named
        keep the role that is guessed, which `Dataset.notes` tell and `Dataset.plan` holds.
    missing : {"drop", "median", "neighbours"} or mapping from column to these, optional
        Rows without a value are left out (default), or it is filled in.
    scale : {"none", "standardise", "robust", "log"} or mapping from column to these, optional
    metric : {"euclidean", "cosine"}, optional
        Cosine scales every row to length 1.
    n_components : int or "auto", optional
        Reduce the features to so many by PCA. Tables with hundreds of features are reduced to 50 unless this is 0.
    vectors : array-like (n_rows, d), path of an ``.npy`` or ``.npz`` file, optional
        Features for the rows of a table; by default the file of that kind which has the table's name, beside it.
    pictures : path, optional
        The folder of the files that a column names.
    embed : callable, optional
        Called with each picture, as bytes (height, width, 3), or with each text where there are no pictures; the
        numbers that it gives are the features.
    coreset : int, optional
        Of a Parquet file that is too large, take about so many rows that stand for all: see
        `cclab.datasets.drawing_coreset.load_coreset`. ``seed`` among the options draws others.
    keep : sequence of int
        Rows of that file that are always among them.
    **options
        Of a named set: those of its generator (``seed``, ``n_samples``, ...); ``weighting="counts"`` or
        ``"tfidf"`` (the default: rows of unit length) for the texts ``tr11``, ``tr12``, ``tr23``;
        ``genes="all"`` (the default) or ``"filtered"`` for ``leukemia_golub``.

    Raises
    ------
    ValueError
        An unknown name or option; a table or array that cannot be used, with the reason; another fingerprint.
    OSError
        No such file; or a named set is not on this machine, and OpenML cannot be reached or lacks it.

    Examples
    --------
    >>> load_dataset("two_class", seed=3)
    <Dataset two_class: 400 samples x 2 features; 2 classes: left 200, right 200>
    >>> load_dataset([[0, 1], [2, 3], [4, 5]], target=["a", "b", "b"])
    <Dataset array: 3 samples x 2 features; 2 classes: a 1, b 2>
    >>> import pandas as pd
    >>> birds = pd.DataFrame({"weight": [5.1, 9.0, 5.3], "year": [2020, 2021, 2021], "said": ["tweet", "caw", "tweet"]})
    >>> load_dataset(birds, roles={"said": "class"}, scale="standardise").feature_names
    ('weight',)
    """
    changes = {"missing": missing, "scale": scale, "metric": metric, "n_components": n_components}
    given = {"roles": roles, **changes, "vectors": vectors, "pictures": pictures, "embed": embed}
    own = {key: value for key, value in given.items() if value is not None}
    if coreset is not None:
        data = _from_large(name_or_data, coreset, target=target, name=name, keep=keep, **own, **options)
    else:
        data = _load(name_or_data, target, name, filename, own, options)
    # Scripts of earlier versions were written before there was `meta`.
    prints = (data.fingerprint, data.feature_fingerprint)
    if fingerprint is not None and not any(each.startswith(fingerprint) for each in prints):
        raise ValueError(
            f"{data.name} holds other data than those that are asked for: its fingerprint is "
            f"{data.fingerprint[: len(fingerprint)]}, not {fingerprint}. Give the same file, or the version of the "
            "data that was used then"
        )
    return data


def _load(
    source: Any, target: Any, name: str | None, filename: str | None, own: dict[str, Any], options: dict[str, Any]
) -> Dataset:
    if isinstance(source, str) and not is_path(source):
        known = known_name(source)
        if not (target is None and name is None and filename is None):
            raise ValueError(f"{known!r} has a name and a truth of its own; load it, then use with_target")
        return _changed(load_named(known, **options), own)
    if options:
        raise ValueError(f"option {next(iter(options))!r} is for named data sets only")
    if isinstance(source, pd.DataFrame):
        return _from_table(source, target, name, own)
    if isinstance(source, _FILES) or hasattr(source, "read"):
        return _from_file(source, target, name, filename, own)
    if is_anndata(source):
        frame, matrix, names = from_anndata(source)
        return _from_table(frame, target, name or "cells", {"vectors": matrix, **own}, names)
    if is_frame(source):
        return _from_table(to_pandas(source), target, name, own)
    if isinstance(source, Dataset):
        data = source if name is None else replace(source, name=name)
    else:
        data = Dataset(name or "array", source, description="Your own array.")
    data = data if target is None else data.with_target(target)
    return _changed(data, own)


def _from_large(source: Any, size: int, *, keep: Any, seed: int = 0, **own: Any) -> Dataset:
    strange = {"vectors", "pictures", "embed"} & own.keys() or own.keys() - {*_OF_TABLES, "target", "name"}
    if not isinstance(source, str | os.PathLike) or strange:
        by_path = "a coreset is drawn from a Parquet file by its path"
        what = f"{min(strange)} is not for a coreset" if strange else by_path
        raise ValueError(f"{what}; load the table itself where it is small enough")
    return load_coreset(Path(source).expanduser(), size, keep=keep, seed=seed, **own)


def _changed(data: Dataset, own: dict[str, Any]) -> Dataset:
    """Data that are no table, with what can be changed about their columns."""
    for option in ("vectors", "pictures", "embed"):
        if option in own:
            raise ValueError(f"{option} is for tables; {data.name} is none")
    return data.with_columns(**own) if own else data


def _from_file(source: Any, target: Any, name: str | None, filename: str | None, own: dict[str, Any]) -> Dataset:
    path = Path(source).expanduser() if isinstance(source, str | os.PathLike) else None
    called = filename or (path.name if path is not None else getattr(source, "name", None)) or ""
    if path is not None and path.is_dir():
        return _from_pictures(picture_table(path, path.name), target, name or path.name, own)
    suffix = Path(str(called)).suffix.lower()
    if suffix in (".npy", ".npz", ".zip", ".h5ad"):
        if path is not None and not path.is_file():
            raise FileNotFoundError(f"there is no file {str(path)!r} (looked in {Path.cwd()})")
        content = path if path is not None else source.read() if hasattr(source, "read") else bytes(source)
        if suffix == ".h5ad":
            frame, matrix, names = from_anndata(read_anndata(content, str(called)))
            return _from_table(frame, target, name or Path(str(called)).stem, {"vectors": matrix, **own}, names)
        content = content.read_bytes() if isinstance(content, Path) else content
        if suffix == ".zip":
            return _from_pictures(picture_table(content, str(called)), target, name, own)
        return _from_vectors(content, str(called), target, name, own)
    frame = read_table(source, filename)
    if path is not None and "vectors" not in own and "roles" not in own:
        beside = vectors_beside(path, len(frame))
        own = own if beside is None else {"vectors": beside, **own}
    return _from_table(frame, target, name, own)


def _from_vectors(content: bytes, called: str, target: Any, name: str | None, own: dict[str, Any]) -> Dataset:
    values = read_vectors(content, called)
    data = Dataset(name or Path(called).stem, values, description=f"{called}: your own array.", source=called)
    return _changed(data if target is None else data.with_target(target), own)


def _from_pictures(frame: pd.DataFrame, target: Any, name: str | None, own: dict[str, Any]) -> Dataset:
    """Pictures are called by their files, and folders are classes."""
    roles = {"file": "id"} | ({"folder": "class"} if "folder" in frame and target is None else {})
    return _from_table(frame, target, name, {**own, "roles": {**roles, **own.get("roles", {})}})


def _from_table(
    frame: pd.DataFrame, target: Any, name: str | None, own: dict[str, Any], vector_names: tuple[str, ...] = ()
) -> Dataset:
    own = dict(own)
    folder = own.pop("pictures", None)
    matrix = own.pop("vectors", None)
    if matrix is not None:
        matrix = _as_matrix(matrix, len(frame))
    pictures = None if folder is None else str(folder)
    return table_to_dataset(
        frame, target=target, name=name, vectors=matrix, vector_names=vector_names, pictures=pictures, **own
    )


def _as_matrix(vectors: Any, n_rows: int) -> Any:
    if isinstance(vectors, str | os.PathLike):
        path = Path(vectors).expanduser()
        if not path.is_file():
            raise FileNotFoundError(f"there is no file {str(path)!r} of vectors (looked in {Path.cwd()})")
        vectors = read_vectors(path.read_bytes(), path.name)
    values = Dataset("vectors", vectors).X  # numbers, finite, two dimensions, or words that say what is wrong
    if values.shape[0] != n_rows:
        raise ValueError(f"vectors: {values.shape[0]:,} of them for a table of {n_rows:,} rows; give one for each row")
    return values if not isinstance(values, np.ndarray) else np.asarray(values)


def is_path(text: str) -> bool:
    """A string with a dot or a slash is a file; no data set is called so."""
    return any(mark in text for mark in (".", "/", os.sep))
