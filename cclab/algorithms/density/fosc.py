"""Semi-supervised HDBSCAN: of all clusters in a hierarchy of densities those that links speak for [1]_.

Notation
--------
=========  =====================  ===================================================================
paper      here                   meaning
=========  =====================  ===================================================================
m_pts      ``min_samples``        neighbours that make a sample dense
m_clSize   ``min_cluster_size``   fewer samples than this are no cluster
C_i        ``tree.first, last``   the clusters of the hierarchy, as runs of samples in its order
Γ(C_i)     ``respected``          links that hold if C_i is taken, over all links
S(C_i)     ``stability``          how long C_i lasts, times its samples
=========  =====================  ===================================================================

References
----------
.. [1] R. J. G. B. Campello, D. Moulavi, A. Zimek, J. Sander, A framework for semi-supervised and unsupervised optimal
   extraction of clusters from hierarchies, Data Mining and Knowledge Discovery 27, 2013.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform
from sklearn.metrics.pairwise import euclidean_distances

from cclab.core import Gauge, Possibilistic, Problem, Solver, State
from cclab.core.parameters import Seed, real, whole
from cclab.maths.feature_space import LARGEST_KERNEL

# Samples below this typicality are outliers; those of no cluster get half of it.
OUTLIER = 0.1
# Distances below this share of the spread are no longer told apart.
NEAREST = 1e-6


@dataclass(frozen=True, eq=False)
class Tree:
    """The clusters of a hierarchy, parents before their children.

    Attributes
    ----------
    order : (n,) int array
        The samples as the leaves of the hierarchy lie side by side: each cluster is a run of them.
    parent : (c,) int array
        -1 for the first, which has all samples.
    first, last : (c,) int arrays
        The run of each cluster, `last` not among it.
    birth : (c,) array
        One over the distance at which it comes to be.
    leaves_at : (c, n) array
        One over the distance at which each sample, in `order`, leaves each cluster; 0 for those that are not in it.
    """

    order: NDArray
    parent: NDArray
    first: NDArray
    last: NDArray
    birth: NDArray
    leaves_at: NDArray

    @property
    def stability(self) -> NDArray:
        """(c,) what each cluster lasts, summed over its samples; that of the first counts as 0."""
        lasts = np.maximum(self.leaves_at - self.birth[:, None], 0).sum(axis=1)
        lasts[0] = 0.0
        return lasts


@dataclass(frozen=True, eq=False, kw_only=True)
class ExtractedState(State):
    """Clusters taken from the hierarchy.

    Attributes
    ----------
    labels : (n,) int array
        Samples of no cluster have that of the cluster they are nearest to.
    typicalities : (n,) array
        How deep each sample is in its cluster.
    settled : bool
        Whether links have had their say.
    """

    labels: NDArray = field(repr=False)
    typicalities: NDArray = field(repr=False)
    settled: bool = False

    def _partition(self) -> Possibilistic:
        T = np.zeros((len(self.labels), int(self.labels.max()) + 1))
        T[np.arange(len(T)), self.labels] = self.typicalities
        return Possibilistic(T, OUTLIER)

    def gauges(self) -> tuple[Gauge, ...]:
        named = {"Links that hold": "links", "Persistence": "persistence"}
        return tuple(Gauge(name, ("share",), (self.terms[key],)) for name, key in named.items())


@dataclass(eq=False, repr=False, kw_only=True)
class FOSC(Solver):
    """Dense clusters of any shape, taken from a hierarchy so that links hold; the rest are outliers.

    Parameters
    ----------
    min_cluster_size : int
        Fewer samples than this are no cluster.
    min_samples : int or None
        The distance to which neighbour says how dense it is around a sample; None: as `min_cluster_size`.
    constraint_weight : float
        How much links count against persistence, from 0 to 1.

    Notes
    -----
    The hierarchy is that of HDBSCAN: single linkage by the distance at which both samples are dense, without the splits
    that leave fewer than `min_cluster_size` samples on one side. Which clusters to take, no two of them nested, is
    chosen by going from the smallest to the largest (the dynamic programming of [1]_), so that as many links as
    possible hold and the clusters last long. A sample in no cluster breaks its must-links and keeps its
    cannot-links. How many clusters there are is found, not given. The start is what HDBSCAN would take, the one step
    what links make of it.

    Examples
    --------
    >>> X = np.concatenate([np.linspace(0, 1, 20), np.linspace(2, 3, 20), np.linspace(9, 10, 20)])[:, None]
    >>> FOSC().fit(X, must_link=[[0, 25]], cannot_link=[[0, 50]]).labels_[[0, 25, 50]].tolist()
    [0, 0, 1]
    >>> FOSC().fit(X, cannot_link=[[0, 25], [10, 30], [0, 50]]).labels_[[0, 25, 50]].tolist()
    [0, 1, 2]
    """

    uses = frozenset({"must", "cannot", "weights"})
    # The step takes the best of all selections, the one before it among them.
    descends = True
    parameters = {
        "min_cluster_size": whole(2),
        "min_samples": whole(1, or_none=True),
        "constraint_weight": real(0, 1),
    }
    most_samples = LARGEST_KERNEL

    random_state: Seed = None
    min_cluster_size: int = 5
    min_samples: int | None = None
    constraint_weight: float = 0.9

    @property
    def max_iter(self) -> int:
        """One step."""
        return 1

    def check(self, problem: Problem) -> None:
        super().check(problem)
        n = problem.n_samples
        if n > self.most_samples:
            raise ValueError(
                f"FOSC compares all samples with each other and takes {self.most_samples} of them at most, there are "
                f"{n}; take a part of them, or PCKMeans or COPKMeans, which have no such limit"
            )

    def start(self, problem: Problem, restart: int = 0) -> ExtractedState:
        state = self._extracted(problem, 0.0)
        return replace(state, restart=restart)

    def step(self, problem: Problem, state: ExtractedState) -> ExtractedState:
        known = problem.constraints
        weight = self.constraint_weight if known.must or known.cannot else 0.0
        after = self._extracted(problem, weight)
        return replace(after, restart=state.restart, iteration=state.iteration + 1, settled=True)

    def converged(self, previous: ExtractedState, state: ExtractedState) -> bool:
        return state.settled

    def rebase(self, old_problem: Problem, new_problem: Problem, state: ExtractedState) -> ExtractedState:
        """What HDBSCAN would take, judged by what is known now."""
        return replace(self._extracted(new_problem, 0.0), restart=state.restart, iteration=state.iteration)

    def tree(self, problem: Problem) -> Tree:
        """The hierarchy of a problem; worked out once for these data."""
        neighbours = self.min_cluster_size if self.min_samples is None else self.min_samples
        key = ("hierarchy of densities", self.min_cluster_size, neighbours)
        return problem.derived(key, lambda: _condensed(problem, self.min_cluster_size, neighbours))

    def _extracted(self, problem: Problem, weight: float) -> ExtractedState:
        tree = self.tree(problem)
        respected, as_noise = kept_by_clusters(problem, tree)
        lasting = tree.stability
        longest = float(lasting[best_selection(tree, lasting, np.zeros_like(lasting))].sum()) or 1.0
        worth, lost = (1 - weight) * lasting / longest + weight * respected, weight * as_noise
        chosen = best_selection(tree, worth, lost)
        held, lasts = kept_by(tree, chosen, respected, as_noise), float(lasting[chosen].sum()) / longest
        labels, typicalities = _labelled(tree, chosen)
        share = self.constraint_weight
        return ExtractedState(
            labels=labels,
            typicalities=typicalities,
            objective=-((1 - share) * lasts + share * held),
            terms={"links": held, "persistence": lasts},
        )


# ---------------------------------------------------------------------- the hierarchy


def _condensed(problem: Problem, least: int, neighbours: int) -> Tree:
    """The clusters of at least so many samples in the hierarchy of densities."""
    n = problem.n_samples
    if n == 1:
        return _as_tree(np.zeros(1, dtype=int), [(-1, 0, 1, 0.0)], np.zeros((1, 1)))
    X = np.asarray(problem.X, dtype=float)
    D = euclidean_distances((X - X.mean(axis=0)) / problem.spread)
    core = np.partition(D, min(neighbours, n - 1), axis=1)[:, min(neighbours, n - 1)]
    D = np.maximum(np.maximum(D, core[:, None]), core)
    np.fill_diagonal(D, 0)
    Z = linkage(squareform(D, checks=False), "single")
    order = leaves_list(Z)
    # Which run of the order each node of the hierarchy is, and where its left part ends.
    size = np.concatenate([np.ones(n), Z[:, 3]]).astype(int)
    density = 1 / np.maximum(Z[:, 2], NEAREST)
    clusters = [(-1, 0, n, 0.0)]
    rows = [np.zeros(n)]
    waiting = [(2 * n - 2, 0, 0)]  # node, where its run begins, the cluster it belongs to
    while waiting:
        node, begin, cluster = waiting.pop()
        if node < n:
            rows[cluster][begin] = max(rows[cluster][begin], 1 / NEAREST)
            continue
        left, right = Z[node - n, :2].astype(int)
        parts = [(left, begin), (right, begin + size[left])]
        large = [size[part] >= least for part, _ in parts]
        for (part, at), stays in zip(parts, large):
            if all(large):
                rows[cluster][at : at + size[part]] = density[node - n]
                clusters.append((cluster, at, at + size[part], density[node - n]))
                rows.append(np.zeros(n))
                waiting.append((part, at, len(clusters) - 1))
            elif stays:
                waiting.append((part, at, cluster))
            else:
                rows[cluster][at : at + size[part]] = density[node - n]
    return _as_tree(order, clusters, np.stack(rows))


def _as_tree(order: NDArray, clusters: list[tuple[int, int, int, float]], leaves_at: NDArray) -> Tree:
    parent, first, last, birth = map(np.array, zip(*clusters))
    return Tree(order, parent, first, last, birth.astype(float), leaves_at)


# ---------------------------------------------------------------------- the selection


def kept_by_clusters(problem: Problem, tree: Tree) -> tuple[NDArray, NDArray]:
    """(c,) the share of links that hold by each cluster, and by its samples that none of its children has, as noise."""
    known, c, n = problem.constraints, len(tree.parent), problem.n_samples
    place = np.empty(n, dtype=int)
    place[tree.order] = np.arange(n)
    inside = ((place >= tree.first[:, None]) & (place < tree.last[:, None])).T.astype(float)  # (n, c)
    own = inside.copy()
    for child in range(1, c):
        own[:, tree.parent[child]] -= inside[:, child]
    total = known.must.total + known.cannot.total
    if not total > 0:
        return np.zeros(c), np.zeros(c)
    apart = known.cannot @ np.ones(n)
    held = inside * (known.must @ inside - known.cannot @ inside + apart[:, None])
    return held.sum(axis=0) / (2 * total), (own * apart[:, None]).sum(axis=0) / (2 * total)


def best_selection(tree: Tree, worth: NDArray, lost: NDArray) -> NDArray:
    """The clusters, none within another, with the most worth; `lost` is that of samples that fall between children."""
    c = len(worth)
    best, below, taken = worth.copy(), np.zeros(c), np.ones(c, dtype=bool)
    has_children = np.zeros(c, dtype=bool)
    for cluster in range(c - 1, -1, -1):
        if has_children[cluster]:
            split = below[cluster] + lost[cluster]
            if split >= worth[cluster]:
                best[cluster], taken[cluster] = split, False
        if cluster:
            has_children[tree.parent[cluster]] = True
            below[tree.parent[cluster]] += best[cluster]
    covered = np.zeros(c, dtype=bool)
    for cluster in range(c):
        above = cluster and (covered[tree.parent[cluster]] or taken[tree.parent[cluster]])
        covered[cluster] = bool(above)
        taken[cluster] &= not above
    return np.flatnonzero(taken)


def kept_by(tree: Tree, chosen: NDArray, respected: NDArray, as_noise: NDArray) -> float:
    """The share of links that hold by a selection: within clusters, and by samples that are in none."""
    through = set()
    for cluster in chosen:
        while (cluster := int(tree.parent[cluster])) >= 0:
            through.add(cluster)
    return float(respected[chosen].sum() + as_noise[sorted(through)].sum())


def _labelled(tree: Tree, chosen: NDArray) -> tuple[NDArray, NDArray]:
    """(n,) the cluster of each sample, or that of the nearest in the hierarchy's order, and how typical it is."""
    n = len(tree.order)
    labels, typical = np.full(n, -1), np.full(n, OUTLIER / 2)
    # Numbered by their first samples, so that they keep their colours where they stay the same.
    earliest = [tree.order[tree.first[cluster] : tree.last[cluster]].min() for cluster in chosen]
    for label, cluster in enumerate(chosen[np.argsort(earliest)]):
        run = slice(tree.first[cluster], tree.last[cluster])
        deep = tree.leaves_at[cluster, run]
        labels[run] = label
        typical[run] = np.maximum(deep / (deep.max() or 1.0), OUTLIER)
    inside = np.flatnonzero(labels >= 0)
    # Side by side in the order of a dendrogram lies what is near by single linkage.
    after = np.searchsorted(inside, np.arange(n)).clip(0, len(inside) - 1)
    before = (after - 1).clip(0)
    nearer = np.abs(inside[before] - np.arange(n)) <= np.abs(inside[after] - np.arange(n))
    labels = np.where(labels >= 0, labels, labels[np.where(nearer, inside[before], inside[after])])
    found = np.empty(n, dtype=np.int64)
    found[tree.order] = labels
    strength = np.empty(n)
    strength[tree.order] = typical
    return found, strength
