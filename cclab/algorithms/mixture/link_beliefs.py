"""Belief propagation: what links between units make of what each unit would believe by itself.

A link between units u and v is worth ``a + b [c_u = c_v]``: 1 and ``breaking - 1`` where they belong apart,
``breaking`` and ``1 - breaking`` where they belong together. What u tells v about cluster c is ``a + b q(c)``, with q
what u believes without what v told it. On trees the beliefs and the evidence are exact; on loops they are Bethe's
approximation [1]_.

References
----------
.. [1] J. S. Yedidia, W. T. Freeman, Y. Weiss, Constructing free-energy approximations and generalized belief
   propagation algorithms, IEEE Transactions on Information Theory 51(7), 2005.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import expit

from cclab.algorithms.mixture.linked_units import Block, LinkedUnits
from cclab.algorithms.mixture.mixtures import responsibilities
from cclab.core.arrays import readonly
from cclab.core.sample_blocks import row_blocks
from cclab.maths.distances import BLOCK_NUMBERS

#: How much of a message stays as it was: without that, messages on a loop may swing for ever.
DAMPING = 0.3
#: Of more numbers than this, messages and exponentials are in single precision, which is several times as quick.
MANY_NUMBERS = 100_000
#: A cannot-link between units whose flattened beliefs overlap by less can't matter.
LEAST_OVERLAP = 1e-3


@dataclass(frozen=True, eq=False)
class Messages:
    """What units tell each other.

    Attributes
    ----------
    active : (a,) int array
        The edges that matter.
    log : (2 a, k) array
        Over each of them from i to j; then from j to i.
    log_blocks : (m, k) array
        What each block tells each of its units.
    """

    active: NDArray = field(repr=False)
    log: NDArray = field(repr=False)
    log_blocks: NDArray = field(repr=False)

    def __post_init__(self) -> None:
        for name in ("active", "log", "log_blocks"):
            object.__setattr__(self, name, readonly(getattr(self, name)))


@dataclass(frozen=True, eq=False)
class Wires:
    """Who tells whom, over the edges that matter; kept beside the messages, since they change seldom.

    Attributes
    ----------
    n_edges : int
    sender : (2 a,) int array
        Who sends each message.
    answer : (2 a,) int array
        The message that comes back.
    receives : (u, 2 a) sparse array
        Adds up the messages to each unit.
    apart, same : (2 a,) arrays
        What a link is worth where its ends are in different clusters, and in the same one.
    to_blocks : (u, m) sparse array
        Adds up what blocks tell each unit.
    """

    n_edges: int
    sender: NDArray
    answer: NDArray
    receives: sparse.csr_array
    apart: NDArray
    same: NDArray
    to_blocks: sparse.csr_array

    @classmethod
    def of(cls, units: LinkedUnits, active: NDArray) -> Wires:
        """Those of some edges."""
        a = len(active)
        sender = np.concatenate([units.i[active], units.j[active]])
        answer = np.concatenate([np.arange(a, 2 * a), np.arange(a)])
        worth, must = np.exp(units.breaking[active]), units.must[active]
        apart, same = np.where(must, worth, 1.0), np.where(must, 1.0, worth)
        receives, to_blocks = (_sums(len(units), unit) for unit in (sender[answer], units.entries[0]))
        return cls(a, sender, answer, receives, np.tile(apart, 2), np.tile(same, 2), to_blocks)


def _sums(n_units: int, unit: NDArray) -> sparse.csr_array:
    """Adds up rows by the unit that each belongs to."""
    m = len(unit)
    return sparse.csr_array((np.ones(m, dtype=np.float32), (unit, np.arange(m))), shape=(n_units, m))


@dataclass(frozen=True, eq=False)
class Heard:
    """What units believe once they have heard of each other.

    Attributes
    ----------
    beliefs : (u, k) array
    evidence : float
        Log of the sum over all answers of what they are worth. What a block tells counts in it as if it were known.
    messages : Messages
    """

    beliefs: NDArray
    evidence: float
    messages: Messages


def silence(units: LinkedUnits, n_clusters: int) -> Messages:
    """No messages yet, and no edge that matters."""
    nothing = np.zeros((0, n_clusters))
    return Messages(np.empty(0, dtype=np.int64), nothing, np.zeros((len(units.entries[0]), n_clusters)))


def renewed(units: LinkedUnits, L: NDArray, messages: Messages, beliefs: NDArray | None = None) -> Messages:
    """The messages over the edges that matter now; those over new ones say nothing yet.

    Parameters
    ----------
    L : (u, k) array
        Log of what each unit would believe by itself.
    beliefs : (u, k) array, optional
        What units believe now: links that push each other may meet where neither would be by itself.
    """
    overlap = _overlaps(units, quick_shares(L / 2)[0])
    if beliefs is not None:
        overlap = np.maximum(overlap, _overlaps(units, beliefs))
    active = np.flatnonzero(units.must | (overlap >= LEAST_OVERLAP))
    k, before, now = L.shape[1], len(messages.active), len(active)
    log = np.zeros((2 * now, k))
    place = np.searchsorted(messages.active, active)
    place[place == before] = 0
    known = messages.active[place] == active if before else np.zeros(now, bool)
    log[:now][known], log[now:][known] = messages.log[:before][place[known]], messages.log[before:][place[known]]
    return Messages(active, log, messages.log_blocks)


def without_clusters(messages: Messages, clusters: list[int]) -> Messages:
    """The messages, which say nothing about some clusters any more."""
    log, log_blocks = messages.log.copy(), messages.log_blocks.copy()
    log[:, clusters] = log_blocks[:, clusters] = 0
    return Messages(messages.active, log, log_blocks)


def heard(units: LinkedUnits, L: NDArray, messages: Messages, sweeps: int) -> Heard:
    """Beliefs after some sweeps in which all units tell each other what they believe.

    What is told in the last of them is in the messages, and will be heard next time.

    Parameters
    ----------
    L : (u, k) array
        Log of what each unit would believe by itself.
    messages : Messages
        Where to begin.
    """
    wires = messages.__dict__.get("wires") or Wires.of(units, messages.active)
    a, sender, answer, receives, to_blocks = wires.n_edges, wires.sender, wires.answer, wires.receives, wires.to_blocks
    number = np.float32 if messages.log.size > MANY_NUMBERS else np.float64
    apart: NDArray = wires.apart.astype(number)
    same: NDArray = wires.same.astype(number)
    log: NDArray = messages.log.astype(number)  # a copy, which is worked on
    log_blocks = messages.log_blocks

    for _ in range(max(sweeps, 1)):
        S = L + receives @ log + to_blocks @ log_blocks
        beliefs, log_sums = quick_shares(S)
        evidence = float(log_sums.sum())
        if a:
            S = (S - S.max(axis=1, keepdims=True)).astype(number)
            cavity = S[sender]
            cavity -= log[answer]
            cavity, top, rest = _shares(cavity)
            evidence -= float(np.log(_worth_of_edges(cavity, top, rest, apart, same)).sum())
            rows = np.arange(2 * a)
            cavity *= (same - apart)[:, None]
            cavity += apart[:, None]
            cavity[rows, top] = same * (1 - rest) + apart * rest
            told: NDArray = np.log(cavity, out=cavity)
            told -= log
            told *= number(1 - DAMPING)
            log += told
        if len(log_blocks):
            log_blocks = _told_by_blocks(units, L + receives @ log, log_blocks, to_blocks)
    said = Messages(messages.active, log, log_blocks)
    said.__dict__["wires"] = wires
    return Heard(beliefs, evidence, said)


def _shares(L: NDArray) -> tuple[NDArray, NDArray, NDArray]:
    """Shares (m, k) from logs, which are overwritten; where each row has its largest, and how much is not there.

    What is not there may be far less than rounding leaves of one less the largest.
    """
    rows, top = np.arange(len(L)), L.argmax(axis=1)
    L -= L[rows, top][:, None]
    np.exp(L, out=L)
    L[rows, top] = 0
    rest = L.sum(axis=1)
    L[rows, top] = 1
    L /= (1 + rest)[:, None]
    return L, top, rest / (1 + rest)


def _worth_of_edges(cavity: NDArray, top: NDArray, rest: NDArray, apart: NDArray, same: NDArray) -> NDArray:
    """(a,) what each link is worth, given what both ends believe without it: rows of `_shares`, those of i before j."""
    a = len(top) // 2
    rows, of_i, of_j = np.arange(a), cavity[:a], cavity[a:]
    p, q = of_i[rows, top[:a]], of_j[rows, top[:a]]
    of_i[rows, top[:a]] = 0
    elsewhere = np.einsum("ek,ek->e", of_i, of_j)
    of_i[rows, top[:a]] = p
    together = elsewhere + p * q
    differ = rest[:a] + p * np.where(top[:a] == top[a:], rest[a:], 1 - q) - elsewhere
    return same[:a] * together + apart[:a] * np.maximum(differ, 0)


def quick_shares(L: NDArray) -> tuple[NDArray, NDArray]:
    """As `responsibilities`; of very many numbers the exponentials are good to seven digits."""
    if L.size <= MANY_NUMBERS:
        return responsibilities(L)
    top = L.max(axis=1, keepdims=True)
    R = np.exp((L - top).astype(np.float32))
    total = R.sum(axis=1, keepdims=True, dtype=np.float64)
    return R / total, (top + np.log(total))[:, 0]


def _told_by_blocks(units: LinkedUnits, L: NDArray, log_blocks: NDArray, to_blocks: sparse.csr_array) -> NDArray:
    """What each block tells its members, one block after the other; `L` (u, k) is what units know from all else."""
    entries, ends = units.entries
    said = log_blocks.copy()
    for block, first, last in zip(units.blocks, ends[:-1], ends[1:]):
        others = L + to_blocks @ said
        cavity = responsibilities(others[entries[first:last]] - said[first:last])[0]
        told = _of_group(block, cavity) if block.must else _of_separation(block, cavity)
        said[first:last] = DAMPING * said[first:last] + (1 - DAMPING) * told
    return said


def _of_group(block: Block, cavity: NDArray) -> NDArray:
    """(m, k) to each member: where the others gather."""
    least = np.exp(block.breaking)
    votes = np.log(least + (1 - least) * cavity)
    gathered = responsibilities(votes.sum(axis=0) - votes)[0]
    return np.log(least + (1 - least) * gathered)


def _of_separation(block: Block, cavity: NDArray) -> NDArray:
    """(m, k) to each member: how far each cluster is its own side's, the other members being heard.

    Two sides are apart if each cluster belongs to one of them. It belongs to `a` the more, the dearer it would be to
    `a` to give it up, and the cheaper to `b`.
    """
    least, m = np.exp(block.breaking), len(block.a)
    price = np.log(1 - (1 - least) * cavity)
    of_a, of_b = price[:m].sum(axis=0), price[m:].sum(axis=0)
    own = np.concatenate([expit(of_b - (of_a - price[:m])), expit(of_a - (of_b - price[m:]))])
    return np.log(least + (1 - least) * own)


def _overlaps(units: LinkedUnits, beliefs: NDArray) -> NDArray:
    """(e,) how far the two units of each edge believe in the same clusters."""
    overlap = np.empty(len(units.i))
    beliefs = beliefs.astype(np.float32)
    for rows in row_blocks(len(overlap), max(1, BLOCK_NUMBERS // beliefs.shape[1])):
        overlap[rows] = np.einsum("ek,ek->e", beliefs[units.i[rows]], beliefs[units.j[rows]])
    return overlap
