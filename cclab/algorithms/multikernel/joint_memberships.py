"""Memberships and typicalities set together, as improved possibilistic c-means and its relatives need them.

Equations are those of A. A. Abin, H. Beigy, Active constrained fuzzy clustering: a multiple kernels learning approach,
Pattern Recognition 48(3), 2015.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cclab.maths.memberships import fuzzy_memberships, raised


def joint_memberships(E: NDArray, eta: NDArray, m: float, p: float) -> tuple[NDArray, NDArray, NDArray]:
    """Memberships and typicalities that minimise ``sum_c u^m (t^p E + eta (1 - t)^p)`` (Eqs. 6 and 7).

    Parameters
    ----------
    E : (n, k) array
        What it costs to assign each sample to each cluster.
    eta : (k,) array
    m, p : float
        Exponents of memberships and typicalities.

    Returns
    -------
    U, T : (n, k) arrays
    G : (n, k) array
        ``t^p E + eta (1 - t)^p`` at the best t, written so that nothing is lost however large or small E is.
    """
    with np.errstate(over="ignore", divide="ignore"):
        ratio = (E / eta) ** (1 / (p - 1))
        T = 1 / (1 + ratio)
        G = np.minimum(E, eta) / (1 + np.minimum(ratio, 1 / ratio)) ** (p - 1)
    return fuzzy_memberships(G, m), T, G


def mean_cost(a: NDArray, D: NDArray, per_cluster: bool) -> NDArray:
    """(k,) squared distances averaged with weights `a`: over all clusters together, or each for itself (Eq. 5)."""
    axis = 0 if per_cluster else None
    total = a.sum(axis=axis)
    means = np.divide((a * D).sum(axis=axis), total, out=np.zeros_like(total), where=total > 0)
    # Where all samples sit on their centres, any scale will do.
    return np.broadcast_to(np.where(means > 0, means, 1.0), D.shape[1:]).copy()


class Belief(NamedTuple):
    """Some samples' memberships and typicalities, their shares, and what they cost without links."""

    U: NDArray
    T: NDArray
    a: NDArray
    own: NDArray


class LinkedMemberships:
    """Memberships and typicalities of the samples that links touch, while a sweep of `LinkSweep` changes them.

    Parameters
    ----------
    U, T : (t, k) arrays
        Written to.
    D : (t, k) array
        Squared distances.
    weights : (t,) array
        How many samples each stands for.
    eta : (k,) array
    exponents : tuple of two floats
        Of memberships and typicalities.
    link_weight : float
    """

    def __init__(
        self,
        U: NDArray,
        T: NDArray,
        D: NDArray,
        weights: NDArray,
        eta: NDArray,
        exponents: tuple[float, float],
        link_weight: float,
    ) -> None:
        self.U, self.T, self.D = U, T, D
        self.weights, self.eta, self.exponents = weights[:, None], eta, exponents
        self.link_weight = link_weight
        m, p = exponents
        um = raised(U, m)
        self.a = um * raised(T, p)
        self.own = self._own(um, T, self.a, slice(None))

    def best(self, rows: NDArray, S: NDArray) -> Belief:
        """Eqs. 6 and 7 for the same S: together they minimise the part of the objective that has these rows."""
        m, p = self.exponents
        E = self.D[rows] + self.link_weight * S / self.weights[rows]
        U, T, _ = joint_memberships(E, self.eta, m, p)
        um = raised(U, m)
        a = um * raised(T, p)
        return Belief(U, T, a, self._own(um, T, a, rows))

    def _own(self, um: NDArray, T: NDArray, a: NDArray, rows: NDArray | slice) -> NDArray:
        p = self.exponents[1]
        return (self.weights[rows] * (a * self.D[rows] + self.eta * um * raised(1 - T, p))).sum(axis=1)

    def accept(self, rows: NDArray, belief: Belief) -> None:
        """Let these samples believe this."""
        self.U[rows], self.T[rows], self.a[rows], self.own[rows] = belief
