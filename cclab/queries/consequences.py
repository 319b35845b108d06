"""What follows from links, kept up to date as they are stated one by one."""

from __future__ import annotations

from collections.abc import Collection

from scipy.cluster.hierarchy import DisjointSet

from cclab.core import ConstraintSet
from cclab.core.constraints.tables import Pairs


class Consequences:
    """Which samples surely belong together, and which apart: the transitive closure of links, by union-find.

    Takes links one at a time, in time that doesn't depend on the number of samples or of links before.
    See `cclab.queries.base.Settled` for one sample against all others at once.

    Examples
    --------
    >>> known = Consequences.of(ConstraintSet(9).with_must_link([[0, 1], [5, 6]]))
    >>> known.keep_apart([1], [5])
    >>> known.settle(0, 6), known.settle(0, 7)
    (True, False)
    """

    def __init__(self) -> None:
        self._groups = DisjointSet()
        # By the root of each group: +s and -s are the two sides that statement s keeps apart. So nothing has to be
        # renamed when groups join, and sides of a thousand samples cost a thousand entries, not a million.
        self._sides: dict[int, set[int]] = {}
        self._n_apart = 0

    @classmethod
    def of(cls, known: ConstraintSet) -> Consequences:
        """All that follows from what is stated, labels included."""
        links, self = known.links_from_labels(), cls()
        members = [row.tolist() for row, _ in links.blocks.rows()]
        for block in links.groups.block:
            self.join(members[block])
        for a, b in zip(links.separations.a, links.separations.b):
            self.keep_apart(members[a], members[b])
        self.hear(links.pairs)
        return self

    def hear(self, pairs: Pairs) -> None:
        """Take in further pairs."""
        for i, j, must in zip(pairs.i.tolist(), pairs.j.tolist(), pairs.must.tolist()):
            if must:
                self.join((i, j))
            else:
                self.keep_apart((i,), (j,))

    def join(self, samples: Collection[int]) -> None:
        """These belong together."""
        first, *others = (self._root(i) for i in samples)
        for other in others:
            a, b = self._groups[first], self._groups[other]
            if self._groups.merge(a, b):
                root = self._groups[a]
                gone = self._sides.pop(b if root == a else a, None)
                if gone:
                    self._sides[root] = gone | self._sides.get(root, set())

    def keep_apart(self, a: Collection[int], b: Collection[int]) -> None:
        """None of `a` belongs together with any of `b`."""
        self._n_apart += 1
        for samples, side in ((a, self._n_apart), (b, -self._n_apart)):
            for i in samples:
                self._sides.setdefault(self._root(i), set()).add(side)

    def settle(self, i: int, j: int) -> bool:
        """Whether it is known if `i` and `j` belong together."""
        return self.together(i, j) or self.apart(i, j)

    def together(self, i: int, j: int) -> bool:
        """Whether `i` and `j` surely belong together."""
        return self._root(i) == self._root(j)

    def apart(self, i: int, j: int) -> bool:
        """Whether `i` and `j` surely belong apart."""
        a, b = self._sides.get(self._root(i)), self._sides.get(self._root(j))
        if not a or not b:
            return False
        few, many = sorted((a, b), key=len)
        return any(-side in many for side in few)

    def _root(self, i: int) -> int:
        if i not in self._groups:
            self._groups.add(i)
        return self._groups[i]
