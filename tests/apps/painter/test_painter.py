"""The painter without a browser: strokes come in as the canvas would send them."""

import asyncio
import io
import json
import re
import subprocess
import sys

import numpy as np
import pytest
from PIL import Image
from scipy import ndimage

from cclab.apps import painter
from cclab.apps.painter import exports as painted
from cclab.apps.painter.painter import open_journal, read_file
from cclab.images import Painting, Stroke, load_image
from cclab.images.pixel_doubt import SURE
from cclab.images.regions import dice
from cclab.session.storage.about import about
from cclab.widgets.painter.fresh import session_on
from cclab.widgets.painter.model import Easel
from tests.apps.visitor import Visitor

LEFT = Stroke("brush", 1, 4, [[8, 6], [8, 34]])
RIGHT = Stroke("brush", 2, 4, [[31, 6], [31, 34]])
OTHER = Stroke("brush", 2, 3, [[36, 20], [36, 25]])


@pytest.fixture(scope="module")
def halves():
    truth = np.broadcast_to(np.arange(40) >= 20, (40, 40)).astype(int)
    noise = ndimage.gaussian_filter(np.random.default_rng(0).standard_normal((40, 40)), 0.7)
    pixels = np.clip(0.3 + 0.4 * truth + 0.1 * noise, 0, 1)
    return load_image((255 * pixels).astype(np.uint8), truth=truth, name="halves")


@pytest.fixture
def page(halves, tmp_path, monkeypatch):
    monkeypatch.setenv("CCLAB_STATE", str(tmp_path / "state"))
    page = painter(halves)
    page.desk.pace = None  # there is no browser to wait for
    page.sent = []
    page.shell.send = lambda content, buffers=None: page.sent.append((content, buffers))
    yield page
    assert page.desk.session.failures == []
    page.close()


def paint(page, *strokes):
    """Paint with a loop under way, as in a kernel, until all is done."""

    async def work():
        for stroke in strokes:
            page.paint.canvas.painted.emit(stroke)
            await at_rest(page)

    asyncio.run(work())


async def at_rest(page):
    """Until the solver has come to its end, and a question has been looked for."""
    while page.desk._tasks._running or page.desk.session.running or page.queries._looking:
        await asyncio.sleep(0.005)


def press(page, *names):
    for name in names:
        page.shell._handle_custom_msg({"type": "key", "name": name, "down": True}, [])


def status(page):
    return page.status.line.value


def test_two_strokes_superpixels_first_and_pixels_after(page, halves):
    assert "Paint a stroke in each of two regions" in status(page)
    paint(page, LEFT)
    assert "Paint a second region" in status(page)
    paint(page, RIGHT)
    regions = page.desk.regions_at(page.desk.session.current)
    assert dice(regions.mask(2), halves.truth == 1) > 0.98
    posed = [s.recipe.options.objects for s in page.desk.session.snapshots if s.command.poses]
    assert posed == ["superpixels", "superpixels", "pixels"]  # nothing is worked out before two regions have paint
    assert page.desk.posed_at(page.desk.session.current).objects.kind == "pixels"
    assert re.search(r"Dice of Region 1 <b>(0\.9\d|1\.00)", status(page))
    assert len(page.paint.canvas.strokes) == 2
    assert page.paint.canvas._overlay == "labels"


def test_a_stroke_is_undone_as_a_whole_and_redone(page):
    paint(page, LEFT, RIGHT)
    press(page, "ctrl+z")
    assert len(page.desk.recipe.strokes) == len(page.paint.canvas.strokes) == 1
    press(page, "ctrl+z")
    assert page.desk.recipe.strokes == ()
    assert page.paint.canvas._overlay == "none"
    assert not page.desk.session.can_undo
    press(page, "ctrl+shift+z", "ctrl+shift+z")
    assert len(page.paint.canvas.strokes) == 2


def test_strokes_that_come_fast_are_all_kept(page):
    async def work():
        for stroke in (LEFT, RIGHT, Stroke("brush", 1, 3, [[4, 20]])):
            page.paint.canvas.painted.emit(stroke)  # the solver has not even begun with the one before
        await at_rest(page)

    asyncio.run(work())
    assert [stroke.region for stroke in page.desk.recipe.strokes] == [1, 2, 1]
    press(page, "ctrl+z")  # and each can be taken back by itself
    assert [stroke.region for stroke in page.desk.recipe.strokes] == [1, 2]


def painted_in(page):
    """Where each stroke begins that the session knows of."""
    return where(page.desk.recipe.strokes)


