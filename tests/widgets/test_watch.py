"""The parts of the Watch panel, over real solvers."""

import re
from dataclasses import dataclass

import numpy as np
import pytest

from cclab import CA, ECM, FCM, COPKMeans
from cclab.algorithms.fuzzy.fcm import FCMState
from cclab.core import Credal, Gauge
from cclab.looks.encoding import Look, sets_of
from cclab.looks.palette import hue
from cclab.widgets.watch import (
    Clusters,
    CredalSets,
    Gauges,
    Objective,
    Outliers,
    SampleBelief,
    Scores,
    Watch,
)
from cclab.widgets.watch.charts import Course, seen_places
from cclab.widgets.watch.one_sample import sample_bars
from tests.front_end import classes, living
from tests.widgets.sessions import act, blobs, desk_on, hover, known_solver, shown


@dataclass(frozen=True, eq=False, kw_only=True)
class _GaugedState(FCMState):
    def gauges(self):
        return (
            Gauge("Kernel weights", ("rbf 1", "linear"), (0.1 * self.iteration, 0.3)),
            Gauge("Clusters", ("left",), (3.0,)),
        )


class _Gauged(FCM):
    """FCM with something to watch, and a note at its second step."""

    def _state_at(self, problem, V, **progress):
        plain = super()._state_at(problem, V, **progress)
        notes = ("cluster 3 <vanished>",) if plain.iteration == 2 else ()
        return _GaugedState(**plain.__getstate__() | {"notes": notes})


@pytest.fixture
def gauged():
    with known_solver(_Gauged):
        yield _Gauged(3, tol=0)


def line(part, place: int) -> np.ndarray:
    return np.asarray(part.lines[place].y)


class TestObjective:
    def test_follows_the_timeline_and_marks_the_place(self):
        desk = desk_on()
        part = Objective(desk)
        desk.session.step(5)
        assert line(part.chart, 0).tolist() == [s.summary.objective for s in desk.session.snapshots]
        assert part.note.value == f"{desk.session.state.objective:.4g}"
        desk.session.rewind(2)
        assert list(part.chart.marker.x) == [2, 2]
        assert len(line(part.chart, 0)) == 6

    def test_terms_have_lines_and_names_of_their_own(self):
        desk = desk_on("CECM")
        part = Objective(desk)
        desk.attempt(desk.session.constrain, cannot_link=[[0, 3]])
        desk.session.step(2)
        terms = [name for name, value in desk.session.state.terms.items() if value]
        assert len(part.chart.lines) == 1 + len(terms)
        assert all(name in part.names.value for name in terms)

    def test_another_solver_begins_a_new_line_at_its_place(self):
        desk = desk_on()
        part = Objective(desk)
        desk.session.step(3)
        desk.session.switch(FCM(2))
        desk.session.step()
        assert np.asarray(part.chart.lines[0].x).tolist() == [4, 5]
        desk.session.rewind(1)
        assert np.asarray(part.chart.lines[0].x).tolist() == [0, 1, 2, 3]

    def test_thousands_of_snapshots_are_thinned(self):
        desk = desk_on(FCM(3, tol=0))
        desk.session.step(30)
        places, snapshots = seen_places(desk.session, most=10)
        assert len(places) == len(snapshots) == 10
        assert (places[0], places[-1]) == (0, 30)


class TestGauges:
    def test_bars_move_and_their_course_is_kept(self, gauged):
        desk = desk_on(gauged)
        part = Gauges(desk)
        desk.session.step(4)
        weights, clusters = part.meters
        assert list(weights.bars.bars.x) == ["rbf 1", "linear"]
        assert np.asarray(weights.bars.bars.y).tolist() == pytest.approx([0.4, 0.3])
        assert weights.note.value == "rbf 1 leads, 0.40"
        assert line(weights.course, 0).tolist() == pytest.approx([0, 0.1, 0.2, 0.3, 0.4])
        assert clusters.bars is None
        assert clusters.note.value == "3"

    def test_hidden_where_there_is_nothing_to_watch(self, gauged):
        desk = desk_on(gauged)
        part = Gauges(desk)
        assert "cc-away" not in classes(part.widget)
        desk.session.switch("FCM")
        assert "cc-away" in classes(part.widget)
        desk.session.undo()
        assert "cc-away" not in classes(part.widget)

    def test_kernel_weights_of_a_real_solver(self):
        desk = desk_on("CMKIPCM")
        part = Gauges(desk)
        desk.session.step(2)
        (gauge, *_) = desk.session.state.gauges()
        assert np.asarray(part.meters[0].bars.bars.y).tolist() == pytest.approx(list(gauge.values))


