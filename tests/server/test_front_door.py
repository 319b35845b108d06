"""A real server, and those who come with something else in mind than clustering."""

import asyncio
import json
import re
import signal
import socket
import time

import pytest
from jupyter_client.session import Session
from jupyter_server.services.kernels.connection.base import deserialize_msg_from_ws_v1, serialize_msg_to_ws_v1

from cclab.server import gallery
from cclab.server import handlers as pages
from tests.server.serving import Server, wait_until, write_notebook

pytestmark = pytest.mark.xdist_group("front door")  # one server for all
# Ports are drawn before kernels bind them: another process of this machine may have been quicker.
PORT_TAKEN = re.compile(r"Exception in thread Heartbeat:\n(?:(?!Exception in).*\n)*?.*Address already in use.*\n")

V1 = "v1.kernel.websocket.jupyter.org"
SLOW = "import time; time.sleep(2)"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dashboards")
    write_notebook(folder, "still", "1 + 1")
    write_notebook(folder, "slow", SLOW)
    return folder


@pytest.fixture(scope="module")
def server(folder):
    server = Server(folder, workers=0)
    yield server
    server.stop()


@pytest.fixture(scope="module")
def locked(folder):
    """A server that needs a token."""
    server = Server(folder, workers=0, base_url="/behind/a/proxy", hosts=["clusters.example.org"])
    yield server
    server.stop()


def open_page(server, name="still", **headers):
    """Open a dashboard as a browser would: the id of its kernel, and the cookie that its page sends back."""
    status, answered, body = server.ask(f"open/{name}", **headers)
    assert status == 200, f"{body}\n{server.log}"
    (config,) = re.findall(r'<script id="jupyter-config-data"[^>]*>(.*?)</script>', body, re.S)
    (cookie,) = re.findall(r"_xsrf=([^;]+)", str(answered.get_all("Set-Cookie")))
    return json.loads(config)["kernelId"], cookie


def close_page(server, kernel_id, cookie):
    """What a page sends when it is closed."""
    answer = server.ask(f"voila/api/shutdown/{kernel_id}", "POST", Cookie=f"_xsrf={cookie}", X_XSRFToken=cookie)
    assert answer[0] == 204


async def is_answering(socket_):
    """Whether a kernel still answers through a websocket."""
    session = Session()
    message = session.msg("kernel_info_request")
    await socket_.write_message(serialize_msg_to_ws_v1(message, "shell", session.pack), binary=True)
    async with asyncio.timeout(20):
        while True:
            channel, _ = deserialize_msg_from_ws_v1(await socket_.read_message())
            if channel == "shell":
                return True


# Frames

CLAIMS = {
    "many parts": (V1, (2**60).to_bytes(8, "little")),
    "no parts": (V1, bytes(8)),
    "parts outside": (V1, (6).to_bytes(8, "little") + b"".join((56 + 9 * i).to_bytes(8, "little") for i in range(6))),
    "parts backwards": (V1, (6).to_bytes(8, "little") + b"".join((100 - i).to_bytes(8, "little") for i in range(6))),
    "nothing": (V1, b""),
    "many parts, older protocol": (None, (2**31 - 1).to_bytes(4, "big")),
}


@pytest.mark.parametrize("claim", CLAIMS)
async def test_a_frame_that_lies_ends_its_own_connection_only(server, claim):
    kernel_id, cookie = await asyncio.to_thread(open_page, server)
    protocol, frame = CLAIMS[claim]
    other = await server.connect(kernel_id)
    liar = await server.connect(kernel_id, protocol)
    await liar.write_message(frame, binary=True)
    async with asyncio.timeout(20):
        while await liar.read_message() is not None:
            pass
    assert liar.close_code == 1002
    assert liar.close_reason.startswith("This is no message: ")
    assert await is_answering(other)
    other.close()
    assert await asyncio.to_thread(server.status, "") == 200
    assert f"for kernel {kernel_id} is no message" in server.log
    await asyncio.to_thread(close_page, server, kernel_id, cookie)


# Other sites

PICTURE = {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "no-cors", "Sec_Fetch_Dest": "image"}
LINK = {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "navigate", "Sec_Fetch_Dest": "document"}


