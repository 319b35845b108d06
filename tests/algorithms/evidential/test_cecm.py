"""Constrained evidential c-means: by hand, against a general solver, and on data."""

import numpy as np
import pytest
from scipy import optimize, sparse
from sklearn.metrics import rand_score

from cclab import CECM, ECM, ConstraintSet, Problem, iterate
from cclab.algorithms.evidential.free_masses import masses_of
from cclab.datasets import load_dataset

X = np.array([[0.0], [1.0], [3.0], [5.0]])
V = np.array([[0.5], [4.0]])


def written_out(X, masses, state, known, xi, variant, scale):
    """Eqs. 14, 20 and 21, pair by pair and set by set."""
    sets = state.geometry.focal.sets
    distance = 0.0
    for x, m in zip(X, masses):
        for members, mass in zip(sets, m):
            if members:
                v, S = (a[list(members)].mean(axis=0) for a in (state.centers, state.metrics))
                distance += len(members) * mass**2 * (x - v) @ S @ (x - v)
            else:
                distance += state.rho2 * mass**2
    links, count = 0.0, 0.0
    for must, operator in ((True, known.must), (False, known.cannot)):
        pairs = sparse.coo_array(sparse.triu(operator.expanded()))
        for i, j, weight in zip(pairs.row, pairs.col, pairs.data):
            count += weight
            for a, ma in zip(sets, masses[i]):
                for b, mb in zip(sets, masses[j]):
                    if not a or not b:
                        violated = variant == "cclab"
                    elif must:
                        violated = not (a == b and len(a) == 1)
                    else:
                        violated = bool(set(a) & set(b))
                    links += weight * ma * mb * violated
    return (1 - xi) * distance / scale / (len(X) * len(sets)) + xi * links / count


@pytest.mark.parametrize("variant", ["cclab", "paper"])
@pytest.mark.parametrize("metric", ["euclidean", "mahalanobis"])
def test_objective_is_the_printed_one(variant, metric):
    data = np.random.default_rng(0).normal(size=(12, 2))
    known = ConstraintSet(12).with_must_link([[0, 1], [2, 3]], weight=[1, 0.3]).with_cannot_link([[1, 2], [4, 5]])
    known = known.with_group([6, 7, 8]).with_separation([9, 10], [6, 7])
    cecm = CECM(3, xi=0.3, variant=variant, metric=metric, init=data[:3], rho2=5.0)
    scale = data.var(axis=0).mean() if variant == "cclab" else 1.0
    for state in iterate(cecm, Problem(data, known), max_iter=3):
        expected = written_out(data, state.partition.masses, state, known, 0.3, variant, scale)
        assert state.objective == pytest.approx(expected, rel=1e-9)


def test_one_must_link_by_hand():
    known = ConstraintSet(4).with_must_link([[1, 2]])
    cecm = CECM(2, init=V, rho2=100.0, variant="paper", xi=0.5)
    state = cecm.start(Problem(X, known))
    masses = state.partition.masses
    free = ECM(2, init=V, rho2=100.0).start(Problem(X)).partition.masses
    np.testing.assert_allclose(masses[[0, 3]], free[[0, 3]], rtol=1e-12)
    # Each end is optimal given the other: slopes 2 w m + g alike where there is mass, and no smaller elsewhere.
    for i, j in ((1, 2), (2, 1)):
        d = np.array([100.0, (X[i, 0] - 0.5) ** 2, (X[i, 0] - 4) ** 2, 2 * (X[i, 0] - 2.25) ** 2])
        none, one, two, _ = masses[j]
        apart = np.array([0, 1 - none - one, 1 - none - two, 1 - none])
        slope = 2 * 0.5 * d / (4 * 4) * masses[i] + 0.5 * apart
        on = masses[i] > 1e-9
        np.testing.assert_allclose(slope[on], slope[on].min(), atol=1e-4)
        assert (slope[~on] >= slope[on].min() - 1e-4).all()
    assert masses[1, 1] > free[1, 1]  # together in cluster 1 or 2, no longer torn
    assert masses[1].argmax() == masses[2].argmax()


