"""Whether a frame from the browser is what it claims to be, seen before anything is made of it.

A frame begins with how many parts it has and where each begins. Jupyter's reader believes these numbers: eight bytes
that claim 2**60 parts would keep the whole server, everybody's, busy for good.
"""

from __future__ import annotations

from typing import Literal

#: The protocol that a browser and a Jupyter server agree on, where both know it.
V1 = "v1.kernel.websocket.jupyter.org"
#: Far above what widgets send: a few buffers each.
MOST_PARTS = 10_000
#: Where the channel begins, and where it and four parts (header, parent header, metadata, content) end.
_FEWEST_PARTS = 6


class BadFrame(ValueError):
    """A frame that claims what it does not hold."""


def check_frame(frame: bytes | str, protocol: str | None) -> None:
    """Raise `BadFrame`, in words, unless all parts of a frame lie within it, one after the other.

    Parameters
    ----------
    frame : bytes or str
    protocol : str or None
        `V1`, or None for the protocol before it, in which a frame may also be text.

    Examples
    --------
    >>> check_frame((2**60).to_bytes(8, "little"), V1)
    Traceback (most recent call last):
    ...
    cclab.server.websocket_frames.BadFrame: 8 bytes can't hold 1,152,921,504,606,846,976 parts
    """
    if isinstance(frame, str):
        if protocol == V1:
            raise BadFrame("text where bytes belong")
        return
    width = 8 if protocol == V1 else 4
    order: Literal["little", "big"] = "little" if protocol == V1 else "big"
    n_parts = int.from_bytes(frame[:width], order)
    if n_parts < (_FEWEST_PARTS if protocol == V1 else 1):
        raise BadFrame(f"{n_parts} parts are too few for a message")
    if width * (n_parts + 1) > len(frame) or n_parts > MOST_PARTS:
        raise BadFrame(f"{len(frame):,} bytes can't hold {n_parts:,} parts")
    places = [int.from_bytes(frame[width * i : width * (i + 1)], order) for i in range(1, n_parts + 1)]
    if places[0] < width * (n_parts + 1) or places != sorted(places) or places[-1] > len(frame):
        raise BadFrame("its parts do not lie one after the other within it")
