"""Whatever has been stated: what follows from it is known, and no strategy asks for it."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as draw

from cclab import CECM, FCM, PFCM, ConstraintSet, Problem, load_dataset
from cclab.core.registry import strategies
from cclab.oracles import Truth
from cclab.oracles import statements as answers_mean
from cclab.queries.base import Settled
from cclab.queries.consequences import Consequences

N = 18
DATA = load_dataset("three_gaussians", n_samples=N, separation=2.0, seed=3)
ALL_PAIRS = list(combinations(range(N), 2))
STRATEGIES = [strategies.get(name) for name in strategies.names()]

samples = draw.integers(0, N - 1)
several = draw.lists(samples, min_size=2, max_size=5, unique=True)
statements = draw.lists(
    draw.one_of(
        draw.tuples(draw.sampled_from(["must", "cannot"]), draw.sampled_from(ALL_PAIRS)),
        draw.tuples(draw.just("group"), several),
        draw.tuples(draw.just("separation"), several),
        draw.tuples(draw.just("label"), draw.tuples(samples, draw.integers(0, 2))),
    ),
    max_size=14,
)


def stated(said):
    """All that was said, contradictions included."""
    known = ConstraintSet(N)
    for kind, what in said:
        if kind == "must":
            known = known.with_must_link([what])
        elif kind == "cannot":
            known = known.with_cannot_link([what])
        elif kind == "group":
            known = known.with_group(what)
        elif kind == "separation":
            known = known.with_separation(what[:1], what[1:])
        else:
            known = known.with_labels({what[0]: what[1]})
    return known


def joined(known):
    """(N, N) which samples are joined by paths of must-links, by the plainest means."""
    step = np.eye(N, dtype=bool) | (known.must @ np.eye(N) > 0)
    return np.linalg.matrix_power(step.astype(float), N) > 0


def follows(known):
    """(N, N) which answers follow: paths of must-links, with at most one cannot-link among them."""
    links = known.links_from_labels()
    together = joined(links)
    return together | (together @ (links.cannot @ np.eye(N) > 0) @ together)


@given(statements)
def test_the_closure_is_known(said):
    known = stated(said)
    expected = follows(known)
    consequences, settled = Consequences.of(known), Settled(known)
    for i, j in ALL_PAIRS:
        assert consequences.settle(i, j) == settled(i, j) == expected[i, j]


@given(draw.lists(draw.tuples(draw.sampled_from(ALL_PAIRS), draw.booleans()), max_size=30))
def test_links_may_be_stated_one_by_one(links):
    known, consequences = ConstraintSet(N), Consequences()
    for pair, must in links:
        known = known.with_must_link([pair]) if must else known.with_cannot_link([pair])
        consequences.hear(known.pairs.rows(np.array([len(known.pairs) - 1])))
    expected = follows(known)
    assert all(consequences.settle(i, j) == expected[i, j] for i, j in ALL_PAIRS)


@pytest.fixture(scope="module")
def beliefs():
    """A state of each kind of belief."""
    return [solver.solve(Problem(DATA.X, seed=0)) for solver in (FCM(3), PFCM(3), CECM(3, n_init=1))]


@pytest.mark.parametrize("strategy", STRATEGIES, ids=lambda cls: cls.__name__)
@given(said=statements, asked=draw.frozensets(draw.sampled_from(ALL_PAIRS), max_size=10), n=draw.integers(1, 12))
@settings(max_examples=8)
def test_what_follows_is_never_asked(strategy, beliefs, said, asked, n):
    truth, known = Truth(DATA.target), stated(said)
    problem = Problem(DATA.X, known, seed=1)
    for state in (state for state in beliefs if strategy.suits(state.partition)):
        here, before = problem, asked
        for _ in range(3):  # the answer to the first question counts for the next
            queries = strategy().propose(here, state, n, asked=before)
            answered, together = follows(here.constraints), joined(here.constraints)
            labelled = here.constraints.labels.sample
            for query in queries:
                assert query.samples not in before
                if query.kind == "pair":
                    assert not answered[query.samples]
                elif query.kind == "triplet":
                    assert not answered[query.samples[0], list(query.samples[1:])].any()
                elif query.kind == "group":
                    assert not answered[np.ix_(query.samples, query.samples)].all()
                else:
                    assert not together[query.samples[0], labelled].any()
            if not queries:
                break
            before |= {queries[0].samples}
            said_now = answers_mean(queries[0], truth.answer(queries[0], DATA))
            here = here.with_constraints(here.constraints.with_statements(said_now))
