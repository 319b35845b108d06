"""Kernels for clustering: products with many kernel matrices, without keeping them."""

from cclab.maths.kernels.choosing import METHODS, choose_kernels, read_kernels
from cclab.maths.kernels.families import Landmarks, Powers, RankOne, squares, times_base
from cclab.maths.kernels.kernels import Kernels, best_weights, mixed_distances
from cclab.maths.kernels.linked import linked_directions

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
