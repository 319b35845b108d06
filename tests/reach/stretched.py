"""Three clouds that a feature without meaning hides: what links say about some samples holds for all."""

import numpy as np

from cclab.core import ConstraintSet


def stretched(n=150, seed=0):
    """(n, 3) samples whose first feature tells the clusters apart and whose second, much wider, says nothing."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % 3
    X = rng.normal(size=(n, 3)) * [0.4, 6.0, 0.4]
    X[:, 0] += 3.0 * truth
    X[:, 2] += 2.0 * (truth == 1)
    return X, truth


def known_about(truth, m, seed=0, source="code"):
    """Links between `m` random pairs of samples, as the truth has them."""
    rng = np.random.default_rng(seed)
    pairs = np.array([rng.choice(len(truth), 2, replace=False) for _ in range(m)])
    same = truth[pairs[:, 0]] == truth[pairs[:, 1]]
    known = ConstraintSet(len(truth)).with_must_link(pairs[same], source=source)
    return known.with_cannot_link(pairs[~same], source=source)
