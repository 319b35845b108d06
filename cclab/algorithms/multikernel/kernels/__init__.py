"""Kernels for clustering: products with many kernel matrices, without keeping them."""

from cclab.algorithms.multikernel.kernels.base_kernels import Kernels, best_weights, mixed_distances
from cclab.algorithms.multikernel.kernels.families import Landmarks, Powers, RankOne, squares, times_base
from cclab.algorithms.multikernel.kernels.linked import linked_directions
from cclab.algorithms.multikernel.kernels.selection import METHODS, choose_kernels, read_kernels

__all__ = [
    "METHODS",
    "Kernels",
    "Landmarks",
    "Powers",
    "RankOne",
    "best_weights",
    "choose_kernels",
    "linked_directions",
    "mixed_distances",
    "read_kernels",
    "squares",
    "times_base",
]
