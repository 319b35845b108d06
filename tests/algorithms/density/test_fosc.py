from itertools import combinations

import numpy as np
import pytest
from sklearn.cluster import HDBSCAN
from sklearn.metrics import adjusted_rand_score

from cclab import FOSC, ConstraintSet, Problem, iterate
from cclab.algorithms.density.fosc import best_selection, kept_by, kept_by_clusters


def moons(seed=0, n=120):
    """Two dense groups near each other, one far away, and some strays."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % 3
    X = np.array([[0.0, 0.0], [2.4, 0.0], [12.0, 9.0]])[truth] + rng.normal(scale=0.4, size=(n, 2))
    X[:6] = rng.uniform(-6, 16, size=(6, 2))
    return X, truth


def test_without_links_it_is_hdbscan():
    X, _ = moons()
    model = FOSC(min_cluster_size=8, min_samples=4).fit(X)
    ours = np.where(model.partition_.outliers(), -1, model.labels_)
    theirs = HDBSCAN(min_cluster_size=8, min_samples=5, copy=True).fit(X).labels_
    assert adjusted_rand_score(ours, theirs) > 0.97


def test_links_choose_the_level_of_the_hierarchy():
    X, truth = moons()
    near = [i for i in range(20, 40) if truth[i] < 2]
    apart = [(i, j) for i, j in combinations(near, 2) if truth[i] != truth[j]]
    split = FOSC(min_cluster_size=8).fit(X, cannot_link=apart).labels_
    joined = FOSC(min_cluster_size=8).fit(X, must_link=apart).labels_
    assert len(set(split[near])) > len(set(joined[near])) == 1


@pytest.mark.parametrize("seed", range(4))
def test_no_other_selection_is_worth_more(seed):
    """Every selection of clusters, none within another, is tried."""
    rng = np.random.default_rng(seed)
    X, truth = moons(seed, 45)
    pairs = np.array([rng.choice(45, 2, replace=False) for _ in range(20)])
    same = truth[pairs[:, 0]] == truth[pairs[:, 1]]
    problem = Problem(X, ConstraintSet(45).with_must_link(pairs[same]).with_cannot_link(pairs[~same]))
    tree = FOSC(min_cluster_size=3).tree(problem)
    respected, as_noise = kept_by_clusters(problem, tree)
    c = len(tree.parent)
    assert 3 < c < 15

    def above(cluster):
        return {int(tree.parent[cluster])} | above(int(tree.parent[cluster])) if cluster > 0 else set()

    def allowed(chosen):
        # Each leaf of the hierarchy of clusters lies within one of them.
        leaves = set(range(c)) - set(tree.parent.tolist())
        return all(not above(a) & set(chosen) for a in chosen) and all((above(x) | {x}) & set(chosen) for x in leaves)

    selections = [s for size in range(1, c + 1) for s in combinations(range(c), size) if allowed(s)]
    best = max(kept_by(tree, np.array(s), respected, as_noise) for s in selections)
    chosen = best_selection(tree, respected, as_noise)
    assert kept_by(tree, chosen, respected, as_noise) == pytest.approx(best)


def test_the_share_of_links_that_hold_is_counted_right():
    X, truth = moons()
    rng = np.random.default_rng(0)
    pairs = np.array([rng.choice(len(X), 2, replace=False) for _ in range(40)])
    same = truth[pairs[:, 0]] == truth[pairs[:, 1]]
    known = ConstraintSet(len(X)).with_must_link(pairs[same]).with_cannot_link(pairs[~same])
    state = list(iterate(FOSC(min_cluster_size=8), Problem(X, known)))[-1]
    labels = np.where(state.partition.outliers(), -1 - np.arange(len(X)), state.partition.labels())
    together = labels[pairs[:, 0]] == labels[pairs[:, 1]]
    assert state.terms["links"] == pytest.approx((together == same).mean())


def test_too_many_samples_are_refused_in_words():
    with pytest.raises(ValueError, match="takes 5000 of them at most, there are 5001"):
        FOSC().fit(np.zeros((5001, 1)))
