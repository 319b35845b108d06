"""Overlap queries: Algorithm 2 of Abin and Beigy."""

from dataclasses import dataclass

import numpy as np
import pytest

from cclab import ConstraintSet, Problem
from cclab.core import Fuzzy, FuzzyPossibilistic, Hard, State
from cclab.queries import OverlapQueries
from cclab.queries.overlap import cluster_overlaps, shared_out
from cclab.studies import Truth, ask


@dataclass(frozen=True, eq=False, kw_only=True)
class Given(State):
    belief: object

    def _partition(self):
        return self.belief


# Clusters 1 and 2 meet (samples 2, 3, 6), 3 stands apart (7, 8, 9).
U = np.array(
    [
        [0.90, 0.08, 0.02],
        [0.80, 0.15, 0.05],
        [0.52, 0.46, 0.02],
        [0.44, 0.54, 0.02],
        [0.05, 0.93, 0.02],
        [0.10, 0.85, 0.05],
        [0.38, 0.57, 0.05],
        [0.02, 0.01, 0.97],
        [0.10, 0.05, 0.85],
        [0.20, 0.10, 0.70],
    ]
)


def given(partition=None):
    return Given(objective=0.0, belief=Fuzzy(U) if partition is None else partition)


def problem(known=None):
    return Problem(np.arange(10.0)[:, None], known)


def propose(n, known=None, asked=frozenset(), partition=None):
    return OverlapQueries().propose(problem(known), given(partition), n, asked=asked)


def test_overlap_is_the_mean_of_the_smaller_membership_weighted_by_itself():
    overlap = cluster_overlaps(U, U.argmax(axis=1))
    torn = np.minimum(U[:7, 0], U[:7, 1])
    np.testing.assert_allclose(overlap[0, 1], (torn**2).sum() / torn.sum())
    np.testing.assert_array_equal(overlap, overlap.T)
    np.testing.assert_array_equal(overlap.diagonal(), 0)
    assert overlap[0, 1] > overlap[0, 2] > 0


def test_asks_about_the_most_torn_sample_against_the_surest_of_either_cluster():
    queries = propose(4)
    # Three of the four where the overlap is: two for the most torn sample, one for the next.
    assert [q.samples for q in queries[:3]] == [(0, 2), (2, 4), (0, 3)]
    assert all(q.kind == "pair" and "is torn between clusters 1 and 2" in q.reason for q in queries[:3])


def test_the_number_counts_questions_and_most_go_where_the_overlap_is():
    queries = propose(5)
    assert len(queries) == 5
    assert len({q.samples for q in queries}) == 5
    between = [q for q in queries if q.reason.count("clusters 1 and 2")]
    assert len(between) >= 3
    assert list(queries) == sorted(queries, key=lambda q: -q.score)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 7])
def test_gives_as_many_as_asked_for(n):
    assert len(propose(n)) == n


def test_what_was_asked_is_not_asked_again_nor_its_torn_sample():
    first = propose(3)
    second = propose(3, asked=frozenset(q.samples for q in first))
    assert not {q.samples for q in first} & {q.samples for q in second}
    assert any(2 in q.samples for q in first)
    assert all(2 not in q.samples for q in second)
    assert any(3 in q.samples for q in second)


def test_what_follows_is_not_asked():
    known = ConstraintSet(10).with_must_link([[2, 0]]).with_cannot_link([[0, 4]])
    assert all(q.samples not in {(0, 2), (2, 4)} for q in propose(6, known))


def test_outliers_are_left_alone():
    T = np.full((10, 3), 0.9)
    T[2] = 0.01
    queries = propose(4, partition=FuzzyPossibilistic(U, T, "product", 0.1))
    assert len(queries) == 4
    assert all(2 not in q.samples for q in queries)


def test_everything_asked_ends_it():
    asked = frozenset((i, j) for i in range(10) for j in range(i + 1, 10))
    assert propose(3, asked=asked) == ()


def test_suits_beliefs_with_memberships():
    assert OverlapQueries.suits(Fuzzy(U))
    assert not OverlapQueries.suits(Hard([0, 1]))
    assert not OverlapQueries.suits(Fuzzy(np.ones((3, 1))))


def test_an_empty_cluster_is_passed_over():
    empty = Fuzzy(np.column_stack([U[:, :2] + U[:, 2:] / 2 - 0.01, np.full(10, 0.02)]))
    assert len(propose(4, partition=empty)) == 4


def test_shared_out_keeps_the_total():
    rng = np.random.default_rng(0)
    for _ in range(50):
        n, shares = int(rng.integers(1, 20)), rng.random(4) * (rng.random(4) < 0.7)
        parts = shared_out(n, shares)
        assert sum(parts) == n
        if shares.any():
            assert np.all(np.abs(np.array(parts) - n * shares / shares.sum()) < 1)


def test_the_oracle_loop_spends_its_budget_and_gains():
    from cclab import CMKIPCM

    rng = np.random.default_rng(0)
    truth = np.arange(80) % 2
    X = rng.normal(size=(80, 2)) + 1.6 * truth[:, None]
    rounds = list(ask(CMKIPCM(2), Problem(X), OverlapQueries(), Truth(truth), 40, per_round=5))
    assert rounds[-1].count == 40
    assert len(rounds[-1].problem.constraints) == 40
    right = [
        max((r.state.partition.labels() == truth).mean(), (r.state.partition.labels() != truth).mean()) for r in rounds
    ]
    assert right[-1] > right[0] + 0.05
