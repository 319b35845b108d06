"""Metrics learned from links: what each promises, and agreement with metric-learn."""

import json
import pickle
import warnings
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize

from benchmarks.metric_learn import SETTINGS, alike, bounds, iris_with_pairs, our_metric, our_solvers, ratio
from cclab import ITML, MMC, RCA, ConstraintSet, Problem, Session, XiangMetric, iterate
from cclab.algorithms.metric.itml import leap, sweep
from cclab.algorithms.metric.learned_metric import link_scatter, metric_root, scaled_samples
from cclab.session.storage.states import pack_state, unpack_state

ALL = [RCA, ITML, MMC, XiangMetric]
FOUND = json.loads((Path(__file__).parent / "metric_learn.json").read_text())


def stripes(seed=0, n=60):
    """Two long, thin, parallel clouds: k-means cuts them across. And ten true pairs."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % 2
    X = np.column_stack([rng.normal(scale=6, size=n), 2 * truth + rng.normal(scale=0.3, size=n)])
    pairs = np.array([rng.choice(n, 2, replace=False) for _ in range(16)])
    same = truth[pairs[:, 0]] == truth[pairs[:, 1]]
    return X, truth, ConstraintSet(n).with_must_link(pairs[same]).with_cannot_link(pairs[~same])


def right(labels, truth):
    return max((labels == truth).mean(), (labels != truth).mean())


def fitted(solver, X, known):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return solver.fit(X, constraints=known)


@pytest.mark.parametrize("name", ["RCA", "ITML", "MMC"])
def test_the_same_metric_as_metric_learn(name):
    """Up to where each stops: metric-learn's MMC keeps its constraint within 1 %, ITML ends by a tolerance."""
    problem, _ = iris_with_pairs()
    assert alike(our_metric(our_solvers(problem)[name], problem), np.array(FOUND[name])) > 0.999


def test_the_scale_is_that_of_metric_learn_too():
    problem, _ = iris_with_pairs()
    for name, tolerance in (("RCA", 1e-8), ("ITML", 0.02)):
        ours, theirs = our_metric(our_solvers(problem)[name], problem), np.array(FOUND[name])
        np.testing.assert_allclose(ours, theirs, atol=tolerance * np.abs(theirs).max())


@pytest.mark.parametrize("name", ["MMC", "MMC, diagonal"])
def test_no_metric_of_metric_learn_is_better_by_the_papers_measure(name):
    problem, pairs = iris_with_pairs()
    ours, theirs = our_metric(our_solvers(problem)[name], problem), np.array(FOUND[name])
    assert ratio(ours, problem, pairs) <= ratio(theirs, problem, pairs) * 1.001


@pytest.mark.parametrize("cls", ALL)
@pytest.mark.parametrize("seed", range(3))
def test_links_turn_the_metric_along_the_stripes(cls, seed):
    X, truth, known = stripes(seed)
    assert right(fitted(cls(2, random_state=0), X, ConstraintSet(len(X))).labels_, truth) < 0.8
    assert right(fitted(cls(2, random_state=0), X, known).labels_, truth) > 0.95


@pytest.mark.parametrize("cls", ALL)
def test_transform_makes_the_metric_euclidean(cls):
    X, _, known = stripes()
    model = fitted(cls(2, random_state=0), X, known)
    seen, v = model.transform(X), X[3] - X[8]
    assert ((seen[3] - seen[8]) ** 2).sum() == pytest.approx(v @ model.metric_ @ v)
    # A cluster's centre is the mean of its samples, in the data's own units.
    np.testing.assert_allclose(model.centers_[0], X[model.labels_ == 0].mean(axis=0))
    np.testing.assert_array_equal(model.predict(X), model.labels_)


@pytest.mark.parametrize("cls", [RCA, MMC])
def test_units_of_features_do_not_matter(cls):
    X, _, known = stripes()
    one, other = (fitted(cls(2, random_state=0), x, known) for x in (X, X * [1e-3, 1e4]))
    np.testing.assert_array_equal(one.labels_, other.labels_)
    back = other.metric_ * np.outer([1e-3, 1e4], [1e-3, 1e4])
    assert alike(back, one.metric_) == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("cls", ALL)
def test_one_unit_for_all_features_changes_nothing(cls):
    X, _, known = stripes()
    one, other = (fitted(cls(2, random_state=0), x, known) for x in (X, 1e5 * X))
    assert alike(one.metric_, other.metric_) == pytest.approx(1, abs=1e-9)
    np.testing.assert_array_equal(one.labels_, other.labels_)


