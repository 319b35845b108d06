"""Data sets by name: out of scikit-learn, out of a folder, off OpenML, and variants."""

import json
from urllib.error import URLError

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.utils import Bunch

from cclab.datasets import list_datasets, load_dataset
from cclab.datasets import openml as openml_module
from cclab.datasets.derived import DERIVED
from cclab.datasets.openml import OPENML
from cclab.datasets.published import PUBLISHED


@pytest.fixture
def no_folder(monkeypatch):
    monkeypatch.setenv("CCLAB_DATA", "")


@pytest.fixture
def offline(monkeypatch):
    def fetch(**_):
        raise URLError("Name or service not known")

    monkeypatch.setattr(openml_module, "fetch_openml", fetch)


# Without any folder


@pytest.mark.usefixtures("no_folder", "offline")
@pytest.mark.parametrize("name", ["iris", "wine", "wdbc", "digits"])
def test_scikit_learns_own_need_neither_folder_nor_network(name):
    data = load_dataset(name)
    facts = PUBLISHED[name]
    assert (data.n_samples, data.n_features, data.n_classes) == (
        facts.n_samples,
        facts.n_features,
        facts.n_classes,
    )
    assert data.description == facts.description
    assert "scikit-learn" in data.source


@pytest.mark.usefixtures("no_folder")
def test_digits_have_images_between_0_and_1():
    data = load_dataset("digits")
    assert data.images.shape == (1797, 8, 8)
    assert data.images.min() == 0
    assert data.images.max() == 1
    np.testing.assert_array_equal(data.images.reshape(1797, 64) * 16, data.X)


@pytest.mark.usefixtures("no_folder")
def test_iris_says_which_copy_it_is():
    assert any("differ" in note for note in load_dataset("iris").notes)


@pytest.mark.usefixtures("no_folder")
@pytest.mark.parametrize("name", ["breast_cancer", "WDBC", " Breast-Cancer "])
def test_names_are_taken_kindly(name):
    assert load_dataset(name).name == "wdbc"


@pytest.mark.usefixtures("no_folder")
def test_unknown_names_bring_close_ones_and_the_way_to_all():
    with pytest.raises(ValueError, match=r"'irsi'.*'iris'.*list_datasets"):
        load_dataset("irsi")
    with pytest.raises(ValueError, match="'ecoli_outliers'"):
        load_dataset("ecoli_outlier")
    with pytest.raises(ValueError, match=r"no data set called 'zzzzzz'\. cclab"):
        load_dataset("zzzzzz")


@pytest.mark.usefixtures("no_folder")
def test_a_named_set_has_its_own_truth_and_options():
    with pytest.raises(ValueError, match="with_target"):
        load_dataset("wine", target="label")
    with pytest.raises(ValueError, match="name and a truth of its own"):
        load_dataset("wine", name="vino")
    with pytest.raises(ValueError, match="'wine' has no option 'seed'; it takes none"):
        load_dataset("wine", seed=3)


@pytest.mark.usefixtures("no_folder", "offline")
@pytest.mark.parametrize("name", OPENML)
def test_unreachable_sets_say_what_was_tried_and_what_to_do(name):
    with pytest.raises(OSError, match=f"(?s){name}.*CCLAB_DATA.*OpenML.*Name or service.*get online"):
        load_dataset(name)


@pytest.mark.usefixtures("no_folder", "offline")
@pytest.mark.parametrize("name", ["flame", "pathbased", "spiral", "soybean_small", "leukemia_golub"])
def test_sets_that_only_a_folder_has_say_so(name):
    with pytest.raises(OSError, match=f"{name}.*CCLAB_DATA names no folder.*Set CCLAB_DATA"):
        load_dataset(name)


@pytest.mark.usefixtures("no_folder", "offline")
def test_list_without_a_folder():
    frame = list_datasets().set_index("name")
    assert frame.columns.tolist() == ["n", "p", "classes", "source", "available"]
    assert frame.loc["iris"].tolist() == [150, 4, 3, "scikit-learn", True]
    assert frame.loc["two_class"].tolist() == [400, 2, 2, "generated", True]
    assert frame.loc["glass"].tolist() == [214, 9, 6, "OpenML 41", False]
    assert frame.loc["glass_two_class"].tolist() == [214, 9, 2, "OpenML 41", False]
    assert not frame.loc["flame", "available"]


# OpenML, as its listing describes the sets


