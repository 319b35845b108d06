"""Names and calls of active-semi-supervised-clustering, so that code written for it runs by a change of imports.

Everything is done by cclab's own solvers and strategies; here are only the other names.
"""

from cclab.compat.active_learners import NPU, ExploreConsolidate, MinMax, Random
from cclab.compat.clusterers import (
    ConstrainedKMeans,
    COPKMeans,
    KMeans,
    MKMeans,
    MPCKMeans,
    MPCKMeansMF,
    PCKMeans,
    RCAKMeans,
    SeededKMeans,
)
from cclab.compat.example_oracle import ExampleOracle, MaximumQueriesExceeded
from cclab.compat.exceptions import (
    ClusteringNotFoundException,
    EmptyClustersException,
    InconsistentConstraintsException,
)

__all__ = [
    "COPKMeans",
    "ClusteringNotFoundException",
    "ConstrainedKMeans",
    "EmptyClustersException",
    "ExampleOracle",
    "ExploreConsolidate",
    "InconsistentConstraintsException",
    "KMeans",
    "MKMeans",
    "MPCKMeans",
    "MPCKMeansMF",
    "MaximumQueriesExceeded",
    "MinMax",
    "NPU",
    "PCKMeans",
    "RCAKMeans",
    "Random",
    "SeededKMeans",
]
