"""A journey on one's own table: find by a rule, colour by a category, list, name a cluster, choose another solver."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.journeys import Hand

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

SOURCE = """
import numpy as np, pandas as pd
from cclab import COPKMeans
from cclab.apps import workbench
from cclab.datasets import Dataset
from sklearn.datasets import load_iris

iris = load_iris()
kinds = [iris.target_names[k] for k in iris.target]
attack = "<img src=x onerror=document.title='hacked'>"
notes = [f"{attack} flower {i} of the {'north' if i % 2 else 'south'}" for i in range(150)]
meta = pd.DataFrame({"species": kinds, "note": notes})
data = Dataset("flowers", iris.data, tuple(iris.feature_names), meta=meta, text_column="note")
page = workbench(data, COPKMeans(n_clusters=4, random_state=0))
page.session.run()
page
"""


@pytest.fixture(scope="module", autouse=True)
def state_folder(tmp_path_factory):
    """Sessions are kept in a folder of the test's own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CCLAB_STATE", str(tmp_path_factory.mktemp("state")))
        yield


@pytest.fixture(scope="module")
def hand(voila_page):
    expect.set_options(timeout=60_000)
    hand = Hand(voila_page(SOURCE, name="explore"))
    hand.wait_until_open()
    yield hand
    expect.set_options(timeout=5_000)


def test_a_rule_selects_and_a_typo_is_answered(hand):
    hand.press("/")
    line = hand.find(".cc-search input")
    expect(line).to_be_focused()
    hand.page.keyboard.type("petal_lenth > 5")  # letters are no commands now
    line.press("Enter")
    expect(hand.find(".cc-search")).to_contain_text("did you mean petal_length_cm")
    line.fill("petal_length > 5 and 'north' in note")
    line.press("Enter")
    expect(hand.selection).to_contain_text(re.compile(r"\d+ selected"))
    expect(hand.find(".cc-search")).to_contain_text("of 150")


def test_the_table_lists_what_is_selected_and_sorts(hand):
    hand.find(".cc-lower-tabs button").filter(has_text="Table").first.click()
    rows = hand.find(".cc-long-table tbody tr")
    expect(rows.first).to_contain_text("of the north")
    hand.find(".cc-long-table .cc-sort").filter(has_text="petal length").click()
    expect(hand.find(".cc-long-table thead")).to_contain_text("petal length (cm) ↑")
    cells = "[...document.querySelectorAll('.cc-long-table tbody td:nth-last-child(2)')].map((td) => +td.innerText)"
    hand.page.wait_for_function(f"{cells}.length > 5 && {cells}.every((x, i, all) => !i || all[i - 1] <= x)")


def test_a_column_colours_and_a_cluster_gets_a_name(hand, screenshot):
    hand.find(".cc-scatter select").filter(has_text="Belief").select_option(label="species")
    expect(hand.find(".cc-legend")).to_contain_text("virginica")
    hand.find(".cc-scatter select").filter(has_text="Belief").select_option(label="Belief")
    hand.click("Clusters")
    name = hand.find(".cc-profile-row input")
    name.fill("<b>large</b> ones")
    name.press("Enter")
    expect(hand.find(".cc-legend")).to_contain_text("<b>large</b> ones")
    screenshot(hand.page, "explore")
    hand.press("Escape")
    hand.press("Escape")


def test_another_solver_is_chosen_from_the_menu(hand, screenshot):
    hand.find(".cc-solver-button").click()
    expect(hand.find(".cc-solver-menu")).to_contain_text("Evidential: doubt made visible")
    screenshot(hand.page, "explore-solvers")
    hand.find(".cc-solver[data-id=CECM]").click()
    expect(hand.find(".cc-solver-button")).to_have_text("CECM")
    expect(hand.status).to_contain_text("Ready")
    expect(hand.find(".cc-solver-menu")).to_be_hidden()
    assert hand.page.title() != "hacked"


# Words that are cut off, or leave their box to the right; which of them lie on each other.
_CUT = """
(boxes) => [...document.querySelectorAll(boxes)].filter((box) => box.offsetParent).filter((box) =>
  box.scrollWidth > box.clientWidth + 1 || box.getBoundingClientRect().right > innerWidth).map((box) => box.innerText)
"""
_OVERLAPPING = """
() => [...document.querySelectorAll('.cc-set')].flatMap((set) => [...set.children].slice(1)
  .filter((part, place) => part.getBoundingClientRect().left < set.children[place].getBoundingClientRect().right - 1)
  .map((part) => set.innerText))
"""


def test_four_clusters_in_doubt_and_large_counts_have_room(hand, screenshot):
    page = hand.page
    hand.click("Belief")
    expect(hand.find(".cc-set")).to_have_count(16)
    page.evaluate("document.querySelectorAll('.cc-set .cc-count').forEach((count) => { count.innerText = '52,710'; })")
    screenshot(page, "explore-four-clusters")
    assert page.evaluate(_CUT, ".cc-legend, .cc-set, .cc-queries .cc-foot, .cc-queries .cc-sample header") == []
    assert page.evaluate(_OVERLAPPING) == []
    expect(hand.find(".cc-legend > *").last).to_be_in_viewport()
