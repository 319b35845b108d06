"""The painter's canvas without a browser: a stand-in for the front end sends what the real one would."""

import numpy as np
import pytest
from traitlets import TraitError

from cclab.images import Stroke, load_image
from cclab.widgets.painter.canvas import ImageCanvas, Swatch

TWO = [Swatch("transparent"), Swatch("--cc-c1")]


class FrontEnd:
    """Sends messages as the browser does, and keeps those that come back."""

    def __init__(self, canvas, monkeypatch):
        self.canvas = canvas
        self.received = []
        monkeypatch.setattr(canvas, "send", lambda content, buffers=None: self.received.append(content))

    def paint(self, points, number=1, **stroke):
        stroke = {"kind": "brush", "region": 1, "size": 5} | stroke
        content = {"kind": "stroke", "number": number, "stroke": stroke}
        buffer = memoryview(np.asarray(points, dtype="<f4").tobytes())
        self.canvas._handle_custom_msg(content, [buffer])

    def hover(self, pixel):
        self.canvas._handle_custom_msg({"kind": "hover", "pixel": pixel}, [])


@pytest.fixture
def canvas():
    return ImageCanvas(np.zeros((20, 30), dtype=np.uint8))


@pytest.fixture
def front_end(canvas, monkeypatch):
    return FrontEnd(canvas, monkeypatch)


def test_a_finished_stroke_is_signalled_and_settled(canvas, front_end):
    painted = []
    canvas.painted.connect(painted.append)
    front_end.paint([[1, 2], [3, 4.5]], number=7, region=2, size=3.5)
    (stroke,) = painted
    assert (stroke.kind, stroke.region, stroke.size) == ("brush", 2, 3.5)
    np.testing.assert_array_equal(stroke.points, [[1, 2], [3, 4.5]])
    assert front_end.received == [{"kind": "settled", "number": 7}]
    assert canvas.strokes == ()  # what is painted is for the listener to say


def test_the_browser_learns_of_the_strokes_before_its_own_is_settled(canvas, front_end):
    canvas.painted.connect(lambda stroke: setattr(canvas, "strokes", (*canvas.strokes, stroke)))
    canvas.observe(lambda change: front_end.received.append("strokes"), "strokes")
    front_end.paint([[1, 1]])
    assert front_end.received == ["strokes", {"kind": "settled", "number": 1}]


@pytest.mark.parametrize("stroke", [{"kind": "spray"}, {"size": -1}, {"region": -3}])
def test_a_stroke_that_makes_no_sense_is_settled_and_not_signalled(canvas, front_end, stroke, caplog):
    painted = []
    canvas.painted.connect(painted.append)
    front_end.paint([[1, 1]], **stroke)
    assert painted == []
    assert front_end.received == [{"kind": "settled", "number": 1}]


def test_hovering_is_signalled_as_row_and_column(canvas, front_end):
    seen = []
    canvas.hovered.connect(seen.append)
    front_end.hover([3, 9])
    front_end.hover(None)
    assert seen == [(3, 9), None]


def test_strokes_travel_as_bytes(canvas):
    points = np.float32([[1, 2], [3, 4]])
    canvas.strokes = (Stroke("polygon", 3, 1, points),)
    (sent,) = canvas.get_state("strokes")["strokes"]
    assert {key: sent[key] for key in ("kind", "region", "size")} == {"kind": "polygon", "region": 3, "size": 1}
    np.testing.assert_array_equal(np.frombuffer(sent["points"], dtype="<f4").reshape(-1, 2), points)


@pytest.mark.parametrize(
    ("picture", "shape", "first"),
    [
        (np.full((2, 3), 200, dtype=np.uint8), [2, 3, 1], [200]),
        (np.full((2, 3, 1), 200, dtype=np.uint8), [2, 3, 1], [200]),
        (np.full((2, 3, 4), 9, dtype=np.uint8), [2, 3, 4], [9, 9, 9, 9]),
        (np.array([[0.2, 0.0]]), [1, 2, 1], [51]),
        (np.array([[True, False]]), [1, 2, 1], [255]),
        (np.array([[65535, 0]], dtype=np.uint16), [1, 2, 1], [255]),
        (np.array([[40.0, -40.0]]), [1, 2, 1], [255]),
    ],
)
def test_pictures_of_every_kind_become_bytes(picture, shape, first):
    canvas = ImageCanvas(picture)
    assert canvas._shape == shape
    assert list(canvas._pixels[: shape[2]]) == first
    assert len(canvas._pixels) == np.prod(shape)


