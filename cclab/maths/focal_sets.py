"""Which sets of clusters a credal partition may put mass on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

KINDS = ("auto", "full", "pairs", "singletons")
# Up to here "auto" takes all 2^c sets.
FULL_UP_TO = 4
# So many sets are taken: every sample has a number for each of them, and every two of them are compared.
MOST_SETS = 2048


@dataclass(frozen=True)
class FocalSets:
    """Sets of clusters, the smaller ones first; the empty one, if it is among them, is the first of all.

    Attributes
    ----------
    sets : tuple of tuples of int
    n_clusters : int

    Examples
    --------
    >>> focal = FocalSets.of_kind("full", 2)
    >>> focal.sets
    ((), (0,), (1,), (0, 1))
    >>> focal.intersect.astype(int)
    array([[0, 0, 0, 0],
           [0, 1, 0, 1],
           [0, 0, 1, 1],
           [0, 1, 1, 1]])
    """

    sets: tuple[tuple[int, ...], ...]
    n_clusters: int

    @classmethod
    def of_kind(cls, kind: str, n_clusters: int, centers: NDArray | None = None) -> FocalSets:
        """All sets ("full"), those of at most two clusters ("pairs") or of one ("singletons") and the whole.

        "auto" is "full" for few clusters, else the pairs of clusters that are neighbours, given their `centers`; where
        these would be too many, "singletons".
        """
        cls.check_number(cls.count(kind, n_clusters), n_clusters, f"focal_sets={kind!r}")
        everything = range(n_clusters)
        if kind == "auto" and n_clusters > FULL_UP_TO:
            pairs = list(combinations(everything, 2)) if centers is None else gabriel_pairs(centers)
            pairs = pairs if n_clusters + len(pairs) + 2 <= MOST_SETS else []
            return cls._read([(), *((k,) for k in everything), *pairs, tuple(everything)], n_clusters)
        largest = {"auto": n_clusters, "full": n_clusters, "pairs": 2, "singletons": 1}[kind]
        sizes = [*range(min(largest, n_clusters) + 1), n_clusters]
        return cls._read([s for size in sizes for s in combinations(everything, size)], n_clusters)

    @staticmethod
    def count(kind: str, n_clusters: int) -> int:
        """How many sets of a kind there are, for more than two clusters; of "auto", at least.

        >>> FocalSets.count("full", 13), FocalSets.count("pairs", 13), FocalSets.count("singletons", 13)
        (8192, 93, 15)
        """
        single = n_clusters + 2  # the empty set and the whole are among them
        pairs = single + n_clusters * (n_clusters - 1) // 2
        return {"auto": single, "full": 2 ** min(n_clusters, 64), "pairs": pairs, "singletons": single}[kind]

    @staticmethod
    def check_number(count: int, n_clusters: int, what: str) -> None:
        """Raise ValueError, in words, where there are more sets than are taken.

        >>> FocalSets.check_number(8192, 13, "focal_sets='full'")
        Traceback (most recent call last):
        ...
        ValueError: focal_sets='full' has 8,192 sets for 13 clusters, and at most 2,048 are taken; ...
        """
        if count > MOST_SETS:
            raise ValueError(
                f"{what} has {count:,} sets for {n_clusters} clusters, and at most {MOST_SETS:,} are taken; choose "
                "'auto' (neighbouring pairs) or 'singletons', or ask for fewer clusters"
            )

    @classmethod
    def of_list(cls, sets: Iterable[Iterable[int]], n_clusters: int) -> FocalSets:
        """The given sets, checked: every cluster is named, and none but the clusters 0 to `n_clusters` - 1."""
        sets = list(sets)
        cls.check_number(len(sets), n_clusters, "focal_sets")
        focal = cls._read(sets, n_clusters)
        named = {k for members in focal.sets for k in members}
        strange = sorted(named - set(range(n_clusters)))
        if strange:
            raise ValueError(f"focal_sets names cluster {strange[0]}, but clusters run from 0 to {n_clusters - 1}")
        missing = sorted(set(range(n_clusters)) - named)
        if missing:
            raise ValueError(f"focal_sets: cluster {missing[0]} is in none of the sets; add one such as [{missing[0]}]")
        return focal

    @classmethod
    def _read(cls, sets: Iterable[Iterable[int]], n_clusters: int) -> FocalSets:
        distinct = {tuple(sorted({int(k) for k in members})) for members in sets}
        return cls(tuple(sorted(distinct, key=lambda members: (len(members), members))), n_clusters)

    def __len__(self) -> int:
        return len(self.sets)

    @property
    def has_empty(self) -> bool:
        """Whether the empty set is among them."""
        return self.sets[0] == ()

    @cached_property
    def members(self) -> NDArray[np.bool_]:
        """(f, c) which clusters each set holds (s_lj in the paper)."""
        members = np.zeros((len(self), self.n_clusters), dtype=bool)
        for row, clusters in enumerate(self.sets):
            members[row, list(clusters)] = True
        return members

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """(f,) how many clusters each set holds."""
        return self.members.sum(axis=1)

    @cached_property
    def intersect(self) -> NDArray[np.bool_]:
        """(f, f) which sets have a cluster in common."""
        return (self.members.astype(int) @ self.members.T) > 0


def gabriel_pairs(centers: NDArray) -> list[tuple[int, int]]:
    """Pairs of centres with no third centre inside the ball that has the two at its ends.

    The midpoint of any other pair lies nearer to a third cluster: belief in such a pair would be belief in that
    cluster.

    Examples
    --------
    >>> gabriel_pairs(np.array([[0.0], [1.0], [2.0]]))
    [(0, 1), (1, 2)]
    """
    found = []
    for a, b in combinations(range(len(centers)), 2):
        # An angle of more than 90 degrees at a third centre puts it inside the ball.
        products = ((centers[a] - centers) * (centers[b] - centers)).sum(axis=1)
        if np.delete(products, [a, b]).min(initial=0.0) >= 0:
            found.append((a, b))
    return found
