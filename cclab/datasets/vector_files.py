"""Vectors out of ``.npy`` and ``.npz`` files: alone, or beside the table that their rows belong to."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from cclab.datasets.unpacking import checked_csr, checked_size, load_npz


def read_vectors(content: bytes, file: str) -> Any:
    """The array (n_rows, d) in a file, or the sparse one.

    Raises
    ------
    ValueError
        Damaged, too large, or not of two dimensions; the words name the file.
    """
    try:
        if content.startswith(b"PK"):
            return _of_archive(load_npz(io.BytesIO(content)))
        checked_size(content[:4096])
        values = np.load(io.BytesIO(content), allow_pickle=False)
    except (ValueError, zipfile.BadZipFile, EOFError, OSError, KeyError) as error:
        raise ValueError(f"{file} holds no vectors that can be read: {error!s:.200}") from None
    if values.ndim != 2:
        raise ValueError(f"{file} has an array of shape {values.shape}; vectors are (n_rows, d)")
    return values


def _of_archive(arrays: dict[str, np.ndarray]) -> Any:
    """A sparse matrix as scipy saves it, or the one array of two dimensions."""
    if "indptr" in arrays:
        if str(arrays.get("format", b"csr")).strip("b'") not in ("csr", "array('csr')"):
            layout = arrays["format"].item()
            layout = layout.decode() if isinstance(layout, bytes) else str(layout)
            if layout != "csr":
                raise ValueError(f"a sparse matrix in the layout {layout!r:.20}; save it as CSR (matrix.tocsr())")
        return checked_csr(arrays["shape"], arrays["data"], arrays["indices"], arrays["indptr"])
    tables = [array for array in arrays.values() if array.ndim == 2 and array.dtype.kind in "biuf"]
    if len(tables) != 1:
        raise ValueError(f"{len(tables)} arrays of two dimensions; there should be one")
    return tables[0]


def vectors_beside(path: Path, n_rows: int) -> Any:
    """The vectors in a file of the same name beside a table, if it has one for each row; else None."""
    for suffix in (".npy", ".npz"):
        beside = path.with_suffix(suffix)
        if beside.is_file():
            values = read_vectors(beside.read_bytes(), beside.name)
            if values.shape[0] != n_rows:
                raise ValueError(
                    f"{beside.name} beside {path.name} has {values.shape[0]:,} vectors for {n_rows:,} rows; give "
                    "the one that belongs to it (vectors=...), or move it away"
                )
            return values
    return None