def where(strokes):
    return [tuple(stroke.points[0].tolist()) for stroke in strokes]


def verbs(page):
    return [snapshot.command.verb for snapshot in page.desk.session.snapshots]


@pytest.mark.parametrize("objects", ["pixels", "superpixels"])
@pytest.mark.parametrize("before", [(), (LEFT,)])
@pytest.mark.parametrize("run_after", [True, False])
def test_undo_takes_back_a_stroke_that_the_session_has_not_heard_of_yet_and_no_other(page, objects, before, run_after):
    page.desk.objects, page.desk.run_after = objects, run_after
    paint(page, *before)
    left = verbs(page)

    async def work():
        page.paint.canvas.painted.emit(RIGHT)
        press(page, "ctrl+z")
        await at_rest(page)

    asyncio.run(work())
    assert painted_in(page) == where(page.paint.canvas.strokes) == where(before)
    assert verbs(page) == left  # nor does the solver run on
    press(page, "ctrl+shift+z")
    assert painted_in(page) == where((*before, RIGHT))


def test_an_undone_stroke_does_not_come_back_with_the_next(page):
    async def work():
        page.paint.canvas.painted.emit(LEFT)
        page.paint.canvas.painted.emit(RIGHT)
        press(page, "ctrl+z")
        page.paint.canvas.painted.emit(OTHER)
        await at_rest(page)

    asyncio.run(work())
    assert painted_in(page) == where((LEFT, OTHER))
    assert page.desk.posed_at(page.desk.session.current).objects.kind == "pixels"


def test_a_stroke_is_not_lost_when_someone_goes_back_in_time_while_it_is_taken_in(page):
    paint(page, LEFT, RIGHT)

    async def work():
        page.paint.canvas.painted.emit(OTHER)
        await asyncio.sleep(0)
        page.desk.session.rewind(1)
        await at_rest(page)

    asyncio.run(work())
    assert painted_in(page) == where((LEFT, OTHER))


def test_what_goes_wrong_with_pixels_is_told_and_superpixels_are_kept(page, monkeypatch):
    told = []
    page.desk.told.connect(lambda notice: told.append((notice.kind, notice.words)))
    make = page.desk.painting._make

    def failing(recipe):
        if recipe.options.objects == "pixels":
            raise MemoryError("too many of them")
        return make(recipe)

    monkeypatch.setattr(page.desk.painting, "_make", failing)
    paint(page, LEFT, RIGHT)
    assert ("bad", "MemoryError: too many of them") in told
    assert painted_in(page) == where((LEFT, RIGHT))
    assert page.desk.posed_at(page.desk.session.current).objects.kind == "superpixels"


def test_regions_have_names_that_suit_the_picture(page):
    assert page.desk.regions == ("Region 1", "Region 2")
    page.desk.open(session_on(load_image("phantom")))
    assert page.desk.regions == ("Lesion", "Rest")
    page.desk.open(session_on(load_image("camera")))
    assert page.desk.regions == ("Region 1", "Region 2")


def test_another_picture_opened_while_a_stroke_is_taken_in_is_left_alone(page):
    async def work():
        page.paint.canvas.painted.emit(LEFT)
        await asyncio.sleep(0)
        page.desk.open(session_on(load_image("phantom")))
        await at_rest(page)

    asyncio.run(work())
    assert verbs(page) == ["open"]
    assert page.desk.picture.name == "phantom"


def test_undo_while_the_solver_works_stays_undone(page):
    paint(page, LEFT)

    async def work():
        page.paint.canvas.painted.emit(RIGHT)
        while len(page.desk.recipe.strokes) < 2:
            await asyncio.sleep(0.001)
        press(page, "ctrl+z")  # superpixels are shown, pixels still to come
        await at_rest(page)

    asyncio.run(work())
    assert len(page.desk.recipe.strokes) == 1


def test_undo_while_a_stroke_is_developed_leaves_nothing_under_way(page):
    async def work():
        for stroke in (LEFT, RIGHT):
            page.paint.canvas.painted.emit(stroke)
            await at_rest(page)
        page.paint.canvas.painted.emit(OTHER)
        while not page.desk.developing:
            await asyncio.sleep(0.001)
        page.desk.undo()
        await at_rest(page)

    asyncio.run(work())
    assert len(page.desk.recipe.strokes) == 2
    assert not page.desk.developing
    assert "Running" not in status(page)


def test_rewinding_shows_the_paint_of_then(page):
    paint(page, LEFT, RIGHT)
    press(page, "Home")
    assert page.paint.canvas.strokes == ()
    press(page, "End")
    assert len(page.paint.canvas.strokes) == 2


