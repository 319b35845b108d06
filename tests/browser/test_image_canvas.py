"""The painter's canvas in a real browser: mouse, touch and keys in; pixels of the screen out."""

import json
import math

import numpy as np
import pytest

from cclab.images import Stroke, rasterize

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

HEIGHT, WIDTH = 40, 60  # of the picture; the stage is 632 x 432, so that fitted pixels are 10 x 10
PAGE = """
import json
import numpy as np
import ipywidgets as W
from cclab.images import Stroke, rasterize
from cclab.widgets.painter.canvas import ImageCanvas, Swatch
from cclab.widgets.kit.bridge import Shell

picture = np.zeros((40, 60, 3), dtype=np.uint8)
picture[:, :30] = [200, 100, 50]
canvas = ImageCanvas(picture, size=5, opacity=0.5, layout=W.Layout(width="632px", height="432px"))
labels = np.zeros((40, 60), dtype=int)
labels[:, 20:40], labels[:, 40:] = 1, 2
report, command = W.Label("{}"), W.Text(placeholder="command")
told = {}

def tell(**what):
    told.update(what)
    report.value = json.dumps(told)

def on_stroke(stroke):
    if stroke.region != 9:  # a region that is refused
        canvas.strokes = (*canvas.strokes, stroke)
    points = np.round(stroke.points.astype(float), 3).tolist()
    tell(strokes=told.get("strokes", 0) + 1, kind=stroke.kind, region=stroke.region, size=stroke.size, points=points,
         mask=rasterize(stroke, (40, 60)).tolist())

def obey(change):
    code, _, _ = change.new.rpartition("#")
    if code:
        exec(code, globals())
    tell(done=change.new)

canvas.painted.connect(on_stroke)
canvas.hovered.connect(lambda pixel: tell(pixel=pixel))
command.observe(obey, "value")
shell = Shell()
shell.bind("Space", lambda: tell(ran=told.get("ran", 0) + 1))
shell.bind("2", lambda: tell(missed=True))
app = W.VBox([shell, canvas, report, command, W.HTML("<i data-region='3'>third</i>")])
app.add_class("cc-app")
app
"""


class Canvas:
    """The canvas on a page, in coordinates of the picture."""

    def __init__(self, page):
        self.page = page
        self.root = page.locator(".cc-image-canvas")
        self.root.wait_for(timeout=60_000)
        page.wait_for_function("document.querySelector('.cc-image-canvas .image').width === 632", timeout=20_000)
        self.orders = 0

    def at(self, x, y):
        """Where on the page a point of the fitted picture is."""
        box = self.root.bounding_box()
        return box["x"] + 16 + 10 * x, box["y"] + 16 + 10 * y

    def told(self):
        return json.loads(self.page.locator(".widget-label").first.inner_text())

    def wait(self, **expected):
        """Until Python has told all this; what it has told."""
        for _ in range(200):
            told = self.told()
            if all(told.get(key) == value for key, value in expected.items()):
                return told
            self.page.wait_for_timeout(50)
        raise AssertionError(f"waited for {expected}, was told {told}")

    def order(self, code):
        """Have Python do something, and wait until the browser shows it."""
        self.wait(done=self.ask(code))
        self.frames()

    def ask(self, code):
        """Have Python do something; what it will have told when it is done."""
        self.orders += 1
        text = f"{code}#{self.orders}"
        field = self.page.get_by_placeholder("command")
        field.fill(text)
        field.press("Enter")
        field.blur()
        return text

    def frames(self):
        self.page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def paint(self, *points, release=True):
        """Drag along points of the picture; how many strokes Python knew before."""
        before = self.told().get("strokes", 0)
        self.page.mouse.move(*self.at(*points[0]))
        self.page.mouse.down()
        for point in points[1:]:
            self.page.mouse.move(*self.at(*point))
        if release:
            self.page.mouse.up()
        return before

    def pixel(self, layer, x, y):
        """Red, green, blue and alpha of a layer where a point of the fitted picture is."""
        script = """([layer, x, y]) => [...document.querySelector(`.cc-image-canvas .${layer}`)
            .getContext("2d").getImageData(x, y, 1, 1).data]"""
        return self.page.evaluate(script, [layer, 16 + 10 * x, 16 + 10 * y])

    def is_blank(self, layer):
        script = """layer => { const canvas = document.querySelector(`.cc-image-canvas .${layer}`);
            const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
            return data.every(value => value === 0); }"""
        return self.page.evaluate(script, layer)


@pytest.fixture(scope="module")
def open_canvas(voila_page):
    return Canvas(voila_page(PAGE, name="image_canvas"))


