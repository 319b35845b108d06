"""The palette: hues of clusters and of sets of clusters, for stylesheets and for figures drawn in Python.

`tokens.css` is the source of truth. Its lines hold a light and a dark value each
(``--cc-c1: light-dark(#0072B2, #3596DB);``); this module reads them and derives further hues and blends of two hues.

Hues
----
Clusters 1–7 have the Okabe-Ito hues. Clusters 8–14 repeat them darker and 15–20 lighter, which keeps 20 clusters
apart (OKLab distance of at least 0.05 in both themes); from 21 on hues repeat. A set of two clusters is the blend of
their hues; larger sets are grey, like "any": shape and words tell them apart.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from itertools import combinations

import numpy as np

N_HUES = 20
_BASE_HUES = 7
_DARKER = ("black", 0.40)
_LIGHTER = ("white", 0.55)

_TOKEN = re.compile(r"--cc-([\w-]+):\s*light-dark\(([^()]+|rgb\([^()]*\)),\s*([^()]+|rgb\([^()]*\))\);")


#: A ramp for numbers, from dark blue by way of green to yellow: as light as it is large, in both themes.
RAMP = tuple(f"--cc-v{step + 1}" for step in range(32))


def ramp() -> dict[str, str]:
    """The colours of `RAMP`, in hex, by the names of their tokens: equal steps of lightness in OKLab."""
    shares = np.linspace(0, 1, len(RAMP))
    angles = np.radians(285 - 180 * shares)
    chroma = 0.085 + 0.045 * shares
    labs = np.column_stack([0.38 + 0.50 * shares, chroma * np.cos(angles), chroma * np.sin(angles)])
    return {name.removeprefix("--cc-"): _from_oklab(lab) for name, lab in zip(RAMP, labs)}


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


def recoloured(hues: Sequence[int], chosen: Mapping[int, int]) -> list[int]:
    """The hues of clusters, some chosen by a person; another that has a chosen one gets the next that is free.

    >>> recoloured([0, 1, 2], {2: 0}), recoloured([0, 1, 2], {0: 6, 1: 6})
    ([3, 1, 0], [6, 6, 2])
    """
    wanted = [chosen.get(place, hue) for place, hue in enumerate(hues)]
    taken = set(chosen.values())
    for place, hue in enumerate(wanted):
        if place not in chosen and hue in taken:
            used = {*wanted, *hues}
            wanted[place] = next((free for free in range(N_HUES) if free not in used), hue)
    return wanted


def hue(clusters: int | Sequence[int]) -> str:
    """Name of the CSS variable that colours a cluster or a set of clusters (counted from 0).

    >>> hue(0), hue([1, 2]), hue([2, 1]), hue([0, 1, 2]), hue([])
    ('--cc-c1', '--cc-c2-3', '--cc-c2-3', '--cc-all', '--cc-outlier')
    """
    members = list(clusters) if isinstance(clusters, Iterable) else [clusters]
    if not members:
        return "--cc-outlier"
    if len(members) > 2:
        return "--cc-all"
    numbers = sorted({int(cluster) % N_HUES + 1 for cluster in members})
    return "--cc-c" + "-".join(str(number) for number in numbers)


def hex_color(variable: str, *, dark: bool = False) -> str:
    """Hex value of a CSS variable of the theme, for figures drawn in Python; with its opacity, where it has one.

    >>> hex_color("--cc-c1"), hex_color("--cc-c1", dark=True), hex_color("--cc-edge")
    ('#0072B2', '#3596DB', '#1A1E268C')
    """
    try:
        return _palette(dark)[variable.removeprefix("--cc-")]
    except KeyError:
        raise ValueError(f"The theme has no colour {variable!r}; see tokens.css.") from None


@cache
def source() -> str:
    """The text of `tokens.css`."""
    return files("cclab.looks").joinpath("tokens.css").read_text(encoding="utf-8")


def blends() -> dict[str, tuple[str, str, float]]:
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
    hexes = {name: _hex((night if dark else day).strip()) for name, day, night in _TOKEN.findall(source())}
    hexes |= {"black": "#000000", "white": "#FFFFFF", **ramp()}
    for name, (first, second, share) in blends().items():
        hexes[name] = _mix(hexes[first], hexes[second], share)
    return hexes


def _hex(color: str) -> str:
    """A colour of `tokens.css`, which is ``#RRGGBB`` or ``rgb(R G B / opacity)``."""
    if color.startswith("#"):
        return color
    *channels, opacity = (float(part) for part in re.findall(r"[\d.]+", color))
    return "#" + "".join(f"{round(channel):02X}" for channel in (*channels, 255 * opacity))


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
    return _from_oklab((1 - share) * to_oklab(first) + share * to_oklab(second))


def to_oklab(color: str) -> np.ndarray:
    """A colour such as ``#0072b2`` in Oklab, where distances are as eyes see them."""
    srgb = np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    return _LMS_TO_LAB @ np.cbrt(_RGB_TO_LMS @ linear)


def _from_oklab(lab: np.ndarray) -> str:
    linear = np.linalg.solve(_RGB_TO_LMS, np.linalg.solve(_LMS_TO_LAB, lab) ** 3).clip(0, 1)
    srgb = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    return "#" + "".join(f"{round(255 * channel):02X}" for channel in srgb)
