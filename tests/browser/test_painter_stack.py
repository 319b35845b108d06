"""A journey through a scan: slices with units, paint on one, all of them in regions; then files and objects."""

import io
import re
import zipfile

import numpy as np
import pandas as pd
import pytest
import tifffile
from playwright.sync_api import expect

from cclab.images import load_image
from cclab.images.regions import dice
from tests.browser.journeys import wait_for_keys
from tests.browser.test_painter import BELOW, MARGIN, Hand
from tests.images.pictures import body, dicom, nifti, tiff

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

SHAPE, ABOVE = (120, 144), 44


@pytest.fixture(scope="module", autouse=True)
def state_folder(tmp_path_factory):
    """Sessions are kept in a folder of the test's own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CCLAB_STATE", str(tmp_path_factory.mktemp("state")))
        yield


class Reader(Hand):
    """A person at a scan: above the picture there is the bar of slices."""

    def place(self, x, y):
        box = self.canvas.bounding_box()
        room = box["height"] - BELOW - ABOVE
        zoom = min((box["width"] - 2 * MARGIN) / SHAPE[1], (room - 2 * MARGIN) / SHAPE[0])
        left = box["x"] + (box["width"] - SHAPE[1] * zoom) / 2
        top = box["y"] + ABOVE + (room - SHAPE[0] * zoom) / 2
        return float(left + x * zoom), float(top + y * zoom)


@pytest.fixture(scope="module")
def hand(voila_page):
    expect.set_options(timeout=60_000)
    page = voila_page("from cclab.apps import painter\npainter('phantom')", name="stack")
    page.locator(".cc-image-canvas .image").wait_for(timeout=120_000)
    wait_for_keys(page.locator(".cc-app"))
    yield Reader(page, load_image(body(SHAPE)[0]))
    expect.set_options(timeout=5_000)


def upload(hand, *files):
    with hand.page.expect_file_chooser() as chooser:
        hand.page.get_by_role("button", name=re.compile("^Open")).click()
    chooser.value.set_files([{"name": n, "mimeType": "application/octet-stream", "buffer": b} for n, b in files])


def stroke(hand, region, points):
    hand.page.keyboard.press(str(region))
    path = [hand.place(*point) for point in points]
    hand.page.mouse.move(*path[0])
    hand.page.mouse.down()
    for point in path[1:]:
        hand.page.mouse.move(*point)
    hand.page.mouse.up()


def save(hand, name, folder):
    with hand.page.expect_download() as download:
        hand.page.locator(".cc-tools button", has_text=name).click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


def test_a_scan_opens_in_its_units_with_a_window_and_a_scale(hand, screenshot):
    volume = np.stack([body(SHAPE, seed=k)[0][::-1].T for k in range(5)], axis=2)
    upload(hand, ("ct.nii", nifti(volume, np.diag([0.7, 0.8, 5.0, 1.0]))))
    expect(hand.page.locator(".cc-of-slices")).to_have_text("1 of 5")
    expect(hand.page.locator(".cc-image-canvas .scale")).to_have_text(re.compile(r"^\d+ mm$"))
    expect(hand.page.locator(".cc-paint .cc-head")).to_contain_text("144 × 120")
    hand.page.get_by_label("Contrast").select_option("All values")
    hand.page.get_by_label("Contrast").select_option("Auto contrast")
    screenshot(hand.page, "painter-stack-open")


def test_paint_on_one_slice_holds_on_the_next(hand, screenshot):
    stroke(hand, 1, [[60, 52], [74, 66]])
    hand.wait_for("Paint a second region")
    assert hand.page.locator(".cc-image-canvas .overlay").evaluate("e => e.style.visibility") == "hidden"
    stroke(hand, 2, [[100, 44], [100, 76]])
    hand.wait_for("strokes 2")
    stroke(hand, 2, [[138, 8], [138, 110]])
    hand.wait_for(r"(Converged|Done).*objects 17,280.*strokes 3")
    hand.canvas.hover()
    hand.page.keyboard.press("ArrowDown")
    hand.page.keyboard.press("ArrowDown")
    expect(hand.page.locator(".cc-of-slices")).to_have_text("3 of 5")
    hand.page.wait_for_timeout(1500)  # for the picture's sake alone
    screenshot(hand.page, "painter-stack-slice")


def test_all_slices_with_masks_table_and_sheet(hand, tmp_path, screenshot):
    hand.page.locator(".cc-watch").get_by_role("button", name="Apply", exact=True).click()
    hand.page.locator(".cc-tools button", has_text="All slices").click()
    expect(hand.page.locator(".cc-other")).to_have_count(5)
    screenshot(hand.page, "painter-stack-applied")
    with zipfile.ZipFile(save(hand, "Masks", tmp_path)) as packed:
        assert set(packed.namelist()) == {"ct-labels.ome.tif", "ct-labels.nii", "regions.csv"}
        labels = tifffile.imread(io.BytesIO(packed.read("ct-labels.ome.tif")))
        table = pd.read_csv(packed.open("regions.csv"))
    assert labels.shape == (5, *SHAPE)
    truth = body(SHAPE)[1] == 2
    assert min(dice(one == 1, truth) for one in labels) > 0.85
    assert len(table) == 10
    assert table["doubt"].is_monotonic_decreasing
    assert save(hand, "Sheet", tmp_path).read_bytes().startswith(b"\x89PNG")
    number = hand.page.locator(".cc-other b").first.inner_text().removeprefix("Slice ")
    hand.page.locator(".cc-other").first.click()
    expect(hand.page.locator(".cc-of-slices")).to_have_text(f"{number} of 5")


def test_files_of_other_sizes_and_a_broken_one(hand, screenshot):
    with hand.page.expect_file_chooser() as chooser:
        hand.page.locator(".cc-tools button", has_text="Files").click()
    files = [
        ("a.dcm", dicom(body(SHAPE, seed=8)[0])),
        ("b.tif", tiff(body((90, 100), seed=9)[0])),
        ("c.tif", b"broken"),
    ]
    chooser.value.set_files([{"name": n, "mimeType": "application/octet-stream", "buffer": b} for n, b in files])
    expect(hand.page.locator(".cc-other")).to_have_count(3)
    expect(hand.page.locator(".cc-failed")).to_contain_text("c.tif is no picture")
    screenshot(hand.page, "painter-files")
    hand.page.locator(".cc-other[title^='b:']").click()  # of another size
    expect(hand.page.locator(".cc-of-slices")).to_have_text("6 of 6")
    expect(hand.page.locator(".cc-map-legend")).to_contain_text("no value")
    expect(hand.page.locator(".cc-other")).to_have_count(3)


def test_objects_are_counted_and_shown(hand, screenshot):
    hand.page.locator(".cc-watch").get_by_role("button", name="Objects", exact=True).click()
    hand.canvas.hover()
    hand.page.keyboard.press("1")
    expect(hand.page.locator(".cc-gauge .cc-note").filter(has_text="of Region 1")).to_be_visible()
    hand.page.locator("tr[data-action=show]").first.click()
    expect(hand.page.locator(".cc-image-canvas svg g")).to_have_count(1)
    screenshot(hand.page, "painter-objects")


def test_a_reload_finds_the_stack_and_its_paint(hand):
    hand.page.reload()
    expect(hand.page.locator(".cc-of-slices")).to_contain_text("of 6")
    hand.wait_for("strokes 3")


def test_enter_ends_renaming_and_keys_are_the_page_s_again(hand):
    hand.canvas.hover()
    hand.page.keyboard.press("2")
    name = hand.page.get_by_label("Name of region 2")
    name.fill("Healthy")
    name.press("Enter")
    hand.page.keyboard.press("1")
    expect(hand.page.locator(".cc-palette")).to_contain_text("Healthy")
    expect(hand.page.locator(".cc-palette .cc-chosen kbd")).to_have_text("1")


def test_another_picture_is_seen_through_a_window_of_its_own(hand):
    """The browser must not tell the window of the picture before back, as if a person had moved it there."""
    values = np.random.default_rng(0).normal(400, 90, SHAPE).astype(np.uint16) + 1800 * (body(SHAPE)[1] == 2)
    upload(hand, ("cells.tif", tiff(values.astype(np.uint16))))
    expect(hand.page.locator(".cc-paint .cc-head")).to_contain_text("12-bit")
    hand.page.wait_for_timeout(1500)  # for what the browser might tell back
    expect(hand.page.get_by_label("Contrast")).to_have_value("Auto contrast")


def test_slices_that_are_chosen_together_open_in_their_order(hand):
    files = [(f"IM{k}.dcm", dicom(body(SHAPE, seed=k)[0], place=5.0 * place)) for place, k in enumerate((3, 10, 2))]
    upload(hand, *files)
    expect(hand.page.locator(".cc-of-slices")).to_have_text("1 of 3")
    expect(hand.page.locator(".cc-paint .cc-head")).to_contain_text("IM3 · 144 × 120")
    expect(hand.page.get_by_label("Contrast")).to_have_value("As in the file")
