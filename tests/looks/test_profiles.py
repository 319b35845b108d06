"""A profile says what tells a cluster apart, by numbers that can be checked."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from cclab import load_dataset
from cclab.core import Fuzzy, Hard
from cclab.datasets import Dataset
from cclab.looks.profiles import profile, suggested_name, telling_words


def test_means_and_spreads_are_those_of_the_samples():
    iris = load_dataset("iris")
    about = profile(iris, Hard(iris.target), 0)
    assert (about.size, round(about.share, 3)) == (50, 0.333)
    for feature in about.features:
        j = iris.feature_names.index(feature.name)
        np.testing.assert_allclose(feature.mean, iris.X[:50, j].mean())
        np.testing.assert_allclose(feature.spread, iris.X[:50, j].std())
        np.testing.assert_allclose(feature.others, iris.X[50:, j].mean())
    assert "petal" in about.features[0].name
    assert abs(about.features[0].effect) >= abs(about.features[-1].effect)


def test_sparse_data_have_the_same_profile():
    iris = load_dataset("iris")
    thin = Dataset("thin", sparse.csr_array(iris.X), iris.feature_names, target=iris.target)
    one, other = profile(iris, Hard(iris.target), 1), profile(thin, Hard(iris.target), 1)
    np.testing.assert_allclose([f.effect for f in one.features], [f.effect for f in other.features], atol=1e-9)
    assert one.typical.tolist() == other.typical.tolist()


def test_typical_samples_are_sure_and_doubtful_ones_are_not():
    U = np.array(
        [[0.9, 0.1], [0.55, 0.45], [0.8, 0.2], [0.2, 0.8], [0.6, 0.4], [0.99, 0.01], [0.7, 0.3]] + [[0.95, 0.05]] * 4
    )
    about = profile(Dataset("u", np.arange(11.0)[:, None]), Fuzzy(U), 0)
    assert about.typical[0] == 5
    assert about.doubtful[:2].tolist() == [1, 4]
    assert not set(about.typical) & set(about.doubtful)


@pytest.mark.parametrize("labels", [[0, 0, 0, 0], [1, 0, 0, 0], [1, 1, 1, 1]])
def test_clusters_of_all_of_one_and_of_none_have_profiles(labels):
    data = Dataset("few", np.arange(8.0).reshape(4, 2))
    about = profile(data, Hard(labels, n_clusters=2), 1)
    assert about.size == sum(labels)
    assert isinstance(suggested_name(data, Hard(labels, n_clusters=2), 1), str)


def test_texts_are_named_by_their_words():
    meta = pd.DataFrame(
        {
            "note": [
                *("a fast red car", "the red car stops", "my car is red"),
                *("green apple tree", "an apple", "eat the apple"),
            ]
        }
    )
    data = Dataset("notes", np.zeros((6, 1)) + np.arange(6)[:, None], meta=meta, text_column="note")
    labels = Hard([0, 0, 0, 1, 1, 1])
    assert suggested_name(data, labels, 0) == "car, red"
    assert suggested_name(data, labels, 1).startswith("apple")
    assert telling_words([], ["a"]) == []


def test_a_category_names_a_cluster_by_its_word():
    frame = pd.DataFrame({"sold": np.arange(30.0), "goods": ["Küche"] * 10 + ["Möbel"] * 20, "where": ["n", "s"] * 15})
    data = load_dataset(frame, roles={"goods": "feature", "where": "group"})
    assert suggested_name(data, Hard(np.arange(30) // 10, n_clusters=3), 0) == "Küche, low sold"
