"""A folder of one's own, with an index: what it adds, and what happens when it is damaged."""

import json

import numpy as np
import pandas as pd
import pytest

from cclab.datasets import list_datasets, load_dataset
from cclab.datasets.folder import folder_index


@pytest.fixture
def folder(monkeypatch, tmp_path):
    """A folder with an index of one small set of its own; gives its path."""
    pd.DataFrame({"a": [1.0, 2.0, 3.0], "label": ["10", "9", "9"]}).to_csv(tmp_path / "mine.csv", index=False)
    _write_index(tmp_path, {"name": "mine", "file": "mine.csv", "n": 3, "d": 1, "classes": 2, "source": "me"})
    monkeypatch.setenv("CCLAB_DATA", str(tmp_path))
    return tmp_path


def _write_index(path, *entries):
    (path / "datasets.json").write_text(json.dumps({"datasets": entries}))


def test_a_folders_own_set_loads_and_is_listed(folder):
    data = load_dataset("mine")
    assert data.target_names == ("9", "10")
    assert data.target.tolist() == [1, 0, 0]
    assert "me" in data.source
    row = list_datasets().set_index("name").loc["mine"]
    assert row.tolist() == [3, 1, 2, "folder", True]


def test_a_missing_file_is_named(folder):
    (folder / "mine.csv").unlink()
    with pytest.raises(FileNotFoundError, match=r"mine\.csv"):
        load_dataset("mine")


@pytest.mark.parametrize("content", ["a,label\n1.0,10\n2.0,9\n", "", "a,label\n1.0,10\n2.0,9\nx,9\n"])
def test_a_truncated_or_damaged_csv_is_named(folder, content):
    (folder / "mine.csv").write_text(content)
    with pytest.raises(ValueError, match=r"mine\.csv.*get it again"):
        load_dataset("mine")


def test_a_truncated_npz_is_named(folder):
    np.savez_compressed(folder / "mine.npz", X=np.eye(3), label=np.array(["a", "b", "b"]))
    _write_index(folder, {"name": "mine", "file": "mine.npz", "n": 3, "d": 3})
    assert load_dataset("mine").n_classes == 2
    content = (folder / "mine.npz").read_bytes()
    for cut in (0, 10, len(content) // 2, len(content) - 5):
        (folder / "mine.npz").write_bytes(content[:cut])
        with pytest.raises(ValueError, match=r"mine\.npz.*get it again"):
            load_dataset("mine")


@pytest.mark.parametrize("content", ["{", "[]", '{"datasets": [{"name": "x"}]}', '{"datasets": 3}'])
def test_a_broken_index_is_named(folder, content):
    (folder / "datasets.json").write_text(content)
    with pytest.raises(ValueError, match=r"datasets\.json is no index"):
        load_dataset("mine")


def test_a_folder_without_index_or_no_folder_at_all(monkeypatch, tmp_path):
    monkeypatch.setenv("CCLAB_DATA", str(tmp_path))
    with pytest.raises(FileNotFoundError, match=r"datasets\.json does not exist"):
        load_dataset("glass")
    monkeypatch.setenv("CCLAB_DATA", str(tmp_path / "gone"))
    with pytest.raises(FileNotFoundError, match="which is no folder"):
        load_dataset("glass")
    assert load_dataset("two_class").n_samples == 400
    assert load_dataset("wine").n_samples == 178


def test_a_folder_of_collections_needs_no_index(monkeypatch, tmp_path):
    (tmp_path / "collections").mkdir()
    monkeypatch.setenv("CCLAB_DATA", str(tmp_path))
    assert folder_index() == {}


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ({"X": np.zeros(3)}, r"X has the shape \(3,\)"),
        ({"X": np.eye(3), "label": np.eye(3)}, "damaged"),
        ({"Y": np.eye(3)}, "damaged"),
        (
            {"data": [1.0], "indices": [7], "indptr": [0, 1], "shape": [1, 2]},
            "sparse samples are damaged",
        ),
    ],
)
def test_an_npz_of_other_parts_is_named(folder, parts, words):
    np.savez(folder / "mine.npz", **parts)
    _write_index(folder, {"name": "mine", "file": "mine.npz"})
    with pytest.raises(ValueError, match=rf"mine\.npz.*{words}"):
        load_dataset("mine")


def test_an_index_that_is_nested_too_deeply_is_named(folder):
    (folder / "datasets.json").write_text("[" * 100_000)
    with pytest.raises(ValueError, match=r"datasets\.json is no index"):
        load_dataset("mine")


def test_a_header_that_ends_within_a_bracket_is_named(folder):
    np.savez(folder / "mine.npz", X=np.eye(3))
    content = (folder / "mine.npz").read_bytes().replace(b"'shape': (3, 3), }", b"'shape': (3, 3(((}")
    (folder / "mine.npz").write_bytes(content)
    _write_index(folder, {"name": "mine", "file": "mine.npz"})
    with pytest.raises(ValueError, match=r"mine\.npz is damaged"):
        load_dataset("mine")
