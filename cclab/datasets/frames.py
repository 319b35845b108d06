"""Tables of other libraries: data frames by narwhals, and AnnData."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from cclab.datasets.limits import check_unpacked

# What is used of each cell where it is there: coordinates that were made from its genes.
_REDUCED = "X_pca"


def is_frame(source: Any) -> bool:
    """Whether this is a data frame of a library other than pandas."""
    if isinstance(source, np.ndarray) or sparse.issparse(source):
        return False
    return any(hasattr(source, name) for name in ("__narwhals_dataframe__", "__arrow_c_stream__", "__dataframe__"))


def to_pandas(source: Any) -> pd.DataFrame:
    """The same table in pandas.

    Raises
    ------
    ValueError
        No library that knows both is installed, or this is no table.
    """
    try:
        import narwhals
    except ImportError:
        if hasattr(source, "to_pandas"):
            return source.to_pandas()
        raise ValueError("data frames other than those of pandas need narwhals (pip install narwhals)") from None
    try:
        frame = narwhals.from_native(source)
        frame = frame.collect() if isinstance(frame, narwhals.LazyFrame) else frame
        return frame.to_pandas()
    except (TypeError, ImportError, ModuleNotFoundError) as error:
        raise ValueError(f"this {type(source).__name__} can't be taken as a table: {error!s:.200}") from None


def is_anndata(source: Any) -> bool:
    """Whether this is an AnnData object; the package itself is not needed to tell."""
    return all(hasattr(source, name) for name in ("obs", "var", "X", "obs_names", "var_names"))


def read_anndata(source: Path | bytes, file: str) -> Any:
    """The cells in an ``.h5ad`` file, or in the bytes of one.

    Raises
    ------
    ValueError
        Damaged, or too large: nothing has been unpacked then. Or it leads to other files.
    """
    try:
        import anndata
    except ImportError:
        raise ValueError(f"{file} holds cells (AnnData); reading it needs anndata (pip install anndata)") from None
    with tempfile.TemporaryDirectory(prefix="cclab-") as folder:
        path = source if isinstance(source, Path) else Path(folder, "cells.h5ad")
        if not isinstance(source, Path):
            path.write_bytes(source)
        try:
            check_unpacked(_size_unpacked(path, file), file, "Open some of its cells, or reduce them to X_pca first.")
            return anndata.read_h5ad(path)
        except Exception as error:  # the readers raise what they like at a damaged file
            if isinstance(error, ValueError) and str(error).startswith(file):
                raise
            raise ValueError(f"{file} is no AnnData file, or a damaged one ({error!s:.200})") from None


def _size_unpacked(path: Path, file: str) -> int:
    """Bytes of all arrays of an HDF5 file as they would be in memory."""
    import h5py

    size, within = 0, []
    with h5py.File(path, "r") as stored:
        within.append(stored)
        while within:
            group = within.pop()
            for name in group:
                if isinstance(group.get(name, getlink=True), h5py.ExternalLink | h5py.SoftLink):
                    raise ValueError(f"{file} leads to other places at {name!r:.60}; save it whole")
                held = group[name]
                if isinstance(held, h5py.Group):
                    within.append(held)
                else:
                    size += held.size * max(held.dtype.itemsize, 8)
    return size


def from_anndata(cells: Any) -> tuple[pd.DataFrame, Any, tuple[str, ...]]:
    """What is known of each cell, its numbers, and what these are called."""
    frame = cells.obs.copy()
    frame.index = pd.Index([str(name) for name in cells.obs_names])
    reduced = getattr(cells, "obsm", {})
    if _REDUCED in reduced:
        values = np.asarray(reduced[_REDUCED], dtype=float)
        return frame, values, tuple(f"PC {j + 1}" for j in range(values.shape[1]))
    values = cells.X
    values = sparse.csr_array(values) if sparse.issparse(values) else np.asarray(values, dtype=float)
    return frame, values, tuple(map(str, cells.var_names))
