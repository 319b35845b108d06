import pickle
from itertools import pairwise

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import adjusted_rand_score

from cclab import BCKM, CKM, RCKM, ConstraintSet, Problem, iterate
from cclab.algorithms.kmeans.bckm import BoostingNotStarted
from cclab.core import ImpossibleKnowledge
from cclab.core.scores import geometric_nmi
from cclab.datasets import load_dataset
from cclab.maths.ensemble import renamed
from cclab.studies import RandomPairs
from tests.algorithms.kmeans.test_ckm import literal_run, random_problem


def rounds(problem, n, **params):
    return list(iterate(BCKM(3, **params), problem, max_iter=n))


@pytest.mark.parametrize("case", range(10))
def test_a_round_is_a_literal_run_in_the_order_of_the_priorities(case):
    problem, solver = random_problem(case, s=150), BCKM(3)
    before, after = rounds(problem, 4)[-2:]
    rng = problem.rng(0, after.iteration)
    links = solver._links(problem)
    shuffled = rng.permutation(len(links))
    order = np.array(sorted(shuffled, key=lambda s: -before.log_priorities[s]))
    labels, _ = literal_run(problem, links, order, solver._first_centers(problem, rng))
    assert adjusted_rand_score(labels, after.hypothesis) == 1


def test_error_importance_and_priorities_follow_the_paper():
    problem = random_problem(0, s=200)
    links = BCKM(3)._links(problem)
    priority = np.full(len(links), 1 / len(links))
    for state in rounds(problem, 6)[1:]:
        K = state.hypothesis[links.i] == state.hypothesis[links.j]
        y_h = np.where(links.must, 1, -1) * (2 * K - 1)
        error = 0.5 * (priority * (1 - y_h)).sum() / priority.sum()
        importance = 0.5 * np.log((1 - error) / error)
        priority = priority * np.exp(-importance * y_h)
        assert state.error == pytest.approx(error)
        assert state.importance[-1] == pytest.approx(importance)
        assert state.objective == pytest.approx(priority.sum())
        shares = BCKM(3).priorities(problem, state)
        np.testing.assert_allclose(shares["priority"], priority / priority.sum())


def test_after_a_round_its_broken_links_have_half_of_the_priority():
    problem = random_problem(2, s=200)
    state = rounds(problem, 1)[-1]
    shares = BCKM(3).priorities(problem, state)
    same = state.hypothesis[shares["i"]] == state.hypothesis[shares["j"]]
    assert shares["priority"][same != shares["must"]].sum() == pytest.approx(0.5)


def test_links_that_stay_keep_their_priorities():
    problem, solver = random_problem(1, s=150), BCKM(3)
    state = rounds(problem, 5)[-1]
    gone = problem.constraints.pairs.id[::3]
    known = problem.constraints.without(gone).with_cannot_link([[0, 1], [2, 3]])
    changed = problem.with_constraints(known)
    rebased = solver.rebase(problem, changed, state)
    before = dict(zip(problem.constraints.pairs.id.tolist(), state.log_priorities))
    after = dict(zip(known.pairs.id.tolist(), rebased.log_priorities))
    stayed = before.keys() & after.keys()
    assert len(stayed) > 80
    assert [after[id_] for id_ in stayed] == pytest.approx([before[id_] for id_ in stayed])
    assert rebased.hypotheses is state.hypotheses
    assert solver.step(changed, rebased).iteration == 6


@pytest.mark.parametrize("cls", [BCKM, RCKM])
def test_a_round_that_broke_nothing_counts_anew_when_links_come(cls):
    X = np.random.default_rng(0).normal(size=(40, 2))
    solver, nothing = cls(2), Problem(X, seed=0)
    state = iterate(solver, nothing).last()
    assert state.importance.tolist() == [solver.perfect]
    a, b = (np.flatnonzero(state.hypothesis == k)[:5] for k in (0, 1))
    kept = np.stack([a, b], axis=1)
    one_broken = nothing.with_constraints(ConstraintSet(40).with_cannot_link(kept[1:]).with_must_link(kept[:1]))
    (importance,) = solver.rebase(nothing, one_broken, state).importance
    assert importance == pytest.approx(0.5 * np.log(4))  # a fifth of the priority is broken
    all_broken = nothing.with_constraints(ConstraintSet(40).with_must_link(kept))
    rebased = solver.rebase(nothing, all_broken, state)
    assert not rebased.hypotheses
    assert not len(rebased.importance)
    held = nothing.with_constraints(ConstraintSet(40).with_cannot_link(kept))
    assert solver.rebase(nothing, held, state).importance.tolist() == [solver.perfect]


def test_weights_are_the_first_priorities():
    known = ConstraintSet(8).with_cannot_link([[0, 1], [2, 3]], weight=[1.0, 0.25])
    problem = Problem(np.random.default_rng(0).normal(size=(8, 2)), known)
    assert BCKM(2).priorities(problem, BCKM(2).start(problem))["priority"].tolist() == pytest.approx([0.8, 0.2])


