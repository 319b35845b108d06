"""How large and how small the numbers of a problem may be: all such limits stand here.

Solvers square distances, some square them again, and all add them up over the samples, by their weights. Within these
limits none of that leaves the range of a double (about 1e-308 to 1e308), so no solver needs to ask.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from cclab.core.sample_blocks import Chunked

#: The largest value of a feature, by its size.
LARGEST = 1e60
#: Samples that differ, differ by so much in some feature.
SMALLEST = 1e-60
#: Where the largest sample weight lies.
LIGHTEST, HEAVIEST = 1e-30, 1e30
#: Beyond these (largest value, smallest difference) single precision can't square.
SINGLE_LARGEST, SINGLE_SMALLEST = 1e15, 1e-15

ALL_ALIKE = "all samples are the same: nothing in them tells clusters apart, and any that are found are arbitrary"


def extent(X: Any) -> tuple[NDArray, NDArray]:
    """(p,) the smallest and the largest value of each feature; NaN where there is one among them."""
    if isinstance(X, Chunked):
        return X.extent
    if sparse.issparse(X):
        return X.min(axis=0).toarray().ravel(), X.max(axis=0).toarray().ravel()
    return X.min(axis=0), X.max(axis=0)


def all_alike(X: Any) -> bool:
    """Whether there are several samples, and all of them are the same."""
    least, most = extent(X)
    return X.shape[0] > 1 and bool((least == most).all())


def check_scale(X: Any, names: Sequence[str] = (), *, differences: bool = True, where: str = "") -> None:
    """Raise ValueError, in words, where values are too large to be squared, or differences too small.

    Parameters
    ----------
    X : (n, p) array or sparse matrix
        Finite.
    names : sequence of str
        Of its features, where they have any.
    differences : bool
        Whether differences count at all: centres may lie as close together as one likes.
    where : str
        What the words begin with: a file's name.

    Examples
    --------
    >>> check_scale(np.array([[1.0, 2e100]]), ("length", "mass"))
    Traceback (most recent call last):
    ...
    ValueError: column 'mass' holds 2e+100, and values beyond 1e+60 can't be squared and added up; ...
    >>> check_scale(np.array([[1e-200], [3e-200]]))
    Traceback (most recent call last):
    ...
    ValueError: the samples differ by 2e-200 at most, and differences below 1e-60 can't be squared; ...
    """
    least, most = extent(X)
    size = np.maximum(-least, most).astype(float)
    worst = int(size.argmax())
    if size[worst] > LARGEST:
        column = f"column {names[worst]!r}" if len(names) else f"column {worst}"
        value = most[worst] if most[worst] == size[worst] else least[worst]
        raise ValueError(
            f"{where}{column} holds {value:g}, and values beyond {LARGEST:g} can't be squared and added up; "
            f"measure it in larger units (divide it by {_power_of_ten(size[worst]):g}), or leave it out"
        )
    apart = float((most - least).max())
    if differences and 0 < apart < SMALLEST:
        raise ValueError(
            f"{where}the samples differ by {apart:g} at most, and differences below {SMALLEST:g} can't be squared; "
            f"measure the features in smaller units (multiply them by {1 / max(_power_of_ten(apart), 1e-300):g})"
        )


def check_weight_scale(weights: NDArray) -> None:
    """Raise ValueError, in words, where weights are too large or too small to be added up with squares."""
    largest = float(weights.max())
    if not LIGHTEST <= largest <= HEAVIEST:
        raise ValueError(
            f"the largest sample_weight is {largest:g}, outside of {LIGHTEST:g} to {HEAVIEST:g}; "
            "divide all of them by their mean"
        )


def fits_single_precision(X: NDArray) -> bool:
    """Whether squares of these values and of their differences are safe in single precision."""
    least, most = extent(X)
    apart = float((most - least).max())
    return np.maximum(-least, most).max() <= SINGLE_LARGEST and not 0 < apart < SINGLE_SMALLEST


def _power_of_ten(value: float) -> float:
    return 10.0 ** np.floor(np.log10(value))
