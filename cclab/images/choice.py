"""Whether values tell regions apart, or it takes what a forest learns: tried on paint that neither has seen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cclab.images.forest import Paint
from cclab.images.prototypes import Palette, means_of

# Paint lies within regions, and says nothing of their borders: there values, which look at a pixel and what is next to
# it, are sharper than filters that look far. So a forest has to be better by so much.
MARGIN = 0.03
# Dabs are laid where the way that was taken errs: they speak against it whatever it is, and turn the choice only where
# the other is better by so much.
TURNS = 0.25
# Values must tell apart not the paint alone but the picture: so near, on average, its pixels are to one region's paint
# and not to another's. From 0.5 (halfway between two) to 1.
CLEAR = 0.85
# Prototypes need little paint, trees much: with so many strokes a region, values and what is learned count alike.
ALIKE = 2


@dataclass(frozen=True)
class Choice:
    """How well each way tells regions apart, and which was taken.

    Attributes
    ----------
    values, learned : float
        The share of the paint that was taken for its region when it was left out, regions counting alike, and so the
        strokes of each; NaN where there is too little paint to leave any out.
    clear : float
        How clearly values part all of the picture, from 0.5 to 1.
    by_values : bool
        Whether values do.
    say : float
        How much values count beside what is learned, from 0 to 1.
    """

    values: float
    learned: float
    clear: float
    by_values: bool
    say: float

    @property
    def words(self) -> str:
        """Why, in words.

        >>> Choice(0.75, 0.98, 0.9, False, 0).words
        'of paint left out, values tell 75 % rightly and learning 98 %'
        """
        between = ", but much of the picture lies between their values" if self.clear < CLEAR else ""
        if np.isnan(self.values):
            return f"there is too little paint to leave any out{between}"
        shares = f"values tell {100 * self.values:.0f} % rightly and learning {100 * self.learned:.0f} %"
        return f"of paint left out, {shares}{between}"


def choose(plain: Paint, seen: Paint, columns: np.ndarray, pixels: np.ndarray) -> Choice:
    """Leave strokes out in turn, and see what is made of them without: long ones, and then all.

    Parameters
    ----------
    plain, seen : Paint
        The same paint by its values, and by what the filters say of it.
    columns : int array
        The filters that a forest may look at.
    pixels : array of shape (n, n_features)
        Values all over the picture.
    """
    clear = _clearness(plain, pixels)
    values, learned = _rightly(plain.without_dabs, seen.without_dabs, columns)
    by_values = clear >= CLEAR and not learned > values + MARGIN
    if not plain.long.all():
        others = _rightly(plain, seen, columns)
        taken, other = others if by_values else others[::-1]
        if other > taken + TURNS and clear >= CLEAR:
            (values, learned), by_values = others, not by_values
    say = ALIKE / (ALIKE + len(np.unique(plain.stroke)) / (int(plain.code.max()) + 1))
    if not by_values:
        say *= values / (values + learned) if values + learned > 0 else 0.5
    return Choice(values, learned, clear, by_values, say)


def _clearness(paint: Paint, pixels: np.ndarray) -> float:
    """How near pixels are to the prototypes of one region and not to those of the next, on average."""
    numbers, first = np.unique(paint.stroke, return_index=True)
    left = [np.flatnonzero(paint.stroke == number) for number in numbers]
    palette = Palette.founded((paint.code[first] + 1).tolist(), left, paint.values)
    nearest = np.sort(_squares(palette, paint, pixels), axis=1)
    return float(np.mean(nearest[:, 1] / np.maximum(nearest[:, 0] + nearest[:, 1], 1e-12)))


def _squares(palette: Palette, paint: Paint, values: np.ndarray) -> np.ndarray:
    """(n, n_regions) squared distances to the nearest prototype of each region, numbered from 1."""
    X, centers = values.astype(float) @ palette.units, means_of(palette, paint.values)
    squares = ((X[:, None] - centers[None]) ** 2).sum(axis=2)
    return np.column_stack([squares[:, palette.regions == region].min(axis=1) for region in palette.painted])


def _rightly(plain: Paint, seen: Paint, columns: np.ndarray) -> tuple[float, float]:
    """The share of left out paint that values, and that a forest, take for its region."""
    votes = seen.left_out(columns)
    prototypes = np.where(np.isfinite(votes), _by_prototypes(plain), np.nan)
    return plain.rightly(prototypes), seen.rightly(votes)


def _by_prototypes(paint: Paint) -> np.ndarray:
    """(n, n_regions) how near each pixel is to the prototypes of the regions, founded without its stroke."""
    numbers, first = np.unique(paint.stroke, return_index=True)
    found = np.full((len(paint.code), int(paint.code.max()) + 1), np.nan)
    for fold in range(int(paint.fold.max()) + 1):
        unseen = np.flatnonzero(paint.fold == fold)
        left = [np.flatnonzero((paint.stroke == number) & (paint.fold != fold)) for number in numbers]
        regions = (paint.code[first] + 1).tolist()  # region 0 would be "don't know"
        palette = Palette.founded(regions, left, paint.values)
        found[unseen] = -_squares(palette, paint, paint.values[unseen])
    return found
