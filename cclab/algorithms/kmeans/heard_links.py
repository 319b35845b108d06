"""How linked samples hear of their partners while these move from cluster to cluster: the links as lists."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from operator import mul

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from cclab.core.constraints.links import Links

# Blocks are written as pairs where that makes no more than so many for each sample.
FEW_PAIRS = 8


@dataclass(frozen=True, eq=False)
class Prices:
    """What partners add to the cost of a cluster, for links of one kind.

    A partner j in cluster l adds the weight of the link times a price to what cluster l costs sample i. The price is
    ``own[i, l] . others[j, l]``, a product of F numbers about each, so that the members of a block can be added up.

    Attributes
    ----------
    own, others : (t, k, F) arrays
    """

    own: NDArray
    others: NDArray


@dataclass(frozen=True, eq=False)
class Ways:
    """Links of one kind: as matrices, and as lists.

    Attributes
    ----------
    pairs : (t, t) sparse array
    seen : (t, b) sparse array
        The blocks that each sample is linked to, with weights.
    blocks : (b, t) sparse array
        Their members, with shares.
    to_itself : (t, 1) array
        The weight at which a sample would hear itself through its blocks.
    """

    pairs: sparse.csr_array
    seen: sparse.csr_array
    blocks: sparse.csr_array
    to_itself: NDArray

    @classmethod
    def of(cls, links: Links) -> Ways:
        """The ways of these links."""
        seen = sparse.csr_array(links.members @ links.coupling)
        to_itself = np.asarray(seen.multiply(links.members).sum(axis=1)).reshape(-1, 1)
        return cls(links.pairs, seen, links.blocks, to_itself)

    @classmethod
    def of_pairs(cls, pairs: sparse.csr_array) -> Ways:
        """Links between single samples."""
        t = pairs.shape[0]
        return cls(pairs, sparse.csr_array((t, 0)), sparse.csr_array((0, t)), np.zeros((t, 1)))

    @property
    def few_pairs(self) -> bool:
        """Whether the blocks stand for few pairs, so that these are quicker to go through."""
        seen_by = np.bincount(self.seen.indices, minlength=self.blocks.shape[0])
        return int(seen_by @ np.diff(self.blocks.indptr)) <= FEW_PAIRS * self.pairs.shape[0]

    def without_blocks(self) -> Ways:
        """The same links as pairs alone."""
        t = self.pairs.shape[0]
        pairs = self.pairs
        if self.blocks.shape[0]:
            through = (self.seen @ self.blocks).tocoo()
            two = through.row != through.col  # nobody is a partner of its own
            pairs = pairs + sparse.csr_array((through.data[two], (through.row[two], through.col[two])), shape=(t, t))
        return Ways.of_pairs(pairs)

    @cached_property
    def total(self) -> float:
        """The weights of all links, added up."""
        through = self.seen.sum(axis=0) @ self.blocks.sum(axis=1)
        return float(self.pairs.sum() + through - self.to_itself.sum()) / 2

    def within(self, labels: NDArray, n_clusters: int) -> float:
        """The weights of the links whose two ends are in one cluster, added up."""
        i, j = self.ends
        weight = float(self.pairs.data @ (labels[i] == labels[j]))
        if self.blocks.shape[0]:
            Y = np.eye(n_clusters)[labels]
            weight += float(np.vdot(self.seen.T @ Y, self.blocks @ Y)) - float(self.to_itself.sum())
        return weight / 2

    @cached_property
    def ends(self) -> tuple[NDArray, NDArray]:
        """The two samples of each entry of `pairs`."""
        return np.repeat(np.arange(self.pairs.shape[0]), np.diff(self.pairs.indptr)), self.pairs.indices

    @cached_property
    def partners(self) -> list[list[tuple[int, int]]]:
        """For each sample its partners, each with the place of the pair among the entries of `pairs`."""
        return _rows(self.pairs, range(self.pairs.nnz))

    @cached_property
    def blocks_seen(self) -> list[list[tuple[int, float]]]:
        """For each sample the blocks that it is linked to, with weights."""
        return _rows(self.seen, self.seen.data.tolist())

    @cached_property
    def seen_by(self) -> list[list[tuple[int, float]]]:
        """For each block the samples that are linked to it, with weights."""
        by_block = sparse.csr_array(self.seen.T)
        return _rows(by_block, by_block.data.tolist())

    @cached_property
    def blocks_of(self) -> list[list[tuple[int, float]]]:
        """For each sample the blocks that it is in, with shares."""
        members = sparse.csr_array(self.blocks.T)
        return _rows(members, members.data.tolist())

    @cached_property
    def weighted_partners(self) -> list[list[tuple[int, float]]]:
        """For each sample its partners, with the weights of the links."""
        return _rows(self.pairs, self.pairs.data.tolist())

    @cached_property
    def neighbours(self) -> list[list[int]]:
        """For each sample its partners alone."""
        return [[j for j, _ in row] for row in self.weighted_partners]

    @cached_property
    def own_weight(self) -> list[float]:
        """`to_itself` as a list."""
        return self.to_itself.ravel().tolist()

    def __bool__(self) -> bool:
        return bool(self.pairs.nnz or self.blocks.nnz)


class Heard:
    """What the partners of each sample add to its costs, while samples move."""

    def __init__(self, ways: Ways, prices: Prices, held: NDArray) -> None:
        self.ways, self.own, self.others = ways, prices.own, prices.others
        self.start, self.k = held, prices.own.shape[1]
        i, j = ways.ends
        pair_prices = ways.pairs.data[:, None] * np.einsum("elf,elf->el", self.own[i], self.others[j])
        self.pair_prices = _with_nowhere(pair_prices)
        self.to_itself = _with_nowhere(ways.to_itself * np.einsum("ilf,ilf->il", self.own, self.others))
        self.counted = self._counted()
        self.moved: set[int] = set()

    def _counted(self) -> NDArray:
        """(b, k F) what the members of each block in each cluster add up to."""
        t, k, F = self.others.shape
        placed = np.flatnonzero(self.start < k)
        numbers = np.zeros((t, k, F))
        numbers[placed, self.start[placed]] = self.others[placed, self.start[placed]]
        return self.ways.blocks @ numbers.reshape(t, k * F)

    def all_at_once(self) -> NDArray:
        """(t, k) what is added to the costs of all samples before any has moved."""
        t, k, F = self.own.shape
        i, j = self.ways.ends
        at = self.start[j]
        said = np.bincount(i * (k + 1) + at, self.pair_prices[np.arange(len(at)), at], minlength=t * (k + 1))
        said = said.reshape(t, k + 1).astype(float)  # of no pairs at all the counts are integers
        if self.ways.blocks.nnz:
            said[:, :k] += np.einsum("ilf,ilf->il", self.own, (self.ways.seen @ self.counted).reshape(t, k, F))
            said[np.arange(t), self.start] -= self.to_itself[np.arange(t), self.start]
        return said[:, :k]

    @cached_property
    def _lists(self) -> tuple[list, list, list]:
        tallies = self.counted.reshape(-1, self.k, self.own.shape[2])
        return self.pair_prices.tolist(), self.to_itself.tolist(), tallies.tolist()

    def add_to(self, cost: list[float], i: int, held: list[int]) -> None:
        """Add to the costs of sample i what its partners say."""
        pair_prices, to_itself, tallies = self._lists
        for j, pair in self.ways.partners[i]:
            cost[held[j]] += pair_prices[pair][held[j]]
        if self.ways.blocks_seen[i]:
            own = self.own[i].tolist()
            for block, weight in self.ways.blocks_seen[i]:
                for cluster, tally in enumerate(tallies[block]):
                    cost[cluster] += weight * sum(map(mul, own[cluster], tally))
            cost[held[i]] -= to_itself[i][held[i]]

    def move(self, i: int, before: int, after: int) -> list[int]:
        """Let sample i leave one cluster for another; gives the samples that hear of it for the first time."""
        hear = [j for j, _ in self.ways.partners[i]]
        for block, share in self.ways.blocks_of[i]:
            tallies = self._lists[2][block]
            if before < self.k:
                _count(tallies[before], self.others[i, before], -share)
            _count(tallies[after], self.others[i, after], share)
            if block not in self.moved:
                self.moved.add(block)
                hear += [j for j, _ in self.ways.seen_by[block]]
        return hear


class HeardAlike:
    """As `Heard`, where all links of the same weight cost the same: tallies are numbers."""

    def __init__(self, ways: Ways, price: float, held: NDArray, n_clusters: int) -> None:
        self.ways, self.price, self.k, self.start = ways, price, n_clusters, held
        self.placed = np.eye(n_clusters + 1)[held][:, :n_clusters]
        self.counted = ways.blocks @ self.placed
        self.tallies = self.counted.tolist()
        self.moved: set[int] = set()

    def all_at_once(self) -> NDArray:
        """(t, k) what is added to the costs of all samples before any has moved."""
        ways = self.ways
        said = ways.pairs @ self.placed + ways.seen @ self.counted - ways.to_itself * self.placed
        return self.price * said

    def add_to(self, cost: list[float], i: int, held: list[int]) -> None:
        """Add to the costs of sample i what its partners say."""
        price = self.price
        for j, weight in self.ways.weighted_partners[i]:
            cost[held[j]] += price * weight
        seen = self.ways.blocks_seen[i]
        if seen:
            for block, weight in seen:
                for cluster, tally in enumerate(self.tallies[block]):
                    if tally:
                        cost[cluster] += price * weight * tally
            cost[held[i]] -= price * self.ways.own_weight[i]

    def move(self, i: int, before: int, after: int) -> list[int]:
        """Let sample i leave one cluster for another; gives the samples that hear of it for the first time."""
        hear = [j for j, _ in self.ways.weighted_partners[i]]
        for block, share in self.ways.blocks_of[i]:
            tally = self.tallies[block]
            if before < self.k:
                tally[before] -= share
            tally[after] += share
            if block not in self.moved:
                self.moved.add(block)
                hear += [j for j, _ in self.ways.seen_by[block]]
        return hear


class HeardPairs:
    """As `HeardAlike`, where there are pairs alone."""

    def __init__(self, ways: Ways, price: float, held: NDArray, n_clusters: int) -> None:
        self.ways, self.price = ways, price
        self.placed = np.eye(n_clusters + 1)[held][:, :n_clusters]

    def all_at_once(self) -> NDArray:
        """(t, k) what is added to the costs of all samples before any has moved."""
        return self.price * (self.ways.pairs @ self.placed)

    def add_to(self, cost: list[float], i: int, held: list[int]) -> None:
        """Add to the costs of sample i what its partners say."""
        price = self.price
        for j, weight in self.ways.weighted_partners[i]:
            cost[held[j]] += price * weight

    def move(self, i: int, before: int, after: int) -> list[int]:
        """Sample i leaves one cluster for another; gives the samples that hear of it."""
        return self.ways.neighbours[i]


def _count(tally: list[float], numbers: NDArray, share: float) -> None:
    for f, number in enumerate(numbers.tolist()):
        tally[f] += share * number


def _with_nowhere(prices: NDArray) -> NDArray:
    """(e, k + 1) the prices with one more cluster, that of whoever is nowhere yet, which costs nothing."""
    return np.concatenate([prices, np.zeros((len(prices), 1))], axis=1)


def _rows(matrix: sparse.csr_array, values: Iterable) -> list[list[tuple]]:
    """The entries of each row: (column, value)."""
    pairs = list(zip(matrix.indices.tolist(), values))
    return [pairs[a:b] for a, b in pairwise(matrix.indptr.tolist())]
