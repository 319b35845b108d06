"""One door to all data: a name, a table, a file, an upload or an array."""

from __future__ import annotations

import os
from dataclasses import replace

import pandas as pd

from .dataset import Dataset
from .reading import read_table
from .registry import known_name, load_named
from .tables import table_to_dataset

_FILES = (str, os.PathLike, bytes, bytearray, memoryview)


def load_dataset(name_or_data, *, target=None, name=None, filename=None, **options) -> Dataset:
    """A data set by name, or one's own data as a data set.

    Parameters
    ----------
    name_or_data : str, path, DataFrame, bytes, file-like object, array or Dataset
        A name out of `list_datasets`; a table (CSV, TSV, Parquet) as a file on disk, a DataFrame, or the
        content of a file; or an array (n_samples, n_features), sparse ones included. A string with a dot or a
        slash is a file, any other a name. A Dataset is given back.
    target : optional
        The truth: the name of a column of a table, or an array-like (n_samples,) of labels for an array.
    name : str, optional
        What to call one's own data.
    filename : str, optional
        What to call the file in messages, where only its content is given.
    **options
        Of a named set: those of its generator (``seed``, ``n_samples``, ...); ``weighting="counts"`` or
        ``"tfidf"`` (the default: rows of unit length) for the texts ``tr11``, ``tr12``, ``tr23``;
        ``genes="all"`` (the default) or ``"filtered"`` for ``leukemia_golub``.

    Raises
    ------
    ValueError
        An unknown name or option; a table or array that cannot be used, with the reason.
    OSError
        No such file; or a named set is not on this machine, and OpenML cannot be reached or lacks it.

    Examples
    --------
    >>> load_dataset("two_class", seed=3)
    <Dataset two_class: 400 samples x 2 features; 2 classes: left 200, right 200>
    >>> load_dataset([[0, 1], [2, 3], [4, 5]], target=["a", "b", "b"])
    <Dataset array: 3 samples x 2 features; 2 classes: a 1, b 2>
    """
    if isinstance(name_or_data, str) and not _is_path(name_or_data):
        known = known_name(name_or_data)
        if not (target is None and name is None and filename is None):
            raise ValueError(f"{known!r} has a name and a truth of its own; load it, then use with_target")
        return load_named(known, **options)
    if options:
        raise ValueError(f"option {next(iter(options))!r} is for named data sets only")
    if isinstance(name_or_data, pd.DataFrame):
        return table_to_dataset(name_or_data, target=target, name=name)
    if isinstance(name_or_data, _FILES) or hasattr(name_or_data, "read"):
        return table_to_dataset(read_table(name_or_data, filename), target=target, name=name)
    if isinstance(name_or_data, Dataset):
        data = name_or_data if name is None else replace(name_or_data, name=name)
    else:
        data = Dataset(name or "array", name_or_data, description="Your own array.")
    return data if target is None else data.with_target(target)


def _is_path(text):
    """A string with a dot or a slash is a file; no data set is called so."""
    return any(mark in text for mark in (".", "/", os.sep))