def test_a_loaded_picture_shows_and_is_named_for_screen_readers():
    canvas = ImageCanvas(load_image("phantom"))
    assert canvas._shape == [217, 181, 1]
    assert canvas.label == "Picture of 181 by 217 pixels to paint on"


def test_another_picture_takes_everything_else_away(canvas):
    canvas.strokes = (Stroke("brush", 1, 5, [[1, 1]]),)
    canvas.places = [(1, 2)]
    canvas.show_labels(np.ones((20, 30), dtype=int), TWO)
    canvas.show_picture(np.zeros((4, 4)))
    assert (canvas.strokes, canvas.places, canvas._overlay, canvas._values) == ((), [], "none", b"")
    assert canvas._shape == [4, 4, 1]


def test_labels_and_palette_reach_the_browser_in_one_message(canvas, monkeypatch):
    sent = []
    monkeypatch.setattr(canvas, "send_state", lambda key=None: sent.append(set(key)))
    labels = np.arange(600).reshape(20, 30) % 3
    canvas.show_labels(labels, [*TWO, Swatch("#ff0000", hatched=True)])
    assert np.frombuffer(canvas._values, dtype=np.uint8).reshape(20, 30).tolist() == labels.tolist()
    assert canvas._palette[2] == {"color": "#ff0000", "hatched": True}
    assert sent == [{"_palette", "_values", "_overlay"}]


def test_a_map_is_cut_into_256_steps(canvas):
    values = np.linspace(0, 1, 600).reshape(20, 30)
    canvas.show_map(values, ["black", "--cc-c1"])
    np.testing.assert_array_equal(np.frombuffer(canvas._values, np.uint8), np.rint(255 * values.ravel()))
    assert canvas._overlay == "map"
    canvas.show_nothing()
    assert canvas._overlay == "none"


def test_errors_are_told_apart(canvas):
    truth, found = np.zeros((20, 30), dtype=bool), np.zeros((20, 30), dtype=bool)
    truth[0, :3] = True
    found[0, 1:4] = True
    canvas.show_errors(found, truth)
    assert list(canvas._values[:5]) == [2, 0, 0, 1, 0]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda c: c.show_labels(np.zeros((20, 31), dtype=int), TWO), r"\(20, 31\), the picture \(20, 30\)"),
        (lambda c: c.show_labels(np.full((20, 30), 2), TWO), "from 2 to 2; the palette has 2"),
        (lambda c: c.show_labels(np.full((20, 30), -1), TWO), "from -1"),
        (lambda c: c.show_labels(np.zeros((20, 30), dtype=int), []), "1 to 256 swatches; got 0"),
        (lambda c: c.show_map(np.full((20, 30), 1.5)), r"\[0, 1\]; got 1.5"),
        (lambda c: c.show_map(np.full((20, 30), np.nan)), r"\[0, 1\]; got nan"),
        (lambda c: c.show_map(np.zeros((20, 30)), ["red"]), "at least two"),
        (lambda c: c.show_picture(np.zeros((4, 4, 2))), r"got \(4, 4, 2\)"),
    ],
)
def test_what_does_not_fit_is_refused_in_words(canvas, call, words):
    with pytest.raises(ValueError, match=words):
        call(canvas)


@pytest.mark.parametrize(("name", "value"), [("tool", "spray"), ("size", 0.5), ("region", -1), ("opacity", 2.0)])
def test_traits_refuse_nonsense(canvas, name, value):
    with pytest.raises(TraitError):
        setattr(canvas, name, value)


def test_nothing_comes_from_outside_the_wheel():
    for text in (ImageCanvas._esm, ImageCanvas._css):
        assert "http" not in str(text).replace("http://www.w3.org/2000/svg", "")
        assert "\nimport " not in str(text)
