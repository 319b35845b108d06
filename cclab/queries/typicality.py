"""Ask for labels: of the samples that are typical of no cluster, or as typical of one as of another."""

from __future__ import annotations

import numpy as np

from cclab.core import Partition, Possibilistic, Problem, State
from cclab.core.beliefs.numbering import page_numbers
from cclab.core.parameters import choice
from cclab.queries.base import Asked, Query, Strategy


class TypicalityQueries(Strategy):
    """Asks to which cluster a sample belongs, where its typicalities don't tell.

    Parameters
    ----------
    about : {"ambiguous", "untypical"}
        Samples that are as typical of one cluster as of another, or that are typical of none.
    """

    kind = "label"
    title = "Typicality"
    parameters = {"about": choice("ambiguous", "untypical")}

    def __init__(self, about: str = "ambiguous") -> None:
        self.about = about

    @classmethod
    def suits(cls, partition: Partition) -> bool:
        return isinstance(partition, Possibilistic)

    def propose(self, problem: Problem, state: State, n: int = 1, *, asked: Asked = frozenset()) -> tuple[Query, ...]:
        self.check_parameters()
        partition = state.partition
        T = partition.typicalities if isinstance(partition, Possibilistic) else partition.degrees
        largest = T.max(axis=1)
        # An outlier is as untypical of one cluster as of another, but says little about either: it is weighed down.
        score = 1 - largest if self.about == "untypical" else partition.ambiguity() * largest
        # A sample that surely belongs together with a labelled one needs no label of its own.
        group = problem.constraints.must_components
        closed = np.isin(group, group[problem.constraints.labels.sample])
        closed[[samples[0] for samples in asked if len(samples) == 1]] = True
        order = np.argsort(-np.where(closed, -np.inf, score), kind="stable")[: min(n, int((~closed).sum()))]
        return tuple(Query.label(i, self._reason(T, int(i), page_numbers(state.partition)), score[i]) for i in order)

    def _reason(self, T: np.ndarray, i: int, names: np.ndarray) -> str:
        clusters = np.argsort(-T[i], kind="stable")[:2]
        if self.about == "untypical" or len(clusters) < 2:
            return (
                f"{i} is typical of no cluster: of the nearest, {names[clusters[0]]}, to a degree of {T[i].max():.2f}."
            )
        first, second = sorted(clusters)
        return (
            f"{i} is nearly as typical of cluster {names[first]} ({T[i, first]:.2f}) "
            f"as of cluster {names[second]} ({T[i, second]:.2f})."
        )
