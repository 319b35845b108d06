"""How far clusters are those that links mean: what densities alone, which have heard no link, make of the links."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cclab.algorithms.mixture.linked_fit import Fit, Linked
from cclab.core import ConstraintSet


def lead_on_links(known: ConstraintSet, about: Linked, fit: Fit, other: Fit) -> tuple[float, float]:
    """By how much more of the links the densities of `fit` keep than those of `other`, and the standard error of that.

    Links shape the clusters, but clusters are few and links many: what keeps them without being told keeps those, too,
    that nobody has stated. Must-links and cannot-links count alike. Without links it is 0, and the error infinite.
    """
    links = known.links_from_labels()
    difference = _kept_alone(links, about, fit) - _kept_alone(links, about, other)
    groups, separations = np.ones(len(links.groups), bool), np.zeros(len(links.separations), bool)
    must = np.concatenate([links.pairs.must, groups, separations])
    weight = np.concatenate([links.pairs.weight, links.groups.weight, links.separations.weight])
    kinds = [kind for kind in (must, ~must) if kind.any()]
    if not kinds:
        return 0.0, np.inf
    lead = np.mean([weight[kind] @ difference[kind] / weight[kind].sum() for kind in kinds])
    # One more link of each kind might differ. Links of hardly any weight prove nothing: the error is infinite.
    with np.errstate(divide="ignore", over="ignore"):
        variances = [(weight[kind] @ difference[kind] ** 2 + 1) / weight[kind].sum() ** 2 for kind in kinds]
    return float(lead), float(np.sqrt(sum(variances)) / len(kinds))


def _kept_alone(links: ConstraintSet, about: Linked, fit: Fit) -> NDArray:
    """(m,) to which degree each link is kept where every sample is where its density is largest."""
    labels = fit.memberships.argmax(axis=1)
    labels[about.units.samples] = fit.alone.argmax(axis=1)
    return links.satisfaction(labels).degrees
