"""How often a view is drawn while a session runs."""

from __future__ import annotations

import math
import time

from cclab.session import Moment

# Between two drawings of a view during a run: at the usual speed every step is drawn.
_REST = 0.19


class Throttle:
    """While a session runs, lets a view draw a few times a second only: frames are for the scatter.

    A view that was held back draws what it has missed at the end of the run, of which `run` tells all.
    """

    def __init__(self) -> None:
        self._drawn = -math.inf
        self._running = False

    def holds(self, moment: Moment) -> bool:
        """Whether to leave this moment out."""
        now = time.monotonic()
        if moment.running and self._running and now - self._drawn < _REST:
            return True
        self._drawn, self._running = now, moment.running
        return False
