import inspect

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score

from cclab import CECM, CFCM, FCM, ConstrainedKMeans, COPKMeans, PCKMeans, Problem, SeededKMeans, Session
from cclab.core.registry import solvers, wrappers
from cclab.reach import Propagating
from tests.checks import CHECKS
from tests.reach.stretched import known_about, stretched


def wrapping(inner):
    """The wrapper around one class, with the parameters of that class, so that the common checks can make it."""

    class _Around(Propagating):
        __doc__ = inner.__doc__
        uses = inner.uses
        accepts_sparse = inner.accepts_sparse

        def __init__(self, **chosen):
            for name, value in (inner().get_params() | chosen).items():
                setattr(self, name, value)
            self.graph, self.gate, self.folds = False, 1.0, 3

        @property
        def solver(self):
            return inner(**self.get_params())

    signature = inspect.signature(inner.__init__)
    _Around.__init__.__signature__ = signature
    _Around.parameters = inner.all_parameters()
    _Around.__name__ = f"Propagating{inner.__name__}"
    return _Around


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__.removeprefix("check_"))
@pytest.mark.parametrize("inner", [CFCM, PCKMeans, SeededKMeans], ids=lambda cls: cls.__name__)
def test_common(inner, check, monkeypatch):
    around = wrapping(inner)
    monkeypatch.setitem(wrappers._classes, around.__name__, around)  # sessions find it there
    check(around)


def test_where_the_gate_is_closed_it_is_the_solver_inside():
    X, truth = stretched()
    known = known_about(truth, 6)
    plain = CFCM(3, random_state=0).fit(X, constraints=known)
    around = Propagating(CFCM(3, random_state=0)).fit(X, constraints=known)
    np.testing.assert_array_equal(around.labels_, plain.labels_)
    np.testing.assert_array_equal(around.centers_, plain.centers_)
    assert not around.report_.is_open


@pytest.mark.parametrize(
    "solver", [PCKMeans(3), COPKMeans(3, n_init=5), CFCM(3), CECM(3)], ids=lambda s: type(s).__name__
)
def test_where_it_is_open_links_move_free_samples_and_centres_stay_among_them(solver):
    X, truth = stretched()
    known = known_about(truth, 90)
    free = ~known.constrained
    around = Propagating(solver.set_params(random_state=0)).fit(X, constraints=known)
    plain = clone(solver).fit(X, constraints=known)
    assert around.report_.is_open
    assert (
        adjusted_rand_score(truth[free], around.labels_[free])
        > adjusted_rand_score(truth[free], plain.labels_[free]) + 0.2
    )
    for cluster in range(3):
        mean = X[around.labels_ == cluster].mean(axis=0)
        np.testing.assert_allclose(around.centers_[cluster], mean, atol=0.5)
    assert (around.predict(X)[free] == around.labels_[free]).mean() > 0.95


def test_new_links_open_the_gate_in_a_session_and_it_is_opened_again_from_its_file(tmp_path):
    X, truth = stretched()
    session = Session(X, Propagating(PCKMeans(3)), seed=0)
    session.run()
    session.constrain(constraints=known_about(truth, 90))
    session.run()
    assert session.state.matrix is not None
    assert any(note.startswith("The links reach further") for s in session.snapshots for note in s.state.notes)
    session.save(tmp_path / "reach.json")
    again = Session.load(tmp_path / "reach.json")
    np.testing.assert_array_equal(again.labels, session.labels)
    assert isinstance(again.solver, Propagating)
    assert isinstance(again.solver.solver, PCKMeans)


def test_a_script_makes_the_solver_and_the_one_inside():
    X, _ = stretched()
    session = Session(X, Propagating(PCKMeans(3, penalty=2.0), gate=0.5), seed=0)
    session.step(2)
    script = session.to_code()
    assert "Propagating(gate=0.5, solver=PCKMeans(penalty=2.0))" in script
    told: dict = {}
    exec(script, told)
    np.testing.assert_array_equal(told["session"].labels, session.labels)


def test_files_find_it_by_name_but_menus_of_solvers_dont_list_it():
    assert wrappers.get("Propagating") is solvers.get("Propagating") is Propagating
    assert "Propagating" not in solvers.names()
    assert wrappers.names() == ("Propagating",)


def test_given_centres_are_in_the_units_of_the_data():
    X, truth = stretched()
    known = known_about(truth, 90)
    centres = np.stack([X[truth == c].mean(axis=0) for c in range(3)])
    around = Propagating(PCKMeans(3, init=centres, max_iter=0)).fit(X, constraints=known)
    assert around.report_.is_open
    np.testing.assert_allclose(around.centers_, centres, atol=1e-8)


def test_what_is_missing_or_ignored_is_said():
    X, truth = stretched()
    with pytest.raises(ValueError, match="solver must be the solver that is to work"):
        Propagating().check(Problem(X))
    with pytest.raises(ValueError, match="gate must be at least 0"):
        Propagating(PCKMeans(3), gate=-1.0).check(Problem(X))
    with pytest.raises(ValueError, match="n_clusters=500 but there are only"):
        Propagating(PCKMeans(500)).check(Problem(X))
    assert Propagating(FCM(3)).explain_ignored(Problem(X, known_about(truth, 30))).startswith("Propagating has no use")
    assert "labels" in Propagating(ConstrainedKMeans(3)).uses
    assert not hasattr(Propagating(solvers.get("BCKM")(3)), "predict")