@pytest.fixture
def canvas(open_canvas):
    """The canvas as it was when the page opened."""
    open_canvas.page.mouse.move(2, 2)
    open_canvas.order(
        "canvas.strokes = (); canvas.places = []; canvas.show_nothing(); canvas.fit(); canvas.original = False; "
        "canvas.tool, canvas.size, canvas.region, canvas.outlines = 'brush', 5, 1, False"
    )
    return open_canvas


def near(colour, expected, by=3):
    return all(abs(a - b) <= by for a, b in zip(colour, expected))


def test_the_picture_is_fitted_and_its_pixels_stay_square(canvas):
    assert canvas.pixel("image", 0.2, 0.2) == [200, 100, 50, 255]
    assert canvas.pixel("image", 29.9, 39.9) == [200, 100, 50, 255]
    assert canvas.pixel("image", 30.0, 20.0) == [0, 0, 0, 255]
    assert canvas.pixel("image", -0.5, 5)[3] == 0
    assert canvas.root.get_attribute("role") == "application"
    assert "60 by 40 pixels" in canvas.root.get_attribute("aria-label")


def test_a_stroke_shows_at_once_and_python_has_the_mask(canvas, screenshot):
    before = canvas.paint((5, 5), (15, 8), (25, 20), release=False)
    assert near(canvas.pixel("live", 15, 8), [0, 114, 178, 255])  # before Python has heard of it
    assert near(canvas.pixel("live", 5, 2.4), [255, 255, 255, 255])  # the white rim
    assert canvas.told().get("strokes", 0) == before
    canvas.page.mouse.up()
    told = canvas.wait(strokes=before + 1, kind="brush", region=1, size=5)
    np.testing.assert_allclose(told["points"], [(5, 5), (15, 8), (25, 20)], atol=0.06)
    np.testing.assert_array_equal(told["mask"], rasterize(Stroke("brush", 1, 5, told["points"]), (HEIGHT, WIDTH)))
    canvas.order("")
    assert near(canvas.pixel("strokes", 15, 8), [0, 114, 178, 255])
    assert canvas.is_blank("live")
    screenshot(canvas.page, "image-canvas-stroke")


def test_undo_and_refusal_take_a_stroke_away(canvas):
    before = canvas.paint((5, 5), (15, 8))
    canvas.wait(strokes=before + 1)
    canvas.order("canvas.strokes = canvas.strokes[:-1]")
    assert canvas.is_blank("strokes")
    canvas.order("canvas.region = 9")
    before = canvas.paint((5, 5), (15, 8))
    canvas.wait(strokes=before + 1)
    canvas.order("")
    assert canvas.is_blank("strokes")


def test_the_eraser_cuts(canvas):
    canvas.order("canvas.strokes = [Stroke('brush', 2, 8, [[5, 20], [50, 20]])]; canvas.tool = 'eraser'")
    assert near(canvas.pixel("strokes", 30, 20), [230, 159, 0, 255])
    before = canvas.paint((30, 10), (30, 30), release=False)
    assert canvas.pixel("strokes", 30, 20)[3] == 0
    canvas.page.mouse.up()
    canvas.wait(strokes=before + 1, kind="erase")
    canvas.order("")
    assert canvas.pixel("strokes", 30, 20)[3] == 0
    assert canvas.pixel("strokes", 10, 20)[3] == 255


@pytest.mark.parametrize("close", ["Enter", "double click", "first corner"])
def test_a_polygon_closes(canvas, close):
    canvas.order("canvas.tool, canvas.region = 'polygon', 3")
    before = canvas.told().get("strokes", 0)
    corners = [(5, 5), (25, 5), (25, 30), (5, 30)]
    for corner in corners:
        canvas.page.mouse.click(*canvas.at(*corner))
    if close == "Enter":
        canvas.page.keyboard.press("Enter")
    else:
        canvas.page.mouse.click(*canvas.at(*(corners[-1] if close == "double click" else corners[0])))
    told = canvas.wait(strokes=before + 1, kind="polygon", region=3)
    expected = [row * WIDTH + column for row in range(5, 30) for column in range(5, 25)]
    assert told["mask"] == expected
    canvas.order("")
    assert canvas.pixel("strokes", 15, 15)[3] > 150


def test_escape_drops_a_polygon_and_backspace_its_last_corner(canvas):
    canvas.order("canvas.tool = 'polygon'")
    before = canvas.told().get("strokes", 0)
    for corner in [(5, 5), (25, 5), (25, 30)]:
        canvas.page.mouse.click(*canvas.at(*corner))
    canvas.page.keyboard.press("Backspace")
    canvas.page.keyboard.press("Enter")  # two corners enclose nothing
    assert canvas.is_blank("live")
    for corner in [(5, 5), (25, 5), (25, 30)]:
        canvas.page.mouse.click(*canvas.at(*corner))
    canvas.page.keyboard.press("Escape")
    canvas.order("")
    assert canvas.is_blank("live")
    assert canvas.told().get("strokes", 0) == before