def _serve(monkeypatch, X, labels):
    def fetch(data_id, target_column, n_retries):
        names = [f"V{j}" for j in range(X.shape[1])]
        data = X if sparse.issparse(X) else pd.DataFrame(X, columns=names)
        return Bunch(data=data, target=pd.Series(labels, dtype="category"), feature_names=names)

    monkeypatch.setattr(openml_module, "fetch_openml", fetch)


@pytest.mark.usefixtures("no_folder")
def test_openml_letters_are_picked_out_by_class(monkeypatch):
    X = np.arange(2000 * 16.0).reshape(2000, 16)
    labels = np.array(["C"] * 2000)
    labels[:789], labels[789:1555] = "A", "B"
    _serve(monkeypatch, X[::-1], labels[::-1])
    data = load_dataset("letters_ab")
    assert data.X.shape == (1555, 16)
    assert data.target_names == ("A", "B")
    np.testing.assert_array_equal(data.X[-1], X[0])


@pytest.mark.usefixtures("no_folder")
def test_openml_glass_has_our_class_names(monkeypatch):
    kinds = [
        "build wind float",
        "'build wind non-float'",
        "vehic wind float",
        "containers",
        "tableware",
        "headlamps",
    ]
    labels = np.repeat(kinds, [70, 76, 17, 13, 9, 29])
    _serve(monkeypatch, np.random.default_rng(0).normal(size=(214, 9)), labels)
    assert load_dataset("glass").target_names == ("1", "2", "3", "5", "6", "7")
    assert np.bincount(load_dataset("glass_two_class").target).tolist() == [51, 163]
    assert "OpenML data set 41" in load_dataset("glass").source


@pytest.mark.usefixtures("no_folder")
def test_openml_texts_are_weighted(monkeypatch):
    counts = sparse.random(204, 5832, 0.01, format="csr", rng=0)
    _serve(monkeypatch, counts, [str(k % 6) for k in range(204)])
    np.testing.assert_allclose(sparse.linalg.norm(load_dataset("tr23").X, axis=1), 1)


@pytest.mark.usefixtures("no_folder")
def test_another_version_on_openml_is_not_passed_off(monkeypatch):
    _serve(monkeypatch, np.zeros((100, 9)), ["1"] * 100)
    with pytest.raises(ValueError, match=r"'glass'.*another version.*\(100, 9, 1\).*\(214, 9, 6\)"):
        load_dataset("glass")


# The papers' data


@pytest.mark.data
def test_every_name_loads_at_the_stated_size_and_by_the_index():
    listed = list_datasets()
    assert listed.available.all()
    assert set(PUBLISHED) | set(DERIVED) <= set(listed.name)
    for row in listed.itertuples():
        data = load_dataset(row.name)
        assert (data.name, data.n_samples, data.n_features, data.n_classes) == (
            row.name,
            row.n,
            row.p,
            row.classes,
        )
        assert data.description
        assert data.source


@pytest.mark.data
def test_class_counts_are_those_of_the_index(data_folder):
    for entry in json.loads((data_folder / "datasets.json").read_text())["datasets"]:
        data = load_dataset(entry["name"])
        found = dict(zip(data.target_names, np.bincount(data.target).tolist()))
        if entry["name"] == "wine":  # scikit-learn numbers its classes from 0
            found = {str(k + 1): count for k, count in enumerate(found.values())}
        if entry["name"] == "iris":
            found = {f"Iris-{name}": count for name, count in found.items()}
        assert found == entry["class_counts"], entry["name"]


@pytest.mark.data
def test_bundled_sets_equal_the_folders(data_folder):
    for name in ("wine", "wdbc"):
        frame = pd.read_csv(data_folder / f"{name}.csv")
        np.testing.assert_allclose(load_dataset(name).X, frame.iloc[:, :-1])


@pytest.mark.data
@pytest.mark.parametrize("name", ["iris", "iris_uci", "wine", "wdbc", "digits"])
def test_a_bundled_name_means_the_same_data_with_and_without_a_folder(monkeypatch, name):
    with_folder = load_dataset(name).fingerprint
    monkeypatch.setenv("CCLAB_DATA", "")
    assert load_dataset(name).fingerprint == with_folder


def test_a_folder_does_not_change_what_a_bundled_name_means(monkeypatch, tmp_path):
    before = load_dataset("iris").fingerprint
    pd.DataFrame({"a": range(150), "label": "x"}).to_csv(tmp_path / "iris.csv", index=False)
    index = {"datasets": [{"name": "iris", "file": "iris.csv", "n": 150, "d": 1}]}
    (tmp_path / "datasets.json").write_text(json.dumps(index))
    monkeypatch.setenv("CCLAB_DATA", str(tmp_path))
    assert load_dataset("iris").fingerprint == before
    assert list_datasets().set_index("name").loc["iris", "source"] == "scikit-learn"