def test_gauges_of_clusters_have_their_numbers_and_hues():
    desk = desk_on(CA(max_clusters=12, random_state=5))
    part = Gauges(desk)
    desk.session.run()
    look = Look.of(desk.session.current)
    sizes = next(meter for meter in part.meters if meter.name == "Cluster sizes")
    assert list(sizes.bars.bars.x) == [str(k + 1) for k in range(len(look.numbers))]
    assert sizes.bars.bars.colors == [f"var({hue(look.hues[k])})" for k in look.order]


class TestCredalSets:
    def test_counts_of_the_hard_sets_and_a_click_selects(self):
        desk = desk_on("ECM")
        desk.session.step(8)
        part = CredalSets(desk)
        partition = desk.session.partition
        counts = np.bincount(partition.hard_sets(), minlength=len(partition.focal_sets))
        for place, count in enumerate(counts):
            html = dict(part.rows.rows)[str(place)]
            assert f'class="cc-count">{count}<' in html
            assert f">{partition.set_name(place)}<" in html
        largest = int(counts.argmax())
        act(part.rows, "select", largest)
        assert desk.selection.tolist() == np.flatnonzero(partition.hard_sets() == largest).tolist()
        assert 'aria-pressed="true"' in dict(part.rows.rows)[str(largest)]
        assert shown(part.rows).count('aria-pressed="true"') == 1
        act(part.rows, "select", largest)
        assert len(desk.selection) == 0
        assert "Credal sets" in part.heading.value

    def test_long_names_have_a_column_of_their_own(self):
        desk = desk_on(ECM(4))
        part = CredalSets(desk)
        assert "cc-long" in classes(part.rows)
        assert ">1, 2 or 3<" in shown(part.rows)
        names = re.findall(r"<span>([^<]+)</span>", shown(part.rows))
        assert names[:6] == ["1", "2", "3", "4", "1 or 2", "1 or 3"]
        assert names[-3:] == ["2, 3 or 4", "any", "outlier"]
        desk.session.switch(ECM(3))
        assert "cc-long" not in classes(part.rows)

    def test_clusters_where_the_belief_is_not_credal(self):
        desk = desk_on()
        part = CredalSets(desk)
        assert "Clusters" in part.heading.value
        act(part.rows, "select", 1)
        act(part.rows, "select", 2, shift=True)
        assert desk.selection.tolist() == np.flatnonzero(desk.session.labels > 0).tolist()

    def test_a_threshold_moves_samples_to_the_outliers(self):
        desk = desk_on("IPCM")
        desk.session.step(3)
        part = CredalSets(desk)
        desk.set_threshold(1.01)
        assert part._which.tolist() == [3] * 60


class TestSample:
    def test_masses_with_belief_and_plausibility(self):
        desk = desk_on("ECM")
        desk.session.step(4)
        part = SampleBelief(desk)
        assert part.note.value == "point at one"
        desk.point_at(7)
        partition, best = desk.session.partition, int(desk.session.labels[7])
        assert np.asarray(part.chart.bars.y).tolist() == pytest.approx(partition.masses[7].tolist())
        assert part.note.value == (
            f"cluster {best + 1}: bel {partition.belief(best)[7]:.2f} · pl {partition.plausibility(best)[7]:.2f}"
        )
        assert "Sample 7" in part.heading.value
        assert "width" in part.content.value

    def test_the_single_selected_one_and_the_last_pointed_at(self):
        desk = desk_on()
        part = SampleBelief(desk)
        desk.select([5])
        assert part.sample == 5
        desk.point_at(9)
        assert part.sample == 9
        desk.select([1, 2])
        desk.point_at(None)
        assert part.sample == 9

    def test_memberships_move_with_the_steps(self):
        desk = desk_on()
        part = SampleBelief(desk)
        desk.point_at(0)
        desk.session.step(3)
        assert np.asarray(part.chart.bars.y).tolist() == pytest.approx(desk.session.partition.memberships[0].tolist())

    def test_memberships_and_typicalities_together(self):
        desk = desk_on("IPCM")
        part = SampleBelief(desk)
        desk.point_at(0)
        assert list(part.chart.bars.x) == ["1", "2", "3", "t 1", "t 2", "t 3"]

    def test_of_many_sets_the_largest(self):
        sets = [[k for k in range(5) if bits >> k & 1] for bits in range(32)]
        masses = np.arange(32.0) / np.arange(32.0).sum()
        bars = sample_bars(Credal([masses], sets), Look.plain(5))
        assert len(bars) == 10
        assert bars[-1].name == "any"

    def test_pictures_and_names_are_shown_and_escaped(self):
        names = tuple("<i>" for _ in range(60))
        desk = desk_on(data=blobs(images=np.ones((60, 3, 3)), sample_names=names))
        part = SampleBelief(desk)
        desk.point_at(3)
        assert "data:image/png" in part.content.value
        assert "&lt;i&gt;" in part.heading.value

    def test_another_session_with_fewer_samples(self):
        desk = desk_on()
        part = SampleBelief(desk)
        desk.point_at(59)
        desk.open(desk_on(data=blobs(9)).session)
        assert part.note.value == "point at one"