def test_hovering_tells_the_pixel_and_the_wheel_zooms_about_it(canvas):
    canvas.page.mouse.move(*canvas.at(12.5, 7.5))
    canvas.wait(pixel=[7, 12])
    for _ in range(4):
        canvas.page.mouse.wheel(0, -200)
    canvas.frames()
    canvas.page.mouse.move(*canvas.at(12.6, 7.5))
    canvas.page.mouse.move(*canvas.at(12.5, 7.5))
    canvas.wait(pixel=[7, 12])
    canvas.page.mouse.move(*canvas.at(22.5, 7.5))  # ten pixels away before, about three now
    zoom = math.exp(4 * 200 * 0.0015)
    canvas.wait(pixel=[7, math.floor(12.5 + 10 / zoom)])
    canvas.page.mouse.move(2, 2)
    canvas.wait(pixel=None)


@pytest.mark.parametrize("by", ["hand", "middle button", "Space"])
def test_panning_moves_the_picture_and_paints_nothing(canvas, by):
    before = canvas.told().get("strokes", 0)
    if by == "hand":
        canvas.order("canvas.tool = 'hand'")
    button = "middle" if by == "middle button" else "left"
    canvas.page.mouse.move(*canvas.at(10, 10))
    if by == "Space":
        canvas.page.keyboard.down("Space")
    ran = canvas.told().get("ran", 0)
    canvas.page.mouse.down(button=button)
    canvas.page.mouse.move(*canvas.at(20, 15))
    canvas.page.mouse.up(button=button)
    if by == "Space":
        canvas.page.keyboard.up("Space")
    canvas.frames()
    assert canvas.pixel("image", 39, 20) == [200, 100, 50, 255]
    assert canvas.pixel("image", 9, 20)[3] == 0
    canvas.order("")
    assert canvas.told().get("strokes", 0) == before
    assert canvas.told().get("ran", 0) == ran


def test_a_tap_of_space_is_left_to_the_page(canvas):
    ran = canvas.told().get("ran", 0)
    canvas.page.mouse.click(*canvas.at(10, 10))
    canvas.page.keyboard.press("Space")
    canvas.wait(ran=ran + 1)


def test_labels_lie_over_the_picture_hatched_where_undecided(canvas, screenshot):
    canvas.order("canvas.show_labels(labels, [Swatch('transparent'), Swatch('--cc-c1'), Swatch('#ff0000', True)])")
    assert canvas.pixel("overlay", 10, 20)[3] == 0
    assert near(canvas.pixel("overlay", 30, 20), [0, 114, 178, 127])
    along = [canvas.pixel("overlay", 50 + k / 10, 20) for k in range(16)]
    white = [colour for colour in along if near(colour, [255, 255, 255, 235])]
    red = [colour for colour in along if near(colour, [255, 0, 0, 127])]
    assert len(white) + len(red) == 16
    assert 4 <= len(white) <= 8
    screenshot(canvas.page, "image-canvas-labels")
    canvas.order("canvas.opacity = 1.0")
    assert near(canvas.pixel("overlay", 30, 20), [0, 114, 178, 255])
    canvas.order("canvas.opacity = 0.5; canvas.outlines = True")
    assert near(canvas.pixel("overlay", 20, 20.5), [0, 114, 178, 255])
    assert near(canvas.pixel("overlay", 30, 20.5), [0, 114, 178, 127])


def test_a_map_runs_along_its_ramp(canvas):
    canvas.order("canvas.show_map(np.tile(np.linspace(0, 1, 60), (40, 1)), ['#000000', '#ff0000', '#ffff00'])")
    assert near(canvas.pixel("overlay", 0.5, 5), [0, 0, 0, 127])
    assert near(canvas.pixel("overlay", 29.5, 5), [250, 0, 0, 127], by=6)
    assert near(canvas.pixel("overlay", 59.5, 5), [255, 255, 0, 127])


def test_another_theme_repaints_strokes_and_overlay(canvas, screenshot):
    canvas.order("canvas.strokes = [Stroke('brush', 1, 8, [[5, 20], [15, 20]])]")
    canvas.order("canvas.show_labels(labels, [Swatch('transparent'), Swatch('--cc-c2'), Swatch('--cc-c1-2', True)])")
    canvas.page.evaluate("document.documentElement.dataset.ccTheme = 'dark'")
    canvas.frames()
    try:
        assert near(canvas.pixel("strokes", 10, 20), [0x35, 0x96, 0xDB, 255])
        assert near(canvas.pixel("overlay", 30, 20), [0xF0, 0xAE, 0x2E, 127])
        screenshot(canvas.page, "image-canvas-dark")
    finally:
        canvas.page.evaluate("document.documentElement.dataset.ccTheme = 'light'")


