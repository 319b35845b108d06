"""Ask about eight samples at once which of them do not belong."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cclab.core import Problem, State
from cclab.core.beliefs.numbering import page_numbers
from cclab.core.parameters import whole
from cclab.queries.base import Asked, Query, Settled, Strategy
from cclab.queries.torn import LookedAt, smallest

#: Doubts, and degrees, that differ by less are taken for equal: then what is near counts, or what was shown least.
ALIKE = 0.05


class GroupQueries(Strategy):
    """Shows samples that are surely in a cluster among others that may be in it, and asks which do not belong.

    One answer says of each doubtful sample whether it belongs with the sure ones: that is many links. Takes any belief.

    Parameters
    ----------
    size : int
        How many samples are shown.
    sure : int
        How many of them are surely in the cluster.
    """

    kind = "group"
    title = "Groups"
    parameters = {"size": whole(3, 12), "sure": whole(1, 11)}

    def __init__(self, size: int = 8, sure: int = 2) -> None:
        self.size = size
        self.sure = sure

    def propose(self, problem: Problem, state: State, n: int = 1, *, asked: Asked = frozenset()) -> tuple[Query, ...]:
        self.check_parameters()
        names = page_numbers(state.partition)
        here = _Here(problem, state, n, asked)
        found: list[Query] = []
        # What a question about each cluster brings at most; it is drawn only where that could be the best.
        most = dict(enumerate(self._most(here).tolist()))
        shown = np.bincount(here.likeliest[0], here.shown > 0, len(names)) / (len(here.samples) + 1)
        drawn: dict[int, tuple[NDArray[np.int64], NDArray[np.int64]]] = {}
        while len(found) < n and most:
            k = max(most, key=lambda k: most[k] // (self.size * ALIKE) - shown[k])
            if k not in drawn:
                drawn[k] = self._draw(k, here)
                most[k] = float(here.doubt[drawn[k][1]].sum())
                continue
            sure, torn = drawn[k]
            samples = tuple(sorted(here.samples[np.concatenate([sure, torn])].tolist()))
            if not len(torn) or not len(sure) or len(samples) < 3 or samples in asked:
                del most[k]
                continue
            reason = f"{_listed(here.samples[sure])} surely in cluster {names[k]}; the others may be."
            found.append(Query.group(samples, reason, most[k]))
            here.used[torn] = True
            drawn = {}  # the others may have lost samples to this one, and are worth no more than before
        return tuple(found)

    def _most(self, here: _Here) -> NDArray[np.float64]:
        """(k,) how much doubt there is at most in a question about each cluster."""
        n, k = here.degrees.shape
        few = min(k * self.size, n)
        bound = np.partition(here.doubt, -few)[-few]
        rows = np.flatnonzero(here.doubt >= bound)
        doubt = np.full((k, len(rows)), bound)  # none of the others is in more doubt
        doubt[here.likeliest[:, rows], np.arange(len(rows))] = here.doubt[rows]
        members = np.bincount(here.likeliest[0])
        shown = min(self.size - min(self.sure, int(members[members > 0].min())), n)
        return np.partition(doubt, -shown)[:, -shown:].sum(axis=1)

    def _draw(self, k: int, here: _Here) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Samples that are surely in cluster `k`, and doubtful ones of which that is not known."""
        likeliest, second = here.likeliest == k
        mine = np.flatnonzero(likeliest)
        if not len(mine):
            return mine, mine
        degree = here.degrees[:, k]
        # Where samples of the cluster are known to belong together, what is said now should join them.
        known = here.known_with[mine]
        largest = mine[known == known.max()]
        first = int(largest[degree[largest].argmax()])
        sure = np.concatenate([[first], self._surest(mine[mine != first], first, degree, here)])
        open_ = (likeliest | second) & ~(here.settled_with(first) | here.used)
        open_[sure] = False
        # One that is known to belong with others speaks for all of them, whose clusters would else stay one.
        speaker = (here.known_with * open_).argmax(keepdims=True)
        speaker = speaker[open_[speaker] & (here.known_with[speaker] > 1)]
        open_[speaker] = False
        candidates = np.flatnonzero(open_)
        keys = 2 * here.shown[candidates] - here.doubt[candidates]  # the least shown first, then the most doubtful
        others = here.nearest_of_smallest(keys, self.size - len(sure) - len(speaker), candidates, first)
        return sure, np.concatenate([speaker, others])

    def _surest(self, others: NDArray, first: int, degree: NDArray, here: _Here) -> NDArray[np.int64]:
        """Sure samples of the cluster beside the first, those that are not known to be with it before the others."""
        known = here.component[others] == here.component[first]
        keys = 4.0 * (here.shown[others] > 2) + 2.0 * known - degree[others]
        return here.nearest_of_smallest(keys, self.sure - 1, others, first)


def _listed(samples: NDArray[np.int64]) -> str:
    *others, last = map(str, sorted(samples.tolist()))
    return f"{', '.join(others)} and {last} are" if others else f"{last} is"


class _Here(LookedAt):
    """What is believed and known where questions are looked for."""

    def __init__(self, problem: Problem, state: State, wanted: int, asked: Asked) -> None:
        super().__init__(problem, state, wanted, asked)
        self._settled = settled = Settled(problem.constraints)
        self.component = self.among(settled.component)
        self.known_with = np.bincount(settled.component)[self.component]  # how many surely belong together with each
        shown = [i for samples in asked if len(samples) > 3 for i in samples]
        self.shown = self.among(np.bincount(np.array(shown, dtype=np.int64), minlength=problem.n_samples))
        self.used = np.zeros(len(self.samples), dtype=bool)  # by an earlier question of the same call

    def nearest_of_smallest(self, keys: NDArray, n: int, rows: NDArray, first: int) -> NDArray[np.int64]:
        """Those `n` of the rows whose keys are smallest; of keys that are about equal, the ones nearest to `first`.

        Where a belief is sure of nothing its doubts tell nothing either: what is near at least may belong together.
        """
        if not 0 < n < len(rows):
            return rows[: max(n, 0)]
        levels = np.floor(keys / ALIKE)
        last = np.partition(levels, n - 1)[n - 1]
        surely, perhaps = rows[levels < last], rows[levels == last]
        return np.concatenate([surely, perhaps[smallest(self.away(first, perhaps), n - len(surely))]])

    def settled_with(self, row: int) -> NDArray[np.bool_]:
        """(m,) those that are known to be with the one in this row, or apart from it."""
        return self.among(self._settled.with_sample(int(self.samples[row])))
