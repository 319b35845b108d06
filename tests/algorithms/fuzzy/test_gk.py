import numpy as np
import pytest

from cclab import CFCM, FCM, GK, Problem, iterate


def cross(seed=0, n=100):
    """Two thin clouds that cross at right angles: their centres are the same, their shapes are not."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % 2
    long, thin = rng.normal(scale=3, size=n), rng.normal(scale=0.2, size=n)
    return np.where(truth[:, None], np.column_stack([long, thin]), np.column_stack([thin, long])), truth


def test_clusters_take_their_shapes():
    X, truth = cross()
    init = [[1.0, 0.0], [0.0, 1.0]]
    agree = [(cls(2, init=init).fit(X).labels_ == truth).mean() for cls in (GK, FCM)]
    assert max(agree[0], 1 - agree[0]) > 0.85
    assert max(agree[1], 1 - agree[1]) < 0.75


def test_it_is_cfcm_with_shapes_and_no_links():
    X, _ = cross(1)
    init = X[:2]
    ours, theirs = (
        list(iterate(s, Problem(X), max_iter=8))[-1]
        for s in (GK(2, init=init), CFCM(2, init=init, metric="mahalanobis"))
    )
    np.testing.assert_allclose(ours.centers, theirs.centers, atol=1e-6)
    np.testing.assert_allclose(ours.partition.memberships, theirs.partition.memberships, atol=1e-5)


def test_metrics_have_volume_one_and_undo_the_units_of_features():
    X, _ = cross(2)
    state = GK(2, init=X[:2]).fit(X).state_
    np.testing.assert_allclose(np.linalg.det(state.metrics), 1, rtol=1e-5)


@pytest.mark.parametrize("fuzzifier", [1.2, 3.0])
def test_new_samples_are_told_as_the_old_ones_are(fuzzifier):
    X, _ = cross(3)
    model = GK(2, fuzzifier=fuzzifier, random_state=0).fit(X)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
