"""Kernels for clustering: products with many kernel matrices, without keeping them."""

from cclab.maths.kernels.choosing import METHODS, choose_kernels, read_kernels
from cclab.maths.kernels.families import Landmarks, Powers, RankOne, squares, times_base
from cclab.maths.kernels.kernels import Kernels

__all__ = [
    "METHODS",
    "Kernels",
    "Landmarks",
    "Powers",
    "RankOne",
    "choose_kernels",
    "read_kernels",
    "squares",
    "times_base",
]
