"""The workbench without a browser: a fake front end sends what the page would."""

import functools
import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from cclab import BCKM, FCM, Session, load_dataset
from cclab.apps import workbench
from cclab.apps.page import loading as opening
from cclab.apps.page.visitor_store import VisitorStore
from cclab.core.constraints import conflicts, satisfaction
from cclab.core.registry import solvers
from cclab.datasets import DroppedRows, read_table
from cclab.export import files as exports
from cclab.looks import tsne_umap
from cclab.looks.describe import label_meanings
from tests.apps.visitor import OTHER, VISITOR
from tests.front_end import classes, is_shown, living


@pytest.fixture
def visitor(open_page):
    return open_page("iris", "FCM", seed=1)


@pytest.fixture
def listened(open_page):
    """With a solver that takes links."""
    return open_page("iris", "COPKMeans", seed=1)


# ---------------------------------------------------------------------- selecting is stating


def test_a_lasso_offers_to_link_and_m_does_it(listened):
    listened.lasso(range(23))
    assert listened.outcome == "Link together adds 1 group of 23 samples. No conflict."
    assert is_shown(listened.page.selecting.widget)
    listened.press("m")
    (block,) = listened.session.constraints.groups.block
    assert listened.session.constraints.blocks.row(block)[0].tolist() == list(range(23))
    assert listened.session.constraints.groups.source.tolist() == ["lasso"]
    assert not is_shown(listened.page.selecting.widget)
    assert "1 statement · 1 satisfied" in listened.page.constraints.counts.value


def test_two_samples_become_a_pair(listened):
    listened.lasso([3, 8])
    listened.press("m")
    assert listened.session.constraints.pairs.must.tolist() == [True]


@pytest.mark.parametrize("solver", ["FCM", "COPKMeans", "PCCA"])
def test_what_a_link_brings_is_worked_out_once_for_the_whole_page(open_page, monkeypatch, solver):
    """The table, the status line, the scatter, the scores and the solver's warnings share it, at each snapshot."""
    worked_out = []
    for module in (conflicts, satisfaction):
        name = module.__name__.rpartition(".")[2]
        work = getattr(module, name)
        counted = functools.partial(lambda name, work, *a, **k: (worked_out.append(name), work(*a, **k))[1], name, work)
        monkeypatch.setattr(module, name, counted)
    visitor = open_page("iris", solver, seed=1)
    worked_out.clear()
    visitor.lasso([3, 8])
    visitor.press("m")
    visitor.session.scores()
    assert len(visitor.session.constraints) == 1
    assert sorted(worked_out) == ["conflicts", "satisfaction"]
    worked_out.clear()
    visitor.session.step()
    assert worked_out == ["satisfaction"]


def test_keep_apart_takes_two_selections(listened):
    listened.lasso(range(10))
    listened.press("c")
    assert listened.outcome == "Now select the samples to keep apart from these 10."
    listened.lasso(range(60, 65))
    assert listened.outcome.startswith("Keep apart adds 1 separation of 10 and 5 samples. No conflict.")
    listened.press("Enter")
    known = listened.session.constraints
    assert len(known.separations) == 1
    assert len(listened.page.desk.first_selection) == 0
    assert sorted(drawn["name"] for drawn in listened.page.scatter.points.widget.outlines) == ["A", "B"]


def test_c_confirms_too_and_a_pair_of_samples_is_a_cannot_link(listened):
    listened.lasso([4])
    listened.press("c")
    listened.lasso([90])
    listened.press("c")
    assert listened.session.constraints.pairs.must.tolist() == [False]


def test_samples_in_both_selections_cannot_be_kept_apart(listened):
    listened.lasso(range(10))
    listened.press("c")
    listened.lasso(range(8, 20))
    listened.press("c")
    assert listened.said == "2 samples are in both selections. Alt removes from a selection."
    assert len(listened.session.constraints) == 0


