"""Link operators: what all partners of a sample say, added up."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from cclab.core.constraints.ragged import Ragged

if TYPE_CHECKING:
    from cclab.core.constraints.set import ConstraintSet


@dataclass(frozen=True, eq=False)
class Links:
    """Links between t samples, or some of their rows: ``pairs + members coupling blocks - diag(diagonal)``.

    Attributes
    ----------
    rows : (r,) int array or None
        Which of the t samples' partners are added up; None for all.
    pairs : (r, t) sparse array
    members : (r, b) sparse array
        Shares of these samples in the blocks.
    coupling : (b, b) sparse array
    blocks : (b, t) sparse array
        Shares of all samples in the blocks.
    diagonal : (r,) array
    """

    rows: NDArray | None
    pairs: sparse.csr_array
    members: sparse.csr_array
    coupling: sparse.csr_array
    blocks: sparse.csr_array
    diagonal: NDArray

    @classmethod
    def of_pairs(cls, pairs: sparse.csr_array) -> Links:
        """Links between single samples."""
        t = pairs.shape[0]
        return cls(
            rows=None,
            pairs=pairs,
            members=sparse.csr_array((t, 0)),
            coupling=sparse.csr_array((0, 0)),
            blocks=sparse.csr_array((0, t)),
            diagonal=np.zeros(t),
        )

    def at(self, rows: NDArray) -> Links:
        """Some of the rows."""
        chosen = rows if self.rows is None else self.rows[rows]
        members, diagonal = self.members[rows], self.diagonal[rows]
        return Links(chosen, self.pairs[rows], members, self.coupling, self.blocks, diagonal)

    def apply(self, Y: NDArray) -> NDArray:
        """(r, k) or (r,) for each of the rows, the weighted sum of its partners' rows of `Y` (t, k) or (t,)."""
        total = self.pairs @ Y
        if self.in_blocks:
            total += self.members @ (self.coupling @ (self.blocks @ Y))
            own = Y if self.rows is None else Y[self.rows]
            total -= (self.diagonal * own.T).T
        return total

    @cached_property
    def degree(self) -> NDArray[np.float64]:
        """(r,) weighted number of partners."""
        return self.apply(np.ones(self.blocks.shape[1]))

    @property
    def block_degree(self) -> NDArray:
        """(r,) weighted number of partners through blocks alone."""
        return Links(self.rows, 0 * self.pairs, self.members, self.coupling, self.blocks, self.diagonal).degree

    @cached_property
    def in_blocks(self) -> bool:
        """Whether one of the rows is a member of a block."""
        return bool(self.members.nnz)

    @cached_property
    def _any(self) -> bool:
        return bool(self.pairs.nnz or self.members.nnz)

    def __bool__(self) -> bool:
        return self._any


class LinkOperator(Links):
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
        coupling = sparse.csr_array(coupling)
        used = np.flatnonzero(np.diff(coupling.indptr))
        blocks = blocks[used]
        touched = np.zeros(n_samples, dtype=bool)
        for members in (i, j, blocks.items):
            touched[members] = True
        samples = np.flatnonzero(touched)
        place = np.cumsum(touched) - 1
        t = len(samples)
        i, j = place[i], place[j]
        pairs = sparse.coo_array(
            (np.concatenate([weight, weight]), (np.concatenate([i, j]), np.concatenate([j, i]))), shape=(t, t)
        ).tocsr()
        shares = Ragged(blocks.indptr, place[blocks.items], blocks.values).matrix(t)
        if len(used) < coupling.shape[0]:
            coupling = coupling[used][:, used]
        diagonal = shares.T @ coupling.diagonal()
        super().__init__(None, pairs, shares.T.tocsr(), coupling, shares, diagonal)
        self.n_samples, self.samples = n_samples, samples

    @classmethod
    def of(cls, known: ConstraintSet, *, must: bool) -> LinkOperator:
        """All must-links, or all cannot-links, of a constraint set."""
        pairs, b = known.pairs.rows(known.pairs.must == must), len(known.blocks)
        if must:
            weight, ends = known.groups.weight, (known.groups.block, known.groups.block)
        else:
            s = known.separations
            weight, ends = np.tile(s.weight, 2), (np.concatenate([s.a, s.b]), np.concatenate([s.b, s.a]))
        coupling = sparse.coo_array((weight, ends), shape=(b, b))
        return cls(known.n_samples, pairs.i, pairs.j, pairs.weight, known.blocks, coupling)

    @property
    def shape(self) -> tuple[int, int]:
        """That of the matrix that it stands for."""
        return (self.n_samples, self.n_samples)

    def among(self, samples: NDArray[np.int64]) -> Links:
        """The links, written for the sorted `samples`, which hold all that they touch."""
        t = len(samples)
        place = np.searchsorted(samples, self.samples)
        diagonal, length = np.zeros(t), np.zeros(t, dtype=np.int64)
        diagonal[place] = self.diagonal

        def rows_moved(matrix: sparse.csr_array) -> sparse.csr_array:
            length[place] = np.diff(matrix.indptr)
            ends = np.concatenate([[0], np.cumsum(length)])
            return sparse.csr_array((matrix.data, matrix.indices, ends), shape=(t, matrix.shape[1]))

        def columns_moved(matrix: sparse.csr_array) -> sparse.csr_array:
            return sparse.csr_array((matrix.data, place[matrix.indices], matrix.indptr), shape=(matrix.shape[0], t))

        return Links(
            rows=None,
            pairs=rows_moved(columns_moved(self.pairs)),
            members=rows_moved(self.members),
            coupling=self.coupling,
            blocks=columns_moved(self.blocks),
            diagonal=diagonal,
        )

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
        through_blocks = self.members @ self.coupling @ self.blocks - sparse.diags_array(self.diagonal)
        inner = sparse.coo_array(self.pairs + through_blocks)
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
