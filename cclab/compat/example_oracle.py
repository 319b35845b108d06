"""An oracle that knows the labels."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike


class MaximumQueriesExceeded(Exception):
    """The oracle answers no more questions; an oracle of one's own raises it too."""


class ExampleOracle:
    """Answers by known labels, a limited number of times.

    Parameters
    ----------
    labels : (n,) array
    max_queries_cnt : int
        How many questions it answers.

    Attributes
    ----------
    queries_cnt : int
        How many it has answered.
    """

    def __init__(self, labels: ArrayLike, max_queries_cnt: int = 20) -> None:
        self.labels: Any = labels
        self.queries_cnt = 0
        self.max_queries_cnt = max_queries_cnt

    def query(self, i: int, j: int) -> bool:
        """Whether samples `i` and `j` belong together."""
        if self.queries_cnt >= self.max_queries_cnt:
            raise MaximumQueriesExceeded
        self.queries_cnt += 1
        return bool(self.labels[i] == self.labels[j])
