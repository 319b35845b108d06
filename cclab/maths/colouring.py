"""Colours for the nodes of a graph, no two neighbours alike, each as cheap as a search can make it."""

from __future__ import annotations

import heapq
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

Neighbours = Sequence[Sequence[int]]


class NoColouring(Exception):
    """No colouring was found.

    Attributes
    ----------
    nodes : list of int
        Where the search was exhausted, nodes that can't all be coloured; else those it gave up on.
    exhausted : bool
        Whether there is no colouring at all, or just none within the number of tries.
    """

    def __init__(self, nodes: list[int], exhausted: bool) -> None:
        super().__init__("no colouring exists" if exhausted else "no colouring found")
        self.nodes = nodes
        self.exhausted = exhausted


def cheap_colouring(neighbours: Neighbours, costs: NDArray, max_tries: int) -> NDArray[np.int64]:
    """Colour a graph by a complete search that prefers cheap colours.

    The next node is always the one with fewest colours left (of these the one with most neighbours, then the
    one that would lose most by not getting its cheapest colour); it tries its colours by rising cost. A dead
    end jumps back to the latest node that has a part in it. Of the colours that no node wears yet only the
    cheapest is tried: they are alike for all that follows. In the end the colours are exchanged as wholes in
    the cheapest way, which keeps neighbours apart (and for two colours on a connected graph is the optimum).

    Parameters
    ----------
    neighbours : list of lists of int
        The neighbours of each node.
    costs : (n_nodes, n_colours) array
    max_tries : int
        How many dead ends to meet before giving up.

    Returns
    -------
    (n_nodes,) int array
        A colour for each node.

    Raises
    ------
    NoColouring

    Examples
    --------
    >>> cheap_colouring([[1], [0, 2], [1]], np.array([[0.0, 9.0], [1.0, 2.0], [0.0, 9.0]]), 10).tolist()
    [0, 1, 0]
    """
    search = _Search(neighbours, costs)
    for _ in range(max_tries):
        while search.choose_node():
            if not search.colour_latest():
                break
        else:
            return _recoloured(np.array(search.colour), costs)
        while not search.jump_back():
            pass
    raise NoColouring(search.trail, exhausted=False)


class _Search:
    """Backtracking with conflict-directed backjumping, its trail kept explicitly."""

    def __init__(self, neighbours: Neighbours, costs: NDArray) -> None:
        n, k = costs.shape
        by_cost = np.argsort(costs, axis=1, kind="stable")
        ranked = np.take_along_axis(costs, by_cost, axis=1)
        self.neighbours = neighbours
        self.preference = by_cost.tolist()
        self.regret = (ranked[:, 1] - ranked[:, 0]).tolist() if k > 1 else [0.0] * n
        self.colour = [-1] * n
        self.worn = [0] * k  # nodes in each colour
        self.blocked = [[0] * k for _ in range(n)]  # neighbours of a node in each colour
        self.free = [k] * n  # colours that no neighbour wears
        self.trail: list[int] = []
        self.untried: dict[int, list[int]] = {}
        self.culprits: dict[int, set[int]] = {}  # earlier nodes that have a part in a dead end
        self.proof: dict[int, set[int]] = {}  # every node that has a part in it
        self.queue: list[tuple[int, int, float, int]] = []
        for node in range(n):
            self._enqueue(node)

    def _enqueue(self, node: int) -> None:
        rank = (self.free[node], -len(self.neighbours[node]), -self.regret[node], node)
        heapq.heappush(self.queue, rank)

    def choose_node(self) -> bool:
        """Put the most constrained node on the trail; False if all are coloured."""
        while self.queue:
            free, _, _, node = heapq.heappop(self.queue)
            if self.colour[node] < 0 and free == self.free[node]:
                self.trail.append(node)
                self.untried[node] = self._options(node)
                self.culprits[node] = {v for v in self.neighbours[node] if self.colour[v] >= 0}
                self.proof[node] = {node}
                return True
        return False

    def _options(self, node: int) -> list[int]:
        """The colours it can try, the last one first."""
        open_ = [c for c in self.preference[node] if not self.blocked[node][c]]
        fresh = next((c for c in open_ if not self.worn[c]), None)
        return [c for c in reversed(open_) if self.worn[c] or c == fresh]

    def colour_latest(self) -> bool:
        """Give the node at the end of the trail its next colour; False if none is left."""
        node = self.trail[-1]
        if not self.untried[node]:
            return False
        colour = self.untried[node].pop()
        self.colour[node] = colour
        self.worn[colour] += 1
        for v in self.neighbours[node]:
            self.blocked[v][colour] += 1
            if self.blocked[v][colour] == 1:
                self.free[v] -= 1
                if self.colour[v] < 0:
                    self._enqueue(v)
        return True

    def jump_back(self) -> bool:
        """From a dead end, go back to the latest culprit and its next colour; False if it has none either."""
        dead = self.trail.pop()
        self._enqueue(dead)
        culprits, proof = self.culprits[dead], self.proof[dead]
        if not culprits:
            raise NoColouring(sorted(proof), exhausted=True)
        while self.trail[-1] not in culprits:
            self._uncolour(self.trail.pop())
        back = self.trail[-1]
        self._uncolour(back)
        self.culprits[back] |= culprits - {back}
        self.proof[back] |= proof
        return self.colour_latest()

    def _uncolour(self, node: int) -> None:
        colour = self.colour[node]
        self.colour[node] = -1
        self.worn[colour] -= 1
        for v in self.neighbours[node]:
            self.blocked[v][colour] -= 1
            if self.blocked[v][colour] == 0:
                self.free[v] += 1
                if self.colour[v] < 0:
                    self._enqueue(v)
        self._enqueue(node)


def _recoloured(colours: NDArray, costs: NDArray) -> NDArray[np.int64]:
    """The same classes of nodes, with the colours handed out to them as cheaply as can be."""
    k = costs.shape[1]
    of_class = np.zeros((k, k))
    np.add.at(of_class, colours, costs)
    _, cheapest = linear_sum_assignment(of_class)
    return cheapest[colours]


def smallest_uncolourable(neighbours: Neighbours, nodes: list[int], n_colours: int, max_tries: int) -> list[int]:
    """Of `nodes`, which can't all be coloured, as few as still can't: leaving out any one more would help.

    Examples
    --------
    >>> smallest_uncolourable([[1, 2], [0, 2], [0, 1, 3], [2]], [0, 1, 2, 3], 2, 10)
    [0, 1, 2]
    """
    needed = list(nodes)
    for node in nodes:
        rest = [v for v in needed if v != node]
        place = {v: r for r, v in enumerate(rest)}
        inside = [[place[w] for w in neighbours[v] if w in place] for v in rest]
        try:
            cheap_colouring(inside, np.zeros((len(rest), n_colours)), max_tries)
        except NoColouring as none:
            if none.exhausted:
                needed = rest
    return needed
