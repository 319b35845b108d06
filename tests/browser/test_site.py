"""The built site of the documents in a real browser: nothing from elsewhere, both themes, small windows, search."""

import functools
import http.server
import threading

import pytest
from playwright.sync_api import expect

from cclab.server.gallery import site
from tests.browser.test_accessibility import findings

pytestmark = [
    pytest.mark.browser,
    pytest.mark.xdist_group("browser"),
    pytest.mark.skipif(site() is None, reason="there is no site: make docs builds it"),
]

#: One page of each kind: the front, prose, formulas, a class, a notebook, a table, the search.
PAGES = (
    "index.html",
    "start.html",
    "algorithms/cecm.html",
    "api/names/cclab.Session.html",
    "notebooks/01-first-steps.html",
    "compare.html",
    "search.html?q=lasso",
)


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Files, and no word about them."""

    def log_message(self, *words):
        pass


@pytest.fixture(scope="module")
def visit(browser, page_errors):
    """A function that opens a page of the site, and notes each address that is asked for elsewhere."""
    handler = functools.partial(Quiet, directory=str(site()))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    home = f"http://127.0.0.1:{server.server_port}/"
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    page.on("pageerror", lambda error: page_errors.append(error.stack or str(error)))
    elsewhere = []
    page.on("request", lambda asked: elsewhere.append(asked.url) if not asked.url.startswith((home, "data:")) else None)

    def open_page(name, theme="light"):
        page.emulate_media(color_scheme=theme)
        page.goto(home + name)
        expect(page.locator("html")).to_have_attribute("data-theme", theme)
        assert elsewhere == []
        return page

    yield open_page
    context.close()
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("name", PAGES)
def test_axe_has_no_grave_findings_and_nothing_comes_from_elsewhere(visit, name):
    assert {theme: findings(visit(name, theme)) for theme in ("light", "dark")} == {"light": [], "dark": []}


@pytest.mark.parametrize("name", PAGES)
def test_no_page_is_wider_than_a_telephone(visit, name):
    page = visit(name)
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.set_viewport_size({"width": 1280, "height": 800})


def test_search_finds_a_page_and_a_name(visit):
    page = visit("search.html?q=fuzzy_memberships")
    expect(page.locator("#search-results")).to_contain_text("Add an algorithm")
    page = visit("search.html?q=LinkedMixture")
    expect(page.locator("#search-results")).to_contain_text("LinkedMixture")
    assert page.locator("#search-results li").count() > 2


def test_pictures_and_formulas_are_drawn(visit):
    page = visit("algorithms/cecm.html")
    assert page.locator("math").count() > 5
    assert "$" not in page.locator("article p").first.inner_text()
    for name in ("index.html", "gallery.html", "notebooks/01-first-steps.html"):
        page = visit(name)
        for picture in page.locator("article img").all():
            picture.scroll_into_view_if_needed()
        page.wait_for_function("[...document.querySelectorAll('article img')].every(one => one.complete)")
        blank = page.evaluate("[...document.querySelectorAll('article img')].filter(one => !one.naturalWidth).length")
        assert blank == 0
