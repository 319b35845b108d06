"""Reach: what is said about a few samples moves the others, where links that were held back show that it helps."""

from cclab.core.cross_validation import HeldOut, held_out
from cclab.reach.propagating import Propagating
from cclab.reach.propagation import Propagated, Report, propagate
from cclab.reach.trying import Progress, Tried, try_all

__all__ = ["HeldOut", "Progress", "Propagated", "Propagating", "Report", "Tried", "held_out", "propagate", "try_all"]