class TestOutliers:
    def test_the_slider_flags_and_a_click_selects(self):
        desk = desk_on("IPCM")
        desk.session.step(5)
        part = Outliers(desk)
        part.slider.value = 0.6
        assert desk.threshold == 0.6
        flagged = np.flatnonzero(desk.session.partition.outliers(0.6))
        assert 0 < len(flagged) < 60
        assert part.note.value.startswith(f"{len(flagged)} flagged")
        act(part.chips, "select", flagged[0])
        assert desk.selection.tolist() == [flagged[0]]
        act(part.chips, "all")
        assert desk.selection.tolist() == flagged.tolist()
        hover(part.chips, flagged[0])
        assert desk.sample == flagged[0]
        part.reset_button.click()
        assert desk.threshold is None
        assert part.slider.value == desk.session.partition.outlier_threshold

    def test_steps_do_not_touch_the_persons_threshold(self):
        desk = desk_on("IPCM")
        part = Outliers(desk)
        part.slider.value = 0.6
        desk.session.step(2)
        assert (desk.threshold, part.slider.value) == (0.6, 0.6)

    def test_hidden_where_the_belief_cannot_flag(self):
        desk = desk_on()
        part = Outliers(desk)
        assert "cc-away" in classes(part.widget)
        desk.session.switch("ECM")
        assert "cc-away" not in classes(part.widget)
        which, sets = sets_of(desk.session.partition)
        assert part.note.value.startswith(str((which == sets.index(())).sum() or "none"))


class TestScores:
    def test_all_and_unconstrained_over_the_timeline(self):
        desk = desk_on("COPKMeans")
        desk.session.constrain(must_link=[[0, 3]])
        desk.session.step(2)
        part = Scores(desk)
        expected = [s.scores(desk.session.data.target) for s in desk.session.snapshots]
        assert line(part.charts["ari"], 0).tolist() == pytest.approx([s["ari"] for s in expected])
        assert line(part.charts["ari"], 1).tolist() == pytest.approx([s["ari_free"] for s in expected])
        assert part.notes["nmi"].value == f"{expected[-1]['nmi']:.2f} · {expected[-1]['nmi_free']:.2f} unconstrained"

    def test_nothing_is_worked_out_unseen(self):
        desk = desk_on()
        part = Scores(desk)
        part.seen = False
        desk.session.step(3)
        assert desk.session.current.known_scores is None
        part.seen = True
        assert desk.session.current.known_scores is not None

    def test_scored_snapshots_do_not_keep_their_beliefs(self):
        desk = desk_on(FCM(3, tol=0))
        desk.session.step(10)
        Scores(desk)
        assert [("partition" in s.state.__dict__) for s in desk.session.snapshots].count(True) <= 2

    def test_hidden_without_a_truth(self):
        assert "cc-away" in classes(Scores(desk_on(data=blobs().with_target(None))).widget)


class TestClusters:
    def test_sizes_centres_and_notes(self, gauged):
        desk = desk_on(gauged)
        part = Clusters(desk)
        desk.session.step(3)
        sizes = np.bincount(desk.session.labels, minlength=3)
        for k, (_, html) in enumerate(part.table.rows):
            assert f">{sizes[k]}<" in html
            assert f">{desk.session.state.centers[k, 0]:.3g}<" in html
        assert "width" in part.table.head
        assert "cluster 3 &lt;vanished&gt;" in shown(part.happenings)
        act(part.table, "select", 2)
        assert desk.selection.tolist() == np.flatnonzero(desk.session.labels == 2).tolist()
        desk.session.rewind(1)
        assert shown(part.happenings) == ""


