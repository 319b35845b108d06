"""Greedy assignment where links cost something: sample after sample goes where it is cheapest, given the others.

Whoever is best off where it is, and has no partner that has moved in this pass, would stay: that is found for all
samples at once. Only the others take turns, in a loop over plain lists, which for a handful of clusters is far quicker
than arrays are. A sample hears of its single partners one by one, and of a block (a group, or one side of a
separation) through the block's *tally*: what its members in each cluster add up to. So a group of g samples costs g,
not g squared. Where all links cost the same and blocks are few and small, their members are single partners too.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from heapq import heappop, heappush

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from cclab.algorithms.kmeans.heard_links import Heard, HeardAlike, HeardPairs, Prices, Ways
from cclab.core import ConstraintSet
from cclab.core.constraints.closure import ConflictError
from cclab.core.constraints.links import Links

LinkPrices = tuple[Prices, Prices] | float


@dataclass(frozen=True, eq=False)
class LinkedSamples:
    """The samples with links, and how each hears of the others.

    Attributes
    ----------
    known : ConstraintSet
        All links that count.
    samples : (t,) int array
    must, cannot : Links
        Between these samples.
    """

    known: ConstraintSet
    samples: NDArray
    must: Links
    cannot: Links

    @classmethod
    def of(cls, known: ConstraintSet, closure: bool) -> LinkedSamples:
        """All links of `known`, and with `closure` those that follow from them, unless they contradict each other."""
        if closure:
            # What follows from a contradiction is anything; the solver has warned about it.
            with suppress(ConflictError):
                known = known.closure()
        samples = np.union1d(known.must.samples, known.cannot.samples)
        return cls(known, samples, known.must.among(samples), known.cannot.among(samples))

    def broken(self, labels: NDArray, n_clusters: int) -> tuple[float, float]:
        """The weights of the broken must-links and cannot-links, each added up; `labels` (t,) of these samples."""
        must, cannot = self._quick_ways
        return max(must.total - must.within(labels, n_clusters), 0.0), cannot.within(labels, n_clusters)

    @cached_property
    def neighbourhoods(self) -> list[NDArray]:
        """The members of each set of samples that must-links join."""
        samples = self.known.must.samples
        component = self.known.must_components[samples]
        order = np.argsort(component, kind="stable")
        return np.split(samples[order], np.flatnonzero(np.diff(component[order])) + 1) if len(samples) else []

    @cached_property
    def _ways(self) -> tuple[Ways, Ways]:
        return Ways.of(self.must), Ways.of(self.cannot)

    @cached_property
    def _quick_ways(self) -> tuple[Ways, Ways]:
        """As `_ways`; blocks that are few and small are written as pairs."""
        must, cannot = (ways.without_blocks() if ways.few_pairs else ways for ways in self._ways)
        return must, cannot

    @cached_property
    def _signed_ways(self) -> Ways:
        """All links at once, must-links with negative weights."""
        must, cannot = self._quick_ways
        pairs = sparse.csr_array(cannot.pairs - must.pairs)
        if not (must.blocks.shape[0] or cannot.blocks.shape[0]):
            return Ways.of_pairs(pairs)
        return Ways(
            pairs,
            sparse.csr_array(sparse.hstack([-must.seen, cannot.seen])),
            sparse.csr_array(sparse.vstack([must.blocks, cannot.blocks])),
            cannot.to_itself - must.to_itself,
        )

    def _heard(self, prices: LinkPrices, held: NDArray, n_clusters: int) -> list[Heard | HeardAlike | HeardPairs]:
        if isinstance(prices, tuple):
            return [Heard(ways, p, held) for ways, p in zip(self._ways, prices) if ways]
        ways = self._signed_ways
        alike = HeardAlike if ways.blocks.shape[0] else HeardPairs
        return [alike(ways, prices, held, n_clusters)]

    def renew(
        self,
        costs: NDArray,
        prices: LinkPrices,
        order: NDArray,
        previous: NDArray | None,
        total: Callable[[NDArray], float],
    ) -> NDArray[np.int64]:
        """(t,) clusters after a pass that assigns all samples of `order` anew, if that isn't dearer than before.

        Anew, the first of two that a must-link joins goes where it likes, and the other follows; from where they are,
        neither would leave the other. But it may end dearer than it was: then each sample is moved from where it is.

        Parameters
        ----------
        costs, prices, order
            See `assign`. Samples that `order` leaves out take their cheapest cluster.
        previous : (t,) int array or None
        total : callable
            What an assignment costs in all.
        """
        begin = costs.argmin(axis=1)
        begin[order] = costs.shape[1]
        anew = self._anew(costs, prices, order, begin)
        if previous is None or not len(order):
            return anew
        begin[order] = previous[order]
        if np.array_equal(anew, begin):
            return anew
        return anew if total(anew) <= total(begin) else self.assign(costs, prices, order, begin)

    def _anew(self, costs: NDArray, prices: LinkPrices, order: NDArray, begin: NDArray) -> NDArray[np.int64]:
        """As `assign` where all of `order` are nowhere yet, so that all have their turn."""
        if isinstance(prices, tuple) or self._signed_ways.blocks.shape[0]:
            return self.assign(costs, prices, order, begin)
        held, partners = begin.tolist(), self._signed_ways.weighted_partners
        for i, own in zip(order.tolist(), costs[order].tolist()):
            cost = [*own, 0.0]
            for j, weight in partners[i]:
                cost[held[j]] += prices * weight
            cost.pop()
            held[i] = cost.index(min(cost))
        return np.array(held, dtype=np.int64)

    def assign(self, costs: NDArray, prices: LinkPrices, order: NDArray, previous: NDArray) -> NDArray[np.int64]:
        """(t,) a cluster for each of the samples: one after the other takes the cheapest, given where the others are.

        Parameters
        ----------
        costs : (t, k) array
            What each cluster costs each sample by itself.
        prices : tuple of two Prices, or float
            What partners add, by must-links and by cannot-links; one number where each link of weight 1 costs the same.
        order : (m,) int array
            Which samples to go through, in turn; the others stay.
        previous : (t,) int array
            Where the samples are; k for one that is nowhere yet, and counts once it is assigned.
        """
        if not len(order):
            return previous
        kinds = self._heard(prices, previous, costs.shape[1])
        wanted = sum((links.all_at_once() for links in kinds), start=costs).argmin(axis=1)
        place = np.full(len(previous), -1)
        place[order] = np.arange(len(order))
        held, own_costs, turn, who = previous.tolist(), costs.tolist(), place.tolist(), order.tolist()
        # Turns of those who may move; a partner that moves brings more, but none whose turn is over.
        restless = np.sort(place[(wanted != previous) & (place >= 0)]).tolist()
        queued = set(restless)
        all_in_turn = len(queued) == len(who)
        while restless:
            now = heappop(restless)
            i = who[now]
            cost = [*own_costs[i], 0.0]
            for links in kinds:
                links.add_to(cost, i, held)
            cost.pop()
            best = cost.index(min(cost))
            if best == held[i]:
                continue
            for links in kinds:
                heard = links.move(i, held[i], best)
                for j in () if all_in_turn else heard:
                    if turn[j] > now and turn[j] not in queued:
                        heappush(restless, turn[j])
                        queued.add(turn[j])
            held[i] = best
        return np.array(held, dtype=np.int64)
