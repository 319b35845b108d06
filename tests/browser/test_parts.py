"""Every part in a real Voilà page, used with a real mouse and keyboard."""

import json
import math
from importlib.resources import files
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

LEFT, RIGHT, TOP, BOTTOM, PADDING = 46, 12, 8, 44, 0.04  # of js/viewport.js
VIEWS = ["canvas", "flat"]
SOURCE = "import sys\nsys.path.insert(0, {folder!r})\nimport parts\nthe = parts.Parts()\nthe.page()"


@pytest.fixture(scope="module")
def page(voila_page):
    page = voila_page(SOURCE.format(folder=str(Path(__file__).parent)), name="parts")
    page.wait_for_selector(".flat canvas")
    page.wait_for_function("JSON.parse(document.querySelector('.seen').textContent).visitor")
    return page


def seen(page: Page) -> dict:
    return json.loads(page.locator(".seen").text_content())


def wait_until_seen(page: Page, key: str, value: object) -> None:
    """Wait until Python has seen a value."""
    page.wait_for_function(
        "([key, value]) => JSON.stringify(JSON.parse(document.querySelector('.seen').textContent)[key]) === value",
        arg=[key, json.dumps(value, separators=(",", ":"))],
        timeout=30_000,
    )


def place(page: Page, view: str, x: float, y: float) -> tuple[float, float]:
    """Where a position of the unit square is on the screen."""
    box = page.locator(f".{view} .cc-points").bounding_box()
    across = (x + PADDING) / (1 + 2 * PADDING) * (box["width"] - LEFT - RIGHT)
    up = (1 - (y + PADDING) / (1 + 2 * PADDING)) * (box["height"] - TOP - BOTTOM)
    return box["x"] + LEFT + across, box["y"] + TOP + up


def around(columns: tuple, rows: tuple) -> list[tuple[float, float]]:
    """Corners that hold the samples of these columns and rows of the grid, and no others."""
    (x0, x1), (y0, y1) = ((low / 9 - 0.05, high / 9 + 0.05) for low, high in (columns, rows))
    return [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]


def drag(page: Page, view: str, corners: list, modifier: str | None = None) -> None:
    """Draw along the corners with the mouse."""
    points = [place(page, view, *corner) for corner in corners]
    if modifier:
        page.keyboard.down(modifier)
    page.mouse.move(*points[0])
    page.mouse.down()
    for point in points[1:]:
        page.mouse.move(*point, steps=8)
    page.mouse.up()
    if modifier:
        page.keyboard.up(modifier)


def hover(page: Page, view: str, x: float, y: float, index: int | None) -> None:
    """Hold the pointer at a place, as unsteady as a hand, until Python has seen the sample there."""
    for _ in range(100):
        for wobble in (1, 0):
            page.mouse.move(x + wobble, y)
            page.wait_for_timeout(60)
        if seen(page)[f"{view} hover"] == index:
            return
    raise AssertionError(f"Python saw {seen(page)[f'{view} hover']} below the pointer, not {index}")


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=f"{name} it", exact=True).click()


def use(page: Page, view: str, tool: str) -> None:
    press(page, tool)
    page.wait_for_selector(f".{view} .cc-points[data-tool={tool.lower()}]")


def test_both_canvases_draw_as_they_should(page, screenshot):
    assert page.locator(".flat .cc-points").get_attribute("data-renderer") == "2d"
    assert page.locator(".canvas .cc-points").get_attribute("data-renderer") in ("webgl", "2d")
    screenshot(page, "parts-light")


# Two samples at the same place and one at the left edge, in a picture of 20 by 10 pixels; then many, of which some.
_RASTER = """
(source) => {
  const Raster = new Function(`${source.replace("export class", "class")}; return Raster;`)();
  const viewport = { x0: 0, x1: 1, y0: 0, y1: 1, width: 20, height: 10 };
  const palette = new Uint8ClampedArray([200, 0, 0, 255, 0, 100, 0, 255]);
  const look = (samples, chosen, stride, strength) => {
    const canvas = new Raster().draw({ ...samples, palette }, chosen, stride, viewport, 1, 3, strength);
    const { data } = canvas.getContext("2d").getImageData(0, 0, 20, 10);
    return (x, y) => [...data.slice(4 * (20 * y + x), 4 * (20 * y + x) + 4)];
  };
  const few = {
    xy: new Float32Array([0.525, 0.55, 0.525, 0.55, 0.01, 0.55]), color: new Uint8Array([0, 1, 0]),
    opacity: new Uint8Array([128, 128, 128]),
  };
  const at = look(few, null, 1, 1);
  const alone = look(few, new Uint32Array([1]), 1, 0.5);
  const n = 4000;
  const many = { xy: new Float32Array(2 * n).fill(0.5), color: new Uint8Array(n), opacity: new Uint8Array(n).fill(1) };
  return {
    both: at(10, 4), corner: at(11, 5), outside: at(12, 4), edge: at(0, 4), wrapped: at(19, 3),
    alone: alone(10, 4), all: look(many, null, 1, 0.2)(10, 5)[3], some: look(many, null, 4, 0.2)(10, 5)[3],
  };
}
"""


