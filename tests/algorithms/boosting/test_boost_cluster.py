import numpy as np
import pytest

from cclab import BoostCluster, ConstraintSet, Problem, iterate
from cclab.session.storage.states import pack_state, unpack_state


def stripes(seed=0, n=80):
    """Two long, thin, parallel clouds, which k-means cuts across; and true links."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % 2
    X = np.column_stack([rng.normal(scale=2.5, size=n), 2 * truth + rng.normal(scale=0.3, size=n)])
    pairs = np.array([rng.choice(n, 2, replace=False) for _ in range(40)])
    same = truth[pairs[:, 0]] == truth[pairs[:, 1]]
    return X, truth, ConstraintSet(n).with_must_link(pairs[same]).with_cannot_link(pairs[~same])


def right(labels, truth):
    return max((labels == truth).mean(), (labels != truth).mean())


@pytest.mark.parametrize("seed", range(1, 4))
def test_projections_find_what_the_links_are_about(seed):
    X, truth, known = stripes(seed)
    assert right(BoostCluster(2, random_state=0).fit(X).labels_, truth) < 0.8
    assert right(BoostCluster(2, random_state=0).fit(X, constraints=known).labels_, truth) > 0.95


def test_the_loss_is_what_the_kernel_says_it_is():
    X, _, known = stripes(1)
    problem, solver = Problem(X, known), BoostCluster(2)
    state = list(iterate(solver, problem, max_iter=6))[-1]
    K = sum(α * (r.labels[:, None] == r.labels) for α, r in zip(state.importance, state.rounds))
    pairs = known.pairs
    at = K[pairs.i, pairs.j]
    expected = np.exp(-at[pairs.must]).mean() * np.exp(at[~pairs.must]).mean()
    assert state.objective == pytest.approx(expected)


@pytest.mark.parametrize("kind", ["must", "cannot"])
def test_links_of_one_kind_alone_lower_the_loss(kind):
    X, _, known = stripes(2)
    some = known.without(known.to_frame().loc[lambda frame: frame["kind"] != kind, "id"])
    objectives = [state.objective for state in iterate(BoostCluster(2), Problem(X, some), max_iter=10)]
    assert (np.diff(objectives) <= 1e-12).all()
    assert objectives[-1] < 1


def test_more_features_than_linked_samples():
    X, truth, known = stripes(1)
    wide = np.column_stack([X, np.random.default_rng(0).normal(scale=0.01, size=(len(X), 200))])
    assert right(BoostCluster(2, random_state=0).fit(wide, constraints=known).labels_, truth) > 0.9


def test_rounds_can_be_watched_and_kept():
    X, _, known = stripes()
    problem = Problem(X, known)
    states = list(iterate(BoostCluster(2), problem, max_iter=4))
    last = states[-1]
    assert [gauge.name for gauge in last.gauges()][-1].startswith("Importance")
    assert set(last.asides()) == {"Latest round"}
    again = unpack_state(*pack_state(last, X), X)
    np.testing.assert_array_equal(again.partition.labels(), last.partition.labels())


def test_no_links_end_it_with_a_word():
    X, _, _ = stripes()
    run = iterate(BoostCluster(2), Problem(X))
    states = list(run)
    assert run.reason == "converged"
    assert "no links" in states[-1].notes[0]
