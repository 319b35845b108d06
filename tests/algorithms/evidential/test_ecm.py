"""Evidential c-means against values worked out by hand and formulas written out."""

import pickle
import tracemalloc
from fractions import Fraction

import numpy as np
import pytest

from cclab import ECM, Problem, iterate
from cclab.algorithms.evidential.free_masses import masses_of

# Four objects on a line and two centres: everything can be worked out by hand.
X = np.array([[0.0], [1.0], [3.0], [5.0]])
V = np.array([[0.5], [4.0]])
RHO2 = 100.0


def solver(**more):
    return ECM(**{"n_clusters": 2, "init": V, "rho2": RHO2, **more})


def masses_by_hand(x, alpha=1, beta=2):
    """Eqs. A.1 and A.2 in fractions: sets {}, {1}, {2}, {1, 2}, whose mean is 2.25."""
    costs = [Fraction(100)]
    for size, center in ((1, Fraction(1, 2)), (1, Fraction(4)), (2, Fraction(9, 4))):
        costs.append(size**alpha * (Fraction(x) - center) ** 2)
    parts = [float(1 / c) ** (1 / (beta - 1)) for c in costs]
    return np.array(parts) / sum(parts)


def test_masses_by_hand():
    masses = solver().start(Problem(X)).partition.masses
    np.testing.assert_allclose(masses, [masses_by_hand(int(x)) for x in X[:, 0]], rtol=1e-12)
    # x = 1: 1/d^2 is 4 and 1/9; the pair costs 2 * 25/16; the empty set 100
    parts = np.array([1 / 100, 4, 1 / 9, 8 / 25])
    np.testing.assert_allclose(masses[1], parts / parts.sum(), rtol=1e-12)


@pytest.mark.parametrize(("alpha", "beta"), [(0, 2), (2, 2), (1, 1.5), (1, 3)])
def test_masses_by_hand_for_other_exponents(alpha, beta):
    masses = solver(alpha=alpha, beta=beta).start(Problem(X)).partition.masses
    np.testing.assert_allclose(masses, [masses_by_hand(int(x), alpha, beta) for x in X[:, 0]], rtol=1e-10)


def test_objective_by_hand():
    state = solver().start(Problem(X))
    m = np.array([masses_by_hand(int(x)) for x in X[:, 0]])
    d = np.abs(X - [[0.5, 4.0, 2.25]]) ** 2
    distance = np.sum(m[:, 1:] ** 2 * d * [1, 1, 2]) / (4 * 4)
    rejection = np.sum(100 * m[:, 0] ** 2) / (4 * 4)
    assert state.terms == pytest.approx({"distance": distance, "rejection": rejection})
    assert state.objective == pytest.approx(distance + rejection)


@pytest.mark.parametrize(("alpha", "beta"), [(1, 2), (2, 1.5)])
def test_centers_by_hand(alpha, beta):
    first, second, *_ = iterate(solver(alpha=alpha, beta=beta), Problem(X))
    m = np.array([masses_by_hand(int(x), alpha, beta) for x in X[:, 0]]) ** beta
    one, two, both = m[:, 1].sum(), m[:, 2].sum(), m[:, 3].sum()
    H = np.array([[one + 2 ** (alpha - 2) * both, 2 ** (alpha - 2) * both]] * 2)
    H[1] = [2 ** (alpha - 2) * both, two + 2 ** (alpha - 2) * both]
    B = np.array([X[:, 0] @ (m[:, k] + 2 ** (alpha - 1) * m[:, 3]) for k in (1, 2)])
    np.testing.assert_allclose(second.centers[:, 0], np.linalg.solve(H, B), rtol=1e-10)
    assert second.objective < first.objective


@pytest.mark.parametrize("metric", ["euclidean", "mahalanobis"])
@pytest.mark.parametrize("focal_sets", ["full", "pairs", "singletons", [[0], [1], [2], [3], [0, 1], [1, 2, 3]]])
def test_never_rises(metric, focal_sets):
    for seed in range(6):
        data = np.random.default_rng(seed).normal(size=(50, 3)) * [1, 5, 0.1]
        ecm = ECM(4, metric=metric, focal_sets=focal_sets, tol=0)
        objectives = [s.objective for s in iterate(ecm, Problem(data, seed=seed), max_iter=25)]
        assert np.diff(objectives).max() <= 1e-10 * objectives[0]


def test_a_single_feature_has_no_shape():
    states = [list(iterate(solver(metric=m), Problem(X)))[-1] for m in ("euclidean", "mahalanobis")]
    np.testing.assert_allclose(states[0].partition.masses, states[1].partition.masses, rtol=1e-7)
    assert states[1].metrics.shape == (2, 1, 1)


