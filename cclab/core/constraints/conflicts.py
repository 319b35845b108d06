"""Statements that contradict each other, found and explained."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import breadth_first_order

from cclab.core.constraints.set import ConstraintSet
from cclab.core.constraints.tables import Array
from cclab.core.words import counted


@dataclass(frozen=True)
class Conflict:
    """One contradiction.

    Attributes
    ----------
    kind : {"cannot-link", "labels", "clique"}
        A cannot-link or separation whose ends are joined by must-links; labels that contradict the links; more samples
        that all stay apart than there are clusters.
    samples : tuple of int
        The two samples that are joined and kept apart, or the members of the clique.
    chain : tuple of int
        The shortest way from the one to the other over must-links (empty for a clique).
    ids : tuple of int
        The statements involved.
    message : str
        The conflict in words.
    """

    kind: str
    samples: tuple[int, ...]
    chain: tuple[int, ...]
    ids: tuple[int, ...]
    message: str

    @property
    def needed(self) -> int | None:
        """How many clusters a clique needs; None where no number would do."""
        return len(self.samples) if self.kind == "clique" else None

    def __str__(self) -> str:
        return self.message


def conflicts(known: ConstraintSet, n_clusters: int | None = None, *, limit: int = 100) -> tuple[Conflict, ...]:
    """Find statements that can't all hold.

    Parameters
    ----------
    known : ConstraintSet
    n_clusters : int, optional
        When given, a set of samples that all stay apart and is larger than this counts as a conflict too.
    limit : int
        Explain at most so many.

    Returns
    -------
    tuple of Conflict

    Examples
    --------
    >>> known = ConstraintSet(9).with_must_link([[1, 2], [2, 3], [1, 5], [5, 6], [6, 3]]).with_cannot_link([[1, 3]])
    >>> print(*known.conflicts())
    1 and 3 must stay apart, but must-links join them: 1 — 2 — 3
    """
    if not (len(known.pairs) or len(known.groups) or len(known.separations)):
        named, degrees = known.labels.degrees.items, known.labels.degrees.values
        if n_clusters is None or (named.max(initial=-1) < n_clusters and (degrees > 0).all()):
            return ()  # each label may hold, whatever the others say
    found: list[Conflict] = []
    links = known.links_from_labels()
    component = links.must_components
    chains = _Chains(links)
    for i, j, id_ in _kept_apart(links, component):
        if len(found) == limit:
            break
        found.append(_explain(known, chains, i, j, id_))
    if n_clusters is not None and not found:
        clique = apart_clique(links, component)
        if len(clique) > n_clusters:
            found.append(_explain_clique(known, component, clique, n_clusters))
    return tuple(found)


def _kept_apart(links: ConstraintSet, component: Array) -> Iterator[tuple[int, int, int]]:
    """Cannot-links (i, j, id) inside one component; of a separation one for each component it cuts."""
    cannot = links.pairs.rows(~links.pairs.must)
    for row in np.flatnonzero(component[cannot.i] == component[cannot.j]):
        yield int(cannot.i[row]), int(cannot.j[row]), int(cannot.id[row])
    separations = links.separations
    for a, b, id_ in zip(separations.a, separations.b, separations.id):
        left, right = links.blocks.row(a)[0], links.blocks.row(b)[0]
        _, at_left, at_right = np.intersect1d(component[left], component[right], return_indices=True)
        for i, j in zip(left[at_left], right[at_right]):
            yield int(i), int(j), int(id_)


class _Chains:
    """Shortest chains of must-links, over the graph whose nodes are samples and statements alike."""

    def __init__(self, links: ConstraintSet) -> None:
        self.links = links
        self.n_samples = links.n_samples
        self.ids = np.concatenate([links.pairs.id[links.pairs.must], links.groups.id])

    @cached_property
    def graph(self) -> sparse.csr_array:
        # Built for the first conflict only: most often there is none.
        pairs = self.links.pairs.rows(self.links.pairs.must)
        groups = self.links.blocks[self.links.groups.block]
        p = len(pairs)
        statement = np.concatenate([np.tile(np.arange(p), 2), p + groups.row_of_entry])
        sample = np.concatenate([pairs.i, pairs.j, groups.items])
        size = self.n_samples + p + len(groups)
        return sparse.coo_array(
            (np.ones(len(sample)), (sample, self.n_samples + statement)), shape=(size, size)
        ).tocsr()

    def between(self, i: int, j: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The samples from `i` to `j`, and the ids of the statements between them."""
        _, before = breadth_first_order(self.graph, i, directed=False)
        path = [j]
        while path[-1] != i:
            path.append(int(before[path[-1]]))
        path.reverse()
        return tuple(path[::2]), tuple(int(self.ids[node - self.n_samples]) for node in path[1::2])


