"""Data sets kept in a folder of one's own, which the environment variable CCLAB_DATA names.

The folder has an index ``datasets.json`` with a list ``datasets`` of entries such as
``{"name": "flame", "file": "flame.csv", "n": 240, "d": 2, "classes": 2, "source": "...", "licence": "..."}``.
A ``.csv`` file has a header, numeric features and the class in a column ``label``; an ``.npz`` file has ``X``
and ``label`` (and ``gene``, ``sample``: names of features and samples), or the parts of a CSR matrix: ``data,
indices, indptr, shape`` and ``label``.

A folder adds names, and gives sets that would else be fetched; a name that the package has data for keeps them.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from cclab.core.scales import check_scale
from cclab.datasets.classes import encode
from cclab.datasets.dataset import Dataset
from cclab.datasets.limits import TooLarge
from cclab.datasets.unpacking import checked_csr, load_npz

#: What the folder may have in place of an index, or beside it: data with links, one folder for each collection.
COLLECTIONS = "collections"


def data_folder() -> Path | None:
    """The folder that CCLAB_DATA names, or None where the variable is unset or empty."""
    named = os.environ.get("CCLAB_DATA", "")
    if not named:
        return None
    folder = Path(named).expanduser()
    if not folder.is_dir():
        raise FileNotFoundError(f"CCLAB_DATA names {named!r}, which is no folder; correct or unset it")
    return folder


def folder_index() -> dict[str, dict]:
    """The entries of the folder's index by name; empty where there is no folder."""
    folder = data_folder()
    if folder is None:
        return {}
    path = folder / "datasets.json"
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))["datasets"]
        return {entry["name"]: entry | {"file": folder / entry["file"]} for entry in entries}
    except FileNotFoundError:
        if (folder / COLLECTIONS).is_dir():
            return {}
        raise FileNotFoundError(f"{path} does not exist; CCLAB_DATA must name a folder with such an index") from None
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ValueError(
            f'{path} is no index of data sets ({type(error).__name__}: {error}); expected {{"datasets": '
            '[{"name": ..., "file": ...}, ...]}'
        ) from None


def load_from_folder(name: str) -> Dataset:
    """A data set of the folder's index; its file is checked against the size that the index states."""
    entry = folder_index()[name]
    path = entry["file"]
    if not path.is_file():
        raise FileNotFoundError(f"{path}, which the index lists as {name!r}, does not exist; put it back")
    read = _read_npz if path.suffix == ".npz" else _read_csv
    try:
        X, labels, feature_names, sample_names = read(path)
        target, target_names = (None, ()) if labels is None else encode(labels)
    except TooLarge as error:
        raise TooLarge(f"{path}: {error}") from None
    except Exception as error:  # each format has its own ways to break
        raise ValueError(
            f"{path} is damaged or not in the format that its index says; get it again ({error!s:.300})"
        ) from error
    stated = (entry.get("n", X.shape[0]), entry.get("d", X.shape[1]))
    if X.shape != stated:
        raise ValueError(
            f"{path} has {X.shape[0]} samples x {X.shape[1]} features where its index says {stated[0]} x "
            f"{stated[1]}: it was cut off or changed; get it again"
        )
    if 0 in X.shape:
        raise ValueError(f"{path} has no samples or no features; get it again")
    check_scale(X, feature_names, where=f"{path}: ")
    return Dataset(
        name=name,
        X=X,
        feature_names=feature_names,
        target=target,
        target_names=target_names,
        sample_names=sample_names,
        description=entry.get("description", ""),
        source="; ".join(
            f"{key}: {entry[field]}" for key, field in (("copy of", "source"), ("licence", "licence")) if field in entry
        ),
    )


#: Features, labels, names of the features, names of the samples.
_Parts = tuple[Any, np.ndarray | None, tuple[str, ...], tuple[str, ...] | None]


def _read_csv(path: Path) -> _Parts:
    frame = pd.read_csv(path, dtype={"label": str})
    labels = frame.pop("label").to_numpy() if "label" in frame else None
    return frame.to_numpy(dtype=float), labels, tuple(frame.columns), None


def _read_npz(path: Path) -> _Parts:
    with path.open("rb") as stream:
        parts = load_npz(stream)
    if "indptr" in parts:
        X = checked_csr(parts["shape"], parts["data"], parts["indices"], parts["indptr"])
    else:
        X = parts["X"]
    if X.ndim != 2:
        raise ValueError(f"X has the shape {X.shape}, not (n_samples, n_features)")
    features = tuple(parts["gene"]) if "gene" in parts else ()
    samples = tuple(parts["sample"]) if "sample" in parts else None
    return X, parts.get("label"), features, samples
