"""How large things may be: checked before anything is unpacked, so that a small file can't fill the memory.

All limits stand here, each with the sentence that is said where it is passed.
"""

from __future__ import annotations

MEGA = 10**6

#: A file that a page takes; it comes in pieces.
MOST_FILE_BYTES = 250 * 2**20
#: A picture within an archive.
MOST_PICTURE_BYTES = 50 * 2**20
#: What a file may unpack to.
MOST_UNPACKED_BYTES = 2**30
MOST_SAMPLES = 1_000_000
#: An original table that a session file keeps beside the samples; of a larger one it keeps rows, index and ids.
MOST_TABLE_BYTES = 50 * MEGA
#: What a session file keeps of each sample beside its features (texts, categories, dates) where it has no table.
MOST_META_BYTES = 200 * MEGA
#: Data that are written into a script, packed; larger ones that came from a file are read from it.
MOST_EMBEDDED_BYTES = 100_000
#: Rows of the table that samples came from.
MOST_ROWS = 100 * MEGA
#: Columns of a table.
MOST_COLUMNS = 50_000
#: Of one slice of a picture.
MOST_PIXELS = 100 * MEGA
#: Regions of a painting; each counts once for every pixel.
MOST_REGIONS = 32
MOST_STROKES = 10_000
#: Points of one stroke.
MOST_POINTS = 100_000
#: How far outside a picture a stroke may go, and how thick a brush may be, in pixels.
FURTHEST_PAINT = 1_000_000

#: What is kept for one visitor in one dashboard, and for all visitors of a server. What is over goes, the sessions
#: first that no one has opened for longest; whose they were is told.
MOST_KEPT_SESSIONS = 100
MOST_KEPT_BYTES = 2 * 2**30
MOST_KEPT_BYTES_IN_ALL = 20 * 2**30
#: A session that no one has opened for so many days goes too.
MOST_KEPT_DAYS = 90


class TooLarge(ValueError):
    """More than a limit allows; the words say how much, and what to do."""


def check_limit(amount: int, most: int, what: str, advice: str, *, where: str = "") -> None:
    """Raise `TooLarge`, in words, where `amount` is over `most`.

    >>> check_limit(3 * 10**6, MOST_SAMPLES, "rows", "Open a sample of it.", where="big.csv")
    Traceback (most recent call last):
    ...
    cclab.datasets.limits.TooLarge: big.csv: 3,000,000 rows are more than the 1,000,000 that are taken. Open a ...
    """
    if amount > most:
        place = f"{where}: " if where else ""
        raise TooLarge(f"{place}{amount:,} {what} are more than the {most:,} that are taken. {advice}")


def check_unpacked(n_bytes: int, where: str, advice: str) -> None:
    """Raise `TooLarge`, in words, where a file would unpack to more than `MOST_UNPACKED_BYTES`.

    >>> check_unpacked(3_200_000_000, "big.parquet", "Open a sample of it.")
    Traceback (most recent call last):
    ...
    cclab.datasets.limits.TooLarge: big.parquet would take 3,200 MB of memory, more than the 1,074 MB that ...
    """
    if n_bytes > MOST_UNPACKED_BYTES:
        amount, most = (f"{-(-size // MEGA):,} MB" for size in (n_bytes, MOST_UNPACKED_BYTES))
        raise TooLarge(f"{where} would take {amount} of memory, more than the {most} that are taken. {advice}")
