"""What a step of CMKIPCM leaves behind."""

from __future__ import annotations

from dataclasses import dataclass, field

from numpy.typing import NDArray

from cclab.core import FuzzyPossibilistic, Gauge, State


@dataclass(frozen=True, eq=False, kw_only=True)
class CMKIPCMState(State):
    """Memberships, typicalities and kernel weights; centres live in the kernels' feature space.

    Attributes
    ----------
    centers : (k, p) array
        The clusters' means in the space of the data, for showing.
    memberships, typicalities : (n, k) arrays
    distances : (n, k) array
        Squared distances to the centres that follow from them, in the space of the weighted kernels.
    kernel_weights : (M,) array
    kernel_names : tuple of str
    eta : (k,) array
        The squared distances at which typicalities are 1/2.
    full_alpha : float
        The weight of the links when it has reached its full value.
    ramp : float
        The part of it that holds now.
    outlier_threshold : float
    """

    memberships: NDArray = field(repr=False)
    typicalities: NDArray = field(repr=False)
    distances: NDArray = field(repr=False)
    kernel_weights: NDArray
    kernel_names: tuple[str, ...]
    eta: NDArray
    full_alpha: float
    ramp: float
    outlier_threshold: float

    @property
    def alpha(self) -> float:
        """The weight of the links."""
        return self.ramp * self.full_alpha

    def _partition(self) -> FuzzyPossibilistic:
        return FuzzyPossibilistic(self.memberships, self.typicalities, "product", self.outlier_threshold)

    def gauges(self) -> tuple[Gauge, ...]:
        return (Gauge("Kernel weights", self.kernel_names, tuple(self.kernel_weights.tolist())),)
