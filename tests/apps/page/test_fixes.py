"""A way out of what a solver complains of: by the type of the complaint, whatever its words are."""

import pickle
import warnings

import pytest
from numpy.linalg import LinAlgError

from cclab import CECM, FCM, COPKMeans, Session
from cclab.apps.page.fixes import fix_for
from cclab.core import ConstraintSet
from cclab.widgets.model.desk import Desk
from tests.widgets.sessions import blobs

TOGETHER_AND_APART = ConstraintSet(60).with_must_link([[0, 1], [1, 2]]).with_cannot_link([[0, 2]])
FOUR_APART = ConstraintSet(60).with_cannot_link([[i, j] for i in range(4) for j in range(i)])


def complaint(desk, known):
    """What the solver warns of, or raises, when it is told this."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            desk.session.constrain(constraints=known)
        except ValueError as error:
            return error
    return caught[-1].message


def test_words_alone_are_no_reason_for_a_button():
    desk = Desk(Session(blobs(), CECM(3, metric="mahalanobis")))
    desk.session.step()
    said = "singular; CECM has no use for it; must-links join them: 0 — 1; ask for at least 4 clusters. Standardise"
    assert fix_for(desk, ValueError(said)) is None
    assert fix_for(desk, UserWarning(said)) is None


def test_a_singular_matrix():
    desk = Desk(Session(blobs(), CECM(3, metric="mahalanobis")))
    fix = fix_for(desk, LinAlgError("Matrix is not invertible"))
    fix.act()
    assert (fix.words, desk.session.solver.metric) == ("Use euclidean", "euclidean")
    assert fix_for(desk, LinAlgError("Matrix is not invertible")) is None


@pytest.mark.parametrize("solver", [CECM(3), COPKMeans(3)])
def test_too_few_clusters(solver):
    desk = Desk(Session(blobs(), solver))
    fix = fix_for(desk, complaint(desk, FOUR_APART))
    fix.act()
    assert (fix.words, desk.session.solver.n_clusters) == ("Use 4 clusters", 4)


@pytest.mark.parametrize("solver", [CECM(3), COPKMeans(3)])
def test_statements_that_contradict_each_other(solver):
    desk = Desk(Session(blobs(), solver))
    desk.session.constrain(must_link=[[0, 1]])
    before = len(desk.session.commands)
    fix = fix_for(desk, complaint(desk, TOGETHER_AND_APART))
    fix.act()
    assert (fix.words, desk.session.commands[before:][-1]["verb"]) == ("Undo", "undo")


def test_knowledge_that_is_ignored_asks_for_a_solver_that_takes_it():
    desk = Desk(Session(blobs(), FCM(3)))
    ignored = complaint(desk, ConstraintSet(60).with_must_link([[0, 1], [3, 4]]))
    assert ignored.counts == {"must": 2}
    fix = fix_for(desk, ignored)
    fix.act()
    assert (fix.words, type(desk.session.solver).__name__) == ("Use LinkedMixture", "LinkedMixture")


def test_what_no_solver_takes_has_no_way_out():
    desk = Desk(Session(blobs(), FCM(3)))
    ignored = complaint(desk, ConstraintSet(60).with_must_link([[0, 1]]))
    ignored.counts["a kind of the future"] = 1
    assert fix_for(desk, ignored) is None


def test_what_a_warning_carries_survives_a_process():
    desk = Desk(Session(blobs(), FCM(3)))
    ignored = pickle.loads(pickle.dumps(complaint(desk, ConstraintSet(60).with_must_link([[0, 1]]))))
    assert (str(ignored), ignored.counts) == ("FCM has no use for 1 must-link statement", {"must": 1})