@pytest.mark.parametrize("variant", ["cclab", "paper"])
@pytest.mark.parametrize("metric", ["euclidean", "mahalanobis"])
def test_never_rises(variant, metric):
    for seed in range(8):
        rng = np.random.default_rng(seed)
        data = rng.normal(size=(40, 2)) * 10 ** rng.uniform(-2, 2)
        pairs = rng.permutation([(i, j) for i in range(40) for j in range(i)])
        known = ConstraintSet(40).with_must_link(pairs[:15], weight=rng.uniform(0.01, 1, 15))
        known = known.with_cannot_link(pairs[-15:]).with_group(rng.choice(40, 6, replace=False))
        cecm = CECM(3, variant=variant, metric=metric, xi=rng.uniform(0.05, 0.95), tol=0)
        objectives = [s.objective for s in iterate(cecm, Problem(data, known, seed=seed), max_iter=8)]
        assert np.diff(objectives).max() <= 1e-10 * objectives[0]


def joint_cost(flat, w, pairs_must, pairs_cannot, U, T, kappa):
    """What the masses of all samples cost together, and its gradient."""
    m = flat.reshape(w.shape)
    value, gradient = np.sum(w * m**2), 2 * w * m
    for pairs, form in ((pairs_must, U), (pairs_cannot, T)):
        for i, j in pairs:
            value += kappa * m[i] @ form @ m[j]
            gradient[i] += kappa * form @ m[j]
            gradient[j] += kappa * form @ m[i]
    return value, gradient.ravel()


def test_the_joint_problem_against_a_general_solver():
    ratios = []
    for seed in range(15):
        rng = np.random.default_rng(seed)
        data = rng.normal(size=(9, 2))
        pairs = rng.permutation([(i, j) for i in range(9) for j in range(i)])[:7]
        must, cannot = pairs[:4], pairs[4:]
        known = ConstraintSet(9).with_must_link(must).with_cannot_link(cannot)
        state = CECM(2, init=data[:2] + 0.3).start(Problem(data, known))
        masses, geometry = state.partition.masses, state.geometry
        w = np.column_stack([np.full(9, state.rho2), geometry.costs(geometry.lift(data)).T])
        w *= 0.5 / (9 * 4 * data.var(axis=0).mean())
        U = 1 - np.diag([0.0, 1, 1, 0])
        T = np.array([[1.0, 1, 1, 1], [1, 1, 0, 1], [1, 0, 1, 1], [1, 1, 1, 1]])
        problem = (w, must, cannot, U, T, 0.5 / 7)
        free = masses_of(data, geometry, state.rho2, 2.0)

        unlinked = np.setdiff1d(np.arange(9), pairs)
        np.testing.assert_allclose(masses[unlinked], free[unlinked], rtol=1e-10)
        ours, slope = joint_cost(masses.ravel(), *problem)
        assert ours == pytest.approx(state.objective, rel=1e-9)
        # Stationary: no way into the simplices goes down ...
        steepest = slope.reshape(9, 4).min(axis=1) - np.sum(slope.reshape(9, 4) * masses, axis=1)
        assert steepest.min() > -1e-3
        # ... and a minimum: nor does any small move of all samples at once.
        for _ in range(50):
            aside = 0.98 * masses + 0.02 * rng.dirichlet(np.full(4, 0.3), size=9)
            assert joint_cost(aside.ravel(), *problem)[0] > ours * (1 - 1e-6)

        rows = {
            "type": "eq",
            "fun": lambda flat: flat.reshape(9, 4).sum(axis=1) - 1,
            "jac": lambda flat: np.kron(np.eye(9), np.ones(4)),
        }
        general = optimize.minimize(
            joint_cost, free.ravel(), args=problem, jac=True, method="SLSQP", bounds=[(0, 1)] * 36, constraints=rows
        )
        ratios.append(ours / general.fun)
    assert np.mean(ratios) < 1.01
    assert np.median(ratios) < 1.0001


def test_without_links_it_is_ecm():
    data = np.random.default_rng(0).normal(size=(30, 2))
    one = CECM(3, random_state=0, metric="mahalanobis").fit(data)
    other = ECM(3, random_state=0, metric="mahalanobis").fit(data)
    np.testing.assert_allclose(one.partition_.masses, other.partition_.masses, atol=1e-9)


