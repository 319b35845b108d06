"""What links cost, and the order in which linked samples are updated so that they never make it worse together."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from cclab.core import LinkOperator, Problem
from cclab.maths.colour_classes import colour_classes
from cclab.maths.constraint_cache import of_constraints

# A group of more samples than this is updated in batches, not one sample after the other.
LARGEST_GROUP = 200
# Links of blocks are written out as pairs as long as there are at most so many.
MOST_PAIRS = 2_000_000
# How many batches a group is cut into, and how often one that would raise the cost is cut in two.
BATCHES, CUTS = 16, 4


class Shares(Protocol):
    """The touched samples' beliefs, as a sweep changes them.

    Attributes
    ----------
    a : (t, C) array
        How much of each sample is in each cluster.
    own : (t,) array
        What each sample costs by itself, links apart.
    link_weight : float
        The weight of the links' cost beside it.
    """

    a: NDArray
    own: NDArray
    link_weight: float

    def best(self, rows: NDArray, S: NDArray) -> Any:
        """The cheapest belief of these samples given their penalties; it has `a` and `own` as well."""

    def accept(self, rows: NDArray, belief: Any) -> None:
        """Let these samples believe it."""


class LinkSweep:
    """Must-links and cannot-links between clusters' shares, as a cost, and a sweep that lowers it.

    The cost of shares ``a`` (t, C) is the sum over must-links of ``a_i . (A_j - a_j)``, with ``A_j`` the sum of row
    j, and over cannot-links of ``a_i . a_j``. Its derivative by ``a_i`` is the *penalty* ``S_i`` (Eq. 18 of Abin and
    Beigy). Sample i itself has a part in it only where it stands for several samples of a group.

    Parameters
    ----------
    must, cannot : LinkOperator
    ties : (n, n) sparse array or None
        Weak must-links that belong to the data.
    rank : (n,) array
        Decides between samples that are equal as links go, so that their order in the data does not matter.

    Attributes
    ----------
    samples : (t,) int array
        All samples that a link touches, by rank.
    """

    def __init__(self, must: LinkOperator, cannot: LinkOperator, ties: sparse.csr_array | None, rank: NDArray) -> None:
        self._must, self._cannot = must, cannot
        touched = np.zeros(must.n_samples, dtype=bool)
        touched[must.samples] = touched[cannot.samples] = True
        if ties is not None:
            touched[ties.indices] = True
        samples = np.flatnonzero(touched)
        self.samples = samples[np.argsort(rank[samples], kind="stable")]
        self._place = np.zeros(must.n_samples, dtype=np.int64)
        self._place[self.samples] = np.arange(len(self.samples))
        self._ties = None if ties is None else ties[self.samples][:, self.samples]
        self._groups = [self._place[group] for group in _large_groups(must)]
        alone = all((links.blocks.data == 1).all() for links in (must, cannot))
        written_out = alone and not self._groups and _n_pairs(must) + _n_pairs(cannot) <= MOST_PAIRS
        self._classes = self._colours() if written_out else []
        self._batches = [] if written_out else self._cut()

    def _colours(self) -> list[tuple[NDArray, sparse.csr_array]]:
        """Samples that no link joins, class by class, each with its rows of the links written out."""
        at = self.samples
        must, cannot = (links.expanded()[at][:, at] for links in (self._must, self._cannot))
        if self._ties is not None:
            must = must + self._ties
        rows = sparse.hstack([must, cannot], format="csr")
        return [(members, rows[members]) for members in colour_classes(must + cannot)]

    def _cut(self) -> list[NDArray]:
        """Samples with few partners first, cut into batches; every group has some of its samples in each."""
        partners = np.zeros(len(self.samples))
        for links in (self._must, self._cannot):
            partners[self._place[links.samples]] += links.degree
        order = np.argsort(partners, kind="stable")
        return [order[start::BATCHES] for start in range(min(BATCHES, len(order)))]

    def penalty(self, a: NDArray) -> NDArray:
        """(t, C) what it costs each touched sample to be in each cluster, given the shares of all."""
        S = np.zeros_like(a)
        others = a.sum(axis=1, keepdims=True) - a
        for links, shares in ((self._must, others), (self._cannot, a)):
            at = self._place[links.samples]
            S[at] += links.apply(shares[at])
        if self._ties is not None:
            S += self._ties @ others
        return S

    def cost(self, a: NDArray) -> tuple[float, float]:
        """The cost of the must-links (ties among them) and of the cannot-links."""
        total = float(np.vdot(a, self.penalty(a))) / 2
        apart = a[self._place[self._cannot.samples]]
        cannot = float(np.vdot(apart, self._cannot.apply(apart))) / 2
        return total - cannot, cannot

    def sweep(self, shares: Shares) -> None:
        """Update all touched samples, each given what the others have become. Never raises the total cost."""
        if self._classes:
            for members, rows in self._classes:
                a = shares.a
                S = rows @ np.concatenate([a.sum(axis=1, keepdims=True) - a, a])
                shares.accept(members, shares.best(members, S))
            return
        for members in self._groups:
            self._move_together(shares, members)
        for members in self._batches:
            self._move_if_better(shares, members, CUTS)

    def _move_together(self, shares: Shares, members: NDArray) -> None:
        """Put a whole group into the one cluster where it is cheapest, if that is better than how it is.

        Sample by sample a group that is torn between two clusters would leave both before it settled in one.
        """
        options = []
        for cluster in range(shares.a.shape[1]):
            agreed = shares.a.copy()
            agreed[members] = np.eye(agreed.shape[1])[cluster]
            belief = shares.best(members, self.penalty(agreed)[members])
            options.append((self._change(shares, members, belief), cluster, belief))
        change, _, belief = min(options, key=lambda option: option[:2])
        if change < 0:
            shares.accept(members, belief)

    def _move_if_better(self, shares: Shares, members: NDArray, cuts: int) -> None:
        """Update samples all at once if that lowers the cost, else each half by itself, so often as `cuts` says."""
        belief = shares.best(members, self.penalty(shares.a)[members])
        if self._change(shares, members, belief) <= 0:
            shares.accept(members, belief)
        elif cuts and len(members) > 1:
            for half in np.array_split(members, 2):
                self._move_if_better(shares, half, cuts - 1)

    def _change(self, shares: Shares, members: NDArray, belief: Any) -> float:
        """By how much the total cost would change."""
        a = shares.a.copy()
        a[members] = belief.a
        links = sum(self.cost(a)) - sum(self.cost(shares.a))
        return float(belief.own.sum() - shares.own[members].sum() + shares.link_weight * links)


def link_sweep(problem: Problem) -> LinkSweep:
    """The sweep over all links and ties of a problem, worked out once for its constraints."""
    rank = problem.derived(("link sweep", "rank"), lambda: _rank(problem.X))
    ties = problem.derived(("link sweep", "ties"), lambda: _ties(problem.affinity))
    return of_constraints(problem, "link sweep", lambda known: LinkSweep(known.must, known.cannot, ties, rank))


def _ties(affinity: sparse.csr_array | None) -> sparse.csr_array | None:
    """The affinity made symmetric; nobody is tied to himself."""
    if affinity is None:
        return None
    ties = sparse.csr_array((affinity + affinity.T) / 2)
    ties.setdiag(0)
    ties.eliminate_zeros()
    return ties


def _rank(X: NDArray) -> NDArray:
    """(n,) the place of each sample in an order that depends on what it is, not on where it stands."""
    rank = np.empty(len(X), dtype=np.int64)
    rank[np.lexsort(X.T)] = np.arange(len(X))
    return rank


def _n_pairs(links: LinkOperator) -> float:
    """How many pairs the blocks of these links stand for."""
    sizes = np.diff(links.blocks.indptr)
    return float(sizes @ (links.coupling != 0) @ sizes)


def _large_groups(links: LinkOperator) -> list[NDArray]:
    """The members of each group that is too large to be updated sample by sample."""
    within = np.flatnonzero(links.coupling.diagonal())
    members = [links.samples[links.blocks.indices[slice(*links.blocks.indptr[b : b + 2])]] for b in within]
    return [group for group in members if len(group) > LARGEST_GROUP]
