"""A few of the nasty problems of `make fuzz` for every solver, and the ones that once went wrong."""

import warnings

import numpy as np
import pytest

from cclab import CECM, CFCM, ECM, PCCA, RCKM, RPCM, SRPCM, ConstraintSet, Problem, iterate
from cclab.algorithms.plain.plain_mixture import PlainGaussianMixture
from cclab.algorithms.possibilistic.repulsion import repelled_centers
from cclab.core.registry import solvers
from tests.fuzz._problems import nasty
from tests.fuzz.solvers import fault_of_run, tried

EACH = 15


@pytest.mark.parametrize("name", solvers.names())
def test_a_valid_result_or_a_sentence(name):
    cls = solvers.get(name)
    cases = [tried(cls, nasty(cls, index, seed=7)) for index in range(EACH)]
    # How long a step takes is told by `make fuzz`, on a machine that does nothing else.
    assert not [f"{case.name}: {case.fault}" for case in cases if case.fault and case.outcome != "slow"]


@pytest.mark.parametrize(
    ("name", "index"),
    [
        ("ITML", 20),
        ("ITML", 28),
        ("PlainGaussianMixture", 27),
        ("PlainGaussianMixture", 108),
        ("PlainKMeans", 102),
        ("PlainKMeans", 129),
    ],
)
def test_what_once_went_wrong(name, index):
    cls = solvers.get(name)
    case = tried(cls, nasty(cls, index))
    assert case.fault is None


def test_a_mixture_that_scikit_learn_gives_up_says_what_to_do():
    given = nasty(PlainGaussianMixture, 27)
    problem = Problem(constraints=given.known(), **given.problem)
    with pytest.raises(ValueError, match="fewer clusters, a larger ridge"):
        list(iterate(PlainGaussianMixture(**given.params), problem))


def two_clouds(seed=0):
    rng = np.random.default_rng(seed)
    return np.concatenate([rng.normal(size=(20, 2)), 6 + rng.normal(size=(20, 2))])


@pytest.mark.parametrize("solver", [CFCM(2, random_state=0), PCCA(random_state=0)], ids=["CFCM", "PCCA"])
def test_links_of_a_sample_without_weight(solver):
    weight = np.ones(40)
    weight[[3, 25]] = 0
    known = ConstraintSet(40).with_must_link([[3, 4], [3, 25]]).with_cannot_link([[25, 30]])
    problem = Problem(two_clouds(), known, sample_weight=weight)
    assert fault_of_run(solver, problem) is None
    belief = list(iterate(solver, problem))[-1].partition.memberships
    np.testing.assert_allclose(belief.sum(axis=1), 1)


@pytest.mark.parametrize("solver", [CFCM(2, random_state=0), PCCA(random_state=0)], ids=["CFCM", "PCCA"])
def test_links_that_are_all_weighted_alike_count_alike(solver):
    pairs, X = [[3, 4], [3, 25], [30, 12]], 1e10 * two_clouds()
    one, other = (
        list(iterate(solver, Problem(X, ConstraintSet(40).with_must_link(pairs, weight=weight))))[-1]
        for weight in (1.0, 1e-300)
    )
    np.testing.assert_allclose(one.partition.memberships, other.partition.memberships, atol=1e-9)


@pytest.mark.parametrize("weight", [1.0, 1e-9])
def test_linked_samples_on_their_centers(weight):
    X = np.array([[0.0, 0.0], [3.0, 0.0], [0.3, 4.0]])[np.arange(30) % 3]
    known = ConstraintSet(30).with_must_link([[0, 1], [4, 6]]).with_cannot_link([[0, 3], [7, 10], [2, 4]])
    solver = CECM(3, init=X[:3], rho2=2.0)
    states = list(iterate(solver, Problem(X, known, sample_weight=np.where(np.arange(30) < 5, weight, 1.0))))
    for state in states:
        np.testing.assert_allclose(state.partition.masses.sum(axis=1), 1)
    assert (np.diff([state.objective for state in states]) <= 1e-9 * states[0].objective).all()


def test_masses_for_nearly_hard_beliefs():
    masses = ECM(2, beta=1.001, rho2=1e-30, random_state=0).fit(two_clouds()).partition_.masses
    np.testing.assert_allclose(masses.sum(axis=1), 1)


@pytest.mark.parametrize("metric", ["euclidean", "mahalanobis"])
def test_a_far_outlier_does_not_blur_the_other_clusters(metric):
    X = two_clouds()
    expected = ECM(2, init=X[[0, 20]], metric=metric, focal_sets=[[0], [1]], tol=1e-9).fit(X)
    far = np.concatenate([X, [[1e10, 1e10]]])
    found = ECM(3, init=far[[0, 20, 40]], metric=metric, focal_sets=[[0], [1], [2]], tol=0).fit(far)
    np.testing.assert_allclose(found.centers_[:2], expected.centers_, atol=1e-3)


def test_random_orders_never_leave_the_range_of_numbers():
    known = ConstraintSet(40).with_must_link([[i, i + 1] for i in range(0, 18)])
    for sample in range(8):
        known = known.with_cannot_link([[sample, sample + 1]], weight=1e-100)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        states = list(iterate(RCKM(2, random_state=0), Problem(two_clouds(), known), max_iter=60))
    assert np.isfinite([state.objective for state in states]).all()


@pytest.mark.parametrize("eta", [1e-30, 1.0, 1e30])
def test_repulsion_finds_its_rest_whatever_its_units(eta):
    """Two centres drawn to one place come to rest at (4 eta / W)^(1/4)."""
    start = np.array([[0.0, 0.0], [1e-3, 0.0]])
    V = repelled_centers(start, np.zeros((2, 2)), np.full(2, 3.0), np.full(2, eta))
    assert np.linalg.norm(V[0] - V[1]) == pytest.approx((4 * eta / 3.0) ** 0.25, rel=1e-5)


def test_centers_on_one_spot_are_pushed_apart():
    V = repelled_centers(np.zeros((2, 2)), np.zeros((2, 2)), np.ones(2), np.ones(2))
    assert np.linalg.norm(V[0] - V[1]) == pytest.approx(4**0.25, rel=1e-5)


@pytest.mark.parametrize("cls", [RPCM, SRPCM])
def test_repulsion_that_nothing_holds_is_said(cls):
    X = two_clouds()
    states = list(iterate(cls(2, repulsion=1e30, init=X[[0, 20]]), Problem(X), max_iter=40))
    assert np.isfinite(states[-1].centers).all()
    assert any("would ever come to rest" in note for state in states for note in state.notes)
