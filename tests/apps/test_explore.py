"""Looking closer on the workbench, without a browser: search, filters, table, clusters as things, solvers, nesting."""

import asyncio

import numpy as np
import pandas as pd
import pytest

from cclab import FCM, ConstraintSet, COPKMeans, Session, load_dataset
from cclab.apps import workbench
from cclab.apps.page import starting
from cclab.datasets import Dataset
from cclab.session import estimate as estimating
from cclab.session.estimate import Estimate


@pytest.fixture
def table():
    iris = load_dataset("iris")
    meta = pd.DataFrame(
        {
            "species": [iris.target_names[k] for k in iris.target],
            "note": [f"flower <b>{i}</b> of the {'north' if i % 2 else 'south'}" for i in range(150)],
        }
    )
    return Dataset("flowers", iris.X, iris.feature_names, meta=meta, text_column="note")


@pytest.fixture
def page(table):
    page = workbench(table, COPKMeans(n_clusters=3, random_state=0))
    page.session.run()
    yield page
    assert page.session.failures == []
    page.close()


def act(rows, action, id_=None, **modifiers):
    rows._receive(None, {"type": "act", "action": action, "id": id_, **modifiers}, [])


class TestSearch:
    def test_a_rule_a_text_and_an_expression_select(self, page):
        search = page.search
        for words, n in (("petal_length > 5", 42), ("north", 75), ("/south$/", 75), ("species == 'Iris-setosa'", None)):
            search.words.value = words
            if n is not None:
                assert len(page.desk.selection) == n, search.said.value

    def test_modes_add_narrow_and_filter(self, page):
        search, desk = page.search, page.desk
        search.words.value = "petal_length > 5"
        search.mode.value = "narrow"
        search.words.value = "north"
        narrowed = desk.selection
        assert 0 < len(narrowed) < 42
        search.mode.value = "add"
        search.words.value = "petal_length < 1.2"
        assert len(desk.selection) > len(narrowed)
        search.words.value = ""
        search.mode.value = "filter"
        search.words.value = "south"
        assert desk.looked_at.sum() == 75
        search.words.value = "petal_length > 5"
        assert desk.looked_at.sum() == 42 - len(narrowed)
        opacity = np.frombuffer(page.scatter.points.widget.opacity, np.uint8)
        assert (opacity == 0).sum() == 150 - desk.looked_at.sum()
        page.scatter._selected(np.arange(150), "replace")
        assert len(desk.selection) == desk.looked_at.sum()
        act(search._filters, "forget", "south")
        assert desk.looked_at.sum() == 42
        act(search._filters, "forget", "petal_length > 5")
        assert desk.looked_at is None

    @pytest.mark.parametrize(
        ("words", "said"),
        [("petal_lenth > 5", "did you mean petal_length_cm"), ("open('x') > 1", "no call"), ("/(/", "no regular")],
    )  # fmt: skip
    def test_what_can_not_be_read_is_said_and_nothing_changes(self, page, words, said):
        page.desk.select([3])
        page.search.words.value = words
        assert said in page.search.said.value
        assert page.desk.selection.tolist() == [3]

    def test_a_filter_that_leaves_nothing_is_refused(self, page):
        page.search.mode.value = "filter"
        page.search.words.value = "petal_length > 500"
        assert "nothing would be left" in page.search.said.value
        assert page.desk.looked_at is None

    def test_so_is_one_that_leaves_nothing_of_what_others_leave(self, page):
        page.search.mode.value = "filter"
        page.search.words.value = "species == 'setosa'"
        page.search.words.value = "petal_length > 5"
        assert "Nothing is found among what the other filters leave" in page.search.said.value
        assert page.desk.looked_at.sum() == 50
        page.search.words.value = "north"
        assert "25 samples</b> of 150 pass all filters" in page.search.said.value


class TestColoursAndAxes:
    def test_any_column_colours_with_a_legend_or_a_bar(self, page):
        scatter = page.scatter
        scatter.color.value = "column species"
        assert "virginica" in scatter.legend.value
        scatter.color.value = f"column {page.session.data.feature_names[0]}"
        assert "cc-ramp" in scatter.legend.value
        assert "column note" not in dict(scatter.color.options).values()

    def test_two_columns_are_axes(self, page):
        menu, names = page.scatter.axes_menu, page.session.data.feature_names
        menu.axes.value = "choose"
        menu.x.value, menu.y.value = names[3], names[1]
        np.testing.assert_array_equal(page.scatter.projection.xy, page.session.data.X[:, [3, 1]])


