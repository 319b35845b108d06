"""A pass over all samples: masses that follow from the geometry alone, and what they add up to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cclab.core import Problem
from cclab.maths.distances import row_blocks
from cclab.maths.set_geometry import SetGeometry


def sample_blocks(X: NDArray, geometry: SetGeometry) -> Iterator[slice]:
    """Rows to lift at a time."""
    return row_blocks(len(X), geometry.block_rows)


def proportional_masses(costs: NDArray, rho2: float | None, beta: float) -> tuple[NDArray, NDArray]:
    """Masses from costs (Eqs. A.1 and A.2).

    Parameters
    ----------
    costs : (f, r) array
        Of the non-empty sets.
    rho2 : float or None
        Cost of the empty set, where there is one.

    Returns
    -------
    masses : (f, r) array
    empty : (r,) array
    """
    exponent = -1 / (beta - 1)
    masses = costs**exponent
    empty = 0.0 if rho2 is None else rho2**exponent
    total = masses.sum(axis=0)
    total += empty
    masses /= total
    return masses, empty / total


def costs_of(X: NDArray, geometry: SetGeometry, rho2: float) -> NDArray:
    """(n, f) what it costs to put a sample into each focal set, the empty one among them."""
    has_empty = geometry.focal.has_empty
    result = np.full((len(X), len(geometry.focal)), rho2)
    for rows in sample_blocks(X, geometry):
        result[rows, has_empty:] = geometry.costs(geometry.lift(X[rows])).T
    return result


def half_cost(costs: NDArray, beta: float) -> NDArray:
    """(r,) the cost at which the empty set takes half of a sample's mass: below it, the sample is an outlier."""
    exponent = -1 / (beta - 1)
    return (costs**exponent).sum(axis=0) ** (1 / exponent)


def masses_of(X: NDArray, geometry: SetGeometry, rho2: float, beta: float) -> NDArray:
    """(n, f) the masses of samples that are in no link."""
    has_empty = geometry.focal.has_empty
    result = np.empty((len(X), len(geometry.focal)))
    for rows in sample_blocks(X, geometry):
        masses, empty = proportional_masses(geometry.costs(geometry.lift(X[rows])), rho2 if has_empty else None, beta)
        result[rows, has_empty:] = masses.T
        if has_empty:
            result[rows, 0] = empty
    return result


@dataclass(frozen=True)
class Survey:
    """What a pass over all samples adds up to."""

    moments: NDArray  # (f, q) for SetGeometry.next_centers
    terms: dict[str, float]  # the two sums of Eq. 14
    thresholds: NDArray | None  # (n,) see `half_cost`


def survey(
    problem: Problem,
    geometry: SetGeometry,
    rho2: float,
    beta: float,
    linked: NDArray,
    linked_masses: NDArray,
    keep_thresholds: bool,
) -> Survey:
    """Go through all samples once, a block at a time.

    Parameters
    ----------
    linked : (t,) int array
        Samples, sorted, whose masses are given.
    linked_masses : (t, f) array
    keep_thresholds : bool
        Whether a rejection rate needs them.
    """
    has_empty = geometry.focal.has_empty
    moments, distance, rejection = np.zeros((len(geometry.members), geometry.n_lifted)), 0.0, 0.0
    thresholds = np.empty(problem.n_samples) if keep_thresholds else None
    for rows in sample_blocks(problem.X, geometry):
        lifted = geometry.lift(problem.X[rows])
        costs = geometry.costs(lifted)
        if thresholds is not None:
            thresholds[rows] = half_cost(costs, beta)
        masses, empty = proportional_masses(costs, rho2 if has_empty else None, beta)
        first, last = np.searchsorted(linked, (rows.start, rows.stop))
        if first < last:
            here = linked[first:last] - rows.start
            masses[:, here] = linked_masses[first:last, has_empty:].T
            if has_empty:
                empty[here] = linked_masses[first:last, 0]
        masses **= beta
        empty **= beta
        if problem.sample_weight is not None:
            masses *= problem.sample_weight[rows]
            empty *= problem.sample_weight[rows]
        moments += masses @ lifted.T
        distance += np.vdot(masses, costs)
        rejection += rho2 * empty.sum()
    return Survey(moments, {"distance": distance, "rejection": rejection}, thresholds)
