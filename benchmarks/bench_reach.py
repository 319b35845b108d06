"""Links that reach further: a sweep of the linked mixture, and propagation with its gate."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks import Row, compare
from benchmarks.bench_boosting import random_problem
from cclab import FCM, LinkedMixture, PCKMeans
from cclab.algorithms.mixture.linked_fit import Linked, Model, from_centers, swept
from cclab.reach import propagate
from cclab.reach.link_metric import link_metric


def bench_linked_sweep() -> Iterator[Row]:
    """An expectation and a maximisation at n = 1e5, 10 features, 10 clusters, 1,000 links, over a step of FCM."""
    problem, k = random_problem(100_000, 1000, k=10, p=10), 10
    fuzzy = FCM(k)
    begun = fuzzy.step(problem, fuzzy.start(problem))
    solver = LinkedMixture(k)
    about: Linked = solver._about(problem)
    centers = solver._centers(problem, 0)[0]
    for covariance in ("spherical", "shared", "equal volume", "free"):
        model = Model(covariance)
        fit = from_centers(about, model, centers)
        yield compare(
            f"a sweep of LinkedMixture, covariance {covariance} / a step of FCM",
            lambda model=model, fit=fit: swept(about, model, fit, renew=False),
            lambda: fuzzy.step(problem, begun),
            6,
            repeats=5,
        )


def bench_propagation() -> Iterator[Row]:
    """The metric and the gate at n = 1e5, 30 features, 200 links, over a plain fit."""
    problem, k = random_problem(100_000, 200, k=5, p=30), 5
    plain = PCKMeans(k)
    labels = plain.solve(problem).partition.labels()
    yield compare(
        "the metric of 200 links / a plain fit of PCKMeans",
        lambda: link_metric(problem, labels, k),
        lambda: plain.solve(problem),
        0.2,
        repeats=2,
    )
    yield compare(
        "the gate and all that follows / a plain fit of PCKMeans",
        lambda: propagate(problem, plain),
        lambda: plain.solve(problem),
        3,
        repeats=1,
    )