def test_keys_choose_tools_regions_and_sizes(page):
    press(page, "e")
    assert page.paint.canvas.tool == "eraser"
    press(page, "2", "]")
    assert page.paint.canvas.region == 2
    assert page.paint.canvas.size == 6
    press(page, "0")
    assert page.desk.region == 0
    press(page, "7")  # there is no such region
    assert page.desk.region == 0
    press(page, "o")
    assert page.paint.canvas.original


def test_a_new_region_is_named_and_painted(page):
    page.paint.palette._handle_custom_msg({"type": "act", "action": "new", "id": "new"}, [])
    assert (page.desk.region, len(page.desk.regions)) == (3, 3)
    page.paint.palette._handle_custom_msg({"type": "act", "action": "rename", "id": "3", "value": "Fluid & <b>"}, [])
    paint(page, LEFT)
    assert page.desk.recipe.regions == ("Region 1", "Region 2", "Fluid & <b>")
    assert "Fluid &amp; &lt;b&gt;" in page.regions._rows.rows[2][1]


def test_views_of_the_belief(page):
    paint(page, LEFT, RIGHT)
    shown = {}
    for look in page.paint.looks.options:
        page.paint.looks.value = look
        shown[look] = page.paint.canvas._overlay
    assert shown == {
        "Original": "none",
        "Labels": "labels",
        "Credal sets": "labels",
        "Typicality": "map",
        "Plausibility": "map",
        "Errors": "labels",
    }


@pytest.mark.parametrize(("key", "region"), [("s", 1), ("d", 2)])
def test_a_question_about_a_place_names_the_regions_and_is_answered_by_paint(page, key, region):
    paint(page, LEFT, RIGHT)
    query = page.queries.query
    assert "Region 1 or Region 2?" in page.queries.title.value
    assert "By what is seen at" in page.queries.why.value
    assert [made.description for made in page.queries.answers.children] == ["Region 1", "Region 2", "Don’t know"]
    place = page.queries.about.place(query)
    assert page.paint.canvas.places == [place]

    async def say():
        press(page, key)
        await at_rest(page)

    asyncio.run(say())
    assert [stroke.region for stroke in page.desk.recipe.strokes] == [1, 2, region]
    assert page.desk.regions_at(page.desk.session.current).labels[place] == region


def test_dont_know_asks_about_another_place(page):
    paint(page, LEFT, RIGHT)
    query = page.queries.query

    async def reject():
        page.queries.reject()
        for _ in range(100):
            await asyncio.sleep(0.005)

    asyncio.run(reject())
    assert page.queries.query is not None
    assert page.queries.query.samples != query.samples
    assert len(page.desk.recipe.strokes) == 2


def test_what_tells_them_apart_is_said_and_can_be_changed(page):
    page.watch.tabs.value = "Belief"
    part = page.watch.parts["Belief"][0]
    assert "then learned" in part._words.value
    paint(page, LEFT, RIGHT)
    assert page.desk.recipe.options.learn == "auto"
    assert "Values tell them apart. Of paint left out, values tell 100 % rightly" in part._words.value
    assert page.desk.posed_at(page.desk.session.current).by_values

    async def learn():
        part.way.value = "Learn from paint"
        await at_rest(page)

    asyncio.run(learn())
    assert "Brightness at" in part._words.value
    assert "tell them apart" in part._words.value

    async def leave_out(kind):
        part._rows._handle_custom_msg({"type": "act", "action": "use", "id": kind}, [])
        await at_rest(page)

    asyncio.run(leave_out("texture"))
    assert "texture" not in page.desk.recipe.options.maps
    assert "left out" in dict(part._rows.rows)["texture"]

    async def by_values():
        part.way.value = "Values alone"
        await at_rest(page)

    asyncio.run(by_values())
    assert not page.desk.recipe.options.learn
    assert page.desk.posed_at(page.desk.session.current).forest is None
    press(page, "ctrl+z")
    assert page.desk.learn
    assert part.way.value == "Learn from paint"


def test_belief_is_taken_out_as_named_layers(page):
    import tifffile

    paint(page, LEFT, RIGHT)
    with tifffile.TiffFile(io.BytesIO(painted.belief(page.desk).data)) as file:
        layers, about = file.asarray(), file.ome_metadata
    names = ("plausibility of Region 1", "plausibility of Region 2", "typicality", "doubt", "undecided")
    assert all(name in about for name in names)
    assert layers.shape == (5, 40, 40)
    assert 0 <= layers.min() <= layers.max() <= 1
    np.testing.assert_array_equal(layers[4] > 0, layers[3] > 1 - SURE)


