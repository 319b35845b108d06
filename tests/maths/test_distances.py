import numpy as np
import pytest

from cclab import FCM
from cclab.maths.distances import squared_distances


@pytest.mark.parametrize(("offset", "dtype"), [(0, float), (1e8, float), (3000, np.float32)])
def test_distances_and_labels_are_right_far_from_the_origin_and_in_single_precision(offset, dtype):
    X = (np.random.default_rng(0).normal(size=(5000, 2)) + offset).astype(dtype)
    centers = X[:3].astype(float)
    near = X.astype(float) - offset
    literal = ((near[:, None] - (centers - offset)) ** 2).sum(axis=2)
    np.testing.assert_allclose(squared_distances(X, centers), literal, rtol=1e-6, atol=1e-12)
    far = FCM(3, init=centers).fit(X).labels_
    assert (far == FCM(3, init=centers - offset).fit(near).labels_).mean() > 0.999
