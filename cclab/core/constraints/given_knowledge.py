"""What a call of `fit` was told, as a constraint set."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from numpy.typing import ArrayLike

from cclab.core.constraints.set import ConstraintSet


def given_knowledge(
    must_link: ArrayLike | None,
    cannot_link: ArrayLike | None,
    labels: ArrayLike | Mapping[int, Any] | None,
    constraints: ConstraintSet | None,
) -> Callable[[int], ConstraintSet]:
    """What `fit` was told, to be read once the number of samples is known."""
    if constraints is not None and not (must_link is None and cannot_link is None and labels is None):
        raise ValueError("give either constraints, or must_link, cannot_link and labels, not both")

    def read(n_samples: int) -> ConstraintSet:
        if constraints is not None:
            return constraints
        known = ConstraintSet(n_samples)
        if must_link is not None:
            known = known.with_must_link(must_link)
        if cannot_link is not None:
            known = known.with_cannot_link(cannot_link)
        if labels is not None:
            known = known.with_labels(labels)
        return known

    return read