def test_strokes_are_listed_and_forgotten(page):
    page.desk.learn = True
    paint(page, LEFT, RIGHT)
    page.watch.tabs.value = "Strokes"
    rows = page.watch.parts["Strokes"][0]._rows
    assert "taught: brightness of Region 2" in rows.rows[0][1]
    rows._handle_custom_msg({"type": "act", "action": "forget", "id": "1"}, [])
    assert [stroke.region for stroke in page.desk.recipe.strokes] == [2]


def test_erasing_everything_leaves_a_blank_page(page):
    paint(page, LEFT, Stroke("erase", 0, 90, [[20, 20]]))
    assert "Paint a stroke" in status(page)
    assert page.paint.canvas._overlay == "none"


def test_by_hand_nothing_runs_until_it_is_asked_for(page):
    page.desk.learn = False  # what a forest has learned needs no steps
    page.desk.run_after = False
    page.desk.objects = "superpixels"
    paint(page, LEFT, RIGHT)
    assert page.desk.session.current.how == "start"
    page.stepper.step()
    assert page.desk.session.current.how == "step"


def test_by_hand_what_was_learned_says_that_there_is_no_step_to_take(page):
    page.desk.learn = True
    page.desk.run_after = False
    paint(page, LEFT, RIGHT)
    assert page.stepper.step_button.disabled
    assert page.stepper.step_button.tooltip == "No step to take: all is worked out at once"
    assert "Done" in status(page)


def test_other_objects_solvers_and_options(page):
    paint(page, LEFT, RIGHT)
    page.objects.widget.value = "values"
    assert page.desk.posed_at(page.desk.session.current).objects.kind == "values"
    page.objects.widget.value = "superpixels"
    page.solver_menu.choose("COPKMeans")
    assert page.solver_menu.widget.description == "COPKMeans"
    assert type(page.desk.session.solver).__name__ == "COPKMeans"
    assert "COPKMeans has no use for" in page.banner.words.value
    page.paint._toggle_flatten()
    assert page.desk.recipe.options.flatten
    page.paint._toggle_connected()
    assert page.desk.recipe.options.connected == (page.desk.region,)


def test_parameters_hold_for_the_strokes_that_follow(page):
    press(page, "p")
    assert not page.drawer.is_open
    paint(page, LEFT, RIGHT)
    press(page, "p")
    page.drawer.fields["alpha"].control.value = "1.5"
    page.drawer.apply()
    paint(page, Stroke("brush", 1, 3, [[5, 5]]))
    assert page.desk.session.solver.alpha == 1.5


def test_exports(page, halves, tmp_path):
    for make in (painted.labels_png, painted.mask_png, painted.overlay_png, painted.code):
        page.take_out(make)
    assert page.sent == []  # nothing is painted yet: said in words, nothing sent
    paint(page, LEFT, RIGHT)
    labels = page.desk.regions_at(page.desk.session.current).labels
    read = np.asarray(Image.open(io.BytesIO(painted.labels_png(page.desk).data)))
    np.testing.assert_array_equal(read, labels)
    mask = np.asarray(Image.open(io.BytesIO(painted.mask_png(page.desk).data)))
    np.testing.assert_array_equal(mask == 255, labels == 1)
    assert Image.open(io.BytesIO(painted.overlay_png(page.desk).data)).size == (800, 800)
    assert painted.table_csv(page.desk).data.startswith(b"region,strokes,pixels,area,mean,dice")
    script = tmp_path / "painted.py"
    script.write_bytes(painted.code(page.desk).data)
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    np.testing.assert_array_equal(json.loads(done.stdout), labels)


def test_a_session_is_saved_opened_and_found_again(page, halves, tmp_path):
    paint(page, LEFT, RIGHT)
    labels = page.desk.session.labels
    content = json.dumps(page.desk.session.to_json()).encode()
    again = read_file("halves-session.json", content)
    np.testing.assert_array_equal(again.labels, labels)
    kept = painter(halves, journal=tmp_path / "journal")
    kept.desk.pace = None
    paint(kept, LEFT, RIGHT)
    kept.close()
    found = painter(halves, journal=tmp_path / "journal")
    assert len(found.paint.canvas.strokes) == 2
    assert found.desk.objects == "pixels"
    found.close()


