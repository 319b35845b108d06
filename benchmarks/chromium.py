"""A real Voilà with a real Chromium for benchmarks, and a report that sets each figure beside its limit."""

from __future__ import annotations

import os
import runpy
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.conftest import CHROMIUM_FLAGS, HERE, Voila

PATIENCE = 120.0
# As the gallery's own server does.
PROMPT = "--Voila.kernel_websocket_connection_class=cclab.server.nodelay.PromptConnection"


class Report:
    """Prints each figure beside its limit."""

    def __init__(self) -> None:
        self.over = 0

    def head(self, what: str) -> None:
        print(f"\n{what} (load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores)", flush=True)

    def add(self, what: str, value: float, limit: float, unit: str, *, at_least: bool = False) -> None:
        ok = value >= limit if at_least else value <= limit
        self.over += not ok
        sign = "≥" if at_least else "≤"
        print(f"  {what:<50} {value:8.1f} {unit:<9} ({sign} {limit:g}){'' if ok else '  OVER'}", flush=True)

    def end(self) -> int:
        """The last line, and the exit code."""
        print(f"\n{self.over} over their limits" if self.over else "\nall within their limits", flush=True)
        return min(self.over, 1)


@contextmanager
def voila_and_browser() -> Iterator[tuple[Voila, Browser]]:
    """Both, with a state folder of their own, and gone afterwards."""
    path = runpy.run_path(str(HERE / "chromium.py"))["find"]()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        os.environ["CCLAB_STATE"] = str(Path(folder, "state"))
        voila = Voila(Path(folder), PROMPT)
        browser = playwright.chromium.launch(executable_path=path, args=CHROMIUM_FLAGS)
        try:
            yield voila, browser
        finally:
            browser.close()
            voila.close()


def new_page(browser: Browser) -> Page:
    """A page of a browser window that shares nothing with others."""
    page = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
    page.set_default_timeout(1000 * PATIENCE)
    return page


def heap(page: Page) -> float:
    """Megabytes that a page's objects take, garbage collected first."""
    devtools = page.context.new_cdp_session(page)
    devtools.send("HeapProfiler.collectGarbage")
    usage = devtools.send("Runtime.getHeapUsage")
    devtools.detach()
    return usage["usedSize"] / 2**20
