"""Journeys with tables of one's own in a real browser: opened, their columns used otherwise, and undone."""

import pytest
from playwright.sync_api import expect

from tests.browser.long_journeys import at_the_workbench, cells, open_file, places, served
from tests.datasets.columns.own_tables import german_sales, texts_with_vectors, zip_of_pictures

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CCLAB_STATE", str(tmp_path_factory.mktemp("state")))
        expect.set_options(timeout=60_000)
        with served() as address:
            yield address
        expect.set_options(timeout=5_000)


@pytest.fixture
def hand(browser, address, page_errors):
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    context.set_default_timeout(60_000)
    page = context.new_page()
    page.on("pageerror", lambda error: page_errors.append(error.stack or str(error)))
    hand = at_the_workbench(page, address)
    yield hand
    context.close()


def test_a_sales_table_its_columns_and_back(hand, tmp_path, screenshot):
    path = tmp_path / "Umsätze.csv"
    path.write_bytes(german_sales())
    open_file(hand, path)
    expect(hand.status).to_contain_text("n 59")
    expect(hand.find(".cc-banner")).to_contain_text("1 row with missing values dropped")
    hand.app.get_by_role("button", name="Columns: what").click()
    sheet = hand.find(".cc-columns")
    expect(sheet.locator("tbody tr")).to_have_count(8)
    sheet.get_by_label("Role of Sparte", exact=True).select_option("feature")
    sheet.get_by_label("Missing of Rabatt", exact=True).select_option("median")
    screenshot(hand.page, "columns")
    sheet.get_by_role("button", name="Start anew").click()
    expect(hand.status).to_contain_text("n 60")
    expect(hand.toast).to_contain_text("Clustered by 6 features of 60 rows now")
    hand.press("Control+z")
    expect(hand.status).to_contain_text("n 59")


def test_on_a_phone_the_banner_covers_no_samples(hand, tmp_path, screenshot):
    hand.page.set_viewport_size({"width": 390, "height": 844})
    path = tmp_path / "Umsätze.csv"
    path.write_bytes(german_sales())
    open_file(hand, path)
    expect(hand.find(".cc-banner")).to_contain_text("1 row with missing values dropped")
    plot, banner = hand.find(".cc-plot").first.bounding_box(), hand.find(".cc-banner").bounding_box()
    assert plot["height"] > 300
    assert banner["y"] >= plot["y"] + plot["height"]
    screenshot(hand.page, "own-phone")


def test_texts_then_pictures_then_a_broken_file(hand, tmp_path, screenshot):
    texts = tmp_path / "texts.parquet"
    texts_with_vectors(60, 220).to_parquet(texts)
    open_file(hand, texts)
    expect(hand.find(".cc-banner")).to_contain_text("220 features reduced to 50 by PCA")
    pictures = tmp_path / "shapes.zip"
    pictures.write_bytes(zip_of_pictures(broken=(3,)))
    open_file(hand, pictures)
    expect(hand.find(".cc-banner")).to_contain_text("squares/003.png")
    expect(hand.find(".cc-queries img").first).to_be_visible()
    screenshot(hand.page, "own-pictures")
    (tmp_path / "bad.xlsx").write_bytes(b"PK\x03\x04 no workbook")
    open_file(hand, tmp_path / "bad.xlsx")
    expect(hand.find(".cc-banner")).to_contain_text("bad.xlsx is not a table")
    expect(hand.status).to_contain_text("n 11")  # what was open stays open


def test_cells_and_places(hand, tmp_path, screenshot):
    cells(hand, tmp_path, 300, 400)
    screenshot(hand.page, "own-cells")
    places(hand, tmp_path, 3_000)
    screenshot(hand.page, "own-places")
