"""What follows from the statements: components of must-links, the closure, links that labels imply."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree

from cclab.core.constraints.ragged import Ragged
from cclab.core.constraints.set import ConstraintSet
from cclab.core.constraints.tables import Array, Groups, Labels, Pairs, Separations

#: So many edges are joined one by one.
FEW_EDGES = 256


class ConflictError(ValueError):
    """Statements that can't all hold; `conflicts` explains each, `conflict` is the first."""

    def __init__(self, conflicts: tuple) -> None:
        self.conflicts, self.conflict = conflicts, conflicts[0]
        more = f" (and {len(conflicts) - 1} more: see ConstraintSet.conflicts())" if len(conflicts) > 1 else ""
        super().__init__(f"{conflicts[0]}{more}")


def must_edges(known: ConstraintSet) -> tuple[Array, Array, Array]:
    """Edges ``(i, j, weight)`` that join the same samples as all must-links do; a group gives a star."""
    pairs, must = known.pairs, known.pairs.must
    if not len(known.groups):
        return pairs.i[must], pairs.j[must], pairs.weight[must]
    blocks = known.blocks[known.groups.block]
    hub = np.repeat(blocks.items[blocks.indptr[:-1]], blocks.lengths)
    weight = np.repeat(known.groups.weight, blocks.lengths)
    spokes = hub != blocks.items
    return (
        np.concatenate([pairs.i[must], hub[spokes]]),
        np.concatenate([pairs.j[must], blocks.items[spokes]]),
        np.concatenate([pairs.weight[must], weight[spokes]]),
    )


def must_components(known: ConstraintSet) -> Array:
    """(n,) the component of each sample under must-links, numbered by first member."""
    i, j, _ = must_edges(known)
    everyone = np.arange(known.n_samples)
    leader = everyone.copy()
    linked, first = _few_joined(i, j) if len(i) <= FEW_EDGES else _joined(i, j)
    leader[linked] = first
    component: Array = (np.cumsum(leader == everyone) - 1)[leader]
    component.setflags(write=False)
    return component


def _joined(i: Array, j: Array) -> tuple[Array, Array]:
    """The samples of some edges, and the first sample of the component of each."""
    # Only the samples that are linked go into the graph: there may be a million others.
    linked, ends = np.unique(np.concatenate([i, j]), return_inverse=True)
    graph = sparse.coo_array((np.ones(len(i)), (ends[: len(i)], ends[len(i) :])), shape=(len(linked),) * 2)
    n_components, component = connected_components(graph, directed=False)
    first = np.empty(n_components, dtype=np.int64)
    first[component[::-1]] = linked[::-1]
    return linked, first[component]


def _few_joined(i: Array, j: Array) -> tuple[Array, Array]:
    """As `_joined`, sooner done than a sparse matrix is made: it is asked for with every question."""
    above: dict[int, int] = {}

    def top(sample: int) -> int:
        while (up := above.setdefault(sample, sample)) != sample:
            above[sample] = above[up]
            sample = up
        return sample

    for a, b in zip(i.tolist(), j.tolist()):
        a, b = top(a), top(b)
        above[max(a, b)] = min(a, b)
    return np.array(list(above), dtype=np.int64), np.array([top(sample) for sample in above], dtype=np.int64)


def closure(known: ConstraintSet) -> ConstraintSet:
    """All links that follow from the stated ones, kept compact.

    Samples joined by must-links become one group, as certain as the weakest link that holds it together; two
    components with a cannot-link between them become one separation, as certain as the surest such link. Labels stay
    as they are. Each sample counts once: shares are dropped.

    Raises
    ------
    ConflictError
        When the links contradict each other; the message shows the chain.
    """
    clashes = (replace(known, labels=Labels()) if len(known.labels) else known).conflicts()
    if clashes:
        raise ConflictError(clashes)
    component = known.must_components
    order = np.argsort(component, kind="stable")
    sizes = np.bincount(component)
    members = Ragged(np.concatenate([[0], np.cumsum(sizes)]), order, np.ones(known.n_samples))

    groups = np.flatnonzero(sizes > 1)
    group_weight = _weakest_link(known, component, len(sizes))[groups]

    cannot = known.pairs.rows(~known.pairs.must)
    pair_ends, pair_weight = _unique_edges(component[cannot.i], component[cannot.j], cannot.weight)
    single = (sizes[pair_ends] == 1).all(axis=1)

    # A stated separation widens to the whole components of its members. Where each side lies in one component, it
    # says the same as a cannot-link between the two, so those are merged.
    blocks: list[tuple[Array, Array]] = []
    wide = []
    one_to_one = [pair_ends[~single]]
    one_weight = [pair_weight[~single]]
    for a, b, weight in zip(known.separations.a, known.separations.b, known.separations.weight):
        sides = [np.unique(component[known.blocks.row(r)[0]]) for r in (a, b)]
        if len(sides[0]) == len(sides[1]) == 1:
            one_to_one.append(np.array([[sides[0][0], sides[1][0]]]))
            one_weight.append(np.array([weight]))
        else:
            wide.append((len(blocks), len(blocks) + 1, weight))
            blocks += [(np.sort(members[side].items), np.ones(len(members[side].items))) for side in sides]
    joined = np.concatenate(one_to_one)
    ends, end_weight = _unique_edges(joined[:, 0], joined[:, 1], np.concatenate(one_weight))

    used = np.unique(np.concatenate([groups, ends.ravel()]))
    place = np.full(len(sizes), -1)
    place[used] = np.arange(len(used))
    wide_array = np.array(wide, dtype=float).reshape(-1, 3)
    n_pairs, n_groups, n_ends, n_wide = int(single.sum()), len(groups), len(ends), len(wide)
    first = members.items[members.indptr[:-1]]

    ids = np.arange(known.next_id, known.next_id + n_pairs + n_groups + n_ends + n_wide)
    source = np.full(len(ids), "closure", dtype=object)
    parts = np.split(np.arange(len(ids)), np.cumsum([n_pairs, n_groups]))
    loose = np.sort(first[pair_ends[single]], axis=1)
    return replace(
        known,
        pairs=Pairs(
            ids[parts[0]],
            pair_weight[single],
            source[parts[0]],
            loose[:, 0],
            loose[:, 1],
            np.zeros(n_pairs, bool),
        ),
        groups=Groups(ids[parts[1]], group_weight, source[parts[1]], place[groups]),
        separations=Separations(
            ids[parts[2]],
            np.concatenate([end_weight, wide_array[:, 2]]),
            source[parts[2]],
            np.concatenate([place[ends[:, 0]], len(used) + wide_array[:, 0].astype(int)]),
            np.concatenate([place[ends[:, 1]], len(used) + wide_array[:, 1].astype(int)]),
        ),
        blocks=members[used] + Ragged.from_rows(blocks),
        next_id=known.next_id + len(ids),
    )


