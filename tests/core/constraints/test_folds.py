import tracemalloc

import numpy as np
import pytest

from cclab.core import ConstraintSet
from cclab.core.constraints.folds import MOST_OF_ONE_STATEMENT, folds


def random_pairs(n, m, seed):
    """Pairs between all different samples: none follows from others."""
    ends = np.random.default_rng(seed).permutation(n)[: 2 * m]
    return ends.reshape(-1, 2)


def test_each_pair_is_held_back_once_and_told_otherwise():
    pairs = random_pairs(200, 30, 0)
    known = ConstraintSet(200).with_must_link(pairs[:11]).with_cannot_link(pairs[11:])
    split = folds(known, 3)
    held = [set(known.ids) - set(fold.known.ids) for fold in split]
    assert set.union(*held) == set(known.ids)
    assert sum(map(len, held)) == len(known) == sum(len(fold.held) for fold in split)
    assert sorted(int(fold.held.must.sum()) for fold in split) == [3, 4, 4]


def test_the_seed_alone_says_how_it_is_split():
    known = ConstraintSet(200).with_must_link(random_pairs(200, 30, 0)).with_group(range(20))
    ids = [[fold.known.to_json() for fold in folds(known, 3, seed=seed)] for seed in (1, 1, 2)]
    assert ids[0] == ids[1] != ids[2]


def test_a_link_that_follows_from_what_is_told_is_not_asked_about():
    ring = ConstraintSet(4).with_must_link([[0, 1], [1, 2], [2, 3], [3, 0]])
    assert [len(fold.held) for fold in folds(ring, 4)] == [0, 0, 0, 0]
    twice = ConstraintSet(4).with_must_link([[0, 1], [2, 3]]).with_cannot_link([[0, 2], [1, 3], [0, 3]])
    assert all(fold.held.must.all() for fold in folds(twice, 5))
    grouped = ConstraintSet(9).with_group([0, 1, 2, 3]).with_must_link([[0, 1], [1, 2], [2, 3]])
    assert sum(int((fold.held.asker < 4).sum()) for fold in folds(grouped, 50)) == 0


def test_nothing_is_told_of_a_sample_that_is_held_back_from_its_group():
    known = ConstraintSet(40).with_group(range(12)).with_group(range(12, 24)).with_separation(range(12), range(12, 24))
    for fold in folds(known, 3):
        assert not fold.known.constrained[fold.held.asker].any()
        assert len(fold.known.groups) == 2
        assert int((~fold.held.must).sum()) == 1
    total = [fold.held.weight[~fold.held.must].sum() for fold in folds(known, 3)]
    assert sum(total) == pytest.approx(1)  # a separation is one statement
    assert sum(fold.held.weight[fold.held.must].sum() for fold in folds(known, 3)) == pytest.approx(22)


def test_degrees_are_shares_of_what_was_told():
    known = ConstraintSet(8).with_group([0, 1, 2, 3]).with_separation([0, 1, 2, 3], [4, 5, 6, 7])
    labels = np.array([0, 0, 0, 1, 1, 1, 1, -1])
    for fold in folds(known, 4):
        inside = set(range(4)) - set(fold.held.asker)
        other = set(range(4, 8)) - set(fold.held.asker)
        (sample,) = set(range(4)) & set(fold.held.asker)
        (opposite,) = set(range(4, 8)) & set(fold.held.asker)
        kept = fold.held.kept(labels)
        assert kept[fold.held.must] == pytest.approx(np.mean([labels[i] == labels[sample] for i in inside]))
        met = [np.mean([labels[i] == labels[sample] for i in other])]
        met += [np.mean([labels[i] == labels[opposite] >= 0 for i in inside])]
        assert kept[~fold.held.must] == pytest.approx(1 - np.mean(met))


def test_a_labelled_sample_asks_for_its_own_and_against_the_others():
    known = ConstraintSet(12).with_labels(dict.fromkeys(range(4), 0) | dict.fromkeys(range(4, 8), 2) | {9: [0, 2]})
    for fold in folds(known, 4):
        assert fold.held.must.sum() == (~fold.held.must).sum() == 2
        assert 9 in fold.known.labels.sample
        right = np.repeat([0, 2, 1], 4)
        np.testing.assert_array_equal(fold.held.kept(right), 1)
        np.testing.assert_array_equal(fold.held.kept(np.zeros(12, dtype=int)), fold.held.must)


def test_sources_and_weights_go_along():
    known = ConstraintSet(20).with_must_link([[0, 1], [2, 3]], weight=0.5, source=["query", "file"])
    known = known.with_group([10, 11, 12], source="lasso")
    split = folds(known, 2)
    said = [row for fold in split for row in zip(fold.held.source, fold.held.weight.round(3))]
    assert sorted(said) == [("file", 0.5), ("lasso", 0.667), ("lasso", 0.667), ("lasso", 0.667), ("query", 0.5)]


def test_a_large_lasso_is_neither_expanded_nor_overwhelming():
    n = 20_000
    known = ConstraintSet(n).with_group(range(10_000)).with_separation(range(10_000), range(10_000, n))
    tracemalloc.start()
    split = folds(known, 3)
    kept = [fold.held.kept(np.arange(n) // 5_000) for fold in split]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 50e6
    assert sum(fold.held.weight[fold.held.must].sum() for fold in split) == pytest.approx(MOST_OF_ONE_STATEMENT)
    assert np.concatenate(kept)[split[0].held.must.argmax()] == pytest.approx(0.5, abs=0.02)


def test_nothing_known_and_too_few_folds():
    assert [len(fold.held) for fold in folds(ConstraintSet(5), 2)] == [0, 0]
    assert folds(ConstraintSet(5), 2)[0].held.kept(np.zeros(5, dtype=int)).shape == (0,)
    with pytest.raises(ValueError, match="folds must be at least 2, got 1"):
        folds(ConstraintSet(5), 1)
