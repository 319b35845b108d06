"""Semi-supervised possibilistic fuzzy c-means [1]_: PFCM that hears labels with degrees of possibility.

References
----------
.. [1] V. Antoine, J. A. Guerrero, T. Boone, G. Romero, Possibilistic clustering with seeds, 2018.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from cclab.algorithms.possibilistic.pfcm import PFCM


@dataclass(eq=False, repr=False, kw_only=True)
class SPFCM(PFCM):
    """Possibilistic fuzzy clustering with labels: steadier than SRPCM, since memberships keep the clusters apart.

    Some clusters of some samples may be labelled, with any degree from 0 (impossible) to 1 (possible).
    """

    uses = frozenset({"labels", "weights", "sample_weight"})
    ancestor = "PFCM"

    label_weight: float = 1.0
    # What a label asks for has a closed form for this exponent alone.
    typicality_exponent: float = field(default=2.0, init=False)
