"""The drawer with the solver's parameters, made from the solver's own description of them."""

from __future__ import annotations

from typing import Any

from sklearn.base import clone

from cclab.core import Solver
from cclab.core.parameters import parameter_docs
from cclab.session import Snapshot
from cclab.widgets.desk import Desk, View
from cclab.widgets.fields import Field, parameter_name
from cclab.widgets.freeing import close_all
from cclab.widgets.html import tag
from cclab.widgets.layout import button, column, row, show, text


class Drawer(View):
    """A form that slides over the page; Apply starts anew with other parameters.

    Parameters
    ----------
    desk : Desk
    """

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self.is_open = False
        self.fields: dict[str, Field] = {}
        self._solver: Solver | None = None
        self._title = text()
        self._form = column(css="cc-scroll")
        self._wrong = text()
        self.reset_button = button("Reset", self.reset, hint="Back to the values in use")
        self.apply_button = button("Apply", self.apply, look="primary", hint="Start anew with these values")
        close = button(icon="close", hint="Close (Esc)", on_click=self.hide, css="cc-push")
        self.widget = column(
            row(self._title, close, css="cc-head"),
            self._form,
            self._wrong,
            row(self.reset_button, self.apply_button, css="cc-foot"),
            css="cc-drawer",
        )
        show(self.widget, False)

    # ------------------------------------------------------------------ gestures

    def open(self) -> None:
        """Show the drawer."""
        self.is_open = True
        self._fill(self.desk.session.solver)
        show(self.widget, True)

    def hide(self) -> None:
        """Put it away; what was typed and not applied is forgotten."""
        self.is_open = False
        self.reset()
        show(self.widget, False)

    def toggle(self) -> None:
        """Open it, or put it away."""
        self.hide() if self.is_open else self.open()

    def apply(self) -> None:
        """Start anew with the values of the form."""
        if self.apply_button.disabled:
            return
        session = self.desk.session
        session.pause()
        self.desk.attempt(session.switch, self._wanted())

    def reset(self) -> None:
        """Back to the values in use."""
        for field in self.fields.values():
            field.reset()
        self._check()

    # ------------------------------------------------------------------ showing

    def update(self, old: Snapshot | None, new: Snapshot) -> None:
        if self.is_open and new.solver is not self._solver:
            self._fill(new.solver)

    def _fill(self, solver: Solver) -> None:
        if self._solver is not None and type(solver) is type(self._solver) and self._same_kinds(solver):
            for name, field in self.fields.items():
                field.set(getattr(solver, name))
        else:
            self._make_fields(solver)
        self._solver = solver
        self._title.value = tag("span", f"Parameters of {type(solver).__name__}", class_="cc-title")
        self._check()

    def _same_kinds(self, solver: Solver) -> bool:
        """Whether no parameter has become an array, or ceased to be one."""
        return all(type(getattr(solver, name)) is type(getattr(self._solver, name)) for name in self.fields)

    def _make_fields(self, solver: Solver) -> None:
        gone = self._form.children
        docs = parameter_docs(type(solver))
        parameters = type(solver).all_parameters()
        self.fields = {
            name: Field(name, parameters[name], getattr(solver, name), docs.get(name, ""), self._check)
            for name in sorted(parameters, key=_importance(parameters))
        }
        self._form.children = [field.widget for field in self.fields.values()]
        for widget in gone:
            close_all(widget)

    def _wanted(self) -> Solver:
        values = {name: field.value for name, field in self.fields.items() if field.changed}
        return clone(self.desk.session.solver).set_params(**values)

    def _check(self) -> None:
        """Whether Apply would work: each value by itself, then all of them on these data."""
        wrong = any(field.problem for field in self.fields.values())
        said = ""
        if not wrong and any(field.changed for field in self.fields.values()):
            try:
                self._wanted().check(self.desk.session.problem)
            except ValueError as error:
                said = _in_our_names(str(error), self.fields)
        self._wrong.value = tag("div", said, class_="cc-help cc-bad cc-padded", role="alert") if said else ""
        changed = any(field.changed for field in self.fields.values())
        self.apply_button.disabled = wrong or bool(said) or not changed
        self.reset_button.disabled = not changed


def _importance(parameters: dict[str, Any]):
    """The number of clusters first, then what is the algorithm's own, then what all have in common."""
    common = list(Solver.parameters)
    order = list(parameters)

    def place(name: str) -> tuple[bool, bool, int]:
        return name != "n_clusters", name in common, order.index(name)

    return place


def _in_our_names(message: str, names: Any) -> str:
    """An error of the solver with the form's names in place of the constructor's, as a sentence."""
    for name in names:
        message = message.replace(f"{name}=", f"{parameter_name(name)} = ")
    return message[:1].upper() + message[1:] + "."