# In RCA a chunklet is as certain as its weakest link, so these links would join what was apart.
@pytest.mark.parametrize("cls", [ITML, MMC, XiangMetric])
def test_a_link_of_no_weight_to_speak_of_says_nothing(cls):
    X, _, known = stripes()
    wrong = known.with_must_link([[0, 1], [2, 3]], weight=1e-9).with_cannot_link([[0, 2]], weight=1e-9)
    one, other = (Problem(X, k) for k in (known, wrong))
    solver = cls(2)
    near = solver.learned(one).metric, solver.learned(other).metric
    assert alike(*near) == pytest.approx(1, abs=1e-4)


@pytest.mark.parametrize("cls", ALL)
def test_first_the_metric_then_k_means(cls):
    X, _, known = stripes()
    states = list(iterate(cls(2), Problem(X, known)))
    settled = [state.learning.settled for state in states]
    assert settled == sorted(settled)
    assert not settled[0]
    turn = settled.index(True)
    np.testing.assert_array_equal(states[0].metric, np.eye(2))
    assert "k-means" in states[turn].notes[0]
    inertia = [state.objective for state in states[turn:]]
    assert (np.diff(inertia) <= 1e-9 * inertia[0]).all()
    assert sum(states[turn].gauges()[0].values) == pytest.approx(1)


@pytest.mark.parametrize("cls", ALL)
def test_other_starts_begin_with_the_metric_that_the_first_has_learned(cls):
    X, _, known = stripes()
    problem, solver = Problem(X, known), cls(2)
    np.testing.assert_array_equal(solver.start(problem, 3).learning.metric, solver.learned(problem).metric)


@pytest.mark.parametrize("cls", ALL)
def test_a_state_is_kept_and_found_again(cls):
    X, _, known = stripes()
    problem = Problem(X, known)
    for state in iterate(cls(2), problem, max_iter=2):
        again = unpack_state(*pack_state(state, X), X)
        np.testing.assert_array_equal(again.metric, state.metric)
        onward = cls(2).step(problem, again)
        assert pickle.dumps(onward.metric) == pickle.dumps(cls(2).step(problem, state).metric)


def test_new_links_start_the_metric_anew():
    X, truth, known = stripes()
    session = Session(X, ITML(2), seed=0)
    session.run()
    session.constrain(
        must_link=[[known.pairs.i[r], known.pairs.j[r]] for r in range(len(known.pairs)) if known.pairs.must[r]]
    )
    session.run()
    assert right(session.labels, truth) > 0.95


def test_scatter_of_links_is_the_mean_over_their_pairs():
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(12, 3))
    known = ConstraintSet(12).with_group([1, 4, 6, 7], weight=0.5).with_must_link([[0, 2], [1, 4]])
    pairs = known.must.expanded().tocoo()
    V = Z[pairs.row] - Z[pairs.col]
    expected = V.T @ (pairs.data[:, None] * V) / pairs.data.sum()
    np.testing.assert_allclose(link_scatter(known.must, Z), expected, atol=1e-12)


def test_chunklets_are_what_must_links_join():
    X, _, _ = stripes()
    known = ConstraintSet(60).with_must_link([[0, 2], [2, 4]]).with_group([1, 3])
    parts = [X[[0, 2, 4]], X[[1, 3]]]
    C = sum((part - part.mean(axis=0)).T @ (part - part.mean(axis=0)) for part in parts) / 5
    metric = fitted(RCA(2, ridge=0.0), X, known).metric_
    np.testing.assert_allclose(metric, np.linalg.inv(C), rtol=1e-6)


def test_the_metric_of_itml_is_the_optimum_of_its_objective():
    """Equation 7 with slack, minimised by a general method over triangular roots of the metric."""
    X, _, known = stripes(1)
    problem, limits = Problem(X, known), (4.0, 60.0)
    solver = ITML(2, bounds=limits, max_sweeps=5000, metric_tol=1e-10)
    A = solver.learned(problem).metric
    pairs = known.pairs
    V, limit = X[pairs.i] - X[pairs.j], np.where(pairs.must, *limits)

    def cost(entries):
        root = np.array([[np.exp(entries[0]), 0], [entries[1], np.exp(entries[2])]])
        M = root @ root.T
        p = np.einsum("ij,jk,ik->i", V, M, V)
        # The slack that is cheapest: none where a link holds.
        slack = np.where(pairs.must, np.maximum(p / limit, 1), np.minimum(p / limit, 1))
        return np.trace(M) - np.linalg.slogdet(M)[1] - 2 + (slack - np.log(slack) - 1).sum()

    best = min(
        (
            minimize(cost, x, method="Nelder-Mead", options={"xatol": 1e-10, "fatol": 1e-14, "maxiter": 4000})
            for x in ([0, 0, 0], [-2, 0, 1])
        ),
        key=lambda r: r.fun,
    )
    root = np.linalg.cholesky(A)
    ours = cost([np.log(root[0, 0]), root[1, 0], np.log(root[1, 1])])
    assert ours == pytest.approx(best.fun, rel=1e-5)


