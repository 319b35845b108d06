import numpy as np
import pytest

from cclab import CFCM, FCM, ConstraintSet, COPKMeans, Problem, SeededKMeans, held_out


def clouds(n=90, seed=0, apart=6.0):
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % 3
    return rng.normal(size=(n, 2)) + apart * np.array([[0, 0], [1, 0], [0, 1]])[truth], truth


def pairs_of(truth, m, seed=0):
    rng = np.random.default_rng(seed)
    pairs = np.array([rng.choice(len(truth), 2, replace=False) for _ in range(m)])
    same = truth[pairs[:, 0]] == truth[pairs[:, 1]]
    return ConstraintSet(len(truth)).with_must_link(pairs[same]).with_cannot_link(pairs[~same])


@pytest.mark.parametrize("solver", [CFCM(n_clusters=3), COPKMeans(n_clusters=3), FCM(n_clusters=3)])
def test_clear_clusters_keep_what_they_were_not_told(solver):
    X, truth = clouds()
    held = held_out(Problem(X, pairs_of(truth, 40)), solver)
    assert held
    assert held.share > 0.95
    assert 0 < held.standard_error < 0.1
    assert str(held) == f"on links it has not seen: {100 * held.share:.0f} % kept"
    assert held.n_must + held.n_cannot <= 40


def test_noise_keeps_only_what_chance_keeps():
    X, truth = clouds(apart=0.0)
    held = held_out(Problem(X, pairs_of(truth, 60)), COPKMeans(n_clusters=3))
    assert abs(held.share - 0.5) < 3 * held.standard_error


def test_one_cluster_is_no_better_than_chance():
    X, truth = clouds()
    held = held_out(Problem(X, pairs_of(truth, 40)), FCM(n_clusters=1))
    assert (held.must_share, held.cannot_share, held.share) == (1, 0, 0.5)


def test_labels_are_held_back_too():
    X, truth = clouds()
    problem = Problem(X, ConstraintSet(90).with_labels({i: int(truth[i]) for i in range(24)}))
    for solver in (SeededKMeans(n_clusters=3), COPKMeans(n_clusters=3)):
        held = held_out(problem, solver)
        assert held.n_must == held.n_cannot == 24
        assert held.share > 0.9


def test_a_lead_is_surer_than_the_difference_of_two_shares():
    X, truth = clouds(apart=3.0)
    problem = Problem(X, pairs_of(truth, 90))
    good, poor = (held_out(problem, FCM(n_clusters=3, init=X[start])) for start in ([0, 1, 2], [0, 3, 6]))
    lead, error = good.lead_over(poor)
    assert lead == pytest.approx(good.share - poor.share)
    assert error < np.hypot(good.standard_error, poor.standard_error)
    with pytest.raises(ValueError, match="not judged by the same folds"):
        good.lead_over(held_out(problem.with_constraints(pairs_of(truth, 20)), FCM(n_clusters=3)))


def test_some_of_the_links_can_be_looked_at_alone():
    X, truth = clouds()
    known = pairs_of(truth, 40).with_group(np.flatnonzero(truth == 0)[:9], source="lasso")
    held = held_out(Problem(X, known), COPKMeans(n_clusters=3))
    lasso = held.of(held.source == "lasso")
    assert "only must-links" in lasso.why_not
    assert lasso.must_share > 0.9
    assert held.of(held.source == "code")


@pytest.mark.parametrize(
    ("known", "why"),
    [
        (ConstraintSet(9), "no links are stated"),
        (ConstraintSet(9).with_must_link([[0, 3]]).with_cannot_link([[0, 1]]), "too few for 3 folds"),
        (ConstraintSet(9).with_must_link([[0, 3], [1, 4], [2, 5]]), "only must-links"),
        (ConstraintSet(9).with_cannot_link([[0, 1], [1, 2], [2, 3]]), "only cannot-links"),
    ],
)
def test_it_is_said_why_nothing_can_be_said(known, why):
    X, _ = clouds(9)
    held = held_out(Problem(X, known), COPKMeans(n_clusters=3))
    assert not held
    assert why in str(held)
    assert np.isnan(held.share)
    assert np.isnan(held.standard_error)


def test_a_solver_that_does_not_suit_says_so_as_ever():
    X, truth = clouds(9)
    problem = Problem(X, pairs_of(truth, 12))
    with pytest.raises(ValueError, match="n_clusters=10 but there are only 9 samples"):
        held_out(problem, COPKMeans(n_clusters=10))
