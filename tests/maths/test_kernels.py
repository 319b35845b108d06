"""Kernels: every way to multiply is the same product, and what is approximate is near to it."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform
from sklearn.metrics.pairwise import laplacian_kernel

from cclab.algorithms.multikernel.kernels import choose_kernels, linked_directions, read_kernels
from cclab.core import ConstraintSet, Problem

ALL = "spectral 2, rbf 4, polynomial 3"


@pytest.fixture
def problem():
    return Problem(np.random.default_rng(0).normal(loc=[5.0, 0.0, -2.0], size=(37, 3)))


@pytest.fixture
def W():
    return np.random.default_rng(1).random((37, 2))


def written_out(problem):
    """The nine matrices of ALL, straight from Section 5.1.3 of the paper (spectral ones of centred samples)."""
    X = problem.X
    centred = X - X.mean(axis=0)
    _, vectors = np.linalg.eigh(centred @ centred.T)
    matrices = [np.outer(v, v) for v in vectors[:, :-3:-1].T]
    d = squareform(pdist(X))
    matrices += [np.exp(-(d**2) / (2 ** (4 - k) * pdist(X).std())) for k in range(1, 5)]
    return np.array(matrices + [(X @ X.T) ** k for k in range(1, 4)])


@pytest.mark.parametrize("method", ["stored", "blocks"])
def test_every_exact_way_is_the_product_with_the_matrices_written_out(problem, W, method, monkeypatch):
    monkeypatch.setattr("cclab.algorithms.multikernel.kernels.families.BLOCK_SIZE", 200)  # blocks of five rows
    K = written_out(problem)
    kernels = choose_kernels(problem, ALL, method=method)
    size = np.abs(K).max(axis=(1, 2))[:, None, None]
    np.testing.assert_allclose(kernels.matmul(W) / size, K @ W / size, atol=1e-10)
    np.testing.assert_allclose(kernels.diag() / size[:, 0], K.diagonal(axis1=1, axis2=2) / size[:, 0], atol=1e-10)
    np.testing.assert_allclose(kernels.quad(W), np.einsum("ic,kij,jc->kc", W, K, W), rtol=1e-10)
    assert kernels.names[:3] == ("spectral 1", "spectral 2", "rbf 8")
    assert kernels.names[5:] == ("rbf 1", "polynomial 1", "polynomial 2", "polynomial 3")


def test_distances_are_those_of_equation_9(problem, W):
    K = written_out(problem)
    share = W / W.sum(axis=0)
    means = np.einsum("rc,krs,sc->kc", share, K, share)
    Q = K.diagonal(axis1=1, axis2=2)[:, :, None] - 2 * K @ share + means[:, None, :]
    distances, sums = choose_kernels(problem, ALL).distances(W)
    np.testing.assert_allclose(distances, Q, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(sums, (W * Q).sum(axis=(1, 2)), rtol=1e-8)


def test_scale_is_one_over_the_variance_in_feature_space(problem):
    K = written_out(problem)
    variance = K.diagonal(axis1=1, axis2=2).mean(axis=1) - K.mean(axis=(1, 2))
    np.testing.assert_allclose(choose_kernels(problem, ALL).scale, 1 / variance, rtol=1e-8)


def test_scale_undoes_a_factor(problem, W):
    K = written_out(problem)[3]
    one, other = choose_kernels(problem, [K]), choose_kernels(problem, [1e3 * K])
    np.testing.assert_allclose(one.scale * one.distances(W)[0].T, other.scale * other.distances(W)[0].T, rtol=1e-9)


def test_a_kernel_that_is_the_same_for_all_samples_has_no_scale(problem):
    kernels = choose_kernels(problem, [np.ones((37, 37)), "rbf 1"])
    assert kernels.scale[0] == 0 < kernels.scale[1]


def test_weighting_equals_repeating():
    X = np.random.default_rng(0).normal(size=(20, 3))
    weight = np.arange(20) % 3 + 1
    one = choose_kernels(Problem(X, sample_weight=weight), ALL)
    other = choose_kernels(Problem(np.repeat(X, weight, axis=0)), ALL)
    np.testing.assert_allclose(np.repeat(one.diag(), weight, axis=1), other.diag(), atol=1e-9)
    np.testing.assert_allclose(one.scale, other.scale, rtol=1e-9)
    a = np.random.default_rng(1).random((20, 2))
    ours, _ = one.distances(weight[:, None] * a)
    np.testing.assert_allclose(
        np.repeat(ours, weight, axis=1), other.distances(np.repeat(a, weight, axis=0))[0], atol=1e-8
    )


def test_landmarks_at_every_sample_lose_nothing(problem, W):
    exact = choose_kernels(problem, "rbf 4", method="stored")
    all_landmarks = choose_kernels(problem, "rbf 4", method="landmarks", n_landmarks=36)
    # One landmark fewer than samples, and single precision.
    np.testing.assert_allclose(all_landmarks.matmul(W), exact.matmul(W), rtol=0.02)
    np.testing.assert_array_equal(all_landmarks.diag(), exact.diag())


def test_landmarks_come_near():
    rng = np.random.default_rng(0)
    centres = rng.normal(scale=4, size=(3, 10))
    problem = Problem(centres[rng.integers(0, 3, 1500)] + rng.normal(size=(1500, 10)))
    W = rng.random((1500, 3))
    exact = choose_kernels(problem, "rbf 7").distances(W)[0].sum(axis=0)
    near = choose_kernels(problem, "rbf 7", method="landmarks").distances(W)[0].sum(axis=0)
    error = np.abs(near / exact - 1)
    assert error.mean() < 1e-3
    assert error.max() < 0.02


def test_memory_decides_and_the_choice_is_said(problem):
    big, small = choose_kernels(problem, "rbf 3"), choose_kernels(problem, "rbf 3", memory=1e3, n_landmarks=9)
    assert big.note == ""
    assert "9 landmarks" in small.note
    assert choose_kernels(problem, "spectral 3", memory=1e3, n_landmarks=9).note == "", "vectors need no landmarks"


def test_worked_out_once_for_the_data(problem):
    linked = problem.with_constraints(ConstraintSet(37).with_must_link([[0, 1]]))
    assert choose_kernels(problem, ALL) is choose_kernels(linked, ALL)
    assert choose_kernels(problem, ALL) is not choose_kernels(problem, "rbf 4")


def test_kernels_of_ones_own(problem, W):
    def shifted(A, B):
        return (A @ B.T + 1) ** 2

    X = problem.X
    matrix = X @ X.T
    kernels = choose_kernels(problem, ["laplacian", shifted, matrix, matrix * 2])
    assert kernels.names == ("laplacian", "shifted", "matrix", "matrix 2")
    wanted = np.array([laplacian_kernel(X), shifted(X, X), matrix, matrix * 2])
    np.testing.assert_allclose(kernels.matmul(W), wanted @ W)
    np.testing.assert_allclose(kernels.diag(), wanted.diagonal(axis1=1, axis2=2))


def test_there_are_no_more_spectral_kernels_than_dimensions(problem):
    assert choose_kernels(problem, "spectral 9").names == ("spectral 1", "spectral 2", "spectral 3")


@pytest.mark.parametrize(
    ("kernels", "message"),
    [
        ("gauss 3", "there is no kernel 'gauss 3'; use one of 'spectral 3'"),
        ("rbf 0", "asks for 0 kernels"),
        ("laplacian 3", "there is no kernel 'laplacian 3'"),
        ("", "at least one that needs no links"),
        ("linked 2", "at least one that needs no links"),
        ([3], "a kernel is a name, a callable or an"),
        ([np.ones((3, 3))], r"has shape \(3, 3\), but must be \(37, 37\)"),
        ([np.triu(np.ones((37, 37)))], "symmetric"),
        ([lambda A, B: np.ones(4)], "must give a"),
    ],
)
def test_bad_kernels_are_named(problem, kernels, message):
    with pytest.raises(ValueError, match=message):
        choose_kernels(problem, kernels)


def test_read_kernels_takes_strings_and_lists():
    assert read_kernels(["spectral 5", "rbf 7, linear"]) == [("spectral", 5), ("rbf", 7), ("linear", 1)]


class TestLinkedDirections:
    X = np.random.default_rng(0).normal(size=(60, 4)) * [1.0, 1.0, 1.0, 0.0]
    truth = (X[:, 1] > 0).astype(int)

    def test_the_first_tells_the_classes_apart(self):
        pairs = np.random.default_rng(1).permutation(60).reshape(-1, 2)
        same = self.truth[pairs[:, 0]] == self.truth[pairs[:, 1]]
        known = ConstraintSet(60).with_must_link(pairs[same]).with_cannot_link(pairs[~same])
        direction = linked_directions(Problem(self.X, known), 1).vectors[0]
        assert np.abs(np.corrcoef(direction, self.X[:, 1])[0, 1]) > 0.8

    def test_groups_equal_their_pairs(self):
        group, other = [0, 3, 6, 9], [1, 4]
        compact = ConstraintSet(60).with_group(group).with_separation(group, other)
        pairs = ConstraintSet(60).with_must_link([(i, j) for i in group for j in group if i < j])
        pairs = pairs.with_cannot_link([(i, j) for i in group for j in other])
        one, two = (linked_directions(Problem(self.X, known), 2).vectors for known in (compact, pairs))
        np.testing.assert_allclose(np.abs(one), np.abs(two), atol=1e-8)

    def test_come_with_the_first_link(self):
        problem = Problem(self.X)
        linked = problem.with_constraints(ConstraintSet(60).with_must_link([[0, 1]]))
        assert choose_kernels(problem, "rbf 2, linked 2").names == ("rbf 2", "rbf 1")
        kernels = choose_kernels(linked, "rbf 2, linked 2")
        assert kernels.names == ("rbf 2", "rbf 1", "linked 1", "linked 2")
        np.testing.assert_allclose(kernels.scale[:2], choose_kernels(problem, "rbf 2").scale)
