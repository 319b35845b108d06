"""CMKIPCM: the objective is the paper's, every update minimises its block, and nothing ever raises it."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.metrics import adjusted_rand_score

from cclab import CMKIPCM, ConstraintSet, Problem, iterate
from cclab.algorithms.multikernel import link_sweeps
from cclab.algorithms.multikernel.kernels import best_weights, choose_kernels


def random_problem(seed, n=24, n_links=20, **more):
    """Noise with any links, many of which contradict each other."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)) + 2 * rng.integers(0, 3, size=(n, 1))
    pairs = rng.permutation([(i, j) for i in range(n) for j in range(i)])[:n_links]
    weight = rng.uniform(0.05, 1, size=n_links)
    half = n_links // 2
    known = ConstraintSet(n).with_must_link(pairs[:half], weight=weight[:half])
    known = known.with_cannot_link(pairs[half:], weight=weight[half:])
    if seed % 2:
        a, b = np.split(rng.permutation(n)[:9], [5])
        known = known.with_group(a, weight=0.7).with_separation(a[:3], b)
    return Problem(X, known, seed=seed, **more)


def random_solver(seed, **more):
    rng = np.random.default_rng(seed + 1000)
    params = {
        "constraint_weight": float(rng.choice([0.1, 1, 10, 100])),
        "fuzzifier": float(rng.uniform(1.2, 2.5)),
        "typicality_exponent": float(rng.uniform(1.2, 2.5)),
        "weight_exponent": float(rng.choice([1.5, 2, 3])),
        "typicality_scale": float(rng.choice([1, 4])),
        "kernels": ["spectral 2, rbf 3", "rbf 4", "polynomial 2, spectral 1"][seed % 3],
        "variant": "paper" if seed % 5 == 0 else "cclab",
        "max_iter": 12,
    }
    return CMKIPCM(3, **{**params, **more})


def equation_4(solver, problem, state):
    """The objective, with every sum written out."""
    m, p = solver.exponents
    q, w, known = solver.weight_exponent, problem.weights, problem.constraints
    kernels = choose_kernels(problem, solver.kernels, centered=solver.variant != "paper")
    scale = np.ones(len(kernels)) if solver.variant == "paper" else kernels.scale
    K = kernels.matmul(np.eye(problem.n_samples))
    U, T = state.memberships, state.typicalities
    a = U**m * T**p
    share = w[:, None] * a / (w @ a)
    total = 0.0
    for k in range(len(kernels)):
        Q = np.diag(K[k])[:, None] - 2 * K[k] @ share + np.diag(share.T @ K[k] @ share)
        total += state.kernel_weights[k] ** q * scale[k] * (w @ (a * Q)).sum()
    total += (w @ (U**m * (1 - T) ** p)) @ state.eta
    must, cannot = known.must.expanded().toarray(), known.cannot.expanded().toarray()
    for i in range(problem.n_samples):
        for j in range(i):
            total += state.alpha * must[i, j] * (a[i].sum() * a[j].sum() - a[i] @ a[j])
            total += state.alpha * cannot[i, j] * (a[i] @ a[j])
    return total


@pytest.mark.parametrize("seed", range(6))
def test_objective_is_equation_4_at_the_states_own_fields(seed):
    weight = np.random.default_rng(seed).integers(1, 4, 24) if seed > 2 else None
    problem, solver = random_problem(seed, sample_weight=weight), random_solver(seed)
    for state in iterate(solver, problem, max_iter=4):
        np.testing.assert_allclose(state.objective, equation_4(solver, problem, state), rtol=1e-9)
        assert set(state.terms) == {"compactness", "atypicality", "must-links", "cannot-links"}
        np.testing.assert_allclose(sum(state.terms.values()), state.objective)
        np.testing.assert_allclose(state.kernel_weights.sum(), 1)