class TestTable:
    @pytest.fixture
    def listing(self, page):
        page.lower.tabs.value = "Table"
        return page.lower.listing

    def test_rows_are_made_as_they_are_seen_and_escaped(self, page, listing):
        assert listing.table.n_rows == 150
        row = str(listing.table.make_row(7))
        assert "flower &lt;b&gt;7&lt;/b&gt;" in row
        page.desk.select([4, 9])
        assert listing.table.n_rows == 2
        listing.toggle_all()
        assert listing.table.n_rows == 150

    def test_a_column_sorts_up_down_and_not(self, page, listing):
        name = page.session.data.feature_names[2]
        act(listing.table, "sort", name)
        values = page.session.data.X[listing.order, 2]
        assert (np.diff(values) >= 0).all()
        act(listing.table, "sort", name)
        assert (np.diff(page.session.data.X[listing.order, 2]) <= 0).all()
        act(listing.table, "sort", name)
        assert listing.order.tolist() == list(range(150))
        act(listing.table, "sort", "species")
        assert list(page.session.data.meta["species"].iloc[listing.order]) == sorted(page.session.data.meta["species"])

    def test_a_click_selects_and_a_pin_shows_a_column_on_cards(self, page, listing):
        listing.all = True
        act(listing.table, "select", "12")
        act(listing.table, "select", "13", shift=True)
        assert page.desk.selection.tolist() == [12, 13]
        assert "cc-current" in listing.table.make_row(12)
        act(listing.table, "pin", "species")
        assert "setosa" in page.scatter._describe(3)
        assert "flower &lt;b&gt;3" in page.scatter._describe(3)

    def test_cards_show_what_is_selected(self, page):
        page.desk.select([1, 2, 3])
        page.lower.tabs.value = "Cards"
        cards = page.lower.listing._cards.rows
        assert len(cards) == 3
        assert "flower &lt;b&gt;2" in cards[1][1]

    def test_the_browser_gets_no_more_than_it_should(self, listing, monkeypatch):
        sent = []
        monkeypatch.setattr(type(listing.table), "send", lambda self, message, buffers=None: sent.append(message))
        listing.table._receive(None, {"type": "window", "first": -5, "count": 10**9}, [])
        assert len(sent[0]["rows"]) == 150


class TestClusters:
    @pytest.fixture
    def about(self, page):
        page.watch.tabs.value = "Clusters"
        return page.watch.parts["Clusters"][-1]

    def test_a_name_a_colour_and_a_suggestion(self, page, about):
        about.cluster.value = 1
        about.name.value = "<i>mine</i>"
        assert "<i>mine</i>" in page.session.cluster_names.values()
        assert "&lt;i&gt;mine" in page.scatter.legend.value
        act(about._colors, "recolour", "7")
        assert "--cc-c7" in page.scatter.points.widget.palette
        about.suggest()
        (name,) = page.session.cluster_names.values()
        assert name.startswith(("high", "low", "flower"))
        for _ in range(3):
            page.undo()
        assert page.session.cluster_names == {}

    def test_merge_and_split_are_stated_and_undone(self, page, about):
        about.cluster.value = 0
        about.merge()
        assert page.session.solver.n_clusters == 2
        page.undo()
        assert (page.session.solver.n_clusters, len(page.session.constraints)) == (3, 0)
        about.split()
        assert page.session.solver.n_clusters == 4
        page.undo()
        assert len(page.session.constraints) == 0

    def test_cluster_again_and_back_with_what_was_found(self, page):
        outer = page.session
        page.desk.select(np.arange(50, 150))
        page.nesting.go_in()
        inner = page.session
        assert inner is not outer
        assert inner.data.n_samples == 100
        inner.run()
        page.nesting.take_back()
        assert page.session is outer
        assert {s.source for s in outer.constraints.statements()} == {"nested"}
        assert page.desk.selection.tolist() == list(range(50, 150))
        page.undo()
        assert len(outer.constraints) == 0

    def test_more_like_these(self, page):
        page.desk.select([100, 101])
        page.selecting.more_like_these()
        assert len(page.desk.selection) == 12