def test_a_raster_mixes_squares_and_cuts_them_at_the_edge(page):
    source = files("cclab.widgets").joinpath("scatter/plot/js/raster.js").read_text(encoding="utf-8")
    found = page.evaluate(_RASTER, source)
    one, two = 255 * 128 / 255, 255 * (1 - (127 / 255) ** 2)  # opacity of one, and of two on each other
    for where in ("both", "corner"):
        assert found[where] == pytest.approx([100, 50, 0, two], abs=2)  # neither hides the other
    assert found["edge"] == pytest.approx([200, 0, 0, one], abs=2)
    assert found["outside"] == found["wrapped"] == [0, 0, 0, 0]
    assert found["alone"] == pytest.approx([0, 100, 0, one / 2], abs=2)
    all_of_them, some = (-math.log1p(-found[name] / 255) for name in ("all", "some"))
    assert some / all_of_them == pytest.approx(0.25, rel=0.05)  # a quarter of them


# Ninety samples of one colour in one place, ten of another colour in another, and one that is filtered out.
_DENSITY = """
(source) => {
  const Density = new Function(`${source.replaceAll("export ", "")}; return Density;`)();
  const viewport = { x0: 0, x1: 1, y0: 0, y1: 1, width: 40, height: 40 };
  const palette = new Uint8ClampedArray([200, 0, 0, 255, 0, 100, 0, 255]);
  const kind = Array.from({ length: 101 }, (_, i) => (i < 90 ? 0 : 1));
  const xy = new Float32Array(kind.flatMap((k, i) => (i === 100 ? [0.05, 0.05] : k ? [0.95, 0.55] : [0.55, 0.95])));
  const opacity = new Uint8Array(101).fill(255).fill(0, 100);
  const scene = { xy, color: new Uint8Array(kind), opacity, weight: new Float32Array() };
  const density = new Density(scene, viewport, palette);
  const { data } = density.canvas.getContext("2d").getImageData(0, 0, 10, 10);
  const at = (x, y) => [...data.slice(4 * (10 * y + x), 4 * (10 * y + x) + 4)];
  return { dense: at(5, 0), sparse: at(9, 4), filtered: at(0, 9), strength: density.strength(2) };
}
"""


def test_the_density_is_the_stronger_the_more_samples_lie_there_and_in_their_colours(page):
    source = files("cclab.widgets.scatter.plot").joinpath("js/density.js").read_text(encoding="utf-8")
    look = page.evaluate(_DENSITY, source)
    assert look["dense"][0] > 190
    assert look["dense"][1] == 0
    assert look["sparse"][1] > 90
    assert look["sparse"][0] == 0
    assert look["dense"][3] > 2 * look["sparse"][3] > 0
    assert look["filtered"][3] == 0
    assert look["strength"] < 0.2  # samples that cover each other are faint


@pytest.mark.parametrize("view", VIEWS)
def test_lasso_adds_with_shift_and_removes_with_alt(page, view):
    use(page, view, "Lasso")
    before = seen(page)[f"{view} reports"]
    drag(page, view, around((1, 2), (1, 3)))
    wait_until_seen(page, f"{view} selection", [11, 12, 21, 22, 31, 32])
    drag(page, view, around((5, 5), (1, 2)), modifier="Shift")
    wait_until_seen(page, f"{view} selection", [11, 12, 15, 21, 22, 25, 31, 32])
    drag(page, view, around((1, 2), (1, 1)), modifier="Alt")
    wait_until_seen(page, f"{view} selection", [15, 21, 22, 25, 31, 32])
    assert seen(page)[f"{view} reports"] == before + 3


@pytest.mark.parametrize("view", VIEWS)
def test_an_empty_lasso_says_so(page, view):
    use(page, view, "Lasso")
    before = seen(page)[f"{view} reports"]
    drag(page, view, [(0.46, 0.46), (0.54, 0.46), (0.54, 0.54), (0.46, 0.54)])
    wait_until_seen(page, f"{view} reports", before + 1)
    assert seen(page)[f"{view} selection"] == []