def _explain(known: ConstraintSet, chains: _Chains, i: int, j: int, id_: int) -> Conflict:
    chain, via = chains.between(i, j)
    way = " — ".join(map(str, chain))
    stated = set(known.ids.tolist())
    label_of = dict(zip(known.labels.sample.tolist(), range(len(known.labels))))
    # Links that were not stated follow from the labels of the samples at their ends.
    labelled = {s for a, b, v in zip(chain, chain[1:], via) if v not in stated for s in (a, b)}
    if id_ in stated:
        kind = "labels" if labelled else "cannot-link"
        message = f"{i} and {j} must stay apart, but {'labels' if labelled else 'must-links'} join them: {way}"
    else:
        kind = "labels"
        said = " and ".join(f"{s} is labelled {_label_words(known, label_of[s])}" for s in (i, j))
        message = f"{said}, but must-links join them: {way}"
        labelled |= {i, j}
    ids = {id_, *via} & stated | {int(known.labels.id[label_of[s]]) for s in labelled}
    return Conflict(kind, (i, j), chain, tuple(sorted(ids)), message)


def _label_words(known: ConstraintSet, row: int) -> str:
    clusters, degrees = known.labels.degrees.row(row)
    if known.labels.closed[row]:
        return " or ".join(str(c) for c in clusters[degrees > 0])
    return "not " + " nor ".join(str(c) for c in clusters[degrees == 0])


def apart_clique(links: ConstraintSet, component: Array | None = None) -> tuple[int, ...]:
    """Samples that all stay apart from each other: a lower bound on the number of clusters.

    Greedy, over components of must-links, from the ten components with most cannot-links: a large clique, not always
    the largest.
    """
    component = links.must_components if component is None else component
    cannot = links.cannot
    if not len(cannot.samples):
        return ()
    touched = component[cannot.samples]
    # One row a component, so that a link between any two members counts for all.
    members = sparse.csr_array(
        (np.ones(len(touched)), (touched, np.arange(len(touched)))), shape=(component.max() + 1, len(touched))
    )
    degree = members @ cannot.degree

    if cannot.blocks.shape[0]:

        def neighbours(node: int) -> Array:
            indicator = (touched == node).astype(float)
            return (members @ cannot.apply(indicator)) > 0
    else:
        # Of pairs alone the graph between components is as small as they are.
        graph = sparse.csr_array(members @ cannot.pairs @ members.T)

        def neighbours(node: int) -> Array:
            near = np.zeros(graph.shape[0], dtype=bool)
            near[graph.indices[graph.indptr[node] : graph.indptr[node + 1]]] = True
            return near

    best: list[int] = []
    for first in np.argsort(-degree, kind="stable")[:10]:
        if degree[first] <= 0:
            break
        clique, candidates = [int(first)], neighbours(first)
        while candidates.any():
            node = int(np.argmax(np.where(candidates, degree, -1)))
            clique.append(node)
            candidates = candidates & neighbours(node)
        best = max(best, clique, key=len)
    first_member = np.full(component.max() + 1, -1)
    first_member[touched[::-1]] = cannot.samples[::-1]
    return tuple(sorted(int(first_member[node]) for node in best))


def _explain_clique(known: ConstraintSet, component: Array, clique: tuple[int, ...], n_clusters: int) -> Conflict:
    some = ", ".join(map(str, clique[:6])) + (", ..." if len(clique) > 6 else "")
    message = (
        f"{len(clique)} samples must all stay apart ({some}), but there {'is' if n_clusters == 1 else 'are'} only "
        f"{counted(n_clusters, 'cluster')}: ask for at least {len(clique)} clusters or forget some cannot-links"
    )
    member = np.isin(component, component[list(clique)])
    p, s = known.pairs, known.separations
    cuts = [id_ for a, b, id_ in zip(s.a, s.b, s.id) if all(member[known.blocks.row(r)[0]].any() for r in (a, b))]
    ids = np.concatenate([p.id[~p.must & member[p.i] & member[p.j]], np.array(cuts, dtype=np.int64)])
    return Conflict("clique", clique, (), tuple(sorted(ids.tolist())), message)