class TestSolvers:
    def test_the_menu_says_what_each_is_for_and_what_speaks_against_it(self, page):
        page.session.constrain(must_link=[[0, 1]])
        page.solver_menu.toggle()
        rows = dict(page.solver_menu.rows.rows)
        assert "Evidential: doubt made visible" in rows["family Evidential: doubt made visible"]
        assert "sets of clusters, doubt" in rows["CECM"]
        assert "takes no links; 1 statement would not count" in rows["FCM"]
        assert "every link must hold" in rows["COPKMeans"]
        with pytest.warns(UserWarning, match="no use"):
            page.session.switch("FCM")
        act(page.solver_menu.rows, "choose", "CECM")
        assert type(page.session.solver).__name__ == "CECM"
        assert not page.solver_menu.is_open

    def test_the_menu_begins_with_what_is_recommended(self, page):
        page.solver_menu.toggle()
        names = [name for name, _ in page.solver_menu.rows.rows]
        assert names[:3] == ["try all", "recommended", "best"]
        assert "LinkedMixture" in dict(page.solver_menu.rows.rows)["best"]

    def test_every_solver_has_a_line_of_its_own(self):
        from cclab import algorithms
        from cclab.looks.solver_guide import WHEN, guides

        iris = load_dataset("iris")
        said = guides(algorithms.__all__, iris.X, Session(iris, FCM(n_clusters=3)).constraints)
        assert all(guide.when and guide.takes and guide.believes for guide in said)
        assert set(WHEN) <= set(algorithms.__all__)

    def test_what_is_slow_on_so_many_samples_is_said_before_it_is_tried(self):
        from cclab.looks.solver_guide import SLOW_FROM, guides

        known = ConstraintSet(50_000)
        said = {guide.name: guide for guide in guides(SLOW_FROM, np.zeros((50_000, 2)), known, {"CSP": "an hour"})}
        assert "from about 10,000 samples on" in said["SPCL"].against
        assert not said["SPCL"].impossible
        assert said["CSP"].against == "an hour"  # what was tried here says more
        assert said["RCKM"].against == ""

    def test_a_long_one_is_told_of_before_and_started_on_a_yes(self, page, monkeypatch):
        monkeypatch.setattr(starting, "WORTH_A_TRIAL", 10)
        monkeypatch.setattr(starting, "estimate", lambda solver, problem: Estimate(200.0, 5.0))
        before = page.session.current
        page.solver_menu.choose("CECM")
        assert page.session.current is before
        assert "about 3 min to start and 5 s for each step" in page.banner.words.value
        page.banner.fix_button.click()
        assert type(page.session.solver).__name__ == "CECM"
        assert page.desk.busy == ""

    async def test_while_one_starts_the_page_says_so_and_can_be_stopped(self, page, monkeypatch):
        def slow(self, problem, restart=0):
            for _ in range(300):
                __import__("time").sleep(0.01)

        monkeypatch.setattr(FCM, "start", slow)
        before = page.session.current
        page.solver_menu.choose("FCM")
        await asyncio.sleep(0.4)
        assert page.status.state == "Starting FCM"
        assert "Starting FCM" in page.busy.words.value
        page.starter.stop()
        await asyncio.sleep(0.05)
        assert page.status.state in ("Ready", "Converged")
        assert page.session.current is before


def test_an_estimate_is_of_the_right_order(monkeypatch):
    monkeypatch.setattr(estimating, "TRIED", 200)
    data = load_dataset("blobs", n_samples=20_000, seed=0)
    session = Session(data, FCM(n_clusters=3, random_state=0))
    guess = estimating.estimate(session.solver, session.problem)
    assert 0 < guess.step < 10
    truth = sum(estimating.timed(session.solver, session.problem))
    assert truth / 20 < guess.start + guess.step < 20 * truth
    small = Session("iris", FCM(n_clusters=3))
    assert estimating.estimate(small.solver, small.problem) == Estimate(0.0, 0.0)
