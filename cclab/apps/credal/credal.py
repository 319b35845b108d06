"""Credal explained: one sample between two or three centres, and what evidential c-means believes of it."""

from __future__ import annotations

from functools import partial

import ipywidgets as widgets
from numpy.typing import NDArray

from cclab.algorithms import ECM
from cclab.apps.credal.plane import HIGH, SAMPLE, WIDE, Plane
from cclab.apps.page.top_bar import title_bar
from cclab.core import Credal, Problem
from cclab.looks.encoding import Look, set_name, set_sign
from cclab.looks.palette import hue
from cclab.widgets.kit.bridge import Shell
from cclab.widgets.kit.close import close_all
from cclab.widgets.kit.html import Html, join, tag
from cclab.widgets.kit.layout import app, button, column, panel, row, slider, text, with_classes
from cclab.widgets.scatter.glyphs import glyph

_PRESETS = {
    "Near": (4.0, 3.2),
    "Between two": (6.0, 2.8),
    "Between all": (6.0, 4.0),
    "Far": (11.6, 8.2),
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
    >>> page.plane.move_sample(6.0, 2.8)
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
    return f"{set_name(members, Look.plain(belief.n_clusters))}: can’t tell"


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
    name = set_name(members, Look.plain(belief.n_clusters))
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
        self._filling = False
        self.plane = Plane()
        self.number = with_classes(
            widgets.ToggleButtons(options=[("2 clusters", 2), ("3 clusters", 3)], value=3), "cc-tabs cc-push"
        )
        self.across, self.up = (
            slider(name, value, 0.0, end, 0.1, ".1f")
            for name, value, end in (("across", SAMPLE[0], WIDE), ("up", SAMPLE[1], HIGH))
        )
        self.alpha = slider("alpha", 1.0, 0.0, 4.0, 0.1, ".1f")
        self.rho = slider("rho", 2.6, 0.5, 8.0, 0.1, ".1f")
        self.beta = slider("beta", 2.0, 1.2, 4.0, 0.1, ".1f")
        self._legend = text(css="cc-legend-box")
        self._verdict, self._masses, self._clusters = text(), text(), text()
        body = row(self._left(), self._right(), css="cc-body")
        self.widget = app(self.shell, title_bar(self.shell, "Credal explained"), body, page=height is None)
        if height is not None:
            self.widget.layout.height = f"{height}px"
        for knob in (self.alpha, self.rho, self.beta):
            knob.observe(lambda _: self.update(), "value")
        self.number.observe(lambda change: self.plane.show_centers(change["new"]), "value")
        for knob in (self.across, self.up):
            knob.observe(lambda _: self._slid(), "value")
        self.plane.moved.connect(self._moved)
        self.shell.observe(lambda _: self._show_map(), "theme")
        self.update()

    def _left(self) -> widgets.VBox:
        hint = text("drag a centre or the sample · click to place the sample", css="cc-note cc-wide")
        figure = row(self.plane.figure, css="cc-plot cc-plane")
        plane = panel("The plane", figure, self._legend, tools=(hint, self.number), css="cc-grow")
        knobs = [
            column(knob, text(tag("div", words, class_="cc-help")))
            for knob, words in (
                (self.alpha, "holds large sets back: more, and fewer stay undecided"),
                (self.rho, "how far is too far: less, and more belongs to none"),
                (self.beta, "how soft: near 1, nearly all mass is on one set"),
            )
        ]
        weighing = panel("How ECM weighs", row(*knobs, css="cc-thirds"), css="cc-knobs")
        return column(plane, weighing, css="cc-column cc-left")

    def _right(self) -> widgets.VBox:
        belief = column(self._verdict, self._masses, self._clusters, css="cc-scroll cc-credal")
        move = self.plane.move_sample
        presets = [button(name, partial(move, *place), look="outlined") for name, place in _PRESETS.items()]
        return column(
            panel("What is believed of the sample", belief, css="cc-grow"),
            panel("Move the sample", self.across, self.up, row(*presets, css="cc-presets"), css="cc-knobs"),
            css="cc-column cc-right",
        )

    # ------------------------------------------------------------------ what is believed

    @property
    def belief(self) -> Credal:
        """What is believed of the sample."""
        return self._believe(self.plane.sample[None])

    @property
    def verdict(self) -> str:
        """The same in words."""
        return in_words(self.belief)

    def _believe(self, points: NDArray) -> Credal:
        knobs = {"alpha": self.alpha.value, "beta": self.beta.value, "rho": self.rho.value}
        return believe(points, self.plane.centers, **knobs)

    # ------------------------------------------------------------------ gestures

    def _slid(self) -> None:
        if not self._filling:
            self.plane.move_sample(self.across.value, self.up.value)

    def _moved(self, centers_too: bool) -> None:
        """Let the sliders say where the sample is, and show what follows."""
        self._filling = True
        try:
            self.across.value, self.up.value = self.plane.sample
        finally:
            self._filling = False
        if centers_too:
            self._show_map()
        self._show_belief()

    # ------------------------------------------------------------------ showing

    def update(self) -> None:
        """Show what follows from the centres and the knobs."""
        self._show_map()
        self._show_belief()

    def _show_map(self) -> None:
        dark = self.shell.theme == "dark"
        self.plane.show_map(self._believe, dark=dark)
        belief = self.belief
        signs = [set_sign(members, Look.plain(belief.n_clusters)) for members in belief.focal_sets if members]
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
    sign = set_sign(members, Look.plain(belief.n_clusters))
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


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]
