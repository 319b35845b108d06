"""What a person says about samples: statements, the links they make, what follows from them and what contradicts."""

from cclab.core.constraints.set import ConstraintSet

__all__ = ["ConstraintSet"]
