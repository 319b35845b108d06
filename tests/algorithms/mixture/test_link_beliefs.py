"""Belief propagation against all answers counted one by one."""

from itertools import product

import numpy as np
import pytest

from cclab.algorithms.mixture.link_beliefs import heard, renewed, silence
from cclab.algorithms.mixture.linked_units import LinkedUnits
from cclab.core import ConstraintSet


def counted(units, L):
    """Beliefs and evidence by the worth of every answer there is."""
    u, k = L.shape
    beliefs, total = np.zeros((u, k)), 0.0
    for answer in product(range(k), repeat=u):
        c = np.array(answer)
        log_worth = L[np.arange(u), c].sum()
        broken = (c[units.i] == c[units.j]) != units.must
        worth = np.exp(log_worth + units.breaking[broken].sum())
        total += worth
        beliefs[np.arange(u), c] += worth
    return beliefs / total, np.log(total)


def propagated(units, L, sweeps=300):
    return heard(units, L, renewed(units, L, silence(units, L.shape[1])), sweeps)


def linked(n, cannot=(), must=(), weight=1.0):
    known = ConstraintSet(n)
    if len(cannot):
        known = known.with_cannot_link(cannot, weight=weight)
    if len(must):
        known = known.with_must_link(must, weight=0.8)
    return LinkedUnits.of(known, np.ones(n))


TREES = {
    "a chain": [[0, 1], [1, 2], [2, 3], [3, 4]],
    "a star": [[0, 1], [0, 2], [0, 3], [0, 4]],
    "two trees": [[0, 1], [1, 2], [3, 4]],
}


@pytest.mark.parametrize("tree", TREES.values(), ids=TREES.keys())
@pytest.mark.parametrize("weight", [1.0, 0.6])
def test_on_trees_beliefs_and_evidence_are_exact(tree, weight):
    units = linked(5, tree, weight=weight)
    L = np.random.default_rng(1).normal(scale=2, size=(5, 3))
    told, (beliefs, evidence) = propagated(units, L), counted(units, L)
    np.testing.assert_allclose(told.beliefs, beliefs, atol=1e-9)
    np.testing.assert_allclose(told.evidence, evidence, atol=1e-9)


def test_links_that_may_be_wrong_and_join_are_exact_on_trees():
    units = linked(5, cannot=[[0, 1], [1, 2]], must=[[2, 3], [0, 4]], weight=0.9)
    assert units.must.sum() == 2
    L = np.random.default_rng(2).normal(scale=2, size=(5, 3))
    told, (beliefs, evidence) = propagated(units, L), counted(units, L)
    np.testing.assert_allclose(told.beliefs, beliefs, atol=1e-9)
    np.testing.assert_allclose(told.evidence, evidence, atol=1e-9)


LOOPS = {
    "a triangle": [[0, 1], [1, 2], [0, 2]],
    "a square with a tail": [[0, 1], [1, 2], [2, 3], [3, 0], [3, 4]],
    "two triangles": [[0, 1], [1, 2], [0, 2], [2, 3], [3, 4], [2, 4]],
}


@pytest.mark.parametrize("loop", LOOPS.values(), ids=LOOPS.keys())
def test_on_loops_beliefs_are_close(loop):
    units = linked(5, loop)
    for seed in range(5):
        L = np.random.default_rng(seed).normal(scale=2, size=(len(units), 4))
        told, (beliefs, evidence) = propagated(units, L), counted(units, L)
        np.testing.assert_allclose(told.beliefs, beliefs, atol=0.15)
        assert abs(told.evidence - evidence) < 0.4


def test_many_links_between_two_units_are_heard_as_dear_as_they_are():
    """Where both units are sure of the same cluster rounding leaves nothing of what the other end allows."""
    links = [[0, 1], [0, 2], [0, 3], [4, 1], [4, 2], [4, 3]]
    units = LinkedUnits.of(
        ConstraintSet(5).with_group([0, 4]).with_group([1, 2, 3]).with_cannot_link(links), np.ones(5)
    )
    L = np.array([[0.0, -50.0], [0.0, -60.0]])
    beliefs, evidence = counted(units, L)
    found = propagated(units, L)
    np.testing.assert_allclose(found.beliefs, beliefs, atol=1e-6)
    np.testing.assert_allclose(found.evidence, evidence, atol=1e-6)
    assert found.beliefs.argmax(axis=1).tolist() == [1, 0]


def test_a_link_that_cannot_matter_is_left_out_and_changes_nothing():
    units = linked(4, [[0, 1], [2, 3]])
    L = np.array([[20.0, 0, 0], [0, 20.0, 0], [1.0, 0, 0], [1.0, 0, 0]])
    told = propagated(units, L)
    assert told.messages.active.tolist() == [1]
    np.testing.assert_allclose(told.beliefs, counted(units, L)[0], atol=1e-6)


def test_messages_stay_where_links_still_matter():
    units = linked(4, [[0, 1], [2, 3]])
    L = np.array([[1.0, 0], [1.5, 0], [1.0, 0], [1.2, 0]])
    told = propagated(units, L, 5)
    apart = np.array([[40.0, 0], [0, 40.0], [1.0, 0], [1.2, 0]])
    after = renewed(units, apart, told.messages)
    assert after.active.tolist() == [1]
    np.testing.assert_array_equal(after.log, told.messages.log[[1, 3]])
    np.testing.assert_array_equal(renewed(units, L, after).log[[0, 2]], 0)


def test_a_large_separation_keeps_two_sides_apart_without_any_pair():
    n = 400
    known = ConstraintSet(n).with_separation(np.arange(200), np.arange(200, n))
    units = LinkedUnits.of(known, np.ones(n))
    assert len(units.blocks) == 1
    assert not len(units.i)
    # All would rather be in the first cluster, the one side more than the other.
    L = np.zeros((n, 3))
    L[:200, 0], L[200:, 0] = 2.0, 1.0
    believed = propagated(units, L, 30).beliefs.argmax(axis=1)
    assert set(believed[:200]) == {0}
    assert 0 not in set(believed[200:])


def test_a_large_group_that_is_not_certain_gathers():
    n = 100
    units = LinkedUnits.of(ConstraintSet(n).with_group(np.arange(n), weight=0.9), np.ones(n))
    assert len(units.blocks) == 1
    L = np.zeros((n, 2))
    L[:70, 0], L[70:, 1] = 1.0, 1.0
    assert set(propagated(units, L, 30).beliefs.argmax(axis=1)) == {0}
