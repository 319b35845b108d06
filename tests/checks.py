"""What every solver must do, whatever its algorithm. Each check takes a solver class."""

from __future__ import annotations

import inspect
import pickle
import warnings
from dataclasses import fields

import numpy as np
import pytest

from cclab.core import (
    ConstraintSet,
    Credal,
    Fuzzy,
    FuzzyPossibilistic,
    Gauge,
    IgnoredKnowledge,
    Possibilistic,
    Problem,
    iterate,
)
from cclab.core.parameters import parameter_docs
from cclab.core.registry import solvers

STEPS = 5


def blobs(n=60, seed=0):
    """Three clouds in the plane, and the cloud of each sample."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % 3
    return np.array([[0.0, 0.0], [4.0, 0.5], [1.5, 4.0]])[truth] + rng.normal(scale=0.8, size=(n, 2)), truth


def knowledge(cls, n=60):
    """True statements of each kind that the solver takes."""
    _, truth = blobs(n)
    known = ConstraintSet(n)
    if "must" in cls.uses:
        known = known.with_must_link([[0, 3], [3, 9], [1, 7]]).with_group([2, 5, 8, 11])
    if "cannot" in cls.uses:
        known = known.with_cannot_link([[0, 1], [4, 5]]).with_separation([12, 15], [13, 16, 19])
    if "labels" in cls.uses:
        known = known.with_labels({i: int(truth[i]) for i in (20, 21, 22, 23)})
    return known


def make(cls, **params):
    """A solver of this class with few restarts, and given centres where it takes them."""
    names = inspect.signature(cls.__init__).parameters
    params = {"n_clusters": 3, "random_state": 0, **params}
    return cls(**{name: value for name, value in params.items() if name in names})


def takes_centers(cls):
    return "init" in inspect.signature(cls.__init__).parameters


def centers():
    return np.array([[0.5, 0.5], [3.5, 0.0], [1.0, 3.0]])


def problem_for(cls, **more):
    return Problem(blobs()[0], knowledge(cls), seed=1, **more)


def states(solver, problem, steps=STEPS):
    return list(iterate(solver, problem, max_iter=steps))


def picture(state):
    """Everything in a state, as bytes."""
    return pickle.dumps(state)


def arrays(state):
    """Copies of all arrays of a state by name."""
    values = {f.name: getattr(state, f.name) for f in fields(state)}
    return {name: value.copy() for name, value in values.items() if isinstance(value, np.ndarray)}


def check_pure(cls):
    solver, problem = make(cls), problem_for(cls)
    problem = solver.adapt(problem)
    before = (pickle.dumps(solver.__dict__), problem.X.tobytes(), problem.constraints.to_json())
    state = solver.start(problem)
    seen = picture(state)
    solver.step(problem, state)
    assert picture(state) == seen, "step wrote to the state"
    assert pickle.dumps(solver.__dict__) == before[0], "start or step wrote to the solver"
    assert problem.X.tobytes() == before[1]
    assert problem.constraints.to_json() == before[2], "start or step wrote to the problem"


def check_states_are_read_only_and_pickle(cls):
    for state in states(make(cls), problem_for(cls), 2):
        for f in fields(state):
            value = getattr(state, f.name)
            if isinstance(value, np.ndarray):
                assert not value.flags.writeable, f"{f.name} can be written to"
        again = pickle.loads(pickle.dumps(state))
        assert again.objective == state.objective
        np.testing.assert_array_equal(again.partition.labels(), state.partition.labels())


def check_counts_iterations(cls):
    run = states(make(cls), problem_for(cls), 3)
    assert [state.iteration for state in run] == list(range(len(run)))
    assert all(np.isfinite(state.objective) for state in run)


def check_replays_exactly(cls):
    solver, problem = make(cls), problem_for(cls)
    first, second = states(solver, problem), states(make(cls), problem_for(cls))
    assert [s.objective for s in first] == [s.objective for s in second]
    middle = first[len(first) // 2]
    onward = list(iterate(solver, problem, state=middle, max_iter=len(first) - 1 - middle.iteration))
    assert onward[-1].objective == first[-1].objective


def check_restarts_differ_only_by_number(cls):
    solver, problem = make(cls), problem_for(cls)
    problem = solver.adapt(problem)
    assert solver.start(problem, 2).restart == 2
    assert solver.step(problem, solver.start(problem, 2)).restart == 2


def check_partition_is_a_belief(cls):
    solver, problem = make(cls), problem_for(cls)
    for state in states(solver, problem):
        partition = state.partition
        labels = partition.labels()
        assert labels.shape == (problem.n_samples,)
        assert labels.min() >= 0
        assert labels.max() < partition.n_clusters
        assert partition.ambiguity().shape == partition.outliers().shape == labels.shape
        assert len(state.cluster_ids) == partition.n_clusters
        if isinstance(partition, Fuzzy | FuzzyPossibilistic):
            np.testing.assert_allclose(partition.memberships.sum(axis=1), 1)
        if isinstance(partition, Possibilistic):
            assert partition.typicalities.min() >= 0
            assert partition.typicalities.max() <= 1 + 1e-12
        if isinstance(partition, Credal):
            np.testing.assert_allclose(partition.masses.sum(axis=1), 1)
            assert partition.masses.min() >= -1e-12
        assert len(partition.to_frame()) == problem.n_samples
        assert all(isinstance(g, Gauge) and len(g.labels) == len(g.values) for g in state.gauges())


def check_fit_is_the_loop(cls):
    problem = problem_for(cls)
    solver = make(cls, n_init=1).fit(problem.X, constraints=problem.constraints)
    run = iterate(solver, Problem(problem.X, problem.constraints, seed=solver.seed_))
    for _ in run:
        pass
    assert run.state.objective == solver.objective_
    assert solver.n_iter_ == run.state.iteration
    assert set(solver.labels_) == set(range(solver.labels_.max() + 1))


def check_objective_never_rises(cls):
    if not cls.descends:
        pytest.skip("not proved for this algorithm")
    for seed in range(5):
        rng = np.random.default_rng(seed)
        problem = Problem(rng.normal(size=(40, 3)), knowledge(cls, 40), seed=seed)
        objectives = np.array([s.objective for s in states(make(cls), problem, 30)])
        rises = np.diff(objectives) > 1e-9 * np.abs(objectives[:-1])
        assert not rises.any(), f"rose at iteration {int(np.argmax(rises)) + 1} (seed {seed})"


def check_order_of_samples_is_irrelevant(cls):
    if not takes_centers(cls):
        pytest.skip("starts at random")
    solver, problem = make(cls, init=centers()), problem_for(cls)
    order = np.random.default_rng(0).permutation(problem.n_samples)
    shuffled = Problem(problem.X[order], problem.constraints.restrict(order), seed=problem.seed)
    one, other = states(solver, problem)[-1], states(solver, shuffled)[-1]
    np.testing.assert_allclose(one.objective, other.objective, rtol=1e-6)
    agree = (one.partition.labels()[order] == other.partition.labels()).mean()
    assert agree == 1


def check_groups_equal_their_pairs(cls):
    if not {"must", "cannot"} <= cls.uses:
        pytest.skip("takes no links")
    X, _ = blobs()
    group, a, b = [0, 3, 6, 9], [12, 15], [13, 16]
    compact = ConstraintSet(60).with_group(group).with_separation(a, b)
    pairs = ConstraintSet(60).with_must_link([(i, j) for i in group for j in group if i < j])
    pairs = pairs.with_cannot_link([(i, j) for i in a for j in b])
    one, other = (states(make(cls), Problem(X, known, seed=1))[-1] for known in (compact, pairs))
    np.testing.assert_allclose(one.objective, other.objective, rtol=1e-6)
    np.testing.assert_array_equal(one.partition.labels(), other.partition.labels())


def check_weighting_equals_repeating(cls):
    if "sample_weight" not in cls.uses or not takes_centers(cls):
        pytest.skip("takes no sample weights, or starts at random")
    X, _ = blobs()
    weight = np.random.default_rng(0).integers(1, 4, size=len(X))
    one = states(make(cls, init=centers()), Problem(X, sample_weight=weight))[-1]
    other = states(make(cls, init=centers()), Problem(np.repeat(X, weight, axis=0)))[-1]
    np.testing.assert_allclose(one.centers, other.centers, atol=1e-8)
    np.testing.assert_array_equal(np.repeat(one.partition.labels(), weight), other.partition.labels())


def check_weight_one_is_no_weight(cls):
    if "sample_weight" not in cls.uses:
        pytest.skip("takes no sample weights")
    one, other = (states(make(cls), problem_for(cls, sample_weight=w))[-1] for w in (None, np.ones(60)))
    np.testing.assert_allclose(one.objective, other.objective, rtol=1e-9)
    np.testing.assert_array_equal(one.partition.labels(), other.partition.labels())


def check_single_precision_is_enough(cls):
    X = blobs()[0].astype(np.float32)
    one, other = (make(cls).fit(samples, constraints=knowledge(cls)) for samples in (X, X.astype(float)))
    np.testing.assert_array_equal(one.labels_, other.labels_)


def check_new_knowledge_mid_run(cls):
    solver, old = make(cls), Problem(blobs()[0], seed=1)
    new = old.with_constraints(knowledge(cls))
    old, new = solver.adapt(old), solver.adapt(new)
    state = states(solver, old, 3)[-1]
    seen = arrays(state)
    told, again = (solver.rebase(old, new, state) for _ in range(2))
    for name, values in seen.items():
        np.testing.assert_array_equal(getattr(state, name), values, f"rebase wrote to {name}")
    assert told.objective == again.objective, "rebase does not replay exactly"
    np.testing.assert_array_equal(told.partition.labels(), again.partition.labels())
    assert told.restart == state.restart
    onward = solver.step(new, told)
    assert np.isfinite(onward.objective)
    assert onward.iteration == told.iteration + 1
    back = solver.step(old, solver.rebase(new, old, onward))  # what was stated may be forgotten again
    assert np.isfinite(back.objective)


def check_knowing_nothing_gives_the_ancestor(cls):
    if cls.ancestor is None:
        pytest.skip("names no ancestor")
    ancestor = solvers.get(cls.ancestor)
    shared = set(inspect.signature(ancestor.__init__).parameters) & set(inspect.signature(cls.__init__).parameters)
    params = {name: value for name, value in make(cls).get_params().items() if name in shared}
    problem = Problem(blobs()[0], seed=1)
    one, other = states(make(cls), problem)[-1], states(ancestor(**params), problem)[-1]
    np.testing.assert_array_equal(one.partition.labels(), other.partition.labels())
    np.testing.assert_allclose(one.partition.degrees, other.partition.degrees, atol=1e-8)


def check_says_what_it_ignores(cls):
    X, _ = blobs()
    known = ConstraintSet(60).with_must_link([[0, 3]]).with_cannot_link([[0, 1]]).with_labels({20: 2, 21: 0})
    solver = make(cls)
    ignored = solver.ignored(Problem(X, known))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        solver.fit(X, constraints=known)
    said = [str(w.message) for w in caught if issubclass(w.category, IgnoredKnowledge)]
    assert bool(said) == bool(ignored)
    if "must" in ignored:
        assert "1 must-link" in said[0]


def check_bad_input_is_named(cls):
    X, _ = blobs()
    if "n_clusters" in inspect.signature(cls.__init__).parameters:
        with pytest.raises(ValueError, match="n_clusters=61 but there are only 60 samples"):
            make(cls, n_clusters=61).fit(X)
        with pytest.raises(ValueError, match="n_clusters must be at least 1"):
            make(cls, n_clusters=0).fit(X)
    bad = X.copy()
    bad[7, 1] = np.nan
    with pytest.raises(ValueError, match="NaN in row 7, column 1"):
        make(cls).fit(bad)
    with pytest.raises(ValueError, match="about 59 samples, but X has 60"):
        make(cls).fit(X, constraints=ConstraintSet(59))


def check_poor_data_is_survived(cls):
    X, _ = blobs()
    constant = np.column_stack([X, np.full(60, 3.0)])
    assert len(make(cls).fit(constant).labels_) == 60
    same = np.ones((12, 2))
    assert len(make(cls).fit(same).labels_) == 12


def check_every_parameter_is_explained(cls):
    docs = parameter_docs(cls)
    missing = [name for name in cls.all_parameters() if not docs.get(name)]
    assert not missing, f"no help text for {missing}"
    solver = make(cls)
    solver.check(problem_for(cls))


CHECKS = [check for name, check in list(globals().items()) if name.startswith("check_")]
