"""The values and the protocol that everything else stands on."""

from cclab.core.beliefs.credal import Credal
from cclab.core.beliefs.partitions import Fuzzy, FuzzyPossibilistic, Hard, Partition, Possibilistic
from cclab.core.constraints.closure import ConflictError
from cclab.core.constraints.conflicts import Conflict
from cclab.core.constraints.links import LinkOperator
from cclab.core.constraints.set import ConstraintSet
from cclab.core.constraints.statement import Statement
from cclab.core.cross_validation import HeldOut, held_out
from cclab.core.iteration import iterate
from cclab.core.problem import IgnoredKnowledge, ImpossibleKnowledge, Problem, SameSamples
from cclab.core.scores import matched_accuracy, scores
from cclab.core.solver import CenterSolver, Solver, WeightedSolver
from cclab.core.state import CenterState, Gauge, State, center_shift

__all__ = [
    "CenterSolver",
    "CenterState",
    "Conflict",
    "ConflictError",
    "ConstraintSet",
    "Credal",
    "Fuzzy",
    "FuzzyPossibilistic",
    "Gauge",
    "Hard",
    "HeldOut",
    "IgnoredKnowledge",
    "ImpossibleKnowledge",
    "LinkOperator",
    "Partition",
    "Possibilistic",
    "Problem",
    "SameSamples",
    "Solver",
    "State",
    "Statement",
    "WeightedSolver",
    "center_shift",
    "held_out",
    "iterate",
    "matched_accuracy",
    "scores",
]
