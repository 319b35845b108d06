import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cclab.maths.colouring import NoColouring, cheap_colouring, smallest_uncolourable


@st.composite
def graphs(draw):
    n = draw(st.integers(2, 7))
    edges = draw(st.sets(st.sampled_from(list(itertools.combinations(range(n), 2)))))
    neighbours = [[] for _ in range(n)]
    for i, j in edges:
        neighbours[i].append(j)
        neighbours[j].append(i)
    return neighbours, edges


def proper(edges, colours):
    return all(colours[i] != colours[j] for i, j in edges)


@given(graphs(), st.integers(1, 4), st.integers(0, 99))
def test_a_colouring_is_found_exactly_where_one_exists(graph, k, seed):
    neighbours, edges = graph
    costs = np.random.default_rng(seed).random((len(neighbours), k))
    exists = any(proper(edges, c) for c in itertools.product(range(k), repeat=len(neighbours)))
    if exists:
        assert proper(edges, cheap_colouring(neighbours, costs, 100_000))
        return
    with pytest.raises(NoColouring) as caught:
        cheap_colouring(neighbours, costs, 100_000)
    assert caught.value.exhausted
    inside = [(i, j) for i, j in edges if {i, j} <= set(caught.value.nodes)]
    assert not any(proper(inside, c) for c in itertools.product(range(k), repeat=len(neighbours)))


@given(graphs(), st.integers(1, 3))
def test_leaving_out_any_node_of_the_smallest_uncolourable_set_helps(graph, k):
    neighbours, edges = graph
    try:
        cheap_colouring(neighbours, np.zeros((len(neighbours), k)), 100_000)
    except NoColouring as none:
        needed = smallest_uncolourable(neighbours, none.nodes, k, 100_000)
        for left_out in needed:
            rest = set(needed) - {left_out}
            inside = [(i, j) for i, j in edges if i in rest and j in rest]
            assert any(proper(inside, c) for c in itertools.product(range(k), repeat=len(neighbours)))


def test_without_edges_everyone_gets_the_cheapest():
    costs = np.array([[2.0, 1.0], [0.0, 3.0]])
    assert cheap_colouring([[], []], costs, 1).tolist() == [1, 0]


def test_gives_up_after_the_stated_number_of_dead_ends():
    rng = np.random.default_rng(2)
    truth = np.arange(120) % 3
    i, j = np.triu_indices(120, 1)
    chosen = (rng.random(len(i)) < 0.06) & (truth[i] != truth[j])
    neighbours = [[] for _ in range(120)]
    for a, b in zip(i[chosen].tolist(), j[chosen].tolist()):
        neighbours[a].append(b)
        neighbours[b].append(a)
    costs = rng.random((120, 3))
    with pytest.raises(NoColouring) as caught:
        cheap_colouring(neighbours, costs, 1)
    assert not caught.value.exhausted
    colours = cheap_colouring(neighbours, costs, 100_000)
    assert proper(zip(i[chosen], j[chosen]), colours)
