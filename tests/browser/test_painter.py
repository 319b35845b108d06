"""A journey at the painter: real Voilà, real Chromium, real pixels; three strokes of the mouse isolate the lesion."""

import io
import json
import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from PIL import Image
from playwright.sync_api import expect
from scipy import ndimage

from cclab.images import load_image
from cclab.images.regions import dice
from cclab.studies.random_strokes import plausible_stroke
from tests.browser.journeys import wait_for_keys

pytestmark = [pytest.mark.browser, pytest.mark.data, pytest.mark.xdist_group("browser")]

MARGIN, BELOW = 16, 44


@pytest.fixture(scope="module", autouse=True)
def state_folder(tmp_path_factory):
    """Sessions are kept in a folder of the test's own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CCLAB_STATE", str(tmp_path_factory.mktemp("state")))
        yield


class Hand:
    """A person at the painter."""

    def __init__(self, page, picture):
        self.page, self.picture = page, picture
        self.canvas = page.locator(".cc-image-canvas")

    def place(self, x, y):
        """Where a point of the fitted picture is on the page."""
        box = self.canvas.bounding_box()
        height, width = self.picture.shape
        room = box["height"] - BELOW
        zoom = min((box["width"] - 2 * MARGIN) / width, (room - 2 * MARGIN) / height)
        left = box["x"] + (box["width"] - width * zoom) / 2
        top = box["y"] + (room - height * zoom) / 2
        return float(left + x * zoom), float(top + y * zoom)

    def paint(self, mask, region, rng, **options):
        """Press the key of the region and paint a stroke with the mouse."""
        self.page.keyboard.press(str(region))
        path = [self.place(*point) for point in plausible_stroke(mask, rng, region, **options).points]
        self.page.mouse.move(*path[0])
        self.page.mouse.down()
        for point in path[1:]:
            self.page.mouse.move(*point)
        self.page.mouse.up()

    def export(self, entry, folder):
        self.page.get_by_role("button", name="Export", exact=True).first.click()
        with self.page.expect_download() as download:
            self.page.get_by_role("button", name=entry, exact=True).click()
        path = folder / download.value.suggested_filename
        download.value.save_as(path)
        return path

    @property
    def status(self):
        return self.page.locator(".cc-status")

    def wait_for(self, words):
        expect(self.status).to_contain_text(re.compile(words))


@pytest.fixture(scope="module")
def hand(voila_page):
    expect.set_options(timeout=90_000)
    page = voila_page("from cclab.apps import painter\npainter('mr_t2like')", name="painter")
    page.locator(".cc-image-canvas .image").wait_for(timeout=120_000)
    expect(page.locator(".cc-status")).to_contain_text("Paint a stroke in each of two regions")
    wait_for_keys(page.locator(".cc-app"))
    yield Hand(page, load_image("mr_t2like"))
    expect.set_options(timeout=5_000)


def test_three_strokes_isolate_the_lesion(hand, tmp_path, screenshot):
    truth, rng = hand.picture.truth, np.random.default_rng(4)
    hand.paint(truth == 3, 1, rng)
    hand.wait_for("second region.*strokes 1")
    hand.paint(truth == 1, 2, rng)
    hand.wait_for("strokes 2")
    fluid = truth == 2
    ventricle = ndimage.binary_dilation(ndimage.distance_transform_edt(fluid) >= 3, iterations=2) & fluid
    hand.paint(ventricle, 2, rng, size=4, length=30)
    hand.wait_for(r"(Converged|Done).*objects 21,996.*strokes 3.*Dice of Lesion 0\.[89]")
    expect(hand.page.locator(".cc-queries")).to_contain_text("Lesion or Rest?")
    expect(hand.page.locator(".cc-watch")).to_contain_text("tell them apart")
    screenshot(hand.page, "painter")
    labels = np.asarray(Image.open(io.BytesIO(hand.export("Label image (PNG)", tmp_path).read_bytes())))
    assert dice(labels == 1, truth == 3) > 0.8


def test_views_and_the_original(hand, screenshot):
    for look in ("Credal sets", "Typicality", "Plausibility", "Errors"):
        hand.page.get_by_role("button", name=look, exact=True).click()
        hand.page.wait_for_timeout(700)  # a round trip to the kernel, for the picture's sake alone
        screenshot(hand.page, f"painter-{look.lower().replace(' ', '-')}")
    hand.page.get_by_role("button", name="Labels", exact=True).click()
    hand.page.keyboard.down("o")
    expect(hand.canvas).to_have_class(re.compile("original"))
    hand.page.keyboard.up("o")
    expect(hand.canvas).not_to_have_class(re.compile("original"))


def test_the_picture_under_the_pointer_takes_a_key_that_the_page_has_heard_first(hand):
    hand.canvas.hover()
    chosen = hand.page.locator(".cc-palette .cc-chosen kbd")
    for key, is_taken in (("0", True), ("2", True), ("s", False)):
        left_over = hand.page.evaluate(
            """key => {
              const pressed = new KeyboardEvent("keydown", { key });
              document.createElement("div").dispatchEvent(pressed); // so that it has a target
              return window.dispatchEvent(new CustomEvent("cc-key", { detail: pressed, cancelable: true }));
            }""",
            key,
        )
        assert left_over is not is_taken
        expect(chosen).to_have_text(key if is_taken else "2")


def test_undo_takes_a_whole_stroke_back(hand):
    hand.page.keyboard.press("Control+z")
    hand.wait_for("strokes 2")
    hand.page.keyboard.press("Control+Shift+z")
    hand.wait_for("strokes 3")


def test_everything_can_be_taken_out(hand, tmp_path):
    labels = np.asarray(Image.open(hand.export("Label image (PNG)", tmp_path)))
    mask = np.asarray(Image.open(hand.export("Mask of the region (PNG)", tmp_path)))
    assert set(np.unique(mask)) == {0, 255}
    assert np.array_equal(mask == 255, labels == 2)  # the region painted last
    overlay = np.asarray(Image.open(hand.export("Overlay figure (PNG)", tmp_path)))
    assert overlay.shape == (5 * 156, 5 * 141, 3)
    table = pd.read_csv(hand.export("Table of regions (CSV)", tmp_path))
    assert table["region"].tolist() == ["Lesion", "Rest", "Undecided"]
    assert table["pixels"].tolist()[:2] == [(labels == 1).sum(), (labels == 2).sum()]
    session = json.loads(hand.export("Session (JSON)", tmp_path).read_bytes())
    assert session["data"]["name"] == "mr_t2like"
    code = hand.export("Python code", tmp_path)
    done = subprocess.run([sys.executable, code], capture_output=True, text=True, check=True)
    np.testing.assert_array_equal(json.loads(done.stdout), labels)


def test_a_question_is_answered_by_keyboard(hand):
    expect(hand.page.locator(".cc-queries .cc-why")).to_contain_text("By what is seen at")
    expect(hand.page.locator(".cc-image-canvas svg g")).to_have_count(1)  # the place is marked
    hand.canvas.hover()
    hand.page.keyboard.press("s")
    hand.wait_for("strokes 4")
    hand.page.keyboard.press("Control+z")
    hand.wait_for("strokes 3")


def test_a_pen_paints_and_its_other_end_erases(hand):
    """Pointer events as a pen sends them: Playwright has none of its own."""
    height, width = hand.picture.shape
    x, y = hand.place(width / 2, 0.9 * height)
    for button, buttons, words in ((0, 1, "strokes 4"), (5, 32, "strokes 5")):
        hand.canvas.evaluate(
            """(root, [x, y, button, buttons]) => {
              const send = (name, dx, held) => root.dispatchEvent(new PointerEvent(name, {
                pointerId: 7, pointerType: "pen", pressure: 0.5, button, buttons: held, bubbles: true,
                clientX: x + dx, clientY: y }));
              root.setPointerCapture = () => {};  // a made-up pointer can not be captured
              send("pointerdown", 0, buttons);
              for (let k = 1; k < 12; k++) send("pointermove", 3 * k, buttons);
              send("pointerup", 36, 0);
              delete root.setPointerCapture;
            }""",
            [x, y, button, buttons],
        )
        hand.wait_for(words)
    hand.page.keyboard.press("Control+z")
    hand.wait_for("strokes 4")
    hand.page.keyboard.press("Control+z")
    hand.wait_for("strokes 3")


def test_it_fits_into_1024_pixels_in_either_theme(hand, screenshot):
    page = hand.page
    for width, theme in ((1280, "dark"), (1024, "dark"), (1024, "light")):
        page.set_viewport_size({"width": width, "height": 768 if width == 1024 else 800})
        page.evaluate("(theme) => { document.documentElement.dataset.ccTheme = theme; }", theme)
        page.wait_for_timeout(500)  # for the picture's sake alone
        screenshot(page, f"painter-{width}-{theme}")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        looks, stage = (page.locator(css).bounding_box() for css in (".cc-looks", ".cc-stage"))
        assert stage["x"] <= looks["x"]
        assert looks["x"] + looks["width"] <= stage["x"] + stage["width"]
    page.evaluate("() => { delete document.documentElement.dataset.ccTheme; }")
    page.set_viewport_size({"width": 1280, "height": 800})


def test_a_file_that_is_no_picture_is_refused_and_nothing_is_lost(hand):
    with hand.page.expect_file_chooser() as chooser:
        hand.page.get_by_role("button", name=re.compile("^Open")).click()
    chooser.value.set_files({"name": "notes.png", "mimeType": "image/png", "buffer": b"not a picture"})
    expect(hand.page.get_by_role("alert").first).to_contain_text("no picture that can be read")
    hand.wait_for("strokes 3")
