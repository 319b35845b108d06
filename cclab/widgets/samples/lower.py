"""The panel below the scatter: what was stated, or the samples one by one, as a table or as cards."""

from __future__ import annotations

from collections.abc import Callable

import ipywidgets as widgets

from cclab.session import Moment
from cclab.widgets.kit.layout import column, show, with_classes
from cclab.widgets.knowledge.table import Constraints
from cclab.widgets.model.desk import Desk
from cclab.widgets.model.view import View
from cclab.widgets.samples.listing import Listing

STATED, TABLE, CARDS = "Stated", "Table", "Cards"


class Lower(View):
    """Two panels in one place, of which one is seen.

    Parameters
    ----------
    desk : Desk
    on_import, on_export : callables
        For the table of constraints.

    Attributes
    ----------
    constraints : Constraints
    listing : Listing
    """

    def __init__(self, desk: Desk, *, on_import: Callable[[], object], on_export: Callable[[], object]) -> None:
        super().__init__(desk)
        self.tabs = with_classes(
            widgets.ToggleButtons(
                options=[STATED, TABLE, CARDS], description="Below the scatter", layout={"width": "auto"}
            ),
            "cc-tabs cc-lower-tabs cc-quiet-label",
        )
        self.constraints = Constraints(desk, on_import=on_import, on_export=on_export, tabs=self.tabs)
        self.listing = Listing(desk, tabs=self.tabs)
        self.widget = column(self.constraints.widget, self.listing.widget, css="cc-lower")
        self.tabs.observe(lambda _: self._choose(), "value")
        self._choose()

    def _choose(self) -> None:
        chosen = self.tabs.value
        show(self.constraints.widget, chosen == STATED)
        show(self.listing.widget, chosen != STATED)
        self.listing.see(chosen != STATED, cards=chosen == CARDS)

    def update(self, old: Moment | None, new: Moment) -> None:
        pass

    def close(self) -> None:
        self.constraints.close()
        self.listing.close()
        super().close()
