"""t-SNE runs in a process of its own, tells how far it is, and ends when it is cancelled."""

import asyncio
import time

import numpy as np
import pytest
from scipy import sparse

from cclab import load_dataset
from cclab.looks.projections import placed, project, two_columns
from cclab.looks.tsne_umap import embed, embed_in_background, reduced, why_not


async def test_it_tells_how_far_it_is_and_neighbours_stay_neighbours():
    iris = load_dataset("iris")
    shares = []
    xy = await embed_in_background(iris.X, "tsne", shares.append)
    assert xy.shape == (150, 2)
    assert shares == sorted(shares)
    assert shares[-1] == 1
    setosa, others = xy[:50].mean(axis=0), xy[50:].mean(axis=0)
    assert np.linalg.norm(setosa - others) > 2 * xy[:50].std()
    there = placed(iris, "tsne", xy)
    np.testing.assert_allclose(there.place(iris.X[[3, 99]]), xy[[3, 99]], rtol=1e-6)


async def test_cancelling_ends_the_process():
    X = np.random.default_rng(0).normal(size=(4000, 20))
    work = asyncio.ensure_future(embed_in_background(X, "tsne", lambda share: None))
    await asyncio.sleep(0.5)
    began = time.monotonic()
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    assert time.monotonic() - began < 2


async def test_what_goes_wrong_there_is_told_here():
    with pytest.raises(RuntimeError, match=r"NaN|Error"):
        await embed_in_background(np.full((20, 2), np.nan), "tsne", lambda share: None)


def test_many_features_and_sparse_ones_are_reduced_first():
    X = np.random.default_rng(0).normal(size=(80, 120))
    assert reduced(X).shape == (80, 50)
    assert reduced(sparse.csr_array(X)).shape == (80, 50)
    assert reduced(sparse.csr_array(X[:, :2])).shape == (80, 1)
    assert embed(X[:20, :1], "tsne").shape == (20, 2)


def test_what_can_not_be_had_is_said_before():
    assert "at least 5" in why_not("tsne", 4)
    assert "hours" in why_not("tsne", 10**6)
    assert why_not("tsne", 60_000) is None


def test_any_two_columns_are_axes():
    iris = load_dataset("iris")
    names = iris.feature_names
    there = project(iris, two_columns(names[3], names[0]))
    np.testing.assert_array_equal(there.xy, iris.X[:, [3, 0]])
    assert there.place(iris.X[:2]).tolist() == iris.X[:2][:, [3, 0]].tolist()
    with pytest.raises(ValueError, match="no column of numbers"):
        project(iris, two_columns("class", names[0]))
