"""Pieces of a region, counted and measured."""

import numpy as np
import pytest

from cclab.images import Picture, find_pieces
from cclab.images.pieces import count_pieces

Y, X = np.indices((60, 120))


def disc(row, column, radius):
    return np.hypot(Y - row, X - column) < radius


THREE = disc(30, 20, 12) | disc(30, 41, 12) | disc(20, 90, 8)
PICTURE = Picture(
    "discs", np.where(disc(20, 90, 8), 0.8, 0.2 + 0 * X), low=-100, high=100, spacing=(0.5, 0.5), length="µm"
)


def test_touching_pieces_are_parted_and_measured():
    found = find_pieces(THREE, PICTURE)
    assert len(found) == count_pieces(THREE) == 3
    table = found.table.sort_values("column").reset_index(drop=True)
    assert table["column"].tolist() == pytest.approx([20, 41, 90], abs=1)
    assert table["area"][2] == disc(20, 90, 8).sum()
    assert table["mean"].tolist() == pytest.approx([-60, -60, 60])
    assert (table["circularity"] > 0.8).all()
    assert table["area (µm²)"][2] == table["area"][2] / 4
    assert table["diameter (µm)"][2] == pytest.approx(8, rel=0.05)
    assert found.at(20, 90) == table["object"][2]
    assert found.at(0, 0) == 0


def test_without_parting_they_are_one():
    assert len(find_pieces(THREE, PICTURE, split=False)) == 2


def test_small_ones_are_left_out_and_none_is_no_error():
    speck = THREE.copy()
    speck[50:52, 100:102] = True
    assert len(find_pieces(speck, PICTURE)) == 3
    assert len(find_pieces(speck, PICTURE, least_area=1)) == 4
    nothing = find_pieces(np.zeros_like(THREE), PICTURE)
    assert len(nothing) == count_pieces(np.zeros_like(THREE)) == 0
    assert "area (µm²)" in nothing.table