@pytest.mark.parametrize(
    "headers",
    [
        PICTURE,
        PICTURE | {"Sec_Fetch_Mode": "cors", "Sec_Fetch_Dest": "empty", "Origin": "http://elsewhere.example"},
        LINK | {"Sec_Fetch_Dest": "iframe"},
        LINK | {"Sec_Purpose": "prefetch"},
        PICTURE | {"Sec_Fetch_Site": "same-site"},  # another port of this machine
        {"Origin": "http://elsewhere.example"},
    ],
)
def test_other_sites_start_no_kernels(server, headers):
    before = server.kernels()
    status, _, body = server.ask("open/still", **headers)
    assert status == 403
    assert "This page is not open to you" in body
    assert set(server.kernels()) <= set(before)


def test_a_link_from_elsewhere_is_followed(server):
    close_page(server, *open_page(server, **LINK))


@pytest.mark.parametrize("host", ["elsewhere.example", "elsewhere.example:8866", "127.0.0.1.elsewhere.example"])
def test_another_name_is_refused(server, locked, host):
    """As it is sent when a name that an attacker owns is made to lead to this machine."""
    for path in ("", "open/still", "docs", "no/such/page", "api/kernels/0-0-0-0-0"):
        assert server.status(path, Host=host) == 403, path
        assert locked.status(f"{path}?{locked.url.partition('?')[2]}", Host=host) == 403, path


def test_behind_a_proxy_the_name_is_known_and_the_token_needed(locked):
    query = locked.url.partition("?")[2]
    assert re.fullmatch(r"token=[\w-]{32}", query)
    assert locked.status(f"?{query}", Host="clusters.example.org") == 200
    assert locked.status("", Host="clusters.example.org") == 302
    assert locked.status("") == 302


# Room


def test_when_all_places_are_taken_others_wait_and_get_in(folder):
    server = Server(folder, workers=0, visitors=1)
    try:
        first = open_page(server)
        status, headers, body = server.ask("open/still")
        assert status == 503
        assert headers["Retry-After"] == str(pages.RETRY_SECONDS)
        assert "All places are taken" in body
        assert f'<meta http-equiv="refresh" content="{pages.RETRY_SECONDS}">' in body
        assert len(server.kernels()) == 1
        close_page(server, *first)
        close_page(server, *open_page(server))
    finally:
        server.stop()


def test_a_kernel_that_nobody_waits_for_is_ended(folder):
    server = Server(folder, workers=0)
    try:
        host, port = server.host.split(":")
        for _ in range(5):  # more than are opened at a time: those that wait for their turn are given up, too
            with socket.create_connection((host, int(port))) as gone:
                gone.sendall(f"GET /open/slow HTTP/1.1\r\nHost: {server.host}\r\n\r\n".encode())
                wait_until(lambda: len(server.kernels()) > 0, seconds=30)
        wait_until(lambda: server.kernels() == [], seconds=60)
        assert server.status("") == 200
        assert PORT_TAKEN.sub("", server.log) == ""
    finally:
        server.stop()


def test_a_page_that_takes_too_long_is_given_up_in_words_and_its_kernel_ended(folder):
    write_notebook(folder, "stuck", "import time; time.sleep(600)")
    server = Server(folder, workers=0, opening_seconds=2)
    try:
        status, _, body = server.ask("open/stuck")
        assert (status, "took too long to open, and was given up" in body) == (200, True)
        assert body.rstrip().endswith("</html>")
        wait_until(lambda: server.kernels() == [])
        assert "Traceback" not in server.log
        assert "A cell timed out" in server.log
        assert server.status("") == 200
    finally:
        server.stop()


# Pages that are no dashboards


def test_every_page_and_every_error_has_the_same_policy(server, locked):
    for path in ("", "docs", "no/such/page", "open/nothing", "docs/nothing", "logout"):
        status, headers, _ = server.ask(path)
        assert headers["Content-Security-Policy"] == pages.CONTENT_SECURITY_POLICY, (status, path)
    assert locked.ask("login")[1]["Content-Security-Policy"] == pages.CONTENT_SECURITY_POLICY
    for directive in ("form-action 'self'", "base-uri 'self'", "object-src 'none'"):
        assert directive in pages.CONTENT_SECURITY_POLICY


def test_leaving_is_a_page(server, locked):
    status, _, body = server.ask("logout")
    assert (status, "There is nothing to leave" in body) == (200, True)
    status, headers, body = locked.ask("logout")
    assert (status, "has forgotten the token" in body) == (200, True)
    assert "username-" in str(headers.get_all("Set-Cookie"))


