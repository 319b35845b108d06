"""How a sample and a link are drawn: one table for the canvas of a page, for legends and for figures of matplotlib."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray


class Form(NamedTuple):
    """The form of a sign: a convex polygon or, with no corners, a disc. Its unit is the radius of a sample.

    A hollow one is an outline with a cross inside.
    """

    corners: tuple[tuple[float, float], ...] = ()
    radius: float = 1.0
    hollow: bool = False

    @property
    def extent(self) -> float:
        """Half the side of the square that it fits in.

        >>> [form.extent for form in FORMS.values()]
        [1.0, 1.68, 0.9, 1.1]
        """
        return max((abs(place) for corner in self.corners for place in corner), default=self.radius)


#: One cluster, two, any, none.
FORMS = {
    "circle": Form(),
    "diamond": Form(corners=((0, 1.68), (0.98, 0), (0, -1.68), (-0.98, 0))),
    "square": Form(corners=((0.9, 0.9), (0.9, -0.9), (-0.9, -0.9), (-0.9, 0.9))),
    "outlier": Form(radius=1.1, hollow=True),
}
SHAPES = tuple(FORMS)

#: Opacity of what is least certain: a sample never vanishes.
FAINTEST = 0.34

#: Pixels, for a link that counts little, as usual, and much; and how much wider a violated one is.
LINK_WIDTHS = (0.7, 1.4, 2.8)
WIDER = 1.4
#: Pixels drawn and left out, of a cannot-link.
DASH = (10, 10)
#: What legends call them.
LINK_NAMES = {"must": "must-link", "cannot": "cannot-link", "violated": "violated"}


def sample_opacity(certainty: ArrayLike) -> NDArray[np.float64]:
    """Opacity of samples, of which each is so certain, from 0 to 1.

    >>> sample_opacity([0, 0.5, 1]).round(2).tolist()
    [0.34, 0.67, 1.0]
    """
    return FAINTEST + (1 - FAINTEST) * np.asarray(certainty, float)


def link_opacity(weight: ArrayLike) -> NDArray[np.float64]:
    """Opacity of links with these weights."""
    return 0.3 + 0.7 * np.asarray(weight, float)


def link_width(level: ArrayLike, violated: ArrayLike) -> NDArray[np.float64]:
    """Width of links in pixels; `level` is 0, 1 or 2.

    >>> link_width([0, 1, 1], [False, False, True]).round(2).tolist()
    [0.7, 1.4, 1.96]
    """
    return np.asarray(LINK_WIDTHS)[np.asarray(level, int)] * np.where(violated, WIDER, 1.0)
