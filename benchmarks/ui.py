"""How fast the workbench is in a real Chromium, against the limits that it is built for: ``make bench-ui``.

Limits are for two busy cores without a GPU. Times are medians of what the kernel's and the browser's clocks (which are
the same clock) say; a frame counts when the browser has acknowledged it.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from benchmarks.chromium import PATIENCE, Report, heap, new_page, voila_and_browser
from tests.browser.conftest import Voila
from tests.browser.journeys import Hand

CHECKOUT = Path(__file__).parents[1]
SOURCE = "import sys\nsys.path.insert(0, {checkout!r})\nfrom benchmarks.ui_page import Stopwatch\n{call}.page"


class Visit:
    """One workbench in the browser, with its stopwatch."""

    def __init__(self, page: Page, voila: Voila, n: int) -> None:
        self.file = voila.folder / f"{n}.json"
        source = SOURCE.format(checkout=str(CHECKOUT), call=f"Stopwatch({n}, {str(self.file)!r})")
        began = time.monotonic()
        page.goto(voila.add(f"n{n}", source))
        self.hand, self.page = Hand(page), page
        page.wait_for_selector(".cc-points[data-renderer]")
        page.wait_for_selector(".cc-legend .cc-glyph")
        self.seconds_to_open = time.monotonic() - began
        page.evaluate(
            "addEventListener('pointerup', () => { window.lifted = performance.timeOrigin + performance.now(); }, true)"
        )

    def read(self, name: str) -> Any:
        return json.loads(self.file.read_text()).get(name)

    def press(self, key: str, name: str, done: Callable[[Any], bool] = bool) -> Any:
        """Start a measurement by its key; its result."""
        self.hand.press(key)
        return self.wait_for(name, done)

    def wait_for(self, name: str, done: Callable[[Any], bool] = bool) -> Any:
        deadline = time.monotonic() + PATIENCE
        while not done(self.read(name)):
            if time.monotonic() > deadline:
                raise TimeoutError(f"no result of {name} after {PATIENCE:.0f} s")
            self.page.wait_for_timeout(50)
        return self.read(name)

    def lasso(self) -> tuple[int, float]:
        """Lasso about half of the samples: how many, and milliseconds from lifting the mouse until Python knows."""
        before = self.read("selected")
        self.hand.lasso(0.02, 0.02, 0.98, 0.52)
        selected = self.wait_for("selected", lambda now: now != before)
        return selected["n"], 1000 * selected["at"] - self.page.evaluate("window.lifted")


def measure_ten_thousand(visit: Visit, report: Report) -> None:
    counts, milliseconds = zip(*(visit.lasso() for _ in range(9)))
    report.add(f"mouse-up to Python, {counts[0]:,} selected", statistics.median(milliseconds), 50, "ms")
    visit.hand.press("Escape")
    steps = visit.press("F2", "steps")
    report.add("step to painted, besides the solver", 1000 * steps["painted"], 150, "ms")
    run = visit.press("F3", "run")
    report.add("Run, painted frames", run["frames_per_second"], 20, "a second", at_least=True)


def measure_memory(visit: Visit, report: Report, n_steps: int = 1000) -> None:
    """Growth over a thousand steps, after a first thousand that fills what may be filled."""
    heaps = []
    for number in (1, 2):
        rounds = visit.press("F4", "memory", lambda rounds, number=number: len(rounds or ()) >= number)
        heaps.append(heap(visit.page))
    report.add(f"page, growth over {n_steps:,} steps", heaps[1] - heaps[0], 8, "MB")
    report.add(f"kernel, growth over {n_steps:,} steps", rounds[1]["kernel"] - rounds[0]["kernel"], 24, "MB")


def measure_many(visit: Visit, report: Report) -> None:
    n, milliseconds = visit.lasso()
    report.add(f"mouse-up to Python, {n:,} selected", milliseconds, 500, "ms")
    visit.hand.press("Escape")
    steps = visit.press("F2", "steps")
    report.add("step to painted, besides the solver", 1000 * steps["painted"], 500, "ms")


# Counts frames while the view is dragged about, and when it has come to rest.
_FRAMES = """
() => new Promise((resolve) => {
  const plot = document.querySelector('.cc-points');
  const box = plot.getBoundingClientRect();
  const y = box.top + box.height / 2;
  const at = (x) => ({ clientX: box.left + x, clientY: y, button: 0, bubbles: true, pointerId: 1 });
  const began = performance.now();
  let frames = 0;
  plot.dispatchEvent(new PointerEvent('pointerdown', at(300)));
  const step = () => {
    const seconds = (performance.now() - began) / 1000;
    window.dispatchEvent(new PointerEvent('pointermove', at(300 + 100 * Math.sin(6 * seconds))));
    frames += 1;
    if (seconds < 3) return requestAnimationFrame(step);
    window.dispatchEvent(new PointerEvent('pointerup', at(300)));
    const lifted = performance.now();
    const whole = () => {
      if (plot.dataset.drawn !== 'whole') return requestAnimationFrame(whole);
      requestAnimationFrame(() => setTimeout(() => resolve({
        frames: frames / seconds, rest: performance.now() - lifted, graphics: plot.dataset.graphics,
      })));
    };
    requestAnimationFrame(whole);
  };
  requestAnimationFrame(step);
})
"""
_HOVER = """
() => { window.tips = []; let moved = 0;
  const plot = document.querySelector('.cc-points');
  plot.addEventListener('pointermove', () => { moved = performance.now(); }, true);
  new MutationObserver((changes) => changes.forEach((change) => change.addedNodes.forEach((node) => {
    if (node.classList?.contains('cc-tip')) window.tips.push([node.dataset.words, performance.now() - moved]);
  }))).observe(plot, { childList: true }); }
