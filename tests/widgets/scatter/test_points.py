"""The scatter; a fake front end sends what the browser would."""

import json

import numpy as np
import pytest

from cclab.looks.outlines import outline
from cclab.looks.signs import FORMS, SHAPES
from cclab.widgets.kit.html import tag
from cclab.widgets.scatter.plot import Points, combine
from tests.front_end import send

N = 40


class FakeFront:
    """What our canvas does when someone uses a mouse."""

    def __init__(self, view):
        self.view = view

    def send(self, message, buffers=()):
        send(self.view.widget, message, *buffers)

    def lasso(self, indices, mode="replace"):
        self.send({"type": "select", "mode": mode}, [np.asarray(indices, np.uint32).tobytes()])

    def shown_selection(self):
        return np.frombuffer(self.view.widget.selection, np.uint32).tolist()

    def shown_shapes(self):
        shapes = np.frombuffer(self.view.widget.shape, np.uint8)
        return np.bincount(shapes, minlength=len(SHAPES)).tolist()

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


@pytest.fixture
def xy():
    return np.random.default_rng(0).normal(size=(N, 2)) * [3, 0.5] + [10, -4]


@pytest.fixture
def scatter(xy):
    view = Points(N)
    view.set_positions(xy, "PC 1", "PC 2")
    yield view, FakeFront(view)
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
    sent = []
    monkeypatch.setattr(view.widget, "send", sent.append)
    view.describe = lambda index: tag("b", f"sample {index}")
    front.send({"type": "hover", "index": 6})
    front.send({"type": "hover", "index": None})
    assert sent == [{"type": "tip", "index": 6, "html": "<b>sample 6</b>"}]


def test_every_shape_is_drawn_once_a_sample(scatter):
    view, front = scatter
    view.set_marks(np.zeros(N), np.arange(N) % 4, 0.5, ["--cc-c1"])
    assert front.shown_shapes() == [N // 4] * 4
    view.set_marks(np.zeros(N), SHAPES.index("circle"), 0.5, ["--cc-c1"])
    assert front.shown_shapes() == [N, 0, 0, 0]


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


def test_a_scatter_of_nothing_is_refused():
    with pytest.raises(ValueError, match="at least one sample"):
        Points(0)


@pytest.mark.parametrize("n", [1, 150, 2000, 2001, 6000])
def test_few_and_many_samples_are_drawn_by_the_same_canvas(n):
    view = Points(n)
    view.set_positions(np.random.default_rng(n).random((n, 2)))
    view.set_marks(0, 0, 1.0, ["--cc-c1"])
    assert len(view.widget.xy) == 8 * n
    assert len(view.widget.opacity) == n
    assert view.widget._esm is Points(1).widget._esm


def test_the_front_end_knows_the_table_of_signs():
    for form in FORMS.values():
        assert json.dumps(form.corners) in Points(1).widget._esm


def test_certainty_never_makes_a_sample_invisible():
    view = Points(2)
    view.set_marks(0, 0, [0.0, 1.0], ["--cc-c1"])
    assert list(view.widget.opacity) == [round(0.34 * 255), 255]


def test_an_unchanged_frame_sends_nothing():
    view = Points(N)
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
    following = np.roll(drawn.polygon, -1, axis=0)
    edge, to_point = following - drawn.polygon, points[:, None] - drawn.polygon
    turn = edge[:, 0] * to_point[..., 1] - edge[:, 1] * to_point[..., 0]
    assert (turn > 0).all() or (turn < 0).all()


def test_an_outline_of_collinear_samples():
    assert np.isfinite(outline("A", np.column_stack([np.linspace(0, 1, 5)] * 2)).polygon).all()
