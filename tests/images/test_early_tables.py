"""Pictures that earlier versions kept as tables are pictures again; other tables are none."""

import numpy as np
import pytest

from cclab import load_dataset
from cclab.datasets import Dataset
from cclab.images.early_tables import picture_of_table

PLACES = np.indices((2, 3)).reshape(2, -1).T
GREY = np.array([0, 0.2, 0.4, 0.6, 0.8, 1])[:, None]


def table(*columns, names):
    return Dataset("old", np.column_stack([PLACES, *columns]), feature_names=("row", "column", *names))


def test_grey_colour_depth_and_truth():
    grey = picture_of_table(table(GREY, names=["grey"]))
    np.testing.assert_allclose(grey.pixels, GREY.reshape(2, 3))
    assert (grey.bit_depth, grey.truth) == (8, None)
    assert picture_of_table(table(GREY + 1e-4 - GREY * 2e-4, names=["grey"])).bit_depth == 16
    truth = np.array([0, 0, 1, 1, 2, 2])[:, None]
    colour = picture_of_table(table(GREY, GREY, GREY, truth, names=["red", "green", "blue", "truth: a, b, c"]))
    assert colour.is_colour
    assert colour.truth_names == ("a", "b", "c")
    np.testing.assert_array_equal(colour.truth, truth.reshape(2, 3))


def test_a_class_whose_name_has_a_comma_is_no_two_classes():
    truth = np.array([0, 0, 1, 1, 2, 2])[:, None]
    assert picture_of_table(table(GREY, truth, names=["grey", "truth: skull"])).truth_names == ("0", "1", "2")


@pytest.mark.parametrize(
    "data",
    [
        load_dataset("iris"),
        table(GREY, names=["height"]),
        table(GREY * 7, names=["grey"]),
        Dataset("gaps", np.column_stack([PLACES[[0, 1, 2, 5]], GREY[:4]]), feature_names=("row", "column", "grey")),
        table(GREY, names=["grey"]).with_target(list("aabbcc")),
    ],
    ids=["iris", "another column", "no greys", "gaps", "with classes"],
)
def test_other_tables_are_none(data):
    assert picture_of_table(data) is None
