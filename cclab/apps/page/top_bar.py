"""The bar over a page: data, solver, history, files."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import ipywidgets as widgets

from cclab.apps.floating import Floating
from cclab.core.registry import solvers
from cclab.session import Snapshot
from cclab.widgets.desk import Desk, View
from cclab.widgets.html import Html, tag
from cclab.widgets.layout import button, column, row, text, with_classes
from cclab.widgets.shell import Shell

OPEN_FILE = "Open file…"

BRAND = Html(
    '<svg viewBox="0 0 24 24" aria-hidden="true" fill="none" stroke="var(--cc-text)" stroke-width="1.6">'
    '<path d="M6 7l12-1"/><path stroke-dasharray="1.6 2" d="M7 9l6 9M18 8l-4 10"/>'
    '<g stroke="none"><circle style="fill:var(--cc-c1)" cx="6" cy="7" r="4.4"/>'
    '<circle style="fill:var(--cc-c1)" cx="18.5" cy="6" r="4"/>'
    '<circle style="fill:var(--cc-c2)" cx="13" cy="19" r="4"/></g></svg>'
)


class Bar(View):
    """Chooses data and solver, undoes and redoes, opens and saves.

    Parameters
    ----------
    desk : Desk
    shell : Shell
    data_names : sequence of str
        The data sets to choose from; without any there is no such choice.
    on_data, on_solver : callables
        Called with the name that was chosen.
    on_parameters, on_save : callables
        What the buttons do.
    exports : mapping from str to callable
        The entries of the Export menu.
    """

    def __init__(
        self,
        desk: Desk,
        shell: Shell,
        *,
        data_names: tuple[str, ...],
        on_data: Callable[[str], object],
        on_solver: Callable[[str], object],
        on_parameters: Callable[[], object],
        on_save: Callable[[], object],
        exports: Mapping[str, Callable[[], object]],
        on_help: Callable[[], object],
    ) -> None:
        super().__init__(desk)
        self._shell = shell
        self._data_names = data_names
        self._on_data, self._on_solver = on_data, on_solver
        self._filling = False
        self.data = _dropdown("Data set")
        self.solver = _dropdown("Solver")
        self.data.observe(self._data_chosen, "value")
        self.solver.observe(self._solver_chosen, "value")
        self.parameters_button = _shrinking("Parameters", "parameters", "Parameters (P)", on_parameters)
        self.undo_button = button(icon="undo", hint="Undo (Ctrl+Z)", on_click=self.undo, css="cc-push")
        self.redo_button = button(icon="redo", hint="Redo (Ctrl+Shift+Z)", on_click=self.redo)
        self.open_button = _shrinking("Open", "open", "Open a file: CSV, Parquet, or a saved session")
        self.open_button.add_class("cc-choose-file")
        self.save_button = _shrinking("Save", "save", "Save the session as a file (Ctrl+S)", on_save)
        self.menu = Menu(exports)
        self.export_button = _shrinking("Export", "export", "Export", self.menu.toggle, look="outlined")
        help_button = button(icon="help", hint="Keys (?)", on_click=on_help)
        theme_button = button(icon="theme", hint="Light or dark", on_click=shell.toggle_theme)
        self.widget = row(
            text(tag("span", BRAND, "cclab", class_="cc-brand")),
            self.data,
            self.solver,
            self.parameters_button,
            self.undo_button,
            self.redo_button,
            text(tag("span", class_="cc-divider")),
            self.open_button,
            self.save_button,
            self.export_button,
            theme_button,
            help_button,
            css="cc-bar",
        )
        self._keys = {"ctrl+s": on_save, "p": on_parameters}
        self.update(None, desk.session.current)

    # ------------------------------------------------------------------ gestures

    @property
    def keys(self) -> dict[str, Callable[[], object]]:
        return self._keys | {"ctrl+z": self.undo, "ctrl+shift+z": self.redo, "ctrl+y": self.redo}

    def undo(self) -> None:
        """Take the last verb back."""
        self.desk.session.pause()
        self.desk.attempt(self.desk.session.undo)

    def redo(self) -> None:
        """Do again what was taken back last."""
        self.desk.session.pause()
        self.desk.attempt(self.desk.session.redo)

    def _data_chosen(self, change: dict) -> None:
        if self._filling:
            return
        if change["new"] == OPEN_FILE:
            self._shell.choose_file()
            self._show_choices(self.desk.session.current)
        else:
            self._on_data(change["new"])

    def _solver_chosen(self, change: dict) -> None:
        if not self._filling:
            self._on_solver(change["new"])
            self._show_choices(self.desk.session.current)

    # ------------------------------------------------------------------ showing

    def update(self, old: Snapshot | None, new: Snapshot) -> None:
        session = self.desk.session
        if old is None or old.solver is not new.solver:
            self._show_choices(new)
        self.undo_button.disabled = not session.can_undo
        self.redo_button.disabled = not session.can_redo

    def _show_choices(self, snapshot: Snapshot) -> None:
        self._filling = True
        try:
            name = self.desk.session.data.name
            others = [] if name in self._data_names else [(name, name)]
            named = [(_title(each), each) for each in self._data_names]
            _fill(self.data, [*others, *named, (OPEN_FILE, OPEN_FILE)], name)
            _fill(self.solver, [(each, each) for each in solvers.names()], type(snapshot.solver).__name__)
        finally:
            self._filling = False


class Menu(Floating):
    """A menu that drops from the bar.

    Parameters
    ----------
    entries : mapping from str to callable
    """

    def __init__(self, entries: Mapping[str, Callable[[], object]]) -> None:
        buttons = [button(name, lambda act=act: self._choose(act)) for name, act in entries.items()]
        super().__init__(column(*buttons, css="cc-menu cc-bar-menu"), "cc-menu-layer")

    def _choose(self, act: Callable[[], object]) -> None:
        self.hide()
        act()


def _fill(dropdown: widgets.Dropdown, options: list[tuple[str, str]], value: str) -> None:
    if list(dropdown.options) != options:
        dropdown.options = options
    dropdown.value = value


def _title(name: str) -> str:
    """A data set's name for a person.

    >>> _title("soybean_small")
    'Soybean small'
    """
    return name[:1].upper() + name[1:].replace("_", " ")


def _dropdown(description: str) -> widgets.Dropdown:
    return with_classes(widgets.Dropdown(description=description, layout={"width": "auto"}), "cc-quiet-label")


def _shrinking(label: str, icon: str, hint: str, on_click: Callable | None = None, look: str = "ghost"):
    """A button whose label gives way where the page is narrow."""
    return button(label, on_click, icon=icon, hint=hint, look=look, css="cc-shrink")
