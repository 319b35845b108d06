"""How well a partition agrees with the truth and with what was stated."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score, rand_score
from sklearn.metrics.cluster import contingency_matrix

from cclab.core.constraints.satisfaction import Satisfaction
from cclab.core.constraints.set import ConstraintSet


def matched_accuracy(truth: ArrayLike, labels: ArrayLike) -> float:
    """Share of samples that agree under the best one-to-one matching of clusters to classes.

    Examples
    --------
    >>> matched_accuracy([0, 0, 1, 1], [5, 5, 2, 5])
    0.75
    """
    counts = contingency_matrix(truth, labels)
    rows, columns = linear_sum_assignment(counts, maximize=True)
    return float(counts[rows, columns].sum() / counts.sum())


def geometric_nmi(truth: ArrayLike, labels: ArrayLike) -> float:
    """Mutual information divided by the geometric mean of the two entropies."""
    return float(normalized_mutual_info_score(truth, labels, average_method="geometric"))


MEASURES = {
    "ari": adjusted_rand_score,
    "rand": rand_score,
    "nmi": geometric_nmi,
    "accuracy": matched_accuracy,
}


def scores(
    truth: ArrayLike | None,
    labels: ArrayLike,
    constraints: ConstraintSet | None = None,
    satisfaction: Satisfaction | None = None,
) -> dict[str, float]:
    """All scores of hard `labels`.

    Parameters
    ----------
    truth : (n,) int array or None
        The true classes, -1 for samples that are in none (they are left out); None where it isn't known.
    labels : (n,) int array
    constraints : ConstraintSet, optional
    satisfaction : Satisfaction, optional
        How far the labels respect the constraints, where that is known already.

    Returns
    -------
    dict
        ``ari``, ``rand``, ``nmi``, ``accuracy`` (with the truth); the same with ``_free`` on samples that no statement
        is about; NaN where there are fewer than two such samples; ``satisfied``, the share of statements that hold.
    """
    labels = np.asarray(labels)
    result: dict[str, float] = {}
    if truth is not None:
        truth = np.asarray(truth)
        if truth.shape != labels.shape:
            raise ValueError(f"truth has shape {truth.shape}, but labels have {labels.shape}")
        known = truth >= 0
        result |= _measured(truth, labels, known)
        if constraints is not None:
            free = _measured(truth, labels, known & ~constraints.constrained)
            result |= {f"{name}_free": score for name, score in free.items()}
    if constraints is not None:
        result["satisfied"] = (satisfaction or constraints.satisfaction(labels)).rate
    return result


def _measured(truth: NDArray, labels: NDArray, chosen: NDArray[np.bool_]) -> dict[str, float]:
    """Each measure on the chosen samples, NaN where there are fewer than two."""
    enough = chosen.sum() >= 2
    return {
        name: float(measure(truth[chosen], labels[chosen])) if enough else float("nan")
        for name, measure in MEASURES.items()
    }
