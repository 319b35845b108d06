import numpy as np
import pytest
from scipy.optimize import approx_fprime, minimize

from cclab import FCM, PCM, PFCM, RPCM, SFCM, SPFCM, SRPCM, ConstraintSet, Problem, Session, iterate
from cclab.algorithms.possibilistic.repulsion import (
    repelled_centers,
    repulsion_energy,
    repulsion_gradient,
    repulsion_hessian,
)
from cclab.algorithms.possibilistic.typicalities import labelled_typicalities, typicalities
from cclab.maths.seeding import order_by_labels

SOLVERS = [PCM, RPCM, PFCM, SRPCM, SPFCM, SFCM]
LABELLED = [SRPCM, SPFCM, SFCM]
METRICS = ["euclidean", "mahalanobis"]


def random_problem(seed, n=40, p=3, k=3, labels=True):
    rng = np.random.default_rng(seed)
    known = ConstraintSet(n)
    if labels:
        degrees = np.full((n, k), np.nan)
        rows = rng.choice(n, 8, replace=False)
        degrees[rows] = np.where(rng.random((8, k)) < 0.3, np.nan, rng.random((8, k)))
        degrees[rows[:3]] = np.eye(k)[rng.integers(k, size=3)]
        known = known.with_labels(degrees, weight=1.0)
    return Problem(
        rng.normal(size=(n, p)) * rng.uniform(0.1, 10), known, rng.integers(1, 4, n).astype(float), seed=seed
    )


def naive_objective(solver, problem, state):
    """The printed objective, term by term, in plain loops."""
    T = state.partition.typicalities
    k = len(state.centers)
    samples, degrees, certainty = problem.constraints.label_degrees(k)
    J = 0.0
    for i, x in enumerate(problem.X):
        w = problem.weights[i]
        for c in range(k):
            d = ((x - state.centers[c]) ** 2).sum()
            J += w * (state.settings.b * T[i, c] ** 2 * d + state.gamma[c] * (1 - T[i, c]) ** 2)
            if state.settings.a:
                J += w * state.settings.a * state.partition.memberships[i, c] ** 2 * d
    if "labels" in solver.uses:
        for row, i in enumerate(samples):
            for c in range(k):
                if not np.isnan(degrees[row, c]):
                    d = ((problem.X[i] - state.centers[c]) ** 2).sum()
                    weight = solver.label_weight * certainty[row] * problem.weights[i]
                    J += weight * (T[i, c] - degrees[row, c]) ** 2 * d
    for c in range(k):
        for l in range(k):
            if l != c:
                J += state.repulsion[c] / ((state.centers[c] - state.centers[l]) ** 2).sum()
    return J


@pytest.mark.parametrize("cls", [PCM, RPCM, PFCM, SRPCM, SPFCM])
def test_objective_is_the_printed_one(cls):
    problem = random_problem(0, labels="labels" in cls.uses)
    for state in iterate(cls(3), problem, max_iter=3):
        assert state.objective == pytest.approx(naive_objective(cls(3), problem, state))
        assert sum(state.terms.values()) == pytest.approx(state.objective)


@pytest.mark.parametrize("cls", SOLVERS)
@pytest.mark.parametrize("metric", METRICS)
def test_objective_never_rises(cls, metric):
    if cls is SFCM and metric == "mahalanobis":
        pytest.skip("SFCM has one metric")
    for seed in range(12):
        solver = cls(3) if cls is SFCM else cls(3, metric=metric)
        problem = random_problem(seed, labels="labels" in cls.uses)
        J = np.array([s.objective for s in iterate(solver, problem, max_iter=25)])
        assert (np.diff(J) <= 1e-9 * np.abs(J[:-1])).all(), seed


def test_repulsion_derivatives():
    rng = np.random.default_rng(0)
    for _ in range(20):
        V, eta = rng.normal(size=(4, 3)), rng.uniform(0.1, 2, size=4)
        gradient = repulsion_gradient(V, eta).ravel()
        numeric = approx_fprime(V.ravel(), lambda flat, eta=eta: repulsion_energy(flat.reshape(4, 3), eta), 1e-7)
        np.testing.assert_allclose(gradient, numeric, rtol=1e-4, atol=1e-4 * np.abs(numeric).max())
        hessian = repulsion_hessian(V, eta)
        numeric = np.array(
            [
                (
                    repulsion_gradient((V.ravel() + e).reshape(4, 3), eta)
                    - repulsion_gradient((V.ravel() - e).reshape(4, 3), eta)
                ).ravel()
                / 2e-5
                for e in 1e-5 * np.eye(12)
            ]
        )
        np.testing.assert_allclose(hessian, numeric, atol=1e-6 * np.abs(numeric).max())
        np.testing.assert_allclose(hessian, hessian.T)


