"""What floats over a page when it is asked for."""

from __future__ import annotations

import ipywidgets as widgets

from cclab.widgets.kit.layout import button, column, show


class Popover:
    """A layer over the page, closed at first; a click beside what it holds closes it.

    Parameters
    ----------
    content : ipywidgets.Widget
    css : str
        Classes of the layer.
    """

    def __init__(self, content: widgets.Widget, css: str) -> None:
        self.is_open = False
        behind = button(hint="Close (Esc)", on_click=self.hide, css="cc-behind")
        self.widget = column(behind, content, css=f"{css} cc-hidden")

    def toggle(self) -> None:
        """Show it, or put it away."""
        self.is_open = not self.is_open
        show(self.widget, self.is_open)

    def hide(self) -> None:
        """Put it away."""
        self.is_open = False
        show(self.widget, False)
