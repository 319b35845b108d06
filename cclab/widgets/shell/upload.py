"""A file that comes in pieces."""

from dataclasses import dataclass, field


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
    _pieces: list[bytes] = field(default_factory=list)

    def add(self, index: int, piece: bytes) -> None:
        """Take the next piece; ValueError, in words for the page, when it does not fit."""
        received = sum(map(len, self._pieces)) + len(piece)
        if max(received, self.size) > self.max_bytes:
            raise ValueError(f"{self.name} is larger than the limit of {self.max_bytes / 2**20:.0f} MB.")
        if index != len(self._pieces) or received > self.size:
            raise ValueError(f"{self.name} did not arrive whole. Try again.")
        self._pieces.append(bytes(piece))

    @property
    def complete(self) -> bool:
        """Whether all bytes have come."""
        return sum(map(len, self._pieces)) == self.size

    @property
    def data(self) -> bytes:
        """The file's bytes."""
        return b"".join(self._pieces)