def test_holding_o_shows_the_bare_picture(canvas):
    canvas.order("canvas.show_labels(labels, [Swatch('--cc-c1')] * 3)")
    overlay = canvas.page.locator(".cc-image-canvas .overlay")
    canvas.page.mouse.move(*canvas.at(10, 10))
    canvas.page.keyboard.down("o")
    assert not overlay.is_visible()
    canvas.page.keyboard.up("o")
    assert overlay.is_visible()
    canvas.order("canvas.original = True")
    assert not overlay.is_visible()


def test_places_are_marked_with_rings(canvas):
    canvas.order("canvas.places = [(10, 20), (30, 50)]")
    marks = canvas.page.locator(".cc-image-canvas svg g")
    assert [text.strip() for text in marks.all_text_contents()] == ["a", "b"]
    box = marks.first.locator(".outer").bounding_box()
    centre = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    assert centre == pytest.approx(canvas.at(20.5, 10.5), abs=0.6)


def test_the_ring_shows_the_size_of_the_brush(canvas):
    canvas.order("canvas.size = 9")
    canvas.page.mouse.move(*canvas.at(10, 10))
    box = canvas.page.locator(".cc-image-canvas .ring").bounding_box()
    assert box["width"] == pytest.approx(90)
    assert (box["x"] + 45, box["y"] + 45) == pytest.approx(canvas.at(10, 10), abs=1)


def test_one_finger_paints_and_two_zoom(canvas):
    devtools = canvas.page.context.new_cdp_session(canvas.page)

    def touch(kind, *points):
        places = [dict(zip("xy", canvas.at(*point)), id=k) for k, point in enumerate(points)]
        devtools.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": places})

    before = canvas.told().get("strokes", 0)
    touch("touchStart", (10, 10))
    touch("touchMove", (20, 12))
    touch("touchEnd")
    canvas.wait(strokes=before + 1, kind="brush")
    touch("touchStart", (20, 20))
    touch("touchStart", (20, 20), (40, 20))
    touch("touchMove", (10, 20), (50, 20))
    touch("touchEnd")
    canvas.order("")
    assert canvas.told()["strokes"] == before + 1
    # Twice as large about (30, 20): the border at column 30 stays, the left edge leaves the stage.
    assert canvas.pixel("image", 29.8, 20) == [200, 100, 50, 255]
    assert canvas.pixel("image", 30.2, 20) == [0, 0, 0, 255]
    assert canvas.pixel("image", -1, 20) == [200, 100, 50, 255]


def test_a_choice_holds_for_the_next_stroke_even_while_python_is_busy(canvas):
    canvas.root.hover()
    canvas.ask("import time; time.sleep(1)")
    canvas.page.keyboard.press("2")
    before = canvas.paint((5, 5), (15, 8))
    told = canvas.wait(strokes=before + 1)
    assert (told["kind"], told["region"]) == ("brush", 2)
    assert "missed" not in told  # the page has left the key to the canvas
    canvas.ask("time.sleep(1)")
    canvas.page.get_by_text("third").click()
    canvas.root.hover()
    canvas.page.keyboard.press("g")
    for corner in [(5, 5), (25, 5), (25, 30), (5, 5)]:
        canvas.page.mouse.click(*canvas.at(*corner))
    told = canvas.wait(strokes=before + 2)
    assert (told["kind"], told["region"]) == ("polygon", 3)


def test_many_fast_moves_are_all_kept(canvas):
    before = canvas.told().get("strokes", 0)
    script = """() => new Promise(done => {
        const root = document.querySelector(".cc-image-canvas"), box = root.getBoundingClientRect();
        const send = (type, x, y) => root.dispatchEvent(new PointerEvent(type, {
            pointerId: 1, pointerType: "mouse", button: type === "pointermove" ? -1 : 0, buttons: 1, bubbles: true,
            clientX: box.left + x, clientY: box.top + y }));
        root.setPointerCapture = () => {};  // these pointers are made up
        send("pointerdown", 20, 200);
        for (let k = 1; k < 1000; k++) send("pointermove", 20 + 0.5 * k, 200 + 100 * Math.sin(k / 40));
        send("pointerup", 519.5, 200);
        delete root.setPointerCapture;
        done();
    })"""
    canvas.page.evaluate(script)
    told = canvas.wait(strokes=before + 1)
    assert len(told["points"]) == 1000
