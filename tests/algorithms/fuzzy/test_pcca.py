"""Competitive agglomeration with and without links."""

from itertools import pairwise

import numpy as np
import pytest

from cclab import CA, CFCM, PCCA, ConstraintSet, Problem, iterate, load_dataset
from cclab.core import scores


def three_blobs(separation=4.0, seed=0):
    data = load_dataset("three_gaussians", separation=separation, seed=seed)
    return data.X, data.target


def some_links(target, n=40, seed=0):
    rng = np.random.default_rng(seed)
    pairs = np.array([rng.choice(len(target), 2, replace=False) for _ in range(n)])
    same = target[pairs[:, 0]] == target[pairs[:, 1]]
    return ConstraintSet(len(target)).with_must_link(pairs[same]).with_cannot_link(pairs[~same])


def last(solver, problem):
    run = iterate(solver, problem)
    for _ in run:
        pass
    return run.state


def literal_objective(U, D, known, alpha, beta):
    """J written as it is printed, with its two mistakes mended."""
    k = U.shape[1]
    J = (U**2 * D).sum() - beta * (U.sum(axis=0) ** 2).sum()
    for i, j in zip(known.pairs.i[known.pairs.must], known.pairs.j[known.pairs.must]):
        J += alpha * sum(U[i, a] * U[j, b] for a in range(k) for b in range(k) if a != b)
    for i, j in zip(known.pairs.i[~known.pairs.must], known.pairs.j[~known.pairs.must]):
        J += alpha * sum(U[i, a] * U[j, a] for a in range(k))
    return J


def alpha_and_beta(solver, problem, state, following):
    """The weights that led from one state to the next, by Eq. 4 and the mean cost of a sample."""
    left = solver._survivors(problem, state)
    links = len(problem.constraints.pairs)
    alpha = solver.constraint_weight * problem.n_samples / links * left.inertia.sum() / left.mass.sum()
    strength = solver.competition * np.exp(-abs(following.iteration - solver.peak) / solver.fading)
    return alpha, strength * left.inertia.sum() / (left.sizes**2).sum()


def test_objective_is_the_printed_one_mended():
    X, target = three_blobs()
    problem, solver = Problem(X, some_links(target)), PCCA()
    run = list(iterate(solver, problem, max_iter=6))
    for state, following in pairwise(run):
        alpha, beta = alpha_and_beta(solver, problem, state, following)
        D = ((X[:, None] - following.centers) ** 2).sum(axis=2)
        U = following.partition.memberships
        np.testing.assert_allclose(
            following.objective, literal_objective(U, D, problem.constraints, alpha, beta), rtol=1e-9
        )


def test_the_costs_that_memberships_answer_to_are_the_gradient():
    X, target = three_blobs()
    known = some_links(target)
    rng = np.random.default_rng(1)
    U = rng.dirichlet(np.ones(4), size=len(X))
    D = rng.uniform(1, 5, size=U.shape)
    alpha, beta = 0.7, 0.01
    C = (known.must @ (1 - U)) + (known.cannot @ U)
    gradient = 2 * U * D + alpha * C - 2 * beta * U.sum(axis=0)
    for i, k in [(0, 0), (known.pairs.i[0], 1), (known.pairs.j[-1], 2), (149, 3)]:
        step = np.zeros_like(U)
        step[i, k] = 1e-6
        # Rows must add up to 1 in C, so the derivative is taken of the literal form with sum_l u_jl in place of 1.
        up, down = (literal_objective(U + s, D, known, alpha, beta) for s in (step, -step))
        np.testing.assert_allclose((up - down) / 2e-6, gradient[i, k], rtol=1e-5, atol=1e-6)


def test_memberships_meet_the_optimality_conditions_at_rest():
    X, target = three_blobs()
    problem = Problem(X, some_links(target))
    solver = PCCA(3, tol=1e-10, max_iter=2000)
    state = last(solver, problem)
    alpha, _ = alpha_and_beta(solver, problem, state, state)
    U = state.partition.memberships
    D = ((X[:, None] - state.centers) ** 2).sum(axis=2)
    C = (problem.constraints.must @ (1 - U)) + (problem.constraints.cannot @ U)
    gradient = 2 * U * D + alpha * C
    level = np.where(U > 1e-9, gradient, np.inf).min(axis=1, keepdims=True)
    scale = np.abs(gradient).max()
    assert np.abs((gradient - level)[U > 1e-9]).max() < 1e-5 * scale  # all equal where there is membership
    assert (gradient - level).min() > -1e-5 * scale  # and nowhere lower


