"""The menu of solvers: by families, with one line each, and what speaks against one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from types import MappingProxyType

from cclab.apps.page.popover import Popover
from cclab.core.registry import solvers
from cclab.looks.solver_guide import RECOMMENDED_FOR_LINKS, Guide, guides
from cclab.session import Moment, Snapshot
from cclab.widgets.kit.html import Html, tag
from cclab.widgets.kit.layout import button, column
from cclab.widgets.kit.rows import Action, Rows
from cclab.widgets.model.desk import Desk
from cclab.widgets.model.view import View
from cclab.widgets.model.wrapping import inside


class SolverMenu(View):
    """A button with the name of the solver at work, and the menu that it opens.

    Parameters
    ----------
    desk : Desk
    on_choose : callable
        Called with the name that was chosen.
    on_try_all : callable, optional
        Ranks all solvers by the links that they keep; where it is given the menu begins with it.
    too_slow : mapping from str to str
        What was found of solvers that take long on the data that are open, by name.
    names : sequence of str, optional
        The solvers that are offered; default: all.
    solver_at : callable, optional
        ``solver_at(snapshot)`` names the solver that is chosen; default: the one at work.
    hint : str
        What the button is for.
    css : str
        Further classes of the menu: where it opens.

    Attributes
    ----------
    widget : Button
        What goes into the bar.
    floating : Popover
        The menu, which floats over the page.
    """

    def __init__(
        self,
        desk: Desk,
        on_choose: Callable[[str], object],
        on_try_all: Callable[[], object] | None = None,
        too_slow: Mapping[str, str] = MappingProxyType({}),
        *,
        names: Sequence[str] | None = None,
        solver_at: Callable[[Snapshot], str] = lambda snapshot: type(inside(snapshot.solver)).__name__,
        hint: str = "Solver",
        css: str = "",
    ) -> None:
        super().__init__(desk)
        self._names, self._solver_at, self._hint = names, solver_at, hint
        self._on_choose, self._on_try_all, self._too_slow = on_choose, on_try_all, too_slow
        self.rows = Rows(label="Solvers")
        self.rows.on_action(self._act)
        self.floating = Popover(column(self.rows, css=f"cc-menu cc-solver-menu cc-scroll {css}"), "cc-menu-layer")
        self.widget = button(" ", self.toggle, hint=hint, look="outlined", css="cc-solver-button")
        self.update(None, desk.moment)

    @property
    def is_open(self) -> bool:
        """Whether the menu is to be seen."""
        return self.floating.is_open

    def hide(self) -> None:
        """Put the menu away."""
        self.floating.hide()

    def toggle(self) -> None:
        """Open the menu, or put it away."""
        if not self.floating.is_open:
            self._fill()
        self.floating.toggle()

    def choose(self, name: str) -> None:
        """Choose a solver by its name."""
        self.floating.hide()
        self._on_choose(name)
        self.update(None, self.desk.moment)

    def _act(self, action: Action) -> None:
        if action.name == "choose" and action.id is not None:
            self.choose(action.id)
        elif action.name == "try-all" and self._on_try_all is not None:
            self.floating.hide()
            self._on_try_all()

    def update(self, old: Moment | None, new: Moment) -> None:
        if old is None or old.snapshot is not new.snapshot:
            name = self._solver_at(new.snapshot)
            if self.widget.description != name:
                self.widget.description, self.widget.tooltip = name, f"{self._hint}: {name}"

    def _fill(self) -> None:
        session = self.desk.session
        said = guides(self._names or solvers.names(), session.problem.X, session.constraints, self._too_slow)
        current, rows = self._solver_at(session.current), []
        if self._on_try_all is not None:
            rows.append(("try all", _TRY_ALL))
        for best in (guide for guide in said if guide.name == RECOMMENDED_FOR_LINKS and not guide.against):
            rows += [("recommended", _heading("Recommended for links")), ("best", _row(best, best.name == current))]
        for family, members in groupby(said, key=lambda guide: guide.family):
            rows.append((f"family {family}", _heading(family)))
            rows += [(guide.name, _row(guide, guide.name == current)) for guide in members]
        self.rows.show(rows)


_TRY_ALL = tag(
    "button",
    tag("b", "Try all"),
    tag("span", "ranked by the links that each keeps without having seen them", class_="cc-when"),
    class_="cc-solver",
    data_action="try-all",
)


def _heading(words: str) -> Html:
    return tag("div", words, class_="cc-family", role="heading", aria_level=3)


def _row(guide: Guide, current: bool) -> Html:
    about = " · ".join(filter(None, [guide.takes, guide.believes]))
    return tag(
        "button",
        tag("b", guide.name),
        tag("span", guide.when, class_="cc-when"),
        tag("span", about, class_="cc-faint"),
        tag("span", guide.against, class_="cc-against") if guide.against else None,
        class_="cc-solver" + " cc-unsuited" * bool(guide.against) + " cc-current" * current,
        data_action="choose",
        data_id=guide.name,
        disabled=guide.impossible,
        aria_pressed=current,
    )
