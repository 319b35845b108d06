"""The Points panel: the samples in the plane, with all that is known, asked and believed about them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import ipywidgets as widgets
import numpy as np
from numpy.typing import NDArray

from cclab.datasets import Dataset
from cclab.session import Snapshot
from cclab.widgets.desk import Desk, View, in_words
from cclab.widgets.drawing import centers_of, links_of, outlined, vanished_centers
from cclab.widgets.encoding import ASIDE, MODES, Encoding, encode, shown_partition
from cclab.widgets.glyphs import glyph
from cclab.widgets.html import Html, tag
from cclab.widgets.layout import button, column, row, text, with_classes
from cclab.widgets.legend import legend_entry, link_entries
from cclab.widgets.points import SVG_LIMIT, PointsView, combine, points_view
from cclab.widgets.projections import Projection, axes, project, why_not
from cclab.widgets.samples import sample_content, sample_name, sample_sign
from cclab.widgets.tasks import Tasks

#: So many links are drawn, by SVG and by the canvas.
MOST_LINKS_SVG, MOST_LINKS = 400, 4000
#: Larger data are projected aside, so that the page opens at once.
_AT_ONCE = 20_000
_MOST_FEATURES = 12


class Scatter(View):
    """The scatter with its tools, axes, colours and legend.

    Parameters
    ----------
    desk : Desk
    over : sequence of widgets
        What floats over the plot: the selection bar, a banner.
    """

    def __init__(self, desk: Desk, over: tuple[widgets.Widget, ...] = ()) -> None:
        super().__init__(desk)
        self._tasks = Tasks()
        self._drawn: dict[str, Any] = {}
        self._cache: dict[str, Projection] = {}
        self._hovering = False
        self._filling = False
        self.points: PointsView | None = None
        self.tools = {
            name: button(icon=name, hint=hint, on_click=lambda name=name: self.use(name))
            for name, hint in (("lasso", "Lasso (L)"), ("box", "Box (B)"), ("hand", "Hand (H)"))
        }
        self.fit_button = button(icon="fit", hint="Fit (F)", on_click=self.fit)
        self.axes = with_classes(widgets.Dropdown(description="axes", layout={"width": "auto"}), "cc-plain cc-push")
        self.color = with_classes(widgets.Dropdown(description="colour", layout={"width": "auto"}), "cc-plain")
        self.axes.observe(self._axes_chosen, "value")
        self.color.observe(self._color_chosen, "value")
        self._hint = text("drag to select · shift adds · alt removes", css="cc-note cc-wide cc-hint")
        self._plot = row(css="cc-plot")
        self.legend = text(css="cc-legend-box")
        title = text(tag("span", "Points", class_="cc-title"))
        head = row(title, *self.tools.values(), self.fit_button, self._hint, self.axes, self.color, css="cc-head")
        self.widget = column(head, self._plot, self.legend, *over, css="cc-panel cc-scatter cc-grow")
        self.listen(desk.selected, lambda _: self._show_selection())
        self.listen(desk.put_aside, lambda _: self._show_outlines(desk.session.current))
        self.listen(desk.pointed, lambda _: self._show_rings(desk.session.current))
        self.listen(desk.thresholded, lambda _: self._show_marks(desk.session.current))
        self.update(None, desk.session.current)

    # ------------------------------------------------------------------ gestures

    @property
    def keys(self) -> dict[str, Callable[[], object]]:
        tools = {"l": "lasso", "b": "box", "h": "hand"}
        return {key: partial(self.use, tool) for key, tool in tools.items()} | {"f": self.fit}

    def use(self, tool: str) -> None:
        """What dragging does: "lasso", "box" or "hand"."""
        self._tool = tool
        if self.points is not None:
            self.points.tool = tool
        for name, each in self.tools.items():
            (each.add_class if name == tool else each.remove_class)("cc-on")

    def fit(self) -> None:
        """Show all samples."""
        if self.points is not None:
            self.points.fit()

    def _selected(self, indices: NDArray, mode: str) -> None:
        if not len(indices):
            what = "lasso" if self._tool == "lasso" else "box"
            self.desk.tell("info", f"No samples inside the {what}")
        self.desk.select(combine(self.desk.selection, indices, mode))

    def _clicked(self, sample: int | None) -> None:
        self.desk.select([] if sample is None else [sample])

    def _hovered(self, sample: int | None) -> None:
        self._hovering = True
        try:
            self.desk.point_at(sample)
        finally:
            self._hovering = False

    def _describe(self, sample: int) -> Html:
        data, snapshot = self.desk.session.data, self.desk.session.current
        sign = sample_sign(snapshot, sample, self.desk.threshold)
        head = tag("header", glyph(sign.shape, sign.color), sample_name(data, sample), tag("span", sign.name))
        return tag("div", head, sample_content(data, sample), class_="cc-sample")

    # ------------------------------------------------------------------ showing

    def update(self, old: Snapshot | None, new: Snapshot) -> None:
        if old is None:
            self._take_data(self.desk.session.data)
        if old is None or old.state is not new.state:
            self._offer_colors(new)
            self._show_marks(new)
            self._show_centers(new)
        if old is not new:
            self._show_links(new)
            self._show_outlines(new)
            self._show_rings(new)
        self._show_query()

    def _take_data(self, data: Dataset) -> None:
        """Make a scatter for these data."""
        gone, self.points = self.points, points_view(data.n_samples)
        self._drawn, self._cache = {}, {}
        self.points.describe = self._describe
        self.points.on_select(self._selected)
        self.points.on_click(self._clicked)
        self.points.on_hover(self._hovered)
        self.use("lasso")
        choices = axes(data)
        self._fill(self.axes, list(choices.items()), next(iter(choices.values())))
        self._project(self.axes.value)
        self._plot.children = [self.points.widget]
        if gone is not None:
            gone.close()

    def _fill(self, dropdown: widgets.Dropdown, options: list, value: str) -> None:
        self._filling = True
        try:
            dropdown.options = options
            dropdown.value = value
        finally:
            self._filling = False

    def _offer_colors(self, snapshot: Snapshot) -> None:
        """What this state's samples may be coloured by; a choice that is gone falls back to the belief."""
        data = self.desk.session.data
        modes = [(title, mode) for mode, title in MODES.items() if mode != "truth" or data.target is not None]
        modes[1:1] = [(name, f"{ASIDE}{name}") for name in snapshot.state.asides()]
        modes += [(name, f"feature {j}") for j, name in enumerate(data.feature_names[:_MOST_FEATURES])]
        if tuple(modes) != self.color.options:
            kept = self.color.value if self.color.value in dict(modes).values() else "belief"
            self._fill(self.color, modes, kept)

    def _color_chosen(self, _change: dict) -> None:
        if not self._filling:
            self._show_marks(self.desk.session.current)

    # ------------------------------------------------------------------ positions

    def _axes_chosen(self, change: dict) -> None:
        if self._filling:
            return
        reason = why_not(self.desk.session.data, change["new"])
        if reason is not None:
            self.desk.tell("info", reason)
            self._fill(self.axes, self.axes.options, change["old"])
        else:
            self._project(change["new"])

    def _project(self, name: str) -> None:
        data = self.desk.session.data
        if name not in self._cache and (name == "tsne" or data.n_samples > _AT_ONCE):
            self._tasks.start(self._project_aside(data, name))
            return
        if name not in self._cache:
            self._cache[name] = project(data, name)
        self._place(self._cache[name])

    async def _project_aside(self, data: Dataset, name: str) -> None:
        """Project in another thread, and say how long it has been going on."""
        began, cache = time.monotonic(), self._cache
        title = next(title for title, value in self.axes.options if value == name)
        work = asyncio.ensure_future(asyncio.to_thread(project, data, name))
        while not work.done():
            self._hint.value = f"computing {title}, {time.monotonic() - began:.0f} s"
            await asyncio.wait([work], timeout=1)
        self._hint.value = "drag to select · shift adds · alt removes"
        if cache is not self._cache:  # other data were opened meanwhile
            return
        try:
            cache[name] = work.result()
        except Exception as error:
            self.desk.tell("bad", f"{title} could not be computed: {in_words(error)}")
            return
        if self.axes.value == name:
            self._place(cache[name])

    @property
    def projection(self) -> Projection | None:
        """Where the samples are; None until it is known."""
        return self._drawn.get("projection")

    def _place(self, projection: Projection) -> None:
        self._drawn.pop("links", None)
        self._drawn["projection"] = projection
        self.points.set_positions(projection.xy, projection.x_label, projection.y_label)
        self._show_links(self.desk.session.current)
        self._show_centers(self.desk.session.current)

    # ------------------------------------------------------------------ marks

    def cluster_ids(self, snapshot: Snapshot) -> NDArray:
        """(k,) by which number, and so in which hue, each cluster is shown."""
        return snapshot.state.cluster_ids

    def _show_marks(self, snapshot: Snapshot) -> None:
        data = self.desk.session.data
        mode, partition = shown_partition(self.color.value, snapshot.state)
        encoding = encode(mode, partition, self.cluster_ids(snapshot), data, self.desk.threshold)
        self.points.set_marks(encoding.color, encoding.shape, encoding.certainty, encoding.palette)
        self._drawn["encoding"] = encoding
        self._show_legend(snapshot)

    def _show_links(self, snapshot: Snapshot) -> None:
        known, projection = snapshot.problem.constraints, self.projection
        if projection is None:
            return
        links = self._once("links", known, lambda: links_of(known, projection.xy))
        violated = (
            np.isin(links.ids, known.satisfaction(snapshot.labels()).violated_ids) if len(links) else links.cannot
        )
        chosen = links.at_most(MOST_LINKS_SVG if self.points.n_samples <= SVG_LIMIT else MOST_LINKS, violated)
        level = links.levels(snapshot.state.emphasis())[chosen]
        key = (id(links), violated[chosen].tobytes(), level.tobytes())
        if self._drawn.get("link key") != key:
            self._drawn["link key"] = key
            looks = (of[chosen] for of in (links.pairs, links.cannot, violated, links.weight))
            self.points.set_links(*looks, level)
            self._drawn["link kinds"] = link_entries(links, violated, level)
            self._show_legend(snapshot)

    def _show_outlines(self, snapshot: Snapshot) -> None:
        known, aside = snapshot.problem.constraints, self.desk.aside
        groups = self._once("outlines", known, lambda: outlined(known))
        key = (id(groups), aside.tobytes())
        if self._drawn.get("outline key") != key:
            self._drawn["outline key"] = key
            self.points.set_outlines([*groups, ("first", aside)] if len(aside) else groups)
            self._show_legend(snapshot)

    def _show_rings(self, snapshot: Snapshot) -> None:
        """Ring some samples, and the one that another view points at."""
        samples = self.ringed(snapshot)
        if self.desk.sample is not None and not self._hovering:
            samples = np.union1d(samples, [self.desk.sample])
        if self._drawn.get("rings") != samples.tobytes():
            self._drawn["rings"] = samples.tobytes()
            self.points.set_rings(samples)

    def ringed(self, snapshot: Snapshot) -> NDArray:
        """The samples that have a ring: those with a label."""
        return snapshot.problem.constraints.labels.sample

    def _show_centers(self, snapshot: Snapshot) -> None:
        projection, centers = self.projection, centers_of(snapshot)
        if projection is None:
            return
        if centers is None:
            self.points.set_centers(np.empty((0, 2)))
            return
        ghosts = vanished_centers(snapshot)
        placed = projection.place(ghosts) if len(ghosts) else np.empty((0, 2))
        self.points.set_centers(projection.place(centers), placed)

    def _show_selection(self) -> None:
        self.points.set_selection(self.desk.selection)

    def _show_query(self) -> None:
        query = next(iter(self.desk.session.pending), None)
        samples = () if query is None else query.samples
        if self._drawn.get("query") != samples:
            self._drawn["query"] = samples
            self.points.set_query(*(samples or (None,)))

    def _once(self, name: str, source: object, make: Callable[[], Any]) -> Any:
        """What was made from `source` last time, or made now."""
        kept = self._drawn.get(name)
        if kept is None or kept[0] is not source:
            kept = self._drawn[name] = (source, make())
        return kept[1]

    # ------------------------------------------------------------------ legend

    def _show_legend(self, snapshot: Snapshot) -> None:
        encoding: Encoding | None = self._drawn.get("encoding")
        if encoding is None:
            return
        parts = [legend_entry(glyph(s.shape, s.color), s.name, s.opacity) for s in encoding.legend]
        parts += self._drawn.get("link kinds", [])
        if self._drawn.get("outlines", (None, []))[1]:
            parts.append(legend_entry(glyph("group"), "group"))
        if len(snapshot.problem.constraints.labels):
            parts.append(legend_entry(glyph("ring"), "labelled"))
        if encoding.certainty.min() < 1 and self.color.value == "belief":
            parts.append(tag("span", "faint = uncertain", class_="cc-wide"))
        self.legend.value = tag("div", parts, class_="cc-legend")

    def close(self) -> None:
        self._tasks.cancel()
        self.points.close()
        super().close()
