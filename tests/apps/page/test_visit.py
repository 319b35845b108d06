"""Work is never a click away from loss: Recent and Back, two tabs, restoring, notebooks."""

import warnings

import numpy as np
import pandas as pd
import pytest

from cclab import Session
from cclab.apps import painter, workbench
from cclab.apps.page.brand import brand
from cclab.apps.page.visitor_store import VisitorStore
from cclab.session import InUse, ask_for, in_use
from cclab.session.storage.lock import WANTED
from cclab.widgets.kit.bridge import Shell
from tests.apps.visitor import VISITOR, Visitor
from tests.front_end import send

TABLE = b"x,y\n" + b"\n".join(b"%d,%d" % (k, k % 3) for k in range(12))


@pytest.fixture
def worked(open_page):
    """A page with a statement and a step on iris."""
    page = open_page()
    page.arrive()
    page.lasso([1, 2, 3])
    page.press("m", "ArrowRight")
    return page


# ---------------------------------------------------------------------- Recent and Back


def test_switching_data_offers_the_way_back(worked):
    worked.page.open_data("wine")
    assert worked.session.data.name == "wine"
    assert (worked.said, worked.offered) == ("Iris is in Recent", "Back")
    worked.accept()
    assert worked.session.data.name == "iris"
    assert (len(worked.session.constraints), worked.session.position) == (1, 2)
    worked.press("ArrowRight")
    assert worked.session.position == 3


@pytest.mark.parametrize("content", [TABLE, "session"])
def test_a_dropped_file_offers_the_way_back(worked, content):
    if content == "session":
        import json

        content = json.dumps(Session("wine", "FCM").to_json()).encode()
    worked.drop("mine.csv", content)
    assert worked.session.data.name != "iris"
    worked.accept()
    assert worked.session.data.name == "iris"
    assert len(worked.session.constraints) == 1


def test_before_anyone_knows_the_visitor_the_way_back_is_there_too(open_page):
    page = open_page("iris", "COPKMeans")
    page.lasso([1, 2, 3])
    page.press("m")
    page.page.open_data("wine")
    page.accept()
    assert len(page.session.constraints) == 1


def test_recent_lists_every_session_with_what_it_is_about(worked):
    worked.drop("mine.csv", TABLE)
    worked.page.open_data("wine")
    assert len(worked.recent) == 3
    wine, mine, iris = worked.recent
    assert wine.startswith("Wine · open here CECM 0 0")
    assert mine.startswith("Mine CECM 0 0")
    assert iris.startswith("Iris CECM 1 1")


def test_a_click_in_recent_opens_it(worked):
    iris = worked.page.visit.entry.id
    worked.page.open_data("wine")
    worked.page.recent.toggle()
    worked.act(worked.page.recent.table, "open", id=iris)
    assert worked.session.data.name == "iris"
    assert not worked.page.recent.is_open
    assert worked.page.shell.place == iris


def test_what_one_click_brings_back_is_not_listed(open_page):
    page = open_page()
    page.arrive()
    page.page.open_data("wine")
    page.page.open_data("digits")
    assert [line.split()[0] for line in page.recent] == ["Digits"]


def test_an_empty_list_says_so(open_page):
    assert open_page("iris", "FCM").recent == [
        "Nothing here yet. Every session that you open is listed here, and stays until you delete it."
    ]


def test_deleting_can_be_undone(worked):
    iris = worked.page.visit.entry.id
    worked.page.open_data("wine")
    worked.act(worked.page.recent.table, "delete", id=iris)  # the list was never shown: nothing happens
    worked.page.recent.toggle()
    worked.act(worked.page.recent.table, "delete", id=iris)
    assert worked.said == "Iris is deleted"
    assert len(worked.recent) == 1
    worked.accept()
    assert len(worked.recent) == 2


def test_all_can_be_deleted_but_what_is_open(worked, open_page):
    worked.page.open_data("wine")
    worked.press("ArrowRight")
    worked.page.open_data("blobs")
    other = open_page()
    other.arrive(wanted=worked.page.visit.store.entries()[-1].id)  # iris, in another tab
    assert other.session.data.name == "iris"
    worked.page.recent.toggle()
    worked.page.recent._all.click()
    assert worked.said == "Wine is deleted, one is open elsewhere and stays"
    assert sorted(line.split()[0] for line in worked.recent) == ["Blobs", "Iris"]


