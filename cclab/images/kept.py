"""The last few things that were made, by key."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass(eq=False)
class Kept:
    """What was made, each thing once; what was made longest ago goes.

    Parameters
    ----------
    making : RLock
        Who needs what another thread is making waits for it.
    most : int
        So many things are kept.

    Examples
    --------
    >>> from threading import RLock
    >>> kept = Kept(RLock(), most=2)
    >>> [kept.once(n, lambda: f"{n} made") for n in (1, 2, 3)], kept.once(3, lambda: "made again")
    (['1 made', '2 made', '3 made'], '3 made')
    >>> kept.once(1, lambda: "made again")
    'made again'
    """

    making: Any
    most: int = 12
    things: dict[Any, Any] = field(default_factory=dict, init=False)

    def once(self, key: Any, make: Callable[[], Any]) -> Any:
        """What is kept under a key, or made now."""
        with self.making:
            if key not in self.things:
                self.things[key] = make()
                if len(self.things) > self.most:
                    del self.things[next(iter(self.things))]
            return self.things[key]
