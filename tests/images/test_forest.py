"""What is learned from paint: regions that values can't tell apart, words, tests on paint that was left out."""

import numpy as np
import pytest

from cclab.images import (
    Options,
    Painting,
    Recipe,
    Regions,
    Stroke,
    batch,
    forest,
    learned,
    load_image,
    load_stack,
    sheet,
)
from cclab.images.batch import over_slices
from cclab.images.choice import choose
from cclab.images.forest import gather
from cclab.images.pixel_doubt import _width, doubt, place_to_ask
from cclab.images.regions import dice, plausibility, typicality


def rough_beside_smooth(seed=0, shape=(60, 80)):
    """The right half is rougher than the left; brightness is the same."""
    truth = np.broadcast_to(np.arange(shape[1]) >= shape[1] // 2, shape)
    noise = np.random.default_rng(seed).standard_normal(shape)
    pixels = np.clip(0.5 + np.where(truth, 0.16, 0.05) * noise, 0, 1)
    return load_image(pixels, truth=truth.astype(int), name=f"rough {seed}")


LEFT = Stroke("brush", 1, 5, [[12, 10], [14, 48]])
RIGHT = Stroke("brush", 2, 5, [[66, 12], [64, 50]])


@pytest.fixture(scope="module")
def painting():
    return Painting(rough_beside_smooth())


def solved(painting, *strokes, **options):
    posed = painting.pose(Recipe(strokes, Options(**{"objects": "pixels", "learn": True} | options)))
    state = posed.solver.solve(posed.solver.adapt(posed.problem))
    return posed, state, Regions.of(posed, state.partition)


@pytest.mark.parametrize("objects", ["pixels", "superpixels"])
def test_texture_is_learned_where_values_are_alike(painting, objects):
    truth = painting.picture.truth == 1
    posed, _, regions = solved(painting, LEFT, RIGHT, objects=objects)
    values = solved(painting, LEFT, RIGHT, objects=objects, learn=False)[2]
    assert dice(regions.mask(2), truth) > 0.93 > dice(values.mask(2), truth)
    assert "texture" in posed.forest.words
    assert posed.forest.words.endswith("tell them apart")


def test_values_or_learning_are_chosen_by_paint_that_was_left_out(painting):
    rough = solved(painting, LEFT, RIGHT, learn="auto")[0]
    assert not rough.by_values
    assert rough.choice.learned > rough.choice.values
    assert rough.choice.say < 1 / 3
    truth = painting.picture.truth
    bright = Painting(load_image(np.clip(0.3 + 0.4 * truth + 0.3 * (painting.picture.pixels - 0.5), 0, 1)))
    chosen, values = (solved(bright, LEFT, RIGHT, learn=learn) for learn in ("auto", False))
    assert chosen[0].by_values
    assert chosen[0].choice.say > 0.5  # with one stroke a region prototypes know more than trees
    assert "values tell 100 % rightly" in chosen[0].choice.words
    np.testing.assert_array_equal(chosen[2].labels, values[2].labels)
    assert values[0].choice is None
    coarse = solved(bright, LEFT, RIGHT, learn="auto", objects="superpixels")[0]
    assert coarse.choice is chosen[0].choice  # whatever is clustered, it is chosen once
    assert coarse.forest is None  # quick, and by steps


def test_learning_has_more_of_a_say_the_more_is_painted(painting):
    bright = Painting(load_image(0.3 + 0.4 * painting.picture.truth + 0.05 * painting.picture.pixels))
    more = (Stroke("brush", 1, 5, [[28, 12], [28, 40]]), Stroke("brush", 2, 5, [[52, 12], [52, 40]]))
    few, many = (solved(bright, LEFT, RIGHT, *others, learn="auto")[0].choice.say for others in ((), more))
    assert few > many > 0


def test_where_values_were_chosen_doubt_is_real_all_the_same(painting):
    truth = painting.picture.truth
    steps = np.clip((np.indices(truth.shape)[1] - 25) / 30, 0, 1)  # from dark to bright, with no border to be seen
    posed, state, regions = solved(
        Painting(load_image(np.clip(0.2 + 0.6 * steps + 0.3 * (painting.picture.pixels - 0.5), 0, 1))),
        LEFT,
        RIGHT,
        learn="auto",
    )
    assert posed.by_values
    found, middle = doubt(posed, state.partition), slice(35, 45)
    assert found[:, middle].mean() > 3 * found[:, :20].mean()
    assert regions.undecided[:, middle].any()
    assert not regions.undecided[:, :10].any()


def test_with_too_little_paint_to_leave_out_it_goes_by_how_values_part_the_picture(painting):
    dots = [Stroke("brush", region, 3, [[x, 20]]) for region, x in ((1, 12), (2, 66))]
    alike = solved(painting, *dots, learn="auto")[0]
    assert not alike.by_values
    assert alike.choice.words.endswith("any out, but much of the picture lies between their values")
    bright = Painting(load_image(0.3 + 0.4 * painting.picture.truth + 0.05 * painting.picture.pixels))
    apart = solved(bright, *dots, learn="auto")[0]
    assert apart.by_values
    assert apart.choice.words == "there is too little paint to leave any out"


def test_corrections_turn_the_choice_only_where_it_is_clearly_wrong():
    def choice(first, then):
        """Of two long strokes a region, and a dab in each that is told apart by the first map, or by the second."""
        rows = []
        for region in (1, 2):
            for number, maps in enumerate((first, first, then)):
                mark = np.array([region if k in maps else 1.5 for k in range(2)])
                noise = np.random.default_rng([region, number]).normal(0, 0.2, (120 if number < 2 else 30, 2))
                rows.append((region, np.arange(len(noise)), (mark + noise).astype(np.float32)))
        seen = gather(rows, width=10)
        plain = gather([(region, pixels, values[:, :1]) for region, pixels, values in rows], width=10)
        return choose(plain, seen, np.arange(2), plain.values)

    assert choice(first=(0, 1), then=(0, 1)).by_values
    assert not choice(first=(1,), then=(1,)).by_values
    assert choice(first=(0, 1), then=(1,)).by_values  # dabs lie where values err: that alone is no reason


def test_a_correction_never_turns_all_at_once(painting):
    """Values and what is learned both have their say before and after, so a dab where values err moves little else."""
    truth = painting.picture.truth
    pixels = 0.35 + 0.3 * truth + 0.25 * (painting.picture.pixels - 0.5)
    pixels[20:40, :8] += 0.3  # of the left, as bright as the right
    picture = Painting(load_image(np.clip(pixels, 0, 1)))
    before = solved(picture, LEFT, RIGHT, learn="auto")[2].labels
    after = solved(picture, LEFT, RIGHT, Stroke("brush", 1, 5, [[4, 24], [4, 36]]), learn="auto")[2].labels
    wrong = [(labels != truth + 1).mean() for labels in (before, after)]
    assert wrong[1] < wrong[0]
    assert ((before == truth + 1) & (after != truth + 1)).mean() < 0.03


def test_a_dab_founds_no_prototype_where_a_forest_learns_from_it():
    """A dab between two regions is most often a border: as a prototype it would take what is like it everywhere."""
    pixels = np.broadcast_to(np.where(np.arange(80) < 40, 0.3, 0.7), (60, 80)).copy()
    pixels[:, 34:48] = 0.42
    noisy = load_image(pixels + 0.02 * np.random.default_rng(0).standard_normal(pixels.shape))
    recipe = Recipe((LEFT, RIGHT, Stroke("brush", 2, 3, [[41, 10], [41, 25]])), Options(objects="pixels"))
    found = {learn: Painting(noisy).model(recipe.with_options({"learn": learn})) for learn in (False, "auto")}
    assert found[False].prototypes.tolist() == [1, 2, 2]
    assert found["auto"].prototypes.tolist() == [1, 2]
    alone = recipe.with_options({"learn": "auto"}).without_stroke(1)
    assert Painting(noisy).model(alone).prototypes.tolist() == [2, 2]  # of one region alone nothing is learned


def test_doubt_looks_further_around_where_regions_are_wide():
    squares = np.kron(np.indices((4, 4)).sum(axis=0) % 2, np.ones((20, 20), dtype=int))
    lines = np.kron(np.arange(40) % 2, np.ones((80, 2), dtype=int))
    assert _width(squares, 2) > 2 * _width(lines, 2) == pytest.approx(4, rel=0.1)
    assert _width(np.zeros((5, 5), dtype=int), 1) == np.inf


def test_options_of_learning_are_named():
    with pytest.raises(ValueError, match='learn is true, false or "auto"'):
        Options(learn="perhaps")


def test_the_same_paint_gives_the_same_forest(painting):
    again = Painting(rough_beside_smooth())
    one, other = (solved(each, LEFT, RIGHT)[0] for each in (painting, again))
    np.testing.assert_array_equal(one.problem.X, other.problem.X)


def test_kinds_of_maps_can_be_chosen(painting):
    posed = solved(painting, LEFT, RIGHT, maps=("brightness",))[0]
    assert set(posed.forest.kinds) == {"brightness"}
    assert posed.forest.importance.sum() == pytest.approx(1)
    with pytest.raises(ValueError, match="maps are a list among brightness"):
        Options(maps=("smell",))


def test_one_region_alone_and_distinct_values_are_not_learned_from(painting):
    assert painting.pose(Recipe((LEFT,), Options(learn=True))).forest is None
    assert painting.pose(Recipe((LEFT, RIGHT), Options(learn=True, objects="values"))).forest is None


def test_paint_that_trees_have_not_seen_tests_them(painting):
    forest = solved(painting, LEFT, RIGHT)[0].forest
    held_out = forest.held_out[np.isfinite(forest.held_out[:, 0])]
    assert len(held_out) > 0.9 * len(forest.held_out)
    np.testing.assert_allclose(held_out.sum(axis=1), 1)
    shares = forest.calibrated(np.array([[0.5, 0.5], [0.9, 0.1]]))
    assert shares[0] == pytest.approx([0.5, 0.5])
    assert shares[1, 0] > 0.6


def test_what_strokes_do_is_named(painting):
    more = Stroke("brush", 1, 5, [[28, 12], [28, 40]])
    forest = solved(painting, LEFT, RIGHT, more)[0].forest
    assert forest.effects[2] == ("confirms", "")
    wrong = Stroke("brush", 1, 3, [[72, 30]])  # a touch on the other side
    what, kind = solved(painting, LEFT, RIGHT, wrong)[0].forest.effects[2]
    assert what in ("taught", "only here")
    assert (kind != "") == (what == "taught")


def test_a_right_dab_hardly_ever_takes_away(painting):
    truth = painting.picture.truth == 1
    before = dice(solved(painting, LEFT, RIGHT)[2].mask(2), truth)
    for x, region in ((5, 1), (35, 1), (46, 2), (76, 2)):
        dab = Stroke("brush", region, 5, [[x, 30], [x, 38]])
        assert dice(solved(painting, LEFT, RIGHT, dab)[2].mask(2), truth) > before - 0.03


LOOKS = {(0, 50): (0.3, 1), (50, 100): (0.7, 2), (100, 150): (0.9, 1), (150, 200): (0.1, 2), (200, 300): (0.42, 1)}
LONG = [Stroke("brush", region, 5, [[a + 20, 8], [a + 24, 70]]) for (a, b), (_, region) in LOOKS.items() if a < 200]
PATCH = np.s_[20:50, 80:98]
DAB = Stroke("brush", 2, 5, [[89, 30], [89, 40]])


def quilt():
    """Stripes of two regions with looks of their own, and one look that is of both: on a patch here, and far away."""
    pixels, truth = np.empty((80, 300)), np.empty((80, 300), dtype=int)
    for (a, b), (look, region) in LOOKS.items():
        pixels[:, a:b], truth[:, a:b] = look, region
    pixels[PATCH] = LOOKS[200, 300][0]
    noise = 0.02 * np.random.default_rng(0).standard_normal(pixels.shape)
    return Painting(load_image(np.clip(pixels + noise, 0, 1), name="quilt")), truth


def test_a_right_dab_turns_what_is_near_and_leaves_what_is_like_it_far_away(monkeypatch):
    """No stroke foretells the others here, so a look that is painted in one place says little of another."""

    def wrong(painting, *dabs):
        posed, _, regions = solved(painting, *LONG, *dabs, maps=("brightness",))
        assert posed.forest.carries < 0.1
        return [(regions.labels[part] != truth[part]).mean() for part in (PATCH, np.s_[:, 200:])]

    painting, truth = quilt()
    assert wrong(painting) == pytest.approx([0.9, 0], abs=0.1)
    assert wrong(painting, DAB) == pytest.approx([0, 0], abs=0.01)
    monkeypatch.setattr(forest, "FIRM", 0)
    assert wrong(quilt()[0], DAB)[1] > 0.9  # so it would be if all trees learned from dabs


def test_masks_in_blocks_know_where_dabs_lie(monkeypatch):
    for room in (learned, batch):
        monkeypatch.setattr(room, "MOST_PIXELS", 20_000)
    monkeypatch.setattr(sheet, "BLOCK", 60)
    painting, _ = quilt()
    recipe = Recipe((*LONG, DAB), Options(learn=True, maps=("brightness",)))
    whole = next(over_slices(painting, recipe)).whole
    assert (whole[PATCH] == 2).mean() > 0.95
    assert (whole[:, 200:] == 1).mean() > 0.95
    elsewhere = painting.model(recipe).apply(load_image(painting.picture.pixels)).whole
    assert (elsewhere[:, 200:] == 1).mean() < 0.05  # what was corrected is meant for all of another picture


def test_far_away_dabs_count_as_far_as_strokes_foretell_each_other(painting):
    dab = Stroke("brush", 1, 3, [[72, 30]])
    grown, sure = (solved(painting, LEFT, RIGHT, *more)[0].forest for more in ([dab], []))
    assert sure.n_firm == 0 < grown.n_firm < len(grown.trees)
    assert grown.carries > 0.8  # a piece of a stroke foretells the rest of it
    assert grown.sharpness == sure.sharpness  # a dab lies where trees err, and is no test of how sure they may be
    values = grown.paint.values[grown.paint.stroke == 2]
    near, far = (grown.probabilities(values, at)[:, 0].mean() for at in (1.0, 0.0))
    assert near > far
    for carries, voting in ((1.0, grown.trees), (0.0, grown.trees[: grown.n_firm])):
        grown.__dict__["carries"] = carries
        np.testing.assert_allclose(grown.probabilities(values), grown._votes(values, voting), atol=0.02)


def test_doubt_is_where_errors_are_and_paint_has_none(painting):
    posed, state, regions = solved(painting, LEFT, RIGHT)
    found = doubt(posed, state.partition)
    wrong = regions.labels != painting.picture.truth + 1
    assert found[wrong].mean() > 2 * found[~wrong].mean()
    assert found.ravel()[LEFT.covers(found.shape)].max() == 0
    assert not regions.undecided.ravel()[LEFT.covers(found.shape)].any()
    for each in (found, plausibility(posed, state.partition, 1), typicality(posed, state)):
        assert each.shape == painting.picture.shape
        assert 0 <= each.min() <= each.max() <= 1


def test_a_place_in_doubt_is_asked_about_away_from_paint_and_earlier_places(painting):
    posed, state, _ = solved(painting, LEFT, RIGHT)
    place = place_to_ask(posed, state.partition)
    covered = np.concatenate([LEFT.covers((60, 80)), RIGHT.covers((60, 80))])
    assert place.row * 80 + place.column not in covered
    assert sorted(place.regions) == [1, 2]
    other = place_to_ask(posed, state.partition, [(place.row, place.column)])
    assert np.hypot(other.row - place.row, other.column - place.column) > 5


def test_what_was_learned_holds_on_other_pictures(painting):
    model = painting.model(Recipe((LEFT, RIGHT), Options(objects="pixels", learn=True)))
    other = rough_beside_smooth(seed=1, shape=(50, 90))
    found = model.apply(other)
    assert dice(found.labels == 2, other.truth == 1) > 0.9
    assert 0 <= found.doubt.min() <= found.doubt.max() <= 1


def test_pictures_without_values_somewhere():
    pixels = np.array(rough_beside_smooth().pixels, dtype=float)
    pixels[:10, :10] = np.nan
    posed, state, regions = solved(Painting(load_image(pixels)), LEFT, RIGHT)
    assert (regions.labels[:10, :10] == 0).all()
    assert np.isfinite(doubt(posed, state.partition)).all()


def test_slices_beside_have_a_say_where_they_are_tied():
    slices = [np.array(rough_beside_smooth(seed).pixels) for seed in range(3)]
    slices[1] = np.clip(slices[1] + 0.02 * np.random.default_rng(9).standard_normal(slices[1].shape), 0, 1)
    painting = Painting(load_stack(np.stack(slices), name="three"))
    truth = rough_beside_smooth().truth == 1
    alone, tied = (solved(painting, LEFT, RIGHT, slice=1, across=across) for across in (0.0, 0.5))
    assert (alone[0].problem.X != tied[0].problem.X).any()
    assert dice(tied[2].mask(2), truth) >= dice(alone[2].mask(2), truth)
    with pytest.raises(ValueError, match="across is a number from 0 up"):
        Options(across=-1)