def test_the_adaptive_metric_finds_long_clusters():
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1], 100)
    long = np.column_stack([rng.normal(size=200) * 12, rng.normal(size=200) + 6 * truth])
    start = np.array([[0.0, 0.0], [0.0, 6.0]])
    labels = {m: ECM(2, metric=m, init=start).fit(long).labels_ for m in ("euclidean", "mahalanobis")}
    assert (labels["mahalanobis"] == truth).mean() > 0.97
    assert (labels["euclidean"] == truth).mean() < 0.8


def test_nothing_is_rejected_unless_asked():
    rng = np.random.default_rng(0)
    data = np.concatenate([rng.normal(size=(100, 2)), [[30.0, 30.0]]])
    assert not ECM(2, random_state=0).fit(data).partition_.outliers().any()


@pytest.mark.parametrize("rate", [0.02, 0.1, 0.3])
def test_rejection_rate_is_met(rate):
    data = np.random.default_rng(0).normal(size=(500, 2))
    belief = ECM(2, rejection_rate=rate, random_state=0, n_init=1, tol=1e-5, max_iter=200).fit(data).partition_
    assert belief.outliers().mean() == pytest.approx(rate, abs=0.006)


def test_rejection_rate_counts_weights():
    data, weight = np.random.default_rng(0).normal(size=(60, 2)), np.random.default_rng(1).integers(1, 5, 60)
    start = data[:2]
    one = ECM(2, rejection_rate=0.2, init=start).fit(data, sample_weight=weight)
    other = ECM(2, rejection_rate=0.2, init=start).fit(np.repeat(data, weight, axis=0))
    assert one.state_.rho2 == pytest.approx(other.state_.rho2)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"focal_sets": [[], [0]]}, "cluster 1 is in none of the sets"),
        ({"focal_sets": "some"}, "focal_sets must be one of"),
        ({"rejection_rate": 0.1}, "either rho2 or rejection_rate"),
        ({"beta": 1.0}, "beta must be above 1"),
        ({"rho2": None, "rejection_rate": 0.1, "focal_sets": [[0], [1]]}, "needs the empty set"),
    ],
)
def test_bad_parameters_are_named(params, message):
    with pytest.raises(ValueError, match=message):
        solver(**params).fit(X)


def test_predict_is_what_training_would_say():
    data = np.random.default_rng(0).normal(size=(80, 3))
    ecm = ECM(3, metric="mahalanobis", random_state=0).fit(data)
    belief = ecm.believe(data[:10], ecm.state_)
    np.testing.assert_allclose(belief.masses, ecm.partition_.masses[:10])
    np.testing.assert_array_equal(ecm.predict(data), ecm.partition_.labels())


def test_units_and_place_of_the_data_do_not_matter():
    data = np.random.default_rng(0).normal(size=(80, 3))
    masses = [
        ECM(3, metric="mahalanobis", init=change(data[:3])).fit(change(data)).partition_.masses
        for change in (lambda x: x, lambda x: 1000 * x, lambda x: x + 1e4)
    ]
    np.testing.assert_allclose(masses[1], masses[0], atol=1e-6)
    np.testing.assert_allclose(masses[2], masses[0], atol=1e-6)


def test_a_state_is_small_and_a_step_needs_no_array_of_all_masses():
    data = np.random.default_rng(0).normal(size=(100_000, 4))
    problem = Problem(data)
    all_masses = 8 * 32 * len(data)
    ecm = ECM(5, focal_sets="full", init=data[:5])
    state = ecm.start(problem)
    data_free = pickle.dumps(state.following)
    assert len(data_free) < 5_000
    tracemalloc.start()
    ecm.step(problem, state)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < all_masses / 4
    assert "partition" not in vars(state)


def test_blocks_do_not_show(monkeypatch):
    data = np.random.default_rng(0).normal(size=(100, 3))
    whole = ECM(3, metric="mahalanobis", init=data[:3]).fit(data)
    monkeypatch.setattr("cclab.algorithms.evidential.set_geometry.BLOCK_NUMBERS", 64)
    parts = ECM(3, metric="mahalanobis", init=data[:3]).fit(data)
    np.testing.assert_allclose(parts.partition_.masses, whole.partition_.masses, rtol=1e-9)
    np.testing.assert_allclose(masses_of(data, whole.state_.geometry, 1.0, 2.0).sum(axis=1), 1)
