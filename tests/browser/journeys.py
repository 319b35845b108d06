"""Hands and eyes of a person at the workbench, for journeys in a real browser."""

import re
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

# Margins of the plot, in pixels, and the room that it leaves around the samples.
LEFT, RIGHT, TOP, BOTTOM = 46, 12, 8, 44


def wait_for_keys(app: Locator) -> None:
    """Until an app hears what is pressed: it shows itself before that."""
    expect(app).to_have_attribute("role", "region")


class Hand:
    """A person at one of the workbenches on a page."""

    def __init__(self, page: Page, number: int = 0):
        self.page = page
        self.app = page.locator(".cc-app").nth(number)

    def find(self, selector: str) -> Locator:
        return self.app.locator(selector)

    def wait_until_open(self) -> None:
        """Until samples are on the page, a question is asked, and the page hears keys."""
        wait_for_keys(self.app)
        expect(self.find(".cc-legend")).to_contain_text("1")
        expect(self.find(".cc-queries .cc-pair")).to_be_visible()

    def place(self, x: float, y: float) -> tuple[float, float]:
        """Where a share of the plot's width and height (from below) is on the screen."""
        box = self.find(".cc-points").first.bounding_box()
        across = box["x"] + LEFT + x * (box["width"] - LEFT - RIGHT)
        return across, box["y"] + TOP + (1 - y) * (box["height"] - TOP - BOTTOM)

    def lasso(self, left: float, low: float, right: float, high: float, modifier: str | None = None) -> None:
        """Draw around a part of the plot with the mouse."""
        corners = [(left, low), (right, low), (right, high), (left, high), (left, low)]
        points = [self.place(*corner) for corner in corners]
        if modifier:
            self.page.keyboard.down(modifier)
        self.page.mouse.move(*points[0])
        self.page.mouse.down()
        for point in points[1:]:
            self.page.mouse.move(*point, steps=6)
        self.page.mouse.up()
        if modifier:
            self.page.keyboard.up(modifier)

    def press(self, key: str) -> None:
        self.page.keyboard.press(key)

    def click(self, name: str) -> None:
        self.app.get_by_role("button", name=name, exact=True).click()

    @property
    def selection(self) -> Locator:
        return self.find(".cc-selection")

    @property
    def status(self) -> Locator:
        return self.find(".cc-status")

    @property
    def statements(self) -> Locator:
        return self.find(".cc-constraints tr[data-action=find]")

    @property
    def toast(self) -> Locator:
        return self.find(".cc-toast")

    def place_in_time(self) -> tuple[int, int]:
        """The snapshot we are at, and the last one."""
        position, last = re.findall(r"\d+", self.find(".cc-place").inner_text())
        return int(position), int(last)

    def wait_for_place(self, position: int) -> None:
        expect(self.find(".cc-place")).to_have_text(re.compile(rf"^{position} /"))

    def keep_two_groups_apart(self) -> None:
        """Lasso the samples at the left, then some in the middle, and keep them apart."""
        self.lasso(0.0, 0.3, 0.2, 1.0)
        expect(self.selection).to_be_visible()
        expect(self.selection).to_contain_text("selected")
        self.press("c")
        expect(self.selection).to_contain_text("Now select the samples to keep apart")
        self.lasso(0.38, 0.35, 0.66, 0.9)
        expect(self.selection).to_contain_text("Keep apart adds 1 separation")
        expect(self.selection).to_contain_text("No conflict.")
        self.press("Enter")
        expect(self.statements).to_have_count(1)
        expect(self.statements).to_contain_text("A | B")

    def run_to_the_end(self) -> int:
        """Run until the solver has converged; where that is."""
        self.press("Space")
        expect(self.status).to_contain_text("Converged")
        return self.place_in_time()[0]

    def answer_three(self) -> None:
        """Answer three questions by keyboard."""
        already = int(re.match(r"\d+", self.find(".cc-queries .cc-foot .cc-note").first.inner_text())[0])
        for number, key in enumerate("sdx", 1):
            question = self.find(".cc-queries .cc-pair").inner_text()
            self.press(key)
            expect(self.find(".cc-queries .cc-pair")).not_to_have_text(question, use_inner_text=True)
            if key != "x":
                expect(self.find(".cc-queries .cc-foot").first).to_contain_text(f"{already + number}")

    def export(self, entry: str, folder: Path) -> Path:
        """Take a file out by the Export menu."""
        self.click("Export")
        with self.page.expect_download() as download:
            self.click(entry)
        path = folder / download.value.suggested_filename
        download.value.save_as(path)
        return path