def test_the_quota_is_told_in_words(worked, monkeypatch):
    monkeypatch.setattr("cclab.datasets.limits.MOST_KEPT_SESSIONS", 2)
    worked.page.open_data("wine")
    worked.press("ArrowRight")
    worked.page.open_data("blobs")
    assert worked.said == "Wine is in Recent. To make room, one session not used for longest had to go: Iris"
    assert worked.offered == "Back"


def test_what_had_to_go_at_once_can_be_gone_back_to_all_the_same(worked, monkeypatch):
    monkeypatch.setattr("cclab.datasets.limits.MOST_KEPT_SESSIONS", 1)
    worked.page.open_data("wine")
    worked.accept()
    assert worked.session.data.name == "iris"
    assert len(worked.session.constraints) == 1


def test_a_file_of_another_kind_is_no_import(worked):
    worked.import_file("mine.csv", TABLE)
    assert worked.session.data.name == "iris"
    assert len(worked.session.constraints) == 1
    assert "mine.csv is no table of constraints: it has no column 'kind'" in worked.banner
    worked.import_file("mine.json", b'{"format": "cclab session"}')
    assert "mine.json is no table of constraints" in worked.banner


def test_a_table_of_constraints_is_imported_and_can_be_undone(worked):
    table = worked.session.constraints.with_must_link([[7, 8]]).to_frame().to_csv(index=False).encode()
    worked.import_file("links.csv", table)
    assert len(worked.session.constraints) == 2
    assert (worked.said, worked.offered) == ("2 statements in place of 1", "Undo")
    worked.accept()
    assert len(worked.session.constraints) == 1


# ---------------------------------------------------------------------- names are no paths


def test_a_name_that_is_not_offered_is_refused_in_words(worked, tmp_path):
    secret = tmp_path / "secret.csv"
    secret.write_bytes(TABLE)
    for name in (str(secret), "http://127.0.0.1/x.csv", "no such set"):
        worked.page.open_data(name)
        assert worked.session.data.name == "iris"
        assert "none of the data sets that are offered here" in worked.banner


def test_the_painter_opens_no_path_either(tmp_path, sent):
    page = painter("phantom")
    page.open_data(str(tmp_path / "scan.png"))
    assert page.desk.picture.name == "phantom"
    assert page.banner.is_open
    page.close()


# ---------------------------------------------------------------------- two tabs


def test_a_second_tab_says_so_and_takes_over_when_told(worked, open_page):
    second = open_page()
    second.arrive()
    assert second.cover[0].startswith("This session is open in another tabIris · CECM · 1 statement")
    assert second.cover[1:] == ["Take over", "Work on a copy", "Start a new session"]
    second.choose("Take over")
    assert second.cover is None
    assert len(second.session.constraints) == 1
    assert worked.cover[0].startswith("This session goes on in another tab")
    assert worked.cover[1:] == ["Take back", "Work on a copy"]


def test_the_first_tab_takes_no_statements_any_more(worked, open_page):
    second = open_page()
    second.arrive()
    second.choose("Take over")
    worked.lasso([50, 51])
    worked.press("m", "ArrowRight")
    worked.drop("mine.csv", TABLE)
    assert len(worked.session.constraints) == 1
    assert worked.session.data.name == "iris"
    second.lasso([60, 61])
    second.press("m")
    worked.choose("Take back")
    assert len(worked.session.constraints) == 2
    assert second.cover[1] == "Take back"
    worked.lasso([70, 71])
    worked.press("m")
    assert len(worked.session.constraints) == 3


def test_a_session_that_another_process_asks_for_is_let_go(worked):
    folder = worked.page.visit.entry.folder
    worked.page.visit.heed()
    assert worked.cover is None
    ask_for(folder)
    worked.page.visit.heed()
    assert worked.cover[0].startswith("This session goes on in another tab")
    assert not in_use(folder)


def test_a_copy_leaves_the_first_tab_alone(worked, open_page):
    second = open_page()
    second.arrive()
    second.choose("Work on a copy")
    second.lasso([60, 61])
    second.press("m")
    worked.lasso([70, 71, 72])
    worked.press("m")
    assert worked.cover is None
    assert len(worked.session.constraints) == len(second.session.constraints) == 2
    assert len(second.recent) == 2


def test_a_new_session_leaves_the_first_tab_alone(worked, open_page):
    second = open_page()
    second.arrive()
    second.choose("Start a new session")
    assert second.cover is None
    assert len(second.session.constraints) == 0
    second.press("ArrowRight")
    assert second.session.saved_at is not None


