"""The drawer with the solver's parameters, made from the solver's own description of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sklearn.base import clone

from cclab.core import Solver
from cclab.core.parameters import parameter_docs
from cclab.session import Moment
from cclab.widgets.kit.close import close_all
from cclab.widgets.kit.html import tag
from cclab.widgets.kit.layout import button, column, heading, row, show, text
from cclab.widgets.model.desk import Desk
from cclab.widgets.model.view import View
from cclab.widgets.model.wrapping import inside, wrapped_like
from cclab.widgets.parameters.fields import Field, parameter_name


class Drawer(View):
    """A form that slides over the page; Apply starts anew with other parameters.

    Parameters
    ----------
    desk : Desk
    on_apply : callable, optional
        ``on_apply(changed)`` is given the values that were changed, by name; default: switch to such a solver.
    """

    def __init__(self, desk: Desk, on_apply: Callable[[dict[str, Any]], object] | None = None) -> None:
        super().__init__(desk)
        self._on_apply = on_apply or self._switch
        self.is_open = False
        self.fields: dict[str, Field] = {}
        self._solver: Solver | None = None
        self.title = text()
        self._form = column(css="cc-scroll")
        self.wrong = text()
        self.reset_button = button("Reset", self.reset, hint="Back to the values in use")
        self.apply_button = button("Apply", self.apply, look="primary", hint="Start anew with these values")
        close = button(icon="close", hint="Close (Esc)", on_click=self.hide, css="cc-push")
        self.widget = column(
            row(self.title, close, css="cc-head"),
            self._form,
            self.wrong,
            row(self.reset_button, self.apply_button, css="cc-foot"),
            css="cc-drawer",
        )
        show(self.widget, False)

    # ------------------------------------------------------------------ gestures

    def open(self) -> None:
        """Show the drawer."""
        self.is_open = True
        self._fill(inside(self.desk.session.solver))
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
        if not self.apply_button.disabled:
            self._on_apply(self._changed())

    def _switch(self, changed: dict[str, Any]) -> None:
        session = self.desk.session
        session.pause()
        worker = clone(inside(session.solver)).set_params(**changed)
        self.desk.attempt(session.switch, wrapped_like(session.solver, worker))

    def reset(self) -> None:
        """Back to the values in use."""
        for field in self.fields.values():
            field.reset()
        self._check()

    # ------------------------------------------------------------------ showing

    def update(self, old: Moment | None, new: Moment) -> None:
        worker = inside(new.snapshot.solver)
        if self.is_open and worker is not self._solver:
            self._fill(worker)

    def _fill(self, solver: Solver) -> None:
        if self._solver is not None and type(solver) is type(self._solver) and self._same_kinds(solver):
            for name, field in self.fields.items():
                field.set(getattr(solver, name))
        else:
            self._make_fields(solver)
        self._solver = solver
        self.title.value = heading(f"Parameters of {type(solver).__name__}")
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

    def _changed(self) -> dict[str, Any]:
        return {name: field.value for name, field in self.fields.items() if field.changed}

    def _check(self) -> None:
        """Whether Apply would work: each value by itself, then all of them on these data."""
        wrong = any(field.problem for field in self.fields.values())
        said = ""
        if not wrong:
            wanted = clone(inside(self.desk.session.solver)).set_params(**self._changed())
            for name, field in self.fields.items():
                field.offer(wanted.choices(name))
            if self._changed():
                try:
                    wanted.check(self.desk.session.problem)
                except ValueError as error:
                    said = _in_our_names(str(error), self.fields)
        self.wrong.value = tag("div", said, class_="cc-help cc-bad cc-padded", role="alert") if said else ""
        changed = any(field.changed for field in self.fields.values())
        self.apply_button.disabled = wrong or bool(said) or not changed
        self.reset_button.disabled = not changed


def _importance(parameters: dict[str, Any]) -> Callable[[str], tuple[bool, bool, int]]:
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
