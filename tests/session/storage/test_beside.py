"""What was costly to make is found again with the session, and never taken for other data."""

import numpy as np
import pytest

from cclab import FCM, Session, load_dataset


def test_arrays_are_kept_with_the_session_and_found_again(tmp_path):
    session = Session("iris", FCM(n_clusters=3, random_state=0))
    places = np.random.default_rng(0).normal(size=(150, 2))
    session.beside.put(session.data, "tsne", places)
    session.keep(tmp_path / "s")
    session.close()
    again = Session.open(tmp_path / "s")
    np.testing.assert_array_equal(again.beside.get(again.data, "tsne"), places)
    assert again.beside.get(again.data, "umap") is None
    again.close()


def test_other_data_in_the_same_folder_find_nothing(tmp_path):
    session = Session("iris", FCM(n_clusters=3), journal=tmp_path / "s")
    session.beside.put(session.data, "tsne", np.zeros((150, 2)))
    session.close()
    other = Session(load_dataset("iris").standardized(), FCM(n_clusters=3), journal=tmp_path / "s")
    assert other.beside.get(other.data, "tsne") is None
    with pytest.raises(ValueError, match="expected one for each of 150"):
        other.beside.put(other.data, "tsne", np.zeros((3, 2)))
    other.close()


@pytest.mark.parametrize("content", [b"", b"no array", b"\x93NUMPY\x01\x00v\x00{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000, 2)}" + b" " * 60])  # fmt: skip  # noqa: E501
def test_a_damaged_one_is_not_there(tmp_path, content):
    session = Session("iris", FCM(n_clusters=3), journal=tmp_path / "s")
    session.beside.put(session.data, "tsne", np.zeros((150, 2)))
    session.close()
    (path,) = (tmp_path / "s").glob("beside-*")
    path.write_bytes(content)
    again = Session.open(tmp_path / "s")
    assert again.beside.get(again.data, "tsne") is None
    again.close()