"""


def measure_million(visit: Visit, report: Report) -> None:
    page, hand = visit.page, visit.hand
    hand.press("h")
    page.wait_for_selector(".cc-points[data-tool=hand]")
    seen = page.evaluate(_FRAMES)
    print(f"  graphics: {seen['graphics']}{', thinned while it moves' if seen['graphics'] == 'software' else ''}")
    report.add("painted frames while it is dragged", seen["frames"], 20, "a second", at_least=True)
    report.add("the whole picture after it has come to rest", seen["rest"], 1000, "ms")
    hand.press("f")
    page.evaluate(_HOVER)
    for place in range(9):
        page.mouse.move(*hand.place(0.3 + 0.05 * place, 0.45 + 0.02 * place))
        page.wait_for_timeout(400)
    tips = page.evaluate("window.tips")
    words = [taken for which, taken in tips if which == "all"]
    places = [taken for which, taken in tips if which == "place"]
    report.add(f"pointer to words beside a sample, {len(words)} times", statistics.median(words or [1e6]), 50, "ms")
    if places:  # the number of the sample and where it lies stand there until the words come
        report.add(f"to its number and place, {len(places)} times", statistics.median(places), 50, "ms")
    hand.press("l")
    page.wait_for_selector(".cc-points[data-tool=lasso]")
    visit.lasso()
    n, milliseconds = visit.lasso()
    found = page.evaluate("performance.getEntriesByName('cclab lasso').at(-1).duration")
    handled = 1000 * visit.wait_for("took select")
    report.add(f"lasso besides the transfer, {n:,} selected", found + handled, 100, "ms")
    print(f"    of these in the browser {found:.1f}, in Python {handled:.1f}; with the transfer {milliseconds:.0f}")


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="make bench-ui", description=__doc__)
    parser.add_argument("sizes", nargs="*", type=int, default=[10_000, 200_000])
    sizes = parser.parse_args(words).sizes
    report = Report()
    with voila_and_browser() as (voila, browser):
        for n in sizes:
            report.head(f"{n:,} samples")
            visit = Visit(new_page(browser), voila, n)
            report.add("opens, kernel and imports included", visit.seconds_to_open, 60, "s")
            if n <= 20_000:
                measure_ten_thousand(visit, report)
                measure_memory(visit, report)
            elif n < 1_000_000:
                measure_many(visit, report)
            else:
                measure_million(visit, report)
            visit.page.context.close()
    return report.end()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
