"""What every solver must do, whatever its algorithm. Each check takes a solver class."""

from __future__ import annotations

import inspect
import pickle
import tracemalloc
import warnings
from dataclasses import fields, replace
from itertools import permutations

import numpy as np
import pytest
from sklearn.base import clone

from cclab.core import (
    ConstraintSet,
    Credal,
    Fuzzy,
    FuzzyPossibilistic,
    Gauge,
    IgnoredKnowledge,
    Possibilistic,
    Problem,
    Solver,
    WeightedSolver,
    iterate,
)
from cclab.core.parameters import parameter_docs
from cclab.core.registry import solvers
from cclab.session import Session

STEPS = 5
# Why centres tell nothing about new samples.
CENTRES_FOR_SHOWING = {
    "BCKM": "the belief is a vote about the samples that were there",
    "RCKM": "the belief is a vote about the samples that were there",
    "CMKIPCM": "clusters live in the space of kernels, some of which have no value for new samples",
}
# Bytes that a step may take while it hears of a group of 5,000 samples.
LARGEST_PEAK = 100e6


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
    params = {"n_clusters": 3, "random_state": 0, "n_init": 2, **params}
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


def check_all_that_leaves_shares_one_order(cls):
    X, _ = blobs()
    # Before the first step no sample is near the second centre; where all are the same, all but one cluster are empty.
    far = {"init": np.array([[0.0, 0.0], [1e3, 1e3], [4.0, 0.5]]), "max_iter": 0} if takes_centers(cls) else {}
    for samples, params in ((X, far), (X, {"n_clusters": 5}), (np.ones((12, 2)), {})):
        solver = make(cls, **params, n_init=1).fit(samples)
        assert set(solver.labels_) == set(range(solver.labels_.max() + 1))
        expect_one_order(solver, samples)


def check_empty_clusters_come_last(cls):
    class _Hollow(cls):
        """Has a cluster without samples between the others."""

        def _best_run(self, problem):
            run = super()._best_run(problem)
            belief = run.state.partition.reordered([0, -1, *range(1, run.state.partition.n_clusters)])
            if run.state.centers is not None:
                run.state = replace(run.state, centers=np.insert(run.state.centers, 1, 77.0, axis=0))
            run.state.__dict__["partition"] = belief
            return run

    X, _ = blobs()
    full, hollow = make(cls).fit(X), make(_Hollow).fit(X)
    np.testing.assert_array_equal(hollow.labels_, full.labels_)
    np.testing.assert_array_equal(hollow.partition_.labels(), full.labels_)
    np.testing.assert_array_equal(hollow.partition_.degrees[:, :-1], full.partition_.degrees)
    assert not hollow.partition_.degrees[:, -1].any()
    if full.state_.centers is not None:
        np.testing.assert_array_equal(hollow.centers_[:-1], full.centers_)
        assert (hollow.centers_[-1] == 77).all()


def check_held_labels_keep_their_numbers(cls):
    if not cls.uses & {"must", "cannot", "labels"}:
        pytest.skip("has no use for labels")
    X, truth = blobs()
    centres = {"init": centers()[::-1]} if takes_centers(cls) and "labels" not in cls.uses else {}
    # Of the clouds 0, 1, 2 the last two are known, by numbers that no solver would give them of itself.
    for number in ({1: 2, 2: 0}, {1: 0, 2: 1}):
        held = {int(i): number[int(truth[i])] for i in range(30) if truth[i] > 0}
        solver = make(cls, **centres, n_init=1).fit(X, labels=held)
        expect_one_order(solver, X, labels=held)
        found, raw = solver.labels_, solver.state_.partition.labels()
        if "labels" in cls.uses:
            np.testing.assert_array_equal(found, raw)
        else:
            agree = (found[list(held)] == list(held.values())).sum()
            best = max((np.array(p)[raw[list(held)]] == list(held.values())).sum() for p in permutations(range(3)))
            assert agree == best


def expect_one_order(solver, X, **known):
    """Labels, belief, centres, predictions and a session number the clusters alike."""
    state, labels, belief = solver.state_, solver.labels_, solver.partition_
    np.testing.assert_array_equal(belief.labels(), labels)
    raw = state.partition.labels()
    number = dict(zip(raw.tolist(), labels.tolist()))
    np.testing.assert_array_equal(labels, [number[int(k)] for k in raw])
    assert len(set(number.values())) == len(number)
    for k, place in number.items():
        np.testing.assert_array_equal(belief.degrees[:, place], state.partition.degrees[:, k])
    if state.centers is not None:
        np.testing.assert_array_equal(solver.centers_[labels], state.centers[raw])
    if hasattr(solver, "predict"):
        told = solver.believe(X, state).labels()
        seen = np.isin(told, raw)
        np.testing.assert_array_equal(solver.predict(X)[seen], [number[int(k)] for k in told[seen]])
    session = Session(X, clone(solver), seed=solver.seed_)
    if known:
        session.constrain(**known)
        session.switch(clone(solver))
    session.run()
    np.testing.assert_array_equal(session.labels, labels)
    np.testing.assert_array_equal(session.partition.degrees, belief.degrees)