@pytest.mark.parametrize("view", VIEWS)
def test_box(page, view):
    use(page, view, "Box")
    corners = around((3, 4), (6, 7))
    drag(page, view, [corners[0], corners[2]])
    wait_until_seen(page, f"{view} selection", [63, 64, 73, 74])
    drag(page, view, [around((8, 8), (8, 8))[2], around((8, 8), (8, 8))[0]], modifier="Shift")
    wait_until_seen(page, f"{view} selection", [63, 64, 73, 74, 88])


@pytest.mark.parametrize("view", VIEWS)
def test_the_pointer_finds_a_sample(page, view):
    page.mouse.move(*place(page, view, 7 / 9, 3 / 9))
    wait_until_seen(page, f"{view} hover", 37)
    expect(page.locator(f".{view} .cc-tip")).to_have_text("sample 37")
    page.mouse.down()
    page.mouse.up()
    wait_until_seen(page, f"{view} click", 37)
    page.mouse.move(*place(page, view, 0.5, 0.5))
    wait_until_seen(page, f"{view} hover", None)
    expect(page.locator(f".{view} .cc-tip")).to_have_count(0)


@pytest.mark.parametrize("view", VIEWS)
def test_wheel_zooms_about_the_pointer_and_a_double_click_fits(page, view):
    here, neighbour = place(page, view, 4 / 9, 4 / 9), place(page, view, 5 / 9, 4 / 9)
    page.mouse.move(*here)
    for _ in range(3):
        page.mouse.wheel(0, -300)
    hover(page, view, *here, 44)
    hover(page, view, *neighbour, None)
    page.mouse.dblclick(*neighbour)
    hover(page, view, *neighbour, 45)


@pytest.mark.parametrize("view", VIEWS)
def test_the_hand_moves_the_plane(page, view):
    use(page, view, "Hand")
    drag(page, view, [(4 / 9, 4 / 9), (5 / 9, 4 / 9)])
    here = place(page, view, 5 / 9, 4 / 9)
    hover(page, view, *here, 44)
    press(page, "Fit")
    hover(page, view, *here, 45)


def test_a_lasso_after_zooming_selects_what_it_surrounds_on_the_screen(page):
    use(page, "flat", "Lasso")
    for view in VIEWS:
        middle, before = place(page, view, 0.5, 0.5), seen(page)[f"{view} reports"]
        page.mouse.move(*middle)
        page.mouse.wheel(0, -500)
        page.wait_for_timeout(300)
        drag(page, view, [(0.05, 0.05), (0.95, 0.05), (0.95, 0.95), (0.05, 0.95), (0.05, 0.05)])
        wait_until_seen(page, f"{view} reports", before + 1)
        page.mouse.dblclick(*middle)
    found = [seen(page)[f"{view} selection"] for view in VIEWS]
    assert found[0] == found[1]
    assert len(found[0]) == 16


def test_a_lost_graphics_card_changes_the_canvas_and_nothing_else(page):
    page.evaluate(
        "[...document.querySelectorAll('.canvas canvas')].map((canvas) => canvas.getContext('webgl2')).find(Boolean)"
        "?.getExtension('WEBGL_lose_context').loseContext()"
    )
    page.wait_for_selector(".canvas .cc-points[data-renderer='2d']")
    assert page.locator(".canvas canvas").count() == 3
    use(page, "canvas", "Box")
    corners = around((1, 2), (6, 7))
    drag(page, "canvas", [corners[0], corners[2]])
    wait_until_seen(page, "canvas selection", [61, 62, 71, 72])


def test_keys_reach_python_but_not_while_typing(page):
    page.locator(".canvas .cc-title").click()
    for key in ("m", "Control+z", "?", "ArrowRight", "q"):
        page.keyboard.press(key)
    page.keyboard.press("o")
    wait_until_seen(page, "keys", ["m", "ctrl+z", "?", "ArrowRight", "o down", "o up"])
    typing = page.get_by_placeholder("typing")
    typing.click()
    page.keyboard.type("m ?")
    assert typing.input_value() == "m ?"
    page.get_by_role("button", name="Fit it", exact=True).focus()
    page.keyboard.press("Space")
    page.locator(".canvas .cc-title").click()
    page.keyboard.press("Space")
    wait_until_seen(page, "keys", ["m", "ctrl+z", "?", "ArrowRight", "o down", "o up", "Space"])


def test_controls_have_names(page):
    assert page.locator(".cc-app").get_attribute("aria-label") == "Parts"
    assert page.locator(".noUi-handle").get_attribute("aria-label") == "scrub"
    assert page.get_by_role("button", name="Violate it", exact=True).count() == 1