def test_a_conflict_shows_at_once_with_its_chain(listened):
    listened.session.constrain(must_link=[[84, 91], [91, 63]])
    listened.session.constrain(cannot_link=[[84, 106]], source="query")
    listened.lasso([63, 106])
    assert listened.outcome == (
        "Conflict. 84 and 106 must stay apart (query 1), but this would join them: 84 — 91 — 63 — 106"
    )
    assert "cc-conflict" in classes(listened.page.selecting.widget)
    listened.lasso([63, 107])
    assert listened.outcome == "Link together adds 1 must-link. No conflict."


def test_keeping_linked_samples_apart_is_a_conflict_too(listened):
    listened.session.constrain(group=[1, 2, 3])
    listened.lasso([1])
    listened.press("c")
    listened.lasso([3])
    assert listened.outcome == "Conflict. This would keep 1 and 3 apart, but they are linked: 1 — 3"


def test_labels_by_key_and_by_button(listened):
    selecting = listened.page.selecting
    listened.lasso([5, 6, 7])
    listened.hover(selecting.verbs, "label")
    assert listened.outcome == "Label as 1 adds 3 labels. No conflict."
    listened.press("2")
    labels = listened.session.constraints.labels
    assert labels.sample.tolist() == [5, 6, 7]
    assert labels.degrees.items.tolist() == [1, 1, 1]
    listened.lasso([9])
    listened.act(selecting.verbs, "labels")
    listened.act(selecting.verbs, "label", id="2")
    assert listened.session.constraints.labels.sample.tolist() == [5, 6, 7, 9]
    listened.lasso([9])
    listened.press("7")
    assert listened.said == "There are 3 clusters"


def test_labels_that_contradict_links(listened):
    listened.session.constrain(must_link=[[5, 6]])
    listened.session.constrain(labels={5: 0})
    listened.lasso([6])
    meant = label_meanings(listened.session.current)[0]
    other = 2 if meant == 1 else 1
    listened.hover(listened.page.selecting.verbs, f"label {other - 1}")
    said = f"Conflict. 5 is labelled cluster {meant} and 6 is labelled cluster {other}, but must-links"
    assert listened.outcome.startswith(said)


def test_forget_removes_what_touches_the_selection(listened):
    listened.session.constrain(group=[1, 2, 3, 4])
    listened.session.constrain(cannot_link=[[4, 90]], labels={7: 0})
    listened.lasso([4, 5])
    listened.hover(listened.page.selecting.verbs, "forget")
    assert listened.outcome == "Forget removes 2 statements."
    listened.press("Delete")
    assert len(listened.session.constraints) == 1
    listened.lasso([100])
    listened.press("Delete")
    assert listened.said == "Nothing is stated about these samples."


def test_nothing_selected(visitor):
    visitor.lasso([])
    assert visitor.said == "No samples inside the lasso"
    for key in ("m", "c", "1", "Delete"):
        visitor.press(key)
        assert visitor.said == "Select some samples first"
    assert len(visitor.session.snapshots) == 1


def test_a_lasso_of_everything_says_so(listened):
    listened.lasso(range(150))
    assert listened.outcome == "Link together adds 1 group of 150 samples. That is every sample."


def test_one_sample_cannot_be_linked(visitor):
    visitor.lasso([4])
    visitor.press("m")
    assert visitor.said.startswith("Link together needs at least 2 samples.")


def test_shift_adds_alt_removes_and_escape_clears(visitor):
    visitor.lasso([1, 2, 3])
    visitor.lasso([7], "add")
    visitor.lasso([2], "remove")
    assert visitor.page.desk.selection.tolist() == [1, 3, 7]
    visitor.press("Escape")
    assert visitor.page.desk.selection.tolist() == []


def test_knowledge_that_the_solver_ignores_is_said_with_a_way_out(visitor):
    visitor.lasso([1, 2, 3])
    visitor.press("m")
    assert visitor.banner == "FCM has no use for 1 must-link statement"
    button = visitor.page.banner.fix_button
    assert button.description == "Use LinkedMixture"
    button.click()
    assert type(visitor.session.solver).__name__ == "LinkedMixture"
    assert visitor.banner is None


