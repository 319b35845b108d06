"""KernelBoost: constrained Gaussian mixtures, boosted into a kernel [1]_.

Notation
--------
=========  ======================  ================================================================
paper      here                    meaning
=========  ======================  ================================================================
W          ``log_priorities``      priorities of the links
w          ``weights``             what each sample counts in a round's mixture
K̃_t        ``Round``               a round's kernel: of how sure it is, for samples of one component
r_t        ``r``                   by how much a round's kernel agrees with the links
α_t        ``importance``          how much the round counts
λ          ``decay``               how fast samples without links lose weight
=========  ======================  ================================================================

References
----------
.. [1] T. Hertz, A. Bar-Hillel, D. Weinshall, Learning a kernel function for classification with small training samples,
   ICML 2006.
.. [2] N. Shental, A. Bar-Hillel, T. Hertz, D. Weinshall, Computing Gaussian mixture models with EM using equivalence
   constraints, NIPS 2003.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse
from scipy.sparse.csgraph import connected_components
from scipy.special import logsumexp
from sklearn.cluster import kmeans_plusplus

from cclab.algorithms.boosting.rounds import Round, _BoostingSolver, centred, log_mean, shares
from cclab.core import Problem
from cclab.core.arrays import readonly
from cclab.core.parameters import real, whole
from cclab.maths.distances import squared_distances
from cclab.maths.link_table import LinkTable

# A component keeps this share of its samples apart from one whose cannot-linked partner is sure to be in it.
LEAST = 1e-3
# Added to all variances, as a share of those of the data.
RIDGE = 1e-6


@dataclass(eq=False, repr=False, kw_only=True)
class KernelBoost(_BoostingSolver):
    """Boosting of Gaussian mixtures that hear some of the links, those that were broken before above all.

    Parameters
    ----------
    max_sweeps : int
        How many steps of expectation maximisation a round makes at most.
    decay : float
        How fast samples without links lose weight from round to round (λ).
    n_components : int
        On how many leading principal components, at most, the mixtures work.

    Notes
    -----
    A round draws links by their priorities, as many as there are, with replacement. Samples that its must-links join
    are a *chunklet*, whose samples all come from one component [2]_; a cannot-link lowers the chance of a component by
    how likely the partner is to be in it. Samples count in the mixture by the priorities of their links; those of none
    lose weight by ``exp(-λ α)`` a round. The round's kernel of two samples is the root of the product of the
    probabilities of their likeliest components, where that is the same one, and else 0. With ``r`` the priorities of
    must-links times the kernel less those of cannot-links, the round counts by ``α = 1/2 log ((1 + r) / (1 - r))`` and
    priorities change by ``exp(-α y K)``: the sum of all priorities, which is the objective, falls by at least ``sqrt(1
    - r^2)``.

    Departures: must-links and cannot-links have half of the priority each at first, since the latter are far more;
    links are drawn, since [1]_ does not say how priorities enter the mixture; covariances are shrunk to that of all
    components, and features are standardised and reduced, so that no component collapses.

    Examples
    --------
    >>> X = np.array([[0.0, 0.0], [0.1, 2.0], [0.0, 4.0], [1.0, 4.1], [1.1, 2.0], [1.0, 0.1]])
    >>> model = KernelBoost(2, random_state=0).fit(X, must_link=[[0, 2], [3, 5]], cannot_link=[[0, 5], [2, 3]])
    >>> model.labels_[0] == model.labels_[2] != model.labels_[3] == model.labels_[5]
    np.True_
    """

    # Each round that is kept lowers the sum of priorities, by how its importance is chosen.
    descends = True
    parameters = {"max_sweeps": whole(1), "decay": real(0), "n_components": whole(1)}

    max_sweeps: int = 10
    decay: float = 1.0
    n_components: int = 20

    def first_priorities(self, links: LinkTable) -> NDArray:
        log_ρ = np.log(links.weight)
        for kind in (links.must, ~links.must):
            if kind.any():
                log_ρ[kind] -= np.log(links.weight[kind].sum())
        return log_ρ

    def weak(self, problem: Problem, log_priorities: NDArray | None, rng: np.random.Generator) -> Round:
        X, n = self._features(problem), problem.n_samples
        unit, apart, weights = np.arange(n), sparse.csr_array((n, n)), np.ones(n)
        if log_priorities is not None:
            links = self.links(problem)
            ρ, partners = shares(log_priorities), links.partners(rng)
            heard = rng.random(len(links)) < -np.expm1(-len(links) * ρ)
            unit, apart = chunklets(links, partners, heard, n)
            weights = self._weights(links, partners, log_priorities, n)
        return _map_round(X, fitted_mixture(X, weights, unit, apart, self.n_clusters, self.max_sweeps, rng))

    def _weights(self, links: LinkTable, partners: NDArray, log_ρ: NDArray, n: int) -> NDArray:
        """(n,) what each sample counts: half for all alike, fading, and half by the priorities of its links."""
        ρ = np.exp(log_ρ - log_ρ.max())
        by_links = np.bincount(np.concatenate([links.i, partners]), np.tile(ρ, 2), minlength=n)
        # The sum of priorities has fallen by the rounds so far, and with it what samples without links count.
        faded = float(np.exp(self.decay * min(log_mean(log_ρ, np.ones(1)), 0.0)))
        weights = faded + by_links / by_links.sum() * n
        return weights / weights.mean()

    def _features(self, problem: Problem) -> NDArray:
        """(n, q) leading principal components of the standardised samples."""

        def make() -> NDArray:
            X = centred(problem)
            deviation = X.std(axis=0)
            Z = X / np.where(deviation > 1e-9 * deviation.max(initial=0), deviation, np.inf)
            left, sizes, _ = np.linalg.svd(Z, full_matrices=False)
            kept = np.flatnonzero(sizes > 1e-9 * max(float(sizes.max()), 1e-300))[: self.n_components]
            return readonly((left * sizes)[:, kept]) if len(kept) else readonly(np.zeros((len(Z), 1)))

        return problem.derived(("boosting: principal components", self.n_components), make)

    def importance_of(self, links: LinkTable, log_priorities: NDArray, together: NDArray) -> float:
        r = float(shares(log_priorities) @ np.where(links.must, together, -together))
        little = 1 / (2 * len(links))
        return float(0.5 * np.log((1 + r + little) / (1 - r + little)))

    def loss(self, links: LinkTable, log_priorities: NDArray, importance: NDArray) -> float:
        return float(np.exp(log_mean(log_priorities, np.exp(self.first_priorities(links)))))


# ---------------------------------------------------------------------- the mixture


@dataclass(frozen=True, eq=False)
class Mixture:
    """Gaussian components.

    Attributes
    ----------
    log_shares : (m,) array
    means : (m, q) array
    roots : (m, q, q) array
        Cholesky factors of the covariances.
    """

    log_shares: NDArray
    means: NDArray
    roots: NDArray

    def log_densities(self, X: NDArray) -> NDArray:
        """(n, m) of each sample in each component."""
        found = np.empty((len(X), len(self.means)))
        for m, (mean, root) in enumerate(zip(self.means, self.roots)):
            z = linalg.solve_triangular(root, (X - mean).T, lower=True)
            found[:, m] = -0.5 * (z**2).sum(axis=0) - np.log(np.diagonal(root)).sum()
        return found


def chunklets(links: LinkTable, partners: NDArray, heard: NDArray, n: int) -> tuple[NDArray, sparse.csr_array]:
    """(n,) the chunklet of each sample, and between which of these cannot-links are heard."""
    must, cannot = heard & links.must, heard & ~links.must
    graph = sparse.csr_array((np.ones(must.sum()), (links.i[must], partners[must])), shape=(n, n))
    u, unit = connected_components(graph, directed=False)
    a, b = unit[links.i[cannot]], unit[partners[cannot]]
    between = a != b
    ends = np.concatenate([a[between], b[between]]), np.concatenate([b[between], a[between]])
    apart = sparse.csr_array((np.ones(len(ends[0])), ends), shape=(u, u))
    apart.data[:] = 1.0
    return unit, apart


def fitted_mixture(
    X: NDArray,
    weights: NDArray,
    unit: NDArray,
    apart: sparse.csr_array,
    n_clusters: int,
    max_sweeps: int,
    rng: np.random.Generator,
) -> Mixture:
    """A mixture after some steps of expectation maximisation, from centres drawn by k-means++."""
    n, u = len(X), int(unit.max()) + 1
    members = sparse.csr_array((np.ones(n), (unit, np.arange(n))), shape=(u, n))
    sizes = members @ np.ones(n)
    seed = int(rng.integers(np.iinfo(np.int32).max))
    V, _ = kmeans_plusplus(np.array(X), n_clusters, sample_weight=weights, random_state=seed)
    means = members @ X / sizes[:, None]
    R = np.eye(n_clusters)[squared_distances(means, V).argmin(axis=1)]
    mixture = _maximised(X, weights, R[unit])
    before = -np.inf
    for _ in range(max_sweeps):
        log_p = members @ mixture.log_densities(X) + mixture.log_shares
        if apart.nnz:
            # As far as the partners are likely to be in a component.
            log_p += apart @ np.log(np.maximum(1 - R, LEAST))
        total = logsumexp(log_p, axis=1, keepdims=True)
        R = np.exp(log_p - total)
        mixture = _maximised(X, weights, R[unit])
        if total.sum() - before < 1e-4 * n and not apart.nnz:
            break
        before = float(total.sum())
    return mixture


def _maximised(X: NDArray, weights: NDArray, R: NDArray) -> Mixture:
    """The likeliest components for these memberships; their covariances shrunk to the common one."""
    q = X.shape[1]
    A = R * weights[:, None]
    counts = A.sum(axis=0)
    share = (counts + 1) / (counts + 1).sum()
    overall = weights @ X / weights.sum()
    means = (A.T @ X + overall) / (counts + 1)[:, None]
    scatters = np.stack([((X - v).T * a) @ (X - v) for v, a in zip(means, A.T)])
    variances = np.maximum(((X - overall) ** 2).mean(axis=0), 1e-12)
    common = (scatters.sum(axis=0) + (q + 1) * np.diag(variances)) / (weights.sum() + q + 1)
    covariances = (scatters + (q + 1) * common) / (counts + q + 1)[:, None, None]
    covariances += RIDGE * np.diag(variances)
    return Mixture(np.log(share), means, np.linalg.cholesky(covariances))


def _map_round(X: NDArray, mixture: Mixture) -> Round:
    """The likeliest component of each sample by itself, and how likely it is."""
    log_p = mixture.log_densities(X) + mixture.log_shares
    labels = log_p.argmax(axis=1)
    sure = np.exp(log_p[np.arange(len(X)), labels] - logsumexp(log_p, axis=1))
    return Round(labels, np.minimum(sure, 1.0).astype(np.float32))