class TestWatch:
    def test_parts_follow_the_belief_and_tabs_are_made_when_opened(self):
        desk = desk_on()
        view = Watch(desk)
        assert list(view.parts) == ["Belief"]
        shown_parts = {type(p) for p in view.parts["Belief"] if "cc-away" not in classes(p.widget)}
        assert shown_parts == {Objective, CredalSets, SampleBelief}
        desk.session.switch("CMKIPCM")
        shown_parts = {type(p) for p in view.parts["Belief"] if "cc-away" not in classes(p.widget)}
        assert shown_parts == {Objective, Gauges, CredalSets, SampleBelief, Outliers}
        view.tabs.value = "Clusters"
        assert list(view.parts) == ["Belief", "Clusters"]

    def test_a_hidden_tab_draws_when_it_is_opened_again(self):
        desk = desk_on()
        view = Watch(desk)
        objective = view.parts["Belief"][0]
        view.tabs.value = "Scores"
        desk.session.step(2)
        assert len(line(objective.chart, 0)) == 1
        view.tabs.value = "Belief"
        assert len(line(objective.chart, 0)) == 3

    def test_no_scores_without_a_truth(self):
        desk = desk_on(data=blobs().with_target(None))
        view = Watch(desk)
        assert view.tabs.options == ("Belief", "Clusters", "Links")
        desk.open(desk_on().session)
        assert view.tabs.options == ("Belief", "Scores", "Clusters", "Links")

    def test_closing_frees_every_widget(self):
        before = living().keys()
        desk = desk_on("CMKIPCM")
        view = Watch(desk)
        for tab in ("Scores", "Clusters", "Links", "Belief"):
            view.tabs.value = tab
        desk.session.step()
        view.close()
        assert living().keys() == before
        desk.session.step()
        assert desk.session.failures == []


async def test_while_running_panels_draw_a_few_times_a_second_and_the_end_shows_all():
    from cclab.widgets.model.run import run

    desk = desk_on(FCM(3, tol=0))
    part = Objective(desk)
    drawn = []
    part.draw, draw = lambda old, new: (drawn.append(new), draw(old, new)), part.draw
    await run(desk, 40)
    assert len(drawn) < 20
    assert len(line(part.chart, 0)) == 41


def test_a_chart_of_one_value_or_none_has_room():
    chart = Course()
    chart.show(np.array([0]), [[5.0], [np.nan]], 0)
    assert chart.y.min < 5 < chart.y.max
    assert chart.x_axis.tick_values.tolist() == [0, 1]
    chart.show(np.array([]), [[]], 0)
    assert chart.y.min < chart.y.max


def test_a_chart_shows_the_present_solver_alone_and_the_earlier_one_when_rewound():
    desk = desk_on(FCM(3))
    part = Objective(desk)
    desk.session.step(5)
    desk.session.switch(COPKMeans(3))
    desk.session.step(2)
    assert (part.chart.x.min, part.chart.x.max) == (6, 8)
    assert part.chart.x_axis.tick_values.tolist() == [6, 7, 8]
    desk.session.rewind(3)
    assert (part.chart.x.min, part.chart.x.max) == (0, 5)


def test_ticks_come_in_their_own_format_and_have_room():
    """bqplot writes ticks in the format that it knows when they come."""
    chart = Course()
    news = []
    chart.y_axis.observe(lambda change: news.append((change["name"], change["new"])), ["tick_format", "tick_values"])
    chart.show(np.arange(3), [[0.001, 0.002, 0.003]], 0)
    margin = chart.widget.fig_margin["left"]
    news.clear()
    chart.show(np.arange(3), [[120_000.0, 150_000.0, 110_000.0]], 0)
    assert [name for name, _ in news] == ["tick_format", "tick_values"]
    assert chart.y_axis.tick_format == "~s"
    chart.show(np.arange(3), [[1234.561, 1234.563, 1234.564]], 0)
    assert chart.widget.fig_margin["left"] > margin


def test_a_huge_first_value_is_cut_off_and_told():
    chart = Course()
    chart.show(np.arange(5), [[2e6, 60.0, 58.0, 57.0, 56.9]], 4)
    assert chart.y.max < 70
    assert chart.cut.text.tolist() == ["↑ from 2e+06"]
    chart.show(np.arange(5), [[66.0, 60.0, 58.0, 57.0, 56.9]], 4)
    assert chart.y.max == 66
    assert chart.cut.text.tolist() == [""]


def test_an_empty_chart_has_few_ticks():
    assert len(Course().y_axis.tick_values) == 2
