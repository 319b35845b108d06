import warnings
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV

from cclab import BCKM, FCM, COPKMeans, SeededKMeans, Session
from cclab.core import ConstraintSet, IgnoredKnowledge, ImpossibleKnowledge, Problem, Solver, iterate
from cclab.core.parameters import choice, flag, parameter_docs, real, whole
from cclab.core.registry import Registry, solvers
from cclab.queries.base import Strategy


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Problem([1.0, 2.0]), "reshape a single feature"),
        (lambda: Problem(np.empty((0, 2))), "X is empty"),
        (lambda: Problem(np.array([["a", "b"]])), "X must be numeric"),
        (lambda: Problem([[0.0, np.nan], [1.0, 2.0]]), "NaN in row 0, column 1"),
        (lambda: Problem([[0.0, 1.0], [np.inf, 2.0]]), r"infinity \(inf\) in row 1, column 0"),
        (lambda: Problem(np.ones((3, 1)), ConstraintSet(4)), "about 4 samples, but X has 3"),
        (lambda: Problem(np.ones((3, 1)), [[0, 1]]), "constraints must be a ConstraintSet, got list"),
        (lambda: Problem(np.ones((3, 1)), sample_weight=[1, 2]), r"must have shape \(3,\)"),
        (lambda: Problem(np.ones((3, 1)), sample_weight=[1, -2, 0]), "sample 1 is -2"),
        (lambda: Problem(np.ones((3, 1)), sample_weight=np.zeros(3)), "zero for every sample"),
        (lambda: Problem(np.ones((2, 1)), affinity=sparse.csr_array([[0, -1], [-1, 0]])), "affinity must be finite"),
        (lambda: Problem(np.ones((2, 1)), affinity=np.ones((3, 3))), r"affinity must have shape \(2, 2\)"),
    ],
)
def test_bad_problems_are_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_what_is_derived_from_data_survives_new_knowledge():
    problem = Problem(np.ones((3, 1)))
    first = problem.derived("thing", object)
    other = problem.with_constraints(ConstraintSet(3).with_must_link([[0, 1]]))
    assert other.derived("thing", object) is first


def test_other_data_begin_with_nothing_derived():
    X = np.random.default_rng(0).normal(size=(20, 2))
    problem = Problem(X)
    assert problem.spread == pytest.approx(Problem(X).spread)
    scaled, weighted = replace(problem, X=10 * X), replace(problem, sample_weight=np.arange(20.0))
    assert scaled.spread == pytest.approx(10 * problem.spread)
    assert weighted.spread == pytest.approx(Problem(X, sample_weight=np.arange(20.0)).spread)
    assert weighted.weights[3] == 3


@pytest.mark.parametrize(
    ("seed", "message"), [("foo", "a whole number, got 'foo'"), (-1, "at least 0"), (1.5, "a whole number, got 1.5")]
)
def test_seeds_are_whole_numbers(seed, message):
    X = np.random.default_rng(0).normal(size=(20, 2))
    with pytest.raises(ValueError, match=message):
        FCM(2, random_state=seed).fit(X)
    with pytest.raises(ValueError, match=message):
        Problem(X, seed=seed)
    with pytest.raises(ValueError, match=message):
        Session(X, FCM(2, random_state=seed))
    with pytest.raises(ValueError, match=message):
        Session(X, "FCM", seed=seed)


def test_a_generator_is_a_source_of_randomness_too():
    X = np.random.default_rng(0).normal(size=(20, 2))
    for make in (np.random.default_rng, np.random.RandomState):
        first, second = (FCM(2, random_state=make(3)).fit(X) for _ in range(2))
        assert first.seed_ == second.seed_
    assert isinstance(Session(X, "FCM", seed=np.int64(3)).to_json()["commands"][0]["seed"], int)


def test_spread_is_the_same_dense_sparse_and_weighted():
    X = np.random.default_rng(0).normal(size=(30, 3))
    expected = np.sqrt(((X - X.mean(axis=0)) ** 2).sum(axis=1).mean())
    assert Problem(X).spread == pytest.approx(expected)
    assert Problem(sparse.csr_array(X)).spread == pytest.approx(expected)
    assert Problem(X, sample_weight=np.full(30, 3)).spread == pytest.approx(expected)
    assert Problem(np.full((5, 2), 1e6)).spread == 1
    assert Problem(np.full((5, 2), 0.1)).spread == 1
    assert Problem(X + 1e8).spread == pytest.approx(expected, rel=1e-6)
    assert Problem((X + 3000).astype(np.float32)).spread == pytest.approx(expected, rel=1e-4)


