"""MPCKMeans: links that cost something when broken, and teach how to measure distances [1]_.

Notation
--------
=========  ====================  =======================================================
paper      here                  meaning
=========  ====================  =======================================================
μ_h        ``V``                 centre of cluster h
A_h        ``metrics``           metric of cluster h (a single one where all share it)
l_i        ``labels``            the cluster of sample i
f_M, f_C   ``together, apart``   what a broken must-link, cannot-link costs
x', x''    ``span``              the samples farthest from each other under a metric
=========  ====================  =======================================================

References
----------
.. [1] M. Bilenko, S. Basu, R. J. Mooney, Integrating constraints and metric learning in semi-supervised clustering,
   ICML 2004.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cclab.algorithms.kmeans.greedy_assignment import LinkedSamples
from cclab.algorithms.kmeans.heard_links import Prices
from cclab.algorithms.kmeans.pckmeans import PCKMeans, neighbourhood_centers
from cclab.core import Gauge, Hard, LinkOperator, Problem
from cclab.core.parameters import choice, real
from cclab.maths.distances import squared_distances
from cclab.maths.lloyd import LloydState, cluster_means

# The least eigenvalue of a scatter, over the mean one: flat clusters have finite metrics.
FLATTEST = 1e-6
# How often to go on to the farthest sample in search of the two that are farthest apart.
WALKS = 10
# More features than this are not shown one by one.
SHOWN_FEATURES = 30


@dataclass(frozen=True, eq=False, kw_only=True)
class ClusterMetricsState(LloydState):
    """Centres, clusters, and how distances are measured.

    Attributes
    ----------
    metrics : (m, p, p) array
        One for each cluster, or a single one for all.
    """

    metrics: NDArray = field(repr=False)

    def gauges(self) -> tuple[Gauge, ...]:
        """How much each feature counts: the diagonal of the metric, over its mean."""
        p = self.metrics.shape[1]
        if p > SHOWN_FEATURES:
            return ()
        weights = np.diagonal(self.metrics, axis1=1, axis2=2)
        weights = weights / weights.mean(axis=1, keepdims=True)
        names = tuple(f"feature {f + 1}" for f in range(p))
        if len(weights) == 1:
            return (Gauge("Weights of features", names, tuple(weights[0].tolist())),)
        return tuple(
            Gauge(f"Weight of {name}", tuple(f"cluster {h + 1}" for h in range(len(weights))), tuple(column), True)
            for name, column in zip(names, weights.T.tolist())
        )


@dataclass(eq=False, repr=False, kw_only=True)
class MPCKMeans(PCKMeans):
    """K-means with a price on broken links, in a metric that is learned from links and clusters.

    Parameters
    ----------
    metric : {"single", "per cluster"}
        Whether all clusters share one metric, or each has its own.
    shape : {"diagonal", "full"}
        Whether a metric weighs features, or may turn them too.
    penalty : float
        What a broken link counts for beside the squared distance from a centre; 1 as published.
    prior : float
        Each metric is learned as if its cluster had so many samples more, scattered as all clusters are on average.

    Notes
    -----
    Eq. (4) of [1]_, with sums over broken links, each times its weight and `penalty`::

        J = sum_i w_i (|x_i - v_{l_i}|^2_{A_{l_i}} - log det A_{l_i}) + sum_M f_M(i, j) + sum_C f_C(i, j)
        f_M(i, j) = |x_i - x_j|^2 under the metrics of both clusters, averaged                   (5)
        f_C(i, j) = |x' - x''|^2 - |x_i - x_j|^2 under the metric of the cluster                 (6)

    A far must-link and a near cannot-link are dear when broken: that is what teaches the metric. A step moves the
    centres, learns the metrics (Eq. 8), and goes through the samples as `PCKMeans` does.

    Three things are not as published. The samples that are farthest apart, x' and x'', are looked for by walking from
    the outermost sample to the one farthest from it, and on from there, in place of a search through all pairs.
    Broken cannot-links enter Eq. (8) with a matrix that may have negative eigenvalues: these are left out before
    the inverse is taken, not after. And small clusters would have metrics without bounds: see `prior`; 0 is as
    published.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> side = np.arange(60) % 2
    >>> X = np.column_stack([side + 0.2 * rng.normal(size=60), 10 * rng.normal(size=60)])
    >>> pairs = rng.permutation(60).reshape(-1, 2)
    >>> same = side[pairs[:, 0]] == side[pairs[:, 1]]
    >>> model = MPCKMeans(2, random_state=0).fit(X, must_link=pairs[same], cannot_link=pairs[~same])
    >>> bool(model.state_.metrics[0, 0, 0] > 10 * model.state_.metrics[0, 1, 1])
    True
    """

    accepts_sparse = False
    accepts_chunks = False
    # The pair that is farthest apart depends on the metric, and negative eigenvalues are left out of its update.
    descends = False
    ancestor = None
    parameters = {"metric": choice("single", "per cluster"), "shape": choice("diagonal", "full"), "prior": real(0)}

    max_iter: int = 100
    metric: str = "single"
    shape: str = "diagonal"
    prior: float = 1.0

    def start(self, problem: Problem, restart: int = 0) -> ClusterMetricsState:
        V = neighbourhood_centers(problem, self._linked(problem), self.n_clusters, self.init, restart)
        n_metrics = 1 if self.metric == "single" else self.n_clusters
        metrics = np.broadcast_to(
            np.eye(problem.n_features) / problem.spread**2, (n_metrics,) + 2 * (problem.n_features,)
        )
        return self._measured_at(problem, V, metrics, previous=None, restart=restart)

    def step(self, problem: Problem, state: ClusterMetricsState) -> ClusterMetricsState:
        V = cluster_means(problem.X, state.labels, problem.weights, state.centers)
        metrics = self._learned(problem, V, state)
        return self._measured_at(problem, V, metrics, previous=state.labels, **state.progress_to(V, problem.spread))

    def _measured_at(
        self,
        problem: Problem,
        V: NDArray,
        metrics: NDArray,
        previous: NDArray | None,
        restart: int,
        iteration: int = 0,
        **progress: Any,
    ) -> ClusterMetricsState:
        linked, w, k = self._linked(problem), problem.weights, self.n_clusters
        d = _log_distances(problem.X, V, metrics)
        labels = d.argmin(axis=1)
        order = problem.rng(restart, iteration).permutation(len(linked.samples))
        links = MeasuredLinks.of(problem, linked, metrics, k)
        before = None if previous is None else previous[linked.samples]
        own = w[linked.samples, None] * d[linked.samples]

        def total(labels: NDArray) -> float:
            return own[np.arange(len(labels)), labels].sum() + self.penalty * sum(links.broken(labels))

        costs = own + self.penalty * links.due()
        labels[linked.samples] = linked.renew(costs, links.prices(self.penalty), order, before, total)
        must, cannot = links.broken(labels[linked.samples])
        terms = {
            "distances": float(w @ d[np.arange(len(w)), labels]),
            "must-links": self.penalty * must,
            "cannot-links": self.penalty * cannot,
        }
        return ClusterMetricsState(
            centers=V,
            labels=labels,
            metrics=metrics,
            objective=sum(terms.values()),
            terms=terms,
            restart=restart,
            iteration=iteration,
            **progress,
        )

    def _learned(self, problem: Problem, V: NDArray, state: ClusterMetricsState) -> NDArray:
        """(m, p, p) the metrics that suit the clusters and the broken links best (Eq. 8)."""
        w, labels, k, linked = problem.weights, state.labels, self.n_clusters, self._linked(problem)
        sizes = np.bincount(labels, w, minlength=k)
        off = problem.X - V[labels]
        members = [np.flatnonzero(labels == h) for h in range(k)]
        scatters = np.array([(w[m, None] * off[m]).T @ off[m] for m in members])
        from_links = self.penalty * np.array(
            [
                _broken_scatter(problem.X, linked, labels, h, state.metrics[min(h, len(state.metrics) - 1)])
                for h in range(k)
            ]
        )
        pooled = scatters.sum(axis=0) / sizes.sum()
        if self.metric == "single":
            S, counts = (scatters + from_links).sum(axis=0)[None], sizes.sum(keepdims=True)
        else:
            S, counts = scatters + from_links + self.prior * pooled, sizes + self.prior
        if self.shape == "diagonal":
            S = S * np.eye(problem.n_features)
        return np.array([_inverse(s, n, before) for s, n, before in zip(S, counts, state.metrics)])

    def believe(self, X: NDArray, state: ClusterMetricsState) -> Hard:
        return Hard(_log_distances(X, state.centers, state.metrics).argmin(axis=1), len(state.centers))


@dataclass(frozen=True, eq=False)
class MeasuredLinks:
    """Links as they cost under each cluster's metric, without a look at every pair.

    The squared distance of samples i and j under the metric of cluster l is ``own[i, l] . others[j, l]``, a product of
    p + 2 numbers, so that partners can be added up by the link operators.

    Attributes
    ----------
    linked : LinkedSamples
    own, others : (t, k, p + 2) arrays
    spans : (k,) array
        Squared distance of the samples that are farthest apart, under each cluster's metric.
    """

    linked: LinkedSamples
    own: NDArray
    others: NDArray
    spans: NDArray

    @classmethod
    def of(cls, problem: Problem, linked: LinkedSamples, metrics: NDArray, n_clusters: int) -> MeasuredLinks:
        """The links between these samples, measured."""
        roots = _roots(metrics)
        t, p = len(linked.samples), problem.n_features
        X = problem.X[linked.samples] - problem.X.mean(axis=0)
        Z = np.einsum("ip,mpq->imq", X, roots)
        q, one = (Z**2).sum(axis=2, keepdims=True), np.ones((t, len(metrics), 1))
        own, others = np.concatenate([q, one, -2 * Z], axis=2), np.concatenate([one, q, Z], axis=2)
        spans = np.zeros(len(metrics))
        if linked.cannot:
            spans = np.array([_span(problem.X @ R) for R in roots])
        shape = (t, n_clusters, p + 2)
        return cls(
            linked, np.broadcast_to(own, shape), np.broadcast_to(others, shape), np.broadcast_to(spans, n_clusters)
        )

    def due(self) -> NDArray:
        """(t, k) half of what all must-links of a sample would cost if they were broken, under each metric.

        With the half of the partner's metric, which is the same wherever the sample goes, that is f_M; `prices` takes
        it back for the partners in the cluster.
        """
        k = self.own.shape[1]
        sums = [self.linked.must.apply(np.ascontiguousarray(self.others[:, c])) for c in range(k)]
        return np.stack([np.einsum("if,if->i", self.own[:, c], sums[c]) for c in range(k)], axis=1) / 2

    def prices(self, penalty: float) -> tuple[Prices, Prices]:
        """What partners in a cluster take off its cost, or add to it."""
        return Prices(-penalty * self.own, self.others), Prices(penalty * self._nearness, self.others)

    @property
    def _nearness(self) -> NDArray:
        """(t, k, p + 2) as `own`, for f_C: the span less the squared distance."""
        nearness = -self.own
        nearness[:, :, 0] += self.spans
        return nearness

    def broken(self, labels: NDArray) -> tuple[float, float]:
        """What the broken must-links and the broken cannot-links cost; `labels` (t,) of the linked samples."""
        must = cannot = 0.0
        nearness = self._nearness
        for c in np.unique(labels):
            inside = labels == c
            within, without = (np.where(side[:, None], self.others[:, c], 0.0) for side in (inside, ~inside))
            must += np.vdot(self.own[inside, c], self.linked.must.apply(without)[inside]) / 2
            cannot += np.vdot(nearness[inside, c], self.linked.cannot.apply(within)[inside]) / 2
        return float(must), float(cannot)


def _broken_scatter(X: NDArray, linked: LinkedSamples, labels: NDArray, cluster: int, metric: NDArray) -> NDArray:
    """(p, p) what the broken links of a cluster add to its scatter; the sums over links in Eq. (8)."""
    must, cannot = linked.known.must, linked.known.cannot
    total = np.zeros(2 * X.shape[1:])
    if must:
        inside = (labels[must.samples] == cluster).astype(float)
        total += _link_scatter(must, X[must.samples], inside, 1 - inside) / 2
    inside = (labels[cannot.samples] == cluster).astype(float)
    weight = inside @ cannot.apply(inside) / 2 if cannot else 0.0
    if weight:
        span = np.subtract(*X[list(_farthest(X @ _roots(metric[None])[0]))])
        apart = weight * np.outer(span, span) - _link_scatter(cannot, X[cannot.samples], inside, inside) / 2
        values, vectors = np.linalg.eigh(apart)
        total += (vectors * np.maximum(values, 0)) @ vectors.T
    return total


def _link_scatter(links: LinkOperator, X: NDArray, a: NDArray, b: NDArray) -> NDArray:
    """(p, p) sum over samples i, j of ``weight_ij a_i b_j (x_i - x_j) (x_i - x_j)'``."""
    X = X - X.mean(axis=0)
    own = X.T @ ((a * links.apply(b) + b * links.apply(a))[:, None] * X)
    cross = (a[:, None] * X).T @ links.apply(b[:, None] * X)
    return own - cross - cross.T


