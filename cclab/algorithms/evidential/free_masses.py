"""A pass over all samples: masses that follow from the geometry alone, and what they add up to."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from cclab.algorithms.evidential.set_geometry import SetGeometry
from cclab.core import Problem
from cclab.core.sample_blocks import Block

# A sample on a centre costs nothing there, which nothing can be divided by.
TINY = np.finfo(float).tiny


def proportional_masses(costs: NDArray, rho2: float | None, beta: float) -> tuple[NDArray, NDArray]:
    """Masses from costs (Eqs. A.1 and A.2), written with the ratio to the least cost, so that nothing overflows.

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
    least = costs.min(axis=0)
    if least.min(initial=np.inf) < TINY:
        costs, least = np.maximum(costs, TINY), np.maximum(least, TINY)
    if rho2 is not None:
        np.minimum(least, rho2, out=least)
    masses = least / costs
    empty = np.zeros_like(least) if rho2 is None else least / rho2
    if beta != 2:
        masses **= 1 / (beta - 1)
        empty **= 1 / (beta - 1)
    total = masses.sum(axis=0)
    total += empty
    masses /= total
    empty /= total
    return masses, empty


def costs_of(X: NDArray, geometry: SetGeometry, rho2: float) -> NDArray:
    """(n, f) what it costs to put a sample into each focal set, the empty one among them."""
    has_empty = geometry.focal.has_empty
    result = np.full((len(X), len(geometry.focal)), rho2)
    for block in Block(0, X).parts(geometry.block_rows):
        result[block.rows, has_empty:] = geometry.costs(geometry.lift(block.X)).T
    return result


def half_cost(costs: NDArray, beta: float) -> NDArray:
    """(r,) the cost at which the empty set takes half of a sample's mass: below it, the sample is an outlier."""
    costs = np.maximum(costs, TINY)
    least = costs.min(axis=0)
    return least * ((least / costs) ** (1 / (beta - 1))).sum(axis=0) ** (1 - beta)


def masses_of(X: NDArray, geometry: SetGeometry, rho2: float, beta: float) -> NDArray:
    """(n, f) the masses of samples that are in no link."""
    has_empty = geometry.focal.has_empty
    result = np.empty((len(X), len(geometry.focal)))
    for block in Block(0, X).parts(geometry.block_rows):
        costs = geometry.costs(geometry.lift(block.X))
        masses, empty = proportional_masses(costs, rho2 if has_empty else None, beta)
        result[block.rows, has_empty:] = masses.T
        if has_empty:
            result[block.rows, 0] = empty
    return result


@dataclass(frozen=True)
class Survey:
    """What a pass over all samples adds up to."""

    moments: NDArray  # (f, q) for SetGeometry.next_centers
    terms: dict[str, float]  # the two sums of Eq. 14
    thresholds: NDArray  # (n,) see `half_cost`; none unless a rejection rate needs them


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
    part = partial(
        _sums,
        geometry=geometry,
        rho2=rho2,
        beta=beta,
        linked=linked,
        linked_masses=linked_masses,
        keep_thresholds=keep_thresholds,
    )
    moments, distance, rejection, thresholds = problem.total(part, geometry.block_rows)
    terms = {"distance": distance, "rejection": rejection}
    return Survey(moments, terms, np.concatenate(thresholds) if keep_thresholds else np.empty(0))


def _sums(
    block: Block,
    geometry: SetGeometry,
    rho2: float,
    beta: float,
    linked: NDArray,
    linked_masses: NDArray,
    keep_thresholds: bool,
) -> tuple[NDArray, float, float, list[NDArray]]:
    """What a block adds to the moments and to the two sums of Eq. 14; and its thresholds, where they are kept."""
    has_empty = geometry.focal.has_empty
    lifted = geometry.lift(block.X)
    costs = geometry.costs(lifted)
    masses, empty = proportional_masses(costs, rho2 if has_empty else None, beta)
    inside, here = block.find(linked)
    if len(here):
        masses[:, here] = linked_masses[inside, has_empty:].T
        if has_empty:
            empty[here] = linked_masses[inside, 0]
    masses **= beta
    empty **= beta
    if block.sample_weight is not None:
        masses *= block.sample_weight
        empty *= block.sample_weight
    thresholds = [half_cost(costs, beta)] if keep_thresholds else []
    return masses @ lifted.T, np.vdot(masses, costs), rho2 * empty.sum(), thresholds
