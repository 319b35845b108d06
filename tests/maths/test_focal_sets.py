"""Which sets may carry mass."""

import numpy as np
import pytest

from cclab import CECM, ECM, Problem
from cclab.maths.focal_sets import MOST_SETS, FocalSets, gabriel_pairs


@pytest.mark.parametrize(
    ("kind", "n_clusters", "size"), [("full", 3, 8), ("pairs", 10, 57), ("singletons", 5, 7), ("auto", 4, 16)]
)
def test_how_many(kind, n_clusters, size):
    focal = FocalSets.of_kind(kind, n_clusters)
    assert len(focal) == size
    assert focal.has_empty
    assert focal.sets[-1] == tuple(range(n_clusters))
    assert len(set(focal.sets)) == size


@pytest.mark.parametrize("n_clusters", [1, 2])
@pytest.mark.parametrize("kind", ["auto", "full", "pairs", "singletons"])
def test_few_clusters_name_no_set_twice(kind, n_clusters):
    assert len(FocalSets.of_kind(kind, n_clusters)) == 2**n_clusters


def test_auto_takes_neighbours_only_when_there_are_many_clusters():
    line = np.arange(6.0)[:, None]
    focal = FocalSets.of_kind("auto", 6, line)
    assert [s for s in focal.sets if len(s) == 2] == [(k, k + 1) for k in range(5)]


def test_gabriel_pairs_of_a_square_with_a_centre():
    corners = np.array([[0.0, 0], [2, 0], [2, 2], [0, 2], [1, 1]])
    assert gabriel_pairs(corners) == [(0, 1), (0, 3), (0, 4), (1, 2), (1, 4), (2, 3), (2, 4), (3, 4)]


def test_a_list_is_sorted_and_read_once():
    focal = FocalSets.of_list([[1, 0], [1], [0], [], [0, 1]], 2)
    assert focal.sets == ((), (0,), (1,), (0, 1))


@pytest.mark.parametrize(
    ("sets", "message"),
    [([[], [0], [3]], "names cluster 3, but clusters run from 0 to 1"), ([[], [0]], "cluster 1 is in none")],
)
def test_a_bad_list_is_named(sets, message):
    with pytest.raises(ValueError, match=message):
        FocalSets.of_list(sets, 2)


def test_more_sets_than_fit_are_refused_in_words():
    assert len(FocalSets.of_kind("full", 11)) == MOST_SETS
    with pytest.raises(ValueError, match="8,192 sets for 13 clusters, and at most 2,048 are taken; choose 'auto'"):
        FocalSets.of_kind("full", 13)
    with pytest.raises(ValueError, match="focal_sets has 3,000 sets"):
        FocalSets.of_list([[0]] * 3000, 2)
    with pytest.raises(ValueError, match="focal_sets='full' has 8,192 sets"):
        CECM(13, focal_sets="full").check(Problem(np.arange(20.0)[:, None]))


def test_auto_is_never_refused():
    assert len(FocalSets.of_kind("auto", 70, np.eye(70))) == 72


def test_only_kinds_that_fit_are_offered():
    assert "full" in ECM(11).choices("focal_sets")
    assert ECM(13).choices("focal_sets") == ("auto", "pairs", "singletons")
    assert ECM(100).choices("focal_sets") == ("auto", "singletons")
    assert ECM(13).choices("metric") == ("euclidean", "mahalanobis")