def test_centres_step_is_a_minimum():
    rng = np.random.default_rng(1)
    start, means, totals = rng.normal(size=(3, 2)), rng.normal(size=(3, 2)), rng.uniform(1, 5, size=3)
    eta = np.full(3, 0.7)

    def energy(flat):
        V = flat.reshape(3, 2)
        return float((totals[:, None] * (V - means) ** 2).sum()) + repulsion_energy(V, eta)

    V = repelled_centers(start, means, totals, eta)
    assert energy(V.ravel()) <= energy(start.ravel())
    again = minimize(
        energy, V.ravel(), method="Nelder-Mead", options={"xatol": 1e-10, "fatol": 1e-12, "maxiter": 20000}
    )
    assert energy(V.ravel()) <= again.fun * (1 + 1e-8)


def test_typicalities_minimise_their_terms():
    rng = np.random.default_rng(2)
    d, gamma = rng.uniform(0.1, 5, size=(6, 2)), np.array([0.5, 2.0])
    for exponent in (1.5, 2.0, 3.0):
        T = typicalities(d.copy(), gamma, exponent)
        grid = np.linspace(0, 1, 20001)
        for i in range(6):
            for k in range(2):
                cost = grid**exponent * d[i, k] + gamma[k] * (1 - grid) ** exponent
                assert T[i, k] == pytest.approx(grid[cost.argmin()], abs=1e-4)
    alpha, F = rng.uniform(0, 3, size=(6, 2)), rng.random((6, 2))
    T = labelled_typicalities(d, gamma, 1.5, alpha, F)
    cost = lambda t: 1.5 * t**2 * d + gamma * (1 - t) ** 2 + alpha * (t - F) ** 2 * d  # noqa: E731
    assert (cost(T) <= cost(T + 1e-5)).all()
    assert (cost(T) <= cost(T - 1e-5)).all()


def test_memberships_of_labelled_samples_minimise_sfcm():
    problem = random_problem(3)
    state = SFCM(3).start(problem)
    U = state.partition.memberships
    rng = np.random.default_rng(0)
    d = ((problem.X[:, None] - state.centers) ** 2).sum(axis=2)

    def cost(u):
        off = (u[state.samples] - state.shares) ** 2 * state.trust
        free = np.setdiff1d(np.arange(len(u)), state.samples)
        return (u**2 * d * problem.weights[:, None]).sum() + (
            (off * d[state.samples] * problem.weights[state.samples, None]).sum()
            + (u[free] ** 2 * d[free] * problem.weights[free, None]).sum()
        )

    assert cost(U) == pytest.approx(state.objective)
    for _ in range(50):
        move = rng.normal(size=U.shape) * 1e-3
        assert cost(U + move - move.mean(axis=1, keepdims=True)) >= cost(U) * (1 - 1e-12)


def test_repulsion_keeps_centres_apart():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    solver = RPCM(2, min_separation=1.5, random_state=0).fit(X)
    assert np.linalg.norm(solver.centers_[0] - solver.centers_[1]) == pytest.approx(1.5, rel=0.35)
    close = PCM(2, random_state=0).fit(X).centers_
    assert np.linalg.norm(close[0] - close[1]) < 0.5


@pytest.mark.parametrize("cls", LABELLED)
def test_labels_move_the_answer_and_name_the_clusters(cls):
    rng = np.random.default_rng(0)
    truth = np.arange(90) % 3
    X = np.array([[0, 0], [5, 0], [0, 5]])[truth] + rng.normal(size=(90, 2))
    for order in ([0, 1, 2], [2, 0, 1]):
        labels = np.full(90, -1)
        labels[:9] = np.array(order)[truth[:9]]
        found = cls(3, random_state=0).fit(X, labels=labels)
        assert (found.partition_.labels() == np.array(order)[truth]).mean() > 0.9


@pytest.mark.parametrize("cls", LABELLED)
def test_heavier_labels_are_respected_more(cls):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    labels = {int(i): int(k) for i, k in zip(rng.choice(60, 20, replace=False), rng.integers(3, size=20))}
    gaps = []
    for weight in (0.0, 1.0, 100.0):
        degrees = cls(3, label_weight=weight, random_state=0).fit(X, labels=labels).partition_.degrees
        gaps.append(np.mean([1 - degrees[i, k] for i, k in labels.items()]))
    assert gaps[0] > gaps[1] > gaps[2]


