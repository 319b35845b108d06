"""Where results depend on an order, as the pages of these solvers say, and where they don't."""

from itertools import combinations

import numpy as np
import pytest

from cclab import BCKM, CECM, CKM, CMKIPCM, RCKM, ConstraintSet


def shuffled(solver, seed, n, n_links, share_must, coinciding=False):
    """Where runs on the same samples in two orders end, from the same centres."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, size=(n, 2)).astype(float) if coinciding else rng.normal(size=(n, 2))
    pairs = np.array([rng.choice(n, 2, replace=False) for _ in range(n_links)])
    first = int(share_must * n_links)
    known = ConstraintSet(n).with_must_link(pairs[:first]).with_cannot_link(pairs[first:])
    order = rng.permutation(n)
    init = rng.normal(size=(3, 2)) + 1 if coinciding else X[:3]
    one = solver(3, init=init).fit(X, constraints=known)
    other = solver(3, init=init).fit(X[order], constraints=known.restrict(order))
    again = solver(3, init=init).fit(X, constraints=known)
    np.testing.assert_array_equal(one.labels_, again.labels_)
    return one.objective_, other.objective_


@pytest.mark.parametrize(
    ("solver", "problem", "seeds"),
    [(CECM, (30, 20, 1 / 2), (2, 4)), (CMKIPCM, (24, 40, 1 / 3, True), (5, 6))],
    ids=["CECM", "CMKIPCM"],
)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_order_of_samples_may_decide_between_minima(solver, problem, seeds):
    ends = np.array([shuffled(solver, seed, *problem) for seed in seeds])
    assert not np.allclose(*ends.T, rtol=1e-6)


def stated_in_two_orders(solver, seed, weight_of):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 2))
    pairs = np.array(list(combinations(range(40), 2)))[rng.permutation(780)[:24]]
    must, weight = rng.random(24) < 0.5, weight_of(rng)
    few = {} if solver is CKM else {"n_rounds": 10}

    def fitted(order):
        known = ConstraintSet(40)
        for i in order:
            known = (known.with_must_link if must[i] else known.with_cannot_link)([pairs[i]], weight=weight[i])
        return solver(3, random_state=0, **few).fit(X, constraints=known).labels_

    return fitted(np.arange(24)), fitted(rng.permutation(24))


@pytest.mark.parametrize("solver", [CKM, BCKM, RCKM])
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_order_of_statements_decides_where_weights_tie_and_only_there(solver):
    tied = [stated_in_two_orders(solver, seed, lambda rng: np.ones(24)) for seed in range(2)]
    assert any((one != other).any() for one, other in tied)
    for seed in range(2):
        one, other = stated_in_two_orders(solver, seed, lambda rng: rng.permutation(np.linspace(0.2, 1, 24)))
        np.testing.assert_array_equal(one, other)
