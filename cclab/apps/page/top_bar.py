"""The bars over pages: data, solver, history, files; or a title and a few choices."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType

import ipywidgets as widgets

from cclab.apps.page.brand import brand
from cclab.apps.page.popover import Popover
from cclab.apps.page.recent import named, recent_button
from cclab.session import Moment
from cclab.widgets.kit.bridge import Shell
from cclab.widgets.kit.html import tag
from cclab.widgets.kit.layout import button, column, dropdown, row, text
from cclab.widgets.model.desk import Desk
from cclab.widgets.model.view import View

OPEN_FILE = "Open file…"
OPEN_HINT = "Open a file: CSV, Excel, Parquet, vectors, cells (h5ad), pictures (ZIP), or a saved session"


class TopBar(View):
    """Chooses data and solver, undoes and redoes, opens and saves.

    Parameters
    ----------
    desk : Desk
    shell : Shell
    data_names : sequence of str
        The data sets to choose from.
    on_data : callable
        Called with the name that was chosen.
    solver_choice : widget
        What chooses the solver.
    on_parameters, on_undo, on_redo, on_save, on_recent, on_help : callables
        What the buttons do.
    exports : mapping from str to callable
        The entries of the Export menu.
    titles : mapping from str to str
        What data sets are called here, where it is not by their names.
    extra : sequence of widgets
        What stands beside the parameters.
    open_hint : str
    """

    def __init__(
        self,
        desk: Desk,
        shell: Shell,
        *,
        data_names: tuple[str, ...],
        on_data: Callable[[str], object],
        solver_choice: widgets.Widget,
        on_parameters: Callable[[], object],
        on_undo: Callable[[], object],
        on_redo: Callable[[], object],
        on_save: Callable[[], object],
        exports: Mapping[str, Callable[[], object]],
        on_recent: Callable[[], object],
        on_help: Callable[[], object],
        titles: Mapping[str, str] = MappingProxyType({}),
        extra: Sequence[widgets.Widget] = (),
        open_hint: str = OPEN_HINT,
    ) -> None:
        super().__init__(desk)
        self._shell = shell
        self._titles = {name: titles.get(name, named(name)) for name in data_names}
        self._on_data = on_data
        self._filling = False
        self.data = dropdown("Data set")
        self.data.observe(self._data_chosen, "value")
        self.parameters_button = _shrinking("Parameters", "parameters", "Parameters (P)", on_parameters)
        self.undo_button = button(icon="undo", hint="Undo (Ctrl+Z)", on_click=on_undo, css="cc-push")
        self.redo_button = button(icon="redo", hint="Redo (Ctrl+Shift+Z)", on_click=on_redo)
        self.open_button = open_button(open_hint)
        self.recent_button = recent_button(on_recent)
        self.save_button = _shrinking("Save", "save", "Save the session as a file (Ctrl+S)", on_save)
        self.menu = Menu(exports)
        self.export_button = _shrinking("Export", "export", "Export", self.menu.toggle, look="outlined")
        help_button = button(icon="help", hint="Keys (?)", on_click=on_help)
        theme_button = button(icon="theme", hint="Light or dark", on_click=shell.toggle_theme)
        self.widget = row(
            text(brand(), css="cc-way-home"),
            self.data,
            solver_choice,
            self.parameters_button,
            *extra,
            self.undo_button,
            self.redo_button,
            text(tag("span", class_="cc-divider")),
            self.recent_button,
            self.open_button,
            self.save_button,
            self.export_button,
            theme_button,
            help_button,
            css="cc-bar",
        )
        self._keys = {
            "ctrl+s": on_save,
            "p": on_parameters,
            "ctrl+z": on_undo,
            "ctrl+shift+z": on_redo,
            "ctrl+y": on_redo,
        }
        self.update(None, desk.moment)

    # ------------------------------------------------------------------ gestures

    @property
    def keys(self) -> dict[str, Callable[[], object]]:
        return self._keys

    def _data_chosen(self, change: dict) -> None:
        if self._filling:
            return
        if change["new"] == OPEN_FILE:
            self._shell.choose_file()
            self.show_choices()
        else:
            self._on_data(change["new"])

    # ------------------------------------------------------------------ showing

    def update(self, old: Moment | None, new: Moment) -> None:
        session = self.desk.session
        if old is None or old.snapshot.solver is not new.snapshot.solver:
            self.show_choices()
        self.undo_button.disabled = not session.can_undo
        self.redo_button.disabled = not session.can_redo

    def show_choices(self) -> None:
        """Let the bar say what is open, whatever was chosen last."""
        self._filling = True
        try:
            session = self.desk.session
            name = session.data.name
            others = [] if name in self._titles else [(name, name)]
            offered = [(title, each) for each, title in self._titles.items()]
            _fill(self.data, [*others, *offered, (OPEN_FILE, OPEN_FILE)], name)
        finally:
            self._filling = False


def open_button(hint: str = OPEN_HINT) -> widgets.Button:
    """What lets a person choose a file of their own."""
    return button("Open", icon="open", hint=hint, css="cc-shrink cc-choose-file")


def title_bar(
    shell: Shell,
    title: str,
    choices: Sequence[widgets.Widget] = (),
    tools: Sequence[widgets.Widget] = (),
) -> widgets.HBox:
    """The bar over a small page: brand and title, then `choices`; `tools` and the switch of the theme at the right."""
    theme = button(icon="theme", hint="Light or dark", on_click=shell.toggle_theme)
    divider = text(tag("span", class_="cc-divider"))
    home = text(brand(title), css="cc-way-home")
    return row(home, divider, *choices, text("", css="cc-push"), *tools, theme, css="cc-bar")


class Menu(Popover):
    """A menu that drops from the bar.

    Parameters
    ----------
    entries : mapping from str to callable
    """

    def __init__(self, entries: Mapping[str, Callable[[], object]]) -> None:
        buttons = [button(name, partial(self._choose, act)) for name, act in entries.items()]
        super().__init__(column(*buttons, css="cc-menu cc-bar-menu"), "cc-menu-layer")

    def _choose(self, act: Callable[[], object]) -> None:
        self.hide()
        act()


def _fill(dropdown: widgets.Dropdown, options: list[tuple[str, str]], value: str) -> None:
    if list(dropdown.options) != options:
        dropdown.options = options
    dropdown.value = value


def _shrinking(
    label: str, icon: str, hint: str, on_click: Callable | None = None, look: str = "ghost"
) -> widgets.Button:
    """A button whose label gives way where the page is narrow."""
    return button(label, on_click, icon=icon, hint=hint, look=look, css="cc-shrink")