# ---------------------------------------------------------------------- time


def test_keys_step_run_and_travel(visitor):
    visitor.press("ArrowRight", "ArrowRight", "ArrowLeft")
    assert (visitor.session.position, len(visitor.session.snapshots)) == (1, 3)
    visitor.press("Space")
    assert visitor.session.converged
    last = visitor.session.position
    visitor.press("ArrowRight")
    assert visitor.session.position == last
    visitor.press("Home")
    assert visitor.session.position == 0
    visitor.press("End")
    assert visitor.session.position == last
    assert "Converged" in visitor.page.status.line.value


def test_undo_and_redo(listened):
    listened.lasso([1, 2, 3])
    listened.press("m", "ctrl+z")
    assert len(listened.session.constraints) == 0
    assert listened.page.bar.undo_button.disabled
    listened.press("ctrl+shift+z")
    assert len(listened.session.constraints) == 1


def test_answers_by_keyboard(listened):
    first = listened.session.pending[0]
    listened.press("s")
    assert listened.session.constraints.pairs.must.tolist() == [True]
    listened.press("d", "x")
    assert len(listened.session.asked) == 3
    assert len(listened.session.rejected) == 1
    assert listened.session.pending
    assert listened.session.pending[0] != first
    assert tuple(listened.page.scatter.points.widget.query) == listened.session.pending[0].samples


def test_forgetting_the_statement_under_query_goes_on(listened):
    query = listened.session.pending[0]
    listened.session.constrain(must_link=[query.samples])
    assert listened.session.pending[0].samples != query.samples
    listened.session.constrain(forget=0)
    assert len(listened.session.constraints) == 0


def test_a_solver_that_fails_is_told_and_the_page_goes_on(visitor, monkeypatch):
    cls = type(visitor.session.solver)
    visitor.press("ArrowRight")

    def fail(self, problem, state):
        raise ValueError("the covariance of cluster 2 is singular (4 samples)")

    with monkeypatch.context() as patch:
        patch.setattr(cls, "step", fail)
        visitor.press("ArrowRight")
        assert visitor.banner == (
            "The solver stopped at iteration 2: the covariance of cluster 2 is singular (4 samples). "
            "Iteration 1 is kept."
        )
        assert "Stopped" in visitor.page.status.line.value
    visitor.press("ArrowRight")
    assert visitor.session.current.summary.iteration == 2
    assert visitor.banner is None


# ---------------------------------------------------------------------- files


def test_labels_and_constraints_as_csv(listened, tmp_path):
    listened.session.constrain(group=[1, 2, 3])
    listened.session.constrain(separation=([4, 5], [90, 91, 92]), weight=0.5)
    labels = pd.read_csv(_written(tmp_path, exports.labels_csv(listened.session)))
    assert labels["cluster"].tolist() == (listened.session.labels + 1).tolist()
    assert labels["row"].tolist() == list(range(150))
    before = listened.session.constraints.to_frame()
    listened.press("ctrl+z", "ctrl+z")
    assert len(listened.session.constraints) == 0
    listened.drop("known.csv", exports_of(before))
    after = listened.session.constraints.to_frame()
    assert after.drop(columns="id").equals(before.drop(columns="id"))
    assert listened.said == "2 statements in place of 0"


def _birds():
    birds = pd.DataFrame({"weight": np.r_[np.linspace(4, 6, 20), np.linspace(14, 16, 20)]})
    birds.loc[[3, 25], "weight"] = np.nan
    return birds


def test_labels_as_csv_lie_beside_the_table_row_by_row(tmp_path):
    birds = _birds()
    with pytest.warns(DroppedRows):
        session = Session(read_table(exports_of(birds), "birds.csv"), FCM(2))
    session.run()
    labels = pd.read_csv(_written(tmp_path, exports.labels_csv(session)))
    joined = birds.join(labels.set_index("row"))
    assert joined["cluster"].isna().tolist() == birds["weight"].isna().tolist()
    heavy = joined.dropna().groupby("cluster")["weight"].agg(["min", "max"]).sort_values("min")
    assert heavy["max"].iloc[0] < heavy["min"].iloc[1]
    assert {name for name in labels if name.startswith("cluster_")} == {"cluster_1", "cluster_2"}
    assert sorted(labels["cluster"].dropna().unique()) == [1, 2]


