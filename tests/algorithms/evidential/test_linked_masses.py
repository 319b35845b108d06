"""What links cost, and how masses settle: against sums over explicit pairs."""

import numpy as np
import pytest
from scipy import sparse

from cclab import ConstraintSet, Problem
from cclab.algorithms.evidential.linked_masses import LinkPenalty, settle
from cclab.algorithms.evidential.linked_samples import LinkedSamples
from cclab.maths.focal_sets import FocalSets

# Tables 1 and 2 of the paper: masses on {}, {1}, {2}, {1, 2} of four objects each.
TABLE_1 = np.array([[0, 1, 0, 0], [0, 0, 0, 1], [0, 0.3, 0.7, 0], [1, 0, 0, 0]])
TABLE_2 = np.array([[0, 1, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1.0]])


def penalty_of(known, *, c=2, relieved=False, xi=1.0, unit=1.0, affinity=None):
    problem = Problem(np.zeros((known.n_samples, 1)), known, affinity=affinity)
    linked = LinkedSamples.of(problem)
    return LinkPenalty(problem, linked, FocalSets.of_kind("full", c), xi, unit, relieved), linked


def cost_of_pair(table, i, j, kind, relieved):
    known = ConstraintSet(4)
    known = known.with_must_link([[i, j]]) if kind == "must" else known.with_cannot_link([[i, j]])
    penalty, linked = penalty_of(known, relieved=relieved)
    return penalty.terms(table[linked.samples])[f"{kind}-links"]


@pytest.mark.parametrize(("j", "same", "different"), [(1, 1, 0), (2, 0, 1), (3, 1, 1)])
def test_table_3(j, same, different):
    for relieved in (False, True):  # no mass is on the empty set
        assert cost_of_pair(TABLE_2, 0, j, "cannot", relieved) == same
        assert cost_of_pair(TABLE_2, 0, j, "must", relieved) == different


def test_fuzzy_masses_by_hand():
    assert cost_of_pair(TABLE_1, 0, 2, "must", True) == pytest.approx(0.7)
    assert cost_of_pair(TABLE_1, 0, 2, "cannot", True) == pytest.approx(0.3)
    assert cost_of_pair(TABLE_1, 1, 2, "must", True) == 1
    assert cost_of_pair(TABLE_1, 1, 2, "cannot", True) == 1


@pytest.mark.parametrize("kind", ["must", "cannot"])
def test_an_outlier_escapes_all_links_in_print_and_violates_them_here(kind):
    assert cost_of_pair(TABLE_1, 0, 3, kind, relieved=True) == 0
    assert cost_of_pair(TABLE_1, 0, 3, kind, relieved=False) == 1


def random_problem(seed, *, n=14, c=3):
    """Knowledge of every kind, soft and hard, with overlapping groups and shares; costs; masses."""
    rng = np.random.default_rng(seed)
    pairs = rng.permutation([(i, j) for i in range(n) for j in range(i)])
    sizes = rng.integers(1, 8, size=2)
    known = ConstraintSet(n).with_must_link(pairs[: sizes[0]], weight=rng.uniform(0.1, 1, sizes[0]))
    known = known.with_cannot_link(pairs[-sizes[1] :], weight=rng.uniform(0.1, 1, sizes[1]))
    order = rng.permutation(n)
    if rng.random() < 0.8:
        known = known.with_group(order[:4], shares=rng.uniform(0.5, 3, 4), weight=rng.uniform(0.1, 1))
        known = known.with_group(order[3:6])
    if rng.random() < 0.8:
        known = known.with_separation(order[:3], order[5:9], shares=(rng.uniform(0.5, 3, 3), None))
        known = known.with_separation(order[8:10], order[2:5])
    if rng.random() < 0.5:
        known = known.with_labels({int(order[0]): 1, int(order[1]): {0, 2}, int(order[2]): {0: 0.4}})
        known = known.with_labels({int(order[3]): 0}, weight=0.5)
    affinity = None
    if rng.random() < 0.3:
        chain = rng.uniform(0.5, 1, n - 1)
        affinity = sparse.diags_array([chain, chain], offsets=[-1, 1])
    penalty, linked = penalty_of(
        known,
        c=c,
        relieved=bool(rng.random() < 0.5),
        unit=0.01 * rng.random(),
        affinity=affinity,
    )
    t, f = len(linked.samples), 2**c
    w = 10 ** rng.uniform(-3, 1) * rng.uniform(0.01, 1, size=(t, f))
    masses = np.where(penalty.forbidden, 0, rng.dirichlet(np.ones(f), size=t))
    return known, penalty, linked, w, masses / masses.sum(axis=1, keepdims=True)


