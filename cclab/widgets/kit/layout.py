"""Boxes, panels and buttons that carry the theme's classes."""

from collections.abc import Callable, Sequence

import ipywidgets as widgets

from cclab.widgets.kit.bridge import Shell
from cclab.widgets.kit.html import Html, join, tag

LOOKS = ("ghost", "outlined", "primary")


def app(shell: Shell, *children: widgets.Widget, page: bool = True) -> widgets.VBox:
    """The container of an app. As a page it fills the window in Voilà; say False for two apps on one page."""
    return column(*children, shell, css="cc-app cc-page" if page else "cc-app")


def row(*children: widgets.Widget, css: str = "") -> widgets.HBox:
    """Children side by side."""
    return with_classes(widgets.HBox(children), css)


def column(*children: widgets.Widget, css: str = "") -> widgets.VBox:
    """Children one below the other."""
    return with_classes(widgets.VBox(children), css)


def with_classes(widget: widgets.DOMWidget, css: str) -> widgets.DOMWidget:
    """Add CSS classes, given as one text, to a widget."""
    for name in css.split():
        widget.add_class(name)
    return widget


def text(*content: object, css: str = "") -> widgets.HTML:
    """Words on the page: escaped, except what is `Html`."""
    return with_classes(widgets.HTML(join(*content)), css)


def heading(words: str) -> Html:
    """The title of a panel, which screen readers list as a heading."""
    return tag("span", words, class_="cc-title", role="heading", aria_level=2)


def press(toggle: widgets.Button, on: bool) -> None:
    """Show a toggle button as pressed or not; the shell tells it to screen readers."""
    toggle.add_class("cc-toggle")
    (toggle.add_class if on else toggle.remove_class)("cc-on")


def dropdown(
    description: str, options: Sequence[tuple[str, str]] = (), value: str | None = None, *, plain: bool = False
) -> widgets.Dropdown:
    """A dropdown; a plain one shows its description, the others have it for screen readers only."""
    made = widgets.Dropdown(description=description, options=list(options), value=value, layout={"width": "auto"})
    return with_classes(made, "cc-plain" if plain else "cc-quiet-label")


def slider(
    description: str, value: float, low: float, high: float, step: float, form: str = ".2f"
) -> widgets.FloatSlider | widgets.IntSlider:
    """A slider with its name, in a column of such."""
    kind = widgets.IntSlider if isinstance(step, int) else widgets.FloatSlider
    made = kind(
        value=value,
        min=low,
        max=high,
        step=step,
        description=description,
        layout={"width": "auto"},
        readout_format=form,
    )
    return with_classes(made, "cc-knob")


def panel(title: str, *body: widgets.Widget, tools: Sequence[widgets.Widget] = (), css: str = "") -> widgets.VBox:
    """A panel with a header of 36 px: its title, then its tools."""
    head = row(text(heading(title)), *tools, css="cc-head")
    return column(head, *body, css=f"cc-panel {css}")


def gauge(title: str, *body: widgets.Widget, note: widgets.Widget | None = None) -> widgets.VBox:
    """A part of the Watch panel: a header of 26 px with a note at its right, and a body."""
    notes = [] if note is None else [with_classes(note, "cc-push cc-note")]
    return column(row(text(heading(title)), *notes, css="cc-head cc-minor"), *body, css="cc-gauge")


def button(
    label: str = "",
    on_click: Callable[[], object] | None = None,
    *,
    icon: str = "",
    key: str = "",
    hint: str = "",
    look: str = "ghost",
    css: str = "",
) -> widgets.Button:
    """A button of the theme.

    Parameters
    ----------
    label : str
        Its words; empty for an icon alone, which needs a `hint`.
    icon : str
        Name of a symbol in `icons.svg`.
    key : str
        A key cap shown after the label (one that `theme.css` has a ``cc-key-`` class for).
    hint : str
        Tooltip, and name for screen readers.
    look : {"ghost", "outlined", "primary"}
    """
    if look not in LOOKS:
        raise ValueError(f"look must be one of {', '.join(LOOKS)}, not {look!r}.")
    if not label and not hint:
        raise ValueError("A button without a label needs a hint: it is its only name.")
    classes = ["cc-button", f"cc-{look}", css]
    classes += [f"cc-i-{icon}"] if icon else []
    classes += ["cc-icon"] if not label else []
    classes += ["cc-key", f"cc-key-{key.lower()}"] if key else []
    made = with_classes(widgets.Button(description=label, tooltip=hint or label), " ".join(classes))
    if on_click is not None:
        made.on_click(lambda _: on_click())
    return made


def show(widget: widgets.DOMWidget, visible: bool) -> None:
    """Show or hide a widget without taking it off the page."""
    (widget.remove_class if visible else widget.add_class)("cc-hidden")


__all__ = [
    "Html",
    "app",
    "button",
    "column",
    "gauge",
    "heading",
    "panel",
    "press",
    "row",
    "show",
    "text",
    "with_classes",
]
