import numpy as np

from cclab import CSP, ConstraintSet, Problem
from tests.algorithms.spectral.test_embedding import rings


def pencil(solver, problem):
    L, roots = solver._laplacian(problem)
    known = problem.constraints
    Q = (known.must.expanded() - known.cannot.expanded()).toarray() * np.outer(roots, roots)
    return L, Q, roots


def test_each_cut_solves_the_papers_equation_and_respects_the_links_by_the_threshold():
    X, _, known = rings(n=60)
    problem, solver = Problem(X, known), CSP(3, strength=0.5)
    L, Q, roots = pencil(solver, problem)
    V, cost = solver._feasible(problem, L, roots)
    threshold = 0.5 * min(2 * len(known) / np.sum(1 / roots**2), np.linalg.eigvalsh(Q)[-2])
    assert V.shape == (60, 2)
    for v, c in zip(V.T, cost):
        right = (Q - threshold * np.eye(60)) @ v
        λ = (v @ L @ v) / (v @ right)
        assert λ > 0
        np.testing.assert_allclose(L @ v, λ * right, atol=1e-5)
        assert v @ Q @ v >= threshold - 1e-8
        assert abs(v @ L @ v - c) < 1e-6


def test_the_stronger_the_more_links_are_respected():
    X, _, known = rings(3)
    problem = Problem(X, known)
    respected = []
    for strength in (0.1, 0.9):
        solver = CSP(2, strength=strength)
        L, Q, roots = pencil(solver, problem)
        V, _ = solver._feasible(problem, L, roots)
        respected.append(float(V[:, 0] @ Q @ V[:, 0]))
    assert respected[1] > respected[0]


def test_few_links_leave_the_other_cuts_to_the_data():
    X, _, _ = rings()
    problem = Problem(X, ConstraintSet(len(X)).with_cannot_link([[0, 2]]))
    solver = CSP(5)
    rows = solver.found(problem).rows
    assert rows.shape == (len(X), 4)
    np.testing.assert_array_equal(rows[:, 1:], solver.first(problem).rows[:, :3])
