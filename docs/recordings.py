"""Pictures and moving pictures of the real pages: ``make recordings``, or one of them: ``... ARGS=paint-a-scan``.

A frame is taken after each movement of the pointer and each effect, and shown for as long as a person would look at it;
so recordings are smooth on any machine.
"""

from __future__ import annotations

import io
import math
import re
import runpy
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from PIL import Image
from playwright.sync_api import Page, expect, sync_playwright

ROOT = Path(__file__).parent.parent
IMAGES = ROOT / "docs" / "images"
sys.path.insert(0, str(ROOT))

from benchmarks.visitors import READY, Server  # noqa: E402
from cclab import load_dataset  # noqa: E402
from cclab.images import load_image  # noqa: E402
from cclab.studies.random_strokes import plausible_stroke  # noqa: E402
from tests.browser.conftest import CHROMIUM_FLAGS  # noqa: E402
from tests.browser.journeys import Hand  # noqa: E402
from tests.browser.test_painter import Hand as PainterHand  # noqa: E402

#: The width of a recording in pixels, and how many bytes it may have.
WIDTH, MOST_BYTES = 880, 1_500_000
#: Dashboards of which a still picture is taken.
STILLS = ("compare", "ask_me", "how_many", "credal")
#: Milliseconds that a page has to draw an effect.
SETTLE = 500
#: A pointer that can be seen: a browser without a screen has none.
POINTER = """
() => {
  const dot = document.createElement("div");
  dot.style.cssText = "position:fixed;z-index:99999;width:18px;height:18px;margin:-9px;border-radius:50%;" +
    "background:rgba(230,120,0,.55);border:2px solid rgba(120,60,0,.8);pointer-events:none";
  document.body.append(dot);
  addEventListener("mousemove", event => {
    dot.style.left = event.clientX + "px";
    dot.style.top = event.clientY + "px";
  }, true);
}
"""


class Recorder:
    """A page, and the frames that were taken of it.

    Parameters
    ----------
    page : Page
        Open, and ready to be used.
    """

    def __init__(self, page: Page) -> None:
        self.page = page
        self.frames: list[Image.Image] = []
        self.milliseconds: list[int] = []
        page.evaluate(POINTER)

    def look(self, seconds: float) -> None:
        """Take a frame, to be shown for some seconds."""
        shot = Image.open(io.BytesIO(self.page.screenshot())).convert("RGB")
        self.frames.append(shot.resize((WIDTH, round(shot.height * WIDTH / shot.width)), Image.Resampling.LANCZOS))
        self.milliseconds.append(round(1000 * seconds))

    def press(self, key: str, until: str = "", seconds: float = 0.7) -> None:
        """Press a key; the frame is taken when the status has these words."""
        self.page.keyboard.press(key)
        expect(self.page.locator(".cc-status")).to_contain_text(until)
        self.page.wait_for_timeout(SETTLE)
        self.look(seconds)

    def drag(self, path: list[tuple[float, float]]) -> None:
        """Drag the pointer along a path, a frame at each place."""
        self.page.mouse.move(*path[0])
        self.look(0.3)
        self.page.mouse.down()
        for place in path[1:]:
            self.page.mouse.move(*place)
            self.look(0.07)
        self.page.mouse.up()
        self.page.wait_for_timeout(SETTLE)
        self.look(0.8)

    def save(self, name: str) -> None:
        """Write the frames as an animated WebP, as good as its size allows."""
        for quality in (80, 70, 60, 50, 40):
            self.frames[0].save(
                IMAGES / name,
                save_all=True,
                append_images=self.frames[1:],
                duration=self.milliseconds,
                loop=0,
                quality=quality,
                method=4,
            )
            if (size := (IMAGES / name).stat().st_size) <= MOST_BYTES:
                print(f"{name}: {len(self.frames)} frames, {size / 1e6:.2f} MB at quality {quality}", flush=True)
                return
        raise SystemExit(f"{name} has {size:,} bytes; take fewer frames")


def around(x: float, y: float, across: float, up: float, places: int = 16) -> list[tuple[float, float]]:
    """A hand-drawn ellipse about a point, closed."""
    angles = [2 * math.pi * part / places for part in range(places + 1)]
    return [(x + across * math.cos(a), y + up * math.sin(a)) for a in angles]


def lasso_and_step(page: Page) -> None:
    """The solver runs and is torn; two lassos keep two clouds apart, and it goes on from there."""
    hand, recorder = Hand(page), Recorder(page)
    hand.wait_until_open()
    recorder.look(1.0)
    for _ in range(3):
        recorder.press("ArrowRight", seconds=0.4)
    recorder.press("Space", until="Converged", seconds=1.5)
    recorder.drag([hand.place(*place) for place in around(0.52, 0.38, 0.11, 0.2)])
    recorder.press("c")
    recorder.drag([hand.place(*place) for place in around(0.8, 0.58, 0.12, 0.2)])
    recorder.press("Enter", seconds=1.2)
    for _ in range(6):
        recorder.press("ArrowRight", seconds=0.45)
    recorder.press("Space", until="Converged", seconds=3.0)
    recorder.save("lasso-and-step.webp")


