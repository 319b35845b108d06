"""How fast the painter is in a real Chromium, against the limits that it is built for: ``make bench-ui``.

Strokes come from Playwright's mouse, sixty events a second. The canvas tells when it has drawn, and all times are the
browser's own: from the event, or from lifting the mouse, until there is something to see.
"""

from __future__ import annotations

import io
import math
import sys
import time

import numpy as np
from PIL import Image
from playwright.sync_api import Page, expect
from skimage import data

from benchmarks.chromium import PATIENCE, Report, heap, new_page, resident, voila_and_browser
from tests.browser.conftest import Voila

RATE, MOVES = 60, 120
QUIET = 2.0  # seconds without a new overlay: it was the last
SOURCE = """
import os
from pathlib import Path
from cclab.apps import painter
Path({file!r}).write_text(str(os.getpid()))
painter({name!r})
"""
PROBE = """(root) => {
  const seen = (window.probe = { lags: [], frames: [], overlays: [], lifted: 0 });
  // Registered after the canvas's own listeners: when these run, it has drawn.
  root.addEventListener("pointermove", (event) => seen.lags.push(performance.now() - event.timeStamp));
  root.addEventListener("pointerup", (event) => (seen.lifted = event.timeStamp));
  root.addEventListener("drawn", ({ detail }) => detail === "overlay" && seen.overlays.push(performance.now()));
  const frame = (now) => { seen.frames.push(now); requestAnimationFrame(frame); };
  requestAnimationFrame(frame);
}"""
FORGET = "() => { for (const name of ['lags', 'frames', 'overlays']) probe[name].length = 0; }"


class Visit:
    """One painter in the browser."""

    def __init__(self, page: Page, voila: Voila, name: str) -> None:
        file = voila.folder / f"{name}.pid"
        began = time.monotonic()
        page.goto(voila.add(name, SOURCE.format(file=str(file), name=name)))
        self.page, self.canvas = page, page.locator(".cc-image-canvas")
        self.wait_for("Paint a stroke in each of two regions")
        self.seconds_to_open = time.monotonic() - began
        self.kernel = int(file.read_text())
        self.canvas.evaluate(PROBE)

    def wait_for(self, words: str) -> None:
        expect(self.page.locator(".cc-status")).to_contain_text(words, timeout=1000 * PATIENCE)

    def open(self, name: str, pixels: np.ndarray) -> float:
        """Open a picture from a file; seconds until it is there to be painted on."""
        buffer = io.BytesIO()
        Image.fromarray(pixels).save(buffer, "PNG", compress_level=1)
        with self.page.expect_file_chooser() as chooser:
            self.page.get_by_role("button", name="Open").first.click()
        began = time.monotonic()
        chooser.value.set_files({"name": f"{name}.png", "mimeType": "image/png", "buffer": buffer.getvalue()})
        self.wait_for(f"pixels {pixels.shape[0] * pixels.shape[1]:,}")
        return time.monotonic() - began

    def stroke(self, region: int, x: float, y: float, moves: int = MOVES) -> dict:
        """A winding stroke about a point of the stage (shares of its sides); what the browser saw of it."""
        box = self.canvas.bounding_box()
        self.page.keyboard.press(str(region))
        turns = np.linspace(0, 2 * math.pi, moves)
        path = np.column_stack([x + 0.05 * np.sin(3 * turns), y + 0.05 * np.sin(2 * turns)])
        path = path * [box["width"], box["height"]] + [box["x"], box["y"]]
        self.page.mouse.move(*path[0])
        self.page.mouse.down()
        self.page.evaluate(FORGET)
        began = time.monotonic()
        for number, point in enumerate(path[1:], 1):
            time.sleep(max(0.0, began + number / RATE - time.monotonic()))
            self.page.mouse.move(*point)
        seen = self.page.evaluate("() => structuredClone(probe)")
        self.page.mouse.up()
        return seen | {"seconds": time.monotonic() - began}

    def overlays(self) -> list[float]:
        """Milliseconds from lifting the mouse to each overlay that followed, once no more come."""
        found: list[float] = []
        changed = time.monotonic()
        while time.monotonic() - changed < QUIET or self.page.locator(".cc-running").count():
            self.page.wait_for_timeout(100)
            seen = self.page.evaluate("() => structuredClone(probe)")
            now = [at - seen["lifted"] for at in seen["overlays"] if at > seen["lifted"]]
            if len(now) != len(found):
                found, changed = now, time.monotonic()
        return found


def measure_overlays(visit: Visit, report: Report, repeats: int = 5) -> None:
    visit.stroke(1, 0.42, 0.55, 20)
    times = []
    for k in range(repeats):
        visit.stroke(2, 0.3 + 0.08 * k, 0.15, 20)
        times.append(visit.overlays())
    report.add("stroke end to first overlay, median", float(np.median([each[0] for each in times])), 300, "ms")
    report.add("stroke end to final overlay, median", float(np.median([each[-1] for each in times])), 1000, "ms")


def measure_strokes(visit: Visit, report: Report) -> None:
    seen = visit.stroke(1, 0.5, 0.5)
    between = np.diff(seen["frames"])
    report.add(f"{MOVES} events at {RATE} a second took, over ideal", seen["seconds"] * RATE / MOVES, 1.1, "times")
    report.add("event to paint on the canvas, 95th percentile", float(np.percentile(seen["lags"], 95)), 34, "ms")
    report.add("between frames, median", float(np.median(between)), 17, "ms")
    report.add("between frames, 95th percentile", float(np.percentile(between, 95)), 34, "ms")


def measure_memory(visit: Visit, report: Report, n_strokes: int = 20) -> None:
    """Growth over some strokes and back, after as many that fill what may be filled."""
    kernel, page = [], []
    for _ in range(2):
        for k in range(n_strokes):
            visit.stroke(1 + k % 2, (0.42, 0.5)[k % 2], (0.55, 0.12)[k % 2], 5)
        visit.overlays()
        for _ in range(n_strokes):
            visit.page.keyboard.press("Control+z")
        visit.overlays()
        kernel.append(resident(visit.kernel))
        page.append(heap(visit.page))
    report.add(f"kernel, growth over {n_strokes} strokes and back", kernel[1] - kernel[0], 24, "MB")
    report.add(f"page, growth over {n_strokes} strokes and back", page[1] - page[0], 8, "MB")


def main() -> int:
    report = Report()
    with voila_and_browser() as (voila, browser):
        report.head("painter, 512 x 512")
        visit = Visit(new_page(browser), voila, "camera")
        report.add("opens, kernel and imports included", visit.seconds_to_open, 60, "s")
        measure_overlays(visit, report)
        measure_memory(visit, report)
        report.head("painter, 1024 x 1024 in colour")
        report.add("a file opens", visit.open("retina", data.retina()[190:1214, 190:1214]), 2, "s")
        measure_strokes(visit, report)
    return report.end()


if __name__ == "__main__":
    sys.exit(main())
