"""Rows without a browser."""

import pytest

from cclab.widgets.kit.html import tag
from cclab.widgets.kit.rows import Action, Rows
from tests.front_end import send


def test_rows_are_shown_in_order_and_escaped():
    rows = Rows()
    rows.show([(7, tag("div", "a < b")), ("x", tag("div", "c", data_id=3))])
    assert rows.rows == [["7", "<div>a &lt; b</div>"], ["x", '<div data-id="3">c</div>']]


def test_plain_text_is_refused_as_it_might_be_data():
    with pytest.raises(TypeError, match="must be Html, built with tag"):
        Rows().show([(1, "<script>")])


def test_a_key_that_comes_twice_is_named():
    with pytest.raises(ValueError, match="'1' comes twice"):
        Rows().show([(1, tag("div")), ("1", tag("div"))])


def test_the_same_rows_send_nothing():
    rows = Rows()
    rows.show([(1, tag("div", "a"))])
    changes = []
    rows.observe(changes.append)
    rows.show([(1, tag("div", "a"))])
    assert changes == []


def test_actions_and_hovers_come_back():
    rows, actions, hovers = Rows(), [], []
    rows.on_action(actions.append)
    rows.on_hover(hovers.append)
    send(rows, {"type": "act", "action": "forget", "id": "12", "value": None, "shift": True})
    send(rows, {"type": "act", "action": "weigh", "id": "12", "value": "0.5"})
    send(rows, {"type": "hover", "id": "12"})
    send(rows, {"type": "hover", "id": None})
    assert actions == [Action("forget", "12", shift=True), Action("weigh", "12", "0.5")]
    assert hovers == ["12", None]