def test_pictures_of_documents_need_the_token_too(server, locked):
    name = min(gallery.pictures())
    status, headers, _ = server.ask(f"docs/{name}")
    assert status == 200
    assert headers["Content-Type"].startswith("image/")
    assert locked.status(f"docs/{name}") == 302


def test_the_cookie_stays_with_this_site(locked):
    cookies = str(locked.ask(f"?{locked.url.partition('?')[2]}")[1].get_all("Set-Cookie"))
    assert re.search(r"username-[^;]+;.*SameSite=Lax", cookies)


# Paths

OUTSIDE = [
    "..%2F..%2FREADME",
    "../../README",
    "..%2f..%2fpyproject.toml",
    "%2Fetc%2Fpasswd",
    "/etc/passwd",
    "..%5C..%5CREADME",
    "images/..%2F..%2FREADME.md",
    "%2e%2e/%2e%2e/%2e%2e/%2e%2e/etc/passwd",
    "x%00.png",
]


@pytest.mark.parametrize("below", ["docs/", "open/", "notebooks/", "voila/static/", "voila/labextensions/"])
@pytest.mark.parametrize("path", OUTSIDE)
def test_nothing_that_is_asked_for_is_taken_as_a_path(server, below, path):
    status, _, body = server.ask(below + path)
    assert 400 <= status < 500, (status, body[:200])
    for ending in (".md", ".png", ".ipynb"):
        assert 400 <= server.status(below + path + ending) < 500


@pytest.mark.parametrize("template", ["..", "..%2F..", "lab", "%2Fetc"])
def test_templates_lead_nowhere_else(server, template):
    for path in ("static/..%2F..%2F..%2F..%2F..%2Fetc/passwd", "static/%2Fetc%2Fpasswd", "..%2Fconf.json"):
        status, _, body = server.ask(f"voila/templates/{template}/{path}")
        assert status != 200
        assert "root:" not in body


def test_a_notebook_outside_its_folder_is_not_opened(server, folder):
    write_notebook(folder.parent, "outside", "1 + 1")
    before = server.kernels()
    for name in ("..%2Foutside", "../outside", f"{folder.parent}%2Foutside", "still%2F..%2F..%2Foutside"):
        assert server.status(f"open/{name}") == 404, name
    assert set(server.kernels()) <= set(before)


def test_the_built_site_is_served_and_nothing_beside_it(folder, tmp_path):
    built = tmp_path / "html"
    (built / "_static").mkdir(parents=True)
    (built / "index.html").write_text("<h1>All pages</h1>")
    (built / "_static/site.css").write_text("body {}")
    (tmp_path / "secret.txt").write_text("no one's business")
    server = Server(folder, site=built, workers=0)
    try:
        assert server.ask("docs")[1]["Location"].endswith("/docs/")
        for path, body in [("docs/", "<h1>All pages</h1>"), ("docs/_static/site.css", "body {}")]:
            assert server.ask(path)[::2] == (200, body)
        for name in [
            "../secret.txt",
            "_static/../../secret.txt",
            "..%2Fsecret.txt",
            "_static",
            "nothing.html",
            *OUTSIDE,
        ]:
            assert 400 <= server.status(f"docs/{name}") < 500, name
        for path in ("docs", "docs/", "docs/nothing.html"):
            assert server.ask(path)[1]["Content-Security-Policy"] == pages.CONTENT_SECURITY_POLICY, path
            assert server.status(path, Host="elsewhere.example") == 403, path
    finally:
        server.stop()


def test_two_signals_at_once_end_it_and_its_kernels_cleanly(folder):
    server = Server(folder, workers=1)
    for _ in range(2):
        server.process.send_signal(signal.SIGTERM)
        time.sleep(0.05)
    assert server.process.wait(30) == 0
    server.process.stdout.close()
    assert "Event loop stopped" not in server.log
    assert server.kernels() == []


def test_formulas_are_drawn_and_code_is_left_alone():
    html = pages.with_formulas("<p>$x_i^2$ and <code>$HOME</code> costs $5</p>")
    assert "<math" in html
    assert "<code>$HOME</code> costs $5" in html
    assert pages.with_formulas(r"$\nonsense{$") == r"$\nonsense{$"
