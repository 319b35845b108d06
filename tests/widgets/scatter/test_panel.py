"""The Points panel and the signs that explain it."""

import asyncio

import numpy as np
import pandas as pd

from cclab import ECM, load_dataset
from cclab.datasets import Dataset
from cclab.datasets.coreset import Coreset
from cclab.looks.encoding import Sign
from cclab.widgets.knowledge.selection_bar import SelectionBar
from cclab.widgets.queries.sample import sample_card
from cclab.widgets.scatter import axes
from cclab.widgets.scatter.legend import sign_entries
from cclab.widgets.scatter.panel import MOST_RINGS, Scatter
from tests.front_end import send
from tests.widgets.sessions import Told, blobs, desk_on, shown


def test_a_legend_names_every_cluster_and_the_largest_sets():
    clusters = [Sign(str(k), "--cc-c1", "circle", 5) for k in range(1, 9)]
    sets = [Sign(f"1 or {k}", "--cc-c1-2", "diamond", 100 - k) for k in range(2, 12)]
    entries = sign_entries([*clusters, *sets, Sign("outlier", "--cc-outlier", "outlier", 1)], most=12)
    words = "".join(entries)
    assert all(f"{k}</span>" in words for k in range(1, 9))
    assert [f"1 or {k}</span>" in words for k in (2, 3, 4, 5)] == [True, True, True, False]
    assert "outlier" in words
    assert 'title="1 or 5; 1 or 6; 1 or 7' in words
    assert "and 7 smaller sets" in words


def test_where_many_sets_may_come_the_legend_has_two_rows_from_the_start():
    assert "cc-two-rows" in Scatter(desk_on(ECM(4))).legend.value
    assert "cc-two-rows" not in Scatter(desk_on(ECM(3))).legend.value


def test_few_labelled_samples_have_rings_and_many_are_counted():
    n = 2 * MOST_RINGS
    desk = desk_on("SeededKMeans", Dataset("many", np.random.default_rng(0).normal(size=(n, 2))))
    view = Scatter(desk)
    desk.session.constrain(labels={3: 0})
    assert view._drawn["rings"] == np.array([3]).tobytes()
    assert "labelled" in view.legend.value
    desk.session.constrain(labels=dict.fromkeys(range(MOST_RINGS + 50), 1))
    assert view._drawn["rings"] == b""
    assert f"{MOST_RINGS + 50} labelled" in view.legend.value


def test_a_long_name_is_told_whole_by_its_title():
    name = "a very long name that no card has room for"
    session = desk_on(data=blobs(sample_names=tuple(f"{name} {i}" for i in range(60)))).session
    assert f'title="4 {name} 4"' in sample_card("a", session.data, session.current, 4)


def test_rings_of_a_pair_that_the_solver_can_not_use_are_gone():
    desk = desk_on("COPKMeans")
    view = Scatter(desk)
    desk.session.propose("Random")
    assert view._drawn["query"] == desk.session.pending[0].samples
    desk.session.switch("SeededKMeans")
    assert view._drawn["query"] == ()


def test_a_lasso_on_a_coreset_is_decided_on_all_rows(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.uniform(size=(3000, 2)), columns=["x", "y"])
    frame.to_parquet(tmp_path / "big.parquet")
    desk = desk_on(ECM(2), load_dataset(tmp_path / "big.parquet", coreset=300, scale="standardise"))
    view, told = Scatter(desk), Told(desk)
    assert view.axes_menu.name == "0 1"
    xy = view.projection.xy
    low, high = xy.min(axis=0), xy.max(axis=0)
    left = (np.array([[-0.1, -0.1], [0.5, -0.1], [0.5, 1.1], [-0.1, 1.1]])).tolist()  # the left half of the picture
    inside = np.flatnonzero(xy[:, 0] < (low + high)[0] / 2).astype(np.uint32)
    send(view.points.widget, {"type": "select", "mode": "replace", "region": left}, inside.tobytes())
    np.testing.assert_array_equal(desk.selection, inside)
    scale = np.polyfit(desk.session.data.X[:, 0], frame["x"][desk.session.data.coreset.rows], 1)
    expected = int((frame["x"] < np.polyval(scale, (low + high)[0] / 2)).sum())
    said = next(words for _, words in told if "lie inside" in str(words))
    count = int(str(said).split()[0].replace(",", ""))
    # Rows beyond the outermost samples of the coreset may lie outside of the polygon.
    assert abs(count - expected) < 20
    assert "of all 3,000 rows" in str(said)


def test_samples_that_stand_for_many_rows_count_by_them():
    n = 30
    X = np.random.default_rng(0).normal(size=(n, 2))
    coreset = Coreset(3000, np.arange(n) * 100, np.linspace(50, 150, n))
    desk = desk_on(ECM(2), Dataset("part", X, coreset=coreset))
    view, bar = Scatter(desk), SelectionBar(desk)
    np.testing.assert_allclose(np.frombuffer(view.points.widget.weight, np.float32), coreset.weights, rtol=1e-6)
    desk.select([0, n - 1])
    assert "for about 200 rows" in shown(bar.verbs)
    plain = desk_on(ECM(2))
    assert Scatter(plain).points.widget.weight == b""
    bar = SelectionBar(plain)
    plain.select([0, 1])
    assert "2</b> selected" in shown(bar.verbs)
    assert "rows" not in shown(bar.verbs)


async def test_until_samples_are_placed_they_are_not_shown_on_one_spot(monkeypatch):
    monkeypatch.setattr(axes, "AT_ONCE", 10)
    view = Scatter(desk_on("COPKMeans"))
    assert view.projection is None
    assert "cc-unplaced" in view._plot._dom_classes
    while view.projection is None:
        await asyncio.sleep(0.01)
    assert "cc-unplaced" not in view._plot._dom_classes
    view.close()