@pytest.mark.parametrize("seed", range(8))
def test_a_linked_samples_update_minimises_its_block(seed):
    """One sample linked to others that are held: its new row against a search over all rows."""
    rng = np.random.default_rng(seed)
    solver = random_solver(seed, variant="cclab")
    X = rng.normal(size=(12, 2))
    known = ConstraintSet(12).with_must_link([[0, 1], [0, 2]]).with_cannot_link([[0, 3], [0, 4]])
    problem = Problem(X, known, seed=seed)
    state = solver.step(problem, solver.start(problem))
    new = solver.step(problem, state)
    m, p = solver.exponents
    # Sample 0, the hub, comes last, so its partners are what they are in the new state.
    a = new.memberships**m * new.typicalities**p
    S = sum(a[j].sum() - a[j] for j in (1, 2)) + sum(a[j] for j in (3, 4))
    E = state.distances[0] + state.alpha * S

    def block(u, t):
        return np.sum(u**m * (t**p * E + state.eta * (1 - t) ** p))

    def free(z):
        u = np.exp(z[:3] - z[:3].max())
        return block(u / u.sum(), 1 / (1 + np.exp(-z[3:])))

    best = min(minimize(free, z, method="L-BFGS-B").fun for z in rng.normal(size=(5, 6)))
    ours = block(new.memberships[0], new.typicalities[0])
    assert ours <= best + 1e-9
    np.testing.assert_allclose(ours, best, rtol=1e-2)


@pytest.mark.parametrize("q", [1.5, 2.0, 3.0])
def test_kernel_weights_minimise_their_block(q):
    rng = np.random.default_rng(0)
    for _ in range(20):
        Y = rng.gamma(1.0, size=5)
        omega = best_weights(Y, q, np.ones(5, dtype=bool))
        others = rng.dirichlet(np.ones(5), size=2000)
        near = omega + 1e-3 * rng.normal(size=(2000, 5))
        near = np.abs(near) / np.abs(near).sum(axis=1, keepdims=True)
        assert omega**q @ Y <= np.min(np.vstack([others, near]) ** q @ Y) + 1e-12


def test_kernels_without_spread_get_no_weight():
    np.testing.assert_allclose(best_weights(np.array([0.0, 2.0, 2.0]), 2, np.array([False, True, True])), [0, 0.5, 0.5])


def rises(run):
    objectives = np.array([state.objective for state in run])
    return np.diff(objectives) > 1e-9 * np.abs(objectives[:-1])


def test_objective_never_rises_on_random_problems():
    for seed in range(60):
        weight = np.random.default_rng(seed).uniform(0.5, 3, 24) if seed % 4 == 3 else None
        run = iterate(random_solver(seed), random_problem(seed, sample_weight=weight))
        assert not rises(run).any(), f"rose for seed {seed}"


def test_objective_never_rises_when_groups_go_in_batches(monkeypatch):
    monkeypatch.setattr(link_sweeps, "LARGEST_GROUP", 4)
    monkeypatch.setattr(link_sweeps, "BATCHES", 3)
    for seed in range(1, 60, 2):
        assert not rises(iterate(random_solver(seed), random_problem(seed))).any(), f"rose for seed {seed}"


def test_objective_never_rises_when_samples_stand_for_several():
    for seed in range(20):
        shares = np.random.default_rng(seed).integers(1, 5, size=24).astype(float)
        problem = random_problem(seed, sample_weight=shares)
        members = np.random.default_rng(seed).permutation(24)[:8]
        known = problem.constraints.with_group(members, shares=shares[members])
        assert not rises(iterate(random_solver(seed), problem.with_constraints(known))).any(), f"rose for seed {seed}"


def test_objective_never_rises_with_ties_of_the_data():
    for seed in range(20):
        ties = np.abs(np.random.default_rng(seed).normal(size=(24, 24)))
        ties = np.triu(ties * (ties > 1.5), 1)
        run = iterate(random_solver(seed), random_problem(seed, affinity=0.1 * (ties + ties.T)))
        assert not rises(run).any(), f"rose for seed {seed}"


