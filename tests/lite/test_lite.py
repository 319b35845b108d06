"""cclab where the browser is all there is: what its pages need, and, where Pyodide can be had, a lasso and a step.

``make lite`` builds the pages. The journey needs Pyodide, whose compiled packages are in no registry: it runs where
CCLAB_PYODIDE=1 says that a browser can reach them (a job of the public workflow), and is skipped elsewhere.
"""

import functools
import http.server
import json
import os
import runpy
import subprocess
import sys
import threading
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LITE = runpy.run_path(str(ROOT / "docs/lite.py"))
BUILT = ROOT / "dist/lite"

# What a browser has not, and the extra `browser` does not ask for.
ABSENT = "jupyterlab voila jupyter_server jupyter_client ipykernel tornado nbconvert nbformat zmq pyarrow"

WITHOUT = f"""
import sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {ABSENT.split()!r}:
            raise ModuleNotFoundError(f"no {{name}} in a browser", name=name)
sys.meta_path.insert(0, Absent())
import asyncio
import threading
def start(thread):
    raise RuntimeError("can't start new thread")
threading.Thread.start = start
from cclab.apps import workbench
page = workbench("iris")
page.session.constrain(group=[0, 1, 2], source="lasso")
asyncio.run(page.session.arun(3))
print(page.session.current.state.iteration, page.labels.nunique())
"""


def test_the_workbench_runs_without_server_and_threads(tmp_path):
    environment = {**os.environ, "CCLAB_STATE": str(tmp_path), "CCLAB_THREADS": "0", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT], capture_output=True, text=True, env=environment, cwd=tmp_path, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.split() == ["3", "3"]


def test_every_notebook_is_there_and_installs_cclab_first():
    folder = LITE["_contents"]()
    names = {path.name for path in folder.iterdir()}
    assert {"01-first-steps.ipynb", "workbench.ipynb", "painter.ipynb"} <= names
    for path in folder.iterdir():
        first = json.loads(path.read_text(encoding="utf-8"))["cells"][0]
        assert first["source"] == [LITE["INSTALL"]]


def test_what_is_asked_of_the_registry_is_pure():
    asked = {LITE["_name"](one) for one in LITE["pure_requirements"]()}
    assert {"psygnal", "ipywidgets", "anywidget", "filelock"} <= asked
    assert not asked & LITE["COMPILED"]


def test_what_was_built_is_whole():
    if not BUILT.exists():
        pytest.skip("there are no pages: make lite builds them")
    assert [name for name in LITE["expected"]() if not (BUILT / name).exists()] == []
    shipped = json.loads((BUILT / "pypi/all.json").read_text())
    assert "cclab" in shipped


@pytest.mark.browser
def test_a_lasso_and_a_step_in_the_browser_alone(request):
    if not BUILT.exists() or os.environ.get("CCLAB_PYODIDE") != "1":
        pytest.skip("needs the pages (make lite), and Pyodide's address within reach (CCLAB_PYODIDE=1)")
    browser = request.getfixturevalue("browser")
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(BUILT))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    try:
        page.goto(f"http://127.0.0.1:{server.server_port}/lab/index.html?path=workbench.ipynb")
        page.get_by_text("Run", exact=True).first.click()
        page.get_by_text("Run All Cells", exact=True).click()
        plot = page.locator(".cc-points canvas").first
        plot.wait_for(timeout=240_000)
        box = plot.bounding_box()
        around = [(0.1, 0.1), (0.5, 0.1), (0.5, 0.9), (0.1, 0.9), (0.1, 0.1)]
        page.mouse.move(box["x"] + 0.1 * box["width"], box["y"] + 0.1 * box["height"])
        page.mouse.down()
        for x, y in around:
            page.mouse.move(box["x"] + x * box["width"], box["y"] + y * box["height"], steps=5)
        page.mouse.up()
        page.get_by_text("selected").first.wait_for()
        page.keyboard.press("m")
        page.keyboard.press("ArrowRight")
        page.get_by_text("iteration 1").first.wait_for(timeout=60_000)
    finally:
        page.close()
        server.shutdown()
