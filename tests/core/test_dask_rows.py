import numpy as np
import pytest
from scipy import sparse

from cclab import ECM, FCM, PCKMeans, Problem
from cclab.core.dask_rows import DaskRows

da = pytest.importorskip("dask.array", reason="dask is not installed")


@pytest.fixture(scope="module")
def X():
    rng = np.random.default_rng(3)
    return rng.permutation(np.concatenate([rng.normal(at, 1, (90, 3)) for at in (0, 4, 8)]))


@pytest.mark.parametrize("cls", [FCM, ECM, PCKMeans])
def test_a_dask_array_gives_what_an_array_gives(cls, X):
    w = np.linspace(1, 2, len(X))
    here = cls(3, init=X[:3]).fit(X, sample_weight=w)
    there = cls(3, init=X[:3]).fit(da.from_array(X, chunks=(70, 2)), sample_weight=w)
    np.testing.assert_allclose(there.centers_, here.centers_, rtol=1e-8)
    np.testing.assert_array_equal(there.labels_, here.labels_)
    np.testing.assert_array_equal(there.predict(da.from_array(X, chunks=100)), here.predict(X))


def test_empty_chunks_and_whole_numbers(X):
    array = da.concatenate([da.from_array(X.astype(int), chunks=100), da.zeros((0, 3), dtype=int)])
    rows = DaskRows(array[array[:, 0] > -100].compute_chunk_sizes())
    np.testing.assert_array_equal(np.concatenate(list(rows.chunks())), X.astype(int).astype(float))
    np.testing.assert_array_equal(rows[[9, 2]], X.astype(int)[[9, 2]])
    assert Problem(rows).spread == pytest.approx(Problem(X.astype(int)).spread)


def test_what_can_not_be_used_is_said(X):
    array = da.from_array(X, chunks=100)
    with pytest.raises(ValueError, match="compute_chunk_sizes"):
        FCM(3).fit(array[array[:, 0] > 0])
    with pytest.raises(ValueError, match="shape"):
        FCM(3).fit(array[:, 0])
    with pytest.raises(ValueError, match=r"numeric, .* got complex128"):
        FCM(3).fit(array + 1j)
    with pytest.raises(ValueError, match=r"numeric, .* got <U"):
        FCM(3).fit(array.astype(str))
    with pytest.raises(ValueError, match="chunks of type csr_array"):
        FCM(3).fit(array.map_blocks(sparse.csr_array))
    with pytest.raises(ValueError, match="X is empty"):
        FCM(3).fit(array[:0])


def test_what_is_masked_is_missing(X):
    array = da.from_array(X, chunks=100)
    masked = da.ma.masked_where(array == X[120, 0], array)
    with pytest.raises(ValueError, match="NaN in row 120, column 0"):
        FCM(3).fit(masked)
