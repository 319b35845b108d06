"""The frozen value that every loader gives."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse
from sklearn.cluster import KMeans

from cclab.datasets import Dataset, load_dataset
from cclab.datasets.classes import encode

X = np.array([[0.0, 5.0], [1.0, 5.0], [5.0, 5.0]])


def test_is_frozen_and_owns_read_only_arrays():
    mine = X.copy()
    data = Dataset("d", mine, target=[0, 1, 1])
    mine[0, 0] = 99
    assert data.X[0, 0] == 0
    with pytest.raises(ValueError, match="read-only"):
        data.X[0, 0] = 1
    with pytest.raises(ValueError, match="read-only"):
        data.target[0] = 1
    with pytest.raises(dataclasses.FrozenInstanceError):
        data.name = "other"


def test_a_change_shares_what_stays():
    data = Dataset("d", X)
    assert dataclasses.replace(data, name="e").X is data.X


def test_sizes_and_default_names():
    data = Dataset("d", X, target=[0, 1, 1])
    assert (data.n_samples, data.n_features, data.n_classes) == (3, 2, 2)
    assert data.feature_names == ("x1", "x2")
    assert data.target_names == ("0", "1")
    assert Dataset("d", X).n_classes is None


def test_repr_tells_sizes_classes_outliers_and_notes():
    data = Dataset("d", X, target=[0, 0, -1], target_names=("a",), outliers=[False, False, True], notes=("n",))
    assert repr(data) == "<Dataset d: 3 samples x 2 features; 1 classes: a 2; 1 outliers; 1 note>"
    many = Dataset("m", np.arange(20.0)[:, None], target=np.arange(20))
    assert "7 1, ...>" in repr(many)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"X": [1.0, 2.0]}, r"reshape\(-1, 1\)"),
        ({"X": np.empty((0, 2))}, "no samples"),
        ({"X": [["a", "b"]]}, "must be numbers"),
        ({"X": [[1, 2], [3]]}, "must be numbers"),
        ({"X": [[1j, 2]]}, "complex"),
        ({"X": [[1.0, 2.0], [np.nan, 1.0]]}, "row 1, column 0"),
        ({"X": [[1.0, np.inf]]}, "row 0, column 1"),
        ({"X": sparse.csr_array([[np.nan, 1.0]])}, "missing or infinite"),
        ({"target": [0, 1]}, "target has 2 entries, expected 3"),
        ({"target": [0, 1, 2], "target_names": ("a", "b")}, r"-1\.\.1"),
        ({"target": [0, -2, 1]}, r"-1\.\.1"),
        ({"target": [0.0, 1.0, 0.5]}, "with_target"),
        ({"target_names": ("a",)}, "without a target"),
        ({"feature_names": ("a",)}, "feature_names has 1 entries, expected 2"),
        ({"sample_names": ("a",)}, "sample_names has 1"),
        ({"outliers": [True]}, "outliers has 1"),
        ({"images": np.zeros((2, 4, 4))}, "images has 2"),
        ({"images": np.full((3, 4, 4), 16)}, r"in \[0, 1\]"),
        ({"images": np.zeros((3, 16))}, "height, width"),
    ],
)
def test_bad_fields_are_named(fields, message):
    with pytest.raises(ValueError, match=f"(?s)^mine: .*{message}"):
        Dataset(**({"name": "mine", "X": X} | fields))


@given(arrays(float, (7, 3), elements=st.floats(-1e6, 1e6, width=32)))
def test_standardized_has_mean_0_and_variance_1_or_is_0(values):
    data = Dataset("d", values)
    Z = data.standardized().X
    assert np.isfinite(Z).all()
    constant = np.ptp(values, axis=0) == 0
    assert (Z[:, constant] == 0).all()
    clear = values.std(axis=0) > 1e-6 * (1 + np.abs(values).max(axis=0))
    np.testing.assert_allclose(Z[:, clear].mean(axis=0), 0, atol=1e-6)
    np.testing.assert_allclose(Z[:, clear].std(axis=0), 1, rtol=1e-6)


def test_standardized_says_so_and_keeps_the_rest():
    data = Dataset("d", X, target=[0, 1, 1], notes=("before",)).standardized()
    assert data.notes == ("before", "features standardised to mean 0 and variance 1")
    assert data.target.tolist() == [0, 1, 1]


def test_sparse_is_kept_sparse_read_only_and_usable():
    counts = sparse.coo_array(([1, 2, 3], ([0, 0, 1], [1, 1, 0])), shape=(2, 3))
    data = Dataset("texts", counts)
    assert isinstance(data.X, sparse.csr_array)
    np.testing.assert_array_equal(data.X.toarray(), [[0, 3, 0], [3, 0, 0]])
    assert not data.X.data.flags.writeable
    assert "(sparse)" in repr(data)
    assert set(KMeans(2, n_init=1, random_state=0).fit_predict(data.X)) == {0, 1}


def test_sparse_given_by_a_person_is_not_touched():
    parts = (np.array([1.0, 2.0]), np.array([1, 0]), np.array([0, 2]))  # column indices not in order
    mine = sparse.csr_array(parts, shape=(1, 2))
    Dataset("texts", mine)
    assert mine.indices.tolist() == [1, 0]
    assert mine.data.flags.writeable


def test_sparse_refuses_to_be_standardized():
    with pytest.raises(ValueError, match=r"texts is sparse.*toarray"):
        Dataset("texts", sparse.csr_array([[1.0, 0.0]])).standardized()


def test_with_target_takes_any_labels_and_drops_old_outliers():
    data = Dataset("d", X, target=[0, 1, -1], outliers=[False, False, True])
    other = data.with_target(["b", None, "a"])
    assert other.target.tolist() == [1, -1, 0]
    assert other.target_names == ("a", "b")
    assert other.outliers is None
    assert data.with_target(None).target is None


@pytest.mark.parametrize(
    ("labels", "codes", "names"),
    [
        (["10", "9", "10"], [1, 0, 1], ("9", "10")),
        ([3.0, 1.0, np.nan], [1, 0, -1], ("1", "3")),
        ([True, False], [1, 0], ("False", "True")),
        (["b", "a", 1], [2, 1, 0], ("1", "a", "b")),
        (["1", 1, "01"], [1, 1, 0], ("01", "1")),
        (np.array([2.5, 1], dtype=np.float32), [1, 0], ("1", "2.5")),
    ],
)
def test_encode(labels, codes, names):
    found, found_names = encode(labels)
    assert found.tolist() == codes
    assert found_names == names


@given(st.lists(st.one_of(st.none(), st.text(max_size=3), st.integers(-5, 5)), min_size=1))
def test_encode_gives_labels_back(labels):
    codes, names = encode(labels)
    assert [None if code < 0 else names[code] for code in codes] == [
        None if label is None else str(label) for label in labels
    ]


def test_arrays_are_wrapped():
    data = load_dataset(X, target=["p", "q", "q"], name="mine")
    assert data.name == "mine"
    assert data.target_names == ("p", "q")
    assert load_dataset(data) is data
    assert load_dataset(data, name="other").name == "other"
    assert load_dataset(sparse.csr_array(X)).n_samples == 3


@pytest.mark.parametrize(
    ("data", "message"),
    [(None, "shape"), (5, "shape"), ({"a": 1}, "must be numbers"), ([[1], [2, 3]], "must be numbers")],
)
def test_what_is_no_data_is_refused(data, message):
    with pytest.raises(ValueError, match=message):
        load_dataset(data)


def test_a_target_of_the_wrong_length_is_refused():
    with pytest.raises(ValueError, match="target has 2 entries, expected 3"):
        load_dataset(X, target=["a", "b"])


def test_options_of_named_sets_are_refused_for_arrays():
    with pytest.raises(ValueError, match="'seed' is for named"):
        load_dataset(X, seed=1)


# ---------------------------------------------------------------------------------------------- fingerprints


def test_a_fingerprint_is_the_same_on_every_machine():
    data = Dataset("d", X, ("a", "b"), target=[0, 1, -1], sample_names=("p", "q", "r"))
    assert data.fingerprint == "ba0c57d6c5b8a504935d3dc19ea3be9ed776e992cc7414e746837a18e9720504"


def test_a_fingerprint_knows_content_not_memory_nor_name():
    data = Dataset("d", X, target=[0, 1, 1])
    same = Dataset("e", np.asfortranarray(X.astype(">f8")), target=np.array([0, 1, 1], np.int8), source="elsewhere")
    assert data.fingerprint == same.fingerprint


@pytest.mark.parametrize(
    "change",
    [
        {"X": X + np.array([0.0, 1e-12])},
        {"X": sparse.csr_array(X)},
        {"feature_names": ("x1", "y")},
        {"target": np.array([0, 1, 0])},
        {"target": None, "target_names": ()},
        {"target_names": ("0", "b")},
        {"sample_names": ("p", "q", "r")},
        {"outliers": [False, True, False]},
    ],
    ids=lambda change: next(iter(change)),
)
def test_other_content_has_another_fingerprint(change):
    data = Dataset("d", X, target=[0, 1, 1])
    assert dataclasses.replace(data, **change).fingerprint != data.fingerprint


def test_a_sparse_fingerprint_does_not_hang_on_the_width_of_indices():
    wide = sparse.csr_array(X)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    assert Dataset("d", wide).fingerprint == Dataset("d", sparse.csr_array(X)).fingerprint


# ---------------------------------------------------------------------- beside the features


def test_meta_has_no_columns_where_there_are_none():
    data = Dataset("d", [[0.0], [1.0]], sample_names=("a", "b"))
    assert data.meta.shape == (2, 0)
    assert data.text(0) == ""


def test_meta_goes_with_the_samples():
    table = pd.DataFrame({"x": [1.0, 2.0, 3.0], "kind": ["a", "b", "a"], "said": ["one", None, "three"]})
    data = Dataset("d", table[["x"]], meta=table[["kind", "said"]], text_column="said")
    some = data.subset([2, 1])
    assert some.meta["kind"].tolist() == ["a", "b"]
    assert some.meta.index.tolist() == [2, 1] == some.index.tolist()
    assert (some.text(0), some.text(1)) == ("three", "")


def test_meta_counts_for_the_fingerprint_but_not_for_that_of_the_features():
    one, other = (Dataset("d", [[0.0], [1.0]], meta=pd.DataFrame({"said": ["yes", word]})) for word in ("no", "maybe"))
    assert one.fingerprint != other.fingerprint
    assert one.feature_fingerprint == other.feature_fingerprint == Dataset("d", [[0.0], [1.0]]).fingerprint


@pytest.mark.parametrize("meta", [pd.DataFrame({"a": [1]}), [["a"], ["b"]]])
def test_meta_that_does_not_fit_is_refused(meta):
    with pytest.raises(ValueError, match="meta"):
        Dataset("d", [[0.0], [1.0]], meta=meta)


def test_pictures_may_be_grey_or_coloured():
    grey = np.array([[[0.0, 1.0]], [[1.0, 1.0]]])
    coloured = np.array([[[[255, 0, 0]]], [[[0, 0, 255]]]], dtype=np.uint8)
    X = [[0.0], [1.0]]
    assert Dataset("d", X, images=grey).picture(0).tolist() == [[255, 0]]  # ink on paper
    assert Dataset("d", X, images=coloured).subset([1]).picture(0).tolist() == [[[0, 0, 255]]]
    assert Dataset("d", X, images=coloured / 255).picture(0).tolist() == [[[255, 0, 0]]]
    with pytest.raises(ValueError, match="width, 3"):
        Dataset("d", X, images=coloured[..., :2])