def test_one_that_is_open_elsewhere_is_not_taken_from_recent_unasked(worked, open_page):
    iris = worked.page.visit.entry
    second = open_page()
    second.arrive()
    second.choose("Start a new session")
    second.page.visit.open(second.page.visit.store.find(iris.id))
    assert second.cover[1:] == ["Take over", "Work on a copy", "Stay here"]
    second.choose("Stay here")
    assert second.cover is None
    assert len(second.session.constraints) == 0


def test_a_reload_takes_its_own_session_without_a_question(worked, open_page):
    id_ = worked.page.visit.entry.id
    again = open_page()
    again.arrive(wanted=id_, returning=True)
    assert again.cover is None
    assert len(again.session.constraints) == 1


def test_each_tab_finds_its_own_session_again(worked, open_page):
    second = open_page()
    second.arrive()
    second.choose("Start a new session")
    second.press("ArrowRight", "ArrowRight")
    places = [page.page.shell.place for page in (worked, second)]
    worked.page.close()
    second.page.close()
    for place, n_statements in zip(places, (1, 0)):
        again = open_page()
        again.arrive(wanted=place, returning=True)
        assert len(again.session.constraints) == n_statements


# ---------------------------------------------------------------------- restoring


def test_a_served_page_takes_nothing_before_it_knows_the_visitor(open_page, monkeypatch):
    monkeypatch.setenv("SERVER_SOFTWARE", "voila/0.5")
    page = open_page()
    page.press("ArrowRight")
    assert page.session.position == 0
    assert page.cover == ["Opening"]
    page.arrive()
    assert page.cover is None
    page.press("ArrowRight")
    assert page.session.position == 1


@pytest.fixture
def reopened(worked, open_page):
    """A new page of the same visitor, before they arrive."""
    worked.page.close()
    return open_page()


def test_while_a_session_is_restored_nothing_can_be_stated(reopened, monkeypatch):
    opened, seen = VisitorStore.open, []

    def slowly(self, entry, progress=None):
        seen.append(reopened.cover)
        reopened.lasso([100, 101])
        reopened.press("m", "ArrowRight")
        seen.append(reopened.session.position)
        return opened(self, entry, progress)

    monkeypatch.setattr(VisitorStore, "open", slowly)
    reopened.arrive()
    (words, button), position = seen
    assert words.startswith("Opening IrisIris · CECM · 1 statement")
    assert (button, position) == ("Cancel", 0)
    assert reopened.cover is None
    assert len(reopened.session.constraints) == 1


def test_restoring_can_be_cancelled_and_the_session_stays_in_recent(reopened, monkeypatch):
    opened = VisitorStore.open

    def slowly(self, entry, progress=None):
        reopened.choose("Cancel")
        return opened(self, entry, progress)

    with monkeypatch.context() as patch:
        patch.setattr(VisitorStore, "open", slowly)
        reopened.arrive()
    assert reopened.cover is None
    assert len(reopened.session.constraints) == 0
    assert [line.split()[0] for line in reopened.recent] == ["Iris", "Iris"]
    assert (reopened.said, reopened.offered) == ("Iris is in Recent", "Open it")
    reopened.accept()
    assert len(reopened.session.constraints) == 1


def test_cancelling_ends_the_wait_for_the_page_before_and_to_open_it_waits_again(reopened, monkeypatch):
    opened, tries = VisitorStore.open, []

    def held_at_first(self, entry, progress=None):
        tries.append(entry)
        if len(tries) == 1:
            reopened.choose("Cancel")
        if len(tries) < 3:
            raise InUse("the page before has not let it go yet")
        return opened(self, entry, progress)

    monkeypatch.setattr(VisitorStore, "open", held_at_first)
    (left,) = VisitorStore("workbench", VISITOR).entries()
    reopened.arrive(wanted=left.id, returning=True)
    assert len(tries) == 1
    assert not (left.folder / WANTED).exists(), "nobody is asked for it any more"
    assert reopened.cover is None
    reopened.accept()
    assert len(tries) == 3
    assert reopened.cover is None
    assert len(reopened.session.constraints) == 1


