"""The choice of axes: projections, pairs of features, a map, or any two columns; long ones are made aside."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

import ipywidgets as widgets
import numpy as np

from cclab.datasets import Dataset
from cclab.looks.projections import Projection, axes, placed, project, two_columns, why_not
from cclab.looks.sample_columns import SampleColumns
from cclab.looks.tsne_umap import METHODS, embed_in_background
from cclab.session.threads import in_thread
from cclab.widgets.kit.background import Tasks
from cclab.widgets.kit.html import join
from cclab.widgets.kit.layout import button, row, show, text, with_classes
from cclab.widgets.model.desk import Desk
from cclab.widgets.model.notices import Notice, in_words

CHOOSE = "choose"
#: Larger data are projected aside, so that the page opens at once.
AT_ONCE = 20_000
_HINT = "drag to select · shift adds · alt removes"


class AxesMenu:
    """Dropdowns that say where samples lie, and the projection that follows.

    Parameters
    ----------
    desk : Desk
    on_place : callable
        Called with each `Projection` that was chosen, once it is known.

    Attributes
    ----------
    axes, x, y : Dropdown
    widget : Widget
    """

    def __init__(self, desk: Desk, on_place: Callable[[Projection], object]) -> None:
        self.desk = desk
        self._on_place = on_place
        self._tasks = Tasks()
        self._cache: dict[str, Projection] = {}
        self._filling = False
        self.axes = with_classes(widgets.Dropdown(description="axes", layout={"width": "auto"}), "cc-plain")
        self.x = with_classes(
            widgets.Dropdown(description="x", layout={"width": "auto"}), "cc-plain cc-hidden cc-brief"
        )
        self.y = with_classes(
            widgets.Dropdown(description="y", layout={"width": "auto"}), "cc-plain cc-hidden cc-brief"
        )
        self.hint = text(_HINT, css="cc-note cc-wide cc-hint")
        self._progress = text(css="cc-note cc-hidden")
        self.stop_button = button("Stop", self.stop, hint="Stop computing places", css="cc-hidden")
        self.axes.observe(self._chosen, "value")
        for each in (self.x, self.y):
            each.observe(self._columns_chosen, "value")
        parts = (self.hint, self._progress, self.stop_button, text(css="cc-push"), self.axes, self.x, self.y)
        self.widget = row(*parts, css="cc-axes cc-grow")

    # ------------------------------------------------------------------ what there is

    def take_data(self, data: Dataset) -> None:
        """Offer what these data have, and place them by the first."""
        self._tasks.cancel()
        self._cache = {}
        self._show_progress("")
        columns = SampleColumns(data)
        numbers = columns.of_kind("number", "date")
        choices, on_map = axes(data), columns.map_columns()
        if on_map is not None:
            choices = {"Map": two_columns(*on_map), **choices}
        if len(numbers) > 1:
            choices["Two columns…"] = CHOOSE
        self._fill(self.axes, list(choices.items()), next(iter(choices.values())))
        self._fill(self.x, numbers, numbers[0] if numbers else None)
        self._fill(self.y, numbers, numbers[1] if len(numbers) > 1 else None)
        self._offer_columns()
        self._project(self.name)

    def _fill(self, dropdown: widgets.Dropdown, options: list, value: str | None) -> None:
        self._filling = True
        try:
            dropdown.options = options
            dropdown.value = value
        finally:
            self._filling = False

    def _offer_columns(self) -> None:
        for each in (self.x, self.y):
            show(each, self.axes.value == CHOOSE)

    @property
    def name(self) -> str:
        """What `project` calls that which is chosen."""
        return two_columns(self.x.value, self.y.value) if self.axes.value == CHOOSE else self.axes.value

    # ------------------------------------------------------------------ choosing

    def _chosen(self, change: dict) -> None:
        if self._filling:
            return
        reason = why_not(self.desk.session.data, change["new"])
        if reason is not None:
            self.desk.tell(Notice("info", reason))
            self._fill(self.axes, self.axes.options, change["old"])
            return
        self._offer_columns()
        self._project(self.name)

    def _columns_chosen(self, _change: dict) -> None:
        if not self._filling and self.axes.value == CHOOSE:
            self._project(self.name)

    def _project(self, name: str) -> None:
        session = self.desk.session
        if name not in self._cache and name in METHODS and (kept := session.beside.get(session.data, name)) is not None:
            self._cache[name] = placed(session.data, name, kept)
        if name in self._cache:
            self._on_place(self._cache[name])
        elif name in METHODS or session.data.n_samples > AT_ONCE:
            self._tasks.cancel()
            self._tasks.start(self._project_in_background(name))
        else:
            self._cache[name] = project(session.data, name)
            self._on_place(self._cache[name])

    # ------------------------------------------------------------------ aside

    async def _project_in_background(self, name: str) -> None:
        """Project in another thread or process, and say how far it is."""
        session, cache = self.desk.session, self._cache
        data = session.data
        title = next((title for title, value in self.axes.options if value == name), "places")
        began, share = time.monotonic(), 0.0

        def tell(done: float) -> None:
            nonlocal share
            share = done

        work: asyncio.Future[Any]
        if name in METHODS:
            work = asyncio.ensure_future(embed_in_background(data.X, name, tell))
        else:
            work = asyncio.ensure_future(in_thread(project, data, name))
        try:
            while not work.done():
                self._show_progress(_in_words(title, share, time.monotonic() - began), can_stop=name in METHODS)
                await asyncio.wait([work], timeout=0.5)
            made = work.result()
        except asyncio.CancelledError:
            work.cancel()
            await asyncio.wait([work])
            self._show_progress("")
            raise
        except Exception as error:
            self._show_progress("")
            self.desk.tell_of(error, f"{title} could not be computed: {in_words(error)}")
            return
        self._show_progress("")
        if cache is not self._cache:  # other data were opened meanwhile
            return
        if isinstance(made, np.ndarray):
            session.beside.put(data, name, made)
            made = placed(data, name, made)
        cache[name] = made
        if self.name == name:
            self._on_place(made)

    def stop(self) -> None:
        """Give up what is being computed, and go back to axes that take no time."""
        self._tasks.cancel()
        self._show_progress("")
        known = next((value for _, value in self.axes.options if value in self._cache), None)
        if known is not None:
            self._fill(self.axes, self.axes.options, known)
            self._offer_columns()

    def _show_progress(self, words: str, can_stop: bool = False) -> None:
        show(self.hint, not words)
        show(self._progress, bool(words))
        show(self.stop_button, bool(words) and can_stop)
        self._progress.value = join(words)

    def close(self) -> None:
        """Stop all that is under way."""
        self._tasks.cancel()


def _in_words(title: str, share: float, seconds: float) -> str:
    """How far it is; once a part is done, how long it will take.

    >>> _in_words("t-SNE", 0.25, 12.0), _in_words("PCA", 0.0, 3.0)
    ('computing t-SNE, 25 %, 36 s to go', 'computing PCA, 3 s')
    """
    if share > 0.02:
        left = seconds * (1 - share) / share
        return f"computing {title}, {share:.0%}, {left:.0f} s to go".replace("%", " %")
    return f"computing {title}, {seconds:.0f} s"
