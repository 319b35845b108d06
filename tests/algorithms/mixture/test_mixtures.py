"""Mixtures that compete, and the pieces around them."""

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import multivariate_normal

from cclab import ConstraintSet, Problem
from cclab.algorithms.mixture.competition import Contest, advance, fewest_clusters, mixtures_at_rest
from cclab.algorithms.mixture.joining import gain_of_one, reason_to_join, ridge_dip, wide_component
from cclab.algorithms.mixture.leading_components import leading_components
from cclab.algorithms.mixture.mixtures import SHAPES, Mixture, Sight, first_mixture, refitted, responsibilities, weakest
from cclab.maths.quadratic_memberships import LinkCosts


def cloud(n=120, q=2, gap=8.0, seed=0):
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(n, q))
    Z[n // 2 :, 0] += gap
    return Sight.of(Z, np.ones(n))


def two_gaussians(gap, weights=(0.5, 0.5), scale=1.0):
    return Mixture(
        "free",
        np.arange(2),
        np.log([*(0.99 * np.array(weights)), 0.01]),
        np.array([[0.0, 0.0], [gap, 0.0]]),
        np.tile(scale * np.eye(2), (2, 1, 1)),
        -5.0,
    )


def test_log_densities_are_those_of_gaussians():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(3, 2, 2))
    mixture = Mixture(
        "free", np.arange(3), np.log([0.2, 0.3, 0.4, 0.1]), rng.normal(size=(3, 2)), A @ np.swapaxes(A, 1, 2), -3.0
    )
    Z = rng.normal(size=(7, 2))
    L = mixture.log_densities(Z)
    for k in range(3):
        expected = mixture.log_weights[k] + multivariate_normal(mixture.means[k], mixture.covariances[k]).logpdf(Z)
        np.testing.assert_allclose(L[:, k], expected)
    np.testing.assert_allclose(L[:, 3], np.log(0.1) - 3.0)


@pytest.mark.parametrize("shape", SHAPES)
def test_sweeps_without_toll_never_lose_likelihood(shape):
    sight = cloud(gap=4.0)
    mixture = first_mixture(sight, sight.Z[:3], shape, np.arange(3))
    likelihoods = []
    for _ in range(20):
        R, log_density = responsibilities(mixture.log_densities(sight.Z))
        likelihoods.append(log_density.sum())
        mixture = refitted(mixture, sight, R, 0.0)
    # Free covariances are shrunk to the pool, which may cost a little.
    slack = 1e-6 if shape != "free" else 0.5
    assert np.diff(likelihoods).min() > -slack
    assert likelihoods[-1] > likelihoods[0]


def test_toll_makes_a_small_component_vanish():
    sight = cloud()
    centers = np.array([[0.0, 0.0], [8.0, 0.0], [4.0, 9.0]])
    contest = advance(Contest(first_mixture(sight, centers, "round", np.array([4, 5, 6]))), sight, fewest=1)
    assert contest.mixture.ids.tolist() == [4, 5]
    assert "A cluster vanished" in contest.notes[0]


def test_the_weakest_is_the_one_whose_loss_costs_least():
    sight = cloud()
    mixture = first_mixture(sight, np.array([[0.0, 0.0], [8.0, 0.0], [8.1, 0.0]]), "round", np.arange(3))
    k, loss = weakest(mixture, sight)
    whole = logsumexp(mixture.log_densities(sight.Z), axis=1).sum()
    losses = [whole - logsumexp(mixture.without(c).log_densities(sight.Z), axis=1).sum() for c in range(3)]
    assert k == int(np.argmin(losses))
    np.testing.assert_allclose(loss, min(losses), rtol=1e-6)


def test_the_path_goes_down_to_one():
    sight = cloud()
    counts = [len(m) for m in mixtures_at_rest(first_mixture(sight, sight.Z[::12], "shared", np.arange(10)), sight, 1)]
    assert counts[-1] == 1
    assert counts == sorted(set(counts), reverse=True)


def test_a_clique_of_cannot_links_asks_for_as_many_clusters():
    known = ConstraintSet(9).with_must_link([[0, 1]]).with_cannot_link([[1, 2], [0, 3], [2, 3], [3, 4]])
    known = known.with_separation([2, 3], [5]).with_cannot_link([[5, 0]])
    assert fewest_clusters(LinkCosts.of(Problem(np.arange(9.0)[:, None], known))) == 4
    assert fewest_clusters(LinkCosts.of(Problem(np.arange(9.0)[:, None]))) == 1


@pytest.mark.parametrize(("gap", "dips"), [(1.0, False), (2.0, False), (5.0, True)])
def test_density_dips_between_gaussians_that_are_apart(gap, dips):
    assert (ridge_dip(two_gaussians(gap), 0, 1) > 0.1) == dips


def test_one_gaussian_in_two_halves_is_joined_and_two_are_not():
    sight = cloud(gap=0.0, n=200)
    assert gain_of_one(two_gaussians(0.5), sight, 0, 1) > 0
    assert reason_to_join(two_gaussians(0.5), sight, 0, 1) is not None
    assert reason_to_join(two_gaussians(8.0), cloud(gap=8.0, n=200), 0, 1) is None


def test_a_light_wide_component_is_background():
    means = np.array([[0.0, 0.0], [6.0, 0.0], [0.0, 6.0], [3.0, 3.0]])
    scales = np.array([1.0, 1.0, 1.0, 40.0])[:, None, None]
    weights = np.log([0.3, 0.3, 0.3, 0.09, 0.01])
    assert wide_component(Mixture("free", np.arange(4), weights, means, scales * np.eye(2), -5.0)) == 3
    assert wide_component(Mixture("free", np.arange(4), weights, means, np.tile(np.eye(2), (4, 1, 1)), -5.0)) is None


@pytest.mark.parametrize(("n", "p"), [(150, 50), (60, 300)])
def test_components_of_noise_are_left_out(n, p):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p))
    assert leading_components(X, np.ones(n), rng).axes.shape == (p, 2)  # at least two are kept
    centers = np.zeros((4, p))
    centers[1:, :3] = 12 * np.eye(3)
    subspace = leading_components(X + centers[np.arange(n) % 4], np.ones(n), rng)
    assert subspace.axes.shape == (p, 3)
    np.testing.assert_allclose(subspace.axes.T @ subspace.axes, np.eye(3), atol=1e-10)
    Z = subspace.reduce(X[:5])
    np.testing.assert_allclose(subspace.reduce(subspace.restore(Z)), Z, atol=1e-10)


def test_few_features_are_all_kept():
    X = np.random.default_rng(0).normal(size=(40, 5))
    assert leading_components(X, np.ones(40), np.random.default_rng(0)).axes.shape == (5, 5)
