"""The painter on stacks and on pictures with units, without a browser."""

import asyncio
import io
import json
import zipfile

import numpy as np
import pytest
import tifffile
from PIL import Image

from cclab.apps import painter
from cclab.apps.painter import exports as painted
from cclab.apps.painter.painter import read_file
from cclab.images import Applied, Failed, Stroke, load_image, load_stack
from cclab.images.regions import dice
from cclab.widgets.painter.fresh import session_on
from cclab.widgets.painter.scan import AUTO, FILE, OWN
from tests.apps.painter.test_painter import at_rest, paint, press, status
from tests.images.pictures import body, dicom, tiff

ORGAN = Stroke("brush", 1, 4, [[19, 18], [22, 22]])
TISSUE = Stroke("brush", 2, 4, [[33, 14], [33, 26]])
AIR = Stroke("brush", 2, 4, [[2, 2], [2, 37]])
TRUTH = body()[1] == 2


@pytest.fixture
def page(tmp_path, monkeypatch):
    monkeypatch.setenv("CCLAB_STATE", str(tmp_path / "state"))
    page = painter(load_stack(np.stack([body(seed=k)[0] for k in range(4)]), name="ct"))
    page.desk.pace = None
    page.sent = []
    page.shell.send = lambda content, buffers=None: page.sent.append((content, buffers))
    yield page
    assert page.desk.session.failures == []
    page.close()


def go(page, *keys):
    async def work():
        press(page, *keys)
        await asyncio.sleep(0.3)
        await at_rest(page)

    asyncio.run(work())


def apply(page, act):
    page.watch.tabs.value = "Apply"
    part = page.watch.parts["Apply"][0]

    async def work():
        act(part)
        while part._tasks._running:
            await asyncio.sleep(0.005)

    asyncio.run(work())
    return part


def labels(page):
    return page.desk.regions_at(page.desk.session.current).labels


class TestSlices:
    def test_paint_on_one_holds_on_all_and_each_shows_its_own_strokes(self, page):
        paint(page, ORGAN, TISSUE, AIR)
        go(page, "ArrowDown", "ArrowDown")
        assert (page.desk.slice, page.scan._place.value) == (2, "3 of 4")
        assert page.paint.canvas.strokes == ()
        assert page.desk.session.current.recipe.options.slice == 2
        assert dice(labels(page) == 1, TRUTH) > 0.9
        paint(page, Stroke("brush", 1, 3, [[20, 20]]))
        assert [stroke.slice for stroke in page.desk.recipe.strokes] == [0, 0, 0, 2]
        assert len(page.paint.canvas.strokes) == 1
        press(page, "ctrl+z")
        assert len(page.desk.recipe.strokes) == 3

    def test_going_through_them_leaves_one_command(self, page):
        paint(page, ORGAN, TISSUE)
        before = len(page.desk.session.commands)

        async def work():
            for _ in range(3):
                press(page, "ArrowDown")
            await asyncio.sleep(0.3)
            await at_rest(page)

        asyncio.run(work())
        verbs = [command["verb"] for command in page.desk.session.commands[before:]]
        assert verbs.count("set_options") == 2  # superpixels and pixels of the last one
        assert page.desk.slice == 3
        press(page, "ArrowDown")
        assert page.desk.slice == 3

    def test_undo_goes_back_to_the_slice(self, page):
        paint(page, ORGAN, TISSUE)
        go(page, "ArrowDown")
        go(page, "ctrl+z")
        assert page.desk.slice == 0
        assert len(page.paint.canvas.strokes) == 2

    def test_before_anything_is_painted_they_are_only_looked_at(self, page):
        go(page, "ArrowDown")
        assert page.desk.slice == 1
        assert len(page.desk.session.commands) == 1
        paint(page, ORGAN)
        assert page.desk.recipe.strokes[0].slice == 1

    def test_a_saved_session_comes_back_with_all_slices(self, page):
        paint(page, ORGAN, TISSUE)
        again = read_file("ct.json", json.dumps(page.desk.session.to_json()).encode())
        assert len(again.data.stack) == 4
        np.testing.assert_array_equal(again.labels, page.desk.session.labels)


