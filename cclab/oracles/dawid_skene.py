"""Who is reliable, and what is true, from votes alone [1]_.

References
----------
.. [1] A. P. Dawid, A. M. Skene, Maximum likelihood estimation of observer error-rates using the EM algorithm, Journal
   of the Royal Statistical Society C 28 (1979), 20-28.

Notation
--------
=========  ===================================================
T (i, k)   probability that k is the true category of item i
p (k)      how frequent category k is
P (m,k,l)  probability that member m says l where k is true
=========  ===================================================
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

#: Votes that every member is taken to have given before: so many right ones, and so many in all.
PRIOR_RIGHT, PRIOR = 3.0, 4.0
_MAX_ITER, _TOL = 200, 1e-6


@dataclass(frozen=True, eq=False)
class Consensus:
    """What several voters agree on, and how far each can be trusted.

    Attributes
    ----------
    posterior : (n_items, n_categories) array
        How probable each category is for each item.
    confusion : (n_members, n_categories, n_categories) array
        What each member says (last axis) where a category is true.
    prior : (n_categories,) array
        How frequent each category is.
    """

    posterior: NDArray[np.float64]
    confusion: NDArray[np.float64]
    prior: NDArray[np.float64]

    @property
    def reliability(self) -> NDArray[np.float64]:
        """(n_members,) how often each member is right."""
        return np.einsum("mkk,k->m", self.confusion, self.prior)


def consensus(votes: ArrayLike, n_categories: int) -> Consensus:
    """Dawid and Skene's EM, with a few votes in favour of each member to begin with.

    Parameters
    ----------
    votes : (n_items, n_members) int array
        What each member says about each item, -1 where it says nothing.
    n_categories : int

    Examples
    --------
    >>> votes = [[0, 0, 1], [1, 1, 0], [1, 1, 1], [0, 0, 0], [0, 0, 1], [1, 1, 0]]
    >>> found = consensus(votes, 2)
    >>> found.posterior.argmax(axis=1).tolist(), int(found.reliability.argmin())
    ([0, 1, 1, 0, 0, 1], 2)
    """
    V = np.atleast_2d(np.asarray(votes, dtype=np.int64))
    said = (V[:, :, None] == np.arange(n_categories)).astype(float)  # item, member, category
    T = said.sum(axis=1) + 1e-9
    T /= T.sum(axis=1, keepdims=True)
    for _ in range(_MAX_ITER):
        p, P = _maximum(T, said)
        before, T = T, _expected(p, P, said)
        if np.abs(T - before).max(initial=0) < _TOL:
            break
    p, P = _maximum(T, said)
    return Consensus(T, P, p)


def _maximum(T: NDArray, said: NDArray) -> tuple[NDArray, NDArray]:
    """Frequencies and confusions that make the votes most likely (Eqs. 2.3 and 2.4 of [1]_), with the prior votes."""
    n_categories = T.shape[1]
    p = (T.sum(axis=0) + 1) / (len(T) + n_categories)
    wrong = (PRIOR - PRIOR_RIGHT) / max(n_categories - 1, 1)
    P = np.einsum("ik,iml->mkl", T, said) + np.where(np.eye(n_categories, dtype=bool), PRIOR_RIGHT, wrong)
    return p, P / P.sum(axis=2, keepdims=True)


def _expected(p: NDArray, P: NDArray, said: NDArray) -> NDArray:
    """How probable each category is for each item (Eq. 2.5 of [1]_)."""
    log_T = np.log(p) + np.einsum("iml,mkl->ik", said, np.log(P))
    T = np.exp(log_T - log_T.max(axis=1, keepdims=True))
    return T / T.sum(axis=1, keepdims=True)