def test_boosting_learns_what_a_single_run_does_not():
    rng = np.random.default_rng(0)
    truth = np.arange(150) % 3
    X = rng.normal(size=(150, 4)) + truth[:, None]
    data = type("Data", (), {"X": X, "target": truth})
    problem = Problem(X, RandomPairs(share=0.1).draw(data, rng), seed=0)
    boosted = geometric_nmi(truth, BCKM(3).solve(problem).partition.labels())
    single = geometric_nmi(truth, CKM(3).solve(problem).partition.labels())
    assert boosted > 0.9 > 0.7 > single


def test_a_round_that_breaks_nothing_ends_it():
    X = np.repeat([[0.0], [9.0]], 10, axis=0) + np.random.default_rng(0).normal(size=(20, 1))
    state = BCKM(2).solve(Problem(X, ConstraintSet(20).with_must_link([[0, 1]]).with_cannot_link([[0, 19]])))
    assert state.iteration == 1
    assert state.importance.tolist() == [100.0]
    assert "every link holds" in state.notes[0]
    np.testing.assert_array_equal(state.partition.labels(), state.hypothesis)


def test_when_boosting_cannot_start_there_is_an_answer_and_a_warning():
    pairs = [[i, j] for i in range(12) for j in range(i)]
    X = np.random.default_rng(0).normal(size=(12, 2))
    with pytest.warns(BoostingNotStarted, match="could not start"), pytest.warns(ImpossibleKnowledge):
        fitted = BCKM(1, random_state=0).fit(X, cannot_link=pairs)
    assert fitted.labels_.tolist() == [0] * 12
    assert not fitted.state_.hypotheses


def test_nothing_known_is_one_run_of_k_means():
    problem = Problem(random_problem(0).X)
    state = BCKM(3).solve(problem)
    assert state.iteration == 1
    assert state.objective == 1
    np.testing.assert_array_equal(state.partition.labels(), state.hypothesis)


def test_states_share_the_hypotheses_of_earlier_ones():
    run = rounds(random_problem(0, s=200), 6)
    for earlier, later in pairwise(run[1:]):
        assert all(a is b for a, b in zip(earlier.hypotheses, later.hypotheses))
    assert run[-1].hypotheses[0].dtype == np.uint8
    assert not run[-1].hypotheses[0].flags.writeable
    again = pickle.loads(pickle.dumps(run[-1]))
    np.testing.assert_array_equal(again.partition.labels(), run[-1].partition.labels())


def test_cluster_names_stay_from_round_to_round():
    run = rounds(random_problem(1, n=90, s=400), 12)
    for one, other in pairwise(state.partition.labels() for state in run[1:]):
        np.testing.assert_array_equal(renamed(other, one, 3), other)


def test_sparse_samples_stay_sparse_and_give_the_same_answer(monkeypatch):
    problem = random_problem(0)
    monkeypatch.setattr(sparse.csr_array, "todense", None)
    wide = np.hstack([problem.X, np.zeros((60, 2000))])
    dense = BCKM(3, n_rounds=5, random_state=1).fit(wide, constraints=problem.constraints)
    thin = BCKM(3, n_rounds=5, random_state=1).fit(sparse.csr_array(wide), constraints=problem.constraints)
    np.testing.assert_array_equal(dense.labels_, thin.labels_)


def test_gauges_show_the_boosting():
    state = rounds(random_problem(0, s=200), 3)[-1]
    satisfied, error, importance = state.gauges()
    assert len(satisfied.values) == 10
    assert error.values == (state.error,)
    assert len(importance.values) == 3
    assert rounds(random_problem(0), 0)[0].gauges() == ()


def test_a_large_group_is_boosted_without_its_pairs():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5000, 2))
    known = ConstraintSet(5000).with_group(range(2000)).with_separation(range(2000), range(2000, 4000))
    state = BCKM(3, n_rounds=20).solve(Problem(X, known))
    assert len(state.log_priorities) == 2000 + 4000
    held = known.satisfaction(state.partition.labels())
    assert held.must_rate > 0.95
    assert held.cannot_rate > 0.9


@pytest.mark.data
@pytest.mark.parametrize(("name", "kernel", "wanted"), [("ecoli", "linear", 0.75), ("spiral", "local-scaling", 0.9)])
def test_figures_of_the_paper_come_within_reach(name, kernel, wanted):
    data = load_dataset(name)
    known = RandomPairs(share=0.05).draw(data, np.random.default_rng(0))
    solver = BCKM(data.n_classes, kernel=kernel, random_state=0).fit(data.X, constraints=known)
    assert geometric_nmi(data.target, solver.labels_) > wanted
