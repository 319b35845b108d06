"""Spectral learning: links are written into the affinities, and the eigenvectors do the rest [1]_.

Notation
--------
=======  =================  ==========================================================
paper    here               meaning
=======  =================  ==========================================================
A        ``A``              affinities, 1 for must-links and 0 for cannot-links
D        ``D``              their sums by rows
d_max    ``D.max()``        the largest of these
N        ``N``              the matrix of transitions, whose eigenvectors are taken
k        ``n_components``   how many of them
=======  =================  ==========================================================

References
----------
.. [1] S. D. Kamvar, D. Klein, C. D. Manning, Spectral learning, IJCAI 2003.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cclab.algorithms.spectral.embedding import (
    Embedding,
    _EmbeddingSolver,
    affinities,
    lowest_eigenvectors,
    unit_rows,
)
from cclab.core import ConstraintSet, Problem
from cclab.core.parameters import whole


@dataclass(eq=False, repr=False, kw_only=True)
class SPCL(_EmbeddingSolver):
    """Spectral clustering in which linked samples are as alike, or as unlike, as samples can be.

    Parameters
    ----------
    n_components : int or None
        How many eigenvectors to take; None: as many as there are clusters.

    Notes
    -----
    The start has the affinities of the data alone, the first step those with links, and from there on it is k-means on
    the rows of the eigenvectors, each brought to length 1. A link of weight w moves an affinity by the share w of the
    way to 1 or 0. Where a pair is linked in both ways the cannot-link comes last.

    Examples
    --------
    >>> X = np.array([[0.0], [0.1], [0.2], [1.0], [1.1], [1.2]])
    >>> SPCL(2, random_state=0).fit(X).labels_.tolist()
    [1, 1, 1, 0, 0, 0]
    """

    # The start has other affinities than all that follows.
    descends = False
    parameters = {"n_components": whole(1, or_none=True)}

    n_components: int | None = None

    def first(self, problem: Problem) -> Embedding:
        return Embedding(self._rows(affinities(problem, self.kernel)))

    def improved(self, problem: Problem, embedding: Embedding) -> Embedding:
        A = with_links(affinities(problem, self.kernel), problem.constraints)
        return Embedding(self._rows(A), settled=True)

    def _rows(self, A: NDArray) -> NDArray:
        """(n, r) steps 4 to 6 of the paper; ``N = (A + d_max I - D) / d_max`` has the eigenvectors of ``D - A``."""
        count = self.n_clusters if self.n_components is None else self.n_components
        _, vectors = lowest_eigenvectors(np.diag(A.sum(axis=1)) - A, count)
        return unit_rows(vectors)


def with_links(A: NDArray, known: ConstraintSet) -> NDArray:
    """(n, n) steps 2 and 3 of the paper: affinities on the way to 1 and to 0, as far as links weigh."""
    A = np.array(A)
    for links, goal in ((known.must, 1.0), (known.cannot, 0.0)):
        if links:
            pairs = links.expanded().tocoo()
            A[pairs.row, pairs.col] += np.minimum(pairs.data, 1.0) * (goal - A[pairs.row, pairs.col])
    return A
