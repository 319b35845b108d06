"""The front door in a real browser: gallery, dashboards, kernels, tokens."""

import functools
import http.server
import json
import os
import shutil
import socket
import subprocess
import sys
import threading
import urllib.request
from urllib.parse import urlsplit

import pytest

from cclab.server import gallery
from tests.browser.journeys import wait_for_keys
from tests.server.serving import Server, wait_until, write_notebook

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

COUNTER = """
import os
import ipywidgets as widgets

label = widgets.Label("ready for " + os.environ["QUERY_STRING"])
button = widgets.Button(description="Press")
button.on_click(lambda _: setattr(label, "value", "pressed"))
upload = widgets.FileUpload()
upload.observe(lambda change: setattr(label, "value", f"got {len(change.new[0].content)} bytes"), "value")
widgets.VBox([button, upload, label])
"""
CHART = """
import bqplot.pyplot as plt

figure = plt.figure()
plt.scatter([1, 2, 3], [1, 4, 9])
figure
"""
BROKEN = """
import sys

print("whispered", file=sys.stderr)
raise ValueError("a detail that is nobody's business")
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dashboards")
    for name, source in {"counter": COUNTER, "chart": CHART, "broken": BROKEN}.items():
        write_notebook(folder, name, source)
    return folder


@pytest.fixture(scope="module")
def server(folder):
    """With none of the kernels that wait for visitors: these pages use nothing of what those have imported."""
    server = Server(folder, workers=0)
    yield server
    server.stop()


@pytest.fixture(scope="module")
def real_server(tmp_path_factory):
    """With the dashboards of the package."""
    folder = tmp_path_factory.mktemp("notebooks")
    for path in gallery.NOTEBOOKS.glob("*.ipynb"):
        shutil.copy(path, folder)
    server = Server(folder)
    yield server
    server.stop()


@pytest.fixture
def context(browser):
    context = browser.new_context()
    yield context
    context.close()


@pytest.fixture
def page(context):
    return context.new_page()


@pytest.fixture
def requests(context):
    """Every address that the pages have asked for, and every one that their policy has kept them from asking for."""
    asked = []
    context.on("request", lambda request: asked.append(request.url))
    context.on("console", lambda message: "Content Security Policy" in message.text and asked.append(message.text))
    return asked


def kernel_of(page):
    return json.loads(page.locator("#jupyter-config-data").text_content())["kernelId"]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def is_answered(url):
    try:
        return urllib.request.urlopen(url).status == 200
    except OSError:
        return False


def test_gallery_shows_cards_and_loads_nothing_else(server, page, requests):
    page.goto(server.url)
    assert page.title() == page.locator("h1").inner_text() == "Say what you know. Watch the clusters listen."
    assert page.locator(".card h2").all_inner_texts() == ["Broken", "Chart", "Counter"]
    assert page.locator(".card").first.get_by_text("The broken.").is_visible()
    assert page.locator(".card svg").count() == 3
    assert requests == [server.url]


def test_cards_open_by_keyboard(server, page):
    page.goto(server.url)
    card = page.locator(".card").nth(2)
    card.focus()
    assert card.evaluate("card => getComputedStyle(card).outlineStyle") == "solid"
    page.keyboard.press("Enter")
    page.wait_for_url("**/open/counter")


def test_one_column_on_a_phone(server, browser):
    page = browser.new_page(viewport={"width": 390, "height": 800})
    page.goto(server.url)
    boxes = [card.bounding_box() for card in page.locator(".card").all()]
    assert len({box["x"] for box in boxes}) == 1
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    page.close()


def test_theme_is_kept_from_page_to_page(server, page, screenshot):
    def background():
        return page.evaluate("getComputedStyle(document.body).backgroundColor")

    page.emulate_media(color_scheme="light")
    page.goto(server.url)
    light = background()
    page.get_by_role("button", name="Theme").click()
    dark = background()
    assert dark != light
    page.reload()
    assert background() == dark
    screenshot(page, "gallery-dark")
    page.goto(server.address("open/counter"))
    page.get_by_text("ready for").wait_for()
    assert background() == dark
    page.goto(server.url)
    page.get_by_role("button", name="Theme").click()
    assert background() == light


def test_gallery_and_dashboards_share_one_choice_of_theme(real_server, page, context):
    """Whichever page it is chosen on, the other pages follow: those that are open, and those that come later."""

    def shown(page):
        return page.locator("html").get_attribute("data-cc-theme")

    page.emulate_media(color_scheme="light")
    page.goto(real_server.url)
    dashboard = context.new_page()
    dashboard.goto(real_server.address("open/workbench"))
    theme = dashboard.get_by_role("button", name="Light or dark")
    theme.wait_for()
    assert (shown(page), shown(dashboard)) == ("light", "light")
    theme.click()
    wait_until(lambda: shown(dashboard) == "dark")
    wait_until(lambda: shown(page) == "dark")
    page.get_by_role("button", name="Theme").click()
    wait_until(lambda: shown(dashboard) == "light")
    dashboard.reload()
    theme.wait_for()
    assert shown(dashboard) == "light"
    page.reload()
    assert shown(page) == "light"
    keys = page.evaluate("Object.keys(localStorage).filter((key) => key.includes('theme'))")
    assert keys == ["cclab.theme"]
    # When it was saved is kept true by the page itself.
    wait_for_keys(dashboard.locator(".cc-app"))
    dashboard.keyboard.press("ArrowRight")
    saved = dashboard.locator("time.cc-ago")
    saved.wait_for()
    first = saved.inner_text()
    assert first.endswith("s ago")
    wait_until(lambda: saved.inner_text() != first, seconds=5)


def test_who_finds_no_room_waits_and_gets_in(folder, page, context, screenshot):
    server = Server(folder, workers=1, visitors=1)
    try:
        page.goto(server.address("open/counter"))
        page.get_by_text("ready for").wait_for()
        waiting = context.new_page()
        waiting.goto(server.address("open/counter?data=iris"))
        waiting.get_by_role("heading", name="All places are taken").wait_for()
        screenshot(waiting, "waiting")
        page.close(run_before_unload=True)
        waiting.get_by_text("ready for data=iris").wait_for()
    finally:
        server.stop()


@pytest.fixture
def other_site(tmp_path):
    """Address of an empty page on another site: to a browser localhost is not 127.0.0.1."""
    (tmp_path / "index.html").write_text("<!DOCTYPE html>")
    serve_file = functools.partial(http.server.SimpleHTTPRequestHandler, directory=tmp_path)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), serve_file) as site:
        threading.Thread(target=site.serve_forever, daemon=True).start()
        yield f"http://localhost:{site.server_port}/"
        site.shutdown()


def test_a_picture_on_another_site_starts_nothing(server, page, other_site):
    before = server.kernels()
    page.goto(other_site)
    address = server.address("open/counter")
    append = "([tag, src]) => document.body.append(Object.assign(document.createElement(tag), { src }))"
    with page.expect_event("requestfailed"):  # asked for, and kept from the other site
        page.evaluate(append, ["img", address])
    with page.expect_response(address) as answer:
        page.evaluate(append, ["iframe", address])
    assert answer.value.status == 403
    assert set(server.kernels()) <= set(before)


def test_without_a_choice_the_theme_is_the_systems(server, page):
    page.emulate_media(color_scheme="dark")
    page.goto(server.url)
    assert page.locator("html").get_attribute("data-cc-theme") == "dark"


def test_dashboard_draws_and_asks_nobody_else(server, page, requests):
    page.goto(server.address("open/chart"), wait_until="commit")
    page.locator(".cc-skeleton").wait_for()
    page.locator(".bqplot .dot_grp, .bqplot .element").first.wait_for()
    page.locator(".cc-skeleton").wait_for(state="detached")
    page.wait_for_load_state("networkidle")
    hosts = {urlsplit(url).hostname for url in requests if urlsplit(url).scheme not in ("data", "blob")}
    assert hosts == {"127.0.0.1"}
    assert page.title() == "Chart"


def test_dashboard_hears_its_query_and_answers(server, page):
    page.goto(server.address("open/counter?data=iris"))
    page.get_by_text("ready for data=iris").wait_for()
    page.get_by_role("button", name="Press").click()
    page.get_by_text("pressed").wait_for()


def test_closing_a_tab_ends_its_kernel_and_a_reload_goes_on(server, context):
    # Straight to the dashboard: the gallery has set no cookie before.
    page = context.new_page()
    page.goto(server.address("open/counter"))
    page.get_by_text("ready for").wait_for()
    first = kernel_of(page)
    assert server.status(f"api/kernels/{first}") == 200

    page.reload()
    page.get_by_text("ready for").wait_for()
    page.get_by_role("button", name="Press").click()
    page.get_by_text("pressed").wait_for()
    second = kernel_of(page)
    assert second != first
    wait_until(lambda: server.status(f"api/kernels/{first}") == 404, seconds=5)

    page.close(run_before_unload=True)
    wait_until(lambda: server.status(f"api/kernels/{second}") == 404, seconds=5)


def test_an_exception_shows_words(server, page):
    page.goto(server.address("open/broken"))
    page.get_by_text("This dashboard could not be opened").wait_for()
    page.locator(".cc-skeleton").wait_for(state="detached")
    shown = page.locator("body").inner_text()
    assert not any(word in shown for word in ("Traceback", "ValueError", "business", "whispered", "Voil"))
    assert "nobody's business" in server.log


def test_errors_are_pages_of_ours(server, page):
    for path in ("open/nothing", "no/such/page"):
        assert page.goto(server.address(path)).status == 404
        assert page.locator("h1").inner_text() == "There is no such page"
        page.get_by_role("link", name="Back to the gallery").click()
        assert page.locator(".card").count() == 3


def test_documents_can_be_read(server, page):
    page.goto(server.url)
    page.get_by_role("link", name="Documentation").click()
    page.locator(".rows a").first.click()
    assert page.locator("article h1").first.inner_text()
    assert server.status("docs/..%2F..%2FREADME") == 404


def test_doors_of_voila_are_shut(server):
    for path in ("voila/tree", "voila/render/counter.ipynb", "voila/api/contents", "voila/files/counter.ipynb"):
        assert server.status(path) == 404, path


@pytest.mark.slow
def test_uploads_of_50_mb_arrive_and_larger_ones_are_refused_in_words(server, page, tmp_path):
    sizes = {"fits.csv": 50 * 1024**2, "large.csv": 51 * 1024**2}
    for name, size in sizes.items():
        (tmp_path / name).write_bytes(b"1" * size)
    page.goto(server.address("open/counter"))
    button = page.locator("button.widget-upload")
    with page.expect_file_chooser() as chooser:
        button.click()
    chooser.value.set_files(tmp_path / "large.csv")
    page.get_by_text("large.csv: 51 MB is too large; up to 50 MB can be sent.").wait_for()
    with page.expect_file_chooser() as chooser:
        button.click()
    chooser.value.set_files(tmp_path / "fits.csv")
    page.get_by_text(f"got {sizes['fits.csv']} bytes").wait_for(timeout=90_000)


def test_a_token_is_needed_where_one_is_set(folder, page):
    server = Server(folder, token="a word", base_url="/behind/a/proxy", workers=0)
    try:
        assert server.url.endswith("/behind/a/proxy/?token=a%20word")
        page.goto(server.address(""))
        assert page.locator("h1").inner_text() == "A token is needed"
        page.goto(server.address("open/counter"))
        assert page.locator("h1").inner_text() == "A token is needed"
        page.get_by_label("Token").fill("another word")
        page.get_by_role("button", name="Open").click()
        page.get_by_text("That is not the token.").wait_for()
        page.goto(server.url)
        assert page.locator(".card").count() == 3
        page.locator(".card").nth(2).click()
        page.get_by_text("ready for").wait_for()
    finally:
        server.stop()


def test_ctrl_c_ends_the_server_and_its_kernels(folder, page):
    server = Server(folder)
    page.goto(server.address("open/counter"))
    page.get_by_text("ready for").wait_for()
    kernels = subprocess.run(["ps", "--ppid", str(server.process.pid), "-o", "pid="], capture_output=True, text=True)
    assert kernels.stdout.split()
    assert server.stop() == 0
    alive = subprocess.run(["ps", "-p", ",".join(kernels.stdout.split()), "-o", "pid="], capture_output=True, text=True)
    assert alive.stdout.split() == []


def test_a_page_whose_server_has_ended_says_so(folder, page):
    server = Server(folder, workers=0)
    page.goto(server.address("open/counter"))
    page.get_by_text("ready for").wait_for()
    server.stop()
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    page.get_by_text("The server does not answer.").wait_for()


def test_gallery_inside_a_jupyter_server(tmp_path, page):
    (tmp_path / "jupyter_server_config.json").write_text(
        json.dumps(
            {
                "ServerApp": {
                    "jpserver_extensions": {"cclab.server.extension": True, "voila.server_extension": True},
                    "base_url": "/user/someone/",
                    "open_browser": False,
                    "allow_root": True,
                },
                "IdentityProvider": {"token": ""},
            }
        )
    )
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", "jupyter_server", f"--ServerApp.port={port}", "--ServerApp.ip=127.0.0.1"],
        cwd=tmp_path,
        env=os.environ | {"JUPYTER_CONFIG_DIR": str(tmp_path)},
        stderr=subprocess.DEVNULL,
    )
    try:
        home = f"http://127.0.0.1:{port}/user/someone/cclab/"
        wait_until(lambda: is_answered(home), seconds=60)
        page.goto(home)
        assert page.locator("h1").inner_text() == "Say what you know. Watch the clusters listen."
        assert page.goto(f"{home}open/nothing").status == 404
        page.get_by_role("link", name="Back to the gallery").click()
        page.wait_for_url(home)
    finally:
        process.terminate()
        process.wait(30)
