"""How fast the painter is in a real Chromium, against the limits that it is built for: ``make bench-ui``.

Strokes are pointer events that the page makes itself, sixty a second: a mouse driven from outside waits for the browser
after each. The canvas tells when it has drawn, and all times are the browser's own: from when an event was due, or from
lifting the pointer, until there is something to see.
"""

from __future__ import annotations

import io
import math
import re
import sys
import time

import numpy as np
from PIL import Image
from playwright.sync_api import Browser, Page, expect
from skimage import data

from benchmarks.chromium import PATIENCE, Report, heap, new_page, voila_and_browser
from benchmarks.memory import resident
from tests.browser.conftest import Voila

RATE, MOVES = 60, 120
SOURCE = """
import os
from pathlib import Path
from cclab.apps import painter
Path({file!r}).write_text(str(os.getpid()))
painter({name!r})
"""
PROBE = """(root) => {
  const seen = (window.probe = { overlays: [], lifted: Infinity });
  root.addEventListener("drawn", ({ detail }) => detail === "overlay" && seen.overlays.push(performance.now()));
}"""
# Along a path, an event each time one is due; lags from then until the canvas has painted it.
STROKE = """async (root, [path, rate]) => {
  const send = (name, [clientX, clientY], buttons) => root.dispatchEvent(new PointerEvent(name, {
    pointerId: 1, pointerType: "mouse", button: 0, buttons, bubbles: true, clientX, clientY }));
  const lags = [], frames = [];
  let painting = true;
  const frame = (now) => { frames.push(now); if (painting) requestAnimationFrame(frame); };
  requestAnimationFrame(frame);
  root.setPointerCapture = () => {}; // a made-up pointer can not be captured
  const began = performance.now();
  send("pointerdown", path[0], 1);
  for (let k = 1; k < path.length; k++) {
    const due = began + (1000 * k) / rate;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
    send("pointermove", path[k], 1);
    lags.push(performance.now() - due);
  }
  probe.overlays.length = 0;
  probe.lifted = performance.now();
  send("pointerup", path.at(-1), 0);
  painting = false;
  return { lags, frames };
}"""


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
        self.n_strokes = 0
        self.last_objects = "objects"  # pixels, which come after superpixels

    def wait_for(self, words: str | re.Pattern[str]) -> None:
        expect(self.page.locator(".cc-status")).to_contain_text(words, timeout=1000 * PATIENCE)

    def open(self, name: str, pixels: np.ndarray) -> float:
        """Open a picture from a file; seconds until it is there to be painted on."""
        buffer = io.BytesIO()
        Image.fromarray(pixels).save(buffer, "PNG", compress_level=1)
        with self.page.expect_file_chooser() as chooser:
            self.page.get_by_role("button", name=re.compile("^Open")).click()
        began = time.monotonic()
        chooser.value.set_files({"name": f"{name}.png", "mimeType": "image/png", "buffer": buffer.getvalue()})
        self.wait_for(f"pixels {pixels.shape[0] * pixels.shape[1]:,}")
        self.n_strokes, self.last_objects = 0, "superpixels"  # in a large picture
        return time.monotonic() - began

    def stroke(self, region: int, x: float, y: float, moves: int = MOVES) -> dict:
        """A winding stroke about a point of the stage (shares of its sides); what the browser saw of it."""
        box = self.canvas.bounding_box()
        self.page.keyboard.press(str(region))
        turns = np.linspace(0, 2 * math.pi, moves)
        path = np.column_stack([x + 0.05 * np.sin(3 * turns), y + 0.05 * np.sin(2 * turns)])
        path = path * [box["width"], box["height"]] + [box["x"], box["y"]]
        self.n_strokes += 1
        return self.canvas.evaluate(STROKE, [path.tolist(), RATE])

    def wait_until_through(self) -> None:
        """Until the solver is through with all that is painted."""
        self.wait_for(re.compile(rf"(Converged|Done).*{self.last_objects}.*strokes {self.n_strokes}(?!\d)"))

    def overlays(self) -> list[float]:
        """Milliseconds from lifting the pointer to each overlay that followed, once the solver is through."""
        self.wait_until_through()
        self.page.wait_for_timeout(300)  # for the last of them to be drawn
        seen = self.page.evaluate("() => structuredClone(probe)")
        return [at - seen["lifted"] for at in seen["overlays"]]

    def undo_all(self) -> None:
        for _ in range(self.n_strokes):
            self.page.keyboard.press("Control+z")
        self.wait_for("Paint a stroke in each of two regions")
        self.n_strokes = 0


