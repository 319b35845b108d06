from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from cclab import ConstraintSet, LinkedMixture, Problem
from cclab.algorithms.mixture.gaussians import Samples, fitted
from cclab.algorithms.mixture.linked_fit import Linked, expected
from cclab.algorithms.mixture.rearranging import Comparison, compared


def clouds(n=300, seed=0):
    """Six clouds in a row; the last two overlap."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % 6
    return np.column_stack([np.array([0, 5, 10, 15, 20, 21.5])[truth], np.zeros(n)]) + rng.normal(size=(n, 2)), truth


def many_links(truth, m=900, seed=0):
    pairs = np.random.default_rng(seed).integers(len(truth), size=(m, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    same = truth[pairs[:, 0]] == truth[pairs[:, 1]]
    return ConstraintSet(len(truth)).with_must_link(pairs[same]).with_cannot_link(pairs[~same])


def fit_of(about, labels):
    gaussians = fitted("shared", about.samples, np.eye(6)[labels], np.zeros((6, 2)))
    return expected(about, gaussians, None)


@pytest.mark.parametrize(
    ("changed", "agree", "more"),
    [
        (Comparison(gain=-50, of_links=9, lead=0.1, error=0.05), True, False),
        (Comparison(gain=-600, of_links=-600, lead=0.1, error=0.05), False, False),
        (Comparison(gain=250, of_links=240, lead=-0.01, error=0.005), False, True),
        (Comparison(gain=250, of_links=-40, lead=-0.01, error=0.005), False, False),
        (Comparison(gain=0.1, of_links=1, lead=0.0, error=np.inf), False, False),
    ],
)
def test_links_may_overrule_samples_but_samples_not_links(changed, agree, more):
    assert (changed.links_agree, changed.explains_more) == (agree, more)


def test_two_clusters_that_overlap_had_better_not_be_one():
    X, truth = clouds()
    known = many_links(truth)
    about = Linked.of(Samples.of(X, np.ones(len(X))), known, 6)
    right = fit_of(about, truth)
    merged = fit_of(about, np.where(truth == 5, 4, np.where((truth == 0) & (X[:, 1] > 0), 5, truth)))
    changed = compared(known, about, merged, right)
    assert changed.of_links < 0 > changed.gain
    assert not changed.links_agree
    assert not changed.explains_more
    back = compared(known, about, right, merged)
    assert back.explains_more
    assert back.gain == -changed.gain


def test_clusters_that_overlap_stay_apart_through_all_moves():
    X, truth = clouds()
    model = LinkedMixture(6, covariance="shared", random_state=0).fit(X, constraints=many_links(truth))
    assert adjusted_rand_score(truth, model.labels_) > 0.93


def test_links_can_only_make_samples_less_likely_and_none_leaves_them_as_they_are():
    X, truth = clouds(60)
    samples = Samples.of(X, np.ones(len(X)))
    without = fit_of(Linked.of(samples, ConstraintSet(60), 6), truth)
    assert without.evidence == pytest.approx(without.unlinked)
    tree = ConstraintSet(60).with_cannot_link([[4, 5], [5, 10]])
    assert fit_of(Linked.of(samples, tree, 6), truth).evidence < without.unlinked


def test_a_fit_worked_out_again_is_the_same():
    X, truth = clouds(60)
    problem, solver = Problem(X, many_links(truth, 40)), LinkedMixture(6, covariance="shared", patience=0)
    state = solver.solve(problem)
    before = solver._fit_of(problem, state).unlinked
    state.forget()
    assert solver._fit_of(problem, state).unlinked == pytest.approx(before)


def test_evidence_that_cannot_be_right_is_not_believed():
    X, truth = clouds(60)
    known = many_links(truth, 40)
    about = Linked.of(Samples.of(X, np.ones(len(X))), known, 6)
    right = fit_of(about, truth)
    assert right.sound == right.evidence
    swinging = replace(right, evidence=right.unlinked + 300)
    assert swinging.sound == -np.inf
    assert not compared(known, about, swinging, right).explains_more
    assert compared(known, about, right, swinging).explains_more