def test_outliers_belong_nowhere():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(50, 2)), rng.normal((8, 0), size=(50, 2)), [[4.0, 14.0]]])
    for cls in (RPCM, PFCM):
        flags = cls(2, random_state=0).fit(X).partition_.outliers()
        assert flags[-1]
        assert flags[:-1].mean() < 0.1


def test_bad_gamma_is_named():
    with pytest.raises(ValueError, match="gamma must be 3 numbers above 0"):
        PCM(3, gamma=[1.0, 2.0]).fit(np.random.default_rng(0).normal(size=(20, 2)))


def test_labels_beyond_the_clusters_are_named():
    X = np.random.default_rng(0).normal(size=(20, 2))
    with pytest.raises(ValueError, match="sample 4 is labelled 7, but there are only 3 clusters"):
        SRPCM(3).fit(X, labels={4: 7})


def test_new_labels_reach_the_next_step():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    session = Session(X, SPFCM(2, label_weight=5.0))
    session.run()
    i = int(np.flatnonzero(session.labels == 0)[0])
    before = session.partition.typicalities[i, 1]
    session.constrain(labels={i: 1})
    assert session.partition.typicalities[i, 1] > before
    session.run()
    assert session.partition.labels()[i] == 1


def test_matching_puts_centres_in_the_order_of_the_labels():
    X = np.array([[0.0], [0.1], [5.0], [5.1], [9.0], [9.1]])
    problem = Problem(X, ConstraintSet(6).with_labels({0: 2, 4: 0}))
    centers = np.array([[0.0], [5.0], [9.0]])
    np.testing.assert_array_equal(order_by_labels(centers, problem), [2, 1, 0])


def test_sfcm_is_fcm_when_nothing_is_known():
    X = np.random.default_rng(0).normal(size=(50, 2))
    one, other = SFCM(3, random_state=0).fit(X), FCM(3, random_state=0).fit(X)
    np.testing.assert_allclose(one.centers_, other.centers_, atol=1e-8)


def long_clusters(n=60, seed=0):
    """Two parallel clusters, each far longer than they lie apart."""
    rng = np.random.default_rng(seed)
    along, across = rng.normal(scale=6.0, size=2 * n), rng.normal(scale=0.4, size=2 * n)
    target = np.repeat([0, 1], n)
    return np.column_stack([along, across + 4.0 * target]), target


def test_clusters_may_stretch():
    X, target = long_clusters()
    labels = np.full(len(X), -1)
    labels[[0, 1, 60, 61]] = target[[0, 1, 60, 61]]
    round_, stretched = (SPFCM(2, metric=metric, random_state=0).fit(X, labels=labels) for metric in METRICS)
    assert (stretched.labels_ == target).mean() > 0.98
    assert (round_.labels_ == target).mean() < 0.9
    lengths = 1 / np.linalg.eigvalsh(stretched.state_.metrics)
    assert (lengths[:, 0] > 10 * lengths[:, 1]).all()
    np.testing.assert_allclose(np.linalg.det(stretched.state_.metrics), 1)
    # A metric of constant volume makes long clusters small: by a Euclidean gamma everything would be typical.
    assert (stretched.state_.gamma < 0.5 * round_.state_.gamma.min()).all()


def test_units_of_the_data_make_no_difference():
    problem = random_problem(5, labels=False)
    for unit in (1e-6, 1e6):
        other = Problem(problem.X * unit, None, problem.sample_weight, seed=problem.seed)
        states = RPCM(3, repulsion=2.0).solve(problem), RPCM(3, repulsion=2.0 * unit**4).solve(other)
        np.testing.assert_allclose(states[1].centers / unit, states[0].centers, rtol=1e-4, atol=1e-6)


def test_a_centre_pushed_out_of_the_data_is_told():
    rng = np.random.default_rng(0)
    problem = Problem(rng.normal(size=(60, 2)), seed=0)
    notes = [note for state in iterate(RPCM(3, repulsion=1e4), problem) for note in state.notes]
    assert len(notes) == len(set(notes)) > 0
    assert "was pushed out of the data: repulsion is too strong" in notes[0]
    assert not any(state.notes for state in iterate(RPCM(3), problem))


@pytest.mark.parametrize("cls", LABELLED)
def test_label_weights_are_finite(cls):
    with pytest.raises(ValueError, match="label_weight must be finite, got inf"):
        cls(2, label_weight=np.inf).fit(np.arange(8.0).reshape(4, 2), labels={0: 0})
