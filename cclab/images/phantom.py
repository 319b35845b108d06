"""A made-up slice of a head, so that the painter has a picture with a truth wherever it is installed."""

from __future__ import annotations

import numpy as np
from scipy import ndimage

TISSUES = ("background", "tissue", "fluid", "lesion")

# Mean grey levels in [0, 1]; noise and uneven light make them overlap.
FLUID, CORTEX, WHITE_MATTER, LESION = 0.20, 0.42, 0.60, 0.80


def phantom(height: int = 217, width: int = 181, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """An axial slice of a brain as a T1-weighted magnetic resonance image shows it, with a bright lesion.

    Sulci are where a random field crosses zero near the surface: such level lines wind and branch as folds
    do. Partial volume comes from blurring the clean picture, uneven light from a slow random factor, and the
    noise is Rician, as in the magnitude of a complex signal.

    Parameters
    ----------
    height, width : int
        Size of the picture; the default is a slice at one millimetre.
    seed : int

    Returns
    -------
    pixels : float32 array of shape (height, width)
        Grey levels in [0, 1], multiples of 1 / 255.
    truth : uint8 array of shape (height, width)
        0 background, 1 tissue, 2 fluid, 3 lesion (see `TISSUES`).
    """
    rng = np.random.default_rng(seed)
    scale = min(height / 217, width / 181)

    def field(sigma: float) -> np.ndarray:
        smooth = ndimage.gaussian_filter(rng.standard_normal((height, width)), sigma * scale, mode="wrap")
        return smooth / smooth.std()

    # Coordinates in millimetres about the centre; y grows towards the back of the head.
    y, x = ((np.indices((height, width)).T - [(height - 1) / 2, (width - 1) / 2]) / scale).T
    x, y = x + 1.2 * field(14), y + 1.2 * field(14)
    side = np.abs(x)

    egg = np.hypot(x / (76 + 0.06 * y), y / 96)
    brain = egg < 1
    depth = ndimage.distance_transform_edt(brain) / scale

    # Folds run inward from the surface: a random field in polar coordinates, longer along the radius.
    polar = ndimage.gaussian_filter(rng.standard_normal((360, 100)), (3.4, 9), mode=("wrap", "nearest"))
    turn = (np.degrees(np.arctan2(y, x)) + 1.5 * field(6)) % 360
    fold = ndimage.map_coordinates(polar / polar.std(), [turn, 100 * egg + 5 * field(6)], order=1, mode="grid-wrap")
    steepness = np.hypot(*np.gradient(fold)) * scale + 0.03
    sulci = (np.abs(fold) / steepness < 1.7 - 0.045 * depth) & (depth < 26 + 5 * field(8))
    fissure = (side < 1.6 - 0.010 * (96 - np.abs(y))) & ((y < -32) | (y > 36))
    rim = depth < 1.6 + 0.6 * field(5)

    def horn(tip: float, length: float, lean: float, breadth: float) -> np.ndarray:
        """A curved drop: one horn of a lateral ventricle, mirrored on the other side."""
        along = (y - tip) / length
        middle = 5 + lean * along**2
        return (np.abs(side - middle) < breadth * np.sqrt(np.clip(along * (1.05 - along), 0, None))) & (along > 0)

    ventricles = horn(-38, 36, 9, 11) | horn(40, -42, 17, 12)
    third = np.hypot(side / 1.9, (y - 6) / 9) < 1
    fluid = brain & (sulci | fissure | rim | ventricles | third)

    near_surface = ndimage.distance_transform_edt((brain & ~fluid) | ventricles | third) / scale
    nuclei = (np.hypot((side - 25) / 7.5, (y + 6) / 17) < 1) | (np.hypot((side - 10) / 7, (y - 12) / 10) < 1)
    cortex = (near_surface < 4.0 + 0.7 * field(3)) | nuclei

    dx, dy = x - 33, y + 27
    angle = np.arctan2(dy, dx)
    lesion = np.hypot(dx, dy) + 1.1 * field(4) < 14 * (1 + 0.16 * np.cos(2 * angle + 0.6) + 0.08 * np.sin(3 * angle))
    lesion &= brain

    clean = np.where(cortex, CORTEX, WHITE_MATTER) * brain
    clean[fluid] = FLUID
    clean[lesion] = LESION
    clean += brain * 0.015 * field(2)
    soft_lesion = np.where(lesion, 0, 0.06) * np.exp(-(np.maximum(np.hypot(dx, dy) - 14, 0) ** 2) / 30)
    clean = ndimage.gaussian_filter(clean + soft_lesion * brain, 0.75 * scale)

    light = np.exp(0.07 * field(60))
    real, imaginary = (0.033 * rng.standard_normal((height, width)) for _ in range(2))
    grey = np.hypot(clean * light + real, imaginary)

    truth = np.where(brain, 1, 0).astype(np.uint8)
    truth[fluid] = 2
    truth[lesion] = 3
    pixels = (np.rint(255 * np.clip(grey, 0, 1)) / 255).astype(np.float32)
    return pixels, truth