class TestApplying:
    def test_all_slices_doubtful_first_and_going_back_updates_all(self, page):
        paint(page, ORGAN, TISSUE, AIR)
        part = apply(page, lambda part: part.apply_to_slices())
        assert [type(one) for one in part.results] == [Applied] * 4
        assert all(dice(one.labels == 1, TRUTH) > 0.9 for one in part.results)
        keys = [int(key) for key, _ in part._rows.rows]
        doubts = [part.results[key].doubtful for key in keys]
        assert doubts == sorted(doubts, reverse=True)
        before = part.results

        async def correct():
            page.paint.canvas.painted.emit(Stroke("polygon", 1, 1, [[0, 0], [12, 0], [12, 6], [0, 6]]))
            await at_rest(page)
            while part._tasks._running:
                await asyncio.sleep(0.005)

        asyncio.run(correct())
        assert part.results is not before
        assert (part.results[0].labels[:6, :12] == 1).all()

    def test_masks_table_and_sheet(self, page):
        paint(page, ORGAN, TISSUE, AIR)
        part = apply(page, lambda part: part.apply_to_slices())
        with zipfile.ZipFile(io.BytesIO(part.masks(page.desk).data)) as packed:
            stack = tifffile.imread(io.BytesIO(packed.read("ct-labels.ome.tif")))
        np.testing.assert_array_equal(stack[2], part.results[2].labels)
        assert part.table(page.desk).data.startswith(b"picture,slice,region,pixels,area,mean,count,doubt")
        assert part.sheet(page.desk).data.startswith(b"\x89PNG")

    def test_files_and_one_that_can_not_be_read(self, page):
        paint(page, ORGAN, TISSUE, AIR)
        files = {"a.dcm": dicom(body(seed=8)[0]), "b.tif": tiff(body((60, 70), seed=9)[0]), "c.png": b"broken"}
        part = apply(page, lambda part: [part.take_files(*file) for file in files.items()])
        assert [type(one) for one in part.results] == [Applied, Applied, Failed]
        assert part.results[1].labels.shape == (60, 70)
        assert "c.png" in part.results[2].why
        assert len(page.desk.recipe.strokes) == 3

    def test_a_file_can_be_painted_on_as_well_and_the_others_stay(self, page):
        paint(page, ORGAN, TISSUE, AIR)
        files = {"a.dcm": dicom(body(seed=8)[0]), "b.dcm": dicom(body(seed=9)[0]), "c.tif": tiff(body((60, 70))[0])}
        part = apply(page, lambda part: [part.take_files(*file) for file in files.items()])
        n_slices = page.desk.n_slices

        async def go():
            part._rows._handle_custom_msg({"type": "act", "action": "go", "id": "0"}, [])
            while page.desk.n_slices == n_slices:
                await asyncio.sleep(0.01)
            await at_rest(page)

        asyncio.run(go())
        assert (page.desk.n_slices, page.desk.slice) == (n_slices + 1, n_slices)
        assert len(page.desk.recipe.strokes) == 3
        assert [one.picture.name for one in part.results] == ["a", "b", "c"]

    def test_one_of_another_size_is_painted_on_and_all_masks_have_the_size_of_their_files(self, page):
        paint(page, ORGAN, TISSUE, AIR)
        files = {"a.tif": tiff(body(seed=8)[0]), "wide.tif": tiff(body((30, 70))[0])}
        part = apply(page, lambda part: [part.take_files(*file) for file in files.items()])
        before = part.results[1].whole

        async def work():
            part._rows._handle_custom_msg({"type": "act", "action": "go", "id": "1"}, [])
            while page.desk.n_slices == 4:
                await asyncio.sleep(0.01)
            page.paint.canvas.painted.emit(Stroke("polygon", 1, 1, [[50, 0], [69, 0], [69, 5], [50, 5]]))
            await at_rest(page)
            while part._tasks._running:
                await asyncio.sleep(0.005)

        asyncio.run(work())
        assert page.desk.picture.shape == (40, 70)
        assert page.desk.picture.invalid[30:].all()
        assert [one.picture.name for one in part.results] == ["a", "wide"]
        assert [one.whole.shape for one in part.results] == [(40, 48), (30, 70)]
        assert (part.results[1].whole[:5, 51:69] == 1).all()
        assert not (before[:5, 51:69] == 1).any()
        assert np.asarray(Image.open(io.BytesIO(painted.labels_png(page.desk).data))).shape == (30, 70)
        with zipfile.ZipFile(io.BytesIO(part.masks(page.desk).data)) as packed:
            assert set(packed.namelist()) == {"a-labels.png", "wide-labels.png", "regions.csv"}
        again = read_file("two.json", json.dumps(page.desk.session.to_json()).encode())
        assert again.data.stack.sizes == page.desk.painting.stack.sizes

    def test_paint_holds_on_the_picture_that_is_among_the_files(self, page):
        content = tiff(body()[0])
        page.desk.open(read_file("mine.tif", content))
        paint(page, ORGAN, TISSUE, Stroke("polygon", 1, 1, [[0, 0], [12, 0], [12, 6], [0, 6]]))
        files = [("other.tif", tiff(body(seed=3)[0])), ("mine.tif", content), ("mine.tif", content)]
        part = apply(page, lambda part: [part.take_files(*file) for file in files])
        assert [one.picture.name for one in part.results] == ["other", "mine"]
        assert (part.results[1].whole[:6, :12] == 1).all()
        part._rows._handle_custom_msg({"type": "act", "action": "go", "id": "1"}, [])
        assert page.desk.n_slices == 1  # there already

    def test_looking_at_another_slice_changes_nothing_and_they_go_by_their_numbers(self, page):
        paint(page, ORGAN, TISSUE)
        part = apply(page, lambda part: part.apply_to_slices())
        before = list(part.results)
        assert "<b>Slice 3</b>" in dict(part._rows.rows)["2"]

        async def look():
            part._rows._handle_custom_msg({"type": "act", "action": "go", "id": "2"}, [])
            await asyncio.sleep(0.3)
            await at_rest(page)
            assert not part._tasks._running

        asyncio.run(look())
        assert page.desk.slice == 2
        assert part.results == before

    def test_pictures_can_be_looked_through_in_another_order(self, page):
        page.desk.open(read_file("mine.tif", tiff(body()[0])))
        paint(page, ORGAN, TISSUE, AIR)
        empty = np.where(body()[1] == 2, 40, body()[0]).astype(np.int16)
        files = {"c.tif": tiff(body(seed=4)[0]), "empty.tif": tiff(empty), "broken.tif": b"no"}
        part = apply(page, lambda part: [part.take_files(*file) for file in files.items()])
        press(page, "1")
        part.sorting.value = "Least of the region"
        assert [key for key, _ in part._rows.rows] == ["2", "1", "0"]
        press(page, "2")
        assert [key for key, _ in part._rows.rows] == ["2", "0", "1"]
        part.sorting.value = "In order"
        assert [key for key, _ in part._rows.rows] == ["2", "0", "1"]
        table = part.table(page.desk).data.decode().splitlines()
        assert any(line.startswith("empty,") and line.split(",")[2].isdigit() for line in table)

    def test_it_can_be_stopped_and_cleared(self, page):
        paint(page, ORGAN, TISSUE)

        async def work(part):
            part.apply_to_slices()
            while not part.results:
                await asyncio.sleep(0.002)
            part.stop()
            while part._tasks._running:
                await asyncio.sleep(0.005)

        page.watch.tabs.value = "Apply"
        part = page.watch.parts["Apply"][0]
        asyncio.run(work(part))
        assert 0 < len(part.results) < 4
        assert len(part._rows.rows) == len(part.results)
        part.clear()
        assert part._rows.rows == []
        apply(page, lambda part: part.apply_to_slices())
        assert len(part.results) == 4

    def test_without_paint_it_is_said_what_to_do(self, page):
        told = []
        page.desk.told.connect(lambda notice: told.append(notice.words))
        part = apply(page, lambda part: part.apply_to_slices())
        assert (part.results, told) == ([], ["Paint a stroke in each of two regions first"])
        with pytest.raises(ValueError, match="apply what is painted first"):
            part.masks(page.desk)


