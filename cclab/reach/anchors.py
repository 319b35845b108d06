"""The anchored graph: what is known of some samples, carried on to their neighbours, and theirs, and so on.

Samples that statements are about are *anchors*. A random walk from any sample over its nearest neighbours ends at an
anchor; the shares of walks that end at each are harmonic on the graph [1]_. Here a walk may also be lost on the way,
so that far from all anchors little is said.

References
----------
.. [1] X. Zhu, Z. Ghahramani, J. Lafferty, Semi-supervised learning using Gaussian fields and harmonic functions,
   ICML 2003.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.neighbors import kneighbors_graph

from cclab.core import ConstraintSet, Problem

#: Who says what follows from the graph.
SOURCE = "reach"
#: Neighbours of each sample.
NEIGHBOURS = 10
#: The share of walks that go on at each step.
GOES_ON = 0.9
#: Steps of a walk; after so many, one in twenty is still under way.
STEPS = 30
#: The largest number of samples times anchors: a table of so many numbers is kept.
MOST_ENTRIES = 20_000_000
#: Below this share an anchor says nothing.
LEAST_SHARE = 0.3


def too_large(problem: Problem) -> bool:
    """Whether the table of shares would not fit."""
    anchors = min(int(problem.constraints.constrained.sum()), 2 * len(problem.constraints) + 1)
    return problem.n_samples * anchors > MOST_ENTRIES


def neighbour_graph(X: NDArray) -> sparse.csr_array:
    """(n, n) the probability of each step of a walk."""
    n = len(X)
    graph = sparse.csr_array(kneighbors_graph(X, min(NEIGHBOURS, n - 1), mode="distance"))
    width = np.median(graph.data) or 1.0
    graph.data = np.exp(-((graph.data / width) ** 2) / 2)
    graph = graph.maximum(graph.T)
    total = graph.sum(axis=1)
    # A sample that is far from all others goes nowhere.
    return sparse.csr_array(sparse.diags_array(np.divide(1, total, out=np.zeros_like(total), where=total > 0)) @ graph)


def absorbed(walk: sparse.csr_array, anchor_of: NDArray[np.int64]) -> NDArray:
    """(n, m) the share of walks from each sample that end at each of the anchors.

    Parameters
    ----------
    walk : (n, n) sparse array
        The probability of each step.
    anchor_of : (n,) int array
        The anchor that each sample is (part of), -1 for all others.
    """
    at = np.flatnonzero(anchor_of >= 0)
    ends = np.zeros((len(anchor_of), int(anchor_of.max(initial=-1)) + 1))
    ends[at, anchor_of[at]] = 1.0
    shares = ends
    for _ in range(STEPS):
        shares = GOES_ON * (walk @ shares)
        shares[at] = ends[at]
    return shares


def with_anchored_links(known: ConstraintSet, X: NDArray) -> ConstraintSet:
    """What is known, and for each other sample a soft must-link to the anchor at which most of its walks end.

    Samples that must-links join are one anchor. The link is to its member nearest to the mean, and as certain as the
    share of walks that end there.
    """
    linked = np.zeros(known.n_samples, dtype=bool)
    linked[known.must.samples] = linked[known.cannot.samples] = True
    if not linked.any() or linked.all():
        return known
    samples = np.flatnonzero(linked)
    anchor_of = np.full(known.n_samples, -1)
    _, anchor_of[samples] = np.unique(known.must_components[samples], return_inverse=True)
    shares = absorbed(neighbour_graph(X), anchor_of)
    free = np.flatnonzero(~linked)
    best = shares[free].argmax(axis=1)
    share = shares[free, best]
    sure = share > LEAST_SHARE
    pairs = np.stack([free, _middles(X, anchor_of, samples)[best]], axis=1)[sure]
    return known.with_must_link(pairs, weight=np.minimum(share[sure], 1.0), source=SOURCE) if sure.any() else known


def with_harmonic_labels(known: ConstraintSet, X: NDArray) -> ConstraintSet:
    """What is known, and for each other sample the label at which most of its walks end, as certain as their share."""
    labels = known.labels
    definite = np.where(
        labels.closed & (labels.degrees.lengths == 1), labels.degrees.items[labels.degrees.indptr[:-1]], -1
    )
    told = labels.sample[definite >= 0]
    if not len(told):
        return known
    names, number = np.unique(definite[definite >= 0], return_inverse=True)
    anchor_of = np.full(known.n_samples, -1)
    anchor_of[told] = number
    shares = absorbed(neighbour_graph(X), anchor_of)
    free = np.setdiff1d(np.arange(known.n_samples), labels.sample)
    best = shares[free].argmax(axis=1)
    share = shares[free, best]
    sure = share > LEAST_SHARE
    if not sure.any():
        return known
    carried = dict(zip(free[sure].tolist(), names[best[sure]].tolist()))
    return known.with_labels(carried, weight=np.minimum(share[sure], 1.0), source=SOURCE)


def _middles(X: NDArray, anchor_of: NDArray, samples: NDArray) -> NDArray[np.int64]:
    """The member of each anchor that is nearest to its mean."""
    anchor = anchor_of[samples]
    m = int(anchor.max()) + 1
    choose = sparse.csr_array((np.ones(len(samples)), (anchor, np.arange(len(samples)))), shape=(m, len(samples)))
    means = (choose @ X[samples]) / np.bincount(anchor)[:, None]
    off = ((X[samples] - means[anchor]) ** 2).sum(axis=1)
    order = np.lexsort((off, anchor))
    first = np.concatenate([[0], np.flatnonzero(np.diff(anchor[order])) + 1])
    return samples[order[first]]
