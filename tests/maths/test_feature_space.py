import numpy as np
import pytest
from scipy import sparse

from cclab import Problem
from cclab.maths.feature_space import check_kernel, features
from cclab.maths.local_scaling import local_scaling_kernel


def test_local_scaling_uses_the_distance_to_the_neighbour():
    X = np.random.default_rng(0).normal(size=(30, 2))
    squares = ((X[:, None] - X) ** 2).sum(axis=2)
    width = np.sort(np.sqrt(squares), axis=1)[:, 7]
    np.testing.assert_allclose(local_scaling_kernel(X), np.exp(-squares / (width[:, None] * width)), atol=1e-10)


def test_local_scaling_survives_copies_and_few_samples():
    assert np.isfinite(local_scaling_kernel(np.repeat([[0.0], [1.0]], 20, axis=0))).all()
    assert local_scaling_kernel(np.ones((5, 2))).tolist() == np.ones((5, 5)).tolist()
    assert np.isfinite(local_scaling_kernel(np.arange(3.0)[:, None])).all()


def test_inner_products_of_the_features_are_the_kernel():
    X = np.random.default_rng(0).normal(size=(40, 3))
    K = np.exp(-((X[:, None] - X) ** 2).sum(axis=2))
    F = features(Problem(K), "precomputed")
    np.testing.assert_allclose(F @ F.T, K, atol=1e-8)


def test_features_of_an_indefinite_kernel_are_those_of_the_nearest_definite_one():
    K = np.array([[1.0, 2.0], [2.0, 1.0]])  # eigenvalues 3 and -1
    F = features(Problem(K), "precomputed")
    np.testing.assert_allclose(F @ F.T, np.full((2, 2), 1.5))


def test_sparse_samples_stay_sparse():
    X = sparse.csr_array(np.eye(5))
    assert sparse.issparse(features(Problem(X), "linear"))


def test_features_are_worked_out_once():
    problem = Problem(np.random.default_rng(0).normal(size=(20, 2)))
    assert features(problem, "local-scaling") is features(problem, "local-scaling")


@pytest.mark.parametrize(
    ("X", "kernel", "message"),
    [
        (np.ones((3, 2)), "precomputed", r"\(n, n\) kernel matrix, got shape \(3, 2\)"),
        (np.array([[1.0, 2.0], [0.0, 1.0]]), "precomputed", r"not symmetric: its entry \(0, 1\)"),
        (np.zeros((6000, 1)), "local-scaling", "6000 x 6000"),
    ],
)
def test_impossible_kernels_are_refused(X, kernel, message):
    with pytest.raises(ValueError, match=message):
        check_kernel(Problem(X), kernel)


def test_a_matrix_without_positive_eigenvalue_is_no_kernel():
    with pytest.raises(ValueError, match="no positive eigenvalue"):
        features(Problem(-np.eye(3)), "precomputed")
