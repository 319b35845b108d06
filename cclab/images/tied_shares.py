"""Shares of regions at the pixels of a picture, settled with those of their neighbours: what CECM finds, at once.

A mask of millions of pixels is made of blocks of shares, about prototypes that lie at the corners of the simplex. All
that a solver prepares for any other problem is known there beforehand.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from scipy import sparse

from cclab.maths.neighbour_masses import settle_neighbours


def settled_shares(
    shares: np.ndarray, ties: sparse.csr_array, shape: tuple[int, int], alpha: float, settled: float
) -> np.ndarray:
    """(n_pixels, n_regions) pignistic probabilities of the regions.

    Parameters
    ----------
    shares : array of shape (n_pixels, n_regions)
        What speaks for each region at each pixel.
    ties : sparse array of shape (n_pixels, n_pixels)
        How strongly each is tied to those above, below and beside it.
    shape : (height, width)
    alpha : float
        How much doubt between two regions is held back.
    settled : float
        Ends when the masses of a pixel change by no more than this, on average.
    """
    n_regions = shares.shape[1]
    pairs = list(combinations(range(n_regions), 2))
    squares = np.einsum("nk,nk->n", shares, shares)
    # Squared distances to a corner, and to the middle between two corners.
    costs = [squares - 2 * shares[:, k] + 1 for k in range(n_regions)]
    costs += [2**alpha * (squares - shares[:, j] - shares[:, k] + 0.5) for j, k in pairs]
    single = np.arange(len(costs)) < n_regions
    even = np.add.outer(np.arange(shape[0]), np.arange(shape[1])).ravel() % 2 == 0
    classes = [(members, ties[members]) for members in (np.flatnonzero(even), np.flatnonzero(~even))]
    masses = settle_neighbours(np.stack(costs).T, single, classes, None, settled)
    found = masses[:, :n_regions]
    for mass, (j, k) in zip(masses[:, n_regions:].T, pairs):
        found[:, j] += mass / 2
        found[:, k] += mass / 2
    return found
