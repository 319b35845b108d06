import numpy as np

from cclab.algorithms.mixture.kept_links import kept_links
from cclab.algorithms.mixture.linked_units import LinkedUnits
from cclab.core import ConstraintSet


def kept(known, beliefs):
    units = LinkedUnits.of(known, np.ones(known.n_samples))
    beliefs = np.asarray(beliefs, dtype=float)
    clusters = kept_links(units, beliefs, units.potentials(known, beliefs.shape[1]))
    return clusters[units.unit]


def test_the_end_that_loses_less_moves():
    known = ConstraintSet(2).with_cannot_link([[0, 1]])
    assert kept(known, [[0.9, 0.1], [0.6, 0.4]]).tolist() == [0, 1]
    assert kept(known, [[0.6, 0.4], [0.9, 0.1]]).tolist() == [1, 0]


def test_what_no_single_move_mends_a_search_does():
    # A chain in two clusters, whose ends insist on the wrong one: all have to change places.
    known = ConstraintSet(4).with_cannot_link([[0, 1], [1, 2], [2, 3]])
    found = kept(known, [[0.9, 0.1], [0.2, 0.8], [0.2, 0.8], [0.9, 0.1]])
    assert (found[:-1] != found[1:]).all()


def test_random_links_that_a_truth_obeys_are_all_kept():
    rng = np.random.default_rng(0)
    for n, k, m in ((40, 3, 120), (60, 2, 200), (80, 5, 400)):
        truth = rng.integers(k, size=n)
        pairs = rng.integers(n, size=(m, 2))
        pairs = pairs[truth[pairs[:, 0]] != truth[pairs[:, 1]]]
        known = ConstraintSet(n).with_cannot_link(pairs)
        labels = kept(known, rng.dirichlet(np.ones(k), size=int(known.constrained.sum())))
        full = np.full(n, -1)
        full[known.constrained] = labels
        assert (full[pairs[:, 0]] != full[pairs[:, 1]]).all()


def test_links_that_none_can_keep_are_broken_and_no_more():
    known = ConstraintSet(4).with_cannot_link([[0, 1], [1, 2], [0, 2], [2, 3]])
    found = kept(known, np.full((4, 2), 0.5))
    assert (found[[0, 1, 0, 2]] == found[[1, 2, 2, 3]]).sum() == 1


def test_links_that_are_not_certain_may_be_broken():
    known = ConstraintSet(2).with_cannot_link([[0, 1]], weight=0.5)
    assert kept(known, [[0.9, 0.1], [0.8, 0.2]]).tolist() == [0, 0]


def test_certain_labels_hold():
    known = ConstraintSet(2).with_labels({0: 1}).with_cannot_link([[0, 1]])
    assert kept(known, [[0.9, 0.1], [0.4, 0.6]]).tolist() == [1, 0]


def test_a_large_separation_gives_each_side_clusters_of_its_own():
    known = ConstraintSet(200).with_separation(np.arange(100), np.arange(100, 200))
    beliefs = np.random.default_rng(0).dirichlet(np.ones(4), size=200)
    found = kept(known, beliefs)
    assert not set(found[:100]) & set(found[100:])