def answer_questions(page: Page) -> None:
    """The solver asks where it is torn; someone who knows the flowers answers, and it runs on."""
    species = load_dataset("iris").target
    hand, recorder = Hand(page), Recorder(page)
    hand.wait_until_open()
    hand.run_to_the_end()
    recorder.look(1.5)
    pair = hand.find(".cc-queries .cc-pair")
    for _ in range(9):
        question = pair.inner_text()
        first, second = (int(sample) for sample in re.findall(r"[ab] · (\d+)", question))
        page.keyboard.press("s" if species[first] == species[second] else "d")
        expect(pair).not_to_have_text(question, use_inner_text=True)
        recorder.press("Space", until="Converged", seconds=0.9)
    recorder.look(3.0)
    recorder.save("answer-questions.webp")


def choose_solver(page: Page, name: str) -> Hand:
    """The workbench with another solver, at its start."""
    hand = Hand(page)
    hand.wait_until_open()
    page.locator(".cc-solver-button").first.click()
    page.locator(f".cc-menu-layer:not(.cc-hidden) .cc-solver[data-id={name}]").click()
    expect(page.locator(".cc-solver-button").first).to_contain_text(name)
    return hand


def answer_truly(hand: Hand, how_many: int) -> None:
    """Questions about Iris answered as the species are, the solver running on after each."""
    species, pair = load_dataset("iris").target, hand.find(".cc-queries .cc-pair")
    for _ in range(how_many):
        question = pair.inner_text()
        first, second = (int(sample) for sample in re.findall(r"[ab] · (\d+)", question))
        hand.press("s" if species[first] == species[second] else "d")
        expect(pair).not_to_have_text(question, use_inner_text=True)
        hand.press("Space")
        expect(hand.status).to_contain_text("Converged")


def cobras(page: Page) -> None:
    """COBRAS after two dozen answers, its super-instances in colour."""
    hand = choose_solver(page, "COBRAS")
    hand.app.get_by_label("Strategy").select_option(label="Super-instances (COBRAS)")
    page.wait_for_timeout(4 * SETTLE)
    answer_truly(hand, 24)
    hand.find(".cc-scatter .cc-head select").last.select_option(label="Super-instances")
    page.wait_for_timeout(4 * SETTLE)
    page.screenshot(path=IMAGES / "workbench-cobras.png")


def mpckmeans(page: Page) -> None:
    """MPCKMeans after two dozen answers: how much each feature counts."""
    hand = choose_solver(page, "MPCKMeans")
    hand.run_to_the_end()
    answer_truly(hand, 24)
    page.wait_for_timeout(4 * SETTLE)
    page.screenshot(path=IMAGES / "workbench-mpckmeans.png")


def paint_a_scan(page: Page) -> None:
    """A stroke in the lesion and two beside it."""
    picture, rng = load_image("phantom"), np.random.default_rng(0)
    page.locator(".cc-bar select").first.select_option(label="Phantom")
    hand = PainterHand(page, picture)
    hand.wait_for(f"pixels {picture.truth.size:,}")
    page.wait_for_timeout(2 * SETTLE)
    recorder = Recorder(page)
    recorder.look(1.0)
    for count, (region, tissue) in enumerate(((1, "lesion"), (2, "tissue"), (2, "fluid")), 1):
        page.keyboard.press(str(region))
        mask = picture.truth == list(picture.truth_names).index(tissue)
        points = plausible_stroke(mask, rng, region).points
        recorder.drag([hand.place(*point) for point in points[:: max(1, len(points) // 14)]])
        hand.wait_for(f"{'second region' if count == 1 else 'Converged'}.*strokes {count}")
        page.wait_for_timeout(SETTLE)
        recorder.look(1.5 if count < 3 else 3.0)
    recorder.save("paint-a-scan.webp")


def picture_of(dashboard: str, page: Page) -> None:
    """A still picture of a dashboard as it opens."""
    page.wait_for_timeout(3000)
    page.screenshot(path=IMAGES / f"{dashboard.replace('_', '-')}.png")


#: What is taken, by the names of the files: of which page, and how.
TAKES: dict[str, tuple[str, Callable[[Page], None]]] = {
    **{still.replace("_", "-"): (still, partial(picture_of, still)) for still in STILLS},
    "lasso-and-step": ("workbench", lasso_and_step),
    "answer-questions": ("workbench", answer_questions),
    "workbench-cobras": ("workbench", cobras),
    "workbench-mpckmeans": ("workbench", mpckmeans),
    "paint-a-scan": ("painter", paint_a_scan),
}


def main(wanted: list[str]) -> None:
    if unknown := set(wanted) - set(TAKES):
        raise SystemExit(f"There is no {', '.join(sorted(unknown))}; there are {', '.join(TAKES)}")
    expect.set_options(timeout=60_000)
    chromium = runpy.run_path(str(ROOT / "tests/browser/chromium.py"))["find"]()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = Server(Path(folder), workers=1)
        browser = playwright.chromium.launch(executable_path=chromium, args=CHROMIUM_FLAGS)

        def visit(dashboard: str) -> Page:
            page = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
            page.set_default_timeout(120_000)
            page.goto(f"{server.url}open/{dashboard}")
            page.locator(READY[dashboard]).first.wait_for()
            return page

        try:
            for name, (dashboard, take) in TAKES.items():
                if name in (wanted or TAKES):
                    take(visit(dashboard))
        finally:
            browser.close()
            server.stop()


if __name__ == "__main__":
    main(sys.argv[1:])
