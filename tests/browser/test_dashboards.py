"""A journey through each small dashboard, as `cclab app` serves them."""

import re

import pytest
from playwright.sync_api import expect

from cclab.server.gallery import NOTEBOOKS
from tests.browser.journeys import wait_for_keys

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]


@pytest.fixture(scope="module")
def page(browser, page_errors):
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    context.set_default_timeout(60_000)
    expect.set_options(timeout=60_000)
    page = context.new_page()
    page.on("pageerror", lambda error: page_errors.append(error.stack or str(error)))
    yield page
    context.close()
    expect.set_options(timeout=5_000)


def open_app(page, address, name):
    assert (NOTEBOOKS / f"{name}.ipynb").exists()
    page.goto(f"{address}open/{name}")
    expect(page.locator(".cc-app .cc-bar")).to_be_visible()
    wait_for_keys(page.locator(".cc-app"))


def press_button(page, name):
    page.locator(".cc-app button").and_(page.get_by_role("button", name=re.compile(f"^{name}"))).first.click()


def test_ask_me(page, address, screenshot):
    open_app(page, address, "ask_me")
    question, chip = page.locator(".cc-question"), page.locator(".cc-question .cc-chip")
    group = page.locator(".cc-game-group")
    for number, key in enumerate(("Enter", "x", "Enter"), 1):
        expect(chip).to_have_text(f"Question {number} of 20")
        expect(page.locator(".cc-answers button").first).to_be_enabled()
        expect(group.locator("img")).to_have_count(8)
        page.keyboard.press("1")
        group.locator(".cc-choice").nth(7).click()
        expect(group.locator(".cc-outside")).to_have_count(2)
        expect(page.locator(".cc-answers button").first).to_contain_text("2 samples do not belong")
        page.keyboard.press(key)
    expect(page.locator(".cc-move")).to_have_count(3)
    expect(page.locator(".cc-move").first).to_contain_text("2 out")
    expect(page.locator(".cc-move").nth(1)).to_contain_text("Don’t know")
    expect(question).to_contain_text("Which of these do not belong?")
    screenshot(page, "journey-ask-me")
    page.keyboard.press("Control+z")
    expect(page.locator(".cc-move")).to_have_count(2)
    page.get_by_label("asks by").select_option("Uncertainty")
    expect(question).to_contain_text("Same digit?")
    expect(page.locator(".cc-game-pair img")).to_have_count(2)
    page.keyboard.press("s")
    expect(page.locator(".cc-move")).to_have_count(3)
    press_button(page, "Open in the workbench")
    expect(page.locator(".cc-constraints tr[data-action=find]")).to_have_count(3)


def test_credal(page, address, screenshot):
    open_app(page, address, "credal")
    verdict = page.locator(".cc-credal h2")
    press_button(page, "Near")
    expect(verdict).to_have_text("Surely 1")
    press_button(page, "Between two")
    expect(verdict).to_have_text("1 or 2: can’t tell")
    box = page.locator(".cc-plot .bqplot").bounding_box()
    page.mouse.click(box["x"] + 0.97 * box["width"], box["y"] + 0.15 * box["height"])
    expect(verdict).to_have_text("None: too far from every centre")
    second = page.locator(".cc-plot .bqplot .dot").nth(1).bounding_box()
    page.mouse.move(second["x"] + second["width"] / 2, second["y"] + second["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.93 * box["width"], box["y"] + 0.2 * box["height"], steps=8)
    page.mouse.up()
    expect(verdict).to_have_text("Surely 2")
    screenshot(page, "journey-credal")


def test_how_many(page, address, screenshot):
    open_app(page, address, "how_many")
    count = page.locator(".cc-count-now b")
    expect(count).to_have_text("20")
    page.locator("select[aria-label=Solver], .cc-bar select").first.select_option(label="PCCA")
    expect(count).to_have_text("15")
    page.keyboard.press("Space")
    expect(page.locator(".cc-status")).to_contain_text("Converged")
    expect(count).to_have_text("4")
    expect(page.locator(".cc-happening").first).to_contain_text(re.compile("vanished|merged"))
    screenshot(page, "journey-how-many")


def test_compare(page, address, screenshot):
    open_app(page, address, "compare")
    expect(page.locator(".cc-points")).to_have_count(2)
    page.keyboard.press("ArrowRight")
    expect(page.locator(".cc-below")).to_contain_text("Iterations")
    box = page.locator(".cc-points").nth(1).bounding_box()
    corners = [(0.0, 0.3), (0.2, 0.3), (0.2, 1.0), (0.0, 1.0), (0.0, 0.3)]
    places = [
        (box["x"] + 46 + x * (box["width"] - 58), box["y"] + 8 + (1 - y) * (box["height"] - 52)) for x, y in corners
    ]
    page.mouse.move(*places[0])
    page.mouse.down()
    for place in places[1:]:
        page.mouse.move(*place, steps=6)
    page.mouse.up()
    expect(page.locator(".cc-selection")).to_contain_text("selected")
    page.keyboard.press("m")
    expect(page.locator(".cc-below")).to_contain_text("Statements held")
    expect(page.locator(".cc-versus")).to_contain_text(re.compile(r"They (differ on|agree)"))
    screenshot(page, "journey-compare")
    page.locator(".cc-solver-button").nth(1).click()
    page.locator(".cc-menu-layer:not(.cc-hidden) .cc-solver[data-id=FCM]").click()
    expect(page.locator(".cc-twins .cc-title").nth(1)).to_have_text("FCM")
    page.keyboard.press("Escape")
    page.keyboard.press("Control+z")
    expect(page.locator(".cc-twins .cc-title").nth(1)).to_have_text("COPKMeans")
    left = page.locator(".cc-below").inner_text()
    page.reload()
    expect(page.locator(".cc-below")).to_have_text(left, use_inner_text=True)
    row = page.locator(".cc-below tr[data-action=select]").first
    n = row.locator(".cc-number").inner_text()
    row.click()
    expect(page.locator(".cc-selection")).to_contain_text(f"{n} selected")
