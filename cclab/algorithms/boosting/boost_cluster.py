"""BoostCluster: each round looks at the data from where the links that were broken show best [1]_.

Notation
--------
=========  ======================  ================================================================
paper      here                    meaning
=========  ======================  ================================================================
S+, S-     ``links.weight``        must-links and cannot-links
K          ``log_priorities``      the kernel so far, at the links
p, q       ``T``                   priorities of must-links (+) and cannot-links (-)
P          ``directions``          the projection
Δ          ``labels``              which samples a round puts together
α          ``importance``          how much the round counts
s          ``n_components``        how many directions
=========  ======================  ================================================================

References
----------
.. [1] Y. Liu, R. Jin, A. K. Jain, BoostCluster: boosting clustering by pairwise constraints, KDD 2007.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.cluster import KMeans

from cclab.algorithms.boosting.rounds import Round, _BoostingSolver, centred, log_mean, shares
from cclab.core import Problem
from cclab.core.parameters import whole
from cclab.maths.link_table import LinkTable


@dataclass(eq=False, repr=False, kw_only=True)
class BoostCluster(_BoostingSolver):
    """Boosting of plain k-means by projections in which the links that matter most are respected.

    Parameters
    ----------
    n_components : int or None
        How many directions a round projects on (s); None: all that must-links agree with more than cannot-links do.

    Notes
    -----
    With K the kernel so far, must-links have priorities ``exp(-K)`` and cannot-links ``exp(K)``, each normalised. A
    round takes the leading eigenvectors of ``X' T X``, with T the priorities of must-links less those of cannot-links,
    times the roots of their eigenvalues, and gives what it sees there to k-means. What it puts together enters K times
    ``α = 1/2 log (A / B)``: A is the chance that a must-link and a cannot-link, drawn by their priorities, are both
    respected, B that both are broken. The loss, the product of the two sums of priorities, falls by ``1 - (sqrt(A) -
    sqrt(B))^2``. A and B get a little added, so that α stays finite.

    Where there are no must-links each sample counts as linked with itself; where there are no cannot-links their part
    of the loss is left out. K is never made: see `cclab.maths.ensemble.ensemble_labels`.

    Examples
    --------
    >>> X = np.array([[0.0, 0.0], [0.2, 4.0], [1.0, 4.1], [1.2, 0.1]])
    >>> model = BoostCluster(2, random_state=0).fit(X, must_link=[[0, 1], [2, 3]], cannot_link=[[0, 3], [1, 2]])
    >>> model.labels_[0] == model.labels_[1] != model.labels_[2] == model.labels_[3]
    np.True_
    """

    # Each round that is kept lowers the exponential loss, by how its importance is chosen.
    descends = True
    ancestor = None
    parameters = {"n_components": whole(1, or_none=True)}

    n_components: int | None = None

    def weak(self, problem: Problem, log_priorities: NDArray | None, rng: np.random.Generator) -> Round | None:
        X = centred(problem)
        if log_priorities is not None:
            seen = self._seen(X, self.links(problem), log_priorities, rng)
            if seen is None:
                return None
            X = seen
        seed = int(rng.integers(np.iinfo(np.int32).max))
        if len(np.unique(X, axis=0)) < self.n_clusters:
            return Round(np.unique(X, axis=0, return_inverse=True)[1].ravel().astype(np.int64))
        return Round(KMeans(self.n_clusters, n_init=1, random_state=seed).fit(X).labels_.astype(np.int64))

    def _seen(self, X: NDArray, links: LinkTable, log_ρ: NDArray, rng: np.random.Generator) -> NDArray | None:
        """(n, s) the samples in the round's projection, or None where no direction is worth it."""
        signed = np.zeros(len(links))
        for kind, sign in ((links.must, 1.0), (~links.must, -1.0)):
            signed[kind] = sign * shares(log_ρ[kind])
        ends, which = np.unique(np.concatenate([links.i, links.partners(rng)]), return_inverse=True)
        i, j = np.split(which, 2)
        T = sparse.csr_array((signed, (i, j)), shape=(len(ends), len(ends)))
        linked, turn = X[ends], None
        if X.shape[1] > len(ends):
            # Only directions that linked samples span can matter.
            turn, R = np.linalg.qr(linked.T)
            linked = R.T
        G = linked.T @ (T @ linked)
        values, directions = np.linalg.eigh((G + G.T) / 2)
        kept = np.flatnonzero(values > 1e-9 * np.abs(values).max())[::-1][: self.n_components]
        if not len(kept):
            return None
        directions = directions if turn is None else turn @ directions
        return X @ (directions[:, kept] * np.sqrt(values[kept] / values[kept[0]]))

    def importance_of(self, links: LinkTable, log_priorities: NDArray, together: NDArray) -> float:
        must = links.must
        kept = float(shares(log_priorities[must]) @ together[must]) if must.any() else 1.0
        apart = float(shares(log_priorities[~must]) @ (1 - together[~must])) if not must.all() else 1.0
        little = 1 / (2 * len(links))
        return float(0.5 * np.log((kept * apart + little) / ((1 - kept) * (1 - apart) + little)))

    def loss(self, links: LinkTable, log_priorities: NDArray, importance: NDArray) -> float:
        must = links.must
        together = log_mean(log_priorities[must], links.weight[must]) if must.any() else -importance.sum()
        return float(np.exp(together + log_mean(log_priorities[~must], links.weight[~must])))