def _weakest_link(known: ConstraintSet, component: Array, n_components: int) -> Array:
    """For each component, the least weight on its strongest spanning tree."""
    i, j, weight = must_edges(known)
    weakest = np.ones(n_components)
    if len(i) and weight.min() < 1:
        ends, weight = _unique_edges(i, j, weight)
        cost = sparse.coo_array((2 - weight, ends.T), shape=(known.n_samples,) * 2)
        tree = minimum_spanning_tree(cost.tocsr()).tocoo()
        np.minimum.at(weakest, component[tree.row], 2 - tree.data)
    return weakest


def _unique_edges(i: Array, j: Array, weight: Array) -> tuple[Array, Array]:
    """Each undirected edge once, with its largest weight."""
    ends = np.sort(np.stack([i, j], axis=1).astype(np.int64), axis=1)
    order = np.lexsort((-weight, ends[:, 1], ends[:, 0]))
    ends, weight = ends[order], weight[order]
    new = np.ones(len(ends), dtype=bool)
    new[1:] = (ends[1:] != ends[:-1]).any(axis=1)
    return ends[new], weight[new]


def links_from_labels(known: ConstraintSet) -> ConstraintSet:
    """The links that the labels imply, in place of the labels.

    Samples that can only be in one and the same cluster form a group; samples whose possible clusters have none in
    common are kept apart. A link is as certain as the least certain label it comes from. Labels that follow from no
    link (a single labelled sample, say) leave nothing behind.
    """
    links = replace(known, labels=Labels())
    for samples, weight in _one_cluster_groups(known.labels):
        if len(samples) > 1:
            links = links.with_group(samples, weight=weight, source="labels")
    for a, b, weight in _apart_by_label(known.labels):
        links = links.with_separation(a, b, weight=weight, source="labels")
    return links


def _classes(labels: Labels) -> list[tuple[bool, frozenset[int], Array, float]]:
    """Labelled samples by what is known of them: (closed, clusters, samples, least weight).

    The clusters are the possible ones of closed statements and the denied ones of open statements.
    """
    rows: dict[tuple[bool, frozenset[int]], list[int]] = {}
    for r, (clusters, degrees) in enumerate(labels.degrees.rows()):
        closed = bool(labels.closed[r])
        named = clusters[degrees > 0] if closed else clusters[degrees == 0]
        rows.setdefault((closed, frozenset(named.tolist())), []).append(r)
    return [
        (closed, named, labels.sample[chosen], float(labels.weight[chosen].min()))
        for (closed, named), chosen in rows.items()
    ]


def _one_cluster_groups(labels: Labels) -> list[tuple[Array, float]]:
    return [(s, weight) for closed, named, s, weight in _classes(labels) if closed and len(named) == 1]


def _apart_by_label(labels: Labels) -> list[tuple[Array, Array, float]]:
    apart = []
    classes = _classes(labels)
    for position, (closed, named, samples, weight) in enumerate(classes):
        for other_closed, other_named, others, other_weight in classes[position + 1 :]:
            if closed and other_closed:
                disjoint = not (named & other_named)
            elif closed or other_closed:
                possible, denied = (named, other_named) if closed else (other_named, named)
                disjoint = possible <= denied
            else:
                disjoint = False
            if disjoint:
                apart.append((samples, others, min(weight, other_weight)))
    return apart
