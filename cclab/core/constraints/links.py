"""Link operators: what all partners of a sample say, added up."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from cclab.core.ragged import Ragged


class LinkOperator:
    """All links of one kind (must or cannot) as a symmetric linear operator.

    ``operator @ Y`` gives, for each sample, the weighted sum of its partners' rows of ``Y``. A pair costs two
    entries of a sparse product. A *block* of g samples costs O(g), whether all of its members are linked to each
    other (a group) or to all the members of another block (a separation): with ``B`` the blocks' shares and ``C``
    the coupling between blocks, the operator is ``P + B' C B - diag(D)``, and it is never expanded.

    Attributes
    ----------
    n_samples : int
    samples : (t,) int array
        The samples that any link touches, sorted.
    pairs : (t, t) sparse array
        ``P``: weights of the single pairs, among the touched samples.
    blocks : (n_blocks, t) sparse array
        ``B``: how many samples each member of a block stands for.
    coupling : (n_blocks, n_blocks) sparse array
        ``C``: weights between the blocks (on the diagonal: of a group with itself).
    diagonal : (t,) float array
        ``D``: "minus me", since no sample is its own partner.
    """

    def __init__(
        self,
        n_samples: int,
        i: NDArray[np.int64],
        j: NDArray[np.int64],
        weight: NDArray[np.float64],
        blocks: Ragged,
        coupling: sparse.sparray,
    ) -> None:
        self.n_samples = n_samples
        coupling = sparse.csr_array(coupling)
        used = np.flatnonzero(np.diff(coupling.indptr))
        blocks = blocks[used]
        touched = np.zeros(n_samples, dtype=bool)
        for members in (i, j, blocks.items):
            touched[members] = True
        self.samples = np.flatnonzero(touched)
        place = np.cumsum(touched) - 1
        t = len(self.samples)
        i, j = place[i], place[j]
        self.pairs = sparse.coo_array(
            (np.concatenate([weight, weight]), (np.concatenate([i, j]), np.concatenate([j, i]))), shape=(t, t)
        ).tocsr()
        self.blocks = Ragged(blocks.indptr, place[blocks.items], blocks.values).matrix(t)
        self.coupling = coupling[used][:, used]
        self.diagonal = self.blocks.T @ self.coupling.diagonal()
        self._members = self.blocks.T.tocsr()

    @property
    def shape(self) -> tuple[int, int]:
        return (self.n_samples, self.n_samples)

    def apply(self, touched_rows: NDArray) -> NDArray:
        """The operator on the touched samples alone.

        Parameters
        ----------
        touched_rows : (t, k) or (t,) array
            The rows of ``Y`` at `samples`.

        Returns
        -------
        (t, k) or (t,) array
            The rows of ``operator @ Y`` at `samples`; all its other rows are 0.
        """
        total = self.pairs @ touched_rows
        if self.blocks.shape[0]:
            total += self._members @ (self.coupling @ (self.blocks @ touched_rows))
            total -= (self.diagonal * touched_rows.T).T
        return total

    def __matmul__(self, Y: ArrayLike) -> NDArray:
        Y = np.asarray(Y, dtype=float)
        if len(Y) != self.n_samples:
            raise ValueError(f"these links are about {self.n_samples} samples, got an array of {len(Y)} rows")
        if len(self.samples) == self.n_samples:
            return self.apply(Y)
        result = np.zeros(Y.shape, Y.dtype)  # pages that stay zero cost nothing
        result[self.samples] = self.apply(Y[self.samples])
        return result

    @cached_property
    def degree(self) -> NDArray[np.float64]:
        """(t,) weighted number of partners of each touched sample."""
        return self.apply(np.ones(len(self.samples)))

    @cached_property
    def total(self) -> float:
        """Weighted number of linked pairs."""
        return float(self.degree.sum() / 2)

    def pair_sum(self, Y: NDArray, Z: NDArray | None = None) -> float:
        """Sum over all linked pairs of the weight times ``Y[i] . Z[j]`` (averaged over the two directions)."""
        Y = np.asarray(Y)[self.samples]
        Z = Y if Z is None else np.asarray(Z)[self.samples]
        return float(np.sum(Y * self.apply(Z)) / 2)

    def expanded(self) -> sparse.csr_array:
        """The operator as an explicit (n, n) sparse matrix: for small sets and for tests."""
        inner = self.pairs + self._members @ self.coupling @ self.blocks - sparse.diags_array(self.diagonal)
        inner = sparse.coo_array(inner)
        inner.eliminate_zeros()
        full = (self.samples[inner.row], self.samples[inner.col])
        return sparse.csr_array((inner.data, full), shape=self.shape)

    def __len__(self) -> int:
        """Number of pairs and blocks that the operator holds (not of the pairs they stand for)."""
        return self.pairs.nnz // 2 + self.blocks.shape[0]

    def __repr__(self) -> str:
        return (
            f"LinkOperator({self.pairs.nnz // 2} pairs, {self.blocks.shape[0]} blocks, {len(self.samples)} of "
            f"{self.n_samples} samples, total {self.total:g})"
        )