def _inverse(scatter: NDArray, count: float, before: NDArray) -> NDArray:
    """(p, p) the metric ``count * inv(scatter)``; as it was where there is no scatter to learn from."""
    values, vectors = np.linalg.eigh(scatter)
    if values.max() <= 0 or count <= 0:
        return before
    values = np.maximum(values, FLATTEST * values.mean())
    return count * (vectors / values) @ vectors.T


def _roots(metrics: NDArray) -> NDArray:
    """(m, p, p) matrices R with ``R @ R.T`` the metrics: in ``X @ R`` distances are Euclidean."""
    values, vectors = np.linalg.eigh(metrics)
    return vectors * np.sqrt(np.maximum(values, 0))[:, None, :]


def _log_distances(X: NDArray, V: NDArray, metrics: NDArray) -> NDArray:
    """(n, k) squared distances under each cluster's metric, less the logarithm of its determinant."""
    roots, volumes = _roots(metrics), np.linalg.slogdet(metrics)[1]
    if len(metrics) == 1:
        return squared_distances(X @ roots[0], V @ roots[0]) - volumes[0]
    columns = [squared_distances(X @ R, (v @ R)[None])[:, 0] for v, R in zip(V, roots)]
    return np.stack(columns, axis=1) - volumes


def _span(Z: NDArray) -> float:
    """Squared distance of the two samples that are farthest apart."""
    i, j = _farthest(Z)
    return float(((Z[i] - Z[j]) ** 2).sum())


def _farthest(Z: NDArray) -> tuple[int, int]:
    """Two samples far from each other: from the outermost on to the farthest from it, as long as that is farther."""
    j, away = int(((Z - Z.mean(axis=0)) ** 2).sum(axis=1).argmax()), -1.0
    i = j
    for _ in range(WALKS):
        distances = ((Z - Z[j]) ** 2).sum(axis=1)
        farther = int(distances.argmax())
        if distances[farther] <= away:
            break
        i, j, away = j, farther, distances[farther]
    return i, j
