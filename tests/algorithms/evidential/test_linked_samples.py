"""What several threads share."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from scipy import sparse

from cclab import Problem
from cclab.algorithms.evidential import linked_samples
from cclab.algorithms.evidential.linked_samples import LinkedSamples


def frozen_chain(n):
    chain = sparse.diags_array([np.ones(n - 1), np.ones(n - 1)], offsets=[-1, 1]).tocsr()
    chain.data.setflags(write=False)
    return chain


def test_threads_may_look_for_neighbourhoods_at_once(monkeypatch):
    # A comparison that takes its time lets others keep their own meanwhile.
    def slowly(one, other, same=linked_samples._same_memory):
        for _ in range(20):
            sum(range(2000))
        return same(one, other)

    monkeypatch.setattr(linked_samples, "_same_memory", slowly)

    def look(n):
        return len(LinkedSamples.of(Problem(np.arange(float(n))[:, None], affinity=frozen_chain(n))).samples)

    with ThreadPoolExecutor(8) as threads:
        sizes = [50 + k % 7 for k in range(400)]
        assert list(threads.map(look, sizes)) == sizes


def test_the_same_frozen_neighbours_are_worked_out_once():
    ties = frozen_chain(40)
    first, second = (LinkedSamples.of(Problem(np.arange(40.0)[:, None] * k, affinity=ties)) for k in (1, 2))
    assert first is second


@pytest.mark.parametrize("n", [2, 9])
def test_neighbours_have_different_colours(n):
    classes = LinkedSamples.of(Problem(np.arange(float(n))[:, None], affinity=frozen_chain(n))).classes
    assert all((np.diff(np.sort(members)) > 1).all() for members, _ in classes)


@pytest.mark.parametrize("lopsided", [False, True])
def test_ties_count_both_ways_and_none_to_oneself(lopsided):
    ties = np.array([[0.0, 2, 0], [2, 0, 3], [0, 3, 0]])
    if lopsided:
        ties = np.triu(2 * ties) + np.diag([0, 5, 0])
    pairs = LinkedSamples.of(Problem(np.arange(3.0)[:, None], affinity=ties)).ties.neighbours.pairs
    np.testing.assert_array_equal(pairs.toarray(), [[0, 2, 0], [2, 0, 3], [0, 3, 0]])
