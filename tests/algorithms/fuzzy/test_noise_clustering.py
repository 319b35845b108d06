import numpy as np
import pytest

from cclab import ECM, FCM, NoiseClustering, Problem, iterate


def with_strays(seed=0):
    rng = np.random.default_rng(seed)
    strays = [[4, 30], [60, -9], [-40, 2]]
    return np.concatenate([rng.normal(size=(40, 2)), np.array([8, 0]) + rng.normal(size=(40, 2)), strays])


def test_strays_are_in_none_and_pull_no_centre():
    X = with_strays()
    init = X[[0, 40]]
    model = NoiseClustering(2, noise_distance=0.3, init=init).fit(X)
    assert model.partition_.outliers()[-3:].all()
    assert model.partition_.outliers()[:-3].mean() < 0.05
    means = np.array([X[:40].mean(axis=0), X[40:80].mean(axis=0)])
    assert np.abs(model.centers_ - means).max() < 0.15
    assert np.abs(FCM(2, init=init).fit(X).centers_ - means).max() > 0.2


def test_a_noise_cluster_far_away_is_none():
    X = with_strays()
    init = X[[0, 40]]
    one, other = NoiseClustering(2, noise_distance=1e6, init=init).fit(X), FCM(2, init=init).fit(X)
    np.testing.assert_allclose(one.centers_, other.centers_, atol=1e-6)


@pytest.mark.parametrize("steps", [1, 5])
def test_it_is_ecm_with_single_clusters_and_the_empty_set(steps):
    X = with_strays()
    problem, init = Problem(X), X[[0, 40]]
    solver = NoiseClustering(2, init=init, tol=0)
    ours = list(iterate(solver, problem, max_iter=steps))[-1]
    ecm = ECM(2, init=init, focal_sets=[[], [0], [1]], rho2=ours.noise, beta=2.0, tol=0)
    theirs = list(iterate(ecm, problem, max_iter=steps))[-1]
    np.testing.assert_allclose(ours.centers, theirs.centers, atol=1e-8)
    np.testing.assert_allclose(ours.partition.masses, theirs.partition.masses, atol=1e-8)


def test_units_of_measurement_do_not_matter():
    X = with_strays()
    one, other = (NoiseClustering(2, init=x[[0, 40]]).fit(x) for x in (X, 1000 * X))
    np.testing.assert_allclose(one.partition_.masses, other.partition_.masses, atol=1e-9)
