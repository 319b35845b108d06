"""Strokes become prototypes, problems and regions; what they mean does not depend on how the picture is cut up."""

import numpy as np
import pytest
from scipy import ndimage

from cclab import CECM, Problem, Session
from cclab.images import (
    Options,
    Painting,
    Palette,
    Recipe,
    Regions,
    Stroke,
    distinct_values,
    features,
    load_image,
    single_pixels,
    surviving_pixels,
)
from cclab.images.constraints import linked
from cclab.images.regions import dice, measure, plausibility, typicality
from cclab.studies.random_strokes import plausible_stroke


def noise(shape, seed=0):
    """Of its own seed, so that no test depends on those that ran before it."""
    return np.random.default_rng(seed).standard_normal(shape)


def two_halves(seed=0):
    """Left dark, right bright, with noise."""
    pixels = np.where(np.arange(40) < 20, 0.3, 0.7) + 0.08 * noise((30, 40), seed)
    return load_image(np.clip(pixels, 0, 1), truth=(np.arange(40) >= 20) * np.ones((30, 1), dtype=int))


@pytest.fixture(scope="module")
def halves():
    return two_halves()


def left(region=1, rows=(5, 25)):
    return Stroke("brush", region, 3, [[8, rows[0]], [8, rows[1]]])


def right(region=2, rows=(5, 25)):
    return Stroke("brush", region, 3, [[31, rows[0]], [31, rows[1]]])


def solved(painting, *strokes, **options):
    posed = painting.pose(Recipe(strokes, Options(**options)))
    state = posed.solver.solve(posed.problem)
    return posed, state, Regions.of(posed, state.partition)


@pytest.mark.parametrize("objects", ["superpixels", "pixels", "values"])
def test_two_strokes_part_the_picture(halves, objects):
    posed, state, regions = solved(Painting(halves), left(), right(), objects=objects)
    assert posed.solver.n_clusters == 2
    assert dice(regions.mask(2), halves.truth == 1) > (0.95 if objects == "values" else 0.99)
    assert regions.undecided.mean() < 0.05
    for values in (plausibility(posed, state.partition, 1), typicality(posed, state)):
        assert values.shape == halves.shape
        assert values.min() >= 0
        assert values.max() <= 1
    dark = plausibility(posed, state.partition, 1)
    assert dark[:, :15].mean() > 0.8 > 0.2 > dark[:, 25:].mean()


def test_the_same_recipe_gives_the_same_problem_from_json(halves):
    recipe = Recipe((left(), right()), Options(objects="pixels", connected=(1,)), ("a", "b"))
    again = Recipe.from_json(recipe.to_json())
    one, other = Painting(halves).pose(recipe), Painting(halves).pose(again)
    np.testing.assert_array_equal(one.problem.X, other.problem.X)
    np.testing.assert_array_equal(one.solver.init, other.solver.init)
    assert one.problem.constraints.to_json() == other.problem.constraints.to_json()


def test_objects_of_value_and_stroke_give_exactly_the_pixel_problem():
    """Multiplicities as weights and shares: the same objective, the same masses, with far fewer samples."""
    rng = np.random.default_rng(5)
    picture = load_image(rng.integers(90, 100, size=(9, 10)).astype(np.uint8))
    strokes = (Stroke("brush", 1, 3, [[2, 2], [2, 6]]), Stroke("brush", 2, 3, [[7, 2], [7, 6]]))
    values = features(picture, "intensity")
    palette = Palette.of(strokes, surviving_pixels(strokes, picture.shape), values)
    part = np.zeros(picture.pixels.size, dtype=int)
    for number, dab in enumerate(palette.dabs, 1):
        part[dab.pixels] = number
    pixels, few = single_pixels(picture, values), distinct_values(picture, values).cut(part)
    assert len(few) < len(pixels) / 2
    solver = CECM(2, init=[[0.36], [0.38]], tol=1e-9, max_iter=40, xi=0.5)

    def problem(objects, weight):
        return Problem(objects.features, linked(objects, palette), sample_weight=weight)

    whole, small = problem(pixels, None), problem(few, few.multiplicity.astype(float))
    assert small.constraints.must.total == whole.constraints.must.total
    assert small.constraints.cannot.total == whole.constraints.cannot.total
    a, b = solver.start(whole), solver.start(small)
    for _ in range(6):
        np.testing.assert_allclose(b.objective, a.objective, rtol=1e-9)
        np.testing.assert_allclose(few.lift(b.partition.masses), pixels.lift(a.partition.masses), atol=1e-6)
        a, b = solver.step(whole, a), solver.step(small, b)


def test_a_region_may_be_made_of_several_clusters():
    pixels = np.repeat([[0.2, 0.5, 0.8]], 30, axis=0).repeat(12, axis=1) + 0.03 * noise((30, 36))
    picture = load_image(np.clip(pixels, 0, 1))
    strokes = [Stroke("brush", region, 3, [[x, 4], [x, 26]]) for region, x in ((1, 6), (2, 18), (1, 30))]
    posed, _, regions = solved(Painting(picture), *strokes, objects="pixels")
    assert posed.palette.regions.tolist() == [1, 2, 1]
    assert (regions.labels[:, :11] == 1).all()
    assert (regions.labels[:, 13:23] == 2).all()
    assert (regions.labels[:, 25:] == 1).all()


