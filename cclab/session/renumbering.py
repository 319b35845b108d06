"""The warning that clusters go by other numbers than before."""

from __future__ import annotations

import numpy as np

from cclab.core import Problem
from cclab.core.beliefs.numbering import numbers_in
from cclab.core.warning import warn_caller
from cclab.session.snapshot import Snapshot


class Renumbered(RuntimeWarning):
    """Clusters have other numbers than before, since labels are held."""


def warn_of_new_numbers(before: Snapshot, problem: Problem) -> None:
    """The first label makes clusters go by the numbers that labels give them; in Python that may be seen."""
    first = len(problem.constraints.labels) and not len(before.problem.constraints.labels)
    if first and "labels" in before.solver.uses:
        living, numbers = np.unique(before.partition.labels()), numbers_in(before.order)
        moved = living[numbers[living] != living]
        if len(moved):
            said = ", ".join(f"{numbers[k]} is now {k}" for k in moved)
            warn_caller(f"labels are held from now on, so each cluster goes by its own number: {said}", Renumbered)
