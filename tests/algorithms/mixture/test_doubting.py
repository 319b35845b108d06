import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from cclab import ConstraintSet, LinkedMixture, Problem, iterate
from cclab.algorithms.mixture.doubting import FEWEST_LINKS, confirmed, doubted, may_be_wrong, suspected
from cclab.algorithms.mixture.gaussians import Samples, fitted
from cclab.core import Statement


def clouds(n=300, gap=6.0, seed=0):
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % 3
    return np.array([[0.0, 0.0], [gap, 0.0], [0.0, gap]])[truth] + rng.normal(size=(n, 2)), truth


def links(truth, m, wrong=0.0, seed=1):
    rng = np.random.default_rng(seed)
    pairs = rng.integers(len(truth), size=(2 * m, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]][:m]
    same = (truth[pairs[:, 0]] == truth[pairs[:, 1]]) != (rng.random(m) < wrong)
    return ConstraintSet(len(truth)).with_must_link(pairs[same]).with_cannot_link(pairs[~same])


def at_the_truth(X, truth):
    samples = Samples.of(X, np.ones(len(X)))
    R = np.eye(truth.max() + 1)[truth]
    return fitted("shared", samples, R, np.zeros((R.shape[1], X.shape[1]))), samples.Z


def share_of_wrong(known, gaussians, Z):
    return suspected([[(known, gaussians)]], Z).share if may_be_wrong(known, len(gaussians)) else 0.0


@pytest.mark.parametrize("wrong", [0.05, 0.1, 0.2])
def test_the_share_of_wrong_links_is_found(wrong):
    X, truth = clouds()
    found = share_of_wrong(links(truth, 1000, wrong), *at_the_truth(X, truth))
    assert found == pytest.approx(wrong, abs=0.05)


def test_densities_that_suit_wrong_links_are_not_believed_where_others_explain_more():
    X, truth = clouds()
    there, Z = at_the_truth(X, truth)
    elsewhere, _ = at_the_truth(X, np.random.default_rng(5).permutation(truth))
    known = links(truth, 120, wrong=0.1)
    found = suspected([[(known, elsewhere)], [(known, there)]], Z)
    assert found.share == pytest.approx(0.1, abs=0.05)
    assert found.account == 1


def test_links_in_parts_say_together_what_each_is_too_few_to_say():
    X, truth = clouds()
    there, Z = at_the_truth(X, truth)
    parts = [(links(truth, 40, wrong=0.1, seed=seed), there) for seed in range(5)]
    together, alone = suspected([parts], Z), [suspected([[part]], Z) for part in parts]
    assert together.share == pytest.approx(0.1, abs=0.05)
    assert together.sure
    assert together.gain > max(one.gain for one in alone)


@pytest.mark.parametrize("gap", [1.0, 2.0, 6.0])
def test_right_links_are_not_doubted_however_much_clusters_overlap(gap):
    X, truth = clouds(gap=gap)
    assert share_of_wrong(links(truth, 200), *at_the_truth(X, truth)) == 0


def test_densities_that_are_surer_than_they_should_be_are_blamed_first():
    X, truth = clouds(gap=2.0)
    many = np.repeat(X, 6, axis=1)  # the same feature six times counts six times
    samples = Samples.of(many, np.ones(len(X)))
    gaussians = fitted("spherical", samples, np.eye(3)[truth], np.zeros((3, 12)))
    assert share_of_wrong(links(truth, 200), gaussians, samples.Z) == 0


def test_too_few_links_prove_nothing():
    X, truth = clouds()
    wrong = links(truth, FEWEST_LINKS - 1, wrong=0.5)
    assert share_of_wrong(wrong, *at_the_truth(X, truth)) == 0


def test_links_that_confirm_each_other_are_right_wherever_the_clusters_are():
    X, truth = clouds()
    elsewhere = at_the_truth(X, np.random.default_rng(5).permutation(truth))
    many, few = links(truth, 900), links(truth, 60)
    assert confirmed(many)
    assert not confirmed(few)  # hardly one follows from others
    assert not confirmed(links(truth, 900, wrong=0.02))
    assert share_of_wrong(many, *elsewhere) == 0


def test_only_certain_pairs_are_doubted():
    known = ConstraintSet(9).with_must_link([[0, 1]]).with_cannot_link([[1, 2]], weight=0.3).with_group([4, 5, 6])
    assert doubted(known, 0.0) is known
    said = list(doubted(known, 0.1).statements())
    assert all(isinstance(one, Statement) for one in said)
    assert [round(one.weight, 3) for one in said] == [0.889, 0.3, 1.0]


def test_wrong_links_are_broken_and_right_ones_kept():
    X, truth = clouds()
    known = links(truth, 120, wrong=0.1)
    p = known.pairs
    right = (truth[p.i] == truth[p.j]) == p.must
    assert 5 < (~right).sum() < 25
    seen = list(iterate(LinkedMixture(3), Problem(X, known)))
    labels = seen[-1].partition.labels()
    kept = (labels[p.i] == labels[p.j]) == p.must
    assert kept[right].mean() > 0.97
    assert kept[~right].mean() < 0.1
    assert adjusted_rand_score(truth, labels) > 0.95
    assert any("may be broken" in note for state in seen for note in state.notes)
    gauge = next(gauge for gauge in seen[-1].gauges() if gauge.name == "Links taken to be wrong")
    assert 0.05 < gauge.values[0] < 0.25


def test_every_certain_link_is_kept_where_that_is_asked_for():
    X, truth = clouds()
    known = links(truth, 60, wrong=0.1)
    labels = LinkedMixture(3, doubt_links=False, random_state=0).fit(X, constraints=known).labels_
    assert known.satisfaction(labels).degrees.mean() > 0.98


def test_once_wrong_links_are_taken_back_the_others_are_certain_again():
    X, truth = clouds()
    known = links(truth, 120, wrong=0.1)
    p = known.pairs
    wrong = (truth[p.i] == truth[p.j]) != p.must
    solver, problem = LinkedMixture(3), Problem(X, known)
    doubting = solver.solve(problem)
    assert doubting.doubt > 0
    mended = problem.with_constraints(known.without(p.id[wrong]))
    assert solver.rebase(problem, mended, doubting).doubt == 0
    more = problem.with_constraints(known.with_must_link([[0, 3]]))
    assert solver.rebase(problem, more, doubting).doubt > 0


def test_an_account_of_no_links_says_nothing():
    X, truth = clouds()
    there, Z = at_the_truth(X, truth)
    found = suspected([[(ConstraintSet(len(X)), there)]], Z)
    assert (found.share, found.gain) == (0.0, 0.0)
