"""Nasty problems, drawn from ingredients that each are nasty by themselves."""

from __future__ import annotations

import inspect
import zlib
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from cclab.core import ConstraintSet

Rng = np.random.Generator
SCALES = (1e-160, 1e-55, 1e-40, 1e-20, 1e-8, 1e8, 1e20, 1e40, 1e55, 1e150, 1e308)


class Nasty(NamedTuple):
    """What a solver is to be made and given; `Problem` may well refuse it."""

    name: str
    params: dict[str, Any]
    problem: dict[str, Any]
    known: Callable[[], ConstraintSet]


def nasty(cls: type, index: int, seed: int = 0) -> Nasty:
    """The problem of this number for a solver class: always the same."""
    rng = np.random.default_rng([seed, index, zlib.crc32(cls.__name__.encode())])
    shape = _pick(rng, SHAPES)
    n_clusters = int(rng.integers(1, 5))
    X = shape(rng, n_clusters)
    n = len(X)
    n_clusters = min(n_clusters, n)
    scale = _pick(rng, SCALES) if rng.random() < 0.4 else 1.0
    if rng.random() < 0.1:
        X = X * 10.0 ** rng.integers(-12, 12, size=X.shape[1])
    with np.errstate(over="ignore", invalid="ignore"):
        X = X * scale
    taken = inspect.signature(cls.__init__).parameters
    params = {"n_clusters": n_clusters, "random_state": 0, "init": _init(rng, X, n_clusters)}
    params |= _settings(rng, cls)
    weights = _pick(rng, WEIGHTS) if rng.random() < 0.5 else _equal
    statement = _pick(rng, STATEMENTS) if rng.random() < 0.85 else _nothing
    if rng.random() < 0.2 and cls.accepts_sparse:
        X = sparse.csr_array(X)
    parts = [shape.__name__, f"x {scale:g}" if scale != 1 else "", weights.__name__, statement.__name__]
    affinity = None
    if "affinity" in cls.uses and rng.random() < 0.3:
        affinity = _affinity(rng, n)
        parts.append("affinity")
    words = ", ".join(part.strip("_").replace("_", " ") for part in parts if part)
    draw = int(rng.integers(2**31))
    return Nasty(
        name=f"{cls.__name__} {index} (seed {seed}: {words})",
        params={name: value for name, value in params.items() if name in taken},
        problem={"X": X, "sample_weight": weights(rng, n), "affinity": affinity, "seed": index},
        known=lambda: statement(np.random.default_rng(draw), n, n_clusters),
    )


def _pick(rng: Rng, options: tuple) -> Any:
    return options[int(rng.integers(len(options)))]


def _init(rng: Rng, X: np.ndarray, k: int) -> Any:
    """Drawn centres mostly; or on samples, on one sample all, or far away."""
    kind = rng.integers(6)
    if kind > 2 or not np.isfinite(X).all():
        return "k-means++"
    centers = X[rng.choice(len(X), k, replace=False)] if kind else np.repeat(X[:1], k, axis=0)
    if kind == 2:
        with np.errstate(over="ignore"):
            centers[-1] = 1e6 * (np.abs(centers[-1]) + np.abs(X).max())
    return centers


def _settings(rng: Rng, cls: type) -> dict[str, Any]:
    """Some parameters at values that are allowed, but rare."""
    found: dict[str, Any] = {}
    for name, parameter in cls.all_parameters().items():
        if name in ("n_clusters", "init", "n_init", "max_iter", "random_state") or rng.random() < 0.7:
            continue
        if parameter.kind == "choice":
            found[name] = _pick(rng, tuple(c for c in parameter.choices if c != "precomputed"))
        elif name in ("fuzzifier", "beta", "typicality_exponent", "weight_exponent"):
            found[name] = _pick(rng, (1.001, 1.1, 3.0, 30.0))
        elif name in ("alpha", "constraint_weight", "label_weight", "repulsion"):
            found[name] = _pick(rng, (0.0, 1e-9, 10.0, 1e9 if parameter.high is None else parameter.high))
        elif name in ("rejection_rate", "xi"):
            found[name] = _pick(rng, (0.0, 0.3, 0.999))
    return found


# ------------------------------------------------------------------ samples


def blobs(rng, k):
    return 3 * rng.normal(size=(k, 2))[rng.integers(k, size=60)] + 0.3 * rng.normal(size=(60, 2))


def duplicates(rng, k):
    return rng.normal(size=(4, 3))[rng.integers(4, size=40)]


def all_the_same(rng, k):
    return np.tile(rng.normal(size=(1, 3)), (20, 1))


def all_zero(rng, k):
    return np.zeros((15, 2))


def one_constant_column(rng, k):
    return np.column_stack([rng.normal(size=(50, 2)), np.full(50, 7.0)])


def collinear(rng, k):
    return rng.normal(size=(40, 1)) * np.array([[1.0, 2.0, -3.0]])


def one_sample(rng, k):
    return rng.normal(size=(1, 2))


def as_many_samples_as_clusters(rng, k):
    return rng.normal(size=(k, 3))


def far_outlier(rng, k):
    X = blobs(rng, k)
    X[int(rng.integers(len(X)))] = 1e12
    return X


def far_from_the_origin(rng, k):
    return 1e9 + blobs(rng, k)


def more_features_than_samples(rng, k):
    return rng.normal(size=(12, 30))


def two_places(rng, k):
    return np.array([[0.0, 0.0], [1.0, 0.0]])[rng.integers(2, size=30)]


