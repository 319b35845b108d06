"""Amounts of links that grow with the data as in published comparisons: all pairs among a share of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import ceil
from typing import Any

import numpy as np

from cclab.core import ConstraintSet
from cclab.studies.knowledge import Knowledge, RandomPairs


@dataclass(frozen=True)
class Level(Knowledge):
    """As many random pairs as a share of the samples has pairs among them: ``f (f - 1) / 2`` with f samples.

    Parameters
    ----------
    share : float
        0.05 is called "level 5 %" in tables.
    noise : float
        The probability that a link is wrong.

    Examples
    --------
    >>> Level(0.05).amount(569), Level(0.05, noise=0.1).label
    (406, 'level 5 %, 10 % wrong')
    """

    share: float
    noise: float = field(default=0.0, kw_only=True)

    def __post_init__(self) -> None:
        if not 0 < self.share <= 1:
            raise ValueError(f"share is a part of the samples, above 0 and at most 1, got {self.share}")

    @property
    def label(self) -> str:  # type: ignore[override]
        """What tables call it."""
        wrong = f", {100 * self.noise:g} % wrong" if self.noise else ""
        return f"level {100 * self.share:g} %{wrong}"

    def amount(self, n_samples: int) -> int:
        """How many pairs there are of so many samples."""
        chosen = ceil(round(n_samples * self.share, 9))
        return chosen * (chosen - 1) // 2

    def draw(self, data: Any, rng: np.random.Generator) -> ConstraintSet:
        """Pairs drawn at random, and whether they belong together."""
        return RandomPairs(self.amount(data.n_samples), noise=self.noise).draw(data, rng)
