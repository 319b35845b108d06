"""The palette in CSS and in Python are the same, and 20 clusters can be told apart."""

import re
from itertools import combinations

import numpy as np
import pytest

from cclab.looks.palette import N_HUES, hex_color, hue, to_oklab, told_apart
from cclab.widgets.kit import layout
from cclab.widgets.kit.theme.stylesheet import stylesheet
from cclab.widgets.scatter.glyphs import glyph
from tests.front_end import classes, is_shown


@pytest.mark.parametrize("dark", [False, True])
def test_twenty_clusters_are_told_apart(dark):
    colors = [to_oklab(hex_color(hue(k), dark=dark)) for k in range(N_HUES)]
    assert min(np.linalg.norm(a - b) for a, b in combinations(colors, 2)) > 0.05


def test_every_colour_that_python_names_is_in_the_stylesheet():
    css = stylesheet()
    for clusters in ([0], [6], [7], [19], [0, 1], [3, 12], [0, 1, 2], []):
        assert re.search(rf"{hue(clusters)}:", css), clusters


def test_a_blend_lies_between_its_hues():
    blend, first, second = (to_oklab(hex_color(name)) for name in ("--cc-c2-3", "--cc-c2", "--cc-c3"))
    np.testing.assert_allclose(blend, (first + second) / 2, atol=0.004)


def test_hues_repeat_after_twenty():
    assert hue(N_HUES) == hue(0)
    assert hue([0, N_HUES]) == hue(0)


def test_an_unknown_colour_is_named():
    with pytest.raises(ValueError, match="no colour '--cc-pink'"):
        hex_color("--cc-pink")


def test_all_rules_stay_inside_the_app():
    rules = re.sub(r"/\*.*?\*/|url\(\"[^\"]*\"\)", "", stylesheet(), flags=re.DOTALL)
    selectors = [part.strip() for part in re.findall(r"([^{};]+)\{", rules)]
    outside = [s for s in selectors if ".cc-app" not in s and not s.startswith("@") and s not in ("50%", "from", "to")]
    assert outside == []


def test_every_icon_of_a_button_exists():
    css = stylesheet()
    for icon in ("lasso", "box", "hand", "fit", "step", "run", "pause", "together", "apart", "label", "close"):
        assert f".cc-i-{icon} " in css


def test_a_button_needs_a_name():
    with pytest.raises(ValueError, match="needs a hint"):
        layout.button(icon="lasso")
    with pytest.raises(ValueError, match="look must be one of"):
        layout.button("Step", look="big")
    made = layout.button(icon="lasso", hint="Lasso (L)")
    assert "cc-i-lasso" in classes(made)
    assert made.tooltip == "Lasso (L)"


def test_clicks_reach_the_callback():
    calls = []
    layout.button("Step", lambda: calls.append(1)).click()
    assert calls == [1]


def test_hiding_and_showing():
    box = layout.column()
    layout.show(box, False)
    assert not is_shown(box)
    layout.show(box, True)
    assert is_shown(box)


def test_glyphs():
    assert "--cc-c2-3" in glyph("diamond", hue([1, 2]))
    with pytest.raises(ValueError, match="no glyph 'star'"):
        glyph("star")


@pytest.mark.parametrize("seed", range(20))
def test_few_clusters_that_are_left_have_a_plain_hue_each(seed):
    rng = np.random.default_rng(seed)
    ids = rng.choice(N_HUES, size=rng.integers(1, 8), replace=False)
    hues = told_apart(ids)
    assert len(set(hues)) == len(ids)
    assert set(hues) <= set(range(7))
    assert [hue for id_, hue in zip(ids, hues) if id_ < 7] == [id_ for id_ in ids if id_ < 7]
    again = rng.permutation(len(ids))
    assert told_apart(ids[again]) == [hues[k] for k in again]  # whatever their order


def test_no_rule_makes_the_browser_look_at_every_element_whenever_one_changes():
    """``a:has(b) *`` took 60 ms of a frame: any element may come to match it."""
    assert re.findall(r"[^{};,]*:has\([^{};,]*\) \*", stylesheet()) == []