@pytest.mark.usefixtures("no_folder")
def test_ucis_iris_differs_in_two_samples():
    uci, theirs = load_dataset("iris_uci"), load_dataset("iris")
    np.testing.assert_array_equal(uci.X[[34, 37]], [[4.9, 3.1, 1.5, 0.1]] * 2)
    assert np.flatnonzero((uci.X != theirs.X).any(axis=1)).tolist() == [34, 37]


@pytest.mark.data
def test_ucis_iris_is_the_folders(data_folder):
    np.testing.assert_array_equal(load_dataset("iris_uci").X, pd.read_csv(data_folder / "iris.csv").iloc[:, :-1])


def test_a_fingerprint_that_is_asked_for_is_checked():
    iris = load_dataset("iris")
    assert load_dataset("iris", fingerprint=iris.fingerprint[:16]).fingerprint == iris.fingerprint
    with pytest.raises(ValueError, match="iris holds other data than those that are asked for"):
        load_dataset("iris", fingerprint="0123456789abcdef")


def test_a_name_of_megabytes_is_refused_at_once():
    with pytest.raises(ValueError, match="there is no data set called") as refused:
        load_dataset("glas" * 10**6)
    assert len(str(refused.value)) < 1000


@pytest.mark.data
def test_glass_two_class_is_windows_against_the_rest():
    glass, two = load_dataset("glass"), load_dataset("glass_two_class")
    assert two.target_names == ("other", "window")
    window = np.isin(np.array(glass.target_names)[glass.target], ["1", "2", "3"])
    np.testing.assert_array_equal(two.target == 1, window)
    assert window.sum() == 163


@pytest.mark.data
def test_ecoli_outliers_are_the_three_tiny_classes():
    ecoli, data = load_dataset("ecoli"), load_dataset("ecoli_outliers")
    assert data.target_names == ("cp", "im", "imU", "om", "pp")
    assert data.outliers.sum() == 9
    np.testing.assert_array_equal(data.target == -1, data.outliers)
    names = np.array(ecoli.target_names)[ecoli.target]
    assert set(names[data.outliers]) == {"imL", "imS", "omL"}
    inside = ~data.outliers
    np.testing.assert_array_equal(np.array(data.target_names)[data.target[inside]], names[inside])


@pytest.mark.data
def test_letters_ijl_227_is_a_seeded_draw():
    whole, drawn = load_dataset("letters_ijl"), load_dataset("letters_ijl_227", seed=5)
    assert drawn.X.shape == (227, 16)
    rows = {(*x, t) for x, t in zip(map(tuple, whole.X), whole.target)}
    assert {(*x, t) for x, t in zip(map(tuple, drawn.X), drawn.target)} <= rows
    np.testing.assert_array_equal(drawn.X, load_dataset("letters_ijl_227", seed=5).X)


@pytest.mark.data
@pytest.mark.parametrize("name", ["tr11", "tr12", "tr23"])
def test_texts_are_tfidf_by_default_and_counts_on_demand(name):
    weighted, counts = load_dataset(name), load_dataset(name, weighting="counts")
    assert sparse.issparse(weighted.X)
    np.testing.assert_allclose(sparse.linalg.norm(weighted.X, axis=1), 1)
    assert (counts.X.data == np.round(counts.X.data)).all()
    assert counts.X.nnz == weighted.X.nnz
    assert any("tf-idf" in note for note in weighted.notes)
    with pytest.raises(ValueError, match="weighting must be"):
        load_dataset(name, weighting="binary")


@pytest.mark.data
def test_leukemia_filter_keeps_the_3571_genes_of_the_folders_mask(data_folder):
    data = load_dataset("leukemia_golub", genes="filtered")
    with np.load(data_folder / "leukemia_golub.npz") as parts:
        mask = parts["mask3571"]
        expected = np.log10(np.clip(parts["X"], 100, 16_000))[:, mask]
        genes = parts["gene"][mask]
    np.testing.assert_allclose(data.X, expected)
    assert data.feature_names == tuple(genes)
    assert data.sample_names[:2] == ("1", "2")
    with pytest.raises(ValueError, match="genes must be"):
        load_dataset("leukemia_golub", genes="some")