@pytest.mark.parametrize("factor", [1e-3, 1e3])
def test_xi_does_not_depend_on_units(factor):
    data = np.random.default_rng(0).normal(size=(40, 2))
    known = ConstraintSet(40).with_must_link([[0, 1], [2, 3]]).with_cannot_link([[4, 5], [6, 7]])
    one = CECM(3, init=data[:3]).fit(data, constraints=known)
    other = CECM(3, init=factor * data[:3]).fit(factor * data, constraints=known)
    np.testing.assert_allclose(other.partition_.masses, one.partition_.masses, atol=1e-6)
    assert other.objective_ == pytest.approx(one.objective_)


def test_print_rewards_mass_on_the_empty_set():
    data = np.random.default_rng(0).normal(size=(40, 2))
    known = ConstraintSet(40).with_must_link([[0, 1], [2, 3], [4, 5]]).with_cannot_link([[0, 2], [6, 7]])
    empty = {
        v: CECM(2, variant=v, init=data[:2], rho2=4.0).fit(data, constraints=known).partition_.empty_mass[:8].mean()
        for v in ("cclab", "paper")
    }
    assert empty["paper"] > empty["cclab"]


# ---------------------------------------------------------------------- knowledge of other kinds


def test_labels_confine_the_mass():
    data = np.random.default_rng(0).normal(size=(30, 2))
    known = ConstraintSet(30).with_labels({0: 2, 1: {0, 1}, 2: 0})
    belief = CECM(3, random_state=0).fit(data, constraints=known).partition_
    assert belief.belief([2])[0] == pytest.approx(1)
    assert belief.belief([0, 1])[1] == pytest.approx(1)
    assert belief.labels()[[0, 2]].tolist() == [2, 0]


def test_an_uncertain_label_pulls_and_may_lose():
    data = np.array([[0.0], [0.2], [5.0], [5.2], [0.1]])
    start = np.array([[0.1], [5.1]])
    beliefs = [
        CECM(2, init=start, xi=xi).fit(data, constraints=ConstraintSet(5).with_labels({4: 1}, weight=0.5)).partition_
        for xi in (0.0, 0.01, 0.9)
    ]
    toward = [b.pignistic[4, 1] for b in beliefs]
    assert toward[0] < toward[1] < toward[2]
    assert beliefs[0].labels()[4] == 0
    assert beliefs[2].labels()[4] == 1


def test_shares_equal_repeating():
    rng = np.random.default_rng(0)
    few = rng.normal(size=(12, 2))
    times = rng.integers(1, 4, size=12)
    many, place = np.repeat(few, times, axis=0), np.repeat(np.arange(12), times)
    a, b = np.arange(4), np.arange(4, 9)
    compact = ConstraintSet(12).with_group(a, shares=times[a]).with_separation(a, b, shares=(times[a], times[b]))
    a_many, b_many = (np.flatnonzero(np.isin(place, s)) for s in (a, b))
    full = ConstraintSet(len(many)).with_group(a_many).with_separation(a_many, b_many)
    states = [
        list(iterate(CECM(2, init=few[:2]), Problem(x, k, sample_weight=s), max_iter=6))[-1]
        for x, k, s in ((few, compact, times), (many, full, None))
    ]
    assert states[0].objective == pytest.approx(states[1].objective, rel=1e-5)
    np.testing.assert_allclose(states[0].partition.masses[place], states[1].partition.masses, atol=1e-3)


def test_affinity_smooths():
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1], 50)
    line = (truth + 0.6 * rng.normal(size=100))[:, None]
    ties = sparse.diags_array([np.ones(99), np.ones(99)], offsets=[-1, 1])
    cecm = CECM(2, init=[[0.0], [1.0]])
    wrong = [
        (cecm.solve(Problem(line, affinity=a)).partition.labels() != truth).sum()
        for a in (None, 0.1 * ties, 0.5 * ties)
    ]
    assert wrong[2] < wrong[1] < wrong[0]


def test_affinity_is_no_statement():
    data = np.random.default_rng(0).normal(size=(20, 2))
    known = ConstraintSet(20).with_must_link([[0, 1]])
    ties = 1e-9 * sparse.eye_array(20, k=1)
    one, other = (CECM(2, init=data[:2]).solve(Problem(data, known, affinity=a)) for a in (None, ties))
    assert one.objective == pytest.approx(other.objective, rel=1e-6)