def test_iterate_says_why_it_stopped_and_reports_progress():
    problem, seen = Problem(np.random.default_rng(0).normal(size=(50, 2))), []
    run = iterate(FCM(3, tol=0), problem, max_iter=4, progress=lambda done, all_: seen.append((done, all_)))
    assert run.reason == "running"
    assert len(list(run)) == 5
    assert run.reason == "max_iter"
    assert seen == [(i, 4) for i in range(1, 5)]
    run = iterate(FCM(3, tol=0.5), problem)
    assert list(run)[-1] is run.state
    assert run.reason == "converged"


def test_no_steps_leave_a_solver_where_it_starts():
    X = np.random.default_rng(0).normal(size=(30, 2))
    model = FCM(3, init=X[:3], max_iter=0).fit(X)
    assert model.n_iter_ == 0
    np.testing.assert_array_equal(model.centers_, X[:3])


def test_given_centres_start_there_and_count_as_one_start():
    X = np.random.default_rng(0).normal(size=(50, 2))
    init = X[:3]
    state = FCM(3, init=init).start(Problem(X))
    np.testing.assert_array_equal(state.centers, init)
    with pytest.raises(ValueError, match=r"centres of shape \(3, 2\), got \(2, 2\)"):
        FCM(3, init=X[:2]).fit(X)


def test_more_starts_never_give_a_worse_objective():
    X = np.random.default_rng(1).normal(size=(60, 2))
    objectives = [FCM(6, n_init=k, random_state=0).fit(X).objective_ for k in (1, 3, 6)]
    assert objectives == sorted(objectives, reverse=True)


def test_constraints_exclude_the_short_forms():
    with pytest.raises(ValueError, match="not both"):
        FCM(2).fit(np.ones((4, 1)), must_link=[[0, 1]], constraints=ConstraintSet(4))


def test_fit_warns_of_statements_that_fight():
    from cclab import ConstrainedKMeans

    X = np.random.default_rng(0).normal(size=(10, 2))
    known = ConstraintSet(10).with_labels({0: 0, 1: 1}).with_must_link([[0, 1]])
    with pytest.warns(ImpossibleKnowledge, match="0 is labelled 0 and 1 is labelled 1"):
        ConstrainedKMeans(2).fit(X, constraints=known)


@pytest.mark.parametrize(
    ("parameter", "good", "bad", "message"),
    [
        (whole(1), [1, np.int64(4)], [0, 1.5, "a", True], "at least 1|whole number"),
        (real(0, 1, open_low=True), [1, 0.5], [0, 1.1, None, float("nan")], "above 0|at most 1|be a number"),
        (real(0, or_none=True), [None, 0], [-1, float("inf")], "at least 0|be finite"),
        (real(0, infinite=True), [0, float("inf")], [-1, float("nan")], "at least 0|be a number"),
        (choice("a", "b"), ["a"], ["c", 1], "one of 'a', 'b'"),
        (flag(), [True], [1], "True or False"),
    ],
)
def test_parameters_say_what_is_wrong(parameter, good, bad, message):
    import re

    assert all(parameter.problem_with(value) is None for value in good)
    assert all(re.search(message, parameter.problem_with(value)) for value in bad)


def test_help_texts_come_from_the_class_and_its_bases():
    docs = parameter_docs(FCM)
    assert docs["n_clusters"] == "How many clusters to look for."
    assert "memberships" in docs["fuzzifier"]


def test_registry_lists_close_names():
    registry = Registry("solver")
    registry.add(FCM)
    with pytest.raises(ValueError, match="no solver called 'FCN'; did you mean FCM"):
        registry.get("FCN")


def test_a_name_of_ours_is_not_taken_over():
    names = solvers.names()
    with pytest.raises(TypeError, match=r"a solver FCM in cclab\.algorithms\.fuzzy\.fcm already.*call the class"):
        type("FCM", (Solver,), {"step": FCM.step, "start": FCM.start, "__module__": "test_elsewhere"})
    assert solvers.get("FCM") is FCM
    with pytest.raises(TypeError, match="a query strategy Random in"):
        type("Random", (Strategy,), {"__module__": "test_elsewhere"})
    assert solvers.names() == names