def test_download(page):
    with page.expect_download() as download:
        press(page, "Download")
    assert download.value.suggested_filename == "labels.csv"
    assert Path(download.value.path()).read_text() == "sample,label\n0,1\n"


def test_a_chosen_file_arrives_in_pieces(page, tmp_path):
    file = tmp_path / "nine.csv"
    file.write_bytes(bytes(range(256)) * (9 * 2**12))
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Open", exact=True).click()
    chooser.value.set_files(file)
    wait_until_seen(page, "files", [["nine.csv", 9 * 2**20, sum(file.read_bytes()[::997])]])


def test_a_file_that_is_too_large_is_refused_in_words(page, tmp_path):
    file = tmp_path / "large.csv"
    file.write_bytes(bytes(13 * 2**20))
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Open", exact=True).click()
    chooser.value.set_files(file)
    expect(page.get_by_role("alert")).to_have_text("large.csv has 13 MB; the limit is 12 MB.")
    assert "large.csv" not in [name for name, *_ in seen(page)["files"]]


def test_a_dropped_file_arrives(page):
    data = page.evaluate_handle(
        "() => { const data = new DataTransfer(); data.items.add(new File(['a,b'], 'drop.csv')); return data; }"
    )
    page.dispatch_event(".cc-app", "dragenter", {"dataTransfer": data})
    expect(page.get_by_text("Drop to open")).to_be_visible()
    page.dispatch_event(".cc-app", "drop", {"dataTransfer": data})
    page.wait_for_function(
        "JSON.parse(document.querySelector('.seen').textContent).files.some(([name]) => name === 'drop.csv')"
    )
    assert seen(page)["files"][-1][:2] == ["drop.csv", 3]
    expect(page.get_by_text("Drop to open")).to_have_count(0)


def test_rows_keep_focus_and_scroll_when_they_change(page):
    action = page.locator(".cc-rows [data-action=forget][data-id='20']")
    action.scroll_into_view_if_needed()
    action.focus()
    before = page.evaluate("document.querySelector('.cc-rows').scrollTop")
    assert before > 0
    page.evaluate("document.querySelector('button[title=\"Violate it\"]').click()")
    expect(action).to_have_text("violated")
    expect(action).to_be_focused()
    assert page.evaluate("document.querySelector('.cc-rows').scrollTop") == before
    page.keyboard.press("Enter")
    wait_until_seen(page, "actions", [["forget", "20"]])
    page.locator(".cc-rows tr[data-id='21']").click()
    wait_until_seen(page, "actions", [["forget", "20"], ["find", "21"]])
    action.hover()
    page.wait_for_function("JSON.parse(document.querySelector('.seen').textContent).hovers.includes('20')")


def test_python_hears_of_every_painted_frame(page):
    press(page, "Play")
    wait_until_seen(page, "painted", 10)


def test_the_visitor_is_kept_by_the_browser(page):
    assert page.evaluate("localStorage['cclab.visitor.parts']") == seen(page)["visitor"]
    assert len(seen(page)["visitor"]) == 32


def test_the_theme_is_remembered(page, screenshot):
    background = "getComputedStyle(document.querySelector('.cc-app')).backgroundColor"
    assert page.evaluate(background) == "rgb(245, 246, 248)"
    press(page, "Theme")
    page.wait_for_function(f"{background} === 'rgb(17, 20, 24)'")
    assert page.evaluate("localStorage['cclab.theme']") == "dark"
    screenshot(page, "parts-dark")


def test_the_page_says_when_the_kernel_has_ended(page, screenshot):
    press(page, "End")
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("The kernel has ended. Your session is saved; reload to go on.")
    icon = "getComputedStyle(document.querySelector('.cc-i-open'), '::before')"
    assert page.evaluate(f"[{icon}.content, {icon}.width, {icon}.marginRight]") == ['""', "16px", "0px"]
    assert page.evaluate(f"{icon}.alignSelf") == "auto"
    assert page.evaluate("getComputedStyle(document.querySelector('.cc-app'), '::before').content") == "none"
    screenshot(page, "parts-ended")
    alert.get_by_role("button", name="Reload").click()
    expect(alert).to_have_count(0)


def test_a_toast_waits_while_the_pointer_is_on_it(page):
    page.wait_for_selector(".cc-app")
    page.get_by_role("button", name="Say it", exact=True).click()
    toast = page.get_by_role("status").filter(has_text="Said")
    expect(toast).to_be_visible()
    toast.hover()
    page.wait_for_timeout(7_000)
    expect(toast).to_be_visible()
    page.mouse.move(5, 5)
    expect(toast).to_have_count(0, timeout=10_000)