class TestValues:
    def test_a_window_changes_what_is_seen_and_nothing_else(self, page):
        shown = page.paint.canvas._pixels
        assert page.scan.preset.value == AUTO
        page.scan.preset.value = "All values"
        assert page.paint.canvas._pixels != shown
        page.scan.window.value = (0, 100)
        assert page.scan.preset.value == OWN
        assert page.desk.window == (0, 100)
        assert len(page.desk.session.commands) == 1

    def test_hounsfield_units_bring_their_presets(self, page):
        page.desk.open(read_file("a.dcm", dicom(body()[0])))
        assert {"Brain", "Lung", "Bone", "As in the file"} <= set(page.scan.preset.options)
        assert page.paint.canvas.pixel_size == pytest.approx(0.8)
        paint(page, ORGAN, TISSUE)
        mean = page.desk.table_at(page.desk.session.current)["mean"][0]
        assert mean == pytest.approx(200, abs=10)

    def test_what_a_browser_tells_of_the_picture_before_moves_no_window(self, page):
        """A browser that is told of other ends moves the old window between them, and tells it back as chosen."""
        before = page.scan.window
        page.desk.open(read_file("a.dcm", dicom(body()[0])))
        before.value = (0, 100)
        assert page.scan.preset.value == FILE
        assert page.scan.window.value[0] == -160

    def test_eight_bits_need_no_window(self, page):
        page.desk.open(read_file("a.tif", tiff(np.arange(100, dtype=np.uint8).reshape(10, 10))))
        assert page.scan.widget.layout.display == "none"

    def test_all_slices_are_seen_through_one_window(self, page):
        dark = np.stack([body(seed=k)[0] // (1 + k) for k in range(3)])
        page.desk.open(session_on(load_stack(dark, name="fading")))
        window = page.desk.window
        go(page, "ArrowDown", "ArrowDown")
        assert (page.desk.slice, page.desk.window, page.scan.preset.value) == (2, window, AUTO)
        assert page.scan.window.value == pytest.approx(window)
        assert "Lung" in page.scan.preset.options  # nothing but tomography has such values

    def test_files_that_are_opened_together_are_slices_in_their_order(self, page):
        files = [(f"IM{k}.dcm", dicom(body(seed=k)[0], place=-2.5 * k, number=k)) for k in (3, 12, 21)]
        for left, (name, content) in zip((2, 1, 0), files):
            message = {"id": name, "name": name, "size": len(content), "index": 0, "count": 1, "left": left}
            page.shell._handle_custom_msg({"type": "file", "purpose": "open"} | message, [content])
        assert [picture.name for picture in page.desk.painting.stack] == ["IM21", "IM12", "IM3"]
        assert page.desk.painting.name == "IM"
        assert page.desk.painting.stack.thickness == pytest.approx(22.5)
        paint(page, ORGAN, TISSUE)
        part = apply(page, lambda part: part.apply_to_slices())
        table = part.results[0].measured()
        assert table["volume (mm³)"][0] == pytest.approx(table["pixels"][0] * 0.7 * 0.8 * 22.5)
        assert "Region 1" in part._volumes.value
        assert " ml" in part._volumes.value


class TestObjects:
    def test_pieces_of_the_chosen_region(self, page):
        paint(page, ORGAN, TISSUE, AIR)
        press(page, "1")
        page.watch.tabs.value = "Objects"
        part = page.watch.parts["Objects"][0]
        assert part.note.value == "1 of Region 1"
        part._rows._handle_custom_msg({"type": "act", "action": "show", "id": "0"}, [])
        (row, column), *_ = page.paint.canvas.places
        assert TRUTH[row, column]
        assert part.csv(page.desk).data.startswith(b"object,row,column,area,mean,circularity,diameter")


class TestFindings:
    def test_nothing_is_shown_before_two_regions_have_paint(self, page):
        paint(page, ORGAN)
        assert page.paint.canvas._overlay == "none"
        assert "Paint a second region" in status(page)
        assert page.desk.table_at(page.desk.session.current)["pixels"].sum() == 0

    def test_a_region_can_be_removed_with_its_paint(self, page):
        page.desk.add_region()
        page.desk.rename(3, "Bone")
        paint(page, ORGAN, TISSUE, Stroke("brush", 3, 3, [[10, 30]]))
        page.paint.palette._handle_custom_msg({"type": "act", "action": "remove", "id": "2"}, [])
        assert page.desk.regions == ("Region 1", "Bone")
        assert [stroke.region for stroke in page.desk.recipe.strokes] == [1, 2]
        press(page, "ctrl+z")
        assert len(page.desk.recipe.strokes) == 3

    def test_an_answer_is_one_undo(self, page):
        paint(page, ORGAN, TISSUE, AIR)
        before = len(page.desk.recipe.strokes)

        async def answer():
            page.queries.answer(1)
            await at_rest(page)

        asyncio.run(answer())
        assert len(page.desk.recipe.strokes) == before + 1
        assert page.desk.session.asked
        go(page, "ctrl+z")
        assert len(page.desk.recipe.strokes) == before
        assert not page.desk.session.asked

    def test_by_hand_begins_with_superpixels_that_can_be_stepped(self, page):
        page.desk.run_after = False
        paint(page, ORGAN, TISSUE)
        assert page.desk.posed_at(page.desk.session.current).objects.kind == "superpixels"
        assert page.desk.session.current.how == "start"

    @pytest.mark.parametrize("solver", ["CompetitiveMixture", "COBRAS"])
    def test_solvers_that_choose_the_number_of_clusters(self, page, solver):
        paint(page, ORGAN, TISSUE, AIR)
        page.desk.set_objects("superpixels")
        page.switch_solver(solver)
        assert type(page.desk.session.solver).__name__ == solver
        assert set(np.unique(labels(page))) <= {0, 1, 2}

    def test_connected_says_of_which_region(self, page):
        press(page, "2")
        assert page.paint.connected_button.description == "Connected: Region 2"

    def test_masks_have_the_size_of_the_file(self, page):
        large = np.kron(body()[0], np.ones((12, 12), dtype=np.int16))
        page.desk.open(session_on(load_image(tiff(large), filename="large.tif", max_side=300)))
        height, width = page.desk.picture.shape
        assert page.desk.picture.full.shape == (480, 576)
        page.desk.objects = "superpixels"
        paint(
            page,
            *(Stroke("brush", s.region, 20, s.points * np.array([width / 48, height / 40])) for s in (ORGAN, TISSUE)),
        )
        layers = tifffile.imread(io.BytesIO(painted.layers(page.desk).data))
        assert layers.shape == (2, 480, 576)

    def test_strokes_as_labels_for_ilastik(self, page):
        paint(page, ORGAN, TISSUE)
        read = tifffile.imread(io.BytesIO(painted.paint_labels(page.desk).data))
        assert read.shape == (4, 40, 48)
        assert set(np.unique(read[0])) == {0, 1, 2}
        assert not read[1:].any()


def test_a_slip_of_the_brush_does_not_change_what_dice_looks_for():
    from cclab.images import Options, Painting, Recipe, Regions
    from cclab.images.regions import measure

    picture = load_image(body()[0], truth=body()[1])
    strokes = (ORGAN, TISSUE, AIR)
    shown = []
    for slip in ((), (Stroke("brush", 1, 3, [[33, 33]]),)):
        posed = Painting(picture).pose(Recipe((*strokes, *slip), Options(objects="pixels")))
        found = Regions.of(posed, posed.solver.solve(posed.solver.adapt(posed.problem)).partition)
        shown.append(measure(picture, found, posed, ["Organ", "Rest"])["dice"][0])
    assert shown[0] > 0.9
    assert shown[1] > shown[0] - 0.1


class TestPixelsWithoutValue:
    @pytest.fixture
    def holed(self, page):
        values = body()[0].astype(np.float32)
        values[:6, :20] = np.nan
        page.desk.open(read_file("holed.tif", tiff(values)))
        return page

    def test_they_are_seen_through_and_the_legend_says_so(self, holed):
        canvas = holed.paint.canvas
        shown = np.frombuffer(canvas._pixels, dtype=np.uint8).reshape(canvas._shape)
        assert canvas._shape == [40, 48, 4]
        assert not shown[:6, :20].any()
        assert (shown[6:, :, 3] == 255).all()
        assert "no value" in holed.paint._legend.value

    def test_they_are_not_counted_as_undecided(self, holed):
        paint(holed, ORGAN, TISSUE)
        table = holed.desk.table_at(holed.desk.session.current).set_index("region")["pixels"]
        assert table["No value"] == 6 * 20
        assert holed.desk.undecided_at(holed.desk.session.current) == table["Undecided"] < 120
        assert table.sum() >= 40 * 48
        holed.paint.looks.value = "Credal sets"
        assert holed.paint._legend.value.index("undecided") < holed.paint._legend.value.index("no value")

    def test_a_picture_with_all_its_values_has_no_such_word(self, page):
        paint(page, ORGAN, TISSUE)
        assert "no value" not in page.paint._legend.value
        assert "No value" not in page.desk.table_at(page.desk.session.current)["region"].tolist()


def test_before_two_regions_have_paint_no_answers_are_offered(page):
    hidden = lambda part: "cc-hidden" in part._dom_classes  # noqa: E731
    assert "Paint a stroke in each of two regions" in page.queries.why.value
    assert hidden(page.queries.answers)
    assert hidden(page.queries.foot)
    paint(page, ORGAN, TISSUE)
    assert not hidden(page.queries.answers)
    assert [made.description for made in page.queries.answers.children][:2] == ["Region 1", "Region 2"]
    page.desk.rename(2, "Rest")
    assert [made.description for made in page.queries.answers.children][:2] == ["Region 1", "Rest"]
    assert "Region 1 or Rest?" in page.queries.title.value
