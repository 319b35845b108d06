"""One's own tables on every dashboard, and what is seen while a large one is opened."""

import asyncio
import sys

import numpy as np
import pandas as pd
import pytest

from cclab.apps import ask_me, compare, how_many, workbench
from cclab.apps.page import opening
from cclab.apps.page.cover import Cover
from cclab.apps.page.opening import covered
from cclab.widgets.kit.bridge import Shell
from tests.apps.visitor import Visitor


def table(n=40, words="ab"):
    rng = np.random.default_rng(0)
    kind = np.arange(n) % 2
    frame = pd.DataFrame(
        {"x": rng.normal(size=n) + 6 * kind, "y": rng.normal(size=n), "kind": [words[k] for k in kind]}
    )
    return frame.to_csv(index=False).encode()


@pytest.mark.parametrize("make", [workbench, compare, how_many, ask_me], ids=lambda make: make.__name__)
def test_every_dashboard_opens_a_table_of_ones_own(make, sent, monkeypatch):
    if make is ask_me:
        monkeypatch.setattr(sys.modules["cclab.apps.ask_me.ask_me"], "N_OPPONENTS", 0)
    page = make()
    visitor = Visitor(page, sent)
    visitor.drop("mine.csv", table())
    assert page.desk.session.data.name == "mine"
    assert page.desk.session.data.feature_names == ("x", "y")
    before = page.desk.session
    visitor.drop("bad.csv", b"a,b\n1,2,3\n")
    assert page.desk.session is before  # what was open stays open
    page.close()


async def test_a_long_read_tells_its_rows(monkeypatch):
    monkeypatch.setattr(opening, "PATIENCE", 0.0)
    monkeypatch.setattr(opening, "_SHOW_SECONDS", 0.0)
    cover = Cover(Shell())
    async with covered(cover, "long.csv") as stages:
        stages.begin("Reading it")
        await asyncio.sleep(0.01)
        assert cover.is_open
        await asyncio.to_thread(stages.tell, 500, 2_000)
        await asyncio.sleep(0)
        assert "Reading it: 500 of 2,000 rows" in cover.words.value
        assert 'aria-valuenow="8"' in cover._progress.value  # a quarter of the first of three
        await asyncio.to_thread(stages.begin, "Looking at its columns")
        await asyncio.sleep(0)
        assert "Looking at its columns" in cover.words.value
    assert not cover.is_open