def test_with_a_ramp_the_objective_falls_once_it_is_over():
    problem, solver = random_problem(2), CMKIPCM(3)
    run = list(iterate(solver, problem, max_iter=30))
    alphas = np.array([state.alpha for state in run])
    np.testing.assert_allclose(alphas[:12] / alphas[-1], np.minimum(0.1 + 0.09 * np.arange(12), 1))
    assert not rises(run[10:]).any()
    assert not solver.converged(run[3], replace(run[4], shift=0.0)), "not before the links have their full weight"


def test_a_large_group_settles_in_one_cluster():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 2)) + 3 * rng.integers(0, 2, size=(3000, 1))
    group = np.arange(1200)  # half of it in either cloud
    problem = Problem(X, ConstraintSet(3000).with_group(group))
    solver = CMKIPCM(2, kernels="spectral 2", constraint_weight=10.0)
    run = list(iterate(solver, problem, max_iter=8))
    assert not rises(run).any()
    belief = run[-1].partition
    assert len(np.unique(belief.labels()[group])) == 1
    assert np.median(belief.typicalities[group].max(axis=1)) > 0.3, "no group of outliers"


def test_new_knowledge_holds_at_once_and_the_objective_follows():
    problem, solver = random_problem(2), CMKIPCM(3, weight_exponent=3.0)
    state = list(iterate(solver, problem, max_iter=5))[-1]
    more = problem.with_constraints(problem.constraints.with_must_link([[0, 1], [2, 3]]))
    new = solver.rebase(problem, more, state)
    assert new.alpha == new.full_alpha > state.alpha
    np.testing.assert_array_equal(new.eta, state.eta)
    np.testing.assert_allclose(new.objective, equation_4(solver, more, new), rtol=1e-9)
    assert solver.step(more, new).objective <= new.objective


def test_result_does_not_depend_on_the_unit_of_a_kernel():
    X = random_problem(0).X
    K = np.exp(-((X[:, None] - X) ** 2).sum(axis=2) / 5)
    known = random_problem(0).constraints
    one, other = (
        list(iterate(CMKIPCM(3, kernels=[s * K, "spectral 2"]), Problem(X, known, seed=1), max_iter=9))[-1]
        for s in (1.0, 1e4)
    )
    np.testing.assert_allclose(one.memberships, other.memberships, atol=1e-8)
    np.testing.assert_allclose(one.kernel_weights, other.kernel_weights, atol=1e-8)


def test_variant_of_the_paper_is_as_printed():
    problem = random_problem(4)
    solver = CMKIPCM(3, variant="paper")
    state = solver.start(problem)
    a = state.memberships**2 * state.typicalities**2
    n_links = problem.constraints.must.total + problem.constraints.cannot.total
    np.testing.assert_allclose(state.alpha, 24 * (a * state.distances).sum() / (n_links * a.sum()))  # Eq. 15
    np.testing.assert_allclose(state.eta, (a * state.distances).sum(axis=0) / a.sum(axis=0))  # Eq. 5
    Q, Y = choose_kernels(problem, solver.kernels, centered=False).distances(a)
    np.testing.assert_allclose(state.kernel_weights, (1 / Y) / (1 / Y).sum())  # Eq. 8
    np.testing.assert_allclose(state.distances, np.tensordot(state.kernel_weights**2, Q, 1))  # Eq. 35
    assert solver.start(problem.with_constraints(ConstraintSet(24))).alpha == 0


def clouds(n=150, seed=0):
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % 3
    return np.array([[0.0, 0.0], [5.0, 0.5], [2.0, 5.0]])[truth] + rng.normal(size=(n, 2)), truth