def test_every_column_of_the_labels_counts_living_clusters_from_1(tmp_path):
    """The second of three centres has no sample: the page shows clusters 1 and 2, and so does the file."""
    X = [[0.0, 0], [0, 0.1], [9, 9], [9, 9.1]]
    session = Session(X, FCM(3, init=[[0, 0], [500, 500], [9, 9]], max_iter=0))
    labels = pd.read_csv(_written(tmp_path, exports.labels_csv(session)))
    assert labels["cluster"].tolist() == [1, 1, 2, 2]
    assert labels[["cluster_1", "cluster_2", "cluster_3"]].to_numpy().argmax(axis=1).tolist() == [0, 0, 1, 1]


def test_ids_and_an_index_stand_in_the_labels(tmp_path):
    birds = _birds().assign(ring=[f"r{i}" for i in range(40)]).set_axis(range(100, 140))
    with pytest.warns(DroppedRows):
        session = Session(birds, FCM(2))
    labels = pd.read_csv(_written(tmp_path, exports.labels_csv(session)))
    assert labels.columns[:4].tolist() == ["row", "id", "index", "cluster"]
    assert labels.iloc[3, :3].tolist() == [3, "r3", 103]
    assert labels["cluster"].isna().sum() == 2


@pytest.mark.parametrize("ids", [False, True])
def test_constraints_as_csv_name_rows_and_come_back(listened, tmp_path, ids):
    birds = _birds().assign(ring=[f"r{i}" for i in range(40)]) if ids else _birds()
    listened.drop("birds.csv", exports_of(birds))
    listened.session.constrain(must_link=[[3, 5]], separation=([0], [36, 37]))
    listened.session.constrain(labels={4: 1, 6: {0, 1}})
    before = listened.session.constraints.to_frame()
    file = exports.constraints_csv(listened.session)
    written = pd.read_csv(_written(tmp_path, file))
    assert written["by"].unique().tolist() == ["id" if ids else "row"]
    assert written.loc[0, ["i", "j"]].tolist() == (["r4", "r6"] if ids else ["4", "6"])  # sample 3 is row 4
    assert written["cluster (from 1)"].dropna().tolist() == ["2", "[1, 2]"]
    listened.press("ctrl+z", "ctrl+z")
    listened.drop(file.name, file.data)
    assert listened.session.constraints.to_frame().drop(columns="id").equals(before.drop(columns="id"))


def test_a_file_of_constraints_that_could_mean_rows_or_samples_is_refused(listened):
    listened.drop("birds.csv", exports_of(_birds()))
    listened.drop("known.csv", b"kind,i,j,weight,source\nmust,0,1,1,file\nmust,4,5,1,file\n")
    assert len(listened.session.constraints) == 0
    assert "4 could be the index label 4 (row 4 of the table) or sample 4 (row 5 of the table)" in listened.banner
    listened.drop("known.csv", b"kind,i,j,weight,source,by\nmust,4,5,1,file,row\n")
    assert listened.session.constraints.to_frame()[["i", "j"]].values.tolist() == [[3, 4]]


def exports_of(frame):
    return frame.to_csv(index=False).encode()


def _written(folder, file):
    path = folder / file.name
    path.write_bytes(file.data)
    return path


def test_a_saved_session_is_opened_again(listened):
    listened.lasso([1, 2, 3])
    listened.press("m", "ArrowRight", "ctrl+s")
    name, content = listened.downloaded
    assert name == "iris-session.json"
    labels = listened.session.labels
    listened.page.open_session(opening.session_on("wine", "FCM"))
    assert listened.page.scatter.points.n_samples == 178
    listened.drop(name, content)
    assert listened.session.data.name == "iris"
    assert np.array_equal(listened.session.labels, labels)
    assert listened.page.scatter.points.n_samples == 150


