"""A journey with oracles: eight pictures at once, three readers that answer in bulk, links that are checked again."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.journeys import Hand

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

SOURCE = """
import numpy as np
from cclab import PCKMeans, load_dataset
from cclab.apps import workbench
from cclab.oracles import Function, Panel
from cclab.studies.drawing import random_pairs

digits = load_dataset("digits")

def reader(careless):
    def read(question):
        a, b = question.samples
        if (a + b) % 4 == 0:
            return "unsure"
        return "same" if (digits.target[a] == digits.target[b]) != ((a + b) % 9 == careless) else "different"
    return Function(read, name=f"reader {careless}", retries=0)

page = workbench(digits, PCKMeans(10, n_init=1), oracles={"three readers": Panel([reader(m) for m in (1, 2, 3)])})
pairs = random_pairs(digits.n_samples, 40, np.random.default_rng(0))
same = digits.target[pairs[:, 0]] == digits.target[pairs[:, 1]]
same[:4] ^= True  # these four are wrong
page.session.constrain(must_link=pairs[same], cannot_link=pairs[~same])
page.session.run()
page.queries.strategy.value = "GroupQueries"
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
    expect.set_options(timeout=30_000)
    hand = Hand(voila_page(SOURCE, name="oracles"))
    expect(hand.find(".cc-choice")).to_have_count(8)
    yield hand
    expect.set_options(timeout=5_000)


def both_themes(hand, screenshot, name):
    screenshot(hand.page, f"{name}-light")
    hand.click("Light or dark")
    hand.page.wait_for_function("document.documentElement.dataset.ccTheme === 'dark'")
    screenshot(hand.page, f"{name}-dark")
    hand.click("Light or dark")
    hand.page.wait_for_function("document.documentElement.dataset.ccTheme !== 'dark'")
    hand.page.evaluate("document.activeElement.blur()")  # else Enter would press that button once more


def test_eight_pictures_are_looked_at_and_two_do_not_belong(hand, screenshot):
    before = hand.find(".cc-choice").all_inner_texts()
    hand.find(".cc-choice").nth(1).click()
    expect(hand.find(".cc-outside")).to_have_count(1)
    hand.press("5")
    expect(hand.find(".cc-outside")).to_have_count(2)
    expect(hand.find(".cc-queries")).to_contain_text("2 samples do not belong")
    both_themes(hand, screenshot, "oracles-group")
    hand.press("Enter")
    expect(hand.find(".cc-queries .cc-foot").first).to_contain_text("1 answered")
    expect(hand.find(".cc-choice")).to_have_count(8)
    expect(hand.find(".cc-outside")).to_have_count(0)
    assert hand.find(".cc-choice").all_inner_texts() != before


def test_three_readers_answer_in_bulk_and_the_person_sees_the_rest(hand, screenshot):
    hand.find(".cc-queries select").first.select_option(label="Random")
    expect(hand.find(".cc-queries .cc-pair")).to_be_visible()
    hand.find(".cc-many-answers select").first.select_option(label="20")
    hand.click("What is sure is stated, the rest is put to you")
    expect(hand.find(".cc-many-answers")).to_contain_text(re.compile(r"\d+ wants? your eye"))
    expect(hand.find(".cc-queries .cc-why")).to_contain_text("three readers")
    both_themes(hand, screenshot, "oracles-review")
    question = hand.find(".cc-queries .cc-pair").inner_text()
    hand.press("x")  # the person does not know either
    expect(hand.find(".cc-queries .cc-pair")).not_to_have_text(question, use_inner_text=True)
    expect(hand.find(".cc-queries .cc-foot").first).to_contain_text("1 unknown")


def test_what_is_probably_wrong_is_marked_and_asked_again(hand, screenshot):
    hand.click("Look for statements that are probably wrong")
    again = hand.find(".cc-again")
    expect(again.first).to_be_visible()
    both_themes(hand, screenshot, "oracles-suspects")
    # The answer takes the place of what was doubted, and of nothing else; one undo brings it back.
    hand.click("Step after each answer")  # that would be undone first
    marked, before = again.count(), hand.statements.all_inner_texts()
    doubted = hand.find(".cc-constraints tr:has(.cc-again)").first.get_attribute("data-id")
    again.first.click()
    expect(hand.find(".cc-queries .cc-why")).to_contain_text("Asked again")
    hand.click("Answer this one from the known classes")
    expect(again).to_have_count(marked - 1)
    expect(hand.find(f".cc-constraints tr[data-id='{doubted}']")).to_have_count(0)
    hand.press("Control+z")
    expect(hand.find(f".cc-constraints tr[data-id='{doubted}']")).to_have_count(1)
    expect(hand.statements).to_have_text(before, use_inner_text=True)
