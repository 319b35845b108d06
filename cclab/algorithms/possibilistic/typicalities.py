"""Typicalities that follow from distances, with and without labels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def typicalities(distances: NDArray, gamma: NDArray, exponent: float) -> NDArray:
    """(n, k) the best typicalities: ``1 / (1 + (d / gamma) ** (1 / (exponent - 1)))``.

    Parameters
    ----------
    distances : (n, k) array
        Squared distances (times the weight of the possibilistic term).
    gamma : (k,) array
        The squared distance at which the typicality is 1/2.
    exponent : float
        Above 1.
    """
    ratio = distances / gamma
    if exponent != 2:
        with np.errstate(over="ignore"):  # near 1 a typicality falls to 0 abruptly
            ratio **= 1 / (exponent - 1)
    ratio += 1
    return np.divide(1.0, ratio, out=ratio)


def labelled_typicalities(
    distances: NDArray, gamma: NDArray, weight: float, label_weight: NDArray, degrees: NDArray
) -> NDArray:
    """(m, k) the best typicalities of labelled samples, for the exponent 2.

    Minimises ``weight t^2 d + gamma (1 - t)^2 + label_weight (t - f)^2 d`` for each sample and cluster.

    Parameters
    ----------
    distances : (m, k) array
        Squared distances.
    gamma : (k,) array
    weight : float
        Of the possibilistic term (b).
    label_weight : (m, k) array
        Of each label (alpha times its certainty), 0 where nothing is known.
    degrees : (m, k) array
        Degrees of possibility (f), any number where nothing is known.
    """
    return (gamma + label_weight * degrees * distances) / (gamma + (weight + label_weight) * distances)
