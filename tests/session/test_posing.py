"""A session on a picture: strokes are painted and forgotten one by one, and the journal grows by the stroke."""

import json

import numpy as np
import pytest

from cclab import Session
from cclab.images import Painting, Recipe, Stroke, load_image
from cclab.session.storage.subjects import pack_data, unpack_data

LEFT = Stroke("brush", 1, 4, [[8, 6], [8, 34]])
RIGHT = Stroke("brush", 2, 4, [[31, 6], [31, 34]])
OTHER = Stroke("brush", 2, 3, [[36, 20.1], [36, 25.7]])
SUPERPIXELS = {"objects": "superpixels"}


@pytest.fixture(scope="module")
def halves():
    rng = np.random.default_rng(0)
    pixels = 0.3 + 0.4 * (np.arange(40) >= 20) + 0.04 * rng.standard_normal((40, 40))
    return load_image((255 * pixels).astype(np.uint8), name="halves")


@pytest.fixture
def session(halves):
    session = Session(Painting(halves))
    session.paint(LEFT, options=SUPERPIXELS, regions=["Dark, left", "Bright"])
    session.paint(RIGHT)
    return session


def begins(session):
    return [stroke.points[0].tolist() for stroke in session.current.recipe.strokes]


def test_strokes_options_and_names_make_up_the_recipe(session):
    session.run()
    session.paint(OTHER)
    session.forget(2)
    recipe = session.set_options(smoothness=0.5, connected=(1,)).recipe
    assert recipe.ids == (1, 3)
    assert recipe.regions == ("Dark, left", "Bright")
    assert (recipe.options.objects, recipe.options.smoothness, recipe.options.connected) == ("superpixels", 0.5, (1,))
    session.undo()
    session.undo()
    assert session.current.recipe.ids == (1, 2, 3)
    session.redo()
    assert begins(session) == [[8, 6], [36, pytest.approx(20.1)]]


def test_painting_one_by_one_is_posing_the_whole_recipe(session, halves):
    whole = Session(Painting(halves))
    whole.pose(Recipe((LEFT, RIGHT)).with_options(SUPERPIXELS).to_json())
    assert whole.run().summary.objective == session.run().summary.objective
    np.testing.assert_array_equal(whole.labels, session.labels)


def test_a_session_file_and_a_journal_give_it_back(session, tmp_path):
    session.run()
    session.paint(OTHER)
    session.keep(tmp_path / "journal")
    session.close()
    for again in (Session.load(session.save(tmp_path / "s.json")), Session.open(tmp_path / "journal", read_only=True)):
        assert begins(again) == begins(session)
        assert again.current.recipe.regions == ("Dark, left", "Bright")
        np.testing.assert_array_equal(again.labels, session.labels)
        assert again.undo().recipe.ids == (1, 2)
        assert again.rewind(0).recipe is None
        assert again.differences == ()


def test_opening_poses_the_last_recipe_and_no_other(session, tmp_path, monkeypatch):
    session.keep(tmp_path)
    for k in range(5):
        session.paint(Stroke("brush", 1 + k % 2, 3, [[5 + k, 5]]))
        session.undo()
    session.close()
    made, make = [], Painting._make
    monkeypatch.setattr(Painting, "_make", lambda self, recipe: (made.append(recipe.ids), make(self, recipe))[1])
    again = Session.open(tmp_path, read_only=True)
    again.labels  # noqa: B018
    assert made == [(1, 2)]


def test_each_stroke_is_rasterised_once(session, monkeypatch):
    from cclab.images import strokes

    rasterized, rasterize = [], strokes.rasterize
    monkeypatch.setattr(
        strokes, "rasterize", lambda stroke, shape: (rasterized.append(stroke), rasterize(stroke, shape))[1]
    )
    for k in range(4):
        session.paint(Stroke("brush", 1, 3, [[5 + k, 5]]))
        session.run()
        session.data.is_blank(session.current.recipe)
    assert len(rasterized) == 4


def test_the_journal_grows_by_the_stroke(session, tmp_path):
    session.keep(tmp_path)
    sizes = [0]
    rng = np.random.default_rng(0)
    for _ in range(20):
        session.paint(Stroke("brush", 1, 3, 10 + np.cumsum(rng.normal(size=(80, 2)), axis=0)))
        sizes.append((tmp_path / "journal.jsonl").stat().st_size)
    grown = np.diff(sizes)[1:]
    assert grown.max() < 1.2 * grown.min() < 4000
    session.close()


def test_problems_of_strokes_that_are_left_behind_are_let_go(session):
    for k in range(4):
        session.paint(Stroke("brush", 1, 3, [[5 + k, 5]]))
    held = [snapshot for snapshot in session.snapshots if snapshot._setting is not None]
    assert len(held) <= 3
    assert session.snapshots[2].problem.n_samples == session.problem.n_samples  # and made again


def test_what_makes_no_sense_is_said_and_nothing_is_lost(session):
    for verb, words in (
        (lambda: session.forget(9), "there is no stroke 9; there are 1, 2"),
        (lambda: session.set_options(colour="red"), "a painting has no option 'colour'"),
        (lambda: session.set_options(objects="dreams"), "objects are one of"),
        (session.to_code, "can't be written as a script"),
        (session.to_frame, "halves is no table but a picture"),
    ):
        with pytest.raises(ValueError, match=words):
            verb()
    assert session.current.recipe.ids == (1, 2)
    with pytest.raises(ValueError, match="iris is no picture: there is nothing to paint on"):
        Session("iris").paint(LEFT)


class TestPackedPictures:
    def damaged(self, halves, **changes):
        return json.loads(json.dumps(pack_data(Painting(halves)))) | changes

    def test_greys_of_eight_bits_take_eight_bits(self, halves):
        fractions = load_image(np.random.default_rng(0).random((5, 5)))
        assert halves.pack()["pixels"].dtype == np.uint8
        assert fractions.pack()["pixels"].dtype == np.float32
        assert unpack_data(pack_data(Painting(fractions)), "here", [])[0].fingerprint == fractions.fingerprint

    @pytest.mark.parametrize(
        ("changes", "words"),
        [
            ({"kind": "sculpture"}, "of the kind 'sculpture', which this version does not know"),
            ({"pixels": None}, "damaged"),
            ({"bit_depth": 99}, "1 to 16 bits deep"),
            ({"truth_names": 3}, "damaged"),
            ({"pixels": {"npy": "AAAA"}}, "damaged"),
        ],
    )
    def test_a_damaged_one_is_refused_in_words(self, halves, changes, words):
        with pytest.raises(ValueError, match=f"the data in here are damaged.*{words}|{words}"):
            unpack_data(self.damaged(halves, **changes), "here", [])

    def test_its_name_is_never_a_path(self, halves):
        assert "/" not in unpack_data(self.damaged(halves, name="/etc/passwd"), "here", [])[0].name
