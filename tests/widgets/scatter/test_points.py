"""Both scatters pass the same tests; a fake front end sends what the browser would."""

import numpy as np
import pytest

from cclab.widgets.html import tag
from cclab.widgets.points import SVG_LIMIT, CanvasPoints, Shape, SvgPoints, combine, points_view
from cclab.widgets.points.outlines import N_VERTICES, outline

N = 40


class FakeSvgFront:
    """What bqplot and our gestures do when someone uses a mouse."""

    def __init__(self, view):
        self.view = view

    def send(self, message, buffers=()):
        self.view._gestures._handle_custom_msg(message, list(buffers))

    def lasso(self, indices, mode="replace"):
        # bqplot reports what is inside and stays silent about an empty lasso; then our own pointer-up follows, and
        # bqplot answers the reset by changing the selection twice more.
        if len(indices):
            self.view._everyone.selected = np.asarray(indices)
        self.send({"type": "lassoed", "mode": mode, "moved": True})
        self.view._everyone.selected = None
        self.view._everyone.selected = np.array([], int)

    def shown_selection(self):
        shown = np.column_stack([self.view._halo.x, self.view._halo.y])
        return _rows_of(self.view._unit, shown)

    def shown_shapes(self):
        return {sign: len(mark.x) for sign, mark in self.view._shapes.items()}

    def shown_links(self):
        shown = [(key, mark) for key, mark in self.view._link_marks.items() if mark.visible]
        return sorted(
            (cannot, violated, round(mark.stroke_width, 2))
            for (cannot, violated, _), mark in shown
            for _ in np.atleast_2d(mark.x)
        )

    def shown_rings(self):
        return [len(self.view._query_rings.x), len(self.view._rings.x)]

    def shown_outlines(self):
        return list(self.view._outline_names.text)

    def shown_centers(self):
        return [len(self.view._center_marks.x), len(self.view._ghost_centers.x)]


