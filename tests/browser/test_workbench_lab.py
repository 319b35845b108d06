"""The same journey in a notebook: real JupyterLab, two workbenches side by side."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import suppress

import nbformat
import pytest
from playwright.sync_api import TimeoutError, expect

from tests.browser.journeys import Hand

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

CELLS = [
    "from cclab.apps import workbench\nfirst = workbench('iris', 'FCM', seed=1)\nfirst",
    "second = workbench('wine', 'FCM', seed=1)\nsecond",
]
# Without the seconds that our own server is spared, too.
LAB = "import cclab.server; from jupyterlab.labapp import main; main()"
# All cells stay on the page, and nothing is asked of the network.
SETTINGS = {
    "@jupyterlab/notebook-extension/tracker": {"windowingMode": "none"},
    "@jupyterlab/apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
}


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """The address of a JupyterLab with one notebook."""
    folder = tmp_path_factory.mktemp("lab")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in CELLS])
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(notebook, folder / "two.ipynb")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    places = {name: str(folder / name.lower()) for name in ("CCLAB_STATE", "JUPYTER_CONFIG_DIR", "IPYTHONDIR")}
    options = ["--no-browser", "--ip=127.0.0.1", f"--port={port}", "--allow-root", "--expose-app-in-browser"]
    options += ["--IdentityProvider.token="]  # this machine only, for as long as the test runs
    for name, values in SETTINGS.items():
        path = folder / "settings" / f"{name}.jupyterlab-settings"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(values))
    places["JUPYTERLAB_SETTINGS_DIR"] = str(folder / "settings")
    command = [sys.executable, "-c", LAB, *options, str(folder)]
    with open(folder / "lab.log", "w") as log:
        process = subprocess.Popen(command, env=os.environ | places, stdout=log, stderr=subprocess.STDOUT)
        address = f"http://127.0.0.1:{port}"
        deadline = time.monotonic() + 120
        while True:
            try:
                urllib.request.urlopen(f"{address}/api", timeout=5).close()
                break
            except OSError:
                if time.monotonic() > deadline or process.poll() is not None:
                    raise RuntimeError(
                        f"JupyterLab did not start: {(folder / 'lab.log').read_text()[-2000:]}"
                    ) from None
                time.sleep(0.2)
        yield f"{address}/lab/tree/two.ipynb"
        process.terminate()
        try:
            process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()


@pytest.fixture(scope="module")
def page(browser, lab, page_errors):
    context = browser.new_context(viewport={"width": 1440, "height": 900}, accept_downloads=True)
    context.set_default_timeout(120_000)
    page = context.new_page()
    page.on("pageerror", lambda error: page_errors.append(str(error)))
    page.goto(lab)
    _run_all(page)
    yield page
    context.close()


def _run_all(page):
    """Run both cells. JupyterLab may drop what is run while the kernel is about to be ready: then run them again."""
    page.get_by_text("Python 3 (ipykernel)").first.wait_for()
    page.locator(".jp-Notebook-ExecutionIndicator[data-status=idle]").first.wait_for()
    for _ in range(3):
        page.get_by_role("menuitem", name="Run", exact=True).click()
        page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
        with suppress(TimeoutError):
            page.locator(".cc-app").nth(1).wait_for(state="attached", timeout=40_000)
            return


def _hands(page):
    hands = [Hand(page, number) for number in (0, 1)]
    for hand in reversed(hands):
        hand.app.scroll_into_view_if_needed()
        hand.wait_until_open()
    return hands


@pytest.fixture(scope="module")
def hands(page):
    expect.set_options(timeout=120_000)
    yield _hands(page)
    expect.set_options(timeout=5_000)


def test_a_journey_in_one_cell_leaves_the_other_alone(hands, page, screenshot):
    first, second = hands
    first.find(".cc-title").first.click()
    first.keep_two_groups_apart()
    # Lab's own keys (d d deletes the cell, m makes it Markdown) must not fire.
    first.answer_three()
    end = first.run_to_the_end()
    first.press("Home")
    first.wait_for_place(0)
    first.press("End")
    first.wait_for_place(end)
    first.press("Control+z")
    expect(first.find(".cc-place")).not_to_have_text(f"{end} / {end}")
    screenshot(page, "workbench-lab")
    expect(page.locator(".jp-Notebook .jp-CodeCell")).to_have_count(2)
    expect(second.find(".cc-constraints:not(.cc-samples)")).to_contain_text("Nothing stated yet")
    assert second.place_in_time() == (0, 0)


def test_a_new_kernel_opens_the_same_session(hands, page):
    before = hands[0].statements.all_inner_texts()
    assert len(before) == 3
    page.get_by_role("menuitem", name="Kernel", exact=True).click()
    page.get_by_role("menuitem", name="Restart Kernel and Run All Cells…", exact=True).click()
    page.get_by_role("button", name="Confirm Kernel Restart").click()
    first = Hand(page)
    expect(first.statements).to_have_count(3)
    assert first.statements.all_inner_texts() == before
