"""A real Voilà and a real Chromium."""

import os
import runpy
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import nbformat
import pytest
from playwright.sync_api import Browser, Page, sync_playwright

HERE = Path(__file__).parent
SCREENSHOTS = HERE.parents[1] / "screenshots"
CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
#: Files that take longest, in this order: begun first, so that none is left to one process at the end.
LONGEST = ["test_visit", "test_dashboards", "test_own_data", "test_gallery", "test_workbench_lab"]
READY_SECONDS = 120
# Plain Voilà, but for the seconds that we spare our own server too.
VOILA = "import cclab.server; from voila.app import main; main()"
SERVE = "from cclab.server.server import serve\nserve(open_browser=False, workers=1)"


def pytest_collection_modifyitems(items):
    ranks = {name: rank for rank, name in enumerate(LONGEST)}
    items.sort(key=lambda item: ranks.get(item.path.stem, len(LONGEST)))


@pytest.fixture(scope="session")
def browser():
    """Chromium, driven by Playwright."""
    path = runpy.run_path(str(HERE / "chromium.py"))["find"]()
    if path is None:
        pytest.fail("There is no Chromium; get it with: python tests/browser/chromium.py")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=CHROMIUM_FLAGS)
        yield chromium
        chromium.close()


class Voila:
    """A Voilà server over a folder of its own."""

    def __init__(self, folder: Path, *flags: str):
        self.folder = folder
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        # The visitor's own settings must not change what is tested.
        places = {name: str(folder / ".home") for name in ("JUPYTER_CONFIG_DIR", "IPYTHONDIR")}
        self._log = open(folder / "voila.log", "w")  # noqa: SIM115
        options = ["--no-browser", f"--port={port}", "--Voila.ip=127.0.0.1", "--show_tracebacks=True", *flags]
        # As our own server has it: on a busy machine plain Voilà leaves the page empty after four seconds.
        options.append(f"--VoilaExecutor.iopub_timeout={READY_SECONDS}")
        self._process = subprocess.Popen(
            [sys.executable, "-c", VOILA, str(folder), *options],
            env=os.environ | places,
            stdout=self._log,
            stderr=subprocess.STDOUT,
        )
        self._wait()

    def _wait(self) -> None:
        deadline = time.monotonic() + READY_SECONDS
        while time.monotonic() < deadline and self._process.poll() is None:
            try:
                urllib.request.urlopen(self.url, timeout=5).close()
                return
            except OSError:
                time.sleep(0.2)
        raise RuntimeError(f"Voilà did not start: {(self.folder / 'voila.log').read_text()[-2000:]}")

    def add(self, name: str, source: str | Path) -> str:
        """Serve a notebook, given as a path or as the source of its one cell; its address."""
        path = self.folder / f"{name}.ipynb"
        if isinstance(source, Path):
            path.write_text(source.read_text(encoding="utf-8"), encoding="utf-8")
        else:
            notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source)])
            notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
            nbformat.write(notebook, path)
        return f"{self.url}/voila/render/{path.name}"

    def close(self) -> None:
        """End the server, and with it the kernels that it started."""
        self._process.terminate()
        try:
            self._process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self._process.kill()
        self._log.close()


@pytest.fixture(scope="module")
def voila(tmp_path_factory):
    """One Voilà server for the module."""
    server = Voila(tmp_path_factory.mktemp("voila"))
    yield server
    server.close()


@pytest.fixture(scope="module")
def page_errors():
    """What went wrong on the pages of the module, so far."""
    return []


@pytest.fixture(scope="module")
def voila_page(browser: Browser, voila: Voila, page_errors: list):
    """A function that opens a notebook (a path, or the source of one cell) as a Voilà page."""
    contexts = []

    def open_page(source: str | Path, *, name: str = "page", width: int = 1280, height: int = 800) -> Page:
        context = browser.new_context(viewport={"width": width, "height": height}, accept_downloads=True)
        context.set_default_timeout(1000 * READY_SECONDS)
        contexts.append(context)
        # Nothing from outside: neither needed nor waited for.
        context.route(lambda url: not url.startswith((voila.url, "data:", "blob:")), lambda route: route.abort())
        page = context.new_page()
        page.on("pageerror", lambda error: page_errors.append(error.stack or str(error)))
        page.goto(voila.add(name, source))
        return page

    yield open_page
    for context in contexts:
        context.close()


@pytest.fixture(autouse=True)
def _no_page_errors(page_errors: list):
    """An error on the page fails the test during which it came."""
    before = len(page_errors)
    yield
    assert page_errors[before:] == []


@pytest.fixture
def screenshot():
    """A function that keeps a picture of a page, to be looked at."""

    def keep(page: Page, name: str) -> None:
        SCREENSHOTS.mkdir(exist_ok=True)
        page.screenshot(path=SCREENSHOTS / f"{name}.png")

    return keep


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """Where the gallery is."""
    folder = tmp_path_factory.mktemp("gallery")
    with pytest.MonkeyPatch.context() as patch, (folder / "errors.log").open("w") as errors:
        patch.setenv("CCLAB_STATE", str(folder / "state"))
        server = subprocess.Popen(
            [sys.executable, "-c", SERVE], cwd=folder, stdout=subprocess.PIPE, stderr=errors, text=True
        )
    said = next((line for line in server.stdout if "cclab is open at " in line), "")
    if not said:
        pytest.fail((folder / "errors.log").read_text())
    yield said.rpartition(" ")[2].strip()
    server.terminate()
    try:
        server.wait(20)
    finally:
        server.kill()
        server.stdout.close()
