"""Arrays that are kept beside a session: made from its data, and too costly to be made again."""

from __future__ import annotations

import io
import logging
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cclab.datasets import Dataset
from cclab.session.storage.disk import write_whole

log = logging.getLogger(__name__)


class Beside:
    """Arrays by the data that they were made from and by name, with one row per sample.

    They are in the session's folder as soon as it has one. Columns of a table may be used otherwise at any time, so
    each array is asked for with the data that it is wanted for.
    """

    def __init__(self) -> None:
        self._arrays: dict[str, NDArray] = {}
        self._folder: Path | None = None
        self._read_only = False

    def keep_in(self, folder: Path, *, read_only: bool = False) -> None:
        """Look for them in a folder, and keep all there, those to come too, unless it is only read."""
        self._folder, self._read_only = folder, read_only
        for file in self._arrays:
            self._write(file)

    def get(self, data: Dataset, name: str) -> NDArray | None:
        """The array of this name for these data; None where there is none, or what is there is damaged."""
        file = _file(data, name)
        if file not in self._arrays and self._folder is not None:
            try:
                found = np.load(self._folder / file, allow_pickle=False, mmap_mode="r")
                if found.ndim == 2 and len(found) == data.n_samples and found.dtype.kind == "f":
                    self._arrays[file] = np.array(found)
            except (OSError, ValueError, EOFError):
                return None
        return self._arrays.get(file)

    def put(self, data: Dataset, name: str, array: NDArray) -> None:
        """Keep an array; a disk that is full or gone loses nothing but time."""
        if len(array) != data.n_samples:
            raise ValueError(f"{name} has {len(array)} rows, expected one for each of {data.n_samples} samples")
        file = _file(data, name)
        self._arrays[file] = array
        self._write(file)

    def _write(self, file: str) -> None:
        if self._folder is None or self._read_only:
            return
        packed = io.BytesIO()
        np.save(packed, self._arrays[file])
        try:
            write_whole(self._folder / file, packed.getvalue(), sync=False)
        except OSError:
            log.info("%s can't be kept", file, exc_info=True)


def _file(data: Dataset, name: str) -> str:
    return f"beside-{name}-{data.fingerprint[:16]}.npy"
