"""Improved possibilistic c-means: the updates are minima of their blocks, and outliers are told."""

import numpy as np
import pytest
from scipy.optimize import minimize

from cclab import FCM, IPCM, Problem, iterate
from cclab.algorithms.multikernel.joint_memberships import joint_memberships, mean_cost


def cost(U, T, E, eta, m, p):
    return np.sum(U**m * (T**p * E + eta * (1 - T) ** p))


@pytest.mark.parametrize("seed", range(20))
def test_memberships_and_typicalities_minimise_their_block(seed):
    rng = np.random.default_rng(seed)
    k = int(rng.integers(2, 5))
    m, p = rng.uniform(1.2, 2.5, size=2)
    E, eta = rng.gamma(1.0, size=k), rng.gamma(2.0, size=k)
    U, T, G = joint_memberships(E[None], eta, m, p)

    def free(z):
        u = np.exp(z[:k] - z[:k].max())
        return cost(u / u.sum(), 1 / (1 + np.exp(-z[k:])), E, eta, m, p)

    starts = rng.normal(size=(5, 2 * k))
    best = min(minimize(free, z, method="L-BFGS-B").fun for z in starts)
    ours = cost(U[0], T[0], E, eta, m, p)
    assert ours <= best + 1e-9
    np.testing.assert_allclose(ours, best, rtol=1e-3)  # the search stops a little early
    np.testing.assert_allclose(ours, np.sum(U**m * G), rtol=1e-10)
    np.testing.assert_allclose(G[0], T[0] ** p * E + eta * (1 - T[0]) ** p, rtol=1e-9)


def test_nothing_overflows():
    E = np.array([[0.0, 1e300], [1e-300, 1e-12], [1e250, 1e260]])
    U, T, G = joint_memberships(E, np.ones(2), 1.1, 1.05)
    assert all(np.isfinite(values).all() for values in (U, T, G))
    np.testing.assert_allclose(U.sum(axis=1), 1)
    assert U[0, 0] == 1
    assert T[2].max() == 0


def test_equal_exponents_decide_for_the_nearest_centre():
    rng = np.random.default_rng(0)
    E, eta = rng.gamma(1.0, size=(200, 3)), np.array([0.1, 1.0, 5.0])
    U, T, _ = joint_memberships(E, eta, 2.0, 2.0)
    np.testing.assert_array_equal((U * T).argmax(axis=1), E.argmin(axis=1))
    assert (U.argmax(axis=1) != E.argmin(axis=1)).any(), "why the membership alone does not decide"


def test_mean_cost_by_cluster_and_pooled():
    a, D = np.array([[1.0, 0.0], [1.0, 2.0]]), np.array([[1.0, 9.0], [3.0, 5.0]])
    np.testing.assert_allclose(mean_cost(a, D, per_cluster=True), [2.0, 5.0])
    np.testing.assert_allclose(mean_cost(a, D, per_cluster=False), [3.5, 3.5])
    np.testing.assert_allclose(mean_cost(a, 0 * D, per_cluster=True), [1.0, 1.0])


def clouds(n=90, seed=0):
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % 3
    return np.array([[0.0, 0.0], [6.0, 0.5], [2.0, 6.0]])[truth] + rng.normal(size=(n, 2)), truth


def test_objective_is_the_one_of_the_paper():
    X, _ = clouds()
    solver = IPCM(3, init=X[:3])
    state = list(iterate(solver, Problem(X), max_iter=4))[-1]
    U, T = state.partition.memberships, state.partition.typicalities
    D = ((X[:, None] - state.centers) ** 2).sum(axis=2)
    np.testing.assert_allclose(state.objective, cost(U, T, D, state.eta, 1.5, 1.5))
    a = U**1.5 * T**1.5
    np.testing.assert_allclose(state.means, a.T @ X / a.sum(axis=0)[:, None])


def test_scale_is_frozen_and_as_the_variant_says():
    X, _ = clouds()
    for variant, K, m, alike in (("cclab", 4, 1.5, True), ("paper", 1, 2.0, False)):
        V = X[:3] + 0.1
        first, *_, last = iterate(IPCM(3, init=V, variant=variant), Problem(X), max_iter=5)
        assert first.exponents == (m, m)
        np.testing.assert_array_equal(first.eta, last.eta)
        assert (np.ptp(first.eta) == 0) == alike
        D = ((X[:, None] - V) ** 2).sum(axis=2)
        u = D ** (-1 / (m - 1))
        a = (u / u.sum(axis=1, keepdims=True)) ** m
        np.testing.assert_allclose(first.eta, K * mean_cost(a, D, per_cluster=not alike), rtol=1e-6)


def test_an_outlier_is_told_and_pulls_less_than_at_fuzzy_c_means():
    X, truth = clouds()
    far = np.vstack([X, [[60.0, 60.0]]])
    # The same centres for both: where the clouds are.
    V = np.array([X[truth == c].mean(axis=0) for c in range(3)])
    ours, fuzzy = IPCM(3, init=V).fit(far), FCM(3, init=V).fit(far)
    np.testing.assert_array_equal(np.flatnonzero(ours.partition_.outliers()), [90])
    shift = [np.abs(model.centers_ - V).max() for model in (ours, fuzzy)]
    assert shift[0] < shift[1] / 3


def test_starts_from_fuzzy_c_means():
    X, truth = clouds()
    model = IPCM(3, random_state=3).fit(X)
    for c in range(3):
        assert len(np.unique(model.labels_[truth == c])) == 1
    np.testing.assert_array_equal(model.predict(X), model.partition_.labels())