def test_another_page_that_asks_while_it_is_restored_gets_it(reopened, monkeypatch):
    opened = VisitorStore.open

    def slowly(self, entry, progress=None):
        session = opened(self, entry, progress)
        ask_for(entry.folder)
        try:
            progress(1, 2)
        finally:
            session.close()

    monkeypatch.setattr(VisitorStore, "open", slowly)
    reopened.arrive()
    assert reopened.cover[1:3] == ["Take over", "Work on a copy"]
    assert not any(entry.in_use for entry in reopened.page.visit.store.entries())


def test_where_the_last_one_is_damaged_the_one_before_is_opened(worked, open_page):
    worked.page.open_data("wine")
    worked.press("ArrowRight")
    wine = worked.page.visit.entry
    worked.page.close()
    (wine.folder / "journal.jsonl").write_text('{"format": "cclab journal", "schema": 1}\n{"verb": "sing"}\n')
    again = open_page()
    again.arrive()
    assert again.session.data.name == "iris"
    assert "Your last session can't be opened, so this is the one before it" in again.banner
    assert any("can’t be opened" in line for line in again.recent)


def test_a_session_can_be_asked_for_by_its_address(worked, open_page):
    iris = worked.page.visit.entry.id
    worked.page.open_data("wine")
    worked.press("ArrowRight")
    worked.page.close()
    again = open_page()
    again.arrive(wanted=iris)
    assert again.session.data.name == "iris"
    assert (again.said, again.offered) == ("Wine is in Recent", "Back")
    again.accept()
    assert again.session.data.name == "wine"


# ---------------------------------------------------------------------- a notebook tells the truth


@pytest.fixture
def notebook(monkeypatch, sent):
    """A function that runs a cell with a workbench."""

    class Kernel:
        cell = "one"

        def get_parent(self):
            return {"metadata": {"cellId": self.cell}}

    kernel, pages = Kernel(), []
    monkeypatch.setattr("IPython.get_ipython", lambda: kernel)
    monkeypatch.setenv("JPY_SESSION_NAME", "/home/me/study.ipynb")

    def run(*args, cell="one", **options):
        kernel.cell = cell
        pages.append(workbench(*args, **options))
        return Visitor(pages[-1], sent)

    yield run
    for page in pages:
        page.close()


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    return pd.DataFrame(rng.normal(size=(20, 2)), columns=["x", "y"], index=[f"row {k}" for k in range(20)])


def test_a_session_is_restored_before_the_next_cell_runs(notebook, table):
    first = notebook(table)
    first.lasso([1, 2, 3])
    first.press("m", "ArrowRight")
    first.page.close()
    second = notebook(table)
    assert len(second.session.constraints) == 1
    assert np.array_equal(second.page.labels, first.session.labels)


def test_a_changed_table_never_meets_an_old_session(notebook, table):
    first = notebook(table)
    first.lasso([1, 2, 3])
    first.press("m")
    first.page.close()
    other = table + 1
    second = notebook(other)
    assert len(second.session.constraints) == 0
    assert np.array_equal(second.session.data.X, other.to_numpy())
    assert len(second.recent) == 2


def test_another_cell_has_another_session(notebook, table):
    first = notebook(table)
    first.lasso([1, 2, 3])
    first.press("m")
    assert len(notebook(table, cell="two").session.constraints) == 0


def test_a_cell_that_is_run_again_goes_on_with_its_session(notebook, table):
    first = notebook(table)
    first.lasso([1, 2, 3])
    first.press("m")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        second = notebook(table)
    assert len(second.session.constraints) == 1
    assert first.cover[0].startswith("This session goes on")
    second.press("ArrowRight")
    assert second.session.position == 2


def test_where_it_is_open_elsewhere_the_next_cell_is_warned(notebook, table):
    first = notebook(table)
    first.lasso([1, 2, 3])
    first.press("m")
    folder = first.page.visit.entry.folder
    first.page.close()
    elsewhere = Session.open(folder)
    with pytest.warns(UserWarning, match="is open elsewhere.*this is a new one"):
        second = notebook(table)
    assert second.cover[1:3] == ["Take over", "Work on a copy"]
    elsewhere.close()
    second.choose("Take over")
    assert len(second.session.constraints) == 1


def test_other_data_opened_in_a_cell_do_not_come_in_their_place(notebook, table):
    first = notebook(table)
    first.page.open_data("wine")
    first.press("ArrowRight")
    first.page.close()
    assert notebook(table).session.data.name != "wine"


