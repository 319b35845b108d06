"""Work is never a click away from loss, in a real browser: Recent and Back, two tabs, restoring, the way home."""

import re
import socket
import subprocess
import sys

import pytest
from playwright.sync_api import expect

from tests.browser.journeys import Hand

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

SLOW = """
import time
from cclab.apps import workbench
from cclab.apps.page import visitor_store as keeping

opened = keeping.VisitorStore.open


def slowly(self, entry, progress=None):
    session = opened(self, entry, progress)
    try:
        for done in range(40):
            time.sleep(0.25)
            progress(done, 40)
    except keeping.GivenUp:
        session.close()
        raise
    return session


keeping.VisitorStore.open = slowly
workbench()
"""
SERVE = "import sys; from cclab.server.server import serve; serve(port=int(sys.argv[1]), open_browser=False, workers=2)"


@pytest.fixture(scope="module", autouse=True)
def state(tmp_path_factory):
    """Sessions are kept in a folder of the test's own."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("state")
        patch.setenv("CCLAB_STATE", str(folder))
        yield folder


@pytest.fixture(scope="module")
def address(state):
    """Of the gallery."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen([sys.executable, "-c", SERVE, str(port)], stdout=subprocess.PIPE, text=True)
    assert "cclab is open at" in process.stdout.readline()
    expect.set_options(timeout=60_000)
    yield f"http://127.0.0.1:{port}/"
    expect.set_options(timeout=5_000)
    process.terminate()
    process.wait(30)


@pytest.fixture
def context(browser):
    """One person's browser."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    context.set_default_timeout(60_000)
    yield context
    context.close()


@pytest.fixture
def open_tab(context, address, page_errors):
    def open_tab(path="open/workbench"):
        page = context.new_page()
        page.on("pageerror", lambda error: page_errors.append(error.stack or str(error)))
        page.goto(address + path)
        return Hand(page)

    return open_tab


def cover(hand):
    return hand.find(".cc-cover")


def wait_until_usable(hand):
    hand.wait_until_open()
    expect(hand.status).to_contain_text("saved")  # once it is known who visits, and what they left
    expect(cover(hand)).to_be_hidden()


def choose(hand, name):
    cover(hand).get_by_role("button", name=name, exact=True).click()


def test_recent_and_back(open_tab, screenshot, address):
    hand = open_tab()
    wait_until_usable(hand)
    hand.keep_two_groups_apart()
    data = hand.find(".cc-bar select").first
    data.select_option(label="Wine")
    expect(hand.toast).to_contain_text("Iris is in Recent")
    # The keys belong to the page again: an answer must not choose other data.
    expect(hand.find(".cc-queries .cc-pair")).to_be_visible()
    hand.press("d")
    expect(hand.statements).to_have_count(1)
    expect(data).to_have_value(re.compile("."))
    expect(data.locator("option:checked")).to_have_text("Wine")
    hand.toast.get_by_role("button", name="Back").click()
    expect(hand.statements).to_have_count(1)
    expect(hand.statements).to_contain_text("A | B")
    expect(data.locator("option:checked")).to_have_text("Iris")
    hand.app.get_by_role("button", name=re.compile("^Recent")).first.click()
    rows = hand.find(".cc-recent:has-text('Last used') tbody tr")
    expect(rows).to_have_count(2)
    expect(rows.first).to_contain_text("open here")
    screenshot(hand.page, "recent")
    # By keyboard: a row is reached by Tab, and Enter opens it.
    rows.nth(1).focus()
    hand.press("Enter")
    expect(hand.find(".cc-recent:has-text('Last used')")).to_be_hidden()
    wait_until_usable(hand)
    expect(data.locator("option:checked")).to_have_text("Wine")

    hand.page.goto(address)
    recent = hand.page.locator("#recent li")
    expect(recent).to_have_count(2)
    expect(recent.first).to_contain_text("Wine")
    screenshot(hand.page, "gallery-recent")
    recent.nth(1).get_by_role("link").click()
    wait_until_usable(hand)
    expect(hand.statements).to_have_count(1)
    assert "session=" not in hand.page.url
    hand.page.get_by_title("All dashboards").click()
    expect(hand.page.locator("h1")).to_contain_text("Say what you know")


def test_two_tabs(open_tab, screenshot):
    first = open_tab()
    wait_until_usable(first)
    first.keep_two_groups_apart()
    second = open_tab()
    expect(cover(second)).to_contain_text("This session is open in another tab")
    expect(cover(second)).to_contain_text("Iris · CECM · 1 statement")
    screenshot(second.page, "two-tabs")
    choose(second, "Take over")
    wait_until_usable(second)
    expect(second.statements).to_have_count(1)
    expect(cover(first)).to_contain_text("This session goes on in another tab")
    screenshot(first.page, "taken-over")
    first.press("ArrowRight")
    second.press("ArrowRight")
    second.wait_for_place(2)
    # A reload keeps its own session, and asks nothing.
    second.page.reload()
    wait_until_usable(second)
    second.wait_for_place(2)
    choose(first, "Work on a copy")
    wait_until_usable(first)
    first.wait_for_place(2)
    expect(cover(second)).to_be_hidden()


def test_six_tabs_at_once(context, open_tab, address):
    first = open_tab()
    wait_until_usable(first)
    first.press("ArrowRight")
    first.wait_for_place(1)
    pages = [context.new_page() for _ in range(5)]
    for page in pages:
        page.goto(address + "open/workbench", wait_until="commit")
    for page in pages:
        expect(Hand(page).find(".cc-cover")).to_contain_text("This session is open in another tab")
    expect(cover(first)).to_be_hidden()


@pytest.fixture
def returned(voila, context, page_errors):
    """A visitor with a step behind them, who has opened the page again: their session takes ten seconds to open."""
    expect.set_options(timeout=60_000)
    page = context.new_page()
    page.on("pageerror", lambda error: page_errors.append(error.stack or str(error)))
    hand = Hand(page)
    page.goto(voila.add("quick", "from cclab.apps import workbench\nworkbench()"))
    wait_until_usable(hand)
    page.wait_for_timeout(1000)  # plain Voilà is still sending what it has held back
    hand.press("ArrowRight")
    hand.wait_for_place(1)
    page.goto(voila.add("slow", SLOW))
    expect(cover(hand)).to_be_visible()
    expect(cover(hand)).to_contain_text("Opening Iris")
    return hand


def test_restoring_shows_how_far_it_is_and_takes_no_statements(returned, screenshot):
    assert returned.find(".cc-bar").evaluate("bar => bar.inert")
    returned.press("ArrowRight")
    expect(returned.find(".cc-cover [role=progressbar][aria-valuenow]")).to_be_visible()
    returned.page.wait_for_timeout(600)  # it fades in
    screenshot(returned.page, "restoring")
    returned.page.reload()  # in the middle of it
    expect(cover(returned)).to_be_visible()
    wait_until_usable(returned)
    assert returned.place_in_time() == (1, 1)


def test_restoring_can_be_cancelled(returned):
    choose(returned, "Cancel")
    expect(cover(returned)).to_be_hidden()
    expect(returned.toast).to_contain_text("Iris is in Recent")
    assert returned.place_in_time() == (0, 0)
    returned.toast.get_by_role("button", name="Open it").click()
    wait_until_usable(returned)
    returned.wait_for_place(1)