def test_exported_code_gives_the_same_labels(listened, tmp_path):
    listened.lasso([1, 2, 3])
    listened.press("m", "s", "Space")
    script = _written(tmp_path, exports.code(listened.session))
    printed = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True).stdout
    assert json.loads(printed) == listened.session.labels.tolist()


@pytest.mark.parametrize("dark", [False, True])
def test_figure(listened, dark):
    listened.session.constrain(group=list(range(8)), cannot_link=[[1, 90]])
    file = exports.figure_png(listened.session, listened.page.scatter.projection, dark=dark, dpi=50)
    assert file.data.startswith(b"\x89PNG")
    assert len(file.data) > 5000


def test_a_table_of_ones_own_with_notes(visitor):
    rows = "\n".join(f"p{i},{i % 7},{i * 0.5},note" for i in range(30))
    visitor.drop("mine.csv", f"name,a,b,remark\n{rows}\n".encode())
    assert visitor.session.data.name == "mine"
    assert visitor.session.data.feature_names == ("a", "b")
    assert "2 notes on single columns: see Columns" in visitor.banner
    visitor.page.columns.toggle()
    assert "Column &#39;remark&#39; is no feature" in visitor.page.columns._read.value
    assert "mine" in dict(visitor.page.bar.data.options)
    assert visitor.page.bar.data.value == "mine"


def test_how_a_table_was_read_is_told_in_a_notebook_too(open_page):
    frame = pd.DataFrame({"a": np.arange(30) % 7, "b": np.linspace(0, 9, 30), "year": 2000 + np.arange(30)})
    visitor = open_page(frame)
    assert visitor.session.data.feature_names == ("a", "b")
    assert "1 note on single columns: see Columns" in visitor.banner


def test_rows_with_nan_are_left_out_in_words(visitor):
    visitor.drop("gaps.csv", b"a,b\n1,2\n3,\n4,5\n6,7\n")
    assert visitor.session.data.n_samples == 3
    assert "1 row with missing values dropped" in visitor.banner


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("one.csv", b"a,b\n1,2\n", "one.csv has one row"),
        ("picture.csv", bytes(range(32)) * 9, "picture.csv is not a table of text"),
        ("words.csv", b"a,b\nx,y\nz,w\n", "words.csv has no numeric column"),
        ("broken.json", b'{"format": ', "broken.json is no session file"),
        ("other.json", b'{"format": "other"}', "other.json is no cclab session"),
        ("bad.csv", b"kind,i,j,weight,source\nmust,0,999,1,file\n", "names sample 999"),
    ],
)
def test_files_that_cannot_be_opened_are_refused_in_words(visitor, name, content, words):
    visitor.press("ArrowRight")
    before = visitor.session
    visitor.drop(name, content)
    assert words.lower() in visitor.banner.lower()
    assert visitor.session is before
    assert visitor.session.position == 1


def test_a_choice_that_cannot_be_opened_gives_way_to_what_is_open(visitor, monkeypatch):
    def fail(name):
        raise OSError("the disk is gone")

    monkeypatch.setattr("cclab.apps.page.page.load_dataset", fail)
    visitor.page.bar.data.value = "wine"
    assert visitor.banner == "The disk is gone."
    assert visitor.page.bar.data.value == visitor.session.data.name == "iris"


def test_too_many_rows_are_refused_in_words(visitor, monkeypatch):
    monkeypatch.setattr(opening, "MOST_SAMPLES", 3)
    visitor.drop("long.csv", b"a,b\n1,2\n3,4\n4,5\n6,7\n")
    assert visitor.banner.startswith("long.csv: 4 rows are more than the 3 that are taken. Open a sample of it")


def test_more_clusters_than_samples(visitor):
    visitor.drop("few.csv", b"a,b\n1,2\n3,4\n")
    assert visitor.session.solver.n_clusters == 2
    visitor.page.desk.attempt(visitor.session.switch, solvers.get("FCM")(n_clusters=5))
    assert "n_clusters=5 but there are only 2 samples" in visitor.banner


