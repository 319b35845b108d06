"""Random pairs of samples, without listing all of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def random_pairs(n_samples: int, count: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """`count` different pairs of different samples, each set of pairs as likely as any other.

    Memory goes with `count`, not with the number of all pairs, as long as `count` is a small part of it.

    Returns
    -------
    (count, 2) int array
        The smaller sample first; the pairs in random order.

    Examples
    --------
    >>> sorted(random_pairs(4, 6, np.random.default_rng(0)).tolist())
    [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]
    """
    total = n_pairs(n_samples)
    if not 0 <= count <= total:
        raise ValueError(f"{count} pairs were asked for, but {n_samples} samples make only {total}")
    return pair_at(rng.choice(total, size=count, replace=False))


def n_pairs(n_samples: int) -> int:
    """How many pairs `n_samples` samples make."""
    return n_samples * (n_samples - 1) // 2


def pair_at(place: NDArray[np.int64]) -> NDArray[np.int64]:
    """(m, 2) the pairs at these places of the list (0, 1), (0, 2), (1, 2), (0, 3), (1, 3), ...

    >>> pair_at(np.arange(4)).tolist()
    [[0, 1], [0, 2], [1, 2], [0, 3]]
    """
    j = ((1 + np.sqrt(1 + 8 * place.astype(float))) // 2).astype(np.int64)
    # The root may be off by one where 8 * place no longer fits a float exactly.
    j -= j * (j - 1) // 2 > place
    j += (j + 1) * j // 2 <= place
    return np.column_stack([place - j * (j - 1) // 2, j])