def test_a_newton_step_goes_where_sweeps_would_end():
    problem, _ = iris_with_pairs()
    solver = our_solvers(problem)["ITML"]
    (V, must, γ), A_0 = solver._links(problem), solver._prior(problem)
    ξ_0 = np.where(must, *solver._bounds(problem))

    def ended(*steps, sweeps):
        at = A_0, np.zeros(len(V)), ξ_0
        for _ in range(sweeps):
            for step in steps:
                at = step(at)
        return at

    def swept(at):
        return sweep(at[0], V, must, γ, *at[1:])

    def leapt(at):
        return leap(A_0, V, must, γ, ξ_0, *at)

    slow, quick = ended(swept, sweeps=1500), ended(swept, leapt, sweeps=20)
    for one, other in zip(slow, quick):
        assert np.allclose(one, other, rtol=1e-3, atol=1e-5 * np.abs(one).max())
    # Where a dual variable is above 0 the link is at its bound, and all others hold.
    p = np.einsum("ij,jk,ik->i", V, quick[0], V)
    δ = np.where(must, 1, -1)
    assert np.allclose(p[quick[1] > 0], quick[2][quick[1] > 0])
    assert (δ * (p - quick[2]) <= 1e-6 * p).all()


@pytest.mark.parametrize("diagonal", [False, True])
def test_mmc_lowers_its_ratio_at_every_step_and_ends_at_the_least(diagonal):
    problem, pairs = iris_with_pairs(40, seed=3)
    states = list(
        iterate(MMC(3, diagonal=diagonal, metric_tol=1e-9, max_sweeps=2000, ridge=0.0), problem, max_iter=3000)
    )
    learning = [state.learning for state in states if state.learning.sweeps]
    ratios = [step.objective for step in learning]
    assert (np.diff(ratios) <= 1e-12).all()
    least = ratio(learning[-1].metric, problem, pairs)
    rng = np.random.default_rng(0)
    for _ in range(200):
        off = rng.normal(size=(4, 4)) * 0.1
        root = metric_root(learning[-1].metric)
        root = root * np.exp(np.diag(np.diagonal(off))) if diagonal else root + off * np.abs(root).max()
        assert ratio(root @ root.T, problem, pairs) >= least * (1 - 1e-6)
    if diagonal:
        assert not (learning[-1].metric - np.diag(np.diagonal(learning[-1].metric))).any()


def test_xiang_takes_the_best_ratio_of_traces():
    X, _, known = stripes(2)
    problem = Problem(X, known)
    A = XiangMetric(2, n_components=1, ridge=1e-9).learned(problem).metric
    Z = scaled_samples(problem)
    S_w, S_b = link_scatter(known.must, Z), link_scatter(known.cannot, Z)
    angles = np.linspace(0, np.pi, 2000)
    W = np.column_stack([np.cos(angles), np.sin(angles)])
    best = (np.einsum("ij,jk,ik->i", W, S_b, W) / np.einsum("ij,jk,ik->i", W, S_w, W)).max()
    assert np.sum(A * S_b) / np.sum(A * S_w) >= best * (1 - 1e-6)
    assert np.trace(A) == pytest.approx(1)


def test_groups_and_separations_of_thousands_are_drawn_from():
    n = 6000
    rng = np.random.default_rng(0)
    truth = np.arange(n) % 2
    X = np.column_stack([rng.normal(scale=6, size=n), 3 * truth + rng.normal(scale=0.3, size=n)])
    known = (
        ConstraintSet(n)
        .with_group(np.flatnonzero(truth == 0))
        .with_separation(*(np.flatnonzero(truth == c) for c in (0, 1)))
    )
    for cls in (ITML, MMC):
        assert right(fitted(cls(2, random_state=0, n_init=2), X, known).labels_, truth) > 0.95


def test_words_for_what_makes_no_sense():
    X, _, known = stripes()
    with pytest.raises(ValueError, match="n_components=3 but there are only 2 features"):
        XiangMetric(2, n_components=3).fit(X)
    for wrong in (3.0, (1.0, -1.0), "far", (1.0, 2.0, 3.0)):
        with pytest.raises(ValueError, match="bounds must be two squared distances above 0"):
            ITML(2, bounds=wrong).fit(X)
    with pytest.raises(ValueError, match="2001 x 2001 metric; above 2000 features project"):
        RCA(2).fit(np.ones((3, 2001)) * [[1], [2], [3]])
    assert SETTINGS["gamma"] == ITML().gamma
    assert bounds(Problem(X, known))[0] > 0