def test_choosing_data_and_solver(visitor):
    visitor.page.bar.data.value = "wine"
    assert visitor.session.data.name == "wine"
    assert visitor.session.solver.n_clusters == 3
    visitor.page.solver_menu.choose("CECM")
    assert type(visitor.session.solver).__name__ == "CECM"
    assert visitor.page.scatter.points.n_samples == 178


def test_sparse_data_get_a_solver_that_takes_them(open_page):
    from scipy import sparse

    X = sparse.random_array((60, 40), density=0.2, rng=0, format="csr")
    session = opening.session_on(load_dataset(X), opening.suiting_solver(load_dataset(X), "CECM"))
    assert type(session.solver).accepts_sparse
    page = open_page("iris", "FCM").page
    page.open_session(session)
    assert page.scatter.points.widget.labels[0].startswith("SVD 1")
    session.step()
    assert not session.failures


# ---------------------------------------------------------------------- the scatter


def test_axes_and_colours(visitor):
    scatter = visitor.page.scatter
    assert scatter.points.widget.labels[0] == "PC 1 (92%)"
    scatter.axes.value = "2 3"
    assert scatter.projection.xy.tolist() == visitor.session.data.X[:, 2:4].tolist()
    scatter.color.value = "truth"
    assert "Iris-setosa" in scatter.legend.value or "setosa" in scatter.legend.value
    scatter.color.value = f"column {visitor.session.data.feature_names[0]}"
    assert "7.9" in scatter.legend.value


def test_features_in_unlike_units_are_told_of_and_standardised(open_page):
    visitor = open_page("wine", "COPKMeans")
    banner = visitor.page.banner
    assert banner.is_open
    assert "Proline spreads 2,530 times as far as nonflavanoid_phenols" in banner.words.value
    visitor.session.constrain(must_link=[[0, 1]])
    visitor.page.tell_of_data()
    banner.fix_button.click()
    session = visitor.session
    assert np.allclose(session.data.X.std(axis=0), 1)
    assert (len(session.constraints), session.solver.n_clusters, banner.is_open) == (1, 3, False)
    assert "session.set_columns(scale=" in session.to_code()
    session.undo()
    assert session.data.X.std(axis=0).max() > 100


def test_boosting_shows_priorities_and_the_latest_round(open_page):
    """Links that were broken are drawn thick; the weak clusterings can be flipped through; another solver has none."""
    visitor = open_page(load_dataset("iris"), BCKM(3, random_state=0))
    scatter, session = visitor.page.scatter, visitor.session
    y = session.data.target
    pairs = np.random.default_rng(0).integers(0, 150, (200, 2))
    same = y[pairs[:, 0]] == y[pairs[:, 1]]
    session.constrain(must_link=pairs[same & (pairs[:, 0] != pairs[:, 1])], cannot_link=pairs[~same])
    assert "thick" not in scatter.legend.value
    session.step()
    broken = session.constraints.satisfaction(session.state.hypothesis).violated_ids
    ids, emphasis = session.state.emphasis()
    assert 0 < len(broken) < len(ids)
    assert emphasis[np.isin(ids, broken)].min() > emphasis[~np.isin(ids, broken)].max()
    assert "thick = counts much" in scatter.legend.value
    scatter.color.value = "aside Latest round"
    session.step()
    assert scatter._drawn["encoding"].color.tolist() == session.state.hypothesis.tolist()
    assert visitor.page._figure(session).data.startswith(b"\x89PNG")
    session.switch("FCM")
    assert scatter.color.value == "belief"
    assert not session.failures


def test_many_samples_are_lassoed_at_once_and_have_no_tsne(open_page, sent, monkeypatch):
    monkeypatch.setattr(tsne_umap, "MOST_SAMPLES", 5000)
    visitor = open_page(load_dataset("blobs", n_samples=6000), "FCM")
    visitor.page.scatter.axes.value = "tsne"
    assert visitor.said.startswith("t-SNE would take hours for 6,000 samples")
    assert visitor.page.scatter.axes.value == "0 1"
    visitor.lasso(range(5000))
    assert "5,000" in visitor.outcome


