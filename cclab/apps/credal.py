"""Credal explained: one sample between two or three centres, and what evidential c-means believes of it."""

from __future__ import annotations

import io
from functools import partial

import bqplot
import ipywidgets as widgets
import numpy as np
from numpy.typing import ArrayLike, NDArray
from PIL import Image

from cclab.algorithms import ECM
from cclab.apps.heading import heading, slider
from cclab.core import Credal, Problem
from cclab.widgets.encoding import set_name, set_sign
from cclab.widgets.freeing import close_all
from cclab.widgets.glyphs import glyph
from cclab.widgets.html import Html, join, tag
from cclab.widgets.layout import app, button, column, panel, row, text, with_classes
from cclab.widgets.shell import Shell
from cclab.widgets.theme import hex_color, hue

#: The plane that is shown: 0 to WIDE across, 0 to HIGH up; GRAIN is a pixel of its map.
WIDE, HIGH, GRAIN = 10.0, 6.2, 0.04
_START = np.array([[2.6, 1.6], [7.4, 1.6], [5.0, 4.9]])
_SAMPLE = (4.4, 2.1)

_PRESETS = {
    "Near": (2.7, 1.9),
    "Between two": (5.0, 1.6),
    "Between all": (5.0, 3.0),
    "Far": (9.7, 5.7),
}


def credal(*, height: int | None = None) -> CredalPage:
    """The page that explains credal partitions, to be shown in a notebook or served as a page.

    Parameters
    ----------
    height : int, optional
        In pixels. By default 760 in a notebook, and the whole window as a page of its own.

    Examples
    --------
    >>> page = credal()
    >>> page.move_sample(5.0, 1.6)
    >>> page.verdict
    '1 or 2: can’t tell'
    >>> page.close()
    """
    return CredalPage(height=height)


def believe(points: NDArray, centers: NDArray, *, alpha: float, beta: float, rho: float) -> Credal:
    """What ECM believes of `points`, (m, 2), with its centres held where they are."""
    solver = ECM(n_clusters=len(centers), init=centers, alpha=alpha, beta=beta, rho2=rho**2, focal_sets="full")
    problem = Problem(centers)
    return solver.believe(points, solver.start(problem))


def in_words(belief: Credal) -> str:
    """The set of highest mass, as one would say it."""
    members = belief.focal_sets[int(belief.hard_sets()[0])]
    if not members:
        return "none: too far from every centre"
    if len(members) == 1:
        return f"{'surely' if belief.masses.max() >= 0.5 else 'rather'} {members[0] + 1}"
    return f"{set_name(members, range(belief.n_clusters))}: can’t tell"


def explained(belief: Credal) -> str:
    """Why, in a sentence or two."""
    members = belief.focal_sets[int(belief.hard_sets()[0])]
    best = int(belief.labels()[0])
    low, high = belief.belief(best)[0], belief.plausibility(best)[0]
    if not members:
        return (
            f"No cluster explains it, so {belief.empty_mass[0]:.2f} of the mass says “none”. "
            "A fuzzy partition would still have to share it out."
        )
    if len(members) == 1:
        return f"{low:.2f} of the mass supports {best + 1} and nothing else; {1 - high:.2f} speaks against it."
    name = set_name(members, range(belief.n_clusters))
    return (
        f"No centre is clearly the nearest, so “{name}” gets more mass than any other set. Taken by itself, {best + 1} "
        f"is supported by {low:.2f} only, yet {high:.2f} does not speak against it: the gap is the doubt that is kept."
    )