def test_without_a_cell_the_browser_finds_it_and_it_is_offered(open_page, table):
    first = open_page(table)
    first.arrive()
    first.lasso([1, 2, 3])
    first.press("m")
    first.page.close()
    second = open_page(table)
    second.arrive()
    assert len(second.session.constraints) == 0
    assert second.offered == "Open it"
    second.accept()
    assert len(second.session.constraints) == 1


def test_a_folder_with_a_session_on_other_data_is_refused(open_page, table, tmp_path):
    first = open_page(table, journal=tmp_path / "mine")
    first.press("ArrowRight")
    first.page.close()
    with pytest.raises(ValueError, match=r"mine holds a session on other data: .* 20 samples"):
        workbench(table + 1, journal=tmp_path / "mine")
    again = open_page(table, journal=tmp_path / "mine")
    assert again.session.position == 1
    again.page.close()
    assert open_page(journal=tmp_path / "mine").session.position == 1


def test_with_a_folder_of_ones_own_other_data_are_kept_beside(open_page, tmp_path):
    page = open_page("iris", "FCM", journal=tmp_path / "mine")
    page.press("ArrowRight")
    page.page.open_data("wine")
    page.press("ArrowRight")
    assert page.session.saved_at is not None
    page.accept()
    assert (page.session.data.name, page.session.position) == ("iris", 1)


# ---------------------------------------------------------------------- handles


def test_labels_and_selection_carry_the_index_of_the_table(open_page, table):
    page = open_page(table, "FCM").page
    assert page.labels.index.equals(table.index)
    assert page.labels.tolist() == page.session.labels.tolist()
    page.desk.select([0, 3])
    assert table.loc[page.selection].index.tolist() == ["row 0", "row 3"]


def test_the_frame_is_the_original_table_with_clusters(open_page, table):
    table.loc["row 4", "x"] = np.nan
    page = open_page(table, "FCM").page
    assert page.frame.index.equals(table.index)
    assert page.frame["cluster"].isna().tolist() == [k == 4 for k in range(20)]
    assert "row 4" not in page.labels.index


def test_on_change_calls_back_and_can_be_stopped(open_page, table):
    page, heard = open_page(table, "FCM").page, []
    stop = page.on_change(lambda page: heard.append((page.session.position, len(page.selection))))
    page.session.step()
    page.desk.select([1, 2])
    assert heard == [(1, 0), (1, 2)]
    stop()
    page.session.step()
    assert len(heard) == 2


def test_a_callback_that_fails_stops_nothing(open_page, table):
    visitor = open_page(table, "FCM")
    visitor.page.on_change(lambda page: 1 / 0)
    visitor.press("ArrowRight")
    assert visitor.session.position == 1
    assert "division by zero" in visitor.said


# ---------------------------------------------------------------------- branching, and the way home


def test_steps_that_a_statement_replaces_are_told_of(open_page):
    page = open_page("iris", "COPKMeans", seed=1)
    page.press("ArrowRight", "ArrowRight", "ArrowRight", "Home")
    page.lasso([1, 2])
    page.press("m")
    assert (page.said, page.offered) == ("3 later steps were dropped", "Undo")
    page.accept()
    assert len(page.session.snapshots) == 4
    assert len(page.session.constraints) == 0


def test_going_back_and_forth_drops_nothing(open_page, sent):
    page = open_page("iris", "COPKMeans", seed=1)
    page.press("ArrowRight", "ArrowRight", "Home", "End", "ctrl+z")
    assert page.said is None


def test_the_sign_leads_home_on_pages_of_the_gallery_only(monkeypatch):
    assert "href" not in brand()
    monkeypatch.setenv("SERVER_SOFTWARE", "voila/0.5")
    monkeypatch.setenv("SCRIPT_NAME", "/base/open/compare")
    assert 'href="../"' in brand("Compare")
    assert 'href="painter"' in brand("Compare")
    monkeypatch.setenv("SCRIPT_NAME", "/voila/render/mine.ipynb")
    assert "href" not in brand()


def test_a_covered_page_hears_no_keys(sent):
    shell, pressed = Shell(app="x"), []
    shell.bind("m", lambda: pressed.append("m"))
    shell.still = True
    send(shell, {"type": "key", "name": "m", "down": True})
    assert pressed == []
    shell.still = False
    send(shell, {"type": "key", "name": "m", "down": True})
    assert pressed == ["m"]


def test_visitors_ids_are_checked(open_page):
    page = open_page()
    page.arrive("../../etc")
    assert "is no name that sessions are kept under" in page.banner
    assert VISITOR not in page.banner