# ---------------------------------------------------------------------- states


def test_a_state_holds_the_masses_of_linked_samples_only():
    data = np.random.default_rng(0).normal(size=(500, 2))
    known = ConstraintSet(500).with_must_link([[3, 7]]).with_cannot_link([[7, 400]])
    state = CECM(3, random_state=0, n_init=1, max_iter=5).fit(data, constraints=known).state_
    assert state.linked.tolist() == [3, 7, 400]
    assert state.linked_masses.shape == (3, 8)
    np.testing.assert_allclose(state.partition.masses[state.linked], state.linked_masses)


def test_rebase_keeps_the_geometry_and_takes_the_new_knowledge():
    data = np.random.default_rng(0).normal(size=(60, 2))
    cecm = CECM(3, random_state=0)
    known = ConstraintSet(60).with_must_link([[0, 1], [2, 3]])
    old, new = Problem(data, known), Problem(data, known.with_cannot_link([[1, 9]]).without(1).with_labels({5: 2}))
    state = cecm.step(old, cecm.start(old))
    moved = cecm.rebase(old, new, state)
    assert moved.iteration == state.iteration
    np.testing.assert_array_equal(moved.centers, state.centers)
    assert moved.linked.tolist() == [0, 1, 5, 9]
    assert moved.partition.belief([2])[5] == pytest.approx(1)
    assert moved.terms["cannot-links"] >= 0
    after = cecm.step(new, moved)
    assert after.objective <= moved.objective * (1 + 1e-10)
    none = cecm.rebase(new, Problem(data), moved)
    np.testing.assert_allclose(none.partition.masses, cecm.believe(data, state).masses, rtol=1e-9)


def test_two_large_groups_cost_no_pairs():
    n = 20_000
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1], n // 2)
    data = rng.normal(size=(n, 2)) + 2 * truth[:, None]
    a, b = np.flatnonzero(truth == 0)[:8000], np.flatnonzero(truth == 1)[:8000]
    known = ConstraintSet(n).with_group(a).with_group(b).with_separation(a, b)
    labels = CECM(2, init=[[0.0, 0.0], [2.0, 2.0]], max_iter=3).fit(data, constraints=known).labels_
    assert (labels[a] == labels[a[0]]).all()
    assert (labels[b] != labels[a[0]]).all()


# ---------------------------------------------------------------------- data


def links(truth, n, seed):
    """Pairs drawn at random, answered by the truth."""
    pairs = np.random.default_rng(seed).permutation([(i, j) for i in range(len(truth)) for j in range(i)])[:n]
    same = truth[pairs[:, 0]] == truth[pairs[:, 1]]
    return ConstraintSet(len(truth)).with_must_link(pairs[same]).with_cannot_link(pairs[~same])


def test_iris_with_a_hundred_links():
    iris = load_dataset("iris")
    found = [
        CECM(3, metric="mahalanobis", n_init=1, random_state=s).fit(iris.X, constraints=links(iris.target, 100, s))
        for s in range(3)
    ]
    assert np.mean([rand_score(iris.target, cecm.labels_) for cecm in found]) > 0.96


def test_ten_links_turn_two_class_the_right_way():
    data = load_dataset("two_class")
    for seed in range(2):
        known = links(data.target, 10, seed)
        cecm = CECM(2, metric="mahalanobis", random_state=seed).fit(data.X, constraints=known)
        assert rand_score(data.target, cecm.labels_) > 0.95


def test_news_after_convergence_count_as_much_as_from_the_start():
    iris = load_dataset("iris")
    cecm = CECM(3, metric="mahalanobis", n_init=1)
    rates = []
    for seed in range(3):
        nothing, known = Problem(iris.X, seed=seed), Problem(iris.X, links(iris.target, 100, seed), seed=seed)
        before = cecm.solve(nothing)
        *_, after = iterate(cecm, known, state=cecm.rebase(nothing, known, before))
        rates.append([rand_score(iris.target, s.partition.labels()) for s in (after, cecm.solve(known))])
    late, early = np.mean(rates, axis=0)
    assert late > early - 0.005
