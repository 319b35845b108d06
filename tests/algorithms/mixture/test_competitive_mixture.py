"""Competition by density, and what it says about the number of clusters."""

from itertools import pairwise

import numpy as np
import pytest

from cclab import CompetitiveMixture, ConstraintSet, Problem, iterate, load_dataset
from cclab.algorithms.mixture.choosing import Verdict
from cclab.core import scores


def gaussians(n_clusters, n_features, separation=5.0, seed=0, n_samples=150):
    return load_dataset(
        "gaussians",
        n_clusters=n_clusters,
        n_features=n_features,
        separation=separation,
        n_samples=n_samples,
        seed=seed,
    )


def solve(X, known=None, seed=0, **params):
    return CompetitiveMixture(n_init=1, **params).solve(Problem(X, known, seed=seed))


@pytest.mark.parametrize("n_features", [2, 10, 50])
@pytest.mark.parametrize("n_clusters", [1, 3])
def test_finds_the_number_of_clusters(n_clusters, n_features):
    data = gaussians(n_clusters, n_features)
    state = solve(data.X)
    assert state.verdict.n_clusters == n_clusters
    assert len(state.centers) == state.partition.n_clusters == n_clusters
    assert scores(data.target, state.partition.labels())["ari"] > 0.8 or n_clusters == 1


def test_clusters_fade_and_vanish_a_few_at_a_time():
    data = gaussians(3, 2)
    run = [s for s in iterate(CompetitiveMixture(n_init=1), Problem(data.X)) if s.stage == 0]
    counts = [len(s.cluster_ids) for s in run]
    assert counts[0] == 20
    assert counts[-1] == 1
    for before, after in pairwise(run):
        gone = set(before.cluster_ids) - set(after.cluster_ids)
        assert set(after.cluster_ids) <= set(before.cluster_ids)
        assert len(gone) == len(after.notes) <= 2
        assert all(note.startswith("A cluster ") for note in after.notes)
    for state in run:
        np.testing.assert_allclose(state.sizes.sum(), len(data.X))


def test_says_how_sure_it_is():
    state = solve(gaussians(2, 2, separation=12.0).X)
    assert state.verdict.n_clusters == 2
    assert state.verdict.runner_up not in (None, 2)
    assert state.notes == (str(state.verdict),)
    assert str(state.verdict).startswith("2 clusters, ")
    nearer = solve(gaussians(3, 2, separation=3.2, seed=3).X)
    assert (nearer.verdict.n_clusters, nearer.verdict.runner_up) == (2, 3)
    assert not nearer.verdict.sure


@pytest.mark.parametrize(
    ("verdict", "words"),
    [
        (Verdict(3, 3, 4, 6.86, (3, 3, 3)), "3 clusters, sure: 4 comes next, at odds of 1 to 953; all 3 starts agree."),
        (Verdict(2, 2, 3, 40.0, (2,)), "2 clusters, sure: 3 comes next, at odds below 1 to 1000."),
        (Verdict(3, 3, 4, 1.2, (3, 3, 3)), "3 clusters, unsure: 4 is not ruled out, at odds of 1 to 3.3."),
        (
            Verdict(2, 2, 3, 4.0, (2, 3)),
            "2 clusters, unsure: the starts disagree (2, 3); 3 comes next, at odds of 1 to 55.",
        ),
        (
            Verdict(1, 3, 3, 24.0, (3, 3)),
            "1 cluster, unsure: made of 3 parts that may be clusters of their own.",
        ),
        (Verdict(1, 1, None, np.inf, (1, 1)), "1 cluster, unsure: no other number was tried."),
    ],
)
def test_the_verdict_in_words(verdict, words):
    assert str(verdict) == words
    assert verdict.sure == ("unsure" not in words)


@pytest.mark.parametrize("n_clusters", [1, 2, 5])
def test_a_given_number_is_kept(n_clusters):
    state = solve(gaussians(3, 2).X, n_clusters=n_clusters)
    assert state.partition.n_clusters == n_clusters
    assert str(state.verdict) == f"{n_clusters} cluster{'s' * (n_clusters > 1)}, as asked for."


def test_a_given_number_is_kept_whatever_links_say():
    together = ConstraintSet(150).with_group(np.r_[0:8, 50:58])  # of two clusters
    state = solve(gaussians(3, 2, separation=6.0).X, together, n_clusters=3)
    assert state.partition.n_clusters == 3


def test_cannot_links_ask_for_enough_clusters_and_must_links_join():
    data = gaussians(1, 2)
    order = np.argsort(data.X[:, 0])
    left, right = order[:15], order[-15:]
    apart = ConstraintSet(150).with_separation(left, right)
    state = solve(data.X, apart)
    assert state.verdict.n_clusters >= 2
    assert apart.satisfaction(state.partition.labels()).rate == 1

    data = gaussians(3, 2, separation=6.0)
    together = ConstraintSet(150).with_group(np.r_[0:8, 50:58])  # of two clusters
    state = solve(data.X, together)
    assert state.verdict.n_clusters == 2
    assert state.verdict.n_parts == 3
    assert "made of 3 parts" in str(state.verdict)


def test_new_knowledge_is_weighed_without_a_new_competition():
    data = gaussians(3, 2)
    solver, problem = CompetitiveMixture(n_init=1), Problem(data.X)
    state = solver.solve(problem)
    told = problem.with_constraints(ConstraintSet(150).with_cannot_link([[0, 60], [0, 120]]))
    again = solver.rebase(problem, told, state)
    assert again.verdict is None
    steps = list(iterate(solver, told, state=again))
    assert len(steps) < 8
    assert steps[-1].verdict.n_clusters == 3


def test_memberships_of_new_samples_and_of_many():
    data = gaussians(3, 10, n_samples=900)
    fitted = CompetitiveMixture(n_init=1, max_samples=300, random_state=0).fit(data.X)
    assert len(fitted.labels_) == 900
    assert scores(data.target, fitted.labels_)["ari"] > 0.9
    np.testing.assert_array_equal(fitted.predict(data.X[:50]), fitted.partition_.labels()[:50])


def test_weights_count_as_repeats():
    data = gaussians(3, 2)
    weight = np.ones(150)
    weight[data.target == 2] = 0.0
    state = CompetitiveMixture(n_init=1).solve(Problem(data.X, sample_weight=weight))
    assert state.verdict.n_clusters == 2
