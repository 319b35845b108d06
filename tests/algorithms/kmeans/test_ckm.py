import numpy as np
import pytest
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs, make_circles
from sklearn.metrics import adjusted_rand_score

from cclab import BCKM, CKM, ConstraintSet, Problem
from cclab.maths.distances import squared_distances
from tests.maths.literal import literal_assignment


def random_problem(seed, n=60, p=3, k=3, s=80):
    rng = np.random.default_rng(seed)
    truth = rng.integers(k, size=n)
    pairs = np.stack([rng.permutation(n)[:2] for _ in range(s)])
    same = truth[pairs[:, 0]] == truth[pairs[:, 1]]
    known = ConstraintSet(n).with_must_link(pairs[same]).with_cannot_link(pairs[~same])
    return Problem(rng.normal(size=(n, p)) + truth[:, None], known, seed=seed)


def literal_run(problem, links, order, centers):
    """Algorithm 2 as printed, with the loop over the links, until a sweep fails to lower the objective."""
    i, j, must = links.i[order], links.j[order], links.must[order]
    best = None
    while True:
        distances = squared_distances(problem.X, centers)
        labels = literal_assignment(i, j, must, distances)
        means = [problem.X[labels == c].mean(axis=0) if (labels == c).any() else V for c, V in enumerate(centers)]
        centers = np.array(means)
        objective = ((problem.X - centers[labels]) ** 2).sum()
        if best is not None and objective >= best[1]:
            return best
        best = labels, objective


@pytest.mark.parametrize("case", range(100))
def test_a_run_gives_the_labels_of_the_literal_loop(case):
    problem, solver = random_problem(case), CKM(3)
    state = solver.solve(problem)
    centers = solver._first_centers(problem, problem.rng(0, 0))
    labels, objective = literal_run(problem, solver._links(problem), state.order, centers)
    np.testing.assert_array_equal(state.labels, labels)
    assert state.objective == pytest.approx(objective)


def test_heavier_links_come_first():
    pairs = [[0, 1], [2, 3], [4, 5]]
    known = ConstraintSet(6).with_cannot_link(pairs, weight=[0.2, 1.0, 0.6])
    state = CKM(2).start(Problem(np.zeros((6, 1)), known))
    assert state.order.tolist() == [1, 2, 0]


def test_the_heaviest_of_two_contradicting_links_wins():
    X = np.array([[0.0], [0.1], [5.0], [5.1]])
    for must_weight, together in ((1.0, True), (0.5, False)):
        known = ConstraintSet(4).with_must_link([[0, 1]], weight=must_weight).with_cannot_link([[0, 1]], weight=0.7)
        state = CKM(2).solve(Problem(X, known))
        assert (state.labels[0] == state.labels[1]) == together


def test_without_links_it_is_k_means():
    X, _ = make_blobs(200, centers=4, random_state=1)
    ours = CKM(4, init=X[:4]).fit(X)
    theirs = KMeans(4, init=X[:4], n_init=1, tol=0, algorithm="lloyd").fit(X)
    np.testing.assert_array_equal(ours.partition_.labels(), theirs.labels_)
    assert ours.objective_ == pytest.approx(theirs.inertia_)


def test_it_never_fails_even_on_nonsense():
    known = ConstraintSet(5).with_must_link([[0, 1], [1, 2]]).with_cannot_link([[0, 2], [0, 1], [3, 4]])
    for k in (1, 2, 5):
        state = CKM(k).solve(Problem(np.random.default_rng(0).normal(size=(5, 2)), known))
        assert state.labels.max() < k


def test_sparse_samples_give_the_same_answer():
    problem = random_problem(0)
    dense = CKM(3, random_state=1).fit(problem.X, constraints=problem.constraints)
    thin = CKM(3, random_state=1).fit(sparse.csr_array(problem.X), constraints=problem.constraints)
    np.testing.assert_array_equal(dense.labels_, thin.labels_)


def test_a_precomputed_linear_kernel_is_the_linear_one():
    problem = random_problem(3)
    kernel = CKM(3, kernel="precomputed", random_state=2).fit(problem.X @ problem.X.T, constraints=problem.constraints)
    plain = CKM(3, random_state=2).fit(problem.X, constraints=problem.constraints)
    np.testing.assert_array_equal(kernel.labels_, plain.labels_)
    assert kernel.objective_ == pytest.approx(plain.objective_)


def test_local_scaling_finds_rings_that_the_plain_distance_does_not():
    X, truth = make_circles(100, factor=0.3, noise=0.03, random_state=0)
    known = ConstraintSet(100).with_cannot_link([[0, 99]])
    known = known.with_must_link([pair for c in (0, 1) for pair in np.flatnonzero(truth == c).reshape(-1, 2)])
    plain, kernel = (
        BCKM(2, kernel=kernel, random_state=0).fit(X, constraints=known).labels_
        for kernel in ("linear", "local-scaling")
    )
    assert adjusted_rand_score(truth, kernel) > adjusted_rand_score(truth, plain)


def test_given_centres_need_the_linear_kernel():
    with pytest.raises(ValueError, match="kernel='linear' only"):
        CKM(2, init=np.zeros((2, 2)), kernel="local-scaling").fit(np.eye(4)[:, :2])


def test_satisfaction_by_priority_is_watched():
    problem = random_problem(1, s=200)
    state = CKM(3).solve(problem)
    (gauge,) = state.gauges()
    assert len(gauge.values) == 10
    held = problem.constraints.satisfaction(state.labels)
    assert np.mean(gauge.values) == pytest.approx(held.rate, abs=0.02)
    assert gauge.values[0] >= gauge.values[-1]
    assert CKM(3).solve(Problem(problem.X)).gauges() == ()


def test_new_links_are_heard_at_once():
    X, _ = make_blobs(60, centers=2, random_state=0)
    solver, problem = CKM(2), Problem(X)
    state = solver.solve(problem)
    pair = np.flatnonzero(state.labels == state.labels[0])[:2]
    changed = problem.with_constraints(ConstraintSet(60).with_cannot_link([pair]))
    state = solver.rebase(problem, changed, state)
    assert state.labels[pair[0]] != state.labels[pair[1]]
    assert state.iteration > 0


def test_a_large_group_stays_together_without_its_pairs():
    X = np.random.default_rng(0).normal(size=(30_000, 2))
    known = ConstraintSet(30_000).with_group(range(20_000))
    state = CKM(2, max_iter=3).solve(Problem(X, known))
    assert len(np.unique(state.labels[:20_000])) == 1
    assert len(state.order) == 20_000


def test_new_samples_go_to_the_nearest_centre():
    X, _ = make_blobs(60, centers=2, random_state=0)
    fitted = CKM(2, random_state=0).fit(X)
    np.testing.assert_array_equal(fitted.predict(fitted.centers_), [0, 1])
    with pytest.raises(ValueError, match="new samples have no place"):
        CKM(2, kernel="local-scaling", random_state=0).fit(X).predict(X)
