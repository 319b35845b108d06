"""COBRAS: what answers do to super-instances, whoever gives them and in whatever order."""

from itertools import pairwise

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from cclab import COBRAS, ConstraintSet, COPKMeans, Problem, Session, load_dataset
from cclab.maths.super_instances import Course
from cclab.queries import COBRASQueries
from cclab.studies import Truth, ask

IRIS = load_dataset("iris")


def rounds(solver, budget, seed=0, data=IRIS):
    return list(ask(solver, Problem(data.X, seed=seed), COBRASQueries(), Truth(data.target), budget))


@pytest.fixture(scope="module")
def asked():
    return rounds(COBRAS(), 40)


def test_answers_find_the_classes_and_their_number(asked):
    agreement = [adjusted_rand_score(IRIS.target, r.state.labels) for r in asked]
    assert agreement[0] == 0, "before the first answer all is one cluster"
    assert np.mean(agreement[30:]) > np.mean(agreement[10:20]) > np.mean(agreement[:10])
    assert agreement[-1] > 0.85
    assert asked[-1].count == 40


def test_all_follows_from_the_answers_that_were_heard(asked):
    last = asked[-1].state
    again = Course.until_open(Problem(IRIS.X, seed=0), heard=last.heard.tolist())
    assert again.question.samples == last.waits_for
    assert again.rounds == last.rounds
    assert len(again.pieces) == last.super_instance.max() + 1


def test_what_is_taken_back_is_no_longer_heard():
    session = Session(IRIS, COBRAS())
    session.run()
    first = session.state.waits_for
    session.constrain(cannot_link=[first])
    session.run()
    assert session.state.waits_for != first
    session.constrain(forget=int(session.constraints.pairs.id[0]))
    session.run()
    assert session.state.waits_for == first


def test_super_instances_are_only_ever_split(asked):
    for before, after in pairwise(asked):
        finer = len(set(zip(before.state.super_instance, after.state.super_instance)))
        assert finer == after.state.super_instance.max() + 1


def test_clusters_are_made_of_super_instances(asked):
    state = asked[-1].state
    assert len(set(zip(state.super_instance, state.joining))) == state.super_instance.max() + 1
    assert set(state.asides()) == {"Super-instances", "Clusters being joined"}
    assert sum(state.gauges()[0].values) >= state.super_instance.max() + 1


def test_it_waits_for_the_question_that_the_strategy_asks():
    problem, solver = Problem(IRIS.X, seed=3), COBRAS()
    state = solver.solve(problem)
    (query,) = COBRASQueries().propose(problem, state, 5)
    assert query.samples == state.waits_for
    assert solver.step(problem, state).waits_for == query.samples, "without an answer nothing moves"


def test_where_a_person_cannot_tell_another_pair_of_the_same_groups_does():
    problem, solver = Problem(IRIS.X, seed=0), COBRAS()
    state = solver.solve(problem)
    first = COBRASQueries().propose(problem, state)[0].samples
    second = COBRASQueries().propose(problem, state, asked=frozenset({first}))[0].samples
    assert second != first
    told = problem.with_constraints(problem.constraints.with_cannot_link([second]))
    assert solver.step(told, state).waits_for != first


def test_clusters_keep_their_names_while_others_are_split_off(asked):
    for before, after in pairwise(asked):
        if before.state.rounds == 0:
            continue
        for name in set(before.state.names) & set(after.state.names):
            old, new = (r.state.labels == list(r.state.names).index(name) for r in (before, after))
            assert (old & new).any()


def test_links_from_elsewhere_count_as_answers():
    truth = Truth(IRIS.target)
    rng = np.random.default_rng(0)
    pairs = np.sort([rng.choice(150, 2, replace=False) for _ in range(600)], axis=1)
    known = truth.link(ConstraintSet(150), np.unique(pairs, axis=0))
    assert adjusted_rand_score(IRIS.target, COBRAS().solve(Problem(IRIS.X, known)).labels) > 0.7


def test_contradictions_stop_nothing():
    known = ConstraintSet(150).with_must_link([[0, 60], [60, 120]]).with_cannot_link([[0, 120]])
    assert COBRAS().solve(Problem(IRIS.X, known)).labels.shape == (150,)


def test_other_solvers_may_listen_to_its_questions():
    assert rounds(COPKMeans(3), 10)[-1].count == 10


def test_a_session_is_played_again_from_its_answers(tmp_path):
    session = Session(IRIS, COBRAS(), journal=tmp_path / "journal")
    for _ in range(25):
        (query,) = session.propose("COBRASQueries")
        i, j = query.samples
        session.answer(query, "same" if IRIS.target[i] == IRIS.target[j] else "different")
        session.run()
    labels, waits = session.labels, session.state.waits_for
    session.close()
    again = Session.open(tmp_path / "journal")
    np.testing.assert_array_equal(again.labels, labels)
    assert again.state.waits_for == waits
    assert not again.differences
    again.undo()
    again.undo()
    assert again.state.waits_for != waits
    again.redo()
    again.redo()
    assert again.state.waits_for == waits


def test_new_samples_go_to_the_nearest_super_instance(asked):
    solver = COBRAS(random_state=0).fit(IRIS.X, constraints=asked[-1].problem.constraints)
    assert adjusted_rand_score(solver.labels_, solver.predict(IRIS.X)) > 0.8


def test_samples_that_are_all_different_from_each_other_end_as_one_cluster_each():
    X = np.array([[0.0], [1.0], [2.5]])
    state = COBRAS().solve(Problem(X, ConstraintSet(3).with_cannot_link([[0, 1], [1, 2], [0, 2]])))
    assert state.finished
    assert sorted(state.labels) == [0, 1, 2]
