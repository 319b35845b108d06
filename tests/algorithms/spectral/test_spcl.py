import numpy as np
import pytest

from cclab import SPCL, ConstraintSet, Problem
from cclab.algorithms.spectral.embedding import affinities
from cclab.algorithms.spectral.spcl import with_links


def test_links_are_written_into_the_affinities():
    A = affinities(Problem(np.random.default_rng(0).normal(size=(6, 2))), "local-scaling")
    known = ConstraintSet(6).with_must_link([[0, 1]]).with_cannot_link([[2, 3]]).with_must_link([[4, 5]], weight=0.25)
    B = with_links(A, known)
    assert (B[0, 1], B[1, 0], B[2, 3], B[3, 2]) == (1, 1, 0, 0)
    assert B[4, 5] == pytest.approx(A[4, 5] + 0.25 * (1 - A[4, 5]))
    told = np.zeros((6, 6), dtype=bool)
    told[[0, 1, 2, 3, 4, 5], [1, 0, 3, 2, 5, 4]] = True
    np.testing.assert_array_equal(B[~told], A[~told])


def test_the_papers_matrix_has_the_eigenvectors_that_are_taken():
    problem = Problem(np.random.default_rng(1).normal(size=(30, 2)), ConstraintSet(30).with_cannot_link([[0, 1]]))
    solver = SPCL(3)
    rows = solver.found(problem).rows
    A = with_links(affinities(problem, "local-scaling"), problem.constraints)
    D = A.sum(axis=1)
    _, vectors = np.linalg.eigh((A + np.diag(D.max() - D)) / D.max())
    expected = vectors[:, -3:] / np.linalg.norm(vectors[:, -3:], axis=1, keepdims=True)
    np.testing.assert_allclose(rows @ rows.T, expected @ expected.T, atol=1e-6)


def test_as_many_eigenvectors_as_are_asked_for():
    X = np.random.default_rng(0).normal(size=(40, 2))
    assert SPCL(2, n_components=5).found(Problem(X)).rows.shape == (40, 5)
