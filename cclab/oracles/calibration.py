"""Whether confidences can be believed, and how they are mended where they can't."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.linear_model import LogisticRegression

from cclab.oracles.answers import Answer, Oracle
from cclab.queries.base import Query

#: Fewer checks say nothing.
FEWEST_CHECKS = 10
_SUREST = 0.995


def reliability(confidence: ArrayLike, right: ArrayLike, bins: int = 10) -> pd.DataFrame:
    """How often answers of each confidence are right.

    Parameters
    ----------
    confidence : (m,) array in [0, 1]
    right : (m,) bool array
        Whether each answer was right.
    bins : int
        Confidences are put together in so many bins of equal width.

    Returns
    -------
    DataFrame
        ``low, high, n, confidence, right`` of each bin that has answers: its bounds, how many, the mean confidence, and
        the share that was right. Where the last two agree, confidences can be believed.

    Examples
    --------
    >>> reliability([0.9, 0.9, 0.9, 0.7], [True, True, False, True], bins=2).round(2)
       low  high  n  confidence  right
    0  0.5   1.0  4        0.85   0.75
    """
    c, r = _checked(confidence, right)
    edges = np.linspace(0, 1, bins + 1)
    place = np.clip(np.ceil(c * bins).astype(int) - 1, 0, bins - 1)
    rows = []
    for b in np.unique(place):
        here = place == b
        means = {"confidence": c[here].mean(), "right": r[here].mean()}
        rows.append({"low": edges[b], "high": edges[b + 1], "n": int(here.sum()), **means})
    return pd.DataFrame(rows, columns=["low", "high", "n", "confidence", "right"])


def calibration_error(confidence: ArrayLike, right: ArrayLike, bins: int = 10) -> float:
    """The expected calibration error: how far confidence and frequency are apart, on the mean over all answers.

    >>> round(calibration_error([0.9, 0.9, 0.9, 0.6], [True, True, False, True], bins=2), 3)
    0.075
    """
    table = reliability(confidence, right, bins)
    return float((table["n"] * (table["confidence"] - table["right"]).abs()).sum() / max(table["n"].sum(), 1))


@dataclass(frozen=True, eq=False)
class Calibration:
    """From the confidence that an oracle states to how often it is right.

    Made by `Calibration.of` from answers that someone has checked: a line from log-odds to log-odds, two numbers, which
    a few dozen checks tell well enough (Platt's scaling).

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> stated = rng.uniform(0.8, 1, 400)
    >>> right = rng.random(400) < 0.7   # it is never as sure as it says
    >>> bool(Calibration.of(stated, right)(0.95) < 0.8)
    True
    """

    _curve: Any
    n_checks: int

    @classmethod
    def of(cls, confidence: ArrayLike, right: ArrayLike) -> Calibration:
        """Learn from checked answers."""
        c, r = _checked(confidence, right)
        if len(c) < FEWEST_CHECKS:
            raise ValueError(f"{len(c)} checked answers are too few to calibrate by; check at least {FEWEST_CHECKS}")
        if r.all() or not r.any():
            share = (r.sum() + 1) / (len(r) + 2)  # nothing to tell confidences apart by
            return cls(lambda x: np.full(np.shape(x), share), len(c))
        line = LogisticRegression(C=10.0).fit(_log_odds(c)[:, None], r)
        return cls(lambda x: line.predict_proba(_log_odds(x)[:, None])[:, 1], len(c))

    def __call__(self, confidence: ArrayLike) -> Any:
        """How often answers of this confidence are right; of one, or of an array."""
        found = self._curve(np.atleast_1d(np.asarray(confidence, dtype=float)))
        return float(found[0]) if np.ndim(confidence) == 0 else np.asarray(found)


class Calibrated(Oracle):
    """An oracle whose confidences were mended.

    Parameters
    ----------
    oracle : Oracle
    calibration : Calibration
    """

    def __init__(self, oracle: Oracle, calibration: Calibration) -> None:
        self.oracle = oracle
        self.calibration = calibration
        self.name = oracle.name
        self.batch = oracle.batch

    @property
    def exhausted(self) -> str:
        """As of the oracle."""
        return self.oracle.exhausted

    def answer(self, query: Query, data: Any = None) -> Answer:
        """As the oracle says, as surely as it is right."""
        return self.answers([query], data)[0]

    def answers(self, queries: Sequence[Query], data: Any = None) -> list[Answer]:
        """As the oracle says, as surely as it is right."""
        said = self.oracle.answers(queries, data)
        return [replace(a, confidence=self.calibration(a.confidence)) if a.is_sure else a for a in said]


def _checked(confidence: ArrayLike, right: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    c, r = np.asarray(confidence, dtype=float).ravel(), np.asarray(right, dtype=bool).ravel()
    if len(c) != len(r):
        raise ValueError(f"{len(c)} confidences, but {len(r)} answers that were checked")
    if len(c) and not (np.isfinite(c).all() and c.min() >= 0 and c.max() <= 1):
        raise ValueError("confidences must lie between 0 and 1")
    return c, r


def _log_odds(confidence: NDArray[np.float64]) -> NDArray[np.float64]:
    c = np.clip(confidence, 1 - _SUREST, _SUREST)
    return np.log(c / (1 - c))
