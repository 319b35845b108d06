"""Colour classes: proper, complete, in the order asked for."""

import numpy as np
import pytest
from scipy import sparse

from cclab.maths.colour_classes import colour_classes


def random_graph(n, n_edges, seed):
    rng = np.random.default_rng(seed)
    i, j = rng.integers(n, size=(2, n_edges))
    upper = sparse.coo_array((np.ones(n_edges), (i, j)), shape=(n, n))
    return sparse.csr_array(upper + upper.T)


def greedy(adjacency, order):
    """The same colouring, one vertex after another."""
    dense = adjacency.toarray() != 0
    np.fill_diagonal(dense, False)
    n = len(dense)
    degree = dense.sum(axis=1)
    shuffle = np.random.default_rng(0).permutation(n)
    turns = np.lexsort((shuffle, degree if order == "leaves first" else -degree))
    colour = np.full(n, -1)
    for v in turns:
        taken = set(colour[dense[v]])
        colour[v] = next(c for c in range(n) if c not in taken)
    return colour


@pytest.mark.parametrize("order", ["leaves first", "hubs first"])
@pytest.mark.parametrize(("n", "n_edges"), [(1, 0), (7, 3), (40, 60), (60, 600)])
def test_is_the_greedy_colouring(n, n_edges, order):
    adjacency = random_graph(n, n_edges, seed=n)
    colour = np.full(n, -1)
    for c, members in enumerate(colour_classes(adjacency, order)):
        assert (colour[members] == -1).all()
        colour[members] = c
    assert np.array_equal(colour, greedy(adjacency, order))


def test_neighbours_never_share_a_class():
    adjacency = random_graph(2000, 9000, seed=3)
    for members in colour_classes(adjacency):
        inner = sparse.coo_array(adjacency[members][:, members])
        assert (inner.row == inner.col).all()


def test_hubs_come_last():
    # two stars whose hubs are 0 and 1
    i = np.array([0, 0, 0, 1, 1, 1])
    j = np.array([2, 3, 4, 5, 6, 7])
    one_way = sparse.coo_array((np.ones(6), (i, j)), shape=(8, 8))
    first, last = colour_classes(one_way + one_way.T, "leaves first")
    assert first.tolist() == [2, 3, 4, 5, 6, 7]
    assert last.tolist() == [0, 1]


def test_a_long_chain_takes_few_rounds_and_colours():
    n = 100_000
    chain = sparse.diags_array([np.ones(n - 1), np.ones(n - 1)], offsets=[-1, 1])
    assert len(colour_classes(chain)) <= 3


def test_no_vertices_and_bad_order():
    assert colour_classes(sparse.csr_array((0, 0))) == []
    with pytest.raises(ValueError, match="order must be one of"):
        colour_classes(sparse.csr_array((2, 2)), "alphabetical")
