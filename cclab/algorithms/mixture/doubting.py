"""How many links are wrong, by what densities and all other links say of the samples that they name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from cclab.algorithms.mixture.choosing import SURE_GAP
from cclab.algorithms.mixture.gaussians import Gaussians
from cclab.algorithms.mixture.link_beliefs import Messages, heard
from cclab.algorithms.mixture.linked_units import LEAST, LinkedUnits
from cclab.algorithms.mixture.mixtures import responsibilities
from cclab.core import ConstraintSet

#: Fewer links than this prove nothing about the others.
FEWEST_LINKS = 20
#: As many links are looked at as make so many numbers with the clusters, evenly spread over all.
MOST_NUMBERS = 20_000
#: Nats by which links must be better explained if some of them are wrong.
LEAST_GAIN = 0.5
#: Shares of wrong links that are tried; the last: none is. Where more seem to be, the densities are rather wrong.
SHARES = (0.2, 0.15, 0.1, 0.07, 0.05, 0.03, LEAST)
#: What log densities are divided by before they are believed: clusters that are no Gaussians look surer than they are.
DOUBTS_OF_DENSITIES = (1.0, 2.0, 4.0, 8.0, 16.0, np.inf)
#: How often units tell each other what they believe, for each share.
TALKS = 8


def may_be_wrong(known: ConstraintSet, n_clusters: int) -> bool:
    """Whether there are enough certain links to doubt some of them, and they don't confirm each other."""
    certain = int(np.count_nonzero(known.pairs.weight > 1 - LEAST))
    return certain >= FEWEST_LINKS and n_clusters > 1 and not confirmed(known)


@dataclass(frozen=True)
class Suspicion:
    """How many links are wrong, most likely.

    Attributes
    ----------
    share : float
        Of the certain links; 0 where little is gained by thinking that some are wrong.
    gain : float
        Nats by which links are better explained.
    account : int
        The place of the account that explains them best.
    """

    share: float
    gain: float
    account: int

    @property
    def sure(self) -> bool:
        """Whether the odds that none is wrong are below 1 to 20."""
        return self.gain > SURE_GAP


def suspected(accounts: Sequence[Sequence[tuple[ConstraintSet, Gaussians]]], Z: NDArray) -> Suspicion:
    """Which share of the certain links is wrong.

    A link that contradicts the densities may be wrong, or these may be. If densities are, links contradict them the
    more often the less sure they are; if links are, as often wherever they are. So both are found together, as what
    makes the links most likely, by Bethe's approximation.

    Parameters
    ----------
    accounts : sequence of sequences of links with Gaussians
        In each, links with densities that have not been shaped by them: those would have come to suit wrong ones.
    Z : (n, q) array
        The samples, in the units of the Gaussians.
    """
    of_accounts = [[_by_doubt(links, gaussians, Z) for links, gaussians in told] for told in accounts]
    n_links = [sum(n for n, _ in parts) for parts in of_accounts]
    # By link: of many only some are looked at, not the same number in each account.
    explained = np.array(
        [np.max(sum(nats for _, nats in parts), axis=0) / max(n, 1) for parts, n in zip(of_accounts, n_links)]
    )
    account, best = divmod(int(explained.argmax()), len(SHARES))
    gain = float(explained[account, best] - explained[:, -1].max()) * max(n_links)
    return Suspicion(SHARES[best] if gain > LEAST_GAIN else 0.0, gain, account)


def _by_doubt(known: ConstraintSet, gaussians: Gaussians, Z: NDArray) -> tuple[int, NDArray]:
    """How many links are looked at, and (t, s) log of how likely they are, by `DOUBTS_OF_DENSITIES` and `SHARES`."""
    certain = np.flatnonzero(known.pairs.weight > 1 - LEAST)
    most = max(FEWEST_LINKS, MOST_NUMBERS // len(gaussians))
    links = ConstraintSet(known.n_samples, known.pairs.rows(certain[:: max(1, -(-len(certain) // most))]))
    units = LinkedUnits.of(doubted(links, SHARES[0]), np.ones(known.n_samples))
    L = gaussians.log_densities(Z[units.samples])
    return len(links.pairs), np.array([_explained(units, L / doubt) for doubt in DOUBTS_OF_DENSITIES])


def confirmed(known: ConstraintSet) -> bool:
    """Whether many links follow from others, and all of those agree: wrong ones would contradict some.

    A must-link whose ends others join already follows from these; so does a cannot-link beside another one between the
    same joined samples. A cannot-link whose ends must-links join contradicts them.
    """
    pairs = known.pairs.rows(known.pairs.weight > 1 - LEAST)
    joined = ConstraintSet(known.n_samples, pairs.rows(pairs.must)).must_components
    a, b = joined[pairs.i[~pairs.must]], joined[pairs.j[~pairs.must]]
    if (a == b).any():
        return False
    needed = known.n_samples - len(np.unique(joined))
    apart = np.unique(np.minimum(a, b) * known.n_samples + np.maximum(a, b))
    return len(pairs) - needed - len(apart) >= FEWEST_LINKS


def doubted(known: ConstraintSet, share: float) -> ConstraintSet:
    """The same statements, with certain links as sure as they are if that share of them is wrong."""
    if not share:
        return known
    weight = np.minimum(known.pairs.weight, 1 - share / (1 - share))
    return replace(known, pairs=replace(known.pairs, weight=weight))


def _explained(units: LinkedUnits, L: NDArray) -> NDArray:
    """(s,) log of how likely the links are, for each of `SHARES`."""
    edges, k = np.arange(len(units.i)), L.shape[1]
    said = Messages(edges, np.zeros((2 * len(edges), k)), np.zeros((0, k)))
    found = []
    for share in SHARES:
        worth = np.full(len(edges), np.log(share / (1 - share)))
        told = heard(replace(units, breaking=worth), L, Messages(edges, said.log, said.log_blocks), TALKS)
        said = told.messages
        found.append(told.evidence + len(edges) * np.log(1 - share))
    return np.array(found) - responsibilities(L)[1].sum()