def check_objective_never_rises(cls):
    if not cls.descends:
        pytest.skip("not proved for this algorithm")
    for seed in range(5):
        rng = np.random.default_rng(seed)
        problem = Problem(rng.normal(size=(40, 3)), knowledge(cls, 40), seed=seed)
        objectives = np.array([s.objective for s in states(make(cls), problem, 30)])
        rises = np.diff(objectives) > 1e-9 * np.abs(objectives[:-1])
        assert not rises.any(), f"rose at iteration {int(np.argmax(rises)) + 1} (seed {seed})"


def check_says_whether_the_objective_descends(cls):
    """`descends` stands in the class, or in the solver that it is made from, as True or False and with a reason."""
    told = next((base for base in cls.__mro__ if "descends" in vars(base)), Solver)
    assert told is not Solver, "say whether the objective never rises: descends = True or False, and why"
    assert isinstance(cls.descends, bool)
    lines = inspect.getsource(told).splitlines()
    place = next(i for i, line in enumerate(lines) if line.strip().startswith("descends"))
    assert "#" in lines[place] + lines[place - 1], "say why in a comment beside descends"


def check_a_large_group_is_not_expanded(cls):
    """A group of 5,000 has twelve million pairs: two columns of them would take 200 MB."""
    if "must" not in cls.uses:
        pytest.skip("takes no groups")
    if cls.__name__ == "CMKIPCM":
        pytest.skip("its kernels hold all pairs of samples, with groups or without")
    n = 5_000
    known = ConstraintSet(n + 60).with_group(np.arange(n))
    problem = Problem(np.vstack([np.random.default_rng(0).normal(size=(n, 2)), blobs()[0]]), known, seed=1)
    solver = make(cls)
    refused = ""
    try:
        solver.check(problem)
    except ValueError as error:
        refused = str(error)
    if refused:
        assert f"{n + 60}" in refused, "say how many samples there are"
        assert str(getattr(cls, "most_samples", "")) in refused, "say how many there may be"
        pytest.skip(f"refuses so many samples: {refused}")
    tracemalloc.start()
    states(solver, problem, 1)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < LARGEST_PEAK, f"one step with a group of {n} took {peak / 1e6:.0f} MB"


def check_centres_tell_about_new_samples(cls):
    if states(make(cls), problem_for(cls), 1)[-1].centers is None:
        pytest.skip("has no centres")
    if cls.__name__ in CENTRES_FOR_SHOWING:
        pytest.skip(CENTRES_FOR_SHOWING[cls.__name__])
    assert hasattr(cls(), "predict"), "it has centres: say in `believe` what to think of new samples"


def check_sample_weights_are_taken_where_they_are_free(cls):
    free = any("sample_weight" in base.uses for base in cls.__mro__[1:] if issubclass(base, Solver))
    takes = "sample_weight" in cls.uses
    assert takes or not (free or issubclass(cls, WeightedSolver)), "what it is made from takes sample weights"
    assert takes == ("sample_weight" in inspect.signature(cls.fit).parameters), "`uses` and `fit` disagree"


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


def check_new_knowledge_is_heard_to_the_end(cls):
    if not cls.uses & {"must", "cannot", "labels"}:
        pytest.skip("takes no knowledge")
    for seed in range(3):
        solver, (old, new) = make(cls), problems_before_and_after(cls, seed)
        believed = solver.rebase(solver.adapt(old), solver.adapt(new), iterate(solver, old).last())
        run = iterate(solver, new, state=believed)
        run.last()
        by_a_rule_of_its_own = run.reason == "max_iter" or getattr(run.state, "stopped", "")
        assert by_a_rule_of_its_own or rests(solver, new, run.state), "it stopped while a step would still change it"


def problems_before_and_after(cls, seed):
    """Clouds that overlap, of which nothing is known, and then true statements that contradict their borders."""
    rng, truth = np.random.default_rng(seed), np.arange(60) % 3
    X = np.array([[0.0, 0.0], [2.0, 0.5], [1.0, 2.0]])[truth] + rng.normal(scale=0.9, size=(60, 2))
    a, b = rng.permutation(60)[:30].reshape(2, 15)
    same, known = truth[a] == truth[b], ConstraintSet(60)
    if "must" in cls.uses:
        known = known.with_must_link(np.stack([a[same], b[same]], axis=1))
    if "cannot" in cls.uses:
        known = known.with_cannot_link(np.stack([a[~same], b[~same]], axis=1))
    if "labels" in cls.uses:
        known = known.with_labels({int(i): int(truth[i]) for i in a[:12]})
    problem = Problem(X, seed=seed)
    return problem, problem.with_constraints(known)


def rests(solver, problem, state):
    """Whether further steps change no label, and the objective by less than a thousandth."""
    problem, later = solver.adapt(problem), state
    for _ in range(STEPS):
        later = solver.step(problem, later)
    same = np.array_equal(later.partition.labels(), state.partition.labels())
    return same and np.isclose(later.objective, state.objective, rtol=1e-3, atol=0)


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
