import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cclab.algorithms.kmeans.link_forest import Forest
from tests.maths.literal import literal_assignment


def random_links(rng, n, s):
    i = rng.integers(n, size=s)
    j = (i + rng.integers(1, n, size=s)) % n
    return i, j, rng.random(s) < rng.random()


@pytest.mark.parametrize("case", range(100))
def test_labels_are_those_of_the_literal_loop(case):
    rng = np.random.default_rng(case)
    n, k = int(rng.integers(2, 120)), int(rng.integers(2, 7))
    i, j, must = random_links(rng, n, int(rng.integers(0, 3 * n)))
    distances = rng.random((n, k)) if case % 2 else rng.integers(4, size=(n, k)).astype(float)  # odd: no ties
    labels = Forest.grow(i, j, must, n).assign(distances)
    np.testing.assert_array_equal(labels, literal_assignment(i, j, must, distances))


@pytest.mark.parametrize("must", [True, False])
def test_a_long_chain_is_followed_to_its_end(must):
    n = 3000
    chain = np.arange(n)
    links = chain[:-1], chain[1:], np.full(n - 1, must)
    distances = np.random.default_rng(0).random((n, 3))
    np.testing.assert_array_equal(Forest.grow(*links, n).assign(distances), literal_assignment(*links, distances))


def test_at_most_one_link_a_sample_works():
    rng = np.random.default_rng(0)
    forest = Forest.grow(*random_links(rng, 50, 5000), 50)
    assert forest.n_links == 5000
    assert forest.n_working < 50


def test_without_links_everyone_is_in_the_nearest_cluster():
    distances = np.random.default_rng(0).random((20, 3))
    none = np.empty(0, dtype=int)
    labels = Forest.grow(none, none, none.astype(bool), 20).assign(distances)
    np.testing.assert_array_equal(labels, distances.argmin(axis=1))


def test_one_cluster_takes_everyone():
    one = np.array([0, 1]), np.array([1, 2]), np.array([False, False])
    assert Forest.grow(*one, 3).assign(np.ones((3, 1))).tolist() == [0, 0, 0]


@given(st.data())
def test_first_and_second_priority_always_hold(data):
    """Appendix B: of links that do not contradict each other the two that come first are satisfied."""
    n, k = data.draw(st.integers(3, 8)), data.draw(st.integers(2, 4))
    truth = np.array(data.draw(st.lists(st.integers(0, k - 1), min_size=n, max_size=n)))
    every_pair = [(a, b) for a in range(n) for b in range(n) if a != b]
    pairs = np.array(data.draw(st.lists(st.sampled_from(every_pair), min_size=2, max_size=12)))
    must = truth[pairs[:, 0]] == truth[pairs[:, 1]]
    distances = np.array(
        data.draw(st.lists(st.lists(st.integers(0, 5), min_size=k, max_size=k), min_size=n, max_size=n)), dtype=float
    )
    labels = Forest.grow(*pairs.T, must, n).assign(distances)
    holds = (labels[pairs[:, 0]] == labels[pairs[:, 1]]) == must
    assert holds[:2].all()


def test_third_priority_may_fail():
    """The example at the end of Appendix B."""
    distances = np.array([[0.0, 1, 2], [1, 0, 2], [1, 2, 0]])
    pairs = np.array([[0, 2], [1, 2], [0, 1]])
    labels = Forest.grow(*pairs.T, np.array([False, False, True]), 3).assign(distances)
    assert labels.tolist() == [0, 1, 2]
