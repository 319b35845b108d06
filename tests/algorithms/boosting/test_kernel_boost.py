import numpy as np
import pytest
from sklearn.mixture import GaussianMixture

from cclab import ConstraintSet, KernelBoost, Problem, iterate
from cclab.algorithms.boosting.kernel_boost import chunklets, fitted_mixture
from cclab.maths.link_table import LinkTable
from tests.algorithms.boosting.test_boost_cluster import right, stripes


@pytest.mark.parametrize("seed", range(3))
def test_mixtures_find_the_stripes(seed):
    X, truth, known = stripes(seed)
    assert right(KernelBoost(2, random_state=0).fit(X, constraints=known).labels_, truth) > 0.95


def test_without_links_a_round_is_a_mixture():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(150, 2)), [8, 0] + rng.normal(size=(150, 2)) * [0.5, 2]])
    n = len(X)
    problem = Problem(X)
    units, apart = chunklets(LinkTable.of(problem.constraints), np.empty(0, dtype=int), np.empty(0, dtype=bool), n)
    ours = fitted_mixture(X, np.ones(n), units, apart, 2, 50, rng)
    theirs = GaussianMixture(2, random_state=0).fit(X)
    order, other = np.argsort(ours.means[:, 0]), np.argsort(theirs.means_[:, 0])
    np.testing.assert_allclose(ours.means[order], theirs.means_[other], atol=0.1)
    covariances = ours.roots @ np.swapaxes(ours.roots, 1, 2)
    np.testing.assert_allclose(covariances[order], theirs.covariances_[other], atol=0.35)


def test_chunklets_are_joined_and_kept_apart_as_heard():
    known = ConstraintSet(6).with_must_link([[0, 1], [1, 2]]).with_cannot_link([[2, 5], [0, 1]])
    links = LinkTable.of(known)
    unit, apart = chunklets(links, links.partners(np.random.default_rng(0)), np.ones(len(links), dtype=bool), 6)
    assert unit[0] == unit[1] == unit[2]
    assert len(set(unit.tolist())) == 4
    np.testing.assert_array_equal(apart.toarray(), apart.toarray().T)
    assert apart[[unit[0]], [unit[5]]] == 1
    assert not apart.diagonal().any()


def test_the_loss_is_what_the_kernel_says_it_is():
    X, _, known = stripes(1)
    state = list(iterate(KernelBoost(2), Problem(X, known), max_iter=5))[-1]
    K = 0.0
    for α, found in zip(state.importance, state.rounds):
        φ = np.sqrt(found.sure.astype(float))
        K = K + α * np.outer(φ, φ) * (found.labels[:, None] == found.labels)
    pairs = known.pairs
    at = K[pairs.i, pairs.j]
    assert state.objective == pytest.approx((np.exp(-at[pairs.must]).mean() + np.exp(at[~pairs.must]).mean()) / 2)


def test_a_round_that_does_not_help_is_left_out_and_five_end_it():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    # Twins that must be apart, and far samples that must be together: no mixture can do that.
    X[30:] = X[:30] + 1e-3
    known = ConstraintSet(60).with_cannot_link(np.column_stack([np.arange(30), np.arange(30, 60)]))
    states = list(iterate(KernelBoost(2), Problem(X, known)))
    assert "can't go on" in states[-1].stopped
    assert states[-1].useless == 5
    assert all(np.isfinite(state.objective) for state in states)