class CredalPage:
    """The page that `credal` makes.

    Parameters
    ----------
    height : int, optional
    """

    def __init__(self, *, height: int | None = None) -> None:
        self.shell = Shell(app="credal", label="cclab credal explained")
        self._placing = False
        self.number = with_classes(
            widgets.ToggleButtons(options=[("2 clusters", 2), ("3 clusters", 3)], value=3), "cc-tabs cc-push"
        )
        self.across, self.up = (
            slider(name, value, 0.0, end, 0.1, ".1f")
            for name, value, end in (("across", _SAMPLE[0], WIDE), ("up", _SAMPLE[1], HIGH))
        )
        self.alpha = slider("alpha", 1.0, 0.0, 4.0, 0.1, ".1f")
        self.rho = slider("rho", 3.0, 0.5, 8.0, 0.1, ".1f")
        self.beta = slider("beta", 2.0, 1.2, 4.0, 0.1, ".1f")
        self._make_plane()
        self._legend = text(css="cc-legend-box")
        self._verdict, self._masses, self._clusters = text(), text(), text()
        hint = text("drag a centre or the sample · click to place the sample", css="cc-note cc-wide")
        plane = panel(
            "The plane", row(self.figure, css="cc-plot"), self._legend, tools=(hint, self.number), css="cc-grow"
        )
        belief = column(self._verdict, self._masses, self._clusters, css="cc-scroll cc-credal")
        presets = [button(name, partial(self.move_sample, *place), look="outlined") for name, place in _PRESETS.items()]
        knobs = [
            column(knob, text(tag("div", words, class_="cc-help")))
            for knob, words in (
                (self.alpha, "holds large sets back: more, and fewer stay undecided"),
                (self.rho, "how far is too far: less, and more belongs to none"),
                (self.beta, "how soft: near 1, nearly all mass is on one set"),
            )
        ]
        left = column(
            plane, panel("How ECM weighs", row(*knobs, css="cc-thirds"), css="cc-knobs"), css="cc-column cc-left"
        )
        right = column(
            panel("What is believed of the sample", belief, css="cc-grow"),
            panel("Move the sample", self.across, self.up, row(*presets, css="cc-presets"), css="cc-knobs"),
            css="cc-column cc-right",
        )
        body = row(left, right, css="cc-body")
        self.widget = app(self.shell, heading(self.shell, "Credal explained"), body, page=height is None)
        if height is not None:
            self.widget.layout.height = f"{height}px"
        for knob in (self.alpha, self.rho, self.beta, self.number):
            knob.observe(lambda _: self.update(), "value")
        for knob in (self.across, self.up):
            knob.observe(lambda _: self.move_sample(self.across.value, self.up.value), "value")
        self.shell.observe(lambda _: self._show_map(), "theme")
        self.update()

    def _make_plane(self) -> None:
        """The map of regions under the centres and the sample."""
        scales = {"x": bqplot.LinearScale(min=0, max=WIDE), "y": bqplot.LinearScale(min=0, max=HIGH)}
        across, upward = np.arange(GRAIN / 2, WIDE, GRAIN), np.arange(HIGH - GRAIN / 2, 0, -GRAIN)
        self._pixels = np.stack(np.meshgrid(across, upward), axis=-1)  # from the upper left corner on
        self._map = bqplot.Image(image=widgets.Image(), scales=scales, x=[0, WIDE], y=[0, HIGH], pixelated=False)
        self._map.on_element_click(lambda _, event: self._clicked(event["data"]))
        ink, you = ["var(--cc-ink)"], ["var(--cc-focus)"]
        movable = {"scales": scales, "enable_move": True, "update_on_move": True}
        self._centers = bqplot.Scatter(
            x=_START[:, 0], y=_START[:, 1], marker="cross", default_size=170, colors=ink, **movable
        )
        self._sample = bqplot.Scatter(
            x=[_SAMPLE[0]], y=[_SAMPLE[1]], default_size=150, colors=you, stroke="var(--cc-surface)", **movable
        )
        self._names = bqplot.Label(x=[0], y=[0], text=[""], scales=scales, colors=ink, default_size=13, x_offset=12)
        for mark in (self._centers, self._sample):
            mark.observe(lambda _: self._dragged(), ["x", "y"])
        shape = WIDE / HIGH
        self.figure = bqplot.Figure(
            marks=[self._map, self._names, self._centers, self._sample],
            axes=[],
            fig_margin={"top": 8, "bottom": 8, "left": 8, "right": 8},
            background_style={"fill": "transparent"},
            display_toolbar=False,
            animation_duration=0,
            min_aspect_ratio=shape,
            max_aspect_ratio=shape,
            layout={"width": "100%", "height": "100%", "min_width": "0", "min_height": "0"},
        )

    # ------------------------------------------------------------------ what there is

    @property
    def centers(self) -> NDArray[np.float64]:
        """(k, 2) where the centres are."""
        return np.column_stack([self._centers.x, self._centers.y])

    @property
    def sample(self) -> NDArray[np.float64]:
        """(2,) where the sample is."""
        return np.array([self._sample.x[0], self._sample.y[0]])

    @property
    def belief(self) -> Credal:
        """What is believed of the sample."""
        return self._believe(self.sample[None])

    @property
    def verdict(self) -> str:
        """The same in words."""
        return in_words(self.belief)

    def _believe(self, points: NDArray) -> Credal:
        return believe(points, self.centers, alpha=self.alpha.value, beta=self.beta.value, rho=self.rho.value)

    # ------------------------------------------------------------------ gestures

    def move_sample(self, across: float, up: float) -> None:
        """Put the sample somewhere on the plane."""
        self._place(self._sample, [[across, up]])
        self._show_belief()

    def move_centers(self, places: ArrayLike) -> None:
        """Put the centres somewhere on the plane."""
        self._place(self._centers, places)
        self.update()

    def _clicked(self, where: dict) -> None:
        self.move_sample(where["click_x"], where["click_y"])

    def _dragged(self) -> None:
        """The browser has moved a mark: keep it on the plane, and follow."""
        if self._placing:
            return
        self._place(self._sample, [self.sample])
        if len(self._centers.x) == len(self._centers.y):
            self.move_centers(self.centers)

    def _place(self, mark: bqplot.Scatter, places: ArrayLike) -> None:
        """Move a mark, and the sliders with it; what this sets off is not heard."""
        places = np.clip(np.asarray(places, dtype=float), 0, (WIDE, HIGH))
        self._placing = True
        try:
            with mark.hold_sync():
                mark.x, mark.y = places.T
            if mark is self._sample:
                self.across.value, self.up.value = places[0]
        finally:
            self._placing = False

    # ------------------------------------------------------------------ showing

    def update(self) -> None:
        """Show what follows from the centres and the knobs."""
        wanted = self.number.value
        if wanted != len(self.centers):
            self._place(self._centers, np.vstack([self.centers[:2], _START[2:]])[:wanted])
        with self._names.hold_sync():
            self._names.x, self._names.y = self._centers.x, self._centers.y
            self._names.text = [str(k + 1) for k in range(wanted)]
        self._show_map()
        self._show_belief()

    def _show_map(self) -> None:
        """Each place in the colour of the set that has most mass there, faint where it has little."""
        regions = self._believe(self._pixels.reshape(-1, 2))
        dark = self.shell.theme == "dark"
        hues = np.array([_rgb(hex_color(hue(members), dark=dark)) for members in regions.focal_sets])
        which = regions.hard_sets()
        opacity = 40 + 120 * regions.masses.max(axis=1)
        opacity[[not regions.focal_sets[s] for s in which]] = 0
        pixels = np.column_stack([hues[which], opacity]).astype(np.uint8).reshape(*self._pixels.shape[:2], 4)
        buffer = io.BytesIO()
        Image.fromarray(pixels).save(buffer, "PNG", compress_level=1)
        # bqplot draws an image when it is given another one, not when its content changes.
        gone, self._map.image = self._map.image, widgets.Image(value=buffer.getvalue(), format="png")
        close_all(gone)
        ids = range(regions.n_clusters)
        signs = [set_sign(members, ids) for members in regions.focal_sets if members]
        entries = [tag("span", glyph(sign.shape, sign.color), sign.name) for sign in signs]
        none = tag("span", glyph("outlier"), "none: left white" if not dark else "none: left dark")
        self._legend.value = tag("div", entries, none, class_="cc-legend")

    def _show_belief(self) -> None:
        belief = self.belief
        self._verdict.value = tag(
            "div", tag("h2", _capital(in_words(belief))), tag("p", explained(belief)), role="status", aria_live="polite"
        )
        rows = [_mass_row(belief, s) for s in range(len(belief.focal_sets))]
        self._masses.value = tag("div", rows, class_="cc-masses")
        head = [tag("span", name) for name in ("", "belief to plausibility", "bel", "pl", "pign.")]
        clusters = [_cluster_row(belief, k) for k in range(belief.n_clusters)]
        self._clusters.value = tag("div", head, clusters, class_="cc-intervals")

    def _repr_mimebundle_(self, **options: object) -> object:
        return self.widget._repr_mimebundle_(**options)

    def close(self) -> None:
        """Free all widgets, here and in the browser."""
        close_all(self.widget)


