"""A pass over all samples: masses that follow from the geometry alone, and what they add up to."""

from __future__ import annotations

from dataclasses import dataclass

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


@dataclass(frozen=True, eq=False)
class Survey:
    """A pass over all samples, a block at a time, that adds up what their masses bring.

    Attributes
    ----------
    linked : (t,) int array
        Samples, sorted, whose masses are given.
    linked_masses : (t, f) array
    keep_thresholds : bool
        Whether a rejection rate needs them.
    """

    geometry: SetGeometry
    rho2: float
    beta: float
    linked: NDArray
    linked_masses: NDArray
    keep_thresholds: bool

    def over(self, problem: Problem) -> tuple[NDArray, dict[str, float], NDArray]:
        """The (f, q) moments for `SetGeometry.next_centers`, the two sums of Eq. 14, and (n,) `half_cost`, if kept."""
        moments, distance, rejection, thresholds = problem.total(self._sums, self.geometry.block_rows)
        terms = {"distance": distance, "rejection": rejection}
        return moments, terms, np.concatenate(thresholds) if self.keep_thresholds else np.empty(0)

    def _sums(self, block: Block) -> tuple[NDArray, float, float, list[NDArray]]:
        """What a block adds to each."""
        has_empty = self.geometry.focal.has_empty
        lifted = self.geometry.lift(block.X)
        costs = self.geometry.costs(lifted)
        masses, empty = proportional_masses(costs, self.rho2 if has_empty else None, self.beta)
        inside, here = block.find(self.linked)
        if len(here):
            masses[:, here] = self.linked_masses[inside, has_empty:].T
            if has_empty:
                empty[here] = self.linked_masses[inside, 0]
        masses **= self.beta
        empty **= self.beta
        if block.sample_weight is not None:
            masses *= block.sample_weight
            empty *= block.sample_weight
        thresholds = [half_cost(costs, self.beta)] if self.keep_thresholds else []
        return masses @ lifted.T, np.vdot(masses, costs), self.rho2 * empty.sum(), thresholds
