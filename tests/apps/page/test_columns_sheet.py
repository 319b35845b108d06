"""The Columns sheet: what each column is used for, chosen, applied, refused in words, undone."""

import numpy as np
import pandas as pd

from cclab import FCM


def table():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(40, 2)), columns=["x", "y"])
    frame.loc[20:, "x"] += 9
    frame.loc[3, "y"] = np.nan
    frame["kind"] = ["u", "v"] * 20
    frame["<b>"] = "same"
    return frame


def choose(sheet, what, column, value):
    sheet.table._receive(None, {"type": "act", "action": what, "id": column, "value": value}, [])


def test_roles_are_chosen_applied_and_undone(open_page):
    visitor = open_page(table(), FCM(n_clusters=2))
    page, sheet = visitor.page, visitor.page.columns
    visitor.session.constrain(must_link=[[0, 1]])
    sheet.toggle()
    assert sheet.is_open
    shown = dict(sheet.table.rows)
    assert list(shown) == ["x", "y", "kind", "<b>"]
    assert "&lt;b&gt;" in shown["<b>"]
    assert "<svg" in shown["x"]
    assert sheet.apply_button.disabled
    choose(sheet, "roles", "kind", "feature")
    choose(sheet, "missing", "y", "median")
    choose(sheet, "scale", "x", "standardise")
    sheet.apply_button.click()
    session = visitor.session
    assert not sheet.is_open
    assert session.data.feature_names == ("x", "y", "kind=u", "kind=v")
    assert (session.data.n_samples, len(session.constraints)) == (40, 1)
    assert session.data.X[:, 0].std() == 1 or abs(session.data.X[:, 0].std() - 1) < 1e-9
    page.undo()
    assert (session.data.n_samples, session.data.feature_names) == (39, ("x", "y"))
    assert not session.failures


def test_what_can_t_be_done_is_said_there_and_nothing_changes(open_page):
    visitor = open_page(table(), FCM(n_clusters=2))
    sheet, session = visitor.page.columns, visitor.session
    sheet.toggle()
    for column in ("x", "y"):
        choose(sheet, "roles", column, "ignored")
    sheet.apply_button.click()
    assert sheet.is_open
    assert "no numeric column to cluster by" in sheet.wrong.value
    assert session.position == 0
    choose(sheet, "roles", "x", "nonsense")
    assert "can&#39;t have the role" in sheet.wrong.value
    sheet.reset_button.click()
    assert sheet.wrong.value == ""
    assert sheet.apply_button.disabled


def test_while_the_columns_are_read_anew_nothing_can_be_chosen(open_page, monkeypatch):
    visitor = open_page(table(), FCM(n_clusters=2))
    sheet = visitor.page.columns
    sheet.toggle()
    sheet.toggle()
    reading = []
    monkeypatch.setattr(sheet, "_start", reading.append)
    sheet.toggle()
    assert sheet.is_open
    assert not sheet.table.rows
    assert sheet.scale_all.disabled
    reading[0].close()