def test_tsne_is_computed_once(open_page):
    visitor = open_page(load_dataset("blobs", n_samples=60), "FCM")
    scatter = visitor.page.scatter
    scatter.axes.value = "tsne"
    first = scatter.projection
    assert first.x_label == "t-SNE 1"
    scatter.axes.value = "pca"
    scatter.axes.value = "tsne"
    assert scatter.projection is first


def test_a_statement_and_a_step_redraw_only_what_changed(listened, monkeypatch):
    points = listened.page.scatter.points
    drawn = []
    for name in ("set_positions", "set_marks", "set_links", "set_outlines", "set_selection"):
        original = getattr(points, name)
        monkeypatch.setattr(
            points, name, lambda *args, name=name, original=original: (drawn.append(name), original(*args))
        )
    listened.session.constrain(must_link=[[1, 2]])
    assert "set_links" in drawn
    assert "set_positions" not in drawn
    drawn.clear()
    listened.session.step()
    assert drawn == ["set_marks"]


# ---------------------------------------------------------------------- keeping


def test_a_new_kernel_finds_the_session_again(open_page):
    first = open_page()
    first.arrive(VISITOR)
    first.lasso([1, 2, 3])
    first.press("m", "ArrowRight", "ArrowRight", "ArrowLeft")
    labels, position = first.session.labels, first.session.position
    first.page.close()
    second = open_page()
    assert len(second.session.constraints) == 0
    second.arrive(VISITOR)
    assert len(second.session.constraints) == 1
    assert second.session.position == position
    assert np.array_equal(second.session.labels, labels)
    assert "1 statement" in second.page.constraints.counts.value


def test_no_visitor_opens_the_session_of_another(open_page):
    first = open_page()
    first.arrive(VISITOR)
    first.lasso([1, 2, 3])
    first.press("m")
    second = open_page()
    second.arrive(OTHER)
    assert len(second.session.constraints) == 0


@pytest.mark.parametrize("name", ["", "..", "0123", "../" + VISITOR, VISITOR.upper(), VISITOR + "0"])
def test_only_whole_ids_are_taken(name):
    with pytest.raises(ValueError, match="no name that sessions are kept under"):
        VisitorStore("workbench", name)


def test_a_damaged_journal_is_told_and_a_new_session_begins(open_page, tmp_path):
    first = open_page()
    first.arrive(VISITOR)
    first.press("ArrowRight")
    first.page.close()
    (journal,) = (tmp_path / "state").rglob("journal.jsonl")
    journal.write_text('{"format": "cclab journal", "schema": 1}\n{"verb": "sing"}\n')
    second = open_page()
    second.arrive(VISITOR)
    assert second.banner.startswith("Your last session can't be opened")
    second.press("ArrowRight")
    assert second.session.position == 1


def test_a_journal_of_ones_own(open_page, tmp_path):
    first = open_page("iris", "FCM", journal=tmp_path / "mine")
    first.press("ArrowRight", "ArrowRight")
    first.page.close()
    second = open_page("iris", "FCM", journal=tmp_path / "mine")
    assert second.session.position == 2
    assert Session.open(tmp_path / "mine", read_only=True).position == 2


def test_two_workbenches_do_not_disturb_each_other(open_page):
    first, second = open_page("iris", "FCM"), open_page("blobs", "FCM")
    first.lasso([1, 2, 3])
    first.press("m", "ArrowRight")
    assert second.session.position == 0
    assert len(second.page.desk.selection) == 0
    assert second.page.banner.is_open is False


def test_closing_frees_every_widget(sent):
    before = living().keys()
    page = workbench("iris", "CECM")
    page.watch.tabs.value = "Scores"
    page.watch.tabs.value = "Clusters"
    page.desk.session.step()
    assert len(living().keys() - before) > 100
    page.close()
    assert living().keys() <= before
