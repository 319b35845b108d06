"""MPCKMeans beside its published equations, written out pair by pair."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from cclab import ConstraintSet, MPCKMeans, Problem, iterate
from cclab.algorithms.kmeans.mpckmeans import MeasuredLinks
from tests.algorithms.kmeans.test_pckmeans import matrices, random_knowledge

KINDS = [(metric, shape) for metric in ("single", "per cluster") for shape in ("diagonal", "full")]


def squared(x, A):
    return float(x @ A @ x)


def metric_of(state, cluster):
    return state.metrics[min(cluster, len(state.metrics) - 1)]


def farthest(X, A):
    """The two samples farthest apart, by looking at all pairs."""
    d = np.array([[squared(a - b, A) for b in X] for a in X])
    return np.unravel_index(d.argmax(), d.shape), d.max()


def literal_costs(X, state, known):
    """What broken must-links and broken cannot-links cost, by Eqs. (5) and (6)."""
    W, C = matrices(known)
    labels, must, cannot = state.labels, 0.0, 0.0
    spans = [farthest(X, metric_of(state, h))[1] for h in range(len(state.centers))]
    for i in range(len(X)):
        for j in range(i):
            A, B = metric_of(state, labels[i]), metric_of(state, labels[j])
            if labels[i] != labels[j]:
                must += W[i, j] * (squared(X[i] - X[j], A) + squared(X[i] - X[j], B)) / 2
            else:
                cannot += C[i, j] * (spans[labels[i]] - squared(X[i] - X[j], A))
    return must, cannot


def problem_with_links(seed, n=30):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2)) * [1.0, 3.0] + 50
    return Problem(X, random_knowledge(n, rng), seed=seed)


@pytest.mark.parametrize(("metric", "shape"), KINDS)
def test_the_objective_is_the_sum_over_samples_and_pairs(metric, shape):
    problem = problem_with_links(0)
    X = np.asarray(problem.X)
    solver = MPCKMeans(3, metric=metric, shape=shape, closure=False, penalty=0.5)
    for state in iterate(solver, problem, max_iter=3):
        own = sum(
            squared(x - state.centers[h], metric_of(state, h)) - np.linalg.slogdet(metric_of(state, h))[1]
            for x, h in zip(X, state.labels)
        )
        must, cannot = literal_costs(X, state, problem.constraints)
        assert state.terms["distances"] == pytest.approx(own)
        assert state.terms["must-links"] == pytest.approx(0.5 * must, abs=1e-8)
        assert state.terms["cannot-links"] == pytest.approx(0.5 * cannot, abs=1e-8)


@pytest.mark.parametrize(("metric", "shape"), KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_a_pass_is_the_loop_over_samples(metric, shape, seed):
    problem = problem_with_links(seed)
    X, known, k = np.asarray(problem.X), problem.constraints, 3
    W, C = matrices(known)
    solver = MPCKMeans(k, metric=metric, shape=shape, closure=False)
    before = solver.step(problem, solver.start(problem))
    after = solver.step(problem, before)
    A = [metric_of(after, h) for h in range(k)]
    spans = [farthest(X, a)[1] for a in A]
    own = np.array([[squared(x - v, a) - np.linalg.slogdet(a)[1] for v, a in zip(after.centers, A)] for x in X])
    linked = np.flatnonzero((W + C).any(axis=1))
    order = linked[problem.rng(0, after.iteration).permutation(len(linked))]

    def one_pass(labels):
        labels = labels.copy()
        for i in order:
            cost = own[i].copy()
            for j in linked:
                d = [squared(X[i] - X[j], a) for a in A]
                for h in range(k):
                    if labels[j] == h:
                        cost[h] += C[i, j] * (spans[h] - d[h])
                    elif labels[j] >= 0 or metric == "per cluster":
                        # What a partner that is nowhere yet would add is half of the distance under each metric.
                        cost[h] += W[i, j] * (d[h] + (d[labels[j]] if labels[j] >= 0 else 0)) / 2
            labels[i] = cost.argmin()
        return labels

    def total(labels):
        must, cannot = literal_costs(X, replace(after, labels=labels), known)
        return own[np.arange(len(X)), labels].sum() + must + cannot

    free = ~(W + C).any(axis=1)
    begin = np.where(free, own.argmin(axis=1), before.labels)
    anew = one_pass(np.where(free, begin, -1))
    wanted = anew if total(anew) <= total(begin) else one_pass(begin)
    np.testing.assert_array_equal(after.labels, wanted)


@pytest.mark.parametrize(("metric", "shape"), KINDS)
def test_metrics_are_learned_from_scatter_and_broken_links(metric, shape):
    problem = problem_with_links(1)
    X, (W, C), k = np.asarray(problem.X), matrices(problem.constraints), 2
    solver = MPCKMeans(k, metric=metric, shape=shape, closure=False, penalty=0.3, prior=2.0)
    state = solver.step(problem, solver.start(problem))
    after = solver.step(problem, state)
    scatters = []
    for h in range(k):
        inside = state.labels == h
        off = X[inside] - X[inside].mean(axis=0)
        (a, b), _ = farthest(X, metric_of(state, h))
        span, links, apart = X[a] - X[b], np.zeros((2, 2)), np.zeros((2, 2))
        for i in range(len(X)):
            for j in range(i):
                x = np.outer(X[i] - X[j], X[i] - X[j])
                links += 0.3 * W[i, j] * x / 2 * (inside[i] != inside[j])
                apart += 0.3 * C[i, j] * (np.outer(span, span) - x) * (inside[i] and inside[j])
        values, vectors = np.linalg.eigh(apart)
        scatters.append((inside.sum(), off.T @ off, links + vectors @ np.diag(np.maximum(values, 0)) @ vectors.T))
    pooled = sum(s for _, s, _ in scatters) / len(X)
    wanted = [(n + 2, s + more + 2 * pooled) for n, s, more in scatters]
    if metric == "single":
        wanted = [(len(X), sum(s + more for _, s, more in scatters))]
    for (n, S), learned in zip(wanted, after.metrics, strict=True):
        S = np.diag(np.diag(S)) if shape == "diagonal" else S
        np.testing.assert_allclose(learned, n * np.linalg.inv(S), rtol=1e-6)


def stretched(seed, turn=0.0):
    """Two clusters side by side, in a direction that noise in the other drowns."""
    rng = np.random.default_rng(seed)
    side = np.arange(120) % 2
    X = np.column_stack([5 * side + rng.normal(size=120), 5 * rng.normal(size=120)])
    X = X @ np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    pairs = rng.permutation(120).reshape(-1, 2)
    same = side[pairs[:, 0]] == side[pairs[:, 1]]
    known = ConstraintSet(120).with_must_link(pairs[same]).with_cannot_link(pairs[~same])
    return X, side, known


@pytest.mark.parametrize(("metric", "shape"), KINDS)
def test_links_teach_which_direction_matters(metric, shape):
    turn = 0.0 if shape == "diagonal" else 0.7
    across = np.array([np.cos(turn), -np.sin(turn)])
    along = np.array([np.sin(turn), np.cos(turn)])
    found = 0
    for seed in range(3):
        X, side, known = stretched(seed, turn)
        model = MPCKMeans(2, metric=metric, shape=shape, random_state=seed).fit(X, constraints=known)
        agree = (model.labels_ == side).mean()
        found += max(agree, 1 - agree) > 0.9
        assert all(squared(across, A) > 5 * squared(along, A) for A in model.state_.metrics)
    assert found >= 2


def test_features_that_matter_are_shown():
    X, _, known = stretched(0)
    state = MPCKMeans(2, random_state=0).fit(X, constraints=known).state_
    (gauge,) = state.gauges()
    assert gauge.labels == ("feature 1", "feature 2")
    assert gauge.values[0] > gauge.values[1]
    each = MPCKMeans(2, metric="per cluster", random_state=0).fit(X, constraints=known).state_.gauges()
    assert [len(gauge.values) for gauge in each] == [2, 2]


def test_a_large_group_costs_what_its_pairs_do():
    problem = problem_with_links(2)
    solver = MPCKMeans(3, metric="per cluster", shape="full", closure=False)
    state = solver.start(problem)
    links = MeasuredLinks.of(problem, solver._linked(problem), state.metrics, 3)
    must, cannot = links.broken(state.labels[links.linked.samples])
    assert (must, cannot) == pytest.approx(literal_costs(np.asarray(problem.X), state, problem.constraints))


def test_bad_parameters_are_named():
    with pytest.raises(ValueError, match="metric must be one of"):
        MPCKMeans(2, metric="own").fit(np.eye(4))
    with pytest.raises(ValueError, match="MPCKMeans takes no sparse samples"):
        MPCKMeans(2).check(Problem(sparse.csr_array(np.eye(4))))
