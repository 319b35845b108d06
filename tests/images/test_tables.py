"""A picture survives as a table."""

import numpy as np
import pytest

from cclab import load_dataset
from cclab.images import load_image
from cclab.images.tables import from_dataset, to_dataset


@pytest.mark.parametrize("source", ["phantom", "coffee", np.arange(6, dtype=np.uint16).reshape(2, 3) * 9000])
def test_to_a_table_and_back(source):
    picture = load_image(source)
    again = from_dataset(to_dataset(picture))
    np.testing.assert_array_equal(again.pixels, picture.pixels)
    assert (again.truth is None) == (picture.truth is None)
    if picture.truth is not None:
        np.testing.assert_array_equal(again.truth, picture.truth)
    for name in ("name", "bit_depth", "truth_names", "notes", "description"):
        assert getattr(again, name) == getattr(picture, name)


def test_other_tables_are_refused():
    with pytest.raises(ValueError, match="iris is no picture"):
        from_dataset(load_dataset("iris"))
