"""Pairwise-constrained competitive agglomeration (PCCA) [1]_ [2]_.

    J = sum_ik u_ik^2 d_ik^2
        + alpha (sum_ML sum_k sum_{l != k} u_ik u_jl + sum_CL sum_k u_ik u_jk)
        - beta sum_k N_k^2

Notation
--------
======  ========================  =====================================================================
paper   here                      meaning
======  ========================  =====================================================================
M, Q    ``must``, ``cannot``      pairs of samples that belong together, or apart (ML, CL above)
alpha   ``alpha``                 what a broken link costs
Cv_rs   ``links.costs``           how many links sample r breaks in cluster s
(more)                            as in `cclab.algorithms.fuzzy.ca`
======  ========================  =====================================================================

References
----------
.. [1] N. Grira, M. Crucianu, N. Boujemaa, Semi-supervised fuzzy clustering with pairwise-constrained competitive
   agglomeration, FUZZ-IEEE 2005.
.. [2] N. Novoselova, I. Tom, Fuzzy semi-supervised clustering with active constraint selection, 2017. Equations are
   numbered as in [2]_.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cclab.algorithms.fuzzy.agglomeration import Contenders
from cclab.algorithms.fuzzy.ca import CA, CAState
from cclab.core import Problem
from cclab.core.parameters import real
from cclab.maths.quadratic_memberships import LinkCosts, LinkPull, memberships_at


@dataclass(eq=False, repr=False, kw_only=True)
class PCCA(CA):
    """Competitive agglomeration with must-links and cannot-links, which also say which clusters may merge.

    Parameters
    ----------
    constraint_weight : float
        How much links count against distances: what all links together cost when broken, over what all samples cost
        at their places. 1 is the weight of [1]_, at which links upset the competition.

    Notes
    -----
    Eq. 1 prints a minus before the penalty, which rewards broken links, and sums squared memberships in its last term
    where squared sizes are meant (Eqs. 4 and 5 follow from these); both are mended here.
    """

    uses = frozenset({"must", "cannot", "weights", "sample_weight"})
    ancestor = "CA"
    parameters = {"constraint_weight": real(0)}

    constraint_weight: float = 0.1

    def _apart(self, problem: Problem, state: CAState) -> NDArray[np.bool_]:
        """Clusters between which there are more cannot-links than must-links."""
        links = LinkCosts.of(problem)
        must, cannot = links.between(memberships_at(state, links.samples).argmax(axis=1), len(state.alive))
        return cannot > must

    def _pull(self, problem: Problem, state: CAState, left: Contenders) -> LinkPull:
        U = memberships_at(state, LinkCosts.of(problem).samples) @ left.heirs
        total = U.sum(axis=1, keepdims=True)
        # A sample whose clusters have all vanished is as much in one as in another.
        U = np.divide(U, total, out=np.full(U.shape, 1 / len(left)), where=total > 0)
        return LinkPull.at(problem, U, self.constraint_weight, left.inertia.sum() / left.mass.sum())
