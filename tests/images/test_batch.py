"""A folder of pictures: one mask for each, at its own size, and one table."""

import numpy as np
import pandas as pd
import pytest
import tifffile

from cclab.images import (
    Options,
    Painting,
    Recipe,
    Stroke,
    apply_to_folder,
    load_image,
    load_stack,
    over_slices,
    strokes_as_labels,
)
from cclab.images.regions import dice
from tests.images.pictures import body, tiff
from tests.images.test_learned import AIR, NAMES, ORGAN, TISSUE, slices

RECIPE = Recipe((ORGAN, TISSUE, AIR), Options(objects="pixels"), NAMES)


def test_every_file_has_its_mask_and_its_rows(tmp_path):
    for seed, shape in enumerate([(40, 48), (60, 72)]):
        (tmp_path / f"scan {seed}.tif").write_bytes(tiff(body(shape, seed)[0]))
    (tmp_path / "broken.tif").write_bytes(b"nothing")
    (tmp_path / "notes.txt").write_text("no picture")
    model = Painting(load_image(body()[0])).model(RECIPE)
    done = []
    table = apply_to_folder(model, tmp_path, tmp_path / "masks", progress=lambda *at: done.append(at))
    assert done[-1] == (3, 3)
    masks = {path.name for path in (tmp_path / "masks").iterdir()}
    assert masks == {"scan 0-labels.tif", "scan 1-labels.tif", "regions.csv"}
    found = tifffile.imread(tmp_path / "masks" / "scan 1-labels.tif")
    assert dice(found == 1, body((60, 72))[1] == 2) > 0.9
    assert table["picture"].tolist()[0] == "broken.tif"
    assert "no picture" in table["failed"][0]
    assert len(pd.read_csv(tmp_path / "masks" / "regions.csv")) == 5


def test_what_can_not_be_done_is_said(tmp_path):
    model = Painting(load_image(body()[0])).model(RECIPE)
    with pytest.raises(ValueError, match="there is no picture in"):
        apply_to_folder(model, tmp_path, tmp_path / "masks")
    with pytest.raises(ValueError, match=r"written as \.tif or \.png"):
        apply_to_folder(model, tmp_path, tmp_path / "masks", suffix=".bmp")


def test_paint_on_a_slice_holds_there():
    extra = Stroke("polygon", 1, 1, [[0, 0], [10, 0], [10, 6], [0, 6]], slice=2)
    found = list(over_slices(Painting(slices()), Recipe((*RECIPE.strokes, extra), RECIPE.options, NAMES)))
    assert (found[2].labels[:6, :10] == 1).all()
    assert not (found[1].labels[:6, :10] == 1).any()


def test_strokes_are_labels_of_their_slices():
    far = Stroke("brush", 2, 4, TISSUE.points, slice=3)
    paint = strokes_as_labels(Painting(slices()), Recipe((ORGAN, far)))
    assert [set(np.unique(one)) for one in paint] == [{0, 1}, {0}, {0}, {0, 2}]


def test_slices_of_files_are_put_on_a_scale_that_holds_the_values_of_all(tmp_path):
    for number, brightest in enumerate((60, 900, 300)):
        values = body(seed=number)[0].copy()
        values[10:14, 10:14] = brightest
        (tmp_path / f"slice {number}.tif").write_bytes(tiff(values))
    stack = load_stack(tmp_path)
    assert [picture.values[12, 12] for picture in stack] == pytest.approx([60, 900, 300], abs=0.05)