def total_cost(penalty, w, masses):
    return np.sum(w * masses**2) + sum(penalty.terms(masses).values())


@pytest.mark.parametrize("seed", range(200))
def test_no_class_update_raises_the_cost(seed):
    _, penalty, linked, w, masses = random_problem(seed)
    open_w = np.where(penalty.forbidden, np.inf, w)
    classes = linked.classes
    before = total_cost(penalty, w, masses)
    for _ in range(2):
        for one in classes:
            object.__setattr__(linked, "classes", (one,))
            penalty.sweep(open_w, masses)
            after = total_cost(penalty, w, masses)
            assert after <= before + 1e-12 * abs(before)
            before = after
    np.testing.assert_allclose(masses.sum(axis=1), 1, rtol=1e-9)
    assert (masses[penalty.forbidden] == 0).all()


@pytest.mark.parametrize("seed", range(30))
def test_terms_are_sums_over_explicit_pairs(seed):
    known, penalty, linked, _, masses = random_problem(seed)
    everyone = np.zeros((known.n_samples, masses.shape[1]))
    everyone[linked.samples] = masses
    for name, operator, form in (("must", known.must, penalty.U), ("cannot", known.cannot, penalty.T)):
        pairs = sparse.coo_array(operator.expanded())
        expected = sum(a * everyone[i] @ form @ everyone[j] for i, j, a in zip(pairs.row, pairs.col, pairs.data)) / 2
        assert penalty.terms(masses)[f"{name}-links"] == pytest.approx(penalty.kappa * expected)


def test_settled_masses_are_no_worse_than_before_and_stay():
    moved_on = 0
    for seed in range(20):
        _, penalty, _, w, before = random_problem(seed)
        masses = settle(penalty, w, before)
        settled = total_cost(penalty, w, masses)
        assert settled <= total_cost(penalty, w, before) * (1 + 1e-12)
        for _ in range(50):
            penalty.sweep(np.where(penalty.forbidden, np.inf, w), masses)
        moved_on += total_cost(penalty, w, masses) < settled * (1 - 1e-4)
    assert moved_on <= 1  # a saddle may hold the sweeps for longer than they wait


def test_groups_settle_where_their_pairs_do():
    rng = np.random.default_rng(0)
    group, a, b = [0, 1, 2, 3], [4, 5], [6, 7, 8]
    compact = ConstraintSet(9).with_group(group).with_separation(a, b)
    pairs = ConstraintSet(9).with_must_link([(i, j) for i in group for j in group if i < j])
    pairs = pairs.with_cannot_link([(i, j) for i in a for j in b])
    w = rng.uniform(0.05, 1, size=(9, 8))
    for relieved in (False, True):
        one, other = (settle(penalty_of(k, c=3, relieved=relieved)[0], w, None) for k in (compact, pairs))
        np.testing.assert_allclose(one, other, atol=1e-3)


def test_classes_keep_linked_samples_apart():
    for seed in range(40):
        known, _, linked, _, _ = random_problem(seed)
        assert sorted(np.concatenate([m for m, _ in linked.classes])) == list(range(len(linked.samples)))
        groups = known.must.expanded() - ConstraintSet(14, pairs=known.pairs).must.expanded()
        tied = (abs(known.must.expanded() - groups) + known.cannot.expanded()).toarray() > 1e-12
        for members, _ in linked.classes:
            inside = linked.samples[members]
            assert not tied[np.ix_(inside, inside)].any()


def test_labels_allow_the_sets_inside():
    known = ConstraintSet(5).with_labels({0: 1, 1: {0, 2}, 2: {0: 0.0}, 3: {0: 0.0, 1: 0.0, 2: 0.0}})
    penalty, _ = penalty_of(known.with_labels({4: 2}, weight=0.25), c=3)
    sets = FocalSets.of_kind("full", 3).sets
    allowed = [{s for s, no in zip(sets, row) if not no} for row in penalty.forbidden]
    assert allowed[0] == {(1,)}
    assert allowed[1] == {(0,), (2,), (0, 2)}
    assert allowed[2] == {(1,), (2,), (1, 2)}
    assert allowed[3] == {()}
    assert len(allowed[4]) == 8
    np.testing.assert_allclose(penalty.label_cost[4], [0.0 if s == (2,) else 1.0 for s in sets])


def test_a_label_that_leaves_no_set_is_named():
    problem = Problem(np.zeros((3, 1)), ConstraintSet(3).with_labels({2: 1}))
    focal = FocalSets.of_list([[], [0], [0, 1]], 2)
    with pytest.raises(ValueError, match="label of sample 2 leaves it no focal set"):
        LinkPenalty(problem, LinkedSamples.of(problem), focal, 0.5, 1.0, relieved=False)
