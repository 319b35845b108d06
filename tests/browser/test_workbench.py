"""A journey at the workbench: real Voilà, real Chromium, one visit from the first lasso to the exported script."""

import json
import os
import re
import subprocess
import sys

import pandas as pd
import pytest
from playwright.sync_api import expect

from cclab.server.gallery import NOTEBOOKS
from tests.browser.journeys import Hand

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]


@pytest.fixture(scope="module", autouse=True)
def state_folder(tmp_path_factory):
    """Sessions are kept in a folder of the test's own."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("state")
        patch.setenv("CCLAB_STATE", str(folder))
        yield folder


@pytest.fixture(scope="module")
def hand(voila_page):
    expect.set_options(timeout=60_000)
    hand = Hand(voila_page(NOTEBOOKS / "workbench.ipynb", name="workbench"))
    hand.wait_until_open()
    yield hand
    expect.set_options(timeout=5_000)


def test_lasso_two_groups_and_keep_them_apart(hand, screenshot):
    hand.lasso(0.0, 0.3, 0.2, 1.0)
    expect(hand.selection).to_contain_text(re.compile(r"Link together adds 1 group of \d+ samples. No conflict."))
    screenshot(hand.page, "workbench-selection")
    hand.press("Escape")
    expect(hand.selection).to_be_hidden()
    hand.keep_two_groups_apart()
    expect(hand.find(".cc-legend")).to_contain_text("cannot-link")


def test_an_empty_lasso_and_a_verb_with_nothing_selected(hand):
    hand.lasso(0.24, 0.75, 0.3, 0.9)
    expect(hand.toast).to_have_text("No samples inside the lasso")
    hand.press("m")
    expect(hand.toast).to_have_text("Select some samples first")


def test_a_conflict_shows_while_it_is_only_a_selection(hand, screenshot):
    hand.lasso(0.02, 0.35, 0.7, 0.95)
    expect(hand.selection.get_by_role("alert")).to_have_text(
        re.compile(r"Conflict. \d+ and \d+ must stay apart \(lasso\), but this would join them: \d+ — \d+")
    )
    screenshot(hand.page, "workbench-conflict")
    hand.press("Escape")


def test_step_to_convergence_rewind_and_undo(hand):
    hand.press("ArrowRight")
    hand.wait_for_place(2)
    end = hand.run_to_the_end()
    assert end > 3
    hand.press("Home")
    hand.wait_for_place(0)
    expect(hand.find(".cc-constraints:not(.cc-samples)")).to_contain_text("Nothing stated yet")
    hand.press("End")
    hand.wait_for_place(end)
    hand.press("Control+z")  # the run, as a whole
    hand.wait_for_place(2)
    hand.press("Control+Shift+z")
    hand.wait_for_place(end)


def test_answer_three_queries_by_keyboard(hand):
    hand.answer_three()
    expect(hand.statements).to_have_count(3)


def test_a_double_click_on_step_is_no_trouble(hand):
    before = hand.place_in_time()[0]
    hand.find("button[title='Step (→)']").dblclick()
    expect(hand.find(".cc-place")).not_to_have_text(re.compile(rf"^{before} /"))
    expect(hand.status).to_contain_text(re.compile("Ready|Converged"))


def test_exported_code_gives_the_same_labels(hand, tmp_path):
    labels = pd.read_csv(hand.export("Labels (CSV)", tmp_path))["cluster"]
    script = hand.export("Python code", tmp_path)
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, env=os.environ, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == (labels - 1).tolist()
    png = hand.export("Figure (PNG)", tmp_path)
    assert png.read_bytes().startswith(b"\x89PNG")


def test_themes_widths_and_what_floats(hand, screenshot):
    page = hand.page
    screenshot(page, "workbench-light")
    hand.press("p")
    expect(hand.find(".cc-drawer")).to_be_visible()
    screenshot(page, "workbench-drawer")
    hand.press("Escape")
    expect(hand.find(".cc-drawer")).to_be_hidden()
    hand.press("?")
    expect(hand.find(".cc-sheet")).to_be_visible()
    hand.press("Escape")
    hand.click("Light or dark")
    page.wait_for_function("document.documentElement.dataset.ccTheme === 'dark'")
    screenshot(page, "workbench-dark")
    page.set_viewport_size({"width": 1024, "height": 768})
    page.wait_for_timeout(500)
    screenshot(page, "workbench-1024")
    assert page.evaluate("document.documentElement.scrollWidth") <= 1024
    page.set_viewport_size({"width": 1280, "height": 800})
    hand.click("Light or dark")


def test_a_reload_finds_everything(hand):
    place, statements = hand.place_in_time(), hand.statements.all_inner_texts()
    hand.page.reload()
    hand.wait_until_open()
    expect(hand.statements).to_have_count(len(statements))
    assert hand.statements.all_inner_texts() == statements
    assert hand.place_in_time() == place


def test_another_visitor_finds_nothing(hand, voila_page):
    other = Hand(voila_page(NOTEBOOKS / "workbench.ipynb", name="workbench"))
    other.wait_until_open()
    expect(other.find(".cc-constraints:not(.cc-samples)")).to_contain_text("Nothing stated yet")
