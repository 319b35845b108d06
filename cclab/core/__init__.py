"""The values and the protocol that everything else stands on."""

from cclab.core.closure import ConflictError
from cclab.core.conflicts import Conflict
from cclab.core.constraints import ConstraintSet
from cclab.core.credal import Credal
from cclab.core.iteration import iterate
from cclab.core.links import LinkOperator
from cclab.core.partitions import Fuzzy, FuzzyPossibilistic, Hard, Partition, Possibilistic
from cclab.core.problem import IgnoredKnowledge, ImpossibleKnowledge, Problem
from cclab.core.scores import matched_accuracy, scores
from cclab.core.solver import Solver, WeightedSolver
from cclab.core.state import Gauge, State, center_shift

__all__ = [
    "Conflict",
    "ConflictError",
    "ConstraintSet",
    "Credal",
    "Fuzzy",
    "FuzzyPossibilistic",
    "Gauge",
    "Hard",
    "IgnoredKnowledge",
    "ImpossibleKnowledge",
    "LinkOperator",
    "Partition",
    "Possibilistic",
    "Problem",
    "Solver",
    "State",
    "WeightedSolver",
    "center_shift",
    "iterate",
    "matched_accuracy",
    "scores",
]