def test_small_and_mixed_dabs_correct_their_pixels_and_leave_the_model_alone(halves):
    painting = Painting(halves)
    few = Stroke("brush", 1, 2, [[30, 15]])
    mixed = Stroke("brush", 1, 5, [[12, 28], [28, 28]])
    for dab in (few, mixed):
        posed, _, regions = solved(painting, left(), right(), dab, objects="pixels")
        assert posed.palette.regions.tolist() == [1, 2]
        assert not posed.palette.dabs[2].founds
        assert (regions.labels.ravel()[posed.palette.dabs[2].pixels] == 1).all()
        assert dice(regions.mask(2), halves.truth == 1) > 0.9


def test_a_long_stroke_over_something_else_does_not_draw_its_region_along():
    """Paint of the air around a body slips over its border: the tissue that was painted before stays the region's."""
    grey = np.full((80, 80), 0.05)
    grey[10:70, 10:70], grey[30:50, 20:40] = 0.6, 0.7
    picture = load_image(grey + 0.01 * np.random.default_rng(0).standard_normal(grey.shape))
    strokes = [Stroke("brush", 1, 5, [[25, 40], [35, 40]]), Stroke("brush", 2, 5, [[55, 20], [55, 60]])]
    around = Stroke("brush", 2, 9, [[5, 5], [5, 75], [14, 75], [14, 15]])
    for paint in (strokes, [*strokes, around]):
        _, _, regions = solved(Painting(picture), *paint, objects="pixels")
        assert dice(regions.mask(1), np.isclose(grey, 0.7)) > 0.95


def test_painting_over_and_erasing(halves):
    over = Stroke("polygon", 2, 1, [[0, 0], [20, 0], [20, 30], [0, 30]])
    erase = Stroke("erase", 0, 60, [[20, 15]])
    palette = Painting(halves).pose(Recipe((left(), right(), over))).palette
    assert [dab.region for dab in palette.dabs] == [2, 2]
    with pytest.raises(ValueError, match="nothing is painted"):
        Painting(halves).pose(Recipe((left(), erase)))


def test_do_not_know_is_left_out(halves):
    doubt = Stroke("polygon", 0, 1, [[15, 0], [25, 0], [25, 30], [15, 30]])
    posed, _, regions = solved(Painting(halves), left(), right(), doubt, objects="pixels")
    assert (regions.labels[:, 16:24] == 0).all()
    assert regions.undecided[:, 16:24].all()
    assert posed.problem.sample_weight.reshape(30, 40)[:, 16:24].max() < 0.01
    assert not regions.undecided[:, :10].any()


@pytest.mark.parametrize("seed", range(8))
def test_one_region_alone_finds_what_is_like_it(seed):
    halves = two_halves(seed)
    _, _, regions = solved(Painting(halves), left(), objects="pixels")
    assert dice(regions.mask(1), halves.truth == 0) > 0.95
    assert (regions.labels[:, 25:] == 0).mean() > 0.95


def test_paint_of_two_colours_on_one_object_is_said_and_settled_by_majority():
    flat = load_image(np.full((10, 12), 7, dtype=np.uint8))
    strokes = Stroke("brush", 1, 1, [[1.5, 1.5], [8.5, 1.5]]), Stroke("brush", 2, 1, [[1.5, 5.5]])
    posed = Painting(flat).pose(Recipe(strokes, Options(objects="values")))
    assert "1 value is painted in two colours" in posed.notes[0]
    assert len(posed.problem.constraints.labels) == 1
    state = posed.solver.solve(posed.problem)
    assert np.isfinite(state.objective)


def test_only_what_is_connected_to_the_stroke():
    pixels = np.full((20, 40), 0.2)
    pixels[6:14, 4:14] = pixels[6:14, 24:34] = 0.8
    picture = load_image(np.clip(pixels + 0.02 * noise(pixels.shape), 0, 1))
    strokes = Stroke("brush", 1, 3, [[9, 8], [9, 12]]), Stroke("brush", 2, 3, [[18, 2], [18, 18]])
    painting = Painting(picture)
    both, one = (solved(painting, *strokes, objects="pixels", connected=c)[2] for c in ((), (1,)))
    assert both.mask(1)[10, 29]
    assert one.mask(1)[10, 9]
    assert (one.labels[:, 20:] == 2).all()


def test_flattening_takes_uneven_light_away():
    columns = np.linspace(0, 0.5, 120)
    truth = np.zeros((60, 120), dtype=int)
    for row, column in ((15, 15), (40, 45), (18, 80), (42, 105)):
        truth[row - 6 : row + 6, column - 6 : column + 6] = 1
    picture = load_image(np.clip(0.2 + columns + 0.25 * truth + 0.01 * noise(truth.shape), 0, 1))
    strokes = Stroke("brush", 1, 4, [[12, 12], [18, 18]]), Stroke("brush", 2, 4, [[25, 10], [30, 50]])
    painting = Painting(picture)
    plain, flat = (solved(painting, *strokes, objects="pixels", flatten=f)[2] for f in (False, True))
    assert dice(flat.mask(1), truth == 1) > 0.9 > dice(plain.mask(1), truth == 1)