def test_a_cell_that_defines_a_solver_may_be_run_again():
    first, second = (type("MineAgain", (FCM,), {"__module__": "__main__"}) for _ in range(2))
    assert first is not second
    assert solvers.get("MineAgain") is second
    solvers.remove("MineAgain")
    assert "MineAgain" not in solvers.names()


def test_the_packages_own_are_not_removed():
    with pytest.raises(ValueError, match="FCM is a solver of cclab's own"):
        solvers.remove("FCM")
    with pytest.raises(ValueError, match="there is no solver called 'Mine'"):
        solvers.remove("Mine")
    assert solvers.get("FCM") is FCM


def test_warnings_name_the_line_that_called():
    X = np.random.default_rng(0).normal(size=(20, 2))
    known = ConstraintSet(20).with_must_link([[0, 1], [2, 3]], weight=0.5)
    with pytest.warns(IgnoredKnowledge, match="2 must-link statements") as caught:
        FCM(2).fit(X, constraints=known)
    with pytest.warns(IgnoredKnowledge, match="no use for 2 weights below 1") as more:
        COPKMeans(2).fit(X, constraints=known)
    session = Session(X, "FCM")
    with pytest.warns(IgnoredKnowledge) as last:
        session.constrain(must_link=[[0, 1]])
    assert {w.filename for w in [*caught, *more, *last]} == {__file__}


def test_too_few_steps_are_warned_of():
    X = np.random.default_rng(0).normal(size=(100, 2))
    with pytest.warns(ConvergenceWarning, match="FCM stopped after max_iter=2 steps") as caught:
        FCM(3, max_iter=2, random_state=0).fit(X)
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        FCM(3, random_state=0).fit(X)
        FCM(3, max_iter=0, random_state=0).fit(X)  # to stay where it starts
        BCKM(3, n_rounds=2, random_state=0).fit(X)  # rounds are no limit to it
        FCM(3, max_iter=2).solve(Problem(X))


@pytest.mark.parametrize("n_links", [60, 7])
def test_a_search_gives_each_fold_what_is_known_of_its_samples(n_links):
    rng = np.random.default_rng(0)
    target = np.arange(60) % 3
    X = np.array([[0, 0], [9, 0], [0, 9]])[target] + rng.normal(size=(60, 2))
    pairs = np.array(list(combinations(range(60), 2)))[rng.permutation(1770)[:n_links]]
    same = target[pairs[:, 0]] == target[pairs[:, 1]]
    known = ConstraintSet(60).with_must_link(pairs[same]).with_cannot_link(pairs[~same])
    assert len(known) == n_links
    search = GridSearchCV(COPKMeans(random_state=0), {"n_clusters": [3, 5]}, scoring="adjusted_rand_score", cv=3)
    search.fit(X, target, constraints=known)
    assert search.best_params_ == {"n_clusters": 3}
    assert search.best_score_ == 1


def test_what_is_known_is_indexed_by_samples():
    known = ConstraintSet(5).with_must_link([[0, 1], [3, 4]])
    assert known[[3, 4]] == known[3:] == known[np.arange(5) > 2] == known.restrict([3, 4])
    with pytest.raises(TypeError, match="index what is known by samples"):
        known[0]


def test_predict_numbers_clusters_as_labels_do_where_some_are_empty():
    X = np.array([[0.0], [0.1], [5.0], [5.1]])
    model = SeededKMeans(3, init=[[-90.0], [0.0], [5.0]]).fit(X)
    assert model.labels_.tolist() == [0, 0, 1, 1]
    assert model.predict(X).tolist() == model.labels_.tolist()
    assert model.predict([[-80.0]]).tolist() == [2]


def test_new_knowledge_does_not_look_at_the_samples_again(monkeypatch):
    problem = Problem(np.eye(4))
    monkeypatch.setattr("cclab.core.problem._checked_samples", None)
    other = problem.with_constraints(ConstraintSet(4).with_must_link([[0, 1]]))
    assert other.X is problem.X
    assert len(other.constraints.must) == 1
    with pytest.raises(ValueError, match="about 5 samples, but X has 4"):
        problem.with_constraints(ConstraintSet(5))
