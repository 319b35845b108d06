import numpy as np
import pytest

from cclab import FCM, COPKMeans, Problem
from cclab.datasets import load_dataset
from cclab.oracles import Truth, ask, statements
from cclab.queries import Random, UncertaintyQueries
from cclab.queries.base import Query, Settled, Strategy

IRIS = load_dataset("iris")


def rounds_of(solver, strategy, budget, **how):
    truth = Truth(IRIS.target, how.pop("noise", 0.0), np.random.default_rng(0))
    return list(ask(solver, Problem(IRIS.X, seed=1), strategy, truth, budget, **how))


@pytest.mark.parametrize("strategy", [Random(), UncertaintyQueries()])
@pytest.mark.parametrize("per_round", [1, 7])
def test_settled_pairs_are_never_asked(strategy, per_round):
    rounds = rounds_of(FCM(), strategy, 60, per_round=per_round)
    known, asked = rounds[0].problem.constraints, set()
    truth = Truth(IRIS.target)
    for query in (query for r in rounds for query in r.queries):
        assert query.samples not in asked
        assert not Settled(known)(*query.samples)
        asked.add(query.samples)
        known = known.with_statements(statements(query, truth.answer(query)))
    assert len(asked) == 60
    assert known == rounds[-1].problem.constraints


def test_each_round_asks_as_many_as_it_may():
    rounds = rounds_of(FCM(), Random(), 20, per_round=6)
    assert [r.count for r in rounds] == [0, 6, 12, 18, 20]


def test_it_ends_when_there_is_nothing_left_to_ask():
    problem = Problem([[0.0], [0.1], [1.0], [1.1]])
    rounds = list(ask(FCM(2), problem, Random(), Truth(np.array([0, 0, 1, 1])), budget=100))
    known = rounds[-1].problem.constraints
    settled = Settled(known)
    assert rounds[-1].count < 6
    assert all(settled(i, j) for i in range(4) for j in range(i))


def test_answers_are_the_truth_unless_there_is_noise():
    known = rounds_of(FCM(), Random(), 60)[-1].problem.constraints
    assert known.satisfaction(IRIS.target).rate == 1
    noisy = rounds_of(FCM(), Random(), 60, noise=0.3)[-1].problem.constraints
    assert 0.5 < noisy.satisfaction(IRIS.target).rate < 0.9


def test_the_solver_goes_on_with_each_answer():
    rounds = rounds_of(FCM(tol=0, max_iter=50), Random(), 3, steps_per_round=2)
    iterations = [r.state.iteration for r in rounds]
    assert np.diff(iterations).tolist() == [2, 2, 50]  # after the last question, until it has converged


def test_starting_anew_equals_solving_the_last_problem():
    solver = COPKMeans(n_clusters=3)
    last = rounds_of(solver, Random(), 20, per_round=10, warm=False)[-1]
    assert (last.state.partition.labels() == solver.solve(last.problem).partition.labels()).all()
    assert last.problem.constraints.satisfaction(last.state.partition.labels()).rate == 1


def test_labels_may_be_asked_for_and_a_sample_without_class_gives_no_answer():
    class _InOrder(Strategy):
        kind, title = "label", "In order"

        def propose(self, problem, state, n=1, *, asked=frozenset()):
            open_ = [i for i in range(problem.n_samples) if (i,) not in asked]
            return tuple(Query.label(i, "Next.", 0.0) for i in open_[:n])

    truth = Truth(np.array([1, -1, 0, 1]))
    rounds = list(ask(FCM(2), Problem([[0.0], [0.1], [1.0], [1.1]]), _InOrder(), truth, 3))
    assert rounds[-1].count == 3
    samples, degrees, _ = rounds[-1].problem.constraints.label_degrees(2)
    assert samples.tolist() == [0, 2]
    seen = rounds[0].state.partition.labels()  # a class is called by the number of the cluster it lies in
    assert degrees.argmax(axis=1).tolist() == seen[[0, 2]].tolist()


def test_a_strategy_that_does_not_suit_says_so():
    class _Picky(Random):
        @classmethod
        def suits(cls, partition):
            return partition.kind == "credal"

    with pytest.raises(ValueError, match="Random has nothing to ask about a fuzzy belief"):
        rounds_of(FCM(), _Picky(), 1)


def test_labels_are_answered_in_the_clusters_that_are_seen():
    truth = Truth(np.array([0, 0, 1, 1, 2, -1])).numbered_as(np.array([2, 2, 0, 0, 1, 1]), 3)
    assert truth.target.tolist() == [2, 2, 0, 0, 1, -1]
