"""Form fields for the parameters of an estimator, one by the kind of each."""

from __future__ import annotations

from typing import Any

import ipywidgets as widgets
import numpy as np

from cclab.core.parameters import Parameter
from cclab.widgets.kit.html import tag
from cclab.widgets.kit.layout import column, text

#: Names that the words in the parameter's own would not explain.
NAMES = {
    "n_clusters": "Clusters",
    "max_clusters": "Most clusters",
    "init": "Start",
    "n_init": "Restarts",
    "max_iter": "Most steps",
    "tol": "Tolerance",
    "random_state": "Random seed",
}


def parameter_name(name: str) -> str:
    """A parameter's name for a person.

    >>> parameter_name("n_clusters"), parameter_name("constraint_weight"), parameter_name("rho2")
    ('Clusters', 'Constraint weight', 'Rho2')
    """
    return NAMES.get(name) or name.replace("_", " ").capitalize()


class Field:
    """A label, a control, and help below it, or what is wrong.

    Parameters
    ----------
    name : str
    parameter : Parameter
    value : object
        What it holds now. An array, a list or a callable is shown but can't be changed.
    help : str
    on_change : callable
        Called after each change by the person.
    """

    def __init__(self, name: str, parameter: Parameter, value: Any, help: str, on_change: Any) -> None:
        self.name, self._parameter, self._help, self._on_change = name, parameter, help.replace("`", ""), on_change
        self._given = value
        self._setting = False
        self._fixed = not isinstance(value, str | int | float | np.number | None)
        self.control = self._make_control()
        self._below = text()
        self.widget = column(text(tag("label", parameter_name(name))), self.control, self._below, css="cc-field")
        self.control.observe(self._changed, "value")
        self.set(value)

    def _make_control(self) -> widgets.DOMWidget:
        about = {"layout": {"width": "100%"}, "description": parameter_name(self.name)}
        p = self._parameter
        if self._fixed:
            made = widgets.Text(disabled=True, **about)
        elif p.kind == "choice":
            made = widgets.Dropdown(options=self._options(p.choices), **about)
        elif p.kind == "flag":
            made = widgets.Checkbox(indent=False, **about)
        elif p.kind == "real" and p.low is not None and p.high is not None and not p.or_none and not p.also:
            made = widgets.FloatSlider(min=p.low, max=p.high, step=(p.high - p.low) / 100, **about)
        else:
            made = widgets.Text(placeholder="none" if p.or_none or p.kind == "any" else "", **about)
        made.add_class("cc-quiet-label")
        return made

    @property
    def value(self) -> Any:
        """What the field holds: a number where it reads as one, None where it is empty."""
        if self._fixed:
            return self._given
        return read(self.control.value) if isinstance(self.control, widgets.Text) else self.control.value

    @property
    def problem(self) -> str | None:
        """What is wrong with it, in words that follow "must"."""
        return self._parameter.problem_with(self.value)

    @property
    def changed(self) -> bool:
        """Whether it holds something else than it was given."""
        return not self._fixed and self.value != self._given

    def set(self, value: Any) -> None:
        """Show a value."""
        self._given = value
        self._setting = True
        self.control.value = write(value) if isinstance(self.control, widgets.Text) else value
        self._setting = False
        self._show()

    def _options(self, choices: tuple[str, ...]) -> tuple[tuple[str, Any], ...]:
        return (*((choice, choice) for choice in choices), *((("none", None),) if self._parameter.or_none else ()))

    def offer(self, choices: tuple[str, ...]) -> None:
        """Offer these words alone, and the one that is chosen."""
        if self._fixed or self._parameter.kind != "choice":
            return
        value = self.control.value
        options = self._options(tuple(c for c in self._parameter.choices if c in choices or c == value))
        if options != self.control.options:
            self._setting = True
            self.control.options = options
            self.control.value = value
            self._setting = False

    def reset(self) -> None:
        """Back to the value that was given."""
        self.set(self._given)

    def _changed(self, _change: dict) -> None:
        if not self._setting:
            self._show()
            self._on_change()

    def _show(self) -> None:
        wrong = self.problem
        said = f"Must {wrong}. {self._help}" if wrong else self._help
        self._below.value = tag(
            "div", said, class_="cc-help cc-bad" if wrong else "cc-help", role="alert" if wrong else None
        )
        self.control.add_class("cc-wrong") if wrong else self.control.remove_class("cc-wrong")


def read(typed: str) -> Any:
    """A number where it is one, None where nothing (or "none") is typed, else the text.

    >>> read("3"), read("0.5"), read(" "), read("auto")
    (3, 0.5, None, 'auto')
    """
    typed = typed.strip()
    if typed.lower() in ("", "none"):
        return None
    for number in (int, float):
        try:
            return number(typed)
        except ValueError:
            pass
    return typed


def write(value: Any) -> str:
    """The inverse of `read`; what can't be typed is described."""
    if value is None:
        return ""
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape}"
    if isinstance(value, float | np.floating):
        return f"{value:.10g}"
    return value if isinstance(value, str) else repr(value)[:80]
