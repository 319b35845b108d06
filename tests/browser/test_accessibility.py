"""What axe-core says of the pages, and whether they can be used in small windows and at a zoom of 200 %."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.journeys import Hand

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

GRAVE = ("serious", "critical")
#: A window of 1280 x 800 at a zoom of 200 % has so many pixels (WCAG 1.4.10); then a tablet, and a telephone.
SMALL = {"zoomed": (640, 400), "tablet": (768, 1024), "phone": (390, 844)}


def findings(page: Page) -> list[str]:
    """What axe holds against a page that is grave, in one line each."""
    found = Axe().run(page).response["violations"]
    return [
        f"{rule['impact']} {rule['id']}: {node['html'][:160]}"
        for rule in found
        if rule["impact"] in GRAVE
        for node in rule["nodes"][:3]
    ]


def show_theme(page: Page, theme: str) -> None:
    page.evaluate("theme => { document.documentElement.dataset.ccTheme = theme; }", theme)


@pytest.fixture(scope="module")
def opened(browser, address, page_errors):
    """A function that opens a dashboard, or the gallery, and waits for what it shows last; each is opened once."""
    context = browser.new_context()
    context.set_default_timeout(60_000)
    expect.set_options(timeout=60_000)
    pages = {}

    def open_page(name: str, width: int = 1280, height: int = 800) -> Page:
        if name not in pages:
            page = pages[name] = context.new_page()
            page.on("pageerror", lambda error: page_errors.append(error.stack or str(error)))
            page.goto(address)
            if name != "gallery":
                page.get_by_role("link", name=name).first.click()
                page.locator(".cc-app").wait_for()
                expect(page.locator(".cc-status" if name != "Painter" else ".cc-palette")).to_be_visible()
        pages[name].bring_to_front()
        pages[name].set_viewport_size({"width": width, "height": height})
        return pages[name]

    yield open_page
    context.close()
    expect.set_options(timeout=5_000)


@pytest.mark.parametrize("name", ["gallery", "Workbench", "Painter"])
def test_axe_has_no_grave_findings_in_either_theme(opened, name, screenshot):
    page = opened(name)
    if name == "Workbench":
        hand = Hand(page)
        hand.wait_until_open()
        hand.keep_two_groups_apart()
        hand.lasso(0.0, 0.3, 0.2, 1.0)
        expect(hand.selection).to_be_visible()
    found = {}
    for theme in ("light", "dark"):
        show_theme(page, theme)
        found[theme] = findings(page)
        screenshot(page, f"accessible-{name.lower()}-{theme}")
    assert found == {"light": [], "dark": []}


def test_toggle_buttons_say_whether_they_are_pressed(opened):
    page = opened("Workbench")
    lasso, box = (page.get_by_role("button", name=name, exact=True) for name in ("Lasso (L)", "Box (B)"))
    expect(lasso).to_have_attribute("aria-pressed", "true")
    box.click()
    expect(box).to_have_attribute("aria-pressed", "true")
    expect(lasso).to_have_attribute("aria-pressed", "false")
    scores = page.get_by_role("button", name="Scores", exact=True)
    expect(scores).to_have_attribute("aria-pressed", "false")
    scores.click()
    expect(scores).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_role("heading", name="Points", level=2)).to_be_visible()


@pytest.mark.parametrize("size", SMALL)
@pytest.mark.parametrize("name", ["Workbench", "Painter"])
def test_small_windows_keep_a_plot_and_all_that_is_said_there(opened, name, size, screenshot):
    width, height = SMALL[size]
    page = opened(name, width, height)
    plot = page.locator(".cc-points, .cc-stage").first
    expect(plot).to_be_visible()
    page.wait_for_function(
        "width => document.querySelector('.cc-points, .cc-stage').clientWidth > width * .85", arg=width
    )
    screenshot(page, f"small-{name.lower()}-{size}")
    assert plot.bounding_box()["height"] >= 110
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    for panel in page.locator(".cc-panel:visible").all():
        box = panel.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width + 1
    # Before there is paint the painter has no question, but says how to come to one.
    answer = page.get_by_role("button", name="Don’t know (X)", exact=True)
    asking = answer if name == "Workbench" else page.get_by_text("then there will be places to ask about")
    for part in (asking, page.get_by_role("button", name="Step (→)", exact=True)):
        part.scroll_into_view_if_needed()
        expect(part).to_be_in_viewport()
    if name == "Workbench":
        plot.scroll_into_view_if_needed()
        hand = Hand(page)
        hand.press("Escape")
        hand.click("Lasso (L)")
        hand.lasso(0.0, 0.1, 0.4, 1.0)
        for verb in ("Link together", "Keep apart…", "Label as"):
            expect(hand.selection.get_by_text(verb, exact=True)).to_be_in_viewport()
        screenshot(page, f"small-workbench-{size}-selection")
        hand.press("Escape")
