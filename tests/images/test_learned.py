"""What was painted on one picture holds on others, and on the slices of a stack."""

import numpy as np
import pytest

from cclab.images import Failed, Options, Painting, Recipe, Regions, Stack, Stroke, load_image, load_stack
from cclab.images.regions import dice
from tests.images.pictures import body

ORGAN = Stroke("brush", 1, 4, [[19, 18], [22, 22]])
TISSUE = Stroke("brush", 2, 4, [[33, 14], [33, 26]])
AIR = Stroke("brush", 2, 4, [[2, 2], [2, 37]])
NAMES = ("Organ", "Rest")


def slices(n=4):
    return load_stack(np.stack([body(seed=k)[0] for k in range(n)]), name="ct")


def solved(painting, recipe):
    posed = painting.pose(recipe)
    return Regions.of(posed, posed.solver.solve(posed.solver.adapt(posed.problem)).partition)


@pytest.fixture(scope="module")
def model():
    return Painting(slices()[0]).model(Recipe((ORGAN, TISSUE, AIR), Options(objects="pixels"), NAMES))


def test_it_finds_the_same_on_other_pictures(model):
    truth = body()[1] == 2
    for seed in (1, 2):
        found = model.apply(load_image(body(seed=seed)[0]))
        assert dice(found.labels == 1, truth) > 0.9
    wider = load_image(body(shape=(60, 72), seed=5)[0])
    assert dice(model.apply(wider).labels == 1, body(shape=(60, 72))[1] == 2) > 0.9


def test_values_count_and_not_how_a_file_stores_them(model):
    """Another range in the file gives other fractions of it, and the same values."""
    values = body(seed=3)[0].astype(np.int32)
    values[0, 0] = 3000
    assert dice(model.apply(load_image(values)).labels == 1, body()[1] == 2) > 0.9


def test_a_picture_like_none_that_was_painted_is_doubtful(model):
    like, unlike = body(seed=1)[0], body(seed=1)[0] + np.linspace(0, 400, 48).astype(np.int16)
    assert model.apply(load_image(unlike)).doubtful > 2 * model.apply(load_image(like)).doubtful


def test_one_row_per_region(model):
    table = model.apply(slices()[1]).measured()
    assert table["region"].tolist() == ["Organ", "Rest"]
    assert table["count"].tolist()[0] == 1
    assert table["mean"][0] == pytest.approx(200, abs=10)
    assert table["pixels"].sum() == 40 * 48


def test_what_can_not_be_read_is_told_of_in_its_place(model, tmp_path):
    (tmp_path / "b.png").write_bytes(b"nothing")
    done = []
    found = list(
        model.apply_to(
            [slices()[1], tmp_path / "b.png", np.eye(5)[..., None] * [1, 0.5, 0]], lambda *at: done.append(at)
        )
    )
    assert [type(one).__name__ for one in found] == ["Applied", "Failed", "Failed"]
    assert isinstance(found[1], Failed)
    assert (found[1].name, "no picture" in found[1].why) == ("b.png", True)
    assert "is a colour picture, and the paint is on grey" in found[2].why
    assert done == [(1, 3), (2, 3), (3, 3)]


def test_masks_have_the_size_of_the_file():
    large = np.kron(body()[0], np.ones((4, 4), dtype=np.int16))
    picture = load_image(large, max_side=48)
    assert (picture.shape, picture.full.shape) == ((40, 48), (160, 192))
    found = Painting(picture).model(Recipe((ORGAN, TISSUE, AIR), regions=NAMES)).apply(picture)
    assert found.whole.shape == (160, 192)
    assert dice(found.whole == 1, np.kron(body()[1] == 2, np.ones((4, 4), dtype=bool))) > 0.9
    assert found.measured()["pixels"].sum() == 160 * 192


class TestStacks:
    def test_paint_on_one_slice_is_one_model_for_all(self):
        painting = Painting(slices())
        for place in range(4):
            recipe = Recipe((ORGAN, TISSUE, AIR), Options(objects="pixels", slice=place), NAMES)
            assert dice(solved(painting, recipe).mask(1), body()[1] == 2) > 0.9
        assert painting.home(recipe) == 0

    def test_regions_may_be_painted_on_different_slices(self):
        far = Stroke("brush", 2, 4, TISSUE.points, slice=2)
        painting = Painting(slices())
        recipe = Recipe((ORGAN, far, Stroke("brush", 2, 4, AIR.points, slice=3)), Options(slice=1), NAMES)
        posed = painting.pose(recipe)
        assert posed.palette.dabs == ()
        assert [dab.region for dab in posed.roles] == [1, 2, 2]
        assert dice(solved(painting, recipe).mask(1), body()[1] == 2) > 0.85

    def test_paint_of_another_slice_covers_nothing_here(self):
        over = Stroke("erase", 0, 90, [[20, 20]], slice=1)
        left = Painting(slices()).left_of(Recipe((ORGAN, over)))
        assert len(left[0]) > 0

    def test_one_slice_of_a_stack_is_as_the_picture_alone(self):
        recipe = Recipe((ORGAN, TISSUE, AIR), regions=NAMES)
        alone, one = Painting(slices()[0]), Painting(slices())
        np.testing.assert_array_equal(solved(alone, recipe).labels, solved(one, recipe).labels)

    def test_slices_that_are_not_there_are_named(self):
        with pytest.raises(ValueError, match="there are slices 0 to 3; got 7"):
            Painting(slices()).pose(Recipe((ORGAN, TISSUE), Options(slice=7)))

    def test_a_stack_is_packed_whole(self):
        stack = slices()
        again = Stack.unpack(stack.pack())
        assert (again.fingerprint, again.name, len(again)) == (stack.fingerprint, "ct", 4)
        assert [picture.name for picture in again] == ["ct 1", "ct 2", "ct 3", "ct 4"]


def test_pixels_without_a_value_belong_nowhere():
    values = body()[0].astype(np.float32)
    values[18:23, 30:33] = np.nan
    picture = load_image(values)
    regions = solved(Painting(picture), Recipe((ORGAN, TISSUE, AIR), Options(objects="pixels")))
    assert (regions.labels[18:23, 30:33] == 0).all()
    assert regions.undecided[18:23, 30:33].all()
    assert dice(regions.mask(1), body()[1] == 2) > 0.9