@pytest.mark.parametrize("solver", [CA, PCCA])
def test_finds_three_clusters_from_fifteen(solver):
    found = []
    for seed in range(10):
        X, _ = three_blobs(seed=seed)
        fitted = solver(random_state=seed).fit(X)
        found.append(len(fitted.centers_))
    assert np.mean(np.array(found) == 3) >= 0.9


def test_clusters_keep_their_names_and_their_end_is_told():
    X, _ = three_blobs()
    before = None
    for state in iterate(CA(), Problem(X)):
        assert len(state.cluster_ids) == len(state.centers) == state.partition.n_clusters
        np.testing.assert_allclose(state.sizes.sum(), len(X))
        assert dict(zip(state.gauges()[1].labels, state.gauges()[1].values)).keys() == {
            str(i + 1) for i in state.cluster_ids
        }
        if before is not None:
            assert set(state.cluster_ids) <= set(before.cluster_ids)
            gone = set(before.cluster_ids) - set(state.cluster_ids)
            assert len(gone) == len(state.notes)
            assert all("A cluster vanished" in note or "merged into one of" in note for note in state.notes)
        before = state
    assert len(before.cluster_ids) < 15


def test_cannot_links_keep_clusters_from_merging():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2)) + np.where(np.arange(80) < 40, -1.0, 1.0)[:, None] * [1.0, 0]
    init = np.array([[-1.0, 0.0], [1.0, 0.0]])
    apart = ConstraintSet(80).with_separation(np.arange(20), np.arange(40, 60))
    assert len(PCCA(init=init).fit(X).centers_) == 1
    assert len(PCCA(init=init).fit(X, constraints=apart).centers_) == 2


def test_a_given_number_of_clusters_stays():
    X, _ = three_blobs()
    states = list(iterate(CA(4), Problem(X)))
    assert {len(state.centers) for state in states} == {4}
    assert {state.terms["sizes"] for state in states} == {0.0}


def test_given_centers_may_be_any_number_when_clusters_are_to_be_found():
    X, _ = three_blobs()
    assert len(CA(init=X[:7]).fit(X).centers_) <= 7
    with pytest.raises(ValueError, match="init must be"):
        CA(init=X[:7, :1]).fit(X)


def test_links_improve_the_partition():
    X, target = three_blobs(3.0, seed=2)
    known = some_links(target, 100)
    without, with_links = (CFCM(3, random_state=0).fit(X, constraints=k) for k in (None, known))
    assert scores(target, with_links.labels_)["ari"] > scores(target, without.labels_)["ari"]
    assert known.satisfaction(with_links.labels_).rate > 0.95


def test_cfcm_is_pcca_without_competition():
    X, target = three_blobs()
    problem = Problem(X, some_links(target))
    one = last(CFCM(3, constraint_weight=0.1, tol=1e-8), problem)
    other = last(PCCA(3, tol=1e-8), problem)
    np.testing.assert_allclose(one.partition.memberships, other.partition.memberships, atol=1e-6)
    np.testing.assert_allclose(one.objective, other.objective, rtol=1e-8)


def test_cfcm_metrics_follow_the_clusters_shapes():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(60, 2)) * [6.0, 0.5] + [0, c] for c in (-2.0, 2.0)])
    target = np.repeat([0, 1], 60)
    init = np.array([[0.0, -1.5], [0.0, 1.5]])
    fitted = CFCM(2, metric="mahalanobis", init=init).fit(X)
    np.testing.assert_allclose(np.linalg.det(fitted.state_.metrics), 1, rtol=1e-6)
    assert scores(target, fitted.labels_)["ari"] == 1
    assert (fitted.state_.metrics[:, 1, 1] > 5 * fitted.state_.metrics[:, 0, 0]).all()
    np.testing.assert_array_equal(fitted.predict(X), fitted.labels_)


def test_new_links_of_samples_unheard_of_are_taken_up():
    X, target = three_blobs(3.0)
    for solver in (PCCA(3), CFCM(3)):
        before = last(solver, Problem(X, some_links(target, 10, seed=1)))
        problem = Problem(X, some_links(target, 60, seed=2))
        state = solver.step(problem, before)
        assert len(state.linked) == len(np.unique(np.r_[problem.constraints.pairs.i, problem.constraints.pairs.j]))
        np.testing.assert_allclose(state.partition.memberships.sum(axis=1), 1)