def test_links_are_kept_and_clusters_found():
    X, truth = clouds()
    pairs = np.random.default_rng(1).permutation(150).reshape(-1, 2)
    same = truth[pairs[:, 0]] == truth[pairs[:, 1]]
    model = CMKIPCM(3, random_state=0).fit(X, must_link=pairs[same], cannot_link=pairs[~same])
    assert adjusted_rand_score(truth, model.labels_) > 0.95
    together = model.labels_[pairs[:, 0]] == model.labels_[pairs[:, 1]]
    assert (together == same).mean() > 0.97


def test_a_soft_link_says_less():
    X = np.concatenate([np.linspace(-1, 1, 20), np.linspace(3, 5, 20), [1.95]])[:, None]
    pulls = []
    for weight in (1e-3, 0.1, 1.0):
        known = ConstraintSet(41).with_must_link([[40, 30]], weight=weight)
        state = list(iterate(CMKIPCM(2, kernels="spectral 1", init=[[0.0], [4.0]]), Problem(X, known)))[-1]
        pulls.append(state.memberships[40, 1])
    assert pulls[0] < 0.5 < pulls[2], "alone it is in the first cluster, linked in the second"
    assert pulls == sorted(pulls)


def test_outliers_are_told():
    X, truth = clouds()
    V = np.array([X[truth == c].mean(axis=0) for c in range(3)])
    model = CMKIPCM(3, init=V, kernels="spectral 2").fit(np.vstack([X, [[40.0, -40.0]]]))
    np.testing.assert_array_equal(np.flatnonzero(model.partition_.outliers()), [150])


def test_gauges_name_the_kernels():
    X, _ = clouds()
    (gauge,) = CMKIPCM(3).fit(X).state_.gauges()
    assert gauge.labels == ("spectral 1", "spectral 2", *(f"rbf {2**k}" for k in range(6, -1, -1)))
    np.testing.assert_allclose(sum(gauge.values), 1)


def test_landmarks_are_chosen_beyond_the_memory_said_so_and_agree():
    X, _ = clouds(900)
    exact, near = CMKIPCM(3, random_state=0).fit(X), CMKIPCM(3, random_state=0, memory=1e5, n_landmarks=80)
    notes = near.start(Problem(X)).notes
    assert ["80 landmarks" in note for note in notes] == [True]
    assert adjusted_rand_score(exact.labels_, near.fit(X).labels_) > 0.995


def test_linked_directions_move_samples_that_no_link_touches():
    rng = np.random.default_rng(0)
    truth = np.arange(120) % 2
    X = np.column_stack([3 * rng.normal(size=120), 3 * rng.normal(size=120), rng.normal(size=120) + 3.5 * truth])
    pairs = rng.permutation(120)[:60].reshape(-1, 2)
    same = truth[pairs[:, 0]] == truth[pairs[:, 1]]
    known = ConstraintSet(120).with_must_link(pairs[same]).with_cannot_link(pairs[~same])
    free = ~known.constrained
    score = {}
    for kernels in ("spectral 3, rbf 3", "spectral 3, rbf 3, linked 1"):
        model = CMKIPCM(2, kernels=kernels, random_state=0).fit(X, constraints=known)
        score[kernels] = adjusted_rand_score(truth[free], model.labels_[free])
    assert score["spectral 3, rbf 3, linked 1"] > score["spectral 3, rbf 3"] + 0.2


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"constraint_weight": "strong"}, "constraint_weight must be 'auto' or a number, got 'strong'"),
        ({"constraint_weight": -1}, "constraint_weight must be at least 0"),
        ({"weight_exponent": 1}, "weight_exponent must be above 1"),
        ({"kernels": "gauss"}, "there is no kernel 'gauss'"),
        ({"kernel_method": "fast"}, "kernel_method must be one of 'auto'"),
    ],
)
def test_bad_parameters_are_named(params, message):
    with pytest.raises(ValueError, match=message):
        CMKIPCM(3, **params).fit(clouds()[0])