def test_solvers_without_labels_take_paint_as_links(halves):
    posed = Painting(halves).pose(Recipe((left(), right()), Options(solver="COPKMeans")))
    known = posed.problem.constraints
    assert (len(known.groups), len(known.separations), len(known.labels)) == (2, 1, 0)
    state = posed.solver.solve(posed.problem)
    assert dice(Regions.of(posed, state.partition).mask(2), halves.truth == 1) > 0.95


def test_a_session_poses_undoes_and_replays(halves, tmp_path):
    painting = Painting(halves)

    def poser(recipe):
        posed = painting.pose(recipe)
        return posed.problem, posed.solver

    session = Session(np.zeros((2, 1)), CECM(1), poser=poser)
    session.pose(Recipe((left(), right())).to_json())
    session.run()
    first = session.labels
    session.pose(Recipe((left(), right(), left(rows=(2, 3)))).to_json())
    session.undo()
    np.testing.assert_array_equal(session.labels, first)
    again = Session.load(session.save(tmp_path / "s.json"), poser=poser)
    np.testing.assert_array_equal(again.labels, first)


def test_the_table_of_regions(halves):
    posed, _, regions = solved(Painting(halves), left(), right(), objects="pixels")
    table = measure(halves, regions, posed, ["dark", "bright", "unused"])
    assert table["region"].tolist() == ["dark", "bright", "unused"]
    assert table["strokes"].tolist() == [1, 1, 0]
    assert table["pixels"].sum() == halves.pixels.size
    assert table["dice"][:2].min() > 0.99
    assert np.isnan(table["dice"][2])
    assert table["mean"][0] < table["mean"][1]


def test_odd_pictures_are_painted_without_a_word_of_numpy():
    one = load_image(np.zeros((1, 1), dtype=np.uint8))
    posed, _, regions = solved(Painting(one), Stroke("brush", 1, 1, [[0.5, 0.5]]))
    assert regions.labels.tolist() == [[1]]
    assert len(posed.objects) == 1
    colour = load_image(np.random.default_rng(0).integers(0, 256, size=(24, 30, 3), dtype=np.uint8))
    for objects in ("superpixels", "pixels", "values"):
        _, _, regions = solved(
            Painting(colour), left(rows=(4, 20)), Stroke("brush", 2, 3, [[20, 4], [20, 20]]), objects=objects
        )
        assert set(np.unique(regions.labels)) <= {1, 2}


def test_bad_recipes_are_named():
    with pytest.raises(ValueError, match="objects are one of"):
        Options(objects="voxels")
    with pytest.raises(ValueError, match="no feature is called 'smell'"):
        Options(features=("smell",))
    with pytest.raises(ValueError, match="no option 'speed'"):
        Recipe.from_json({"options": {"speed": 3}})
    with pytest.raises(ValueError, match="this is no recipe"):
        Recipe.from_json({"strokes": [{"kind": "brush"}]})


def test_the_lesion_of_the_phantom_is_found_with_four_strokes():
    picture = load_image("phantom")
    rng, truth = np.random.default_rng(0), picture.truth
    grey = ndimage.gaussian_filter(picture.pixels, 1.5)
    masks = (1, truth == 3), (2, (truth == 1) & (grey > 0.57)), (2, (truth == 1) & (grey < 0.5)), (2, truth == 2)
    strokes = [plausible_stroke(mask, rng, region, size=4) for region, mask in masks]
    _, _, regions = solved(Painting(picture), *strokes)
    assert dice(regions.mask(1), truth == 3) > 0.85
    assert regions.undecided.mean() < 0.02


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ([], "no recipe of a painting"),
        ({"strokes": 3}, "no recipe of a painting"),
        ({"strokes": [{"kind": "brush"}]}, "stroke 1: .*missing"),
        ({"strokes": [None]}, "stroke 1"),
        ({"strokes": [{}] * 10_001}, "10,001 strokes are more than the 10,000"),
        ({"regions": ["r"] * 33}, "33 regions are more than the 32"),
        ({"options": {"smoothness": "much"}}, "smoothness is a number from 0 up; got 'much'"),
        ({"options": {"across": 10**400}}, "across is a number from 0 up; got 1000"),
        ({"options": {"features": 5}}, "features are a list"),
        ({"options": {"features": [["lab"]]}}, "no feature is called"),
        ({"options": {"connected": [None]}}, "whole numbers"),
        ({"options": {"solver": 3}}, "a solver is a name"),
        ({"options": {"objects": {}}}, "objects are one of"),
        ({"options": {"x" * 500: 1}}, "no option 'x{50,60}; it was"),
    ],
)
def test_recipes_that_are_none_are_refused_in_words(document, words):
    with pytest.raises(ValueError, match=words):
        Recipe.from_json(document)
