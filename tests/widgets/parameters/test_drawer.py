"""The drawer is made from the solver's own description of its parameters."""

import numpy as np
import pytest

from cclab import CECM, FCM
from cclab.core.parameters import flag, whole
from cclab.widgets.parameters.drawer import Drawer
from cclab.widgets.parameters.fields import Field, read, write
from tests.front_end import classes, is_shown
from tests.widgets.sessions import Told, desk_on


def opened(solver="CECM"):
    desk = desk_on(solver)
    view = Drawer(desk)
    view.open()
    return desk, view


def below(view: Drawer, name: str) -> str:
    return view.fields[name]._below.value


def test_every_parameter_has_a_field_the_clusters_first_and_what_all_have_last():
    _, view = opened()
    assert set(view.fields) == set(CECM.all_parameters())
    names = list(view.fields)
    assert names[0] == "n_clusters"
    assert names[-1] == "random_state"
    assert names.index("xi") < names.index("max_iter")
    assert "How many clusters to look for." in below(view, "n_clusters")
    controls = {name: type(field.control).__name__ for name, field in view.fields.items()}
    assert (controls["xi"], controls["metric"], controls["rho2"]) == ("FloatSlider", "Dropdown", "Text")


def test_nothing_changed_nothing_to_apply():
    desk, view = opened()
    assert view.apply_button.disabled
    assert view.reset_button.disabled
    view.apply()
    assert desk.session.position == 0


def test_a_bad_value_is_explained_and_cannot_be_applied():
    desk, view = opened()
    view.fields["rho2"].control.value = "-3"
    assert "Must be above 0. Squared distance" in below(view, "rho2")
    assert "cc-bad" in below(view, "rho2")
    assert "cc-wrong" in classes(view.fields["rho2"].control)
    assert view.apply_button.disabled
    view.apply()
    assert desk.session.position == 0
    view.fields["rho2"].control.value = "12.5"
    assert "cc-bad" not in below(view, "rho2")
    assert not view.apply_button.disabled


def test_apply_starts_anew_with_the_new_values_and_undo_shows_the_old_ones():
    desk, view = opened()
    desk.session.step(2)
    view.fields["n_clusters"].control.value = "4"
    view.fields["metric"].control.value = "mahalanobis"
    view.fields["rho2"].control.value = "20"
    view.apply_button.click()
    solver = desk.session.solver
    assert (solver.n_clusters, solver.metric, solver.rho2) == (4, "mahalanobis", 20)
    assert desk.session.current.how == "start"
    assert view.apply_button.disabled
    desk.session.undo()
    assert view.fields["n_clusters"].control.value == "3"
    assert view.fields["rho2"].control.value == ""


def test_reset_and_hide_forget_what_was_typed():
    _, view = opened()
    view.fields["n_clusters"].control.value = "5"
    view.reset_button.click()
    assert view.fields["n_clusters"].control.value == "3"
    view.fields["n_clusters"].control.value = "5"
    view.toggle()
    assert not is_shown(view.widget)
    view.toggle()
    assert view.fields["n_clusters"].control.value == "3"


def test_more_clusters_than_samples_is_said_before_applying():
    _, view = opened("FCM")
    view.fields["n_clusters"].control.value = "61"
    assert "Clusters = 61 but there are only 60 samples; ask for fewer clusters." in view.wrong.value
    assert view.apply_button.disabled


def test_none_can_be_typed_where_it_is_a_value():
    _, view = opened()
    view.fields["rejection_rate"].control.value = "0.1"
    assert view.fields["rejection_rate"].value == 0.1
    view.fields["rejection_rate"].control.value = "none"
    assert view.fields["rejection_rate"].value is None
    assert view.fields["rejection_rate"].problem is None
    view.fields["n_clusters"].control.value = ""
    assert "Must be a whole number" in below(view, "n_clusters")


def test_arrays_are_shown_and_left_alone():
    centers = np.array([[0.0, 0.0], [3.0, 0.0], [0.0, 3.0]])
    desk, view = opened(FCM(3, init=centers))
    assert view.fields["init"].control.disabled
    assert view.fields["init"].control.value == "an array of shape (3, 2)"
    view.fields["fuzzifier"].control.value = "1.5"
    view.apply()
    assert desk.session.solver.fuzzifier == 1.5
    assert np.array_equal(desk.session.solver.init, centers)


def test_another_solver_has_another_form():
    desk, view = opened("FCM")
    assert "xi" not in view.fields
    desk.session.switch("CECM")
    assert "xi" in view.fields
    assert "CECM" in view.title.value


def test_what_fails_on_applying_is_told(monkeypatch):
    desk, view = opened("FCM")
    told = Told(desk)

    def start(_self, _problem, _restart=0):
        raise ValueError("the samples are all the same")

    monkeypatch.setattr(FCM, "start", start)
    view.fields["n_clusters"].control.value = "2"
    view.apply()
    assert told == [("bad", "the samples are all the same")]
    assert desk.session.position == 0


def test_flags_are_checkboxes():
    changes = []
    field = Field("shared", flag(), True, "Whether.", lambda: changes.append(1))
    field.control.value = False
    assert (field.value, field.changed, field.problem, changes) == (False, True, None, [1])


def test_help_is_escaped():
    field = Field("n", whole(1), 0, "a < b", lambda: None)
    assert "Must be at least 1. a &lt; b" in field._below.value


@pytest.mark.parametrize("value", [3, 0.001, "auto", None, 1e9])
def test_what_is_written_reads_back(value):
    assert read(write(value)) == value


def test_what_would_be_refused_is_not_offered():
    _, view = opened()
    sets = view.fields["focal_sets"].control
    assert "full" in dict(sets.options)
    view.fields["n_clusters"].control.value = "13"
    assert [name for name, _ in sets.options] == ["auto", "pairs", "singletons"]
    assert sets.value == "auto"
    assert not view.apply_button.disabled
    view.fields["n_clusters"].control.value = "3"
    assert "full" in dict(sets.options)


def test_what_is_chosen_stays_and_is_explained():
    _, view = opened()
    view.fields["focal_sets"].control.value = "full"
    view.fields["n_clusters"].control.value = "13"
    assert view.fields["focal_sets"].control.value == "full"
    assert view.apply_button.disabled
    assert "at most 2,048 are taken" in view.wrong.value
