"""The number that needs no truth, and the switch that lets links reach further."""

from cclab import FCM, COPKMeans, PCKMeans, load_dataset
from cclab.core.registry import wrappers
from cclab.widgets.model.wrapping import inside, reaches, wrapped_like
from cclab.widgets.watch import LinksNotSeen
from tests.front_end import classes
from tests.reach.stretched import known_about, stretched
from tests.widgets.sessions import desk_on


def opened(solver, m=60):
    X, truth = stretched()
    desk = desk_on(solver, load_dataset(X))
    if m:
        desk.session.constrain(constraints=known_about(truth, m))
    return desk, LinksNotSeen(desk)


def test_the_share_is_worked_out_and_shown():
    _, part = opened(COPKMeans(3))
    assert part.note.value.endswith("% kept")
    assert "held back in turn" in part.kept.value


def test_until_it_is_worked_out_it_says_when(monkeypatch):
    monkeypatch.setattr(LinksNotSeen, "check", lambda self: None)
    _, part = opened(COPKMeans(3))
    assert part.note.value == ""
    assert "as soon as the solver rests" in part.kept.value


def test_where_nothing_can_be_said_it_says_why():
    _, part = opened(COPKMeans(3), m=0)
    assert part.note.value == ""
    assert "No links are stated." in part.kept.value


def test_new_statements_are_judged_anew():
    desk, part = opened(COPKMeans(3), m=0)
    desk.session.constrain(constraints=known_about(stretched()[1], 40))
    assert part.note.value.endswith("% kept")


def test_the_switch_puts_the_wrapper_around_the_solver_and_says_what_the_gate_found():
    desk, part = opened(PCKMeans(3))
    part.switch.value = True
    assert reaches(desk.session.solver)
    assert isinstance(inside(desk.session.solver), PCKMeans)
    assert "The links" in part.words.value
    part.switch.value = False
    assert isinstance(desk.session.solver, PCKMeans)
    desk.session.undo()
    assert part.switch.value


def test_a_solver_that_takes_no_links_has_no_such_part():
    _, part = opened(FCM(3), m=0)
    assert "cc-away" in classes(part.widget)


def test_a_solver_is_wrapped_as_the_one_before():
    around = wrappers.get("Propagating")(COPKMeans(3), gate=2.0)
    other = wrapped_like(around, PCKMeans(3))
    assert isinstance(inside(other), PCKMeans)
    assert other.gate == 2.0
    assert wrapped_like(COPKMeans(3), inside(other)) is inside(other)
