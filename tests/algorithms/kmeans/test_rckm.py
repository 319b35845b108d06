import numpy as np
import pytest

from cclab import BCKM, RCKM, iterate
from tests.algorithms.kmeans.test_ckm import random_problem


def test_priorities_never_change_what_a_round_counts_for():
    problem = random_problem(0, s=300)
    state = list(iterate(RCKM(3), problem, max_iter=5))[-1]
    broken = 1 - problem.constraints.satisfaction(state.hypothesis.astype(int)).rate
    assert state.error == pytest.approx(broken)
    assert state.importance[-1] == pytest.approx(0.5 * np.log((1 - broken) / broken))


def test_the_first_round_is_that_of_boosting():
    problem = random_problem(0, s=300)
    one, other = (list(iterate(solver(3), problem, max_iter=1))[-1] for solver in (RCKM, BCKM))
    np.testing.assert_array_equal(one.hypothesis, other.hypothesis)
    assert one.error == other.error


def test_orders_are_random_in_every_round():
    problem = random_problem(0, s=300)
    errors = [state.error for state in iterate(RCKM(3), problem, max_iter=8)][1:]
    assert len(set(errors)) > 3
