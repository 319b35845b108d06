"""The Points panel: the samples in the plane, with all that is known, asked and believed about them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import ipywidgets as widgets
import numpy as np
from numpy.typing import NDArray

from cclab.datasets import Dataset
from cclab.looks.all_rows import is_at_hand, rows_inside
from cclab.looks.column_encoding import COLUMN
from cclab.looks.encoding import ASIDE, MODES, Encoding, Look, encode, n_sets, shown_partition
from cclab.looks.lines import centers_of, lines_of, outlined, vanished_centers
from cclab.looks.projections import Projection
from cclab.session import Moment, Snapshot
from cclab.session.threads import in_thread
from cclab.widgets.kit.background import Tasks
from cclab.widgets.kit.html import Html, tag
from cclab.widgets.kit.layout import button, column, heading, press, row, text, with_classes
from cclab.widgets.model.desk import Desk
from cclab.widgets.model.notices import Notice
from cclab.widgets.model.view import View
from cclab.widgets.queries.sample import sample_content, sample_name, sample_sign
from cclab.widgets.scatter.axes import AxesMenu
from cclab.widgets.scatter.glyphs import glyph
from cclab.widgets.scatter.legend import bar_entry, legend_entry, link_entries, sign_entries
from cclab.widgets.scatter.plot import Points, combine

#: So many links are drawn.
MOST_LINKS = 4000
#: More rings than this would hide what they are to point out.
MOST_RINGS = 150
#: So many columns are offered to colour by.
_MOST_COLUMNS = 40
#: A belief with more sets of clusters than this has two rows for its legend.
ONE_ROW = 10


class Scatter(View):
    """The scatter with its tools, axes, colours and legend.

    Parameters
    ----------
    desk : Desk
    over : sequence of widgets
        What floats over the plot: the selection bar, a banner.
    title : widget, optional
        What stands at the beginning of the head, in place of "Points".
    tools : sequence of widgets
        Further buttons of the head.
    """

    def __init__(
        self,
        desk: Desk,
        over: Sequence[widgets.Widget] = (),
        title: widgets.Widget | None = None,
        tools: Sequence[widgets.Widget] = (),
    ) -> None:
        super().__init__(desk)
        self._drawn: dict[str, Any] = {}
        self._hovering = False
        self._filling = False
        self._tasks = Tasks()
        self.points: Points  # one for each data set: see `_take_data`
        self.tools = {
            name: button(icon=name, hint=hint, on_click=partial(self.use, name))
            for name, hint in (("lasso", "Lasso (L)"), ("box", "Box (B)"), ("hand", "Hand (H)"))
        }
        self.fit_button = button(icon="fit", hint="Fit (F)", on_click=self.fit)
        self.axes_menu = AxesMenu(desk, self._place)
        self.axes = self.axes_menu.axes
        self.color = with_classes(widgets.Dropdown(description="colour", layout={"width": "auto"}), "cc-plain")
        self.color.observe(self._color_chosen, "value")
        self._plot = row(css="cc-plot")
        self.legend = text(css="cc-legend-box")
        title = text(heading("Points")) if title is None else title
        buttons = (*self.tools.values(), self.fit_button, *tools)
        head = row(title, *buttons, self.axes_menu.widget, self.color, css="cc-head")
        self.widget = column(head, self._plot, self.legend, *over, css="cc-panel cc-scatter cc-grow")
        self.listen(desk.selected, lambda _: self._show_selection())
        self.listen(desk.first_selected, lambda _: self._show_outlines(desk.session.current))
        self.listen(desk.pointed, lambda _: self._show_rings(desk.session.current))
        self.listen(desk.thresholded, lambda _: self._show_marks(desk.session.current))
        self.listen(desk.filtered, lambda _: self._show_marks(desk.session.current))
        self.update(None, desk.moment)

    # ------------------------------------------------------------------ gestures

    @property
    def keys(self) -> dict[str, Callable[[], object]]:
        tools = {"l": "lasso", "b": "box", "h": "hand"}
        return {key: partial(self.use, tool) for key, tool in tools.items()} | {"f": self.fit}

    def use(self, tool: str) -> None:
        """What dragging does: "lasso", "box" or "hand"."""
        self._tool = tool
        self.points.tool = tool
        for name, each in self.tools.items():
            press(each, name == tool)

    def fit(self) -> None:
        """Show all samples."""
        self.points.fit()

    def _selected(self, indices: NDArray, mode: str) -> None:
        if not len(indices):
            what = "lasso" if self._tool == "lasso" else "box"
            self.desk.tell(Notice("info", f"No samples inside the {what}"))
        if self.desk.looked_at is not None:
            indices = indices[self.desk.looked_at[indices]]
        self.desk.select(combine(self.desk.selection, indices, mode))

    def _count_rows(self, polygon: NDArray) -> None:
        """Samples of a coreset stand for rows of a file: say how many of these lie where they were selected."""
        data, projection = self.desk.session.data, self.projection
        if projection is not None and projection.exact and is_at_hand(data):
            self._tasks.cancel()
            self._tasks.start(self._count_in_thread(data, projection, polygon))

    async def _count_in_thread(self, data: Dataset, projection: Projection, polygon: NDArray) -> None:
        try:
            inside = len(await in_thread(rows_inside, data, projection, polygon))
        except (ValueError, OSError) as error:
            self.desk.tell(Notice("info", f"The rows of the file can't be counted: {error}"))
            return
        assert data.coreset is not None
        self.desk.tell(Notice("info", f"{inside:,} of all {data.coreset.n_rows:,} rows lie inside"))

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
        sign = sample_sign(snapshot, sample, self.desk.threshold, self.look(snapshot))
        head = tag("header", glyph(sign.shape, sign.color), sample_name(data, sample), tag("span", sign.name))
        return tag("div", head, sample_content(data, sample, columns=self.desk.pinned), class_="cc-sample")

    # ------------------------------------------------------------------ showing

    def update(self, old: Moment | None, new: Moment) -> None:
        if old is None:
            self._take_data(self.desk.session.data)
        before, here = None if old is None else old.snapshot, new.snapshot
        if old is None or before is None or before.state is not here.state or old.names is not new.names:
            self._offer_colors(here)
            self._show_marks(here)
            self._show_centers(here)
        if before is not here:
            self._show_links(here)
            self._show_outlines(here)
            self._show_rings(here)
        self._show_query()

    def _take_data(self, data: Dataset) -> None:
        """Make a scatter for these data."""
        gone, self.points = vars(self).get("points"), Points(data.n_samples)
        if data.sample_weight is not None:
            self.points.set_weights(data.sample_weight)
            self.points.on_region(self._count_rows)
        self._drawn = {}
        self.points.describe = self._describe
        self.points.on_select(self._selected)
        self.points.on_click(self._clicked)
        self.points.on_hover(self._hovered)
        self.use("lasso")
        self._plot.add_class("cc-unplaced")  # until `_place`
        self.axes_menu.take_data(data)
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
        modes += self._once("columns", data, self._columns_to_colour_by)
        if tuple(modes) != self.color.options:
            kept = self.color.value if self.color.value in dict(modes).values() else "belief"
            self._fill(self.color, modes, kept)

    def _color_chosen(self, _change: dict) -> None:
        if not self._filling:
            self._show_marks(self.desk.session.current)

    def _columns_to_colour_by(self) -> list[tuple[str, str]]:
        """What is no feature first: there are few of these, and they were not clustered by."""
        columns = self.desk.columns
        offered = [name for name in columns.of_kind("category", "number", "date") if name != "cluster"]
        ours = {"class", "ambiguity"} - set(self.desk.session.data.meta.columns)
        ordered = sorted((name for name in offered if name not in ours), key=columns.is_feature)
        return [(name, f"{COLUMN}{name}") for name in ordered[:_MOST_COLUMNS]]

    # ------------------------------------------------------------------ positions

    @property
    def projection(self) -> Projection | None:
        """Where the samples are; None until it is known."""
        return self._drawn.get("projection")

    def _place(self, projection: Projection) -> None:
        self._drawn.pop("links", None)
        self._drawn["projection"] = projection
        self.points.set_positions(projection.xy, projection.x_label, projection.y_label)
        self._plot.remove_class("cc-unplaced")
        self._show_links(self.desk.session.current)
        self._show_centers(self.desk.session.current)

    # ------------------------------------------------------------------ marks

    def look(self, snapshot: Snapshot) -> Look:
        """By which number and in which hue each cluster is shown."""
        return Look.of(snapshot)

    def dressed(self, encoding: Encoding, snapshot: Snapshot) -> Encoding:
        """The encoding as it is drawn: a subclass may stress some samples."""
        return encoding

    def _show_marks(self, snapshot: Snapshot) -> None:
        data = self.desk.session.data
        mode, partition = shown_partition(self.color.value, snapshot.state)
        encoding = self.dressed(encode(mode, partition, self.look(snapshot), data, self.desk.threshold), snapshot)
        looked_at = self.desk.looked_at
        self.points.set_marks(encoding.color, encoding.shape, encoding.certainty, encoding.palette, looked_at)
        self._drawn["encoding"] = encoding
        self._show_legend(snapshot)

    def _show_links(self, snapshot: Snapshot) -> None:
        known, projection = snapshot.problem.constraints, self.projection
        if projection is None:
            return
        links = self._once("links", known, lambda: lines_of(known, projection.xy))
        violated = np.isin(links.ids, snapshot.satisfaction.violated_ids) if len(links) else links.cannot
        chosen = links.at_most(MOST_LINKS, violated)
        level = links.levels(snapshot.state.emphasis())[chosen]
        key = (id(links), violated[chosen].tobytes(), level.tobytes())
        if self._drawn.get("link key") != key:
            self._drawn["link key"] = key
            pairs, cannot, bad, weight = (of[chosen] for of in (links.pairs, links.cannot, violated, links.weight))
            self.points.set_links(pairs, cannot, bad, weight, level)
            self._drawn["link kinds"] = link_entries(links, violated, level)
            self._show_legend(snapshot)

    def _show_outlines(self, snapshot: Snapshot) -> None:
        known, first = snapshot.problem.constraints, self.desk.first_selection
        groups = self._once("outlines", known, lambda: outlined(known))
        key = (id(groups), first.tobytes())
        if self._drawn.get("outline key") != key:
            self._drawn["outline key"] = key
            self.points.set_outlines([*groups, ("first", first)] if len(first) else groups)
            self._show_legend(snapshot)

    def _show_rings(self, snapshot: Snapshot) -> None:
        """Ring some samples, and the one that another view points at."""
        samples = self.ringed(snapshot)
        if len(samples) > MOST_RINGS:
            samples = samples[:0]
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
        query = self.desk.question
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
        parts = [] if encoding.bar is None else [bar_entry(encoding.bar)]
        parts += sign_entries(encoding.legend)
        parts += self._drawn.get("link kinds", [])
        if self._drawn.get("outlines", (None, []))[1]:
            parts.append(legend_entry(glyph("group"), "group"))
        parts += self.legend_of_rings(snapshot)
        if encoding.certainty.min() < 1 and self.color.value == "belief":
            parts.append(tag("span", "faint = uncertain", class_="cc-wide"))
        many = self.color.value == "belief" and n_sets(snapshot.partition) > ONE_ROW
        self.legend.value = tag("div", parts, class_="cc-legend cc-two-rows" if many else "cc-legend")

    def legend_of_rings(self, snapshot: Snapshot) -> list[Html]:
        """What rings mean, for the legend; nothing where there are none."""
        n_labelled = len(snapshot.problem.constraints.labels)
        if n_labelled > MOST_RINGS:
            return [tag("span", f"{n_labelled:,} labelled")]
        return [legend_entry(glyph("ring"), "labelled")] if n_labelled else []

    def close(self) -> None:
        self._tasks.cancel()
        self.axes_menu.close()
        self.points.close()
        super().close()
