"""Work aside, and widgets that leave nothing behind."""

import asyncio

import bqplot
import ipywidgets

from cclab.widgets.kit.background import Tasks
from cclab.widgets.kit.close import close_all
from tests.front_end import living


def test_without_a_loop_work_is_done_at_once_and_so_is_what_it_starts():
    done, tasks = [], Tasks()

    async def inner():
        await asyncio.sleep(0.01)
        done.append("inner")

    async def outer():
        tasks.start(inner())
        done.append("outer")

    tasks.start(outer())
    assert done == ["outer", "inner"]


async def test_with_a_loop_work_goes_on_aside_and_can_be_cancelled(caplog):
    done, tasks = [], Tasks()

    async def slow(name):
        await asyncio.sleep(0.01)
        done.append(name)

    async def failing():
        raise ValueError("no")

    tasks.start(slow("kept"))
    tasks.start(failing())
    assert done == []
    await asyncio.sleep(0.05)
    assert done == ["kept"]
    assert "work of a view failed" in caplog.text
    tasks.start(slow("dropped"))
    tasks.cancel()
    await asyncio.sleep(0.05)
    assert done == ["kept"]


def test_closing_frees_children_marks_scales_and_layouts():
    before = living().keys()
    x, y = bqplot.LinearScale(), bqplot.LinearScale()
    figure = bqplot.Figure(marks=[bqplot.Lines(x=[0], y=[0], scales={"x": x, "y": y})], axes=[bqplot.Axis(scale=x)])
    box = ipywidgets.VBox([ipywidgets.HBox([ipywidgets.Button(), figure])])
    assert len(living().keys() - before) > 8
    close_all(box)
    assert living().keys() == before
