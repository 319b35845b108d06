"""Files that come in pieces."""

import time
from dataclasses import dataclass, field

#: So many files may be under way at once, and so long one may rest before it is forgotten.
MOST_UPLOADS = 3
PATIENCE_SECONDS = 120.0


@dataclass
class Upload:
    """Pieces of one file, in order.

    >>> upload = Upload("ab.csv", size=4, max_bytes=100)
    >>> upload.add(0, b"ab")
    >>> upload.add(1, b"cd")
    >>> upload.complete, upload.data
    (True, b'abcd')
    """

    name: str
    size: int
    max_bytes: int
    touched: float = field(default_factory=time.monotonic)
    _n_pieces: int = 0
    _received: bytearray = field(default_factory=bytearray)

    def add(self, index: int, piece: bytes) -> None:
        """Take the next piece; ValueError, in words for the page, when it does not fit."""
        received = len(self._received) + len(piece)
        if max(received, self.size) > self.max_bytes:
            raise ValueError(f"{self.name} is larger than the limit of {self.max_bytes / 2**20:.0f} MB.")
        if index != self._n_pieces or received > self.size:
            raise ValueError(f"{self.name} did not arrive whole. Try again.")
        self._received += piece
        self._n_pieces += 1
        self.touched = time.monotonic()

    @property
    def complete(self) -> bool:
        """Whether all bytes have come."""
        return len(self._received) == self.size

    @property
    def data(self) -> bytes:
        """The file's bytes."""
        return bytes(self._received)


class Uploads:
    """Files that are under way, by an id that the browser gives; those that never end are forgotten."""

    def __init__(self) -> None:
        self._under_way: dict[str, Upload] = {}

    def __len__(self) -> int:
        return len(self._under_way)

    def add(self, key: str, name: str, size: int, index: int, piece: bytes, max_bytes: int) -> Upload:
        """Take a piece; ValueError, in words for the page, when it does not fit, which ends that file.

        Returns
        -------
        Upload
            The file it belongs to, perhaps complete.
        """
        self.forget_stale()
        upload = self._under_way.pop(key, None) or Upload(name, size, max_bytes)
        upload.add(index, piece)
        if not upload.complete:
            self._under_way[key] = upload
        while len(self) > MOST_UPLOADS:
            del self._under_way[next(iter(self._under_way))]  # the one that has rested longest
        return upload

    def forget_stale(self) -> None:
        """Forget files of which nothing has come for long."""
        long_ago = time.monotonic() - PATIENCE_SECONDS
        self._under_way = {key: upload for key, upload in self._under_way.items() if upload.touched > long_ago}