class FakeCanvasFront:
    """What our canvas does when someone uses a mouse."""

    def __init__(self, view):
        self.view = view

    def send(self, message, buffers=()):
        self.view.widget._handle_custom_msg(message, list(buffers))

    def lasso(self, indices, mode="replace"):
        self.send({"type": "select", "mode": mode}, [np.asarray(indices, np.uint32).tobytes()])

    def shown_selection(self):
        return np.frombuffer(self.view.widget.selection, np.uint32).tolist()

    def shown_shapes(self):
        shapes = np.frombuffer(self.view.widget.shape, np.uint8)
        return {sign: int((shapes == sign).sum()) for sign in Shape}

    def shown_links(self):
        styles = np.frombuffer(self.view.widget.link_style, np.uint8)
        widths = np.frombuffer(self.view.widget.link_width, np.float32)
        return sorted((bool(k & 1), bool(k & 2), round(float(width), 2)) for k, width in zip(styles, widths))

    def shown_rings(self):
        return [len(self.view.widget.query), len(self.view.widget.rings) // 4]

    def shown_outlines(self):
        return [drawn["name"] for drawn in self.view.widget.outlines]

    def shown_centers(self):
        return [len(self.view.widget.centers) // 8, len(self.view.widget.ghosts) // 8]


def _rows_of(table, rows):
    return [int(np.flatnonzero((table == row).all(axis=1))[0]) for row in rows]


@pytest.fixture
def xy():
    return np.random.default_rng(0).normal(size=(N, 2)) * [3, 0.5] + [10, -4]


@pytest.fixture(params=[(SvgPoints, FakeSvgFront), (CanvasPoints, FakeCanvasFront)], ids=["svg", "canvas"])
def scatter(request, xy):
    view_class, front_class = request.param
    view = view_class(N)
    view.set_positions(xy, "PC 1", "PC 2")
    yield view, front_class(view)
    view.close()


def test_lasso_reports_the_indices_and_the_mode(scatter):
    view, front = scatter
    seen = []
    view.on_select(lambda indices, mode: seen.append((indices.tolist(), mode)))
    front.lasso([3, 5, 8])
    front.lasso([5], mode="add")
    front.lasso([8], mode="remove")
    assert seen == [([3, 5, 8], "replace"), ([5], "add"), ([8], "remove")]


def test_an_empty_lasso_is_reported_as_empty_even_after_a_full_one(scatter):
    view, front = scatter
    seen = []
    view.on_select(lambda indices, mode: seen.append(indices.tolist()))
    front.lasso([1, 2])
    front.lasso([])
    assert seen == [[1, 2], []]


def test_a_lasso_of_everything(scatter):
    view, front = scatter
    seen = []
    view.on_select(lambda indices, mode: seen.append(indices))
    front.lasso(np.arange(N))
    np.testing.assert_array_equal(seen[0], np.arange(N))


def test_a_lasso_changes_nothing_on_the_plot_by_itself(scatter):
    view, front = scatter
    view.set_selection([7])
    front.lasso([1, 2])
    assert front.shown_selection() == [7]


def test_selection_is_shown_and_cleared(scatter):
    view, front = scatter
    view.set_selection([4, 9])
    assert front.shown_selection() == [4, 9]
    view.set_selection([])
    assert front.shown_selection() == []


def test_hover_and_click(scatter):
    view, front = scatter
    hovered, clicked = [], []
    view.on_hover(hovered.append)
    view.on_click(clicked.append)
    front.send({"type": "hover", "index": 6})
    front.send({"type": "hover", "index": None})
    front.send({"type": "click", "index": 6})
    front.send({"type": "click", "index": None})
    assert hovered == [6, None]
    assert clicked == [6, None]


def test_a_box_is_reported_like_a_lasso(scatter):
    view, front = scatter
    seen = []
    view.tool = "box"
    view.on_select(lambda indices, mode: seen.append((indices.tolist(), mode)))
    front.send({"type": "select", "mode": "add"}, [np.array([2, 3], np.uint32).tobytes()])
    assert seen == [([2, 3], "add")]


def test_the_sample_under_the_pointer_is_described(scatter, monkeypatch):
    view, front = scatter
    tips = []
    monkeypatch.setattr(view, "_show_tip", lambda index, html: tips.append((index, html)))
    view.describe = lambda index: tag("b", f"sample {index}")
    front.send({"type": "hover", "index": 6})
    front.send({"type": "hover", "index": None})
    assert tips == [(6, "<b>sample 6</b>")]


def test_every_shape_is_drawn_once_a_sample(scatter):
    view, front = scatter
    shape = np.repeat(list(Shape), N // 4)
    view.set_marks(np.zeros(N), shape, 0.5, ["--cc-c1"])
    assert front.shown_shapes() == dict.fromkeys(Shape, N // 4)
    view.set_marks(np.zeros(N), Shape.CIRCLE, 0.5, ["--cc-c1"])
    assert front.shown_shapes() == {Shape.CIRCLE: N, Shape.DIAMOND: 0, Shape.SQUARE: 0, Shape.OUTLIER: 0}


def test_links_by_kind(scatter):
    view, front = scatter
    view.set_links([[0, 1], [2, 3], [4, 5]], cannot=[False, True, True], violated=[False, False, True])
    assert front.shown_links() == [(False, False, 1.4), (True, False, 1.4), (True, True, 1.96)]
    view.set_links([[0, 1], [2, 3], [4, 5]], level=[0, 1, 2])
    assert front.shown_links() == [(False, False, 0.7), (False, False, 1.4), (False, False, 2.8)]
    view.set_links(np.empty((0, 2)))
    assert front.shown_links() == []


def test_query_rings_outlines_centers(scatter):
    view, front = scatter
    view.set_query(1, 2)
    view.set_rings([3, 4, 5])
    view.set_outlines([("A", [1, 2, 3]), ("B", [7]), ("nobody", [])])
    view.set_centers([[10, -4], [11, -3]], ghosts=[[9, -4]])
    assert front.shown_rings() == [2, 3]
    assert front.shown_outlines() == ["A", "B"]
    assert front.shown_centers() == [2, 1]
    view.set_query(5)
    assert front.shown_rings() == [1, 3]
    view.set_query(None)
    view.set_rings([])
    view.set_outlines([])
    assert front.shown_rings() == [0, 0]
    assert front.shown_outlines() == []


def test_new_positions_keep_what_is_shown(scatter, xy):
    view, front = scatter
    view.set_selection([4, 9])
    view.set_query(1, 2)
    view.set_outlines([("A", [1, 2, 3])])
    view.set_links([[0, 1]])
    view.set_positions(xy[:, ::-1] * 100, "PC 2", "PC 1")
    assert front.shown_selection() == [4, 9]
    assert front.shown_rings() == [2, 0]
    assert front.shown_outlines() == ["A"]
    assert front.shown_links() == [(False, False, 1.4)]


def test_samples_on_one_line_or_in_one_place_can_be_shown(scatter):
    view, _ = scatter
    view.set_positions(np.column_stack([np.arange(N), np.full(N, 3.0)]))
    assert np.isfinite(view._unit).all()
    view.set_positions(np.full((N, 2), 1e9))
    assert np.isfinite(view._unit).all()
    view.fit()


def test_tools(scatter):
    view, _ = scatter
    for tool in ("box", "hand", "lasso"):
        view.tool = tool
        assert view.tool == tool
    with pytest.raises(ValueError, match="tool must be one of lasso, box, hand, not 'pen'"):
        view.tool = "pen"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda view: view.set_positions(np.zeros((3, 2))), r"shape \(40, 2\), not \(3, 2\)"),
        (lambda view: view.set_positions(np.full((N, 2), np.nan)), "position of sample 0 is not finite"),
        (lambda view: view.set_marks(np.full(N, 5), 0, 1, ["--cc-c1"]), "Sample 0 has the colour 5; there are 1"),
        (lambda view: view.set_marks(0, np.full(N, 4), 1, ["--cc-c1"]), "Sample 0 has the shape 4; there are 4"),
        (lambda view: view.set_marks(0, 0, np.full(N, np.nan), ["--cc-c1"]), "certainty of sample 0 is nan"),
        (lambda view: view.set_marks(0, 0, 1, []), "between 1 and 256 colours, not 0"),
        (lambda view: view.set_selection([3, 40]), "no sample 40; samples are numbered 0 to 39"),
        (lambda view: view.set_links([[0, -1]]), "no sample -1"),
        (lambda view: view.set_query(99), "no sample 99"),
    ],
)
def test_bad_input_is_named(scatter, call, message):
    view, _ = scatter
    with pytest.raises(ValueError, match=message):
        call(view)


def test_the_number_of_samples_chooses():
    assert isinstance(points_view(SVG_LIMIT), SvgPoints)
    assert isinstance(points_view(SVG_LIMIT + 1), CanvasPoints)
    with pytest.raises(ValueError, match="at least one sample"):
        points_view(0)


def test_svg_view_follows_the_gestures(xy):
    view = SvgPoints(N)
    view.set_positions(xy)
    FakeSvgFront(view).send({"type": "view", "view": [0.25, 0.75, 0.5, 1.0]})
    assert (view._scales["x"].min, view._scales["x"].max) == (0.25, 0.75)
    left, right = view._extent[:2]
    assert view._axes["x"].scale.min == pytest.approx(left + 0.25 * (right - left))
    view.fit()
    assert view._scales["x"].min < 0


def test_certainty_never_makes_a_sample_invisible():
    view = CanvasPoints(2)
    view.set_marks(0, 0, [0.0, 1.0], ["--cc-c1"])
    assert list(view.widget.opacity) == [round(0.34 * 255), 255]


def test_an_unchanged_frame_sends_nothing():
    view = CanvasPoints(N)
    marks = (np.arange(N) % 2, np.zeros(N), np.full(N, 0.5), ["--cc-c1", "--cc-c2"])
    view.set_marks(*marks)
    changes = []
    view.widget.observe(changes.append)
    view.set_marks(*marks)
    assert changes == []


@pytest.mark.parametrize("mode", ["replace", "add", "remove"])
def test_combine_is_set_arithmetic(mode):
    expected = {"replace": [2, 3], "add": [1, 2, 3], "remove": [1]}
    assert combine([1, 2], [3, 2], mode).tolist() == expected[mode]
    with pytest.raises(ValueError, match="not 'toggle'"):
        combine([], [], "toggle")


@pytest.mark.parametrize("size", [1, 2, 3, 30])
def test_an_outline_holds_its_samples(size):
    points = np.random.default_rng(size).random((size, 2))
    drawn = outline("A", points)
    assert drawn.polygon.shape == (N_VERTICES, 2)
    following = np.roll(drawn.polygon, -1, axis=0)
    edge, to_point = following - drawn.polygon, points[:, None] - drawn.polygon
    turn = edge[:, 0] * to_point[..., 1] - edge[:, 1] * to_point[..., 0]
    assert (turn > 0).all() or (turn < 0).all()


def test_an_outline_of_collinear_samples():
    assert np.isfinite(outline("A", np.column_stack([np.linspace(0, 1, 5)] * 2)).polygon).all()
