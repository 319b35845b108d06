"""The look of every page: one stylesheet, and the same palette for figures drawn in Python.

`theme.css` is the source of truth. Its token lines hold a light and a dark value each
(``--cc-c1: light-dark(#0072B2, #3596DB);``); this module reads them, derives what can be computed (further hues,
blends of two hues, icons) and gives both the CSS text and the hex values.

Hues
----
Clusters 1–7 have the Okabe-Ito hues. Clusters 8–14 repeat them darker and 15–20 lighter, which keeps 20 clusters
apart (OKLab distance of at least 0.05 in both themes); from 21 on hues repeat. A set of two clusters is the blend of
their hues; larger sets are grey, like "any": shape and words tell them apart.
"""

import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from itertools import combinations
from urllib.parse import quote
from xml.etree import ElementTree

import numpy as np

N_HUES = 20
_BASE_HUES = 7
_DARKER = ("black", 0.40)
_LIGHTER = ("white", 0.55)

_TOKEN = re.compile(r"--cc-([\w-]+):\s*light-dark\(([^()]+|rgb\([^()]*\)),\s*([^()]+|rgb\([^()]*\))\);")
_SVG = "{http://www.w3.org/2000/svg}"


def told_apart(cluster_ids: Sequence[int]) -> list[int]:
    """For each of the clusters that are left, the cluster whose hue it has: its own, if that tells it apart.

    Where clusters vanish, those that are left may be three shades of one hue. As soon as there are no more of them than
    plain hues, each has a plain one: its own or the plain form of it, where no other has that.

    >>> told_apart([2, 9, 16]), told_apart([0, 1, 2])
    ([2, 3, 4], [0, 1, 2])
    """
    ids = [int(id_) for id_ in cluster_ids]
    if len(ids) > _BASE_HUES:
        return ids
    hues = {id_: id_ for id_ in ids if id_ < _BASE_HUES}
    for id_ in sorted(set(ids) - set(hues)):
        nearest = (hue % _BASE_HUES for hue in range(id_, id_ + _BASE_HUES))
        hues[id_] = next(hue for hue in nearest if hue not in hues.values())
    return [hues[id_] for id_ in ids]


def hue(clusters: int | Sequence[int]) -> str:
    """Name of the CSS variable that colours a cluster or a set of clusters (counted from 0).

    >>> hue(0), hue([1, 2]), hue([2, 1]), hue([0, 1, 2]), hue([])
    ('--cc-c1', '--cc-c2-3', '--cc-c2-3', '--cc-all', '--cc-outlier')
    """
    members = [clusters] if np.isscalar(clusters) else list(clusters)
    if not members:
        return "--cc-outlier"
    if len(members) > 2:
        return "--cc-all"
    numbers = sorted({int(cluster) % N_HUES + 1 for cluster in members})
    return "--cc-c" + "-".join(str(number) for number in numbers)


def hex_color(variable: str, *, dark: bool = False) -> str:
    """Hex value of a CSS variable of the theme, for figures drawn in Python.

    >>> hex_color("--cc-c1"), hex_color("--cc-c1", dark=True)
    ('#0072B2', '#3596DB')
    """
    try:
        return _palette(dark)[variable.removeprefix("--cc-")]
    except KeyError:
        raise ValueError(f"The theme has no colour {variable!r}; see the token lines of theme.css.") from None


@cache
def stylesheet() -> str:
    """The whole stylesheet: `theme.css`, what panels and pages add, then the derived hues and the icons."""
    names = ("panels.css", "pages.css", "dashboards.css", "easel.css")
    sheets = (files("cclab.widgets").joinpath(name).read_text(encoding="utf-8") for name in names)
    return "\n".join([_source(), *sheets, _derived_css(), _icons_css()])


@cache
def _source() -> str:
    return files("cclab.widgets").joinpath("theme.css").read_text(encoding="utf-8")


def _blends() -> dict[str, tuple[str, str, float]]:
    """Derived hue -> (first colour, second colour, share of the second)."""
    blends = {}
    for number in range(_BASE_HUES + 1, N_HUES + 1):
        mixed, share = _DARKER if number <= 2 * _BASE_HUES else _LIGHTER
        blends[f"c{number}"] = (f"c{(number - 1) % _BASE_HUES + 1}", mixed, share)
    for i, j in combinations(range(1, N_HUES + 1), 2):
        blends[f"c{i}-{j}"] = (f"c{i}", f"c{j}", 0.5)
    return blends


@cache
def _palette(dark: bool) -> dict[str, str]:
    colors = {name: (night if dark else day).strip() for name, day, night in _TOKEN.findall(_source())}
    hexes = {name: color for name, color in colors.items() if color.startswith("#")}
    hexes |= {"black": "#000000", "white": "#FFFFFF"}
    for name, (first, second, share) in _blends().items():
        hexes[name] = _mix(hexes[first], hexes[second], share)
    return hexes


def _derived_css() -> str:
    def color(name):
        return name if name in ("black", "white") else f"var(--cc-{name})"

    lines = [
        f"  --cc-{name}: color-mix(in oklab, {color(first)}, {color(second)} {share:.0%});"
        for name, (first, second, share) in _blends().items()
    ]
    return ".cc-app {\n" + "\n".join(lines) + "\n}\n"


def _icons_css() -> str:
    """A class ``cc-i-NAME`` for each symbol of `icons.svg`, as a mask that takes the text's colour."""
    sheet = ElementTree.fromstring(files("cclab.widgets").joinpath("icons.svg").read_text(encoding="utf-8"))
    rules = []
    for symbol in sheet.iter(f"{_SVG}symbol"):
        icon = ElementTree.Element("svg", sheet.attrib | {"viewBox": "0 0 16 16"})
        icon.extend(symbol)
        for part in icon.iter():
            part.tag = part.tag.removeprefix(_SVG)
        icon.set("xmlns", "http://www.w3.org/2000/svg")
        address = "data:image/svg+xml," + quote(ElementTree.tostring(icon, encoding="unicode"), safe=" =:/,.")
        rules.append(f'.cc-app .cc-i-{symbol.get("id")} {{ --cc-icon: url("{address}"); }}')
    return "\n".join(rules) + "\n"


# OKLab (Ottosson, "A perceptual color space for image processing", 2020), the space of CSS `color-mix(in oklab, ...)`.
_RGB_TO_LMS = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_LMS_TO_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def _mix(first: str, second: str, share: float) -> str:
    return _from_oklab((1 - share) * _to_oklab(first) + share * _to_oklab(second))


def _to_oklab(color: str) -> np.ndarray:
    srgb = np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    return _LMS_TO_LAB @ np.cbrt(_RGB_TO_LMS @ linear)


def _from_oklab(lab: np.ndarray) -> str:
    linear = np.linalg.solve(_RGB_TO_LMS, np.linalg.solve(_LMS_TO_LAB, lab) ** 3).clip(0, 1)
    srgb = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    return "#" + "".join(f"{round(255 * channel):02X}" for channel in srgb)