def nearly_the_same(rng, k):
    return 1 + 1e-13 * rng.normal(size=(30, 2))


def a_tight_and_a_wide_cluster(rng, k):
    return np.concatenate([1e-9 * rng.normal(size=(30, 2)), 5 + rng.normal(size=(30, 2))])


def whole_numbers(rng, k):
    return rng.integers(0, 3, size=(50, 2)).astype(float)


def one_feature(rng, k):
    return rng.exponential(size=(60, 1)) ** 5


SHAPES = (
    blobs, duplicates, all_the_same, all_zero, one_constant_column, collinear, one_sample,
    as_many_samples_as_clusters, far_outlier, far_from_the_origin, more_features_than_samples, two_places,
    nearly_the_same, a_tight_and_a_wide_cluster, whole_numbers, one_feature,
)  # fmt: skip


# ------------------------------------------------------------------ sample weights


def _equal(rng, n):
    return None


def some_weights_zero(rng, n):
    return (rng.random(n) < 0.5).astype(float)


def all_but_one_weight_zero(rng, n):
    return (np.arange(n) == rng.integers(n)).astype(float)


def tiny_weights(rng, n):
    return np.where(rng.random(n) < 0.5, 10.0 ** rng.uniform(-300, -5, size=n), 1.0)


def one_huge_weight(rng, n):
    return np.where(np.arange(n) == 0, 1e15, 1.0)


def all_weights_tiny(rng, n):
    return np.full(n, 1e-20)


WEIGHTS = (some_weights_zero, all_but_one_weight_zero, tiny_weights, one_huge_weight, all_weights_tiny)


# ------------------------------------------------------------------ statements


def _nothing(rng, n, k):
    return ConstraintSet(n)


def _pairs(rng, n, count):
    pairs = np.sort(rng.integers(n, size=(count, 2)), axis=1)
    return np.unique(pairs[pairs[:, 0] != pairs[:, 1]], axis=0)


def links(rng, n, k):
    pairs = _pairs(rng, n, 12)
    return ConstraintSet(n).with_must_link(pairs[::2]).with_cannot_link(pairs[1::2])


def contradictory_links(rng, n, k):
    pairs = _pairs(rng, n, 8)
    return ConstraintSet(n).with_must_link(pairs).with_group(np.unique(pairs[:2])).with_cannot_link(pairs[::2])


def a_group_of_all(rng, n, k):
    return ConstraintSet(n).with_group(np.arange(n)) if n > 1 else ConstraintSet(n)


def all_in_one_group_and_apart(rng, n, k):
    known = a_group_of_all(rng, n, k)
    return known.with_separation(np.arange(n // 2), np.arange(n // 2, n)) if n > 1 else known


def two_halves_apart(rng, n, k):
    return ConstraintSet(n).with_separation(np.arange(n // 2), np.arange(n // 2, n)) if n > 1 else ConstraintSet(n)


def everybody_apart(rng, n, k):
    i, j = np.triu_indices(min(n, 8), 1)
    return ConstraintSet(n).with_cannot_link(np.stack([i, j], axis=1))


def links_of_tiny_weight(rng, n, k):
    pairs = _pairs(rng, n, 12)
    known = ConstraintSet(n).with_must_link(pairs[::2], weight=1e-300)
    return known.with_cannot_link(pairs[1::2], weight=1e-12)


def links_of_mixed_weight(rng, n, k):
    known = ConstraintSet(n)
    for i, j in _pairs(rng, n, 10).tolist():
        add = known.with_must_link if rng.random() < 0.5 else known.with_cannot_link
        known = add([[i, j]], weight=10.0 ** rng.uniform(-20, 0))
    return known


def a_chain(rng, n, k):
    return ConstraintSet(n).with_must_link(np.stack([np.arange(n - 1), np.arange(1, n)], axis=1))


def held_labels(rng, n, k):
    samples = rng.choice(n, size=max(1, n // 4), replace=False)
    return ConstraintSet(n).with_labels({int(i): int(rng.integers(k)) for i in samples})


def everybody_labelled_the_same(rng, n, k):
    return ConstraintSet(n).with_labels(dict.fromkeys(range(n), k - 1))


def labels_by_degrees(rng, n, k):
    degrees = np.where(rng.random((n, k)) < 0.7, np.nan, rng.choice([0.0, 1e-300, 0.5, 1.0], size=(n, k)))
    return ConstraintSet(n).with_labels(degrees)


def labels_of_tiny_weight(rng, n, k):
    return ConstraintSet(n).with_labels({i: int(rng.integers(k)) for i in range(0, n, 2)}, weight=1e-300)


def denied_everywhere(rng, n, k):
    degrees = np.full((n, k), np.nan)
    degrees[0] = 0.0
    return ConstraintSet(n).with_labels(degrees)


def labels_and_links(rng, n, k):
    known = links(rng, n, k)
    return known.with_labels({int(i): int(rng.integers(k)) for i in rng.choice(n, size=min(n, 5), replace=False)})


STATEMENTS = (
    links, links, contradictory_links, a_group_of_all, all_in_one_group_and_apart, two_halves_apart, everybody_apart,
    links_of_tiny_weight, links_of_mixed_weight, a_chain, held_labels, everybody_labelled_the_same, labels_by_degrees,
    labels_of_tiny_weight, denied_everywhere, labels_and_links,
)  # fmt: skip


def _affinity(rng, n):
    ties = sparse.random_array((n, n), density=0.2, rng=rng, data_sampler=rng.exponential)
    return ties * 10.0 ** rng.integers(-20, 12)
