"""The bar over a small dashboard: its name, a few choices, a few buttons."""

from __future__ import annotations

from collections.abc import Sequence

import ipywidgets as widgets

from cclab.apps.bar import BRAND
from cclab.widgets.html import tag
from cclab.widgets.layout import button, row, text, with_classes
from cclab.widgets.shell import Shell


def heading(
    shell: Shell,
    title: str,
    choices: Sequence[widgets.Widget] = (),
    tools: Sequence[widgets.Widget] = (),
) -> widgets.HBox:
    """Brand and title, then `choices`; `tools` and the switch of the theme at the right."""
    name = tag("span", BRAND, "cclab", tag("span", title, class_="cc-app-name"), class_="cc-brand")
    theme = button(icon="theme", hint="Light or dark", on_click=shell.toggle_theme)
    divider = text(tag("span", class_="cc-divider"))
    return row(text(name), divider, *choices, text("", css="cc-push"), *tools, theme, css="cc-bar")


def dropdown(description: str, options: Sequence[tuple[str, str]], value: str, *, plain: bool = False):
    """A dropdown for a bar; a plain one shows its description, the others have it for screen readers only."""
    made = widgets.Dropdown(description=description, options=list(options), value=value, layout={"width": "auto"})
    return with_classes(made, "cc-plain" if plain else "cc-quiet-label")


def slider(description: str, value: float, low: float, high: float, step: float, form: str = ".2f"):
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