def test_what_can_not_be_opened_is_said_and_nothing_is_lost(page):
    paint(page, LEFT, RIGHT)
    for name, content, words in (
        ("notes.png", b"no picture", "no picture that can be read"),
        ("x.json", b"{broken", "no session file"),
        ("y.json", b"{}", "no cclab session"),
    ):
        piece = {"type": "file", "id": name, "name": name, "size": len(content), "index": 0, "count": 1}
        page.shell._handle_custom_msg(piece, [content])
        assert words in page.banner.words.value
    assert len(page.desk.recipe.strokes) == 2


@pytest.mark.parametrize(
    ("array", "words"),
    [
        (np.zeros((1, 1), dtype=np.uint8), "All pixels have one and the same value"),
        (np.full((12, 9), 7, dtype=np.uint8), "there is nothing to tell apart."),
        (
            np.random.default_rng(0).integers(0, 255, size=(30, 20, 4), dtype=np.uint8),
            "Transparent pixels were laid on white.",
        ),
        (np.full((30, 20, 4), 255) - [[[0, 90, 0, 0]]] * np.eye(30, 20, dtype=int)[..., None], "alpha channel"),
    ],
    ids=["one pixel", "one colour", "RGBA", "RGBA, opaque"],
)
def test_odd_pictures(array, words, tmp_path, monkeypatch):
    monkeypatch.setenv("CCLAB_STATE", str(tmp_path))
    page = painter(array)
    page.desk.pace = None
    assert page.banner.is_open  # what is odd about it is said
    assert words in page.banner.words.value
    paint(page, Stroke("brush", 1, 2, [[0.5, 0.5]]), Stroke("brush", 2, 2, [[6.5, 6.5]]))
    assert page.desk.session.failures == []
    assert len(page.desk.recipe.strokes) == 2
    page.close()


def test_a_picture_that_is_too_large_is_reduced_and_said(tmp_path, monkeypatch):
    monkeypatch.setenv("CCLAB_STATE", str(tmp_path))
    large = np.zeros((8192, 8192), dtype=np.uint8)
    large[:, 4096:] = 200
    page = painter(large)
    assert page.desk.picture.shape == (2048, 2048)
    assert page.desk.objects == "superpixels"
    assert "Reduced from 8192 x 8192 to 2048 x 2048 to be painted on" in page.banner.words.value
    assert "every pixel of the file counts" in page.banner.words.value
    page.close()


@pytest.mark.parametrize("objects", ["values", "superpixels"])
def test_two_colours_on_one_object_are_said_and_nothing_is_lost(page, objects):
    page.desk.objects = objects
    over = Stroke("brush", 2, 1, [[8, 6], [8, 34]])
    paint(page, LEFT, RIGHT, over)
    assert re.search("painted in two colours: the colour with more paint counts", page.banner.words.value)
    assert len(page.desk.recipe.strokes) == 3
    assert page.desk.session.failures == []


def test_another_picture_offers_the_way_back(page, halves):
    visitor = Visitor(page, page.sent)
    visitor.arrive()
    paint(page, LEFT, RIGHT)
    page.open_data("phantom")
    assert page.desk.picture.name == "phantom"
    assert visitor.offered == "Back"
    visitor.accept()
    assert len(page.desk.recipe.strokes) == 2


def test_a_reopened_painting_poses_each_problem_once(page, halves, monkeypatch):
    Visitor(page, []).arrive()
    paint(page, LEFT, RIGHT)
    folder = page.visit.entry.folder
    page.close()
    made, make = [], Painting._make
    monkeypatch.setattr(Painting, "_make", lambda self, recipe: (made.append(recipe), make(self, recipe))[1])
    session = open_journal(folder)
    desk = Easel(session)
    desk.regions_at(session.current)
    assert len(made) == len({str(recipe.to_json()) for recipe in made}) > 0
    session.close()


def test_a_reopened_painting_poses_the_last_problem_and_none_of_those_before(page, monkeypatch):
    """However many strokes were painted, and questions put meanwhile."""
    Visitor(page, []).arrive()
    paint(page, LEFT, RIGHT, OTHER, Stroke("brush", 1, 3, [[4, 20], [4, 26]]))
    verbs = [command["verb"] for command in page.desk.session.commands]
    assert verbs.count("put") > 1
    folder, last = page.visit.entry.folder, page.desk.recipe
    page.close()
    assert about(folder).n_statements == len(last.strokes) == 4
    made, make = [], Painting._make
    monkeypatch.setattr(Painting, "_make", lambda self, recipe: (made.append(recipe), make(self, recipe))[1])
    session = open_journal(folder)
    Easel(session).regions_at(session.current)
    assert {len(recipe.strokes) for recipe in made} == {len(last.strokes)}
    session.close()
