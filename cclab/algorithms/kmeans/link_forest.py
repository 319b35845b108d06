"""Links in an order of priority, as the forest of those that have work to do.

A constrained k-means that goes through the links by priority assigns a sample at the first link that names it, and
never again. So which links do work depends on their order alone: with both ends new a link is a *root*; with one
new end it is the edge from an assigned parent to its *child*; else it is idle. At most one link a sample
works, and a sweep over the forest, level by level, gives exactly what the loop over all links gives.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cclab.core.sample_blocks import row_blocks

Array = NDArray


@dataclass(frozen=True, eq=False)
class Forest:
    """The links that have work to do.

    Attributes
    ----------
    n_links, n_working : int
        How many links there are, and how many of them do work.
    together, apart : (2, r) int arrays
        Root pairs, linked by must and by cannot.
    levels : tuple of (2, c) int arrays
        Children by cannot-link, each with the sample whose cluster it avoids; the parents in one array are assigned
        by the arrays before it.
    followers : (2, f) int array
        Children by must-link, each with the sample (a root, or a child by cannot-link) whose cluster it shares.
    """

    n_links: int
    n_working: int
    together: Array
    apart: Array
    levels: tuple[Array, ...]
    followers: Array

    @classmethod
    def grow(cls, i: Array, j: Array, must: Array, n_samples: int) -> Forest:
        """The forest of links ``(i[s], j[s])``, the one with the highest priority first.

        Examples
        --------
        >>> links = np.array([[0, 1], [1, 2], [0, 2], [2, 3]])
        >>> forest = Forest.grow(*links.T, must=np.array([True, False, True, True]), n_samples=5)
        >>> forest.together.tolist(), [level.tolist() for level in forest.levels], forest.followers.tolist()
        ([[0], [1]], [[[2], [1]]], [[3], [2]])
        """
        new_i, new_j = _first_named(i, j, n_samples)
        root, child = new_i & new_j, new_i ^ new_j
        pairs = np.stack([i[root], j[root]])
        roots_must, must = must[root], must[child]
        edges = np.where(new_i[child], [i[child], j[child]], [j[child], i[child]])  # children, parents

        # Must-links only hand a cluster on, so whoever follows can look at where the chain of them begins.
        leader, _ = _ultimate(_pointed_to(edges[:, must], n_samples))
        child, parent = edges[:, ~must]
        avoid = np.stack([child, leader[parent]])
        depth = _ultimate(_pointed_to(avoid, n_samples))[1][child]
        by_depth = avoid[:, np.argsort(depth, kind="stable")]
        levels = np.split(by_depth, np.cumsum(np.bincount(depth)[1:])[:-1], axis=1) if len(child) else ()
        follower = edges[0, must]
        return cls(
            n_links=len(root),
            n_working=pairs.shape[1] + edges.shape[1],
            together=pairs[:, roots_must],
            apart=pairs[:, ~roots_must],
            levels=tuple(map(np.ascontiguousarray, levels)),
            followers=np.stack([follower, leader[follower]]),
        )

    def assign(self, distances: Array) -> Array:
        """Assign every sample, working links first.

        Parameters
        ----------
        distances : (n, k) array
            Squared distances of all samples to the centres.

        Returns
        -------
        (n,) int array
            Clusters. A sample that no link names is in the nearest one.
        """
        nearest, second, distance = _two_nearest(distances)
        labels = nearest.copy()

        a, b = self.together
        labels[a] = labels[b] = np.where(distance[a] <= distance[b], nearest[a], nearest[b])

        a, b = self.apart
        gives_way = np.where(distance[a] <= distance[b], b, a)[nearest[a] == nearest[b]]
        labels[gives_way] = second[gives_way]

        for child, parent in self.levels:
            labels[child] = np.where(nearest[child] == labels[parent], second[child], nearest[child])

        child, leader = self.followers
        labels[child] = labels[leader]
        return labels


def _two_nearest(distances: Array) -> tuple[Array, Array, Array]:
    """(n,) each: the nearest centre, the second nearest (with one centre there is no other), the least distance."""
    n, k = distances.shape
    nearest, second, distance = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64), np.empty(n)
    for rows in row_blocks(n):
        block = distances[rows].copy()
        here, first = np.arange(len(block)), block.argmin(axis=1)
        nearest[rows], distance[rows] = first, block[here, first]
        if k > 1:
            block[here, first] = np.inf
        second[rows] = block.argmin(axis=1)
    return nearest, second, distance


def _first_named(i: Array, j: Array, n_samples: int) -> tuple[Array, Array]:
    """For each link, whether it is the first to name its one end, and its other."""
    ends = np.stack([i, j], axis=1).ravel()
    position = np.repeat(np.arange(len(i)), 2)
    first = np.empty(n_samples, dtype=np.int64)
    first[ends[::-1]] = position[::-1]  # the last to write is the first in order
    return first[i] == position[::2], first[j] == position[::2]


def _pointed_to(edges: Array, n_samples: int) -> Array:
    """(n,) the sample that each points to: itself where no edge leaves it."""
    target = np.arange(n_samples)
    target[edges[0]] = edges[1]
    return target


def _ultimate(target: Array) -> tuple[Array, Array]:
    """Where each sample gets to by following `target` to the end, and in how many steps; chains halve each time."""
    steps = (target != np.arange(len(target))).astype(np.int64)
    while True:
        further = target[target]
        if np.array_equal(further, target):
            return target, steps
        steps += steps[target]
        target = further
