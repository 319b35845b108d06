"""Arrays out of files that anyone may have written: checked before memory is taken for them, or anything uses them."""

from __future__ import annotations

import io
import math
import zipfile
from tokenize import TokenError
from typing import Any, BinaryIO

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray
from scipy import sparse

from cclab.datasets.limits import MOST_UNPACKED_BYTES, check_limit

# Headers of arrays of plain numbers and texts are far shorter than this.
_LONGEST_HEADER = 4096


def checked_size(beginning: bytes) -> int:
    """How many bytes an ``.npy`` file has, by its header; ValueError where that is too large or holds objects.

    >>> import io
    >>> buffer = io.BytesIO()
    >>> np.save(buffer, np.zeros((3, 2)))
    >>> checked_size(buffer.getvalue()[:200]) == len(buffer.getvalue())
    True
    """
    stream = io.BytesIO(beginning)
    shape, dtype = _header(stream)
    if dtype.hasobject:
        raise ValueError("an array of objects is not read")
    if any(length < 0 for length in shape):
        raise ValueError(f"an array can't have the shape {shape}")
    # What is read here becomes floats sooner or later, so small numbers count as those.
    check_limit(math.prod(shape) * max(dtype.itemsize, 8), MOST_UNPACKED_BYTES, "bytes", "Open a part of the data.")
    return stream.tell() + math.prod(shape) * dtype.itemsize


def declared_shape(beginning: bytes) -> tuple[int, ...]:
    """The shape of the array in an ``.npy`` file, by its header."""
    return _header(io.BytesIO(beginning))[0]


def _header(stream: BinaryIO) -> tuple[tuple[int, ...], np.dtype]:
    version = npy.read_magic(stream)
    read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    try:
        shape, _, dtype = read(stream, max_header_size=_LONGEST_HEADER)
    except TokenError:  # numpy reads broken headers as those of Python 2, by its tokenizer
        raise ValueError("the header of an array is damaged") from None
    return shape, dtype


def load_npz(stream: BinaryIO) -> dict[str, NDArray]:
    """The arrays of an ``.npz`` file by name; together they are no larger than a file may unpack to."""
    with zipfile.ZipFile(stream) as archive:
        members = {info.filename.removesuffix(".npy"): info for info in archive.infolist()}
        total = 0
        for info in members.values():
            with archive.open(info) as member:
                total += checked_size(member.read(_LONGEST_HEADER))
            check_limit(total, MOST_UNPACKED_BYTES, "bytes", "Open a part of the data.")
        arrays = {}
        for name, info in members.items():
            with archive.open(info) as member:
                arrays[name] = npy.read_array(member, allow_pickle=False, max_header_size=_LONGEST_HEADER)
        return arrays


def checked_csr(shape: Any, data: Any, indices: Any, indptr: Any) -> sparse.csr_array:
    """A CSR array out of its parts, every index of which lies inside it.

    >>> checked_csr((2, 3), [1.0, 2.0], [0, 7], [0, 1, 2])
    Traceback (most recent call last):
    ...
    ValueError: the sparse samples are damaged: ...
    """
    parts = [np.asarray(part) for part in (data, indices, indptr)]
    if any(part.ndim != 1 for part in parts):
        raise ValueError("the sparse samples are damaged: their parts are no lists")
    if not all(np.issubdtype(part.dtype, np.integer) for part in parts[1:]):
        raise ValueError("the sparse samples are damaged: their indices are no integers")
    if not (np.issubdtype(parts[0].dtype, np.number) or parts[0].dtype == bool):
        raise ValueError("the sparse samples are damaged: their values are no numbers")
    n_rows, n_columns = (int(length) for length in shape)
    check_limit(max(n_rows, n_columns), 2**31 - 1, "rows or columns", "Open a part of them.")
    if n_rows < 0 or n_columns < 0 or len(parts[2]) != n_rows + 1 or len(parts[0]) != len(parts[1]):
        raise ValueError("the sparse samples are damaged: their parts have unlike lengths")
    # Wide enough that no index wraps around on its way into the matrix.
    indices, indptr = (part.astype(np.int64) for part in parts[1:])
    try:
        matrix = sparse.csr_array((parts[0], indices, indptr), shape=(n_rows, n_columns))
        matrix.check_format(full_check=True)
    except ValueError as error:
        raise ValueError(f"the sparse samples are damaged: {error}") from None
    if matrix.nnz != len(parts[0]):
        raise ValueError("the sparse samples are damaged: there are values outside of all rows")
    return matrix
