import numpy as np
import pytest

from cclab import CFCM, ConstraintSet, Problem, iterate, load_dataset
from cclab.maths.quadratic_memberships import LinkCosts


@pytest.mark.parametrize("restart", range(3))
def test_linked_samples_come_to_rest_where_links_speak_against_the_data(restart):
    rng = np.random.default_rng(0)
    pairs = rng.permutation(2000)[:400].reshape(-1, 2)
    known = ConstraintSet(2000).with_must_link(pairs[:100]).with_cannot_link(pairs[100:])
    run = iterate(CFCM(3), Problem(rng.normal(size=(2000, 8)), known, seed=1), restart=restart)
    last = list(run)[-1]
    assert run.reason == "converged"
    assert last.iteration < 100
    assert known.satisfaction(last.partition.labels()).rate > 0.9


def test_centres_follow_new_links_in_the_same_run():
    data = load_dataset("iris")
    problem, solver = Problem(data.X, seed=0), CFCM(3)
    before = iterate(solver, problem).last()
    told = problem.with_constraints(ConstraintSet(150).with_group([50, 52, 70, 77, 83, 106]))
    after = iterate(solver, told, state=before).last()
    assert np.abs(after.centers - before.centers).max() > 0.05
    again = iterate(solver, told, state=after).last()
    np.testing.assert_allclose(again.centers, after.centers, atol=0.01)


def test_no_step_of_linked_samples_costs_more_than_it_gains():
    """From the same centres, and at the same price of a link, new memberships are never worse than the old ones."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    known = ConstraintSet(60).with_group(range(8)).with_separation(range(6, 12), range(20, 26))
    known = known.with_cannot_link(rng.permutation(60)[:40].reshape(-1, 2))
    problem = Problem(X, known, sample_weight=rng.integers(1, 4, size=60), seed=1)
    solver, links = CFCM(3, constraint_weight=5), LinkCosts.of(problem)

    def cost(state, U, alpha):
        D = state.distances(X[links.samples])
        return float((problem.weights[links.samples, None] * D * U**2).sum() + alpha * links.broken(U))

    for before in list(iterate(solver, problem, max_iter=15))[1:]:
        after = solver.step(problem, before)
        alpha = 5 * before.mean_cost * problem.weights.sum() / links.total
        assert cost(after, after.linked_memberships, alpha) <= cost(after, before.linked_memberships, alpha) + 1e-9
        np.testing.assert_allclose(after.linked_memberships.sum(axis=1), 1)
        assert after.linked_memberships.min() >= -1e-12


def test_pieces_of_the_graph_of_links():
    known = ConstraintSet(9).with_must_link([[0, 1]]).with_group([2, 3, 4]).with_separation([4], [5, 6])
    links = LinkCosts.stated(known.with_cannot_link([[7, 8]]))
    assert links.samples.tolist() == list(range(9))
    together = np.equal.outer(links.piece, links.piece)
    expected = np.zeros((9, 9), dtype=bool)
    for piece in ([0, 1], [2, 3, 4, 5, 6], [7, 8]):
        expected[np.ix_(piece, piece)] = True
    np.testing.assert_array_equal(together, expected)
