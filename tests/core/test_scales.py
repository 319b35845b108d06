"""Numbers too large or too small to work with are refused in words, before any solver starts."""

import numpy as np
import pytest
from scipy import sparse

from cclab import FCM
from cclab.core import Problem, SameSamples
from cclab.core.scales import ALL_ALIKE, LARGEST, SMALLEST
from cclab.datasets.dataset import Dataset

X = np.array([[1.0, 2.0], [3.0, 5.0], [4.0, 1.0]])


@pytest.mark.parametrize("wrap", [np.asarray, sparse.csr_array])
def test_a_value_too_large_is_named_by_its_column(wrap):
    large = X.copy()
    large[1, 1] = -1e308
    with pytest.raises(ValueError, match=r"column 1 holds -1e\+308, .*divide it by 1e\+308"):
        Problem(wrap(large))
    with pytest.raises(ValueError, match="column 'mass' holds -1e"):
        Dataset("d", wrap(large), feature_names=("length", "mass"))


def test_differences_too_small_ask_for_other_units():
    with pytest.raises(ValueError, match=r"differ by 4e-160 at most, .*multiply them by 1e\+160"):
        Problem(X * 1e-160)


@pytest.mark.parametrize("scale", [0.2 * LARGEST, SMALLEST])
def test_up_to_the_limits_the_scale_does_not_matter(scale):
    expected = FCM(2, init=X[:2], tol=0, max_iter=20).fit(X)
    found = FCM(2, init=X[:2] * scale, tol=0, max_iter=20).fit(X * scale)
    np.testing.assert_allclose(found.partition_.memberships, expected.partition_.memberships, rtol=1e-6)


def test_single_precision_is_left_where_its_squares_would_overflow():
    assert Problem((X * 1e25).astype(np.float32)).X.dtype == float
    assert Problem(X.astype(np.float32)).X.dtype == np.float32


def test_weights_and_centers_have_limits_too():
    with pytest.raises(ValueError, match="largest sample_weight is 1e-200"):
        Problem(X, sample_weight=np.full(3, 1e-200))
    with pytest.raises(ValueError, match=r"column 0 holds 1e\+200"):
        FCM(2, init=[[1e200, 0.0], [0.0, 0.0]]).fit(X)


def test_samples_that_are_all_the_same_are_said_to_be():
    same = np.full((4, 2), 3.0)
    assert ALL_ALIKE in Dataset("d", same).standardized().notes
    with pytest.warns(SameSamples, match="all samples are the same"):
        model = FCM(2, random_state=0).fit(same)
    assert model.objective_ < 1e-25
