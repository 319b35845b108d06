"""The page that tells how to add a view holds what it says."""

import re
from pathlib import Path

import pytest

from cclab.apps import workbench
from cclab.widgets.watch import Watch
from cclab.widgets.watch.part import Part, watch_parts
from tests.widgets.sessions import desk_on

PAGE = Path(__file__).parents[2] / "docs/add-a-view.md"


@pytest.fixture(autouse=True)
def _own_parts(monkeypatch):
    watch_parts.names()
    monkeypatch.setattr(watch_parts, "_classes", dict(watch_parts._classes))


def test_its_examples_run_in_order(capsys):
    space = {"__name__": "a_notebook"}
    for code in re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL):
        exec(compile(code, str(PAGE), "exec"), space)
    said = re.findall(r"^print\(.*#  ?(.*)$", PAGE.read_text(), re.MULTILINE)
    assert said
    assert capsys.readouterr().out.splitlines() == said


def test_a_part_that_names_a_tab_is_on_every_watch_panel():
    before = list(Watch(desk_on()).tabs.options)

    class Mine(Part):
        tab = "Mine"

        def __init__(self, desk):
            from ipywidgets import Label

            self.widget = Label()
            super().__init__(desk)
            self.start()

        def draw(self, old, new):
            self.widget.value = str(new.summary.iteration)

    desk = desk_on()
    view = Watch(desk)
    assert list(view.tabs.options) == [*before, "Mine"]
    view.tabs.value = "Mine"
    desk.session.step()
    assert view.parts["Mine"][0].widget.value == "1"
    view.close()


def test_a_part_of_the_package_is_not_replaced():
    with pytest.raises(TypeError, match="a part of the Watch panel Objective in"):
        type("Objective", (Part,), {"tab": "Belief", "__module__": "elsewhere"})


def test_what_is_no_view_is_refused():
    with pytest.raises(TypeError, match=r"views must be classes derived from .*View, got 3"):
        workbench("iris", "FCM", views=[3])
