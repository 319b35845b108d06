"""Several visitors at once, each in a browser of their own, on a real `cclab app`: ``make bench-visitors``.

First one visitor opens each dashboard. Then visitors come, some seconds apart. When all are there, each says something
of their own and steps, all at the same time; then they reload, some seconds apart. What a visitor did must be found
again, by that visitor alone. Steps are timed on the page, from the key press to the frame that shows the effect.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import os
import re
import runpy
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from playwright.async_api import Browser, Page, async_playwright, expect

from tests.browser.conftest import CHROMIUM_FLAGS, HERE

#: Seconds; on a machine that others use too a page may take its time.
PATIENCE = 300.0
#: Seconds that a visitor looks at a step before the next.
LOOK = 1.0
#: What there is to see when a dashboard can be used.
READY = {
    "workbench": ".cc-legend .cc-glyph",
    "painter": ".cc-image-canvas .image",
    "compare": ".cc-twins > :last-child .cc-legend .cc-glyph",
    "ask_me": ".cc-game-group img",
    "how_many": ".cc-legend .cc-glyph",
    "credal": ".cc-credal h2",
}
#: Presses a key; milliseconds until the frame after the place in time has changed. Views are told of a step in the
#: order of the page, so the points have been drawn by then.
PRESS_AND_WAIT = """
key => new Promise((resolve, reject) => {
  const place = () => document.querySelector(".cc-place").textContent;
  const status = () => document.querySelector(".cc-status").textContent;
  setTimeout(() => reject(new Error(`${key} had no effect: ${status()}`)), 60_000);
  const before = place(), began = performance.now();
  const observer = new MutationObserver(() => {
    if (place() === before) return;
    observer.disconnect();
    requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - began)));
  });
  observer.observe(document.querySelector(".cc-timeline"), { subtree: true, childList: true, characterData: true });
  document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  document.body.dispatchEvent(new KeyboardEvent("keyup", { key, bubbles: true }));
})
"""


class Server:
    """`cclab app` as a process, on a free port of this machine, with a state folder of its own."""

    def __init__(self, folder: Path, workers: int) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        command = [
            Path(sys.executable).with_name("cclab"),
            "app",
            "--no-browser",
            f"--port={port}",
            f"--workers={workers}",
        ]
        self.process = subprocess.Popen(
            command, cwd=folder, env=os.environ | {"CCLAB_STATE": str(folder / "state")}, stdout=subprocess.DEVNULL
        )
        self.url = f"http://127.0.0.1:{port}/"
        _wait_until(self._answers, "the server does not answer")
        _wait_until(lambda: len(self._kernels()) >= workers, "no kernels are started")
        self.let_kernels_rest()

    def _answers(self) -> bool:
        try:
            return urllib.request.urlopen(self.url, timeout=5).status == 200
        except OSError:
            return False

    def _kernels(self) -> list[Path]:
        """Folders of /proc of the kernels."""
        found = subprocess.run(["ps", "--ppid", str(self.process.pid), "-o", "pid="], capture_output=True, text=True)
        return [Path("/proc") / pid for pid in found.stdout.split()]

    def let_kernels_rest(self) -> None:
        """Until no kernel has used the processor for two seconds: those that wait have done their imports."""
        before = None
        while before != (now := self._ticks()):
            before = now
            time.sleep(2)

    def _ticks(self) -> list[int]:
        """Processor time of each kernel, in tenths of a second: the beats of the heart don't count."""
        return [sum(map(int, (k / "stat").read_text().rsplit(")")[1].split()[11:13])) // 10 for k in self._kernels()]

    def memory(self, kernel_id: str | None = None) -> float:
        """Megabytes (proportional set size) of a kernel, or of the server itself."""
        process = Path(f"/proc/{self.process.pid}")
        if kernel_id is not None:
            process = next(k for k in self._kernels() if kernel_id in (k / "cmdline").read_text())
        found = re.search(r"^Pss:\s+(\d+) kB", (process / "smaps_rollup").read_text(), re.M)
        return int(found[1]) / 1024

    def stop(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()


@dataclass
class Visitor:
    """One person with a browser of their own, who says something that nobody else says.

    Attributes
    ----------
    number : int
        Makes the lasso their own.
    times : dict of list of float
        Seconds, by what was done.
    """

    number: int
    page: Page
    url: str
    times: dict[str, list[float]] = field(
        default_factory=lambda: {"open": [], "step": [], "statement": [], "reload": []}
    )

    async def visit(self, n_steps: int, apart: float, everyone: asyncio.Barrier) -> None:
        """Open, say something, step, reload, and find everything again."""
        await asyncio.sleep(self.number * apart)
        await self._timed("open", self.page.goto(self.url))
        await everyone.wait()
        await self._lasso(0.0, 0.02, 0.3 + 0.03 * self.number, 0.98)
        await expect(self.page.locator(".cc-selection")).to_contain_text("selected")
        began = time.monotonic()
        await self.page.keyboard.press("m")
        await expect(self._statements).to_have_count(1)
        self.times["statement"].append(time.monotonic() - began)
        await self.page.keyboard.press("Escape")
        for _ in range(n_steps + self.number % 3):
            self.times["step"].append(await self.page.evaluate(PRESS_AND_WAIT, "ArrowRight") / 1000)
            await asyncio.sleep(LOOK)
        left = await self.seen()
        await everyone.wait()
        await asyncio.sleep(self.number * apart)
        await self._timed("reload", self.page.reload())
        await expect(self._statements).to_have_count(1)
        await expect(self.page.locator(".cc-place")).to_have_text(left[1])
        found = await self.seen()
        if found != left:
            raise AssertionError(f"visitor {self.number} left {left} and found {found}")

    async def _timed(self, what: str, going) -> None:
        """Go to a page, until it can be used."""
        began = time.monotonic()
        await going
        await self.page.locator(READY["workbench"]).first.wait_for()
        self.times[what].append(time.monotonic() - began)

    async def _lasso(self, left: float, low: float, right: float, high: float) -> None:
        box = await self.page.locator(".cc-points").first.bounding_box()
        corners = [(left, low), (right, low), (right, high), (left, high), (left, low)]
        places = [
            (box["x"] + 46 + x * (box["width"] - 58), box["y"] + 8 + (1 - y) * (box["height"] - 52)) for x, y in corners
        ]
        await self.page.mouse.move(*places[0])
        await self.page.mouse.down()
        for place in places[1:]:
            await self.page.mouse.move(*place, steps=6)
        await self.page.mouse.up()

    @property
    def _statements(self):
        return self.page.locator(".cc-constraints tr[data-action=find]")

    async def seen(self) -> tuple[str, str]:
        """What the page says of this visitor's work: the statement and the place in time."""
        return await self._statements.inner_text(), await self.page.locator(".cc-place").inner_text()

    async def kernel_id(self) -> str:
        return json.loads(await self.page.locator("#jupyter-config-data").text_content())["kernelId"]


async def newcomer(browser: Browser) -> Page:
    """A page in a browser that has never been here."""
    context = await browser.new_context(viewport={"width": 1280, "height": 800})
    context.set_default_timeout(1000 * PATIENCE)
    return await context.new_page()


async def first_paints(browser: Browser, server: Server) -> None:
    """One visitor after the other opens each dashboard, with a warm kernel and an empty cache."""
    print("| dashboard | page | ready |\n|---|---|---|", flush=True)
    for name, selector in READY.items():
        server.let_kernels_rest()
        page = await newcomer(browser)
        began = time.monotonic()
        await page.goto(f"{server.url}open/{name}", wait_until="commit")
        await page.locator(".cc-app .cc-bar").wait_for()
        shown = time.monotonic() - began
        await page.locator(selector).first.wait_for()
        print(f"| {name} | {shown:.1f} s | {time.monotonic() - began:.1f} s |", flush=True)
        await page.close(run_before_unload=True)


async def together(browser: Browser, server: Server, n_visitors: int, n_steps: int, apart: float) -> None:
    """All visitors at once; nobody's work is lost or seen by another."""
    server.let_kernels_rest()
    url = f"{server.url}open/workbench"
    visitors = [Visitor(number, await newcomer(browser), url) for number in range(n_visitors)]
    everyone = asyncio.Barrier(n_visitors)
    async with asyncio.TaskGroup() as group:  # when one fails, nobody waits for the others
        for visitor in visitors:
            group.create_task(visitor.visit(n_steps, apart, everyone))
    seen = [await visitor.seen() for visitor in visitors]
    if len(set(seen)) < n_visitors:
        raise AssertionError(f"two visitors found the same work: {seen}")
    kernels = [await visitor.kernel_id() for visitor in visitors]
    print(f"| {n_visitors} at once | median | 95 % | slowest |\n|---|---|---|---|")
    for what in visitors[0].times:
        times = list(itertools.chain.from_iterable(visitor.times[what] for visitor in visitors))
        print(f"| {what} | {np.median(times):.2f} s | {np.quantile(times, 0.95):.2f} s | {max(times):.2f} s |")
    memory = statistics.mean(server.memory(kernel) for kernel in kernels)
    print(f"\nA visitor's kernel {memory:.0f} MB, the server {server.memory():.0f} MB (proportional set size)")
    print(f"{n_visitors} sessions left, {n_visitors} found again, each by its own visitor", flush=True)
    for visitor in visitors:
        await visitor.page.context.close()


async def measure(visitors: int, workers: int, steps: int, apart: float) -> None:
    chromium = runpy.run_path(str(HERE / "chromium.py"))["find"]()
    expect.set_options(timeout=1000 * PATIENCE)
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder), workers)
        try:
            async with async_playwright() as playwright:
                browser = await playwright.chromium.launch(executable_path=chromium, args=CHROMIUM_FLAGS)
                print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, {workers} kernels ready\n", flush=True)
                await first_paints(browser, server)
                print()
                await together(browser, server, visitors, steps, apart)
                await browser.close()
        finally:
            server.stop()


def _wait_until(condition, otherwise: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(otherwise)
        time.sleep(0.2)


def main(words: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="make bench-visitors", description=__doc__)
    parser.add_argument("--visitors", type=int, default=20)
    parser.add_argument(
        "--workers", type=int, default=2, help="kernels kept ready (default: %(default)s, as cclab app)"
    )
    parser.add_argument("--steps", type=int, default=5, help="of each visitor; some make one or two more")
    parser.add_argument("--apart", type=float, default=4.0, help="seconds between two that come (default: %(default)s)")
    asyncio.run(measure(**vars(parser.parse_args(words))))


if __name__ == "__main__":
    main(sys.argv[1:])
