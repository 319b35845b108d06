import numpy as np
import pytest
from scipy import sparse

from cclab import LCVQE, ConstraintSet, Problem, iterate


def random_problem(seed, n=40, n_links=25, weights=None):
    rng = np.random.default_rng(seed)
    X, truth = rng.normal(size=(n, 2)), rng.integers(3, size=n)
    i, j = np.triu_indices(n, 1)
    chosen = rng.choice(len(i), n_links, replace=False)
    ends, same = np.stack([i, j], axis=1)[chosen], (truth[i] == truth[j])[chosen]
    weight = 1.0 if weights is None else weights
    known = ConstraintSet(n).with_must_link(ends[same], weight=weight).with_cannot_link(ends[~same], weight=weight)
    return Problem(X, known, seed=seed)


def links(problem):
    """Links in the order in which they have their turns: must-links first, then by samples."""
    p = problem.constraints.pairs
    rows = sorted(zip(~p.must, p.i, p.j, p.weight))
    return [(int(i), int(j), not cannot, w) for cannot, i, j, w in rows]


def literal_assignment(problem, V):
    """The rules of the paper, one link after the other."""
    X = problem.X
    d = np.array([[((x - v) ** 2).sum() for v in V] for x in X])
    g = d.argmin(axis=1)
    for a, b, must, w in links(problem):
        if must and g[a] != g[b]:
            broken = d[a, g[a]] + d[b, g[b]] + w * (d[a, g[b]] + d[b, g[a]]) / 2
            both_a, both_b = d[a, g[a]] + d[b, g[a]], d[a, g[b]] + d[b, g[b]]
            if broken >= min(both_a, both_b):
                g[a] = g[b] = g[a] if both_a <= both_b else g[b]
        if not must and g[a] == g[b]:
            far = a if d[a, g[a]] >= d[b, g[a]] else b
            second = min((c for c in range(len(V)) if c != g[far]), key=lambda c: d[far, c])
            kept_broken = d[a, g[a]] + d[b, g[b]] + d[far, second]
            sent = d[a, g[a]] + d[b, g[b]] - d[far, g[far]] + d[far, second]
            assert sent <= kept_broken
            g[far] = second
    return g


def literal_objective(problem, V, g):
    X = problem.X
    d = np.array([[((x - v) ** 2).sum() for v in V] for x in X])
    total = sum(d[i, g[i]] for i in range(len(X)))
    pulled = [(i, g[i], 1.0) for i in range(len(X))]
    for a, b, must, w in links(problem):
        if must and g[a] != g[b]:
            total += w * (d[a, g[b]] + d[b, g[a]]) / 2
            pulled += [(a, g[b], w / 2), (b, g[a], w / 2)]
        if not must and g[a] == g[b]:
            far = a if d[a, g[a]] >= d[b, g[a]] else b
            second = min((c for c in range(len(V)) if c != g[far]), key=lambda c: d[far, c])
            total += w * d[far, second]
            pulled += [(far, second, w)]
    means = np.array(V)
    for c in range(len(V)):
        mine = [(X[i], w) for i, cluster, w in pulled if cluster == c]
        if mine:
            means[c] = np.average([x for x, _ in mine], axis=0, weights=[w for _, w in mine])
    return total, means


@pytest.mark.parametrize("weights", [None, 0.3])
@pytest.mark.parametrize("seed", range(5))
def test_a_step_is_that_of_the_paper(seed, weights):
    problem = random_problem(seed, weights=weights)
    solver = LCVQE(3)
    state = solver.start(problem)
    np.testing.assert_array_equal(state.labels, literal_assignment(problem, state.centers))
    total, means = literal_objective(problem, state.centers, state.labels)
    assert state.objective == pytest.approx(total)
    np.testing.assert_allclose(solver._moved_centers(problem, state), means)
    after = solver.step(problem, state)
    assert after.objective <= total
    if after.shift:
        np.testing.assert_allclose(after.centers, means)
        np.testing.assert_array_equal(after.labels, literal_assignment(problem, means))


def test_terms_add_up_and_name_what_is_broken():
    problem = random_problem(3, n_links=200)
    state = iterate(LCVQE(3), problem).last()
    assert state.objective == pytest.approx(sum(state.terms.values()))
    assert state.terms["cannot-links"] > 0


@pytest.mark.parametrize("seed", range(5))
def test_a_certain_link_is_broken_only_by_another_one(seed):
    problem = random_problem(seed)
    d = ((problem.X[:, None] - problem.X[:3]) ** 2).sum(axis=2)
    for i, j, must, _ in links(problem):
        known = ConstraintSet(40)
        alone = known.with_must_link([[i, j]]) if must else known.with_cannot_link([[i, j]])
        state = LCVQE(3, init=problem.X[:3]).start(problem.with_constraints(alone))
        assert (state.labels[i] == state.labels[j]) == must
        assert set(np.flatnonzero(state.labels != d.argmin(axis=1))) <= {i, j}


def test_weights_tell_how_much_a_link_counts():
    X = np.array([[0.0], [1.0], [4.0], [9.0], [10.0], [5.9]])
    at = {"init": [[0.5], [9.5]], "n_init": 1, "max_iter": 0}
    known = ConstraintSet(6)
    held = [LCVQE(2, **at).fit(X, constraints=known.with_must_link([[2, 5]], weight=w)).labels_ for w in (1.0, 0.01)]
    assert held[0][2] == held[0][5]
    assert held[1][2] != held[1][5]


def test_sparse_samples_give_the_same_answer():
    problem = random_problem(0)
    dense = LCVQE(3, random_state=0).fit(problem.X, constraints=problem.constraints)
    thin = LCVQE(3, random_state=0).fit(sparse.csr_array(problem.X), constraints=problem.constraints)
    np.testing.assert_array_equal(dense.labels_, thin.labels_)


def test_one_cluster_has_no_next_centre():
    problem = random_problem(1)
    with pytest.warns(UserWarning, match="apart"):
        assert set(LCVQE(1).fit(problem.X, constraints=problem.constraints).labels_) == {0}