def _mass_row(belief: Credal, focal_set: int) -> Html:
    members, mass = belief.focal_sets[focal_set], float(belief.masses[0, focal_set])
    sign = set_sign(members, range(belief.n_clusters))
    name = "none" if not members else f"surely {sign.name}" if len(members) == 1 else sign.name
    fill = tag("i", style=f"width:{100 * mass:.1f}%;background:var({sign.color})")
    return join(
        glyph(sign.shape, sign.color),
        tag("span", name),
        tag("span", fill, class_="cc-meter"),
        tag("span", f"{mass:.2f}"),
    )


def _cluster_row(belief: Credal, cluster: int) -> Html:
    """A cluster's belief as a full bar, what is plausible beyond it as a faint one, the pignistic degree as a tick."""
    low, high = float(belief.belief(cluster)[0]), float(belief.plausibility(cluster)[0])
    degree = float(belief.pignistic[0, cluster])
    color = f"background:var({hue(cluster)})"
    parts = [
        tag("i", style=f"width:{100 * high:.1f}%;opacity:.3;{color}"),
        tag("i", style=f"width:{100 * low:.1f}%;{color}"),
        tag("u", style=f"left:{100 * degree:.1f}%"),
    ]
    numbers = [tag("span", f"{value:.2f}") for value in (low, high, degree)]
    return join(tag("span", f"cluster {cluster + 1}"), tag("span", parts, class_="cc-interval"), numbers)


def _rgb(color: str) -> tuple[int, int, int]:
    return tuple(int(color[i : i + 2], 16) for i in (1, 3, 5))


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]
