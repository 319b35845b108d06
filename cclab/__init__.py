"""Interactive constrained clustering: knowledge in, belief out, one step at a time."""

from cclab import algorithms as _algorithms
from cclab.core import ConstraintSet, Problem, iterate
from cclab.datasets import load_dataset
from cclab.session import Session

__version__ = "0.1.0"

__all__ = ["ConstraintSet", "Problem", "Session", "iterate", "load_dataset", *_algorithms.__all__]


def __getattr__(name: str):
    return getattr(_algorithms, name)