def measure_overlays(visit: Visit, report: Report, repeats: int = 5) -> None:
    visit.stroke(1, 0.42, 0.55, 20)
    visit.wait_for("Paint a second region")
    times = []
    for k in range(repeats):
        visit.stroke(2, 0.3 + 0.08 * k, 0.15, 20)
        times.append(visit.overlays())
    report.add("stroke end to first overlay, median", float(np.median([each[0] for each in times])), 300, "ms")
    report.add("stroke end to final overlay, median", float(np.median([each[-1] for each in times])), 1000, "ms")


def measure_strokes(visit: Visit, report: Report, repeats: int = 3) -> None:
    """Each stroke with the solver at rest; then one while it works on the one before."""
    visit.stroke(2, 0.5, 0.2)  # what the others are told apart from
    seen = []
    for k in range(repeats):
        seen.append(visit.stroke(1, 0.4 + 0.1 * k, 0.5))
        visit.overlays()
    lags = np.concatenate([each["lags"] for each in seen])
    between = np.concatenate([np.diff(each["frames"]) for each in seen])
    report.add(f"event due ({RATE} a second) to painted, 95th percentile", float(np.percentile(lags, 95)), 34, "ms")
    report.add("between frames, median", float(np.median(between)), 17, "ms")
    report.add("between frames, 95th percentile", float(np.percentile(between, 95)), 34, "ms")
    visit.stroke(2, 0.5, 0.3)
    busy = visit.stroke(2, 0.6, 0.3)["lags"]
    report.add("event due to painted while the solver works, median", float(np.median(busy)), 34, "ms")


def measure_memory(visit: Visit, report: Report, n_strokes: int = 20) -> None:
    """Growth over some strokes and back, after as many that fill what may be filled."""
    kernel, page = [], []
    for _ in range(2):
        for k in range(n_strokes):
            visit.stroke(1 + k % 2, (0.42, 0.5)[k % 2], (0.55, 0.12)[k % 2], 5)
        visit.overlays()
        visit.undo_all()
        kernel.append(resident(visit.kernel))
        page.append(heap(visit.page))
    report.add(f"kernel, growth over {n_strokes} strokes and back", kernel[1] - kernel[0], 24, "MB")
    report.add(f"page, growth over {n_strokes} strokes and back", page[1] - page[0], 8, "MB")


def measure_reload(browser: Browser, voila: Voila, report: Report, repeats: int = 5) -> None:
    """From asking for the page to the picture, and from reloading it to all that was painted; in turns."""
    opened, reloaded = [], []
    for _ in range(repeats):
        visit = Visit(new_page(browser), voila, "camera")
        opened.append(visit.seconds_to_open)
        for k in range(4):
            visit.stroke(1 + k % 2, (0.42, 0.3 + 0.1 * k)[k % 2], (0.55, 0.15)[k % 2], 20)
        visit.overlays()
        began = time.monotonic()
        visit.page.reload()
        visit.wait_until_through()
        expect(visit.page.locator(".cc-image-canvas .overlay")).not_to_have_css("visibility", "hidden")
        reloaded.append(time.monotonic() - began)
        visit.page.context.close()
    report.add("the page with a picture opens, median", float(np.median(opened)), 60, "s")
    report.add(
        "reload until all paint is shown / opening, medians", float(np.median(reloaded) / np.median(opened)), 2, ""
    )


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
        visit.page.context.close()
        report.head("painter, 512 x 512, left and found again")
        measure_reload(browser, voila, report)
    return report.end()


if __name__ == "__main__":
    sys.exit(main())
